//! OpenAI chat completions at any base URL: OpenAI itself, OpenRouter, llama.cpp, LM Studio, vLLM and others speak it.

pub(crate) mod models;

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json};
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{Effort, FinishReason, ModelInfo, ModelRequest, ProviderError};

use crate::http::{Door, KeyHeader};
use crate::remote::{self, Wire};
use crate::reply::Reply;
use crate::talk::{Piece, Talk};

/// OpenAI's own servers.
const HOME: &str = "api.openai.com";

/// Tells each model what it asks for in that model's own words.
const OPENROUTER: &str = "openrouter.ai";

/// What it reads besides text.
const CARRIED: [&str; 5] =
    ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

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
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Content,
}

/// Plain where it can be: not every server reads lists.
#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    List(Vec<Item>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
    File { file: File },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct File {
    filename: String,
    file_data: String,
}

impl Wire for OpenAi {
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "authorization", scheme: "Bearer " }
    }

    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError> {
        let talk = Talk::of(request, &CARRIED);
        let system = (!talk.system.is_empty())
            .then_some(Message { role: "system", content: Content::Text(talk.system) });
        let turns = talk
            .turns
            .into_iter()
            .map(|(side, said)| Message { role: side.name("assistant"), content: content(said) });
        let (max_completion_tokens, max_tokens) = if door.is_at(HOME) {
            (request.max_output_tokens, None)
        } else {
            (None, request.max_output_tokens)
        };
        let thinker = if door.is_at(HOME) { thinker(&request.model) } else { None };
        let reasoning_effort = request
            .effort
            .filter(|_| thinker.is_some() || !door.is_at(HOME))
            .map(|effort| effort_word(effort, least(door, thinker)));
        // OpenAI's thinking models refuse one, unless they are told not to think.
        let takes_temperature = thinker.is_none() || reasoning_effort == Some(NOTHING);
        let body = Body {
            model: &request.model,
            messages: system.into_iter().chain(turns).collect(),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            max_tokens,
            max_completion_tokens,
            temperature: request.temperature.filter(|_| takes_temperature),
            reasoning_effort,
            response_format: request.schema.as_ref().map(|schema| {
                let named = json!({"name": "reply", "strict": true, "schema": schema});
                json!({"type": "json_schema", "json_schema": named})
            }),
        };
        Ok((door.address(&["chat", "completions"]), remote::body(&body)?))
    }

    fn read(&self, event: &Value, reply: &mut Reply) {
        let usage = &event["usage"];
        reply.count(usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
        let details = &usage["prompt_tokens_details"];
        // DeepSeek has a name of its own.
        let found = [&details["cached_tokens"], &usage["prompt_cache_hit_tokens"]];
        reply.count_cached(
            found.into_iter().find_map(Value::as_u64),
            details["cache_write_tokens"].as_u64(),
        );
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
            ["reasoning_content", "reasoning"]
                .iter()
                .filter_map(|name| delta[*name].as_str())
                .find(|thought| !thought.is_empty()),
        );
        read_content(&delta["content"], reply);
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

fn content(said: Vec<Piece>) -> Content {
    let mut items: Vec<Item> = said.into_iter().filter_map(item).collect();
    match items.as_mut_slice() {
        [Item::Text { text }] => Content::Text(std::mem::take(text)),
        _ => Content::List(items),
    }
}

fn item(piece: Piece) -> Option<Item> {
    let address = |media_type: &str, data: &str| format!("data:{media_type};base64,{data}");
    match piece {
        Piece::Text(text) => Some(Item::Text { text }),
        Piece::Image { media_type, data } => {
            Some(Item::ImageUrl { image_url: ImageUrl { url: address(&media_type, &data) } })
        }
        Piece::File { media_type, name, data } => {
            let file_data = address(&media_type, &data);
            Some(Item::File { file: File { filename: name, file_data } })
        }
        // The format takes no thought back.
        Piece::Thought { .. } => None,
    }
}

/// An effort at which nothing is thought.
const NOTHING: &str = "none";

/// The generation of one of OpenAI's models that think; 0 for the o series. `None` for the others.
fn thinker(model: &str) -> Option<f32> {
    let mut rest = model.chars();
    if rest.next() == Some('o') && rest.next().is_some_and(|digit| digit.is_ascii_digit()) {
        return Some(0.0);
    }
    let generation = model.strip_prefix("gpt-")?.split('-').next()?.parse().ok()?;
    (generation >= 5.0 && !model.contains("-chat")).then_some(generation)
}

/// What the smallest effort is called.
fn least(door: &Door, thinker: Option<f32>) -> &'static str {
    match thinker {
        Some(generation) if generation > 5.0 => NOTHING,
        Some(5.0) => "minimal",
        None if door.is_at(OPENROUTER) => "minimal",
        // The least that everybody knows.
        _ => "low",
    }
}

fn effort_word(effort: Effort, least: &'static str) -> &'static str {
    match effort {
        Effort::Minimal => least,
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

/// Text, or a list of it; Mistral's models that think send their thoughts in such lists.
fn read_content(content: &Value, reply: &mut Reply) {
    reply.say(content.as_str());
    for item in content.as_array().into_iter().flatten() {
        reply.say(item["text"].as_str());
        for thought in item["thinking"].as_array().into_iter().flatten() {
            reply.think(thought["text"].as_str());
        }
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
