//! Secrets (goal G5; T16, T17): how many of those that were made up are found, how often something else is taken for one,
//! and whether a key is seen anywhere while it is used.

mod canary;
mod kinds;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siltstone_engine::privacy::Redactor;

use crate::chance::Chance;
use crate::{Options, Outcome, Trouble};

/// Of a hundred key-shaped samples at least so many are found, and so many hard negatives at most are taken for one.
const RECALL: u64 = 98;
const FALSE: u64 = 2;

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let mut chance = options.chance("secrets");
    let many = options.count(8, 200);
    keys(&mut chance, many, &mut outcome);
    said(&mut chance, many, &mut outcome);
    negatives(&mut chance, many, &mut outcome);
    ordinary(&mut outcome)?;
    canary::run(&mut outcome)?;
    Ok(outcome)
}

/// The text without the marks of a secret, and what the redactor has to make of it.
fn sample(form: &str) -> Option<(String, String, String)> {
    let (before, rest) = form.split_once('«')?;
    let (secret, after) = rest.split_once('»')?;
    Some((format!("{before}{secret}{after}"), secret.to_owned(), format!("{before}{after}")))
}

/// Whether nothing of a secret is left.
fn found(text: &str, secret: &str) -> bool {
    let clean = Redactor::always().redact(text).text.into_owned();
    // The name of a mark may be what a key begins with.
    let left = clean.split("[redacted: ").enumerate().map(|(place, part)| match place {
        0 => part,
        _ => part.split_once(']').map_or("", |(_, rest)| rest),
    });
    let left: String = left.collect();
    let letters: Vec<char> = secret.chars().collect();
    // Eight characters of it would be too many already.
    let mut parts = letters.windows(8.min(letters.len()));
    !parts.any(|part| left.contains(&part.iter().collect::<String>()))
}

fn keys(chance: &mut Chance, many: u64, outcome: &mut Outcome) {
    let mut missed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = 0;
    for (maker, form) in kinds::MAKERS {
        for _ in 0..many {
            let (before, after) = chance.pick(&kinds::AROUND).copied().unwrap_or_default();
            let key = kinds::drawn(form, chance);
            let Some((text, secret, _)) = sample(&format!("{before}{key}{after}")) else {
                continue;
            };
            all += 1;
            if !found(&text, &secret) {
                *missed.entry(maker).or_default() += 1;
            }
        }
    }
    outcome.count("keys", all);
    share("keys", all, &missed, outcome);
    for (maker, count) in &missed {
        if *count * 100 > many * (100 - RECALL) + 100 {
            outcome.fail(format!("{count} of {many} keys of {maker} were missed"));
        }
    }
}

fn said(chance: &mut Chance, many: u64, outcome: &mut Outcome) {
    let mut missed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = 0;
    for form in kinds::SAID {
        for _ in 0..many {
            let Some((text, secret, _)) = sample(&kinds::drawn(form, chance)) else { continue };
            all += 1;
            if Redactor::always().redact(&text).text.contains(&secret) {
                *missed.entry(form).or_default() += 1;
            }
        }
    }
    outcome.count("said secrets", all);
    share("said secrets", all, &missed, outcome);
}

fn share(what: &str, all: u64, missed: &BTreeMap<&str, u64>, outcome: &mut Outcome) {
    let sum: u64 = missed.values().sum();
    outcome.count(&format!("{what} missed"), sum);
    if sum * 100 > all * (100 - RECALL) {
        outcome.fail(format!("{sum} of {all} {what} were missed: {missed:?}"));
    }
}

fn negatives(chance: &mut Chance, many: u64, outcome: &mut Outcome) {
    let mut hits: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = 0;
    for form in kinds::NONE {
        for _ in 0..many {
            let text = kinds::drawn(form, chance);
            all += 1;
            if !Redactor::always().redact(&text).found.is_empty() {
                *hits.entry(form).or_default() += 1;
            }
        }
    }
    let sum: u64 = hits.values().sum();
    outcome.count("texts without a secret", all);
    outcome.count("of them taken for one", sum);
    if sum * 100 > all * FALSE {
        outcome.fail(format!("{sum} of {all} texts were taken for secrets: {hits:?}"));
    }
}

/// The project's own words and code, all of it in a sample too, have no secret: at most one false hit a MiB.
fn ordinary(outcome: &mut Outcome) -> Result<(), Trouble> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["docs", "ui/src", "src-tauri/src", "src-tauri/crates", "scripts"] {
        gather(&root.join(folder), &mut files);
    }
    files.sort();
    // Tests have made-up secrets in them on purpose.
    let made_up = ["test", "privacy", "hostile", "fixtures", "recorded", "samples"];
    files.retain(|path| {
        let path = path.to_string_lossy().replace('\\', "/");
        let path = path.split_once("/../../").map_or(path.as_str(), |(_, rest)| rest);
        !made_up.iter().any(|word| path.contains(word))
    });
    let (mut bytes, mut hits) = (0, Vec::new());
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
        bytes += text.len() as u64;
        for one in Redactor::always().redact(text).found {
            let line = 1 + text[..one.range.start].matches('\n').count();
            hits.push(format!("{}:{line} {}", path.display(), one.rule));
        }
    }
    let mib = bytes.div_ceil(1 << 20);
    outcome.count("KiB of ordinary text", bytes / 1024);
    outcome.count("false hits in it", hits.len() as u64);
    if hits.len() as u64 > mib {
        outcome.fail(format!("{} false hits in {mib} MiB: {hits:?}", hits.len()));
    }
    Ok(())
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("target") {
            gather(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}
