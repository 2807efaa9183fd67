//! Kills, power cuts and faults of the disk at every call with which the real `silt` changes something.
//!
//! Each try begins with the same folders, strikes one call, and then looks as a person would: the program opens, what was
//! there before is there, what was said to be done is done, nothing is half, checkpoints are whole, and the same thing
//! can be done again.

mod operations;
mod setting;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use serde_json::Value;

use crate::desk::{Desk, Said};
use crate::fault::{Blow, Calls, Errno, strike};
use crate::kept::{self, Files, Rows};
use crate::{Options, Outcome, Trouble};

use operations::{OPERATIONS, Operation, Scene, Seen};

/// How a program ends that was killed.
const KILLED: i32 = 128 + 9;

/// Workers: one for each core of the machine that the figures are for.
const WORKERS: usize = 2;

/// The power is cut at every call, and after the last one; twice so that a random half is gone, another half each time.
pub fn power(options: &Options) -> Result<Outcome, Trouble> {
    strikes(options, "cuts", &[Blow::Drop, Blow::Half, Blow::Half], (40, 8_000))
}

/// The process is killed at every call, before it and in the middle of it.
pub fn kill(options: &Options) -> Result<Outcome, Trouble> {
    strikes(options, "kills", &[Blow::Kill, Blow::Torn], (40, 8_000))
}

/// Calls fail, once and from then on.
pub fn faults(options: &Options) -> Result<Outcome, Trouble> {
    let mut blows = vec![Blow::Short];
    for errno in Errno::ALL {
        blows.extend([Blow::Fails(errno), Blow::FailsOn(errno)]);
    }
    strikes(options, "faults", &blows, (40, 6_400))
}

/// One operation, set up and ready to be struck again and again.
struct Ready {
    operation: &'static Operation,
    desk: Desk,
    image: PathBuf,
    args: Vec<String>,
    rows: Rows,
    files: Files,
    calls: Calls,
}

/// A try that is to be made.
#[derive(Clone, Copy)]
struct Point {
    blow: Blow,
    at: u64,
    turn: u64,
}

fn strikes(
    options: &Options,
    what: &str,
    blows: &[Blow],
    (sample, whole): (u64, u64),
) -> Result<Outcome, Trouble> {
    let most = options.count(sample, whole);
    let each = (most / OPERATIONS.len() as u64).max(1);
    let todo: Mutex<Vec<&Operation>> = Mutex::new(OPERATIONS.iter().rev().collect());
    let outcome = Mutex::new(Outcome::default());
    let until = options.limit.map(|limit| Instant::now() + limit);
    let next = || {
        let mut todo = todo.lock().ok()?;
        let left = todo.len();
        Some((todo.pop()?, left))
    };
    let note = |what: &str, wrong: Option<String>| {
        if let Ok(mut outcome) = outcome.lock() {
            outcome.tried(what, wrong);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((operation, left)) = next() {
                    // Each of those that are left gets as much of the time.
                    let share = until.map(|until| {
                        let rest = until.saturating_duration_since(Instant::now());
                        Instant::now() + rest.mul_f64((WORKERS as f64 / left as f64).min(1.0))
                    });
                    let done = Ready::new(operation).map(|ready| {
                        for point in ready.points(options, what, blows, each) {
                            if share.is_some_and(|share| Instant::now() > share) {
                                break;
                            }
                            note(what, ready.strike(point, options.seed));
                        }
                    });
                    if let Err(trouble) = done {
                        note("setups that failed", Some(format!("{}: {trouble}", operation.name)));
                    }
                }
            });
        }
    });
    let mut outcome = outcome.into_inner()?;
    outcome.count("operations", OPERATIONS.len() as u64);
    Ok(outcome)
}

impl Ready {
    fn new(operation: &'static Operation) -> Result<Self, Trouble> {
        let desk = Desk::trusted()?;
        let chat = desk.run(&["chat", "What is this project?"])?;
        if chat.code != Some(0) {
            return Err(chat.err.into());
        }
        let args = (operation.prepare)(&desk)?;
        let image = desk.image()?;
        let rows = kept::lasting(&kept::read(&desk.data.join("siltstone.db"))?)?;
        let files = kept::files(&desk.project)?;
        let mut ready = Self { operation, desk, image, args, rows, files, calls: Calls::default() };
        let counted = ready.run(Point { blow: Blow::Count, at: 0, turn: 0 }, 0)?;
        if counted.said.code != Some(0) {
            return Err(format!("unstruck it fails: {}", counted.said.err).into());
        }
        ready.calls = counted.calls;
        if let Some(wrong) =
            ready.judge(&counted.said, Point { blow: Blow::Count, at: 0, turn: 0 })?
        {
            return Err(format!("unstruck: {wrong}").into());
        }
        Ok(ready)
    }

