//! From the events of a chat completion to chunks. Pure: events in through [`Reply::read`], chunks out of
//! [`Reply::next`].
//!
//! A reply is whole when the server named a reason to finish; whether it then says `[DONE]` does not matter. Anything
//! else that ends is cut. Tool calls come in shreds and leave whole, once the reply is.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use siltstone_engine::provider::{Chunk, FinishReason, ModelRequest, ProviderError};
use siltstone_engine::tokens;
use siltstone_engine::turn::Usage;

use crate::faults;

/// What the end of the events says.
const DONE: &str = "[DONE]";

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

/// A reply that is being read.
pub(super) struct Reply {
    model: String,
    ready: VecDeque<Result<Chunk, ProviderError>>,
    calls: BTreeMap<u64, Call>,
    finish: Option<FinishReason>,
    counted: Option<Usage>,
    estimate: Usage,
    over: bool,
}

impl Reply {
    pub(super) fn new(request: &ModelRequest) -> Self {
        let input_tokens = request.sections.iter().map(|section| section.tokens).sum();
        Self {
            model: request.model.clone(),
            ready: VecDeque::new(),
            calls: BTreeMap::new(),
            finish: None,
            counted: None,
            estimate: Usage { input_tokens, output_tokens: 0, exact: false },
            over: false,
        }
    }

    /// The next chunk that is ready.
    pub(super) fn next(&mut self) -> Option<Result<Chunk, ProviderError>> {
        self.ready.pop_front()
    }

    /// Whether nothing of what may still come matters.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes the data of one event.
    pub(super) fn read(&mut self, data: &str) {
        let data = data.trim();
        if data == DONE {
            self.ended();
            return;
        }
        if data.is_empty() {
            return;
        }
        let event: Value = match serde_json::from_str(data) {
            Ok(event) => event,
            Err(error) => {
                self.fail(ProviderError::Malformed { detail: error.to_string() });
                return;
            }
        };
        if event.get("error").is_some_and(|error| !error.is_null()) {
            self.fail(faults::of_event(&event, &self.model));
            return;
        }
        if let Some(usage) = usage(&event["usage"]) {
            self.counted = Some(usage);
        }
        // One answer was asked for; others would be mixed into it.
        let choice = &event["choices"][0];
        if choice["index"].as_u64().unwrap_or(0) == 0 {
            self.read_choice(choice);
        }
    }

    fn read_choice(&mut self, choice: &Value) {
        // A server that does not stream sends the whole under another name.
        let delta = match &choice["delta"] {
            Value::Null => &choice["message"],
            delta => delta,
        };
        let thought =
            ["reasoning_content", "reasoning"].iter().find_map(|field| delta[*field].as_str());
        self.say(thought, Chunk::Reasoning);
        self.say(delta["content"].as_str(), Chunk::Text);
        for shred in delta["tool_calls"].as_array().into_iter().flatten() {
            self.read_call(shred);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = finish_reason(reason);
        }
    }

    fn say(&mut self, text: Option<&str>, as_chunk: fn(String) -> Chunk) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.estimate.output_tokens += tokens::estimate(text);
            self.ready.push_back(Ok(as_chunk(text.to_owned())));
        }
    }

    fn read_call(&mut self, shred: &Value) {
        // Servers that send each call in one piece leave the index out.
        let index = shred["index"].as_u64().unwrap_or(self.calls.len() as u64);
        let call = self.calls.entry(index).or_default();
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

    /// The events ended, by word or by closing the connection.
    pub(super) fn ended(&mut self) {
        let Some(finish) = self.finish else {
            self.fail(ProviderError::Cut { detail: "no reason to finish was given".to_owned() });
            return;
        };
        for (index, call) in std::mem::take(&mut self.calls) {
            let id = if call.id.is_empty() { format!("call_{index}") } else { call.id };
            self.ready.push_back(Ok(Chunk::ToolCall {
                id,
                name: call.name,
                arguments: call.arguments,
            }));
        }
        let usage = self.counted.unwrap_or(self.estimate);
        self.ready.push_back(Ok(Chunk::Usage(usage)));
        self.ready.push_back(Ok(Chunk::Finished(finish)));
        self.over = true;
    }

    /// The connection broke. A reply that was already whole stays whole.
    pub(super) fn broken(&mut self, error: ProviderError) {
        if self.finish.is_some() {
            self.ended();
        } else {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: ProviderError) {
        self.ready.push_back(Err(error));
        self.over = true;
    }
}

/// `None` when nothing was counted: some servers send zeros.
fn usage(counted: &Value) -> Option<Usage> {
    let input_tokens = counted["prompt_tokens"].as_u64()?;
    let output_tokens = counted["completion_tokens"].as_u64()?;
    (input_tokens + output_tokens > 0).then_some(Usage { input_tokens, output_tokens, exact: true })
}

/// `None` for a reason that is none: the server broke off.
fn finish_reason(said: &str) -> Option<FinishReason> {
    match said {
        "error" => None,
        "length" | "max_tokens" => Some(FinishReason::Length),
        "tool_calls" | "function_call" => Some(FinishReason::ToolCalls),
        "content_filter" => Some(FinishReason::Filtered),
        _ => Some(FinishReason::Stop),
    }
}
