//! `make bench`: what a person waits for, beside what the machine cannot do faster, in the same run.
//!
//! Every figure is the median of alternated runs. Times differ between machines, so the table shows ratios: to a floor
//! (the disk's own flush, a plain scan in memory) and to the same act in a history that is a fraction as long. Nothing is
//! asserted here; tests assert growth and counted work. `picture` prints the picture of `docs/bounded.svg` instead,
//! `folds` the tables of what folds keep and `folds-picture` that of `docs/folds.svg`, `secrets FILE` the figures of
//! `docs/privacy.md`, `search` those of search, `recall [FILE]` those of `docs/recall.md` and `recall-train` its weights,
//! `checkpoints` those of a project of 100,000 files, `memory` the tables of memory files alone; `write` measures all but
//! folds and writes it into docs/performance.md.

mod checkpointing;
mod corpus;
mod estimates;
mod finding;
mod folds;
mod history;
mod measure;
mod memory;
mod mixed;
mod page;
mod picture;
mod recall;
mod searching;
mod secrets;

use std::io::Write;
use std::process::ExitCode;

use measure::Table;

/// Messages of the long history.
const LONG: usize = 100_000;

/// Messages of the short history, which growth is measured against.
const SHORT: usize = 4_000;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = match std::env::args().nth(1).as_deref() {
        Some("checkpoints") => checkpoints(),
        Some("memory") => memory::measure(),
        Some("folds") => folds::tables(),
        Some("folds-picture") => folds::picture(),
        Some("picture") => picture::bounded(),
        Some("recall") => recall::tables(std::env::args().nth(2).as_deref()),
        Some("recall-train") => recall::train(),
        Some("search") => search(),
        Some("secrets") => secrets::measure(std::env::args().nth(2).as_deref()),
        Some("write") => all(runtime).and_then(|tables| {
            page::write(&tables)?;
            Ok(tables)
        }),
        _ => all(runtime).and_then(|tables| Ok(tables + &folds::tables()?)),
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

fn all(runtime: std::io::Result<tokio::runtime::Runtime>) -> Outcome<String> {
    runtime?.block_on(tables())
}

/// Says what is measured now: all of it takes a quarter of an hour.
fn begins(what: &str) {
    // Where nobody listens nothing is lost.
    let _ = writeln!(std::io::stderr(), "bench: {what}");
}

fn checkpoints() -> Outcome<String> {
    Ok(checkpointing::table(10_000, 20_000)? + &checkpointing::table(100_000, 4_000)?)
}

/// The tables of search alone.
fn search() -> Outcome<String> {
    let long = history::Folder::with(LONG)?;
    Ok(searched(&long)? + &finding::tables(LONG)?)
}

fn searched(long: &history::Folder) -> Outcome<String> {
    let mut search = Table::new(
        "Search over 100,000 messages, beside a scan of all texts in memory",
        "scan",
        "search",
    );
    let found = searching::measure(long, &mut search)?;
    Ok(format!("{search}{found}"))
}

async fn tables() -> Outcome<String> {
    let mut text = page::circumstances();
    begins("history");
    let short = history::Folder::with(SHORT)?;
    let long = history::Folder::with(LONG)?;
    let mut growth =
        Table::new("History: the same act in 4,000 and in 100,000 messages", "4,000", "100,000");
    history::measure(&short, &long, &mut growth).await?;
    text.push_str(&growth.to_string());
    begins("search");
    text.push_str(&searched(&long)?);
    text.push_str(&finding::tables(LONG)?);
    begins("what is made durable");
    let mut floor =
        Table::new("One message made durable, beside one flush of the disk", "flush", "message");
    history::durable(&long, &mut floor)?;
    text.push_str(&floor.to_string());
    begins("memory");
    text.push_str(&memory::measure()?);
    begins("counting");
    let mut runs = Table::new("Counting a pasted run without a blank", "5,000", "50,000");
    estimates::runs(&mut runs);
    text.push_str(&runs.to_string());
    text.push_str(&estimates::errors()?);
    begins("checkpoints");
    text.push_str(&checkpoints()?);
    Ok(text)
}