    /// What is tried of it: all, or as many as asked for at random.
    fn points(&self, options: &Options, what: &str, blows: &[Blow], most: u64) -> Vec<Point> {
        let mut all = Vec::new();
        for blow in blows {
            let power = matches!(blow, Blow::Drop | Blow::Half);
            let first = u64::from(!power);
            for at in first..=self.calls.of(*blow) {
                all.push(Point { blow: *blow, at, turn: all.len() as u64 });
            }
        }
        let mut chance = options.chance(&format!("{what} {}", self.operation.name));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        // In no order, so that whichever of them there is time for are a sample of all.
        for place in (1..all.len()).rev() {
            all.swap(place, chance.index(place + 1));
        }
        all.truncate(most);
        all
    }

    fn run(&self, point: Point, seed: u64) -> Result<crate::fault::Struck, Trouble> {
        self.desk.lay(&self.image)?;
        let keep = self.desk.keep()?;
        let command = self.desk.command(&self.args);
        let seed = seed ^ point.turn.wrapping_mul(0x9E37_79B9);
        strike(&command, self.desk.home(), &keep, point.blow, point.at, seed)
    }

    /// Strikes one call; what was wrong afterwards.
    fn strike(&self, point: Point, seed: u64) -> Option<String> {
        let struck = match self.run(point, seed) {
            Ok(struck) => struck,
            Err(trouble) => return Some(self.words(point, None, &trouble.to_string())),
        };
        let wrong =
            self.judge(&struck.said, point).unwrap_or_else(|trouble| Some(trouble.to_string()));
        wrong.map(|wrong| self.words(point, struck.hit.as_deref(), &wrong))
    }

    fn words(&self, point: Point, hit: Option<&str>, wrong: &str) -> String {
        let name = self.operation.name;
        format!("{name}, {:?} at {} ({}): {wrong}", point.blow, point.at, hit.unwrap_or("not met"))
    }

    /// Looks at what is left; what is wrong with it.
    fn judge(&self, said: &Said, point: Point) -> Result<Option<String>, Trouble> {
        let desk = &self.desk;
        let opened = desk.run(&["--json", "conversation", "list", "--all"])?;
        if opened.code != Some(0) {
            return Ok(Some(format!("it does not open: {}", opened.err)));
        }
        let database = kept::read(&desk.data.join("siltstone.db"))?;
        if let Some(wrong) = kept::unsound(&database)? {
            return Ok(Some(wrong));
        }
        if let Some(lost) = kept::lost(&self.rows, &kept::lasting(&database)?) {
            return Ok(Some(lost));
        }
        drop(database);
        if let Some(lost) = self.lost_file()? {
            return Ok(Some(lost));
        }
        let scene = Scene { desk, args: &self.args, said, before: &self.files, turn: point.turn };
        let seen = (self.operation.look)(&scene)?;
        match &seen {
            Seen::Half(wrong) => return Ok(Some(wrong.clone())),
            Seen::Undone => {}
            Seen::Nothing if acknowledged(said) => {
                return Ok(Some("it was said to be done and is not".into()));
            }
            _ => {}
        }
        let verify = desk.run(&self.verify())?;
        if verify.code != Some(0) {
            return Ok(Some(format!("checkpoints are damaged: {} {}", verify.out, verify.err)));
        }
        let done = self.operation.once && seen != Seen::Nothing;
        if point.blow == Blow::Count || done {
            return Ok(None);
        }
        let again = desk.run(&self.args)?;
        if again.code != Some(0) {
            return Ok(Some(format!("it cannot be done again: {}", again.err)));
        }
        let scene = Scene { said: &again, ..scene };
        Ok(match (self.operation.look)(&scene)? {
            Seen::Whole => None,
            other => Some(format!("done again it is {other:?}")),
        })
    }

    fn verify(&self) -> Vec<String> {
        let vault = self.desk.data.join("passphrase").display().to_string();
        let open =
            if self.operation.vault { vec!["--passphrase-file", &vault] } else { Vec::new() };
        open.into_iter().chain(["--json", "checkpoint", "verify"]).map(str::to_owned).collect()
    }

    fn lost_file(&self) -> Result<Option<String>, Trouble> {
        let now = kept::files(&self.desk.project)?;
        let mine = |path: &str| self.operation.changes.iter().any(|begin| path.starts_with(begin));
        Ok(self
            .files
            .iter()
            .filter(|(path, _)| !mine(path))
            .find(|(path, held)| now.get(*path) != Some(held))
            .map(|(path, _)| format!("{path} of the project is not what it was")))
    }
}

/// Whether the person was told that it is done.
fn acknowledged(said: &Said) -> bool {
    let last = said.out.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let told = last.is_some_and(|line| {
        let streams = line.get("event").is_some();
        line.get("error").is_none() && (!streams || line["status"] == "complete")
    });
    said.code == Some(0) || (said.code == Some(KILLED) && told)
}
