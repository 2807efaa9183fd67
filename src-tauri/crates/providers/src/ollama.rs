//! Ollama's own chat. It also speaks OpenAI's, but only here does it say how large a model's window is, and only here
//! can the window be asked for: left alone it takes a small one and silently drops the beginning of what is sent. Its
//! messages carry pictures beside the text and no other files.

use bytes::Bytes;
use futures_util::future::join_all;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json};
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{Effort, FinishReason, ModelInfo, ModelRequest, ProviderError};

use crate::http::{Door, KeyHeader};
use crate::remote::{self, Framing, Wire};
use crate::reply::Reply;
use crate::talk::{EARLIER, Ids, Piece, Side, Talk};
use crate::tools;

/// What it reads besides text.
const CARRIED: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// The smallest window asked for.
const SMALLEST: u64 = 4_096;

/// Room for a reply whose length nobody limited.
const REPLY: u64 = 2_048;

pub(crate) struct Ollama;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<Think>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
    options: Options,
}

#[derive(Default, Serialize)]
struct Message {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    /// The tool whose result it is: results answer the calls in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
}

#[derive(Serialize)]
struct ToolCall {
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: Value,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Think {
    Whether(bool),
    How(&'static str),
}

#[derive(Serialize)]
struct Options {
    num_ctx: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

impl Wire for Ollama {
    /// On this computer it wants none; its makers' own servers do.
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "authorization", scheme: "Bearer " }
    }

    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError> {
        let talk = Talk::of(request, &CARRIED, Ids::Any);
        let system = (!talk.system.is_empty()).then(|| Message {
            role: "system",
            content: talk.system,
            ..Message::default()
        });
        let turns = talk.turns.into_iter().flat_map(|(side, said)| messages(side, said));
        let body = Body {
            model: &request.model,
            messages: system.into_iter().chain(turns).collect(),
            tools: tools::functions(&request.tools),
            think: request.effort.map(|effort| think(&request.model, effort)),
            format: request.schema.as_ref(),
            stream: true,
            options: Options {
                num_ctx: window_for(request),
                num_predict: request.max_output_tokens,
                temperature: request.temperature,
            },
        };
        Ok((door.address(&["api", "chat"]), remote::body(&body)?))
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn read(&self, event: &Value, reply: &mut Reply) {
        let message = &event["message"];
        // Servers that stand in for Ollama use OpenAI's name for thoughts.
        reply.think(
            ["thinking", "reasoning_content"].iter().find_map(|name| message[*name].as_str()),
        );
        reply.say(message["content"].as_str());
        for said in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &said["function"];
            let call = reply.call(None);
            said["id"].as_str().unwrap_or_default().clone_into(&mut call.id);
            function["name"].as_str().unwrap_or_default().clone_into(&mut call.name);
            call.arguments = match &function["arguments"] {
                Value::Null => String::new(),
                // Stand-ins keep OpenAI's way.
                Value::String(written) => written.clone(),
                arguments => arguments.to_string(),
            };
        }
        if event["done"] == true {
            reply.count(event["prompt_eval_count"].as_u64(), event["eval_count"].as_u64());
            reply.finish(match event["done_reason"].as_str() {
                Some("length") => FinishReason::Length,
                _ => FinishReason::Stop,
            });
            reply.ended();
        }
    }

    fn models<'a>(&'a self, door: &'a Door) -> Asked<'a, Vec<ModelInfo>> {
        Box::pin(async move {
            let answer = remote::fetch(door, &door.address(&["api", "tags"])).await?;
            // `null` when nothing is installed yet.
            let list = answer.get("models").map(|list| if list.is_null() { &EMPTY } else { list });
            let models = remote::listed(list, |entry| {
                let id = ["model", "name"].iter().find_map(|name| entry[*name].as_str())?;
                Some(ModelInfo::named(id))
            })?;
            let shown = models.into_iter().map(async |model| {
                let url = door.address(&["api", "show"]);
                let about = remote::ask(door, &url, &json!({ "model": model.id })).await;
                // The list is worth having without the rest.
                let about = about.unwrap_or_default();
                chatting(model, &about)
            });
            Ok(join_all(shown).await.into_iter().flatten().collect())
        })
    }
}

static EMPTY: Value = Value::Array(Vec::new());

/// One message for each result, and one for all that is said besides.
fn messages(side: Side, said: Vec<Piece>) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut message = Message { role: side.name("assistant"), ..Message::default() };
    for piece in said {
        match piece {
            Piece::Text(text) if message.content.is_empty() => message.content = text,
            Piece::Text(text) => {
                message.content.push_str("\n\n");
                message.content.push_str(&text);
            }
            Piece::Image { data, .. } => message.images.push(data),
            // No file is carried, and it wants no thought back.
            Piece::File { .. } | Piece::Thought { .. } => {}
            Piece::Call { name, arguments, .. } => {
                message.tool_calls.push(ToolCall { function: Function { name, arguments } });
            }
            Piece::Result { name, text, is_error, .. } => messages.push(Message {
                role: "tool",
                content: tools::told(text, is_error),
                tool_name: Some(name),
                ..Message::default()
            }),
        }
    }
    let says = !message.content.is_empty() || !message.images.is_empty();
    if says || !message.tool_calls.is_empty() {
        if !messages.is_empty() {
            let (role, content) = ("assistant", EARLIER.to_owned());
            messages.push(Message { role, content, ..Message::default() });
        }
        messages.push(message);
    }
    messages
}

