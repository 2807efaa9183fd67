//! Full-text search beside a scan, and beside SQLite's own tokenizers over the same messages: how fast, and whether
//! anything is missed.

use std::time::Duration;

use rusqlite::{Connection, params};
use siltstone_engine::search::SearchScope;

use crate::Outcome;
use crate::history::{Folder, bytes_of};
use crate::measure::{RUNS, Table, median, shown, timed};
use crate::sizes::thousands;

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

/// What SQLite's own tokenizers find of the same messages, and how long they take for the best 20 and the count.
pub fn beside(folder: &Folder) -> Outcome<String> {
    let mut out = String::from(
        "### The same messages in FTS5 with SQLite's own tokenizers\n\n\
         | query | a scan finds | unicode61 | | trigram | |\n|---|---|---|---|---|---|\n",
    );
    let unicode = index("unicode61", &folder.texts)?;
    let trigram = index("trigram", &folder.texts)?;
    let lowered: Vec<String> = folder.texts.iter().map(|text| text.to_lowercase()).collect();
    for query in QUERIES {
        let words: Vec<String> =
            query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let has = |text: &&String| words.iter().all(|word| text.contains(word));
        let truth = lowered.iter().filter(has).count();
        let asked: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let asked = asked.join(" ");
        let (first, found) = ask(&unicode.0, &asked)?;
        let (second, by_trigram) = ask(&trigram.0, &asked)?;
        out.push_str(&format!(
            "| {query} | {truth} | {found} | {} | {by_trigram} | {} |\n",
            shown(first),
            shown(second)
        ));
    }
    out.push_str(&format!(
        "\nTaking in {} messages: unicode61 {}, trigram {}.\n\n",
        thousands(folder.texts.len()),
        shown(unicode.1),
        shown(trigram.1)
    ));
    Ok(out)
}

/// An index of all texts in memory, and how long it took.
fn index(tokenizer: &str, texts: &[String]) -> Outcome<(Connection, Duration)> {
    let mut db = Connection::open_in_memory()?;
    db.execute_batch(&format!(
        "CREATE VIRTUAL TABLE found USING fts5(text, tokenize = '{tokenizer}')"
    ))?;
    let (time, done) = timed(|| -> rusqlite::Result<()> {
        let all = db.transaction()?;
        {
            let mut insert = all.prepare("INSERT INTO found (rowid, text) VALUES (?1, ?2)")?;
            for (row, text) in texts.iter().enumerate() {
                insert.execute(params![i64::try_from(row).unwrap_or(i64::MAX), text])?;
            }
        }
        all.commit()
    });
    done?;
    Ok((db, time))
}

/// The median time, and how many messages match.
fn ask(db: &Connection, query: &str) -> Outcome<(Duration, i64)> {
    let mut best =
        db.prepare("SELECT rowid FROM found WHERE found MATCH ?1 ORDER BY rank LIMIT 20")?;
    let mut count = db.prepare("SELECT count(*) FROM found WHERE found MATCH ?1")?;
    let mut samples = Vec::new();
    let mut total = 0;
    for _ in 0..RUNS {
        let (time, found) = timed(|| -> rusqlite::Result<i64> {
            best.query_map([query], |row| row.get::<_, i64>(0))?
                .collect::<rusqlite::Result<Vec<i64>>>()?;
            count.query_row([query], |row| row.get(0))
        });
        total = found?;
        samples.push(time);
    }
    Ok((median(&samples), total))
}
