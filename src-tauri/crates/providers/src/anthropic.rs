//! Anthropic messages at any base URL that ends with the version segment; llama.cpp's server speaks it too.
//!
//! How its models are made to think changed over time, and each refuses what is meant for others: the oldest do not
//! think at all, then came a budget in tokens, and since 4.6 the model decides by itself within an effort. From 4.7 on
//! none takes a temperature.
//!
//! A thought that led to calls goes back in front of them, with its signature. Where it is gone, a model with a budget is
//! not asked to think until the turn is over: the server would refuse.

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;
use siltstone_engine::message::SealForm;
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{Effort, FinishReason, ModelInfo, ModelRequest, ProviderError};
use siltstone_engine::tool::ToolSpec;

use crate::http::{Door, KeyHeader};
use crate::openai::models;
use crate::remote::{self, Wire};
use crate::reply::Reply;
use crate::talk::{Ids, Piece, Side, Talk};
use crate::tools;

/// What it reads besides text.
const CARRIED: [&str; 5] =
    ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

/// Most tokens of a reply when the person named no number; the format demands one. Every model from 3.7 on allows this
/// many, thoughts among them.
const MAX_TOKENS: u32 = 32_000;

/// The same of those before it, and of another maker's, which may have a small window.
const MAX_TOKENS_OF_OTHERS: u32 = 8_192;

/// The smallest budget for thoughts that is taken.
const LEAST_BUDGET: u32 = 1_024;

/// The ids of calls that it takes.
const IDS: Ids = Ids::Word(64);

pub(crate) struct Anthropic;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<System>,
    messages: Vec<Message>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Value,
}

impl<'a> Tool<'a> {
    fn of(tool: &'a ToolSpec) -> Self {
        let ToolSpec { name, description, .. } = tool;
        Self { name, description, input_schema: tools::parameters(tool) }
    }
}

/// The stable beginning of every request of a conversation, which the server keeps for the next one, with the tools: to
/// it, they stand before.
#[derive(Serialize)]
#[serde(tag = "type", rename = "text")]
struct System {
    text: String,
    cache_control: Cache,
}

#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Cache {
    Ephemeral,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Vec<Block>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text { text: String },
    Image { source: Source },
    Document { source: Source, title: String },
    Thinking { thinking: String, signature: String },
    RedactedThinking { data: String },
    ToolUse { id: String, name: String, input: Value },
    ToolResult(ToolResult),
}

#[derive(Serialize)]
struct ToolResult {
    tool_use_id: String,
    content: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    /// On the newest, so that the next round of a turn finds everything up to here.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cache>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "base64")]
struct Source {
    media_type: String,
    data: String,
}

#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thinking {
    Enabled { budget_tokens: u32 },
    Adaptive { display: &'static str },
}

#[derive(Serialize)]
struct OutputConfig {
    effort: &'static str,
}

impl Wire for Anthropic {
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "x-api-key", scheme: "" }
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError> {
        let talk = Talk::of(request, &CARRIED, IDS);
        let generation = generation(&request.model);
        let adapts = generation.is_some_and(|generation| generation >= (4, 6));
        let output_config = request.effort.filter(|_| adapts).map(|effort| OutputConfig {
            effort: match effort {
                Effort::Minimal | Effort::Low => "low",
                Effort::Medium => "medium",
                Effort::High => "high",
            },
        });
        let (thinking, max_tokens) = if adapts {
            // Not to ask for thoughts is the least there is: some models can be told to have none, others cannot.
            let thinks = request.effort.is_some_and(|effort| effort != Effort::Minimal);
            let thinking = thinks.then_some(Thinking::Adaptive { display: "summarized" });
            (thinking, request.max_output_tokens.unwrap_or(MAX_TOKENS))
        } else if generation.is_some_and(|generation| generation < (3, 7)) {
            (None, request.max_output_tokens.unwrap_or(MAX_TOKENS_OF_OTHERS))
        } else {
            let budget = budget(request.effort, request.max_output_tokens)
                .filter(|_| !called_without_thought(&talk));
            let thinking = budget.map(|budget_tokens| Thinking::Enabled { budget_tokens });
            let most = match generation {
                Some(_) => MAX_TOKENS,
                None => MAX_TOKENS_OF_OTHERS + budget.unwrap_or(0),
            };
            (thinking, request.max_output_tokens.unwrap_or(most))
        };
        let takes_temperature =
            thinking.is_none() && generation.is_none_or(|generation| generation < (4, 7));
        let system = (!talk.system.is_empty())
            .then_some(System { text: talk.system, cache_control: Cache::Ephemeral });
        let message = |(side, said): (Side, Vec<Piece>)| Message {
            role: side.name("assistant"),
            content: said.into_iter().map(block).collect(),
        };
        let mut messages: Vec<Message> = talk.turns.into_iter().map(message).collect();
        keep_rounds(&mut messages);
        let body = Body {
            model: &request.model,
            max_tokens,
            tools: request.tools.iter().map(Tool::of).collect(),
            system: system.into_iter().collect(),
            messages,
            stream: true,
            // The range ends at 1 here, elsewhere at 2.
            temperature: request.temperature.filter(|_| takes_temperature).map(|t| t.min(1.0)),
            thinking,
            output_config,
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
                reply.sign(delta["signature"].as_str());
                if let Some(more) = delta["partial_json"].as_str() {
                    reply.call(index).arguments.push_str(more);
                }
            }
            Some("content_block_stop") => reply.signed(),
            Some("message_delta") => {
                count(&event["usage"], reply);
                read_end(&event["delta"], reply);
            }
            Some("message_stop") => reply.ended(),
            // A server that does not stream sends the whole.
            Some("message") => {
                for block in event["content"].as_array().into_iter().flatten() {
                    read_block(block, None, reply);
                    reply.signed();
                }
                count(&event["usage"], reply);
                read_end(event, reply);
            }
            // Pings, and what the format may learn later.
            _ => {}
        }
    }

    fn models<'a>(&'a self, door: &'a Door) -> Asked<'a, Vec<ModelInfo>> {
        let mut url = door.address(&["models"]);
        url.set_query(Some("limit=1000"));
        Box::pin(models::fetch(door, url))
    }
}

