//! OpenAI chat completions at any base URL: OpenAI itself, OpenRouter, llama.cpp, LM Studio, vLLM and others speak it.

pub(crate) mod models;

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{FinishReason, ModelInfo, ModelRequest, ProviderError};

use crate::http::{Door, KeyHeader};
use crate::remote::{self, Wire};
use crate::reply::Reply;
use crate::talk::Talk;

/// OpenAI's own servers.
const HOME: &str = "api.openai.com";

pub(crate) struct OpenAi;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    /// The newer name, which OpenAI's reasoning models insist on and most other servers do not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: String,
}

impl Wire for OpenAi {
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "authorization", scheme: "Bearer " }
    }

    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError> {
        let talk = Talk::of(request);
        let system =
            (!talk.system.is_empty()).then_some(Message { role: "system", content: talk.system });
        let turns = talk
            .turns
            .into_iter()
            .map(|(side, content)| Message { role: side.name("assistant"), content });
        let (max_completion_tokens, max_tokens) = if door.is_at(HOME) {
            (request.max_output_tokens, None)
        } else {
            (None, request.max_output_tokens)
        };
        let body = Body {
            model: &request.model,
            messages: system.into_iter().chain(turns).collect(),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            max_tokens,
            max_completion_tokens,
            temperature: request.temperature,
        };
        Ok((door.address(&["chat", "completions"]), remote::body(&body)?))
    }

    fn read(&self, event: &Value, reply: &mut Reply) {
        let usage = &event["usage"];
        reply.count(usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
        // One answer was asked for; others would be mixed into it.
        let choice = &event["choices"][0];
        if choice["index"].as_u64().unwrap_or(0) != 0 {
            return;
        }
        // A server that does not stream sends the whole under another name.
        let delta = match &choice["delta"] {
            Value::Null => &choice["message"],
            delta => delta,
        };
        reply.think(
            ["reasoning_content", "reasoning"].iter().find_map(|name| delta[*name].as_str()),
        );
        reply.say(delta["content"].as_str());
        for shred in delta["tool_calls"].as_array().into_iter().flatten() {
            read_call(shred, reply);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            match reason {
                "error" => reply.broken_off(reason),
                "length" | "max_tokens" => reply.finish(FinishReason::Length),
                "tool_calls" | "function_call" => reply.finish(FinishReason::ToolCalls),
                "content_filter" => reply.finish(FinishReason::Filtered),
                _ => reply.finish(FinishReason::Stop),
            }
        }
    }

    fn models<'a>(&'a self, door: &'a Door) -> Asked<'a, Vec<ModelInfo>> {
        Box::pin(models::fetch(door, door.address(&["models"]), HOME))
    }
}

fn read_call(shred: &Value, reply: &mut Reply) {
    // Servers that send each call in one piece leave the index out.
    let call = reply.call(shred["index"].as_u64());
    let function = &shred["function"];
    for (field, text) in [(&mut call.id, &shred["id"]), (&mut call.name, &function["name"])] {
        if let Some(text) = text.as_str().filter(|_| field.is_empty()) {
            text.clone_into(field);
        }
    }
    if let Some(more) = function["arguments"].as_str() {
        call.arguments.push_str(more);
    }
}

#[cfg(test)]
mod tests {
    use siltstone_engine::message::Role;
    use siltstone_engine::section::SectionKind;

    use super::*;
    use crate::tests::{door, request, section};

    #[test]
    fn the_body_asks_for_a_stream_with_usage_and_leaves_unset_things_out() {
        let said = |request: &ModelRequest, base_url: &str| {
            let (_, body) = OpenAi.question(request, &door(&OpenAi, base_url)).unwrap();
            String::from_utf8(body.to_vec()).unwrap()
        };
        let draft = section(SectionKind::Draft, Role::User, "composer", "hi");
        let mut asked = request(vec![draft]);
        let local = "http://127.0.0.1:1/v1";
        assert_eq!(
            said(&asked, local),
            r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}"#
        );
        asked.max_output_tokens = Some(7);
        asked.temperature = Some(0.0);
        assert!(said(&asked, local).ends_with(r#""max_tokens":7,"temperature":0.0}"#));
        let home = said(&asked, "https://api.openai.com/v1");
        assert!(home.ends_with(r#""max_completion_tokens":7,"temperature":0.0}"#), "{home}");
    }
}
