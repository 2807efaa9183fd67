//! OpenAI chat completions at any base URL on this computer: llama.cpp, Ollama, LM Studio and others speak it.
//!
//! `request` makes the body, `reply` reads the events, `models` the list of models; this file sends and streams. Keys
//! are not sent: servers on this computer do without.

pub(crate) mod models;
mod reply;
mod request;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::Url;
use siltstone_engine::ports::{Asked, ModelProvider, ReplyStream};
use siltstone_engine::provider::{Chunk, ModelInfo, ModelRequest, ProviderError};

use crate::faults;
use crate::http::{self, Gate};
use reply::Reply;

/// A server that speaks this format.
pub(crate) struct OpenAi {
    gate: Gate,
    models: Url,
    completions: Url,
}

impl OpenAi {
    /// Behind `base_url`, which ends with the version segment. Fails if the address may not be used.
    pub(crate) fn new(gate: Gate, base_url: &str) -> Result<Self, ProviderError> {
        Ok(Self {
            gate,
            models: http::address(base_url, "models")?,
            completions: http::address(base_url, "chat/completions")?,
        })
    }
}

impl ModelProvider for OpenAi {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        Box::pin(async {
            let answer = self.gate.get(&self.models).await;
            let text = answer.map_err(|no| faults::of(no, ""))?.text().await?;
            models::read(&text).map(|list| list.models)
        })
    }

    fn stream(&self, request: ModelRequest) -> ReplyStream {
        let gate = self.gate.clone();
        let url = self.completions.clone();
        let answered = async move {
            let body = request::body(&request)?;
            let answer = gate.post(&url, Bytes::from(body)).await;
            let answer = answer.map_err(|no| faults::of(no, &request.model))?;
            let reply = Reply::new(&request);
            if answer.is_json() {
                let whole = answer.text().await?;
                return Ok(chunks(stream::iter([Ok(whole)]).boxed(), reply));
            }
            Ok(chunks(answer.events().boxed(), reply))
        };
        stream::once(answered).try_flatten().boxed()
    }
}

/// Events in, chunks out. The events are dropped, and with them the connection, as soon as the reply is over.
fn chunks<S>(events: S, reply: Reply) -> impl Stream<Item = Result<Chunk, ProviderError>> + Send
where
    S: Stream<Item = Result<String, ProviderError>> + Send + Unpin,
{
    stream::unfold((Some(events), reply), |(mut events, mut reply)| async move {
        loop {
            if let Some(chunk) = reply.next() {
                return Some((chunk, (events, reply)));
            }
            match events.as_mut()?.next().await {
                Some(Ok(data)) => reply.read(&data),
                Some(Err(error)) => reply.broken(error),
                None => reply.ended(),
            }
            if reply.is_over() {
                events = None;
            }
        }
    })
}

#[cfg(test)]
mod tests;
