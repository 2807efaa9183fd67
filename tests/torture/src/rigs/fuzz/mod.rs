//! Mutated inputs for everything that reads what others wrote (goal G16): no panic, no law broken, nothing that is stuck.
//! What is made follows from the seed alone, so a failure can be had again.
//!
//! `targets` are the readers and their laws, `good` what they read, `mutate` what is made of it, and `replies` the streams
//! and failures of models, which arrive over a real connection. How long the slowest input took is counted and judged by
//! whoever reads the table: only one that takes longer than any machine needs fails. Databases are damaged by
//! `corruption`; what reads Markdown is in the window, and its own tests mutate it there.

mod good;
mod mutate;
mod replies;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use siltstone_test_servers::until::PATIENCE;

use crate::chance::Chance;
use crate::{Options, Outcome, Trouble};
use targets::{Came, Target};

/// How long an input is at most.
const LONGEST: usize = 48 * 1024;

/// Bytes of a failing input that are told.
const SHOWN: usize = 300;

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut fuzz =
        Fuzz { outcome: Outcome::default(), reader: Reader::start(), slowest: Duration::ZERO };
    let targets = targets::all()?;
    // The replies of four formats come twice: as they should be, and as failures.
    let parts = u32::try_from(targets.len())? + 8;
    let share = options.limit.map(|limit| limit / parts);
    for target in &targets {
        fuzz.feed(target, options, share);
    }
    for (name, text) in good::adversarial(options.is_sample()) {
        fuzz.attempt(name, text.into_bytes(), targets::redactor, "long texts to redact");
    }
    replies::run(options, share, &mut fuzz)?;
    let Fuzz { mut outcome, slowest, .. } = fuzz;
    outcome.count("ms for the slowest", u64::try_from(slowest.as_millis())?);
    Ok(outcome)
}

/// What is being tried, and what came of it so far.
struct Fuzz {
    outcome: Outcome,
    reader: Reader,
    slowest: Duration,
}

impl Fuzz {
    fn feed(&mut self, target: &Target, options: &Options, share: Option<Duration>) {
        for good in &target.seeds {
            let came = self.attempt("a good one", good.clone(), target.read, target.name);
            if matches!(came, Some(Came::Refused)) {
                // Mutants of what is not read show nothing.
                self.outcome.fail(format!(
                    "{}: a good one is refused: {:?}",
                    target.name,
                    shown(good)
                ));
            }
        }
        let mut chance = options.chance(target.name);
        for number in Rounds::new(options.count(target.sample, target.whole), share) {
            let made = mutant(&target.seeds, &mut chance);
            self.attempt(&format!("number {number}"), made, target.read, target.name);
        }
    }

    /// Has an input read; what came of it, unless it panicked or never came back.
    fn attempt(
        &mut self,
        which: &str,
        bytes: Vec<u8>,
        read: fn(&[u8]) -> Came,
        what: &str,
    ) -> Option<Came> {
        let bytes = Arc::new(bytes);
        let start = Instant::now();
        let came = self.reader.read(read, bytes.clone());
        self.slowest = self.slowest.max(start.elapsed());
        let (wrong, came) = match came {
            Ok(Came::Broken(law)) => (Some(law), None),
            Ok(came) => (None, Some(came)),
            Err(why) => (Some(why.to_owned()), None),
        };
        let told = wrong.map(|why| format!("{what}, {which}: {why}: {:?}", shown(&bytes)));
        self.outcome.tried(what, told);
        came
    }
}

/// A new input out of good ones.
fn mutant(good: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let one = chance.pick(good).cloned().unwrap_or_default();
    let other = chance.pick(good).cloned().unwrap_or_default();
    mutate::mutated(&one, &other, LONGEST, chance)
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned()
}

/// So many rounds, or as many as there is time for.
struct Rounds {
    next: u64,
    most: u64,
    until: Option<Instant>,
}

impl Rounds {
    fn new(most: u64, share: Option<Duration>) -> Self {
        Self { next: 0, most, until: share.map(|share| Instant::now() + share) }
    }
}

impl Iterator for Rounds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let goes_on = match self.until {
            Some(until) => Instant::now() < until,
            None => self.next < self.most,
        };
        self.next += 1;
        goes_on.then_some(self.next)
    }
}

type Given = (fn(&[u8]) -> Came, Arc<Vec<u8>>);

/// A thread that reads, so that one that is stuck can be left behind.
struct Reader {
    give: SyncSender<Given>,
    take: Receiver<Option<Came>>,
}

impl Reader {
    fn start() -> Self {
        let (give, given) = sync_channel::<Given>(1);
        let (told, take) = sync_channel(1);
        std::thread::spawn(move || {
            for (read, bytes) in given {
                let came = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
                if told.send(came.ok()).is_err() {
                    return;
                }
            }
        });
        Self { give, take }
    }

    fn read(&mut self, read: fn(&[u8]) -> Came, bytes: Arc<Vec<u8>>) -> Result<Came, &'static str> {
        if self.give.send((read, bytes)).is_err() {
            return Err("the reader is gone");
        }
        match self.take.recv_timeout(PATIENCE) {
            Ok(came) => came.ok_or("a panic"),
            Err(_) => {
                *self = Self::start();
                Err("it is stuck")
            }
        }
    }
}
