//! The clock jumps a year ahead or back, to 1970 and over the hour that summer time gives or takes, between calls of
//! `silt` and within them: what was said stays in its order, nothing young is let go, and nobody takes what another
//! process still holds.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use serde_json::Value;

use crate::chance::Chance;
use crate::desk::{Desk, Said};
use crate::{Options, Outcome, Trouble, fault, kept, model};

/// Steps of a script.
const STEPS: u64 = 14;

/// Looks at the clock within a call of which one is the first after a jump.
const LOOKS: u64 = 60;

/// A time zone that has a summer time, and a minute before it began and ended.
const ZONE: &str = "Europe/Berlin";
const SUMMER: [&str; 2] = ["2026-03-29T00:59:30Z", "2026-10-25T00:59:30Z"];

const YEAR: i64 = 365 * 24 * 60 * 60;

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let shim = fault::compiled("clock", &["-shared", "-fPIC"])?;
    let mut outcome = Outcome::default();
    for number in 0..options.count(1, 20) {
        let script = Script::new(shim.clone(), options.chance(&format!("script {number}")))?;
        let (jumps, wrong) = script.play(options.count(7, STEPS))?;
        outcome.count("jumps", jumps);
        outcome.count("scripts", 1);
        outcome.failures.extend(wrong.into_iter().map(|wrong| format!("script {number}: {wrong}")));
    }
    Ok(outcome)
}

/// A desk with what was done at it, in the order in which it was done.
struct Script {
    desk: Desk,
    shim: PathBuf,
    chance: Chance,
    jumps: u64,
    conversation: String,
    questions: Vec<String>,
    decisions: Vec<String>,
    tasks: Vec<String>,
    tags: Vec<String>,
    daily: BTreeSet<String>,
    wrong: Vec<String>,
}

/// By how much the clock is off from one look at it on.
type Jump = (u64, i64);

impl Script {
    fn new(shim: PathBuf, chance: Chance) -> Result<Self, Trouble> {
        let desk = Desk::trusted()?;
        desk.json(&["session", "share"])?;
        desk.json(&["plan", "add", "Under a wrong clock"])?;
        let (url, first) = (model::start()?, "Question 0: which port?");
        desk.json(&["provider", "add", "--kind", "openai", "--name", "work", "--base-url", &url])?;
        desk.json(&["provider", "default", "work", "m"])?;
        let said = desk.run(&["--json", "chat", first])?;
        let conversation = event(&said, "started", "conversation_id")?;
        Ok(Self {
            desk,
            shim,
            chance,
            jumps: 0,
            conversation,
            questions: vec![first.to_owned()],
            decisions: Vec::new(),
            tasks: Vec::new(),
            tags: Vec::new(),
            daily: BTreeSet::new(),
            wrong: Vec::new(),
        })
    }

    fn play(mut self, steps: u64) -> Result<(u64, Vec<String>), Trouble> {
        for step in 0..steps {
            // Each at least once, in an order that is drawn.
            match if step < 7 { step } else { self.chance.below(7) } {
                0 => self.checkpoint()?,
                1 => self.ask()?,
                2 => self.decide()?,
                3 => self.plan_task()?,
                4 => self.beside_another()?,
                5 => self.go_back()?,
                _ => self.clean()?,
            }
            self.look_at_backups()?;
        }
        self.judge()?;
        Ok((self.jumps, self.wrong))
    }

    /// How far off the clock is at a moment that is drawn.
    fn moment(&mut self) -> Result<i64, Trouble> {
        let now = Timestamp::now();
        let summer = |at: &str| -> Result<i64, Trouble> {
            Ok(at.parse::<Timestamp>()?.duration_since(now).as_secs())
        };
        Ok(match self.chance.below(6) {
            0 => 0,
            1 => YEAR,
            2 => -YEAR,
            3 => 10 - now.as_second(),
            4 => summer(SUMMER[0])?,
            _ => summer(SUMMER[1])?,
        })
    }

    /// `silt` under a clock that is off, and half of the time jumps while it runs.
    fn command(&mut self, args: &[&str]) -> Result<Command, Trouble> {
        let mut jumps: Vec<Jump> = vec![(0, self.moment()?)];
        if self.chance.below(2) == 0 {
            jumps.push((1 + self.chance.below(LOOKS), self.moment()?));
        }
        self.jumps += jumps.len() as u64;
        let words: Vec<String> = jumps.iter().map(|(look, by)| format!("{look}:{by}")).collect();
        let mut command = self.desk.command(args);
        command.env("LD_PRELOAD", &self.shim).env("TZ", ZONE).env("TORTURE_CLOCK", words.join(","));
        Ok(command)
    }

