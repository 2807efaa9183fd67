//! Gemini's generateContent, streamed. The base URL ends with the version segment.
//!
//! A signature belongs to the part it came with or to the one after its thought; going back, it stands on the part that
//! follows the thought. The text of a thought is never sent.

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json};
use siltstone_engine::message::SealForm;
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{Effort, FinishReason, ModelInfo, ModelRequest, ProviderError};

use crate::http::{Door, KeyHeader};
use crate::makers;
use crate::remote::{self, Wire};
use crate::reply::Reply;
use crate::talk::{Piece, Talk};

/// What it reads besides text.
const CARRIED: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "application/pdf"];

pub(crate) struct Gemini;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content>,
    contents: Vec<Content>,
    generation_config: GenerationConfig,
}

#[derive(Serialize)]
struct Content {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<Part>,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Part {
    Text {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<String>,
    },
    Data {
        inline_data: Blob,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob {
    mime_type: String,
    data: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_schema: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    include_thoughts: bool,
    #[serde(flatten)]
    amount: Amount,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Amount {
    /// Tokens, for the generation that counted them.
    ThinkingBudget(u32),
    ThinkingLevel(&'static str),
}

/// A schema without the words that this format refuses: to it, every object is closed.
fn closed(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            fields.remove("additionalProperties");
            fields.values_mut().for_each(|value| *value = closed(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = closed(item.take())),
        _ => {}
    }
    schema
}

impl Wire for Gemini {
    /// In a header: what stands in an address is written into logs everywhere on the way.
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "x-goog-api-key", scheme: "" }
    }

    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError> {
        let talk = Talk::of(request, &CARRIED);
        let content = |role, said| Content { role, parts: parts(said) };
        let body = Body {
            system_instruction: (!talk.system.is_empty())
                .then(|| content(None, vec![Piece::Text(talk.system)])),
            contents: talk
                .turns
                .into_iter()
                .map(|(side, said)| content(Some(side.name("model")), said))
                .collect(),
            generation_config: GenerationConfig {
                max_output_tokens: request.max_output_tokens,
                temperature: request.temperature,
                thinking_config: request.effort.and_then(|effort| thinking(&request.model, effort)),
                response_mime_type: request.schema.is_some().then_some("application/json"),
                response_schema: request.schema.clone().map(closed),
            },
        };
        // A tuned model names its own collection.
        let (collection, model) =
            request.model.split_once('/').unwrap_or(("models", &request.model));
        let mut url = door.address(&[collection, &format!("{model}:streamGenerateContent")]);
        url.set_query(Some("alt=sse"));
        Ok((url, remote::body(&body)?))
    }

    fn read(&self, event: &Value, reply: &mut Reply) {
        // An answer that is not streamed is a list of what the events would have been.
        if let Some(events) = event.as_array() {
            for event in events {
                self.read(event, reply);
            }
            return;
        }
        let usage = &event["usageMetadata"];
        let said = usage["candidatesTokenCount"].as_u64();
        let thought = usage["thoughtsTokenCount"].as_u64();
        let output = said.map(|said| said.saturating_add(thought.unwrap_or(0))).or(thought);
        reply.count(usage["promptTokenCount"].as_u64(), output);
        reply.count_cached(usage["cachedContentTokenCount"].as_u64(), None);
        if let Some(reason) = event["promptFeedback"]["blockReason"].as_str() {
            let detail = format!("the question was blocked: {reason}");
            reply.fail(ProviderError::Refused { status: 200, detail });
            return;
        }
        let candidate = &event["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            if part["thought"] == true {
                reply.think(part["text"].as_str());
            } else {
                reply.say(part["text"].as_str());
            }
            reply.seal(SealForm::Signature, part["thoughtSignature"].as_str());
            read_call(&part["functionCall"], reply);
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            read_end(reason, reply);
        }
    }

    fn models<'a>(&'a self, door: &'a Door) -> Asked<'a, Vec<ModelInfo>> {
        Box::pin(async move {
            let mut url = door.address(&["models"]);
            url.set_query(Some("pageSize=1000"));
            let answer = remote::fetch(door, &url).await?;
            remote::listed(answer.get("models"), |entry| {
                let can = entry["supportedGenerationMethods"].as_array();
                // Those that only embed or draw are no partners in a conversation.
                let talks = can.is_none_or(|can| can.contains(&json!("generateContent")));
                let name = entry["name"].as_str()?;
                talks.then(|| {
                    makers::completed(ModelInfo {
                        context_window: entry["inputTokenLimit"]
                            .as_u64()
                            .filter(|limit| *limit > 0),
                        ..ModelInfo::named(name.strip_prefix("models/").unwrap_or(name))
                    })
                })
            })
        })
    }
}

fn parts(said: Vec<Piece>) -> Vec<Part> {
    let mut signature = None;
    let mut parts = Vec::new();
    for piece in said {
        match piece {
            Piece::Text(text) => {
                parts.push(Part::Text { text, thought_signature: signature.take() });
            }
            Piece::Image { media_type, data } | Piece::File { media_type, data, .. } => {
                parts.push(Part::Data { inline_data: Blob { mime_type: media_type, data } });
            }
            Piece::Thought { data, .. } => signature = Some(data),
        }
    }
    parts
}

/// How a model is told how much to think: 2.5 by a budget, those after it by a level, those before it not at all.
fn thinking(model: &str, effort: Effort) -> Option<ThinkingConfig> {
    let generation = model.strip_prefix("gemini-")?.split('-').next()?;
    // A name without a number is that of the latest.
    let generation: f32 = generation.parse().unwrap_or(f32::MAX);
    if generation < 2.5 {
        return None;
    }
    let amount = if generation < 3.0 {
        Amount::ThinkingBudget(match effort {
            // The larger one cannot do without.
            Effort::Minimal if model.contains("pro") => 128,
            Effort::Minimal => 0,
            Effort::Low => 1_024,
            Effort::Medium => 8_192,
            Effort::High => 24_576,
        })
    } else {
        Amount::ThinkingLevel(match effort {
            // The least that each of them knows.
            Effort::Minimal | Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        })
    };
    // Where nothing is thought, nothing may be asked to be shown.
    let include_thoughts = !matches!(amount, Amount::ThinkingBudget(0));
    Some(ThinkingConfig { include_thoughts, amount })
}

/// Calls come whole.
fn read_call(said: &Value, reply: &mut Reply) {
    let Some(name) = said["name"].as_str() else {
        return;
    };
    let call = reply.call(None);
    name.clone_into(&mut call.name);
    said["id"].as_str().unwrap_or_default().clone_into(&mut call.id);
    call.arguments = match &said["args"] {
        Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    };
}

fn read_end(reason: &str, reply: &mut Reply) {
    match reason {
        // A reply with calls in it stops too; stand-ins for Gemini have a word of their own for it.
        "STOP" | "FUNCTION_CALL" if reply.calls_tools() => reply.finish(FinishReason::ToolCalls),
        "STOP" => reply.finish(FinishReason::Stop),
        "MAX_TOKENS" => reply.finish(FinishReason::Length),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => reply.finish(FinishReason::Filtered),
        other => reply.broken_off(other),
    }
}
