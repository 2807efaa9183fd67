//! Ways in which a system stops a program (safety.md, R23): told to end, put to sleep and woken, short of memory. What was
//! shown for longer than a quarter of a second is there afterwards, and everything opens.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::desk::Desk;
use crate::{Options, Outcome, Trouble, model};

/// A reply is kept this often, and a little.
const KEPT: Duration = Duration::from_millis(400);

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let desk = Desk::trusted()?;
    let url = model::start()?;
    desk.json(&["provider", "add", "--kind=openai", "--name=one", "--base-url", &url])?;
    desk.json(&["provider", "default", "one", "m"])?;
    let mut chance = options.chance("endings");
    for round in 0..options.count(3, 60) {
        let pause = Duration::from_millis(20 + chance.below(340));
        outcome.tried("terminations", ended(&desk, round, pause)?);
        outcome.tried("suspensions", slept(&desk, round, pause)?);
        // From less than the program needs to load to enough for half of what it does.
        let room = 40 + chance.below(400);
        outcome.tried("memory limits", starved(&desk, round, room)?);
    }
    Ok(outcome)
}

/// A question on its way: what was shown of the answer, and when.
struct Asked {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    conversation: String,
    shown: Vec<(Instant, String)>,
}

impl Asked {
    fn ask(desk: &Desk, question: &str) -> Result<Self, Trouble> {
        let mut child = desk
            .command(&["--json", "chat", question])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().ok_or("its output")?;
        let lines = BufReader::new(out).lines();
        Ok(Self { child, lines, conversation: String::new(), shown: Vec::new() })
    }

    /// Reads on until there is text; whether there is more to come.
    fn read(&mut self) -> Result<bool, Trouble> {
        let Some(line) = self.lines.next() else { return Ok(false) };
        let line: Value = serde_json::from_str(&line?)?;
        if let Some(id) = line["conversation_id"].as_str() {
            self.conversation = id.to_owned();
        }
        if line["event"] == "text" {
            let text = line["text"].as_str().unwrap_or_default().to_owned();
            self.shown.push((Instant::now(), text));
        }
        Ok(true)
    }

    fn signal(&self, name: &str) -> Result<(), Trouble> {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-s", name, &pid]).status()?;
        Ok(())
    }
}

fn ended(desk: &Desk, round: u64, pause: Duration) -> Result<Option<String>, Trouble> {
    let question = format!("What when it is told to end, {round}?");
    let mut asked = Asked::ask(desk, &question)?;
    while asked.shown.is_empty() && asked.read()? {}
    std::thread::sleep(pause);
    let moment = Instant::now();
    asked.signal("TERM")?;
    while asked.read().unwrap_or(false) {}
    asked.child.wait()?;
    let must: String = asked
        .shown
        .iter()
        .filter(|(at, _)| *at + KEPT <= moment)
        .map(|(_, text)| text.as_str())
        .collect();
    let kept = said(desk, &asked.conversation)?;
    Ok((!kept.contains(&question) || !kept.contains(&must))
        .then(|| format!("told to end after {pause:?}: {must:?} was shown, {kept:?} is there")))
}

fn slept(desk: &Desk, round: u64, pause: Duration) -> Result<Option<String>, Trouble> {
    let question = format!("What when it is put to sleep, {round}?");
    let mut asked = Asked::ask(desk, &question)?;
    while asked.shown.is_empty() && asked.read()? {}
    asked.signal("STOP")?;
    std::thread::sleep(pause);
    asked.signal("CONT")?;
    while asked.read()? {}
    let status = asked.child.wait()?;
    let kept = said(desk, &asked.conversation)?;
    let whole = model::PIECES.concat();
    Ok((!status.success() || !kept.contains(&whole))
        .then(|| format!("asleep for {pause:?}: {status}, {kept:?} is there")))
}

fn starved(desk: &Desk, round: u64, room: u64) -> Result<Option<String>, Trouble> {
    let question = format!("What when there is no memory, {round}?");
    let silt = desk.command(&["--json", "chat", &question]);
    let mut limited = Command::new("prlimit");
    limited.arg(format!("--as={}", room << 20)).arg(silt.get_program()).args(silt.get_args());
    for (name, value) in silt.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let output = limited.current_dir(&desk.project).stdin(Stdio::null()).output()?;
    let begun = String::from_utf8_lossy(&output.stdout).into_owned();
    let first: Value =
        serde_json::from_str(begun.lines().next().unwrap_or_default()).unwrap_or_default();
    // What was not taken may be lost; what was, is there.
    let Some(conversation) = first["conversation_id"].as_str() else {
        let opens = desk.json(&["conversation", "list", "--all"]);
        return Ok(opens.err().map(|error| format!("with {room} MiB nothing opens: {error}")));
    };
    let kept = said(desk, conversation)?;
    Ok((!kept.contains(&question)).then(|| format!("with {room} MiB {question} is gone")))
}

/// Everything that is kept of a conversation.
fn said(desk: &Desk, conversation: &str) -> Result<String, Trouble> {
    let shown = desk.json(&["conversation", "show", conversation])?;
    let messages = shown["messages"].as_array().cloned().unwrap_or_default();
    let texts = messages.iter().filter_map(|it| it["content"].as_str());
    Ok(texts.map(|text| format!("{text}\n")).collect())
}
