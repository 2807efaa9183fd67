//! Rigs that try to lose a person's work, to let something in, or to let something out, and count how often it worked.
//!
//! `make torture` runs all of them and writes the table of docs/proof.md; the tests in `sample` run a small
//! share of each, the same in every run. A rig never asserts: it counts what it tried and lists what failed.

pub mod chance;
pub mod desk;
pub mod fault;
pub mod kept;
pub mod model;
pub mod proof;
pub mod rigs;
#[cfg(test)]
mod sample;

use std::collections::BTreeMap;
use std::time::Duration;

/// What keeps a rig itself from running; it counts as a failure of the product until somebody has looked.
pub type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// How a rig is to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Everything that is chosen at random comes from here: the same seed tries the same things.
    pub seed: u64,
    /// How much of it.
    pub scale: Scale,
    /// How long a rig that goes through points at random may go on; the others take what they take.
    pub limit: Option<Duration>,
}

/// How much of everything a rig tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As much as fits into `make test`.
    Sample,
    /// All of it, where the parts that could go on for ever go on this many times as long.
    Whole(u64),
}

impl Options {
    /// How many to try: this many in a sample, and so many times the scale in the whole.
    pub fn count(&self, sample: u64, whole: u64) -> u64 {
        match self.scale {
            Scale::Sample => sample,
            Scale::Whole(times) => whole.saturating_mul(times),
        }
    }

    /// Whether this is the sample in `make test`.
    pub fn is_sample(&self) -> bool {
        self.scale == Scale::Sample
    }

    /// A source of chance of its own for what is named, so that a change of one rig does not shift another.
    pub fn chance(&self, name: &str) -> chance::Chance {
        chance::Chance::new(self.seed, name)
    }
}

/// What came of a rig.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What was tried, by name: "cuts", "mutants" … in the plural.
    pub counts: BTreeMap<String, u64>,
    /// Each thing that failed, in words that let it be tried again.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Counts what was tried.
    pub fn count(&mut self, what: &str, many: u64) {
        *self.counts.entry(what.to_owned()).or_default() += many;
    }

    /// Notes that something failed.
    pub fn fail(&mut self, what: impl Into<String>) {
        self.failures.push(what.into());
    }

    /// Takes in what another part of the same rig came to.
    pub fn add(&mut self, other: Self) {
        for (what, many) in other.counts {
            self.count(&what, many);
        }
        self.failures.extend(other.failures);
    }

    /// Counts one try of this and notes what was wrong with it.
    pub fn tried(&mut self, what: &str, wrong: Option<String>) {
        self.count(what, 1);
        self.failures.extend(wrong);
    }
}

/// A rig that was run: what it came to, or what kept it from running, and how long it took.
#[derive(Debug)]
pub struct Ran {
    /// The rig.
    pub rig: &'static rigs::Rig,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// Runs one rig.
pub fn run(rig: &'static rigs::Rig, options: &Options) -> Ran {
    let start = std::time::Instant::now();
    let outcome = (rig.run)(options).unwrap_or_else(|trouble| Outcome {
        failures: vec![format!("the rig did not run: {trouble}")],
        ..Outcome::default()
    });
    Ran { rig, outcome, took: start.elapsed() }
}
