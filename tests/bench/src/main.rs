//! `make bench`: what a person waits for, beside what the machine cannot do faster, and beside others, in the same run.
//!
//! Every figure is the median of alternated runs. Times differ between machines, so the tables show ratios: to a floor
//! (the disk's own flush, a plain scan in memory) and to the same act in a history that is a fraction as long. Nothing is
//! asserted here; tests assert growth and counted work.
//!
//! `[PART…]` prints the tables of these parts, or of all of them and of what folds keep; `write [PART…]` puts them into
//! docs/performance.md; with `SILTSTONE_BENCH_SMALL=1` all of it is small, which shows only whether it runs. `picture`
//! prints the picture of `docs/bounded.svg` instead, `folds` the tables of what folds keep and `folds-picture` that of
//! `docs/folds.svg`, `secrets FILE` the figures of `docs/privacy.md`, `recall [FILE]` and
//! `recall-meaning FOLDER [FILE]` those of `docs/recall.md` and `recall-train [FOLDER]` its weights, of the model in a folder
//! where one is named. Some parts call it themselves, with `history MESSAGES FOLDER`, for another process to have written
//! what they read.

mod agents;
mod checkpointing;
mod corpus;
mod counting;
mod estimates;
mod finding;
mod folds;
mod history;
mod labelled;
mod measure;
mod memory;
mod million;
mod mixed;
mod opening;
mod page;
mod parts;
mod pasting;
mod peers;
mod picture;
mod recall;
mod refolding;
mod searching;
mod secrets;
mod sizes;
mod typing;
mod window;

use std::io::Write;
use std::process::ExitCode;

use parts::{PARTS, Part};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match given.as_slice() {
        [] => measured(&[], false).and_then(|_| folds::tables()),
        ["folds"] => folds::tables(),
        ["folds-labelled", missed @ ..] => labelled::table(!missed.is_empty()),
        ["folds-picture"] => folds::picture(),
        ["history", messages, folder] => history::write(messages, folder),
        ["picture"] => picture::bounded(),
        ["recall", file @ ..] => recall::tables(file.first().copied()),
        ["recall-meaning", folder, file @ ..] => {
            recall::with_meaning(folder, file.first().copied())
        }
        ["recall-train", model @ ..] => recall::train(model.first().copied()),
        ["secrets", file @ ..] => secrets::measure(file.first().copied()),
        ["write", parts @ ..] => measured(parts, true),
        parts => measured(parts, false),
    };
    let mut out = std::io::stdout();
    match done {
        Ok(text) => {
            // A closed pipe means nobody reads on.
            let _ = write!(out, "{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the parts that are named, or all of them.
fn measured(names: &[&str], writes: bool) -> Outcome<String> {
    let mut parts: Vec<&Part> = Vec::new();
    for name in names {
        let part = PARTS.iter().find(|part| part.name == *name);
        parts.push(part.ok_or_else(|| format!("there is no part {name}"))?);
    }
    if parts.is_empty() {
        parts.extend(&PARTS);
    }
    let is_small = std::env::var_os("SILTSTONE_BENCH_SMALL").is_some();
    if is_small && writes {
        return Err("small figures do not go into the page".into());
    }
    let sizes = if is_small { sizes::SMALL } else { sizes::WHOLE };
    parts::run(&parts, &sizes, writes)?;
    Ok(String::new())
}
