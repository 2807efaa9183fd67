//! Anthropic messages at any base URL that ends with the version segment; llama.cpp's server speaks it too.

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{FinishReason, ModelInfo, ModelRequest, ProviderError};

use crate::http::{Door, KeyHeader};
use crate::openai::models;
use crate::remote::{self, Wire};
use crate::reply::Reply;
use crate::talk::Talk;

/// Anthropic's own servers.
const HOME: &str = "api.anthropic.com";

/// Most tokens of a reply when the person named no number; the format demands one, and every current model allows it.
const MAX_TOKENS: u32 = 8_192;

pub(crate) struct Anthropic;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    system: String,
    messages: Vec<Message>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: String,
}

impl Wire for Anthropic {
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "x-api-key", scheme: "" }
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError> {
        let talk = Talk::of(request);
        let body = Body {
            model: &request.model,
            max_tokens: request.max_output_tokens.unwrap_or(MAX_TOKENS),
            system: talk.system,
            messages: talk
                .turns
                .into_iter()
                .map(|(side, content)| Message { role: side.name("assistant"), content })
                .collect(),
            stream: true,
            temperature: request.temperature,
        };
        Ok((door.address(&["messages"]), remote::body(&body)?))
    }

    fn read(&self, event: &Value, reply: &mut Reply) {
        let index = event["index"].as_u64();
        match event["type"].as_str() {
            Some("message_start") => count(&event["message"]["usage"], reply),
            Some("content_block_start") => read_block(&event["content_block"], index, reply),
            Some("content_block_delta") => {
                let delta = &event["delta"];
                reply.say(delta["text"].as_str());
                reply.think(delta["thinking"].as_str());
                if let Some(more) = delta["partial_json"].as_str() {
                    read_arguments(more, index, reply);
                }
            }
            Some("message_delta") => {
                count(&event["usage"], reply);
                read_end(&event["delta"], reply);
            }
            Some("message_stop") => reply.ended(),
            // A server that does not stream sends the whole.
            Some("message") => {
                for block in event["content"].as_array().into_iter().flatten() {
                    read_block(block, None, reply);
                }
                count(&event["usage"], reply);
                read_end(event, reply);
            }
            // Pings, the ends of blocks, and what the format may learn later.
            _ => {}
        }
    }

    fn models<'a>(&'a self, door: &'a Door) -> Asked<'a, Vec<ModelInfo>> {
        let mut url = door.address(&["models"]);
        url.set_query(Some("limit=1000"));
        Box::pin(models::fetch(door, url, HOME))
    }
}

fn read_block(block: &Value, index: Option<u64>, reply: &mut Reply) {
    if block["type"] != "tool_use" {
        reply.say(block["text"].as_str());
        reply.think(block["thinking"].as_str());
        return;
    }
    let call = reply.call(index);
    block["id"].as_str().unwrap_or_default().clone_into(&mut call.id);
    block["name"].as_str().unwrap_or_default().clone_into(&mut call.name);
    // The arguments follow in shreds; what stands here is whole only where nothing is streamed. llama.cpp leaves it out.
    call.arguments = match &block["input"] {
        Value::Object(input) if !input.is_empty() => block["input"].to_string(),
        _ => NO_ARGUMENTS.to_owned(),
    };
}

/// A call without arguments has no shreds.
const NO_ARGUMENTS: &str = "{}";

fn read_arguments(more: &str, index: Option<u64>, reply: &mut Reply) {
    let call = reply.call(index);
    if call.arguments == NO_ARGUMENTS && !more.is_empty() {
        call.arguments.clear();
    }
    call.arguments.push_str(more);
}

/// What is read from the cache and written to it was sent as well.
fn count(usage: &Value, reply: &mut Reply) {
    let sent = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
        .iter()
        .filter_map(|name| usage[*name].as_u64())
        .reduce(u64::saturating_add);
    reply.count(sent, usage["output_tokens"].as_u64());
}

fn read_end(said: &Value, reply: &mut Reply) {
    match said["stop_reason"].as_str() {
        None => {}
        Some("max_tokens" | "model_context_window_exceeded") => reply.finish(FinishReason::Length),
        Some("tool_use") => reply.finish(FinishReason::ToolCalls),
        Some("refusal") => reply.finish(FinishReason::Filtered),
        Some(_) => reply.finish(FinishReason::Stop),
    }
}
