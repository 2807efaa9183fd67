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
use crate::talk::{EARLIER, Ids, Piece, Side, Talk};
use crate::tools;

/// OpenAI's own servers.
const HOME: &str = "api.openai.com";

/// Tells each model what it asks for in that model's own words.
const OPENROUTER: &str = "openrouter.ai";

/// Takes ids of one length alone.
const MISTRAL: &str = "api.mistral.ai";

/// Where the servers of DeepSeek, Moonshot and others have what was thought. In turns with tools they want it back, unsigned:
/// the seal of such a thought says this name. OpenRouter wants its own list of it back, whoever thought; the seal is the list.
const REASONING: &str = "reasoning_content";

/// What it reads besides text.
const CARRIED: [&str; 5] =
    ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

pub(crate) struct OpenAi;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
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
    /// `null` where a reply only calls.
    content: Option<Content>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

impl Message {
    fn of(role: &'static str, content: Option<Content>) -> Self {
        Self {
            role,
            content,
            reasoning_content: None,
            reasoning_details: Vec::new(),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct ToolCall {
    id: String,
    function: Function,
    /// Where Gemini keeps its signature in this format.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: String,
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
        let ids = match door {
            _ if door.is_at(HOME) => Ids::Word(40),
            _ if door.is_at(MISTRAL) => Ids::Nine,
            _ => Ids::Any,
        };
        let talk = Talk::of(request, &CARRIED, ids);
        let system = (!talk.system.is_empty())
            .then(|| Message::of("system", Some(Content::Text(talk.system))));
        let turns = talk.turns.into_iter().flat_map(|(side, said)| messages(side, said));
        let messages = with_all_thoughts(system.into_iter().chain(turns).collect());
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
            messages,
            tools: tools::functions(&request.tools),
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
        if delta[REASONING].is_string() {
            reply.owe(REASONING);
        }
        for detail in delta["reasoning_details"].as_array().into_iter().flatten() {
            reply.owe_detail(detail);
        }
        reply.think(
            [REASONING, "reasoning"]
                .iter()
                .filter_map(|name| delta[*name].as_str())
                .find(|thought| !thought.is_empty()),
        );
        read_content(&delta["content"], reply);
        // Words that say no come under a name of their own.
        reply.say(delta["refusal"].as_str());
        for shred in delta["tool_calls"].as_array().into_iter().flatten() {
            read_call(shred, reply);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            match reason {
                "error" => reply.broken_off(reason),
                "length" | "max_tokens" | "model_length" => reply.finish(FinishReason::Length),
                "tool_calls" | "function_call" => reply.finish(FinishReason::ToolCalls),
                "content_filter" => reply.finish(FinishReason::Filtered),
                _ => reply.finish(FinishReason::Stop),
            }
        }
    }

    fn models<'a>(&'a self, door: &'a Door) -> Asked<'a, Vec<ModelInfo>> {
        Box::pin(models::fetch(door, door.address(&["models"])))
    }
}

/// One message for each result, and one for all that is said besides.
fn messages(side: Side, said: Vec<Piece>) -> Vec<Message> {
    let mut messages = Vec::new();
    let (mut items, mut tool_calls) = (Vec::new(), Vec::new());
    let (mut thoughts, mut details) = (Vec::new(), Vec::new());
    let address = |media_type: &str, data: &str| format!("data:{media_type};base64,{data}");
    for piece in said {
        match piece {
            Piece::Text(text) => items.push(Item::Text { text }),
            Piece::Image { media_type, data } => {
                let url = address(&media_type, &data);
                items.push(Item::ImageUrl { image_url: ImageUrl { url } });
            }
            Piece::File { media_type, name, data } => {
                let file_data = address(&media_type, &data);
                items.push(Item::File { file: File { filename: name, file_data } });
            }
            Piece::Thought { text, data, .. } if data == REASONING => thoughts.push(text),
            Piece::Thought { data, .. } => {
                // For another's signature the format has no place.
                if let Ok(Value::Array(list)) = serde_json::from_str(&data) {
                    details.extend(list);
                }
            }
            Piece::Call { id, name, written, seal, .. } => tool_calls.push(ToolCall {
                id,
                function: Function { name, arguments: written },
                extra_content: seal.map(|seal| json!({"google": {"thought_signature": seal}})),
            }),
            Piece::Result { id, text, is_error, .. } => {
                let content = Content::Text(tools::told(text, is_error));
                let tool_call_id = Some(id);
                messages.push(Message { tool_call_id, ..Message::of("tool", Some(content)) });
            }
        }
    }
    let content = match items.as_mut_slice() {
        [] => None,
        [Item::Text { text }] => Some(Content::Text(std::mem::take(text))),
        _ => Some(Content::List(items)),
    };
    if content.is_some() || !tool_calls.is_empty() {
        if !messages.is_empty() {
            messages.push(Message::of("assistant", Some(Content::Text(EARLIER.to_owned()))));
        }
        let reasoning_content = (!thoughts.is_empty()).then(|| thoughts.concat());
        let message = Message::of(side.name("assistant"), content);
        let reasoning_details = details;
        messages.push(Message { reasoning_content, reasoning_details, tool_calls, ..message });
    }
    messages
}

/// Where one call goes back with what was thought before it, all do: a server that asks for it asks for an empty thought
/// too.
fn with_all_thoughts(mut messages: Vec<Message>) -> Vec<Message> {
    if messages.iter().any(|message| message.reasoning_content.is_some()) {
        for message in messages.iter_mut().filter(|message| !message.tool_calls.is_empty()) {
            message.reasoning_content.get_or_insert_default();
        }
    }
    messages
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
    let function = &shred["function"];
    let [id, name] =
        [&shred["id"], &function["name"]].map(|said| said.as_str().unwrap_or_default());
    let call = reply.call_of(shred["index"].as_u64(), id, name);
    for (field, text) in [(&mut call.id, id), (&mut call.name, name)] {
        if field.is_empty() {
            text.clone_into(field);
        }
    }
    match &function["arguments"] {
        Value::String(more) => call.arguments.push_str(more),
        // Some send the object itself.
        whole @ Value::Object(_) => call.arguments = whole.to_string(),
        _ => {}
    }
    if let Some(seal) = shred["extra_content"]["google"]["thought_signature"].as_str() {
        call.seal = Some(seal.to_owned());
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
