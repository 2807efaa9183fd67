//! Four programs at a time on one data folder: what each was told is done is there at the end, and nothing is damaged.

use std::collections::HashSet;
use std::sync::Mutex;

use crate::desk::Desk;
use crate::kept;
use crate::{Options, Outcome, Trouble};

/// Programs at a time.
const PROCESSES: u64 = 4;

/// What one of them was told is there.
enum Told {
    Line(String),
    Question(String),
    Task(String),
    Put(String),
    Checkpoint(String),
    Import(String),
}

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let desk = Desk::trusted()?;
    desk.json(&["session", "share"])?;
    desk.json(&["plan", "add", "Everything at once"])?;
    let each = options.count(12, 600);
    let outcome = Mutex::new(Outcome::default());
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let (desk, outcome, told) = (&desk, &outcome, &told);
            let mut chance = options.chance(&format!("process {process}"));
            scope.spawn(move || {
                for turn in 0..each {
                    let done = act(desk, &format!("p{process} t{turn}"), chance.below(6));
                    let (Ok(mut outcome), Ok(mut told)) = (outcome.lock(), told.lock()) else {
                        return;
                    };
                    match done {
                        Ok(done) => told.push(done),
                        Err(trouble) => outcome.fail(trouble.to_string()),
                    }
                    outcome.count("calls of `silt`", 1);
                }
            });
        }
    });
    let mut outcome = outcome.into_inner()?;
    let lost = lost(&desk, &told.into_inner()?)?;
    outcome.count("lost", lost.len() as u64);
    outcome.failures.extend(lost);
    if let Some(wrong) = kept::unsound(&kept::read(&desk.data.join("siltstone.db"))?)? {
        outcome.fail(wrong);
    }
    let verify = desk.run(&["--json", "checkpoint", "verify"])?;
    if verify.code != Some(0) {
        outcome.fail(format!("checkpoints are damaged: {}", verify.out));
    }
    Ok(outcome)
}

fn act(desk: &Desk, name: &str, which: u64) -> Result<Told, Trouble> {
    let (args, told): (Vec<String>, Told) = match which {
        0 => (vec!["memory".into(), "add".into(), name.into()], Told::Line(name.into())),
        1 => (vec!["chat".into(), format!("Question {name}?")], Told::Question(name.into())),
        2 => (vec!["task".into(), "add".into(), name.into()], Told::Task(name.into())),
        3 => {
            let key = name.replace(' ', "_");
            let put = ["context", "put", "--persistent", &key, "there"].map(str::to_owned);
            (put.to_vec(), Told::Put(key))
        }
        4 => {
            let tag = name.replace(' ', "-");
            let made = ["checkpoint", "create", "--tag", &tag].map(str::to_owned);
            (made.to_vec(), Told::Checkpoint(tag))
        }
        _ => {
            let file = desk.home().join(format!("{}.jsonl", name.replace(' ', "-")));
            let line = serde_json::json!({"id": "1", "role": "user", "content": name});
            std::fs::write(&file, line.to_string())?;
            let file = file.display().to_string();
            (vec!["conversation".into(), "import".into(), file], Told::Import(name.into()))
        }
    };
    let said = desk.run(&args)?;
    if said.code != Some(0) {
        return Err(format!("{args:?}: {}", said.err).into());
    }
    Ok(told)
}

/// What was told to be there and is not.
fn lost(desk: &Desk, told: &[Told]) -> Result<Vec<String>, Trouble> {
    let database = kept::read(&desk.data.join("siltstone.db"))?;
    let all = |sql: &str| -> Result<HashSet<String>, Trouble> {
        let mut find = database.prepare(sql)?;
        Ok(find.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    };
    let lines = all("SELECT text FROM memory_lines")?;
    let said = all("SELECT parts FROM messages WHERE role = 'user'")?;
    let answered =
        all("SELECT asked.parts FROM turns JOIN messages asked ON asked.id = user_message_id \
         WHERE turns.status = 'completed'")?;
    let tasks = desk.run(&["--json", "task", "list"])?.out;
    let keys = desk.run(&["--json", "context", "show"])?.out;
    let has = |of: &HashSet<String>, name: &str| of.iter().any(|text| text.contains(name));
    let gone = told.iter().filter_map(|told| {
        let (there, what) = match told {
            Told::Line(name) => (lines.contains(name), format!("the line {name}")),
            Told::Question(name) => {
                let text = format!("Question {name}?");
                (has(&answered, &text), format!("the answer to {name}"))
            }
            Told::Task(name) => {
                (tasks.contains(&format!("\"{name}\"")), format!("the task {name}"))
            }
            Told::Put(key) => (keys.contains(&format!("\"{key}\"")), format!("the key {key}")),
            Told::Checkpoint(tag) => (is_listed(desk, tag), format!("the checkpoint {tag}")),
            Told::Import(name) => {
                (has(&said, &format!("\"{name}\"")), format!("the import {name}"))
            }
        };
        (!there).then(|| format!("{what} is gone"))
    });
    Ok(gone.collect())
}

fn is_listed(desk: &Desk, tag: &str) -> bool {
    desk.run(&["checkpoint", "show", tag]).is_ok_and(|said| said.code == Some(0))
}
