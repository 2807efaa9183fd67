//! An agent as far as it is a provider: it has the model that it chooses by itself, and is asked by turns alone, which start it
//! ([`siltstone_engine::acp`]). Nothing starts because a request is only shown, and a summary or a title is not worth one.

use futures_util::stream;
use siltstone_engine::acp::{CommandLine, own_model};
use siltstone_engine::ports::{Access, Asked, ModelProvider, ReplyStream};
use siltstone_engine::provider::{ModelInfo, ModelRequest, ProviderError, ProviderRecord};

#[derive(Debug)]
pub(crate) struct Agent;

impl Agent {
    /// Refused where its command is none, and where only this computer may be asked: where an agent sends what it reads is not
    /// ours to see.
    pub(crate) fn of(record: &ProviderRecord, access: &Access) -> Result<Self, ProviderError> {
        let url = record.base_url.clone();
        if CommandLine::parse(&url).is_none() {
            let detail = "this is no command; a quote may be open".to_owned();
            return Err(ProviderError::Unreachable { url, detail });
        }
        match access.this_computer_only {
            true => Err(ProviderError::NotLocal { url }),
            false => Ok(Self),
        }
    }
}

impl ModelProvider for Agent {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        Box::pin(async { Ok(vec![own_model()]) })
    }

    fn stream(&self, request: ModelRequest) -> ReplyStream {
        let model = request.model;
        Box::pin(stream::once(async { Err(ProviderError::ModelNotFound { model }) }))
    }
}
