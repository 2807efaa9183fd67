//! The tables of docs/performance.md: those of each part between two marks, replaced when that part was measured.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use siltstone_engine::Timestamp;

use crate::Outcome;

/// Writes the tables of a part into the page.
pub fn write(part: &str, tables: &str) -> Outcome<()> {
    let place = place();
    let text = std::fs::read_to_string(&place)?;
    Ok(std::fs::write(&place, with_tables(&text, part, tables)?)?)
}

/// What stands before and after the tables of a part.
fn marks(part: &str) -> [String; 2] {
    [format!("<!-- {part}: tables of make bench -->"), format!("<!-- {part}: the end -->")]
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
        text.push_str(&format!("; load {load} when it began"));
    }
    text
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

/// How many tasks wanted to run in the last minute.
fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next().map(str::to_owned)
}

fn with_tables(page: &str, part: &str, tables: &str) -> Outcome<String> {
    let [begin, end] = marks(part);
    let (before, rest) = page.split_once(&begin).ok_or("the tables have no beginning")?;
    let (_, after) = rest.split_once(&end).ok_or("the tables have no end")?;
    Ok(format!("{before}{begin}\n\n{}\n\n{end}{after}", tables.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::PARTS;

    #[test]
    fn the_page_has_a_place_for_the_tables_of_each_part_and_keeps_its_words() {
        let page = std::fs::read_to_string(place()).unwrap();
        for part in PARTS {
            let with = |page: &str, text| with_tables(page, part.name, text).unwrap();
            let (first, second) = (with(&page, "a\n"), with(&page, "b"));
            assert_eq!(with(&first, "b"), second);
            let [begin, end] = marks(part.name);
            assert!(second.contains(&format!("{begin}\n\nb\n\n{end}")));
            assert!(second.contains("## How to read it"));
            let others = PARTS.iter().filter(|other| other.name != part.name);
            for other in others.flat_map(|other| marks(other.name)) {
                assert!(second.contains(&other), "{other}");
            }
        }
    }
}
