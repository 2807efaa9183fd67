//! A folder of very many files (safety.md, R21 and G20): it opens within two seconds, whatever is in it. How a long
//! history opens is counted in `tests/journeys/counting.rs` and measured by `make bench`.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::desk::Desk;
use crate::{Options, Outcome, Trouble};

/// Files of one folder.
const EACH: u64 = 1_000;

/// How long opening may take, of a million files.
const GOAL: Duration = Duration::from_secs(2);

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    // Not with the scale: a million is the goal, and room in memory is what it takes.
    let files = if options.is_sample() { 20_000 } else { 1_000_000 };
    let desk = Desk::new()?;
    for folder in 0..files / EACH {
        let path = desk.project.join(format!("part{:02}/{folder:04}", folder % 50));
        std::fs::create_dir_all(&path)?;
        for file in 0..EACH {
            File::create(path.join(format!("{file:03}.txt")))?;
        }
    }
    outcome.count("files", files);
    let began = Instant::now();
    let opened = desk.run(&["--json", "project", "open", ".", "--trust"])?;
    let took = began.elapsed();
    outcome.count("ms to open", u64::try_from(took.as_millis())?);
    if opened.code != Some(0) {
        outcome.fail(format!("{files} files do not open: {}", opened.err));
    }
    // A share of two cores in the midst of other tests says nothing about time, and neither does a program that was built
    // to be debugged: SILTSTONE_SILT names one that was built to be used.
    let as_used = !cfg!(debug_assertions) || std::env::var_os("SILTSTONE_SILT").is_some();
    if as_used && !options.is_sample() && took > GOAL {
        outcome.fail(format!("{files} files took {took:?} to open"));
    }
    let again = Instant::now();
    let said = desk.run(&["--json", "chat", "Which of these files is the largest?"])?;
    outcome.count("ms to an answer", u64::try_from(again.elapsed().as_millis())?);
    if said.code != Some(0) {
        outcome.fail(format!("no answer among {files} files: {}", said.err));
    }
    Ok(outcome)
}
