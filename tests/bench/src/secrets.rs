//! How many labelled secrets are known, how much else is taken for one, and how long a large text takes. The samples
//! come as JSON lines of `text`, `secret` and `rule`; without a file only the time is told.

use std::fmt::Write;
use std::time::Instant;

use serde::Deserialize;
use siltstone_engine::privacy::Redactor;

use crate::Outcome;

/// Bytes of the text that is timed.
const LARGE: usize = 4 * 1024 * 1024;

#[derive(Deserialize)]
struct Sample {
    text: String,
    secret: bool,
    rule: String,
}

/// Counts hits over the samples of a file, and names what was missed and what was taken for a secret.
pub fn measure(path: Option<&str>) -> Outcome<String> {
    let redactor = Redactor::always();
    let mut out = String::new();
    if let Some(path) = path {
        let mut counts = [[0_usize; 2]; 2];
        for line in std::fs::read_to_string(path)?.lines() {
            let Sample { text, secret, rule } = serde_json::from_str(line)?;
            let found = redactor.redact(&text).found;
            counts[usize::from(secret)][usize::from(!found.is_empty())] += 1;
            if secret == found.is_empty() {
                let what = if secret { "missed" } else { "taken for a secret" };
                writeln!(out, "- {what}: {rule}: {:.60}", text.replace('\n', " "))?;
            }
        }
        let [[quiet, taken], [missed, known]] = counts;
        writeln!(out, "\nKnown: {known} of {}.", known + missed)?;
        writeln!(out, "Taken for a secret: {taken} of {}.", quiet + taken)?;
    }
    let line = "let password_hash = hash(&config.token); // 비밀번호를 확인해요: key, value\n";
    let large = line.repeat(LARGE / line.len());
    redactor.redact(line);
    let begun = Instant::now();
    redactor.redact(&large);
    writeln!(out, "4 MiB of code: {} ms.", begun.elapsed().as_millis())?;
    Ok(out)
}
