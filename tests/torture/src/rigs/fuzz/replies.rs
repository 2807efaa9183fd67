//! What models answer, mutated and sent over a real connection in all four wire formats: a stream ends once, at its end,
//! and calls no tool unless it is whole; a failure has words; and neither tells the key.

use std::time::{Duration, Instant};

use serde_json::json;
use siltstone_engine::provider::ProviderKind;

use super::{Fuzz, Rounds, mutant, shown};
use crate::rigs::streams::{Bench, KEY, said};
use crate::{Options, Trouble};

/// Tries them.
pub fn run(options: &Options, share: Option<Duration>, fuzz: &mut Fuzz) -> Result<(), Trouble> {
    let bench = Bench::patient()?;
    let mut chance = options.chance("fuzzed streams");
    for kind in said::KINDS {
        let mut streams: Vec<Vec<u8>> = Vec::new();
        for _ in 0..12 {
            let said = said::drawn(&mut chance);
            streams
                .push(said.iter().map(|said| said::written(kind, said)).collect::<String>().into());
        }
        for number in Rounds::new(options.count(60, 5_000), share) {
            let made = mutant(&streams, &mut chance);
            one(&bench, fuzz, "streams", number, kind, ("200 OK", &made));
        }
        let failures = failures();
        for number in Rounds::new(options.count(20, 1_000), share) {
            let made = mutant(&failures, &mut chance);
            one(&bench, fuzz, "failures", number, kind, ("400 Bad Request", &made));
        }
    }
    Ok(())
}

/// Failures, as each of the formats words them; any server may send any of them.
fn failures() -> Vec<Vec<u8>> {
    let key = format!("Incorrect API key provided: {KEY}");
    let failures = [
        json!({"error": {"message": key, "type": "invalid_request_error", "code": "invalid_api_key"}}),
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}}),
        json!({"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}),
        json!([{"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}}]),
        json!({"error": "model 'm' not found"}),
        json!({"error": {"code": "insufficient_quota", "message": null}}),
    ];
    failures.iter().map(|failure| failure.to_string().into_bytes()).collect()
}

fn one(
    bench: &Bench,
    fuzz: &mut Fuzz,
    what: &str,
    number: u64,
    kind: ProviderKind,
    (status, bytes): (&str, &[u8]),
) {
    let start = Instant::now();
    let seen = bench.reads(kind, status, bytes);
    fuzz.slowest = fuzz.slowest.max(start.elapsed());
    let wrong = match seen {
        Err(stuck) => Some(stuck.to_string()),
        Ok(seen) => seen.wrong().map(|why| format!("{why}: {seen:?}")),
    };
    let name = said::name(kind);
    let wrong =
        wrong.map(|why| format!("{what}, {name}, number {number}: {why}: {:?}", shown(bytes)));
    fuzz.outcome.tried(what, wrong);
}