/// Its models think or do not; only gpt-oss knows degrees, and always thinks.
fn think(model: &str, effort: Effort) -> Think {
    let name = model.rsplit('/').next().unwrap_or(model);
    if !name.starts_with("gpt-oss") {
        return Think::Whether(effort != Effort::Minimal);
    }
    Think::How(match effort {
        Effort::Minimal | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    })
}

/// A window in which everything fits. Doubled from the smallest: with each new size the server loads the model again.
fn window_for(request: &ModelRequest) -> u64 {
    let asked: u64 = request.sections.iter().map(|section| section.tokens).sum();
    // Our count is an estimate; what it lacks must not push out the beginning.
    let asked = asked.saturating_add(asked / 4);
    let reply = request.max_output_tokens.map_or(REPLY, u64::from);
    let needed = asked.saturating_add(reply).max(SMALLEST);
    needed.checked_next_power_of_two().unwrap_or(needed)
}

/// The model with what it says of itself, unless it says that it answers nothing, as those do that make vectors alone.
fn chatting(model: ModelInfo, about: &Value) -> Option<ModelInfo> {
    let can = about["capabilities"].as_array();
    let chats = can.is_none_or(|can| can.contains(&json!("completion")));
    chats.then(|| ModelInfo {
        context_window: window(about),
        takes_images: can.map(|can| can.contains(&json!("vision"))),
        takes_files: Some(false),
        takes_tools: can.map(|can| can.contains(&json!("tools"))),
        ..model
    })
}

/// The window the model was trained for, under its family's name.
fn window(about: &Value) -> Option<u64> {
    let about = about["model_info"].as_object()?;
    let named = |(name, value): (&String, &Value)| {
        name.ends_with(".context_length").then(|| value.as_u64()).flatten()
    };
    about.iter().find_map(named).filter(|window| *window > 0)
}

#[cfg(test)]
mod tests {
    use siltstone_engine::message::Role;
    use siltstone_engine::section::SectionKind;

    use super::*;
    use crate::tests::{request, section};

    #[test]
    fn the_window_asked_for_holds_the_request_and_the_reply() {
        let window = |tokens, max_output_tokens| {
            let mut draft = section(SectionKind::Draft, Role::User, "composer", "hi");
            draft.tokens = tokens;
            window_for(&ModelRequest { max_output_tokens, ..request(vec![draft]) })
        };
        assert_eq!(window(10, None), 4_096);
        assert_eq!(window(4_000, None), 8_192);
        assert_eq!(window(4_000, Some(10)), 8_192);
        assert_eq!(window(100_000, Some(1)), 131_072);
        assert_eq!(window(u64::MAX, None), u64::MAX);
    }

    #[test]
    fn a_model_that_makes_vectors_alone_is_none_to_talk_with() {
        let of = |can: Value| chatting(ModelInfo::named("m"), &json!({ "capabilities": can }));
        assert!(of(json!(["embedding"])).is_none());
        let talks = of(json!(["completion", "tools"])).unwrap();
        assert_eq!((talks.takes_tools, talks.takes_images), (Some(true), Some(false)));
        assert!(of(Value::Null).is_some(), "a server that does not say");
    }
}