    fn run(&mut self, args: &[&str]) -> Result<Option<Value>, Trouble> {
        let all: Vec<&str> = std::iter::once("--json").chain(args.iter().copied()).collect();
        let said: Said = self.command(&all)?.output()?.into();
        if said.code != Some(0) {
            self.wrong.push(format!("{args:?} ended with {:?}: {}", said.code, said.err));
            return Ok(None);
        }
        // Of a chat the last line, of everything else all there is.
        let last = said.out.lines().last().unwrap_or_default();
        Ok(serde_json::from_str(&said.out).or_else(|_| serde_json::from_str(last)).ok())
    }

    fn ask(&mut self) -> Result<(), Trouble> {
        let question = format!("Question {}: and now?", self.questions.len());
        let conversation = self.conversation.clone();
        let answered = self.run(&["chat", "--conversation", &conversation, &question])?;
        if answered.is_some_and(|done| done["status"] != "complete") {
            self.wrong.push(format!("{question} was not answered to its end"));
        }
        self.questions.push(question);
        Ok(())
    }

    fn decide(&mut self) -> Result<(), Trouble> {
        let text = format!("Decision {}", self.decisions.len());
        if self.run(&["decision", "add", &text])?.is_some() {
            self.decisions.push(text);
        }
        Ok(())
    }

