//! Finds model servers on this computer: asks the ports where they usually listen for their models.

use std::time::Duration;

use futures_util::future::join_all;
use siltstone_engine::catalogue;
use siltstone_engine::egress::Outbox;
use siltstone_engine::ports::Access;
use siltstone_engine::provider::{FoundServer, ProviderKind};
use siltstone_engine::settings::Network;

use crate::http::{Door, Gate, Limits};
use crate::ollama::Ollama;
use crate::openai::{OpenAi, models};
use crate::remote::{self, Wire};

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
pub(crate) async fn find(ports: &[(String, u16)], outbox: &Outbox) -> Vec<FoundServer> {
    let gate = Gate::new(PATIENCE);
    let probes = ports.iter().map(|(product, port)| probe(&gate, product, *port, outbox));
    join_all(probes).await.into_iter().flatten().collect()
}

/// Silence, a refusal or another kind of server on the port is no fault: there is no model server there.
async fn probe(gate: &Gate, product: &str, port: u16, outbox: &Outbox) -> Option<FoundServer> {
    let outbox = Outbox { provider: product.to_owned(), ..outbox.clone() };
    let address = format!("http://127.0.0.1:{port}");
    let base_url = format!("{address}/v1");
    let openai = door(gate, &OpenAi, &base_url, &outbox)?;
    let answer = remote::fetch(&openai, &openai.address(&["models"])).await.ok()?;
    let list = models::read(&answer).ok()?;
    let name = match list.owner.as_deref() {
        Some(models::LLAMA_CPP) => "llama.cpp",
        Some("library") => "Ollama",
        Some(models::LM_STUDIO) => "LM Studio",
        _ => product,
    };
    // In its own format Ollama also says how much its models hold.
    if name == "Ollama"
        && let Ok(models) = Ollama.models(&door(gate, &Ollama, &address, &outbox)?).await
    {
        let kind = ProviderKind::Ollama;
        return Some(FoundServer { name: name.to_owned(), kind, base_url: address, models });
    }
    let kind = ProviderKind::Openai;
    let whole = |model| catalogue::complete(model, &base_url);
    let models = list.models.into_iter().map(whole).collect();
    Some(FoundServer { name: name.to_owned(), kind, base_url, models })
}

fn door(gate: &Gate, wire: &dyn Wire, base_url: &str, outbox: &Outbox) -> Option<Door> {
    let network = Network::default();
    let access = Access { key: None, this_computer_only: true, network, outbox: outbox.clone() };
    gate.door(base_url, access, wire.key_header(), wire.headers()).ok()
}
