//! Full-text search beside a scan: how fast, and whether anything is missed.

use siltstone_engine::search::SearchScope;

use crate::Outcome;
use crate::history::{Folder, bytes_of};
use crate::measure::{RUNS, Table, timed};

/// Hangul words and parts of words, Latin words and prefixes, identifiers, a number that one message has, and words
/// that are everywhere.
const QUERIES: [&str; 14] = [
    "ownership",
    "owner",
    "thread closure",
    "#T054321",
    "컴포넌트",
    "상태",
    "렌더링",
    "컴포넌트 상태",
    "이별",
    "사랑",
    "포",
    "useEffect",
    "refresh",
    "absentword",
];

/// Adds a row a query; gives a paragraph about what was found and what the index costs.
pub fn measure(folder: &Folder, table: &mut Table) -> Outcome<String> {
    let mut lines =
        String::from("| query | a scan finds | search finds | capped |\n|---|---|---|---|\n");
    let lowered: Vec<String> = folder.texts.iter().map(|text| text.to_lowercase()).collect();
    for query in QUERIES {
        let words: Vec<String> =
            query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let mut samples = (Vec::new(), Vec::new());
        let mut found = (0, 0, false);
        for _ in 0..RUNS {
            let (time, truth) = timed(|| {
                lowered.iter().filter(|text| words.iter().all(|word| text.contains(word))).count()
            });
            samples.0.push(time);
            let (time, hits) =
                timed(|| folder.stores.transcripts.search(query, &SearchScope::default(), 20));
            let hits = hits?;
            samples.1.push(time);
            found = (truth, usize::try_from(hits.total)?, hits.capped);
        }
        table.row(query, &samples.0, &samples.1);
        lines.push_str(&format!("| {query} | {} | {} | {} |\n", found.0, found.1, found.2));
    }
    let text: usize = folder.texts.iter().map(String::len).sum();
    let disk = bytes_of(folder.dir.path())?;
    lines.push_str(&format!(
        "\nText {:.1} MB, everything on disk {:.1} MB.\n\n",
        text as f64 / 1e6,
        disk as f64 / 1e6
    ));
    Ok(lines)
}