    fn plan_task(&mut self) -> Result<(), Trouble> {
        let title = format!("Task {}", self.tasks.len());
        if self.run(&["task", "add", &title])?.is_some() {
            self.tasks.push(title);
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), Trouble> {
        let tag = format!("tag-{}", self.tags.len());
        self.desk.file("src/work.txt", &tag)?;
        if self.run(&["checkpoint", "create", "--tag", &tag])?.is_some() {
            self.tags.push(tag);
        }
        Ok(())
    }

    /// To an earlier checkpoint and back again: what is undone is the last restore, whatever the clock says of it.
    fn go_back(&mut self) -> Result<(), Trouble> {
        let Some(tag) = self.chance.pick(&self.tags).cloned() else { return Ok(()) };
        // What was changed since the last checkpoint would be kept and not written over.
        self.checkpoint()?;
        let there = std::fs::read_to_string(self.desk.project.join("src/work.txt"))?;
        let Some(plan) = self.run(&["checkpoint", "plan", &tag, "--parts", "files"])? else {
            return Ok(());
        };
        let id = plan["plan_id"].as_str().ok_or("a plan has no id")?.to_owned();
        for (args, wanted) in [
            (vec!["checkpoint", "restore", id.as_str()], tag.as_str()),
            (vec!["checkpoint", "undo"], there.as_str()),
        ] {
            if self.run(&args)?.is_none() {
                return Ok(());
            }
            let holds = std::fs::read_to_string(self.desk.project.join("src/work.txt"))?;
            if holds != wanted {
                self.wrong.push(format!("after {args:?} the file holds {holds:?}, not {wanted:?}"));
            }
        }
        Ok(())
    }

    fn clean(&mut self) -> Result<(), Trouble> {
        let cleaned = self.run(&["checkpoint", "clean"])?;
        let gone = cleaned.map(|cleaned| cleaned["gone"].clone()).unwrap_or_default();
        if gone.as_array().is_some_and(|gone| !gone.is_empty()) {
            self.wrong.push(format!("checkpoints of minutes ago were let go: {gone}"));
        }
        // What is told to be made last is there, whatever it is called.
        if let Some(made) = self.run(&["backup", "create"])? {
            let name = made["name"].as_str().unwrap_or_default();
            if !self.desk.data.join("backups").join(name).is_file() {
                self.wrong.push(format!("the backup {name:?} is not there"));
            }
        }
        Ok(())
    }

    /// While an answer streams, another program starts under another clock: the turn has an owner, and stays open.
    fn beside_another(&mut self) -> Result<(), Trouble> {
        let question = format!("Question {}: and beside another?", self.questions.len());
        let conversation = self.conversation.clone();
        let args = ["--json", "chat", "--conversation", conversation.as_str(), question.as_str()];
        let mut asked = self.command(&args)?;
        let mut asked = asked.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = asked.stdout.take().ok_or("nothing to read")?;
        let mut lines = BufReader::new(out).lines();
        let began = lines.next().transpose()?.unwrap_or_default();
        self.run(&["conversation", "list"])?;
        let last = lines.map_while(Result::ok).last().unwrap_or(began);
        asked.wait()?;
        let done: Value = serde_json::from_str(&last)?;
        if done["status"] != "complete" {
            self.wrong.push(format!("an answer was taken from the process that wrote it: {last}"));
        }
        self.questions.push(question);
        Ok(())
    }

    /// Daily backups: of a handful of days none is too many.
    fn look_at_backups(&mut self) -> Result<(), Trouble> {
        let mut now = BTreeSet::new();
        if let Ok(names) = std::fs::read_dir(self.desk.data.join("backups")) {
            for name in names {
                let name = name?.file_name().to_string_lossy().into_owned();
                if name.starts_with("siltstone-daily-") && name.ends_with(".db") {
                    now.insert(name);
                }
            }
        }
        let day = |name: &String| name.chars().take(26).collect::<String>();
        for gone in self.daily.difference(&now) {
            if !now.iter().any(|name| day(name) == day(gone)) {
                self.wrong.push(format!("the backup {gone} was let go"));
            }
        }
        self.daily = now;
        Ok(())
    }

    /// Looks at everything under the right clock.
    fn judge(&mut self) -> Result<(), Trouble> {
        let shown = self.desk.json(&["conversation", "show", &self.conversation])?;
        let asked: Vec<Value> = listed(&shown, "messages")
            .into_iter()
            .filter(|message| message["role"] == "user")
            .map(|message| message["content"].clone())
            .collect();
        self.same("questions", &asked, &self.questions.clone());
        let roles: Vec<Value> =
            listed(&shown, "messages").into_iter().map(|message| message["role"].clone()).collect();
        if roles.chunks(2).any(|pair| pair != ["user", "assistant"]) {
            self.wrong.push(format!("questions and answers do not take turns: {roles:?}"));
        }
        let decisions = self.desk.json(&["decision", "list"])?;
        self.same("decisions", &fields(&decisions, "decisions", "text"), &self.decisions.clone());
        let tasks = self.desk.json(&["task", "list"])?;
        self.same("tasks", &fields(&tasks, "tasks", "title"), &self.tasks.clone());
        let checkpoints = self.desk.json(&["checkpoint", "list", "--limit", "200"])?;
        let tags: Vec<Value> = fields(&checkpoints, "items", "tag")
            .into_iter()
            .filter(|tag| !tag.is_null())
            .rev()
            .collect();
        self.same("checkpoints", &tags, &self.tags.clone());
        let verify = self.desk.run(&["--json", "checkpoint", "verify"])?;
        if verify.code != Some(0) {
            self.wrong.push(format!("checkpoints are damaged: {}", verify.out));
        }
        let session = self.desk.run(&["--json", "session", "verify"])?;
        if session.code != Some(0) {
            self.wrong.push(format!("`.ai-brain` is not whole: {}", session.out));
        }
        self.wrong.extend(kept::unsound(&kept::read(&self.desk.data.join("siltstone.db"))?)?);
        Ok(())
    }

    fn same(&mut self, what: &str, found: &[Value], wanted: &[String]) {
        if found != wanted {
            self.wrong.push(format!("{what} are {found:?}, not {wanted:?}"));
        }
    }
}

fn listed(value: &Value, name: &str) -> Vec<Value> {
    value[name].as_array().cloned().unwrap_or_default()
}

fn fields(value: &Value, list: &str, name: &str) -> Vec<Value> {
    listed(value, list).into_iter().map(|item| item[name].clone()).collect()
}

/// A field of one of the events that a chat tells.
fn event(said: &Said, kind: &str, field: &str) -> Result<String, Trouble> {
    for line in said.out.lines() {
        let event: Value = serde_json::from_str(line)?;
        if event["event"] == kind {
            return Ok(event[field].as_str().unwrap_or_default().to_owned());
        }
    }
    Err(format!("{kind} is not in {:?}: {}", said.out, said.err).into())
}
