//! Language models: one that needs no wire, and those behind HTTP.
//!
//! Implements the engine's ports [`ModelProvider`], [`Providers`] and [`Web`]; the hosts make one [`Connections`] and hand it to
//! the use cases. [`Embeddings`] makes
//! vectors, by a provider's model or by one in the data folder. Every request leaves through the one gate in `http`; a wire format (`openai`, `anthropic`, `gemini`,
//! `ollama`) turns a [`ModelRequest`](siltstone_engine::provider::ModelRequest) into a body and a server's events into
//! chunks, and `remote` does what is the same for all. Nothing here knows a database; of
//! files only the certificates that the person named are read, and of the environment only the system's proxy. Keys
//! come from outside and are kept nowhere.

#![deny(missing_docs)]

mod agent;
mod anthropic;
mod discover;
mod embedding;
mod faults;
mod gemini;
mod http;
mod local;
mod offline;
mod ollama;
mod openai;
mod remote;
mod reply;
mod talk;
#[cfg(test)]
mod tests;
mod thoughts;
mod tools;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_providers;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

use std::sync::{Arc, Once};
use std::time::Duration;

use siltstone_engine::checkpoint::remote::{Web, WebAnswer, WebRequest, WebStream};
use siltstone_engine::egress::Outbox;
use siltstone_engine::ports::{Access, Asked, ModelProvider, Providers};
use siltstone_engine::provider::{FoundServer, ProviderError, ProviderKind, ProviderRecord};
use siltstone_engine::settings::Network;

pub use embedding::{Embeddings, shipped_models};
pub use offline::Offline;

use remote::{Remote, Wire};

/// Makes the program's TLS use ring. Called by everything here that needs it; calling it again does nothing.
pub fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error says that the program chose a provider before us, which serves as well.
        drop(rustls::crypto::ring::default_provider().install_default());
    });
}

/// Makes providers, all behind one gate.
pub struct Connections {
    gate: http::Gate,
    ports: Vec<(String, u16)>,
    pace: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Self::new()
    }
}

impl Connections {
    /// With the limits and ports of everyday use.
    pub fn new() -> Self {
        install_crypto();
        Self {
            gate: http::Gate::new(http::Limits::default()),
            ports: discover::usual_ports(),
            pace: offline::PACE,
        }
    }

    /// Looks for servers on these ports of this computer instead, each with the product expected there.
    pub fn looking_at(mut self, ports: Vec<(String, u16)>) -> Self {
        self.ports = ports;
        self
    }

    /// Waits no longer than this for a connection, a first byte and the next one; asks again after a fiftieth of it.
    pub fn with_patience(mut self, patience: Duration) -> Self {
        let (connect, first_byte, idle, pause) = (patience, patience, patience, patience / 50);
        let usual = http::Limits::default();
        self.gate = http::Gate::new(http::Limits { connect, first_byte, idle, pause, ..usual });
        self
    }

    /// Lets the offline model pause this long between two chunks.
    pub fn with_offline_pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }
}

impl Providers for Connections {
    fn connect(
        &self,
        record: &ProviderRecord,
        access: Access,
    ) -> Result<Arc<dyn ModelProvider>, ProviderError> {
        let wire: &dyn Wire = match record.kind {
            ProviderKind::Offline => return Ok(Arc::new(Offline::with_pace(self.pace))),
            ProviderKind::Agent => return Ok(Arc::new(agent::Agent::of(record, &access)?)),
            ProviderKind::Openai => &openai::OpenAi,
            ProviderKind::Anthropic => &anthropic::Anthropic,
            ProviderKind::Gemini => &gemini::Gemini,
            ProviderKind::Ollama => &ollama::Ollama,
        };
        Ok(Arc::new(Remote::new(wire, &self.gate, &record.base_url, access)?))
    }

    fn discover(&self, outbox: Outbox) -> Asked<'_, Vec<FoundServer>> {
        Box::pin(async move { Ok(discover::find(&self.ports, &outbox).await) })
    }

    fn check_network(&self, network: &Network) -> Result<(), ProviderError> {
        self.gate.check(network)
    }
}

impl Web for Connections {
    fn send(&self, request: WebRequest, access: Access) -> Asked<'_, WebAnswer> {
        Box::pin(self.gate.carry(request, access))
    }

    fn open(&self, request: WebRequest, access: Access) -> Asked<'_, WebStream> {
        Box::pin(self.gate.open(request, access))
    }
}
