//! What is measured, in parts: each stands for itself, is timed, and fails alone. `write` puts the tables of each part
//! into docs/performance.md as soon as that part has ended.

use std::io::Write;
use std::time::Instant;

use crate::history::Folder;
use crate::measure::{Table, shown};
use crate::sizes::{Sizes, thousands};
use crate::{
    Outcome, agents, checkpointing, counting, estimates, finding, history, memory, million, mixed,
    opening, page, pasting, refolding, searching, typing, window,
};

/// A part of the tables.
pub struct Part {
    /// How it is called for, and what its marks in the page say.
    pub name: &'static str,
    measure: fn(&Sizes) -> Outcome<String>,
}

/// All parts, in the order of the page.
pub const PARTS: [Part; 11] = [
    Part { name: "opening", measure: opening },
    Part { name: "search", measure: search },
    Part { name: "pasting", measure: pasting },
    Part { name: "typing", measure: typing },
    Part { name: "refolding", measure: refolding },
    Part { name: "memory", measure: |sizes| memory::measure(sizes.others) },
    Part { name: "million", measure: |sizes| million::measure(sizes.folders) },
    Part { name: "checkpoints", measure: checkpoints },
    Part { name: "agents", measure: |sizes| runtime()?.block_on(agents::measure(sizes.sessions)) },
    Part { name: "counting", measure: counting },
    Part { name: "window", measure: window::measure },
];

/// Measures these parts and shows each when it has ended; `writes` puts it into the page too. An error when one of them
/// failed, after all of them had their turn.
pub fn run(parts: &[&Part], sizes: &Sizes, writes: bool) -> Outcome<()> {
    let mut failed = Vec::new();
    for part in parts {
        let began = Instant::now();
        says(&format!("{} …", part.name));
        let circumstances = page::circumstances();
        match (part.measure)(sizes) {
            Ok(tables) => {
                let took = shown(began.elapsed());
                says(&format!("{} took {took}", part.name));
                let text = format!("{circumstances}; the part took {took}.\n\n{tables}");
                write!(std::io::stdout(), "{text}")?;
                if writes {
                    page::write(part.name, &text)?;
                }
            }
            Err(error) => {
                says(&format!("{} failed: {error}", part.name));
                failed.push(part.name);
            }
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("failed: {}", failed.join(", ")).into()),
    }
}

/// Says what is going on, beside the tables.
fn says(what: &str) {
    // Where nobody listens nothing is lost.
    let _ = writeln!(std::io::stderr(), "bench: {what}");
}

fn opening(sizes: &Sizes) -> Outcome<String> {
    let short = Folder::with(sizes.short)?;
    let long = Folder::with(sizes.long)?;
    let mut text = opening::beside(&long)?;
    text.push_str(&opening::listed(sizes.conversations)?);
    let (few, many) = (thousands(sizes.short), thousands(sizes.long));
    let title = format!("History: the same act in {few} and in {many} messages");
    let mut growth = Table::new(title, few, many);
    runtime()?.block_on(history::measure(&short, &long, &mut growth))?;
    text.push_str(&growth.to_string());
    let texts: Vec<String> = (0..sizes.trimmed).map(mixed::text).collect();
    text.push_str(&opening::trimming(&texts));
    let mut floor =
        Table::new("One message made durable, beside one flush of the disk", "flush", "message");
    history::durable(&long, &mut floor)?;
    text.push_str(&floor.to_string());
    Ok(text)
}

fn search(sizes: &Sizes) -> Outcome<String> {
    let long = Folder::with(sizes.long)?;
    let title = format!(
        "Search over {} messages, beside a scan of all texts in memory",
        thousands(sizes.long)
    );
    let mut table = Table::new(title, "scan", "search");
    let found = searching::measure(&long, &mut table)?;
    let beside = searching::beside(&long)?;
    Ok(format!("{table}{found}{beside}{}", finding::tables(sizes.long)?))
}

fn pasting(sizes: &Sizes) -> Outcome<String> {
    runtime()?.block_on(pasting::measure(&Folder::with(sizes.short)?, sizes.pasted))
}

fn typing(sizes: &Sizes) -> Outcome<String> {
    runtime()?.block_on(typing::measure(sizes.typed))
}

fn refolding(sizes: &Sizes) -> Outcome<String> {
    runtime()?.block_on(refolding::measure(sizes.folded))
}

fn checkpoints(sizes: &Sizes) -> Outcome<String> {
    let tables = sizes.projects.map(|(files, bytes)| checkpointing::table(files, bytes));
    tables.into_iter().collect()
}

fn counting(sizes: &Sizes) -> Outcome<String> {
    let mut text = counting::measure(sizes)?;
    let [short, long] = sizes.run.map(thousands);
    let mut runs = Table::new("A short and a long run without a blank", short, long);
    estimates::runs(sizes.run, &mut runs);
    text.push_str(&runs.to_string());
    text.push_str(&estimates::errors()?);
    Ok(text)
}

fn runtime() -> Outcome<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizes::SMALL;

    /// performance.md, 1: what each table shows is measured by something that runs.
    #[test]
    fn parts_that_need_nothing_else_and_little_time_run() {
        for name in ["pasting", "typing", "refolding", "million", "agents"] {
            let part = PARTS.iter().find(|part| part.name == name).unwrap();
            let tables = (part.measure)(&SMALL).unwrap();
            assert!(tables.starts_with("### "), "{name}: {tables}");
        }
    }
}
