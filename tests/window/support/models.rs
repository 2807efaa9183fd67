//! Scripted model servers: what they say is known, and how slowly.

use serde_json::{Value, json};
use siltstone_test_servers::Server;

/// A server that answers what `fixtures` say, in the OpenAI format.
#[track_caller]
pub(crate) fn scripted(fixtures: &[Value]) -> Server {
    let server = siltstone_test_servers::aimock().expect("aimock starts (scripts/setup.sh test)");
    let body = json!({ "fixtures": fixtures }).to_string();
    server.post("/__aimock/fixtures", &body).expect("aimock takes its fixtures");
    server
}

/// Numbered words: how much of a reply arrived can be read from its end.
pub(crate) fn slow_reply(question: &str, words: usize) -> Value {
    let text: Vec<String> = (1..=words).map(|number| format!("word{number:04}")).collect();
    json!({
        "match": { "userMessage": question },
        "response": { "content": text.join(" ") },
        "chunkSize": 9,
        "latency": 30,
    })
}
