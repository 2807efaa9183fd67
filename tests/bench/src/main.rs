//! `make bench`: what a person waits for, beside what the machine cannot do faster, in the same run.
//!
//! Every figure is the median of alternated runs. Times differ between machines, so the table shows ratios: to a floor
//! (the disk's own flush, a plain scan in memory) and to the same act in a history that is a fraction as long. Nothing is
//! asserted here; tests assert growth and counted work. `picture` prints the picture of `docs/bounded.svg` instead,
//! `folds` the tables of what folds keep and `folds-picture` that of `docs/folds.svg`, `secrets FILE` the figures of
//! `docs/privacy.md`, `search` those of search, `recall [FILE]` those of `docs/recall.md` and `recall-train` its weights,
//! `checkpoints` those of a project of 100,000 files, `memory` the tables of memory files alone.

mod checkpointing;
mod corpus;
mod estimates;
mod finding;
mod folds;
mod history;
mod measure;
mod memory;
mod mixed;
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
        Some("checkpoints") => checkpointing::table(10_000, 20_000).and_then(|small| {
            let large = checkpointing::table(100_000, 4_000)?;
            Ok(small + &large)
        }),
        Some("memory") => memory::measure(),
        Some("folds") => folds::tables(),
        Some("folds-picture") => folds::picture(),
        Some("picture") => picture::bounded(),
        Some("recall") => recall::tables(std::env::args().nth(2).as_deref()),
        Some("recall-train") => recall::train(),
        Some("search") => search(),
        Some("secrets") => secrets::measure(std::env::args().nth(2).as_deref()),
        _ => runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(tables())),
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
    let short = history::Folder::with(SHORT)?;
    let long = history::Folder::with(LONG)?;
    let mut text = String::new();
    let mut growth =
        Table::new("History: the same act in 4,000 and in 100,000 messages", "4,000", "100,000");
    history::measure(&short, &long, &mut growth).await?;
    text.push_str(&growth.to_string());
    text.push_str(&searched(&long)?);
    text.push_str(&finding::tables(LONG)?);
    let mut floor =
        Table::new("One message made durable, beside one flush of the disk", "flush", "message");
    history::durable(&long, &mut floor)?;
    text.push_str(&floor.to_string());
    text.push_str(&memory::measure()?);
    let mut runs = Table::new("Counting a pasted run without a blank", "5,000", "50,000");
    estimates::runs(&mut runs);
    text.push_str(&runs.to_string());
    text.push_str(&estimates::errors()?);
    text.push_str(&checkpointing::table(10_000, 20_000)?);
    text.push_str(&folds::tables()?);
    Ok(text)
}
