//! Finds model servers on this computer: asks the ports where they usually listen for their models.

use std::time::Duration;

use futures_util::future::join_all;
use siltstone_engine::provider::FoundServer;

use crate::http::{self, Gate, Limits};
use crate::openai::models;

/// A server of this computer answers at once, or it is not there.
const PATIENCE: Limits = Limits {
    connect: Duration::from_millis(300),
    first_byte: Duration::from_secs(3),
    idle: Duration::from_secs(3),
    line: 1 << 20,
    reply: 1 << 20,
    retries: 0,
    pause: Duration::ZERO,
    longest_pause: Duration::ZERO,
};

/// Where which product listens unless it was told otherwise.
pub(crate) fn usual_ports() -> Vec<(String, u16)> {
    [("Ollama", 11_434), ("LM Studio", 1_234), ("llama.cpp", 8_080)]
        .map(|(product, port)| (product.to_owned(), port))
        .into()
}

/// Those that list models, in the order of `ports`.
pub(crate) async fn find(ports: &[(String, u16)]) -> Vec<FoundServer> {
    let gate = Gate::new(PATIENCE);
    let probes = ports.iter().map(|(product, port)| probe(&gate, product, *port));
    join_all(probes).await.into_iter().flatten().collect()
}

/// Silence, a refusal or another kind of server on the port is no fault: there is no model server there.
async fn probe(gate: &Gate, product: &str, port: u16) -> Option<FoundServer> {
    let base_url = format!("http://127.0.0.1:{port}/v1");
    let url = http::address(&base_url, "models").ok()?;
    let text = gate.get(&url).await.ok()?.text().await.ok()?;
    let list = models::read(&text).ok()?;
    let name = match list.owner.as_deref() {
        Some("llamacpp") => "llama.cpp",
        Some("library") => "Ollama",
        Some("organization_owner") => "LM Studio",
        _ => product,
    };
    Some(FoundServer { name: name.to_owned(), base_url, models: list.models })
}