/// Major and minor version in the name of one of Anthropic's models, wherever it stands in it; a name without one is
/// that of the latest. `None` for the models of others.
fn generation(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.split_once("claude")?;
    // A date has more digits.
    let number = |part: &str| part.parse().ok().filter(|number| *number < 100);
    let mut parts = name.split(['-', '.', '@', ':']).map(number).skip_while(Option::is_none);
    let major = parts.next().flatten();
    Some(major.map_or((u32::MAX, 0), |major| (major, parts.next().flatten().unwrap_or(0))))
}

/// Tokens for thoughts: at most half of what the person lets the reply have, and none if that is too few.
fn budget(effort: Option<Effort>, max_output_tokens: Option<u32>) -> Option<u32> {
    let wanted = match effort? {
        Effort::Minimal => return None,
        Effort::Low => 2_048,
        Effort::Medium => 8_192,
        Effort::High => 16_384,
    };
    let budget = max_output_tokens.map_or(wanted, |most| wanted.min(most / 2));
    (budget >= LEAST_BUDGET).then_some(budget)
}

/// Whether the turn that is carried out called without a thought that could go back.
fn called_without_thought(talk: &Talk) -> bool {
    talk.turns[talk.current()..].iter().any(|(_, said)| {
        let calls = said.iter().any(|piece| matches!(piece, Piece::Call { .. }));
        calls && !matches!(said.first(), Some(Piece::Thought { .. }))
    })
}

/// A turn of many rounds asks with all it has seen in each of them.
fn keep_rounds(messages: &mut [Message]) {
    let blocks = messages.last_mut().into_iter().flat_map(|message| message.content.iter_mut());
    let newest = blocks.rev().find_map(|block| match block {
        Block::ToolResult(result) => Some(result),
        _ => None,
    });
    if let Some(result) = newest {
        result.cache_control = Some(Cache::Ephemeral);
    }
}

fn block(piece: Piece) -> Block {
    match piece {
        Piece::Text(text) => Block::Text { text },
        Piece::Image { media_type, data } => Block::Image { source: Source { media_type, data } },
        Piece::File { media_type, name, data } => {
            Block::Document { source: Source { media_type, data }, title: name }
        }
        Piece::Thought { form: SealForm::Redacted, data, .. } => Block::RedactedThinking { data },
        Piece::Thought { form: SealForm::Signature, text, data } => {
            Block::Thinking { thinking: text, signature: data }
        }
        Piece::Call { id, name, arguments, .. } => Block::ToolUse { id, name, input: arguments },
        Piece::Result { id, text, is_error, .. } => Block::ToolResult(ToolResult {
            tool_use_id: id,
            content: text,
            is_error,
            cache_control: None,
        }),
    }
}

fn read_block(block: &Value, index: Option<u64>, reply: &mut Reply) {
    if block["type"] != "tool_use" {
        reply.say(block["text"].as_str());
        reply.think(block["thinking"].as_str());
        reply.sign(block["signature"].as_str());
        if block["type"] == "redacted_thinking" {
            reply.seal(SealForm::Redacted, block["data"].as_str());
        }
        return;
    }
    let call = reply.call(index);
    block["id"].as_str().unwrap_or_default().clone_into(&mut call.id);
    block["name"].as_str().unwrap_or_default().clone_into(&mut call.name);
    // The arguments follow in shreds; what stands here is whole only where nothing is streamed. llama.cpp leaves it out.
    if let Value::Object(input) = &block["input"]
        && !input.is_empty()
    {
        call.arguments = block["input"].to_string();
    }
}

/// What is read from the cache and written to it was sent as well, and is not counted with the rest.
fn count(usage: &Value, reply: &mut Reply) {
    let found = usage["cache_read_input_tokens"].as_u64();
    let written = usage["cache_creation_input_tokens"].as_u64();
    let parts = [usage["input_tokens"].as_u64(), found, written];
    let sent = parts.into_iter().flatten().reduce(u64::saturating_add);
    reply.count(sent, usage["output_tokens"].as_u64());
    reply.count_cached(found, written);
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
