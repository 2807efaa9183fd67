//! Tokens: how long counting takes, and how far a corrected estimate is from what a provider counts.

use std::fmt::Write;
use std::hint::black_box;

use serde::Deserialize;
use serde_json::json;
use siltstone_engine::tokens::{Calibration, Counter, Encoding, MESSAGE_OVERHEAD, estimate};
use siltstone_test_servers::Server;

use crate::Outcome;
use crate::measure::{RUNS, Table, timed};

/// Replies of a conversation.
const REPLIES: usize = 20;

const ENGLISH: &str = include_str!("../../../src-tauri/crates/app/samples/en/conversation.json");
const KOREAN: &str = include_str!("../../../src-tauri/crates/app/samples/ko/conversation.json");
const CODE: &str = include_str!("../../../src-tauri/crates/engine/src/earlier.rs");

/// A run without a blank, which no rule parts before the merges begin.
pub fn runs(lengths: [usize; 2], table: &mut Table) {
    let counters = [
        ("o200k", Counter::Exact(Encoding::O200k)),
        ("cl100k", Counter::Exact(Encoding::Cl100k)),
        ("estimate", Counter::Script),
    ];
    for (name, counter) in counters {
        // Unpacks the vocabulary.
        counter.count("");
        for (script, letters) in [("Latin", &LATIN), ("Hangul", &HANGUL)] {
            let [short, long] = lengths.map(|length| run(letters, length));
            let mut samples = (Vec::new(), Vec::new());
            for _ in 0..RUNS {
                samples.0.push(timed(|| black_box(counter.count(&short))).0);
                samples.1.push(timed(|| black_box(counter.count(&long))).0);
            }
            table.row(format!("{script}, {name}"), &samples.0, &samples.1);
        }
    }
}

pub const LATIN: [char; 11] = ['q', 'e', 'x', 'a', 't', 'o', 'z', 'n', 'i', 'r', 'k'];
pub const HANGUL: [char; 11] = ['가', '힣', '낢', '뷁', '서', '울', '의', '쫓', '렌', '더', '링'];

/// Letters in an order that repeats late.
pub fn run(letters: &[char], length: usize) -> String {
    (0..length).map(|at| letters[(at * at + at / 7) % letters.len()]).collect()
}

/// The error of the estimate over the replies of a conversation with a real model whose vocabulary we do not have.
pub fn errors() -> Outcome<String> {
    let mut text =
        "### Estimated tokens of 20 requests, beside what Gemma 3's own tokenizer counts\n\n"
            .to_owned();
    let server = match siltstone_test_servers::gemma(512) {
        Ok(server) => server,
        Err(error) => {
            writeln!(text, "Not measured: {error}.\n")?;
            return Ok(text);
        }
    };
    text.push_str(
        "| | bare, median error | corrected, median error | corrected, largest of the last ten |\n",
    );
    text.push_str("|---|---|---|---|\n");
    for (name, all) in
        [("English", said(ENGLISH)?), ("Korean", said(KOREAN)?), ("code", CODE.to_owned())]
    {
        let (bare, corrected) = conversation(&server, &all)?;
        let worst = corrected[REPLIES / 2..].iter().copied().fold(0.0, f64::max);
        let (bare, corrected) = (median(bare), median(corrected));
        writeln!(text, "| {name} | {bare:.1} % | {corrected:.1} % | {worst:.1} % |")?;
    }
    text.push('\n');
    Ok(text)
}

/// The errors in per cent, of the bare estimate and of the one that the replies before have corrected.
fn conversation(server: &Server, all: &str) -> Outcome<(Vec<f64>, Vec<f64>)> {
    let all: Vec<char> = all.chars().collect();
    let mut calibration = Calibration::default();
    let mut messages = Vec::new();
    let mut estimated = 0;
    let (mut bare, mut corrected) = (Vec::new(), Vec::new());
    for exchange in all.chunks(all.len().div_ceil(REPLIES)) {
        let (question, reply) = exchange.split_at(exchange.len() / 4);
        let [question, reply]: [String; 2] = [question, reply].map(|it| it.iter().collect());
        estimated += estimate(&question);
        messages.push(json!({"role": "user", "content": question}));
        let added = MESSAGE_OVERHEAD * u64::try_from(messages.len())?;
        let counted = usage(server, &messages)?;
        let error = |tokens: u64| 100.0 * ((tokens + added) as f64 / counted as f64 - 1.0).abs();
        bare.push(error(estimated));
        corrected.push(error(calibration.correct(estimated)));
        calibration = calibration.observe(estimated, counted.saturating_sub(added));
        estimated += estimate(&reply);
        messages.push(json!({"role": "assistant", "content": reply}));
    }
    Ok((bare, corrected))
}

/// What the server would report as the tokens of this request.
fn usage(server: &Server, messages: &[serde_json::Value]) -> Outcome<u64> {
    #[derive(Deserialize)]
    struct Counted {
        input_tokens: u64,
    }
    let request = json!({"model": "gemma", "max_tokens": 1, "messages": messages});
    let answer = server.post("/v1/messages/count_tokens", &request.to_string())?;
    let Counted { input_tokens } = serde_json::from_str(&answer)?;
    Ok(input_tokens)
}

/// All that is said in a recorded conversation.
fn said(sample: &str) -> Outcome<String> {
    fn texts(value: &serde_json::Value, into: &mut String) {
        match value {
            serde_json::Value::Object(object) => {
                into.extend(object.get("text").and_then(|text| text.as_str()));
                object.values().for_each(|value| texts(value, into));
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| texts(value, into)),
            _ => {}
        }
    }
    let mut all = String::new();
    texts(&serde_json::from_str(sample)?, &mut all);
    Ok(all)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
