//! Gemini's generateContent, streamed. The base URL ends with the version segment.
//!
//! A signature belongs to the part it came with or to the one after its thought; going back, it stands on the part that
//! follows the thought. The text of a thought is never sent. Calls keep their own; from Gemini 3 on the first of a reply
//! needs one, so a call that another model made says that there is none to check.

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json};
use siltstone_engine::message::SealForm;
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::{Effort, FinishReason, ModelInfo, ModelRequest, ProviderError};
use siltstone_engine::tool::ToolSpec;

use crate::http::{Door, KeyHeader};
use crate::remote::{self, Wire};
use crate::reply::{MADE_UP, Reply};
use crate::talk::{Ids, Piece, Side, Talk};
use crate::tools;

/// What it reads besides text.
const CARRIED: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "application/pdf"];

pub(crate) struct Gemini;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
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
    Call {
        function_call: FunctionCall,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<String>,
    },
    Answer {
        function_response: FunctionResponse,
    },
}

#[derive(Serialize)]
struct FunctionCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    args: Value,
}

#[derive(Serialize)]
struct FunctionResponse {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    response: Value,
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
        let talk = Talk::of(request, &CARRIED, Ids::Any);
        let current = talk.current();
        let checked = generation(&request.model).is_some_and(|generation| generation >= 3.0);
        let system = Some(talk.system).filter(|system| !system.is_empty());
        let turns = talk.turns.into_iter().enumerate();
        let body = Body {
            tools: declared(&request.tools),
            system_instruction: system.map(|text| {
                let text = Part::Text { text, thought_signature: None };
                Content { role: None, parts: vec![text] }
            }),
            contents: turns
                .flat_map(|(at, turn)| contents(turn, checked && at > current))
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
            if part["functionCall"].is_object() {
                read_call(part, reply);
            } else {
                reply.seal(SealForm::Signature, part["thoughtSignature"].as_str());
            }
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
                talks.then(|| ModelInfo {
                    context_window: entry["inputTokenLimit"].as_u64().filter(|limit| *limit > 0),
                    ..ModelInfo::named(name.strip_prefix("models/").unwrap_or(name))
                })
            })
        })
    }
}

/// The tools, all in one list.
fn declared(tools: &[ToolSpec]) -> Vec<Value> {
    let declaration = |tool: &ToolSpec| {
        let ToolSpec { name, description, .. } = tool;
        // The other name for it takes a subset of JSON schema alone.
        let parameters = tools::parameters(tool);
        json!({"name": name, "description": description, "parametersJsonSchema": parameters})
    };
    let declarations: Vec<Value> = tools.iter().map(declaration).collect();
    if declarations.is_empty() {
        return Vec::new();
    }
    vec![json!({ "functionDeclarations": declarations })]
}

/// What stands for the signature of a call that has none.
const UNCHECKED: &str = "skip_thought_signature_validator";

/// What one side says: results by themselves, as many as there were calls, before all else.
fn contents((side, said): (Side, Vec<Piece>), checked: bool) -> Vec<Content> {
    let mut signature = None;
    let (mut answers, mut parts) = (Vec::new(), Vec::new());
    let mut first = true;
    for piece in said {
        match piece {
            Piece::Text(text) => {
                parts.push(Part::Text { text, thought_signature: signature.take() });
            }
            Piece::Image { media_type, data } | Piece::File { media_type, data, .. } => {
                parts.push(Part::Data { inline_data: Blob { mime_type: media_type, data } });
            }
            Piece::Thought { data, .. } => signature = Some(data),
            Piece::Call { id, name, arguments, seal, .. } => {
                let unchecked = (checked && first).then(|| UNCHECKED.to_owned());
                first = false;
                let thought_signature = seal.or(signature.take()).or(unchecked);
                let function_call = FunctionCall { id: its_own(id), name, args: arguments };
                parts.push(Part::Call { function_call, thought_signature });
            }
            Piece::Result { id, name, text, is_error } => {
                let response = json!({ if is_error { "error" } else { "output" }: text });
                let function_response = FunctionResponse { id: its_own(id), name, response };
                answers.push(Part::Answer { function_response });
            }
        }
    }
    let role = Some(side.name("model"));
    let contents = [answers, parts].into_iter().filter(|parts| !parts.is_empty());
    contents.map(|parts| Content { role, parts }).collect()
}

/// An id that the server gave; those that we made up, because it gave none, it need not know.
fn its_own(id: String) -> Option<String> {
    let made_up = id.strip_prefix(MADE_UP);
    let ours = made_up.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '_'));
    (!ours).then_some(id)
}

/// The generation of one of Google's models; a name without a number is that of the latest.
fn generation(model: &str) -> Option<f32> {
    let generation = model.strip_prefix("gemini-")?.split('-').next()?;
    Some(generation.parse().unwrap_or(f32::MAX))
}

/// How a model is told how much to think: 2.5 by a budget, those after it by a level, those before it not at all.
fn thinking(model: &str, effort: Effort) -> Option<ThinkingConfig> {
    let generation = generation(model)?;
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

/// Calls come whole, each with its signature.
fn read_call(part: &Value, reply: &mut Reply) {
    let said = &part["functionCall"];
    let call = reply.call(None);
    said["name"].as_str().unwrap_or_default().clone_into(&mut call.name);
    said["id"].as_str().unwrap_or_default().clone_into(&mut call.id);
    if !said["args"].is_null() {
        call.arguments = said["args"].to_string();
    }
    call.seal = part["thoughtSignature"].as_str().map(str::to_owned);
}

fn read_end(reason: &str, reply: &mut Reply) {
    match reason {
        // A reply with calls in it stops too.
        "STOP" => reply.finish(FinishReason::Stop),
        // A word of those that stand in for Gemini.
        "FUNCTION_CALL" => reply.finish(FinishReason::ToolCalls),
        "MAX_TOKENS" => reply.finish(FinishReason::Length),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => reply.finish(FinishReason::Filtered),
        other => reply.broken_off(other),
    }
}
