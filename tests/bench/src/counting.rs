//! Counting tokens of a megabyte each of English, Korean and code, and of a run without a blank, beside the libraries
//! that others count with. All of them know the vocabulary o200k, so their counts must be the same.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use siltstone_engine::tokens::{Counter, Encoding, estimate};
use tempfile::TempDir;

use crate::Outcome;
use crate::estimates::{HANGUL, LATIN, run};
use crate::measure::{median, shown, timed};
use crate::peers::{LIBRARIES, times, version_of};
use crate::sizes::{Sizes, thousands};

/// Runs of each text.
const RUNS: usize = 5;

/// The libraries.
const OTHERS: [&str; 3] = ["gpt-tokenizer", "tiktoken", "js-tiktoken"];

/// Where the texts come from: the project's own.
const SOURCES: [(&str, &str, &str); 3] = [
    ("English", "tests/support/chats", "en-"),
    ("Korean", "tests/support/chats", "ko-"),
    ("code", "src-tauri/crates/engine/src", ""),
];

/// How long a text took, and how many tokens it has.
type Counted = BTreeMap<String, (Duration, u64)>;

/// The table of megabytes and the table of runs.
pub fn measure(sizes: &Sizes) -> Outcome<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = BTreeMap::new();
    for (name, folder, begins) in SOURCES {
        texts.insert(name.to_owned(), text(&root.join(folder), begins, sizes.text)?);
    }
    let title = format!("Counting {} bytes of tokens, o200k", thousands(sizes.text));
    let mut out = table(&title, &texts, RUNS)?;
    let runs = [("Latin", &LATIN), ("Hangul", &HANGUL)];
    let texts = runs.map(|(name, letters)| (name.to_owned(), run(letters, sizes.run[0])));
    // Once: a library that remembers what it has split has nothing to do the second time.
    let title = format!("Counting a run of {} letters, o200k", thousands(sizes.run[0]));
    out.push_str(&table(&title, &texts.into_iter().collect(), 1)?);
    Ok(out)
}

fn table(title: &str, texts: &BTreeMap<String, String>, runs: usize) -> Outcome<String> {
    let names: Vec<&str> = texts.keys().map(String::as_str).collect();
    let mut out = format!(
        "### {title}\n\n| | {} |\n|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let counter = Counter::Exact(Encoding::O200k);
    // Unpacks the vocabulary.
    counter.count("");
    let ours = all(texts, runs, |text| counter.count(text).tokens);
    out.push_str(&line("Siltstone", &ours));
    let mut differ = Vec::new();
    for library in OTHERS {
        match theirs(library, texts, runs) {
            Ok((name, counted)) => {
                out.push_str(&line(&name, &counted));
                if counted.iter().any(|(text, (_, tokens))| ours[text].1 != *tokens) {
                    differ.push(name);
                }
            }
            Err(why) => {
                out.push_str(&format!("| {library}: {why} |{}\n", " |".repeat(names.len())))
            }
        }
    }
    out.push_str(&line("Siltstone's estimate", &all(texts, runs, estimate)));
    let tokens: Vec<String> = ours
        .iter()
        .map(|(name, (_, tokens))| format!("{name} {}", thousands(*tokens as usize)))
        .collect();
    out.push_str(&format!("\nTokens: {}. ", tokens.join(", ")));
    out.push_str(&match differ.as_slice() {
        [] => String::from("Whoever was measured counts the same.\n\n"),
        some => format!("Other counts: {}.\n\n", some.join(", ")),
    });
    Ok(out)
}

fn all(texts: &BTreeMap<String, String>, runs: usize, count: impl Fn(&str) -> u64) -> Counted {
    let measured = |text: &String| {
        let mut tokens = 0;
        let times: Vec<Duration> = (0..runs)
            .map(|_| {
                let (time, found) = timed(|| black_box(count(text)));
                tokens = found;
                time
            })
            .collect();
        (median(&times), tokens)
    };
    texts.iter().map(|(name, text)| (name.clone(), measured(text))).collect()
}

fn line(name: &str, counted: &Counted) -> String {
    let times: Vec<String> = counted.values().map(|(time, _)| shown(*time)).collect();
    format!("| {name} | {} |\n", times.join(" | "))
}

/// What a library counts, and its name with its version.
fn theirs(
    library: &str,
    texts: &BTreeMap<String, String>,
    runs: usize,
) -> Outcome<(String, Counted)> {
    let dir = TempDir::new()?;
    let file = dir.path().join("texts.json");
    std::fs::write(&file, serde_json::to_string(texts)?)?;
    let path = file.to_str().ok_or("the folder's path is not Unicode")?.to_owned();
    let arguments = [library.to_owned(), path, runs.to_string()];
    let said = LIBRARIES.ask("tokens-peer.mjs", &arguments, dir.path())?;
    let mut counted = Counted::new();
    for name in texts.keys() {
        let tokens = said[name]["tokens"].as_u64().ok_or("a count is missing")?;
        counted.insert(name.clone(), (median(&times(&said[name]["times"])?), tokens));
    }
    let version = LIBRARIES.folder().and_then(|all| version_of(&all.join(library)));
    Ok((format!("{library} {}", version.unwrap_or_default()), counted))
}

/// So many bytes of the files of a folder whose names begin so, over and over.
fn text(folder: &Path, begins: &str, bytes: usize) -> Outcome<String> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .filter(|path| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|it| it.starts_with(begins))
        })
        .collect();
    paths.sort();
    let texts: Vec<String> = paths.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    let mut text = texts.concat();
    if text.is_empty() {
        return Err("there is no text to count".into());
    }
    text = text.repeat(bytes.div_ceil(text.len()));
    text.truncate(text.floor_char_boundary(bytes));
    Ok(text)
}
