//! The tables of docs/performance.md: between two marks, replaced as a whole when all of them were measured.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use siltstone_engine::Timestamp;

use crate::Outcome;

const BEGIN: &str = "<!-- the tables of make bench -->";
const END: &str = "<!-- the end of the tables -->";

/// Writes these tables into the page.
pub fn write(tables: &str) -> Outcome<()> {
    let place = place();
    let text = std::fs::read_to_string(&place)?;
    Ok(std::fs::write(&place, with_tables(&text, tables)?)?)
}

/// When this is measured, and on what.
pub fn circumstances() -> String {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut text =
        format!("Measured on {}, {processors} processors", Timestamp::now().strftime("%F"));
    if let Some(memory) = memory() {
        text.push_str(&format!(", {memory} GiB of memory"));
    }
    text.push_str(&format!(", {}", std::env::consts::OS));
    if let Some(load) = load() {
        text.push_str(&format!("; {load} tasks were running when it began"));
    }
    text + ".\n\n"
}

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md")
}

/// Gibibytes, where the system says it in a file.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some((kibibytes + (1 << 19)) >> 20)
}

/// How many tasks ran in the last minute, this one among them.
fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next().map(str::to_owned)
}

fn with_tables(page: &str, tables: &str) -> Outcome<String> {
    let (before, rest) = page.split_once(BEGIN).ok_or("the tables have no beginning")?;
    let (_, after) = rest.split_once(END).ok_or("the tables have no end")?;
    Ok(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", tables.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_the_tables_and_keeps_its_words() {
        let page = std::fs::read_to_string(place()).unwrap();
        let (first, second) =
            (with_tables(&page, "a\n").unwrap(), with_tables(&page, "b").unwrap());
        assert_eq!(with_tables(&first, "b").unwrap(), second);
        assert!(second.contains(&format!("{BEGIN}\n\nb\n\n{END}")));
        assert!(second.contains("## How to read it"));
    }
}
