//! From the events of a stream to chunks, for every wire format. Pure: events in through [`Reply::take`], chunks out of
//! [`Reply::next`]; the format's own words are read by its [`Wire`].
//!
//! A reply is whole when the server named a reason to finish, and only if every event was readable: text that came is
//! shown, but a reply with a hole in it is not called whole. Anything else that ends is cut. Tool calls come in shreds
//! and leave whole, once the reply is; of a reply that reached its limit only those that are evidently whole leave, and of
//! one that was withheld none. Servers call the same end by different names: a reply that has calls wants tools.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use serde_json::Value;
use siltstone_engine::message::{Part, Role, SealForm};
use siltstone_engine::provider::{Chunk, FinishReason, ModelRequest, ProviderError};
use siltstone_engine::tokens;
use siltstone_engine::turn::Usage;

use crate::faults::{self, Asked};
use crate::remote::Wire;
use crate::thoughts::{Said, Thoughts};

/// What the end of an OpenAI stream says; no other format uses the word.
const DONE: &str = "[DONE]";

/// A call without arguments.
const NO_ARGUMENTS: &str = "{}";

/// What the ids begin with that we give to calls without one.
pub(crate) const MADE_UP: &str = "call_";

/// A tool call that is being read.
#[derive(Default)]
pub(crate) struct Call {
    index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
    pub seal: Option<String>,
}

impl Call {
    /// Whether nothing is missing of its arguments; of none it cannot be known.
    fn is_whole(&self) -> bool {
        serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok()
    }
}

/// A reply that is being read.
pub(crate) struct Reply {
    asked: Asked,
    /// The ids of the calls that were made before.
    taken: HashSet<String>,
    ready: VecDeque<Result<Chunk, ProviderError>>,
    calls: Vec<Call>,
    finish: Option<FinishReason>,
    hole: Option<ProviderError>,
    /// What of the text is thought.
    thoughts: Thoughts,
    /// Of the thought that is being read.
    signature: String,
    /// What the server wants back with all that was thought, if tools are called in this turn.
    owed: Option<&'static str>,
    /// The same, as a list that comes in shreds.
    details: Vec<Value>,
    /// Whether the request brings results.
    answers: bool,
    counted: Usage,
    estimate: Usage,
    over: bool,
}

impl Reply {
    pub(crate) fn new(request: &ModelRequest) -> Self {
        let input_tokens = request.sections.iter().map(|section| section.tokens).sum();
        Self {
            asked: Asked::from(request),
            taken: taken(request),
            ready: VecDeque::new(),
            calls: Vec::new(),
            finish: None,
            hole: None,
            thoughts: Thoughts::default(),
            signature: String::new(),
            owed: None,
            details: Vec::new(),
            answers: answers(request),
            counted: Usage { exact: true, ..Usage::default() },
            estimate: Usage { input_tokens, ..Usage::default() },
            over: false,
        }
    }

    /// The next chunk that is ready.
    pub(crate) fn next(&mut self) -> Option<Result<Chunk, ProviderError>> {
        self.ready.pop_front()
    }

    /// Whether nothing of what may still come matters.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes the data of one event.
    pub(crate) fn take(&mut self, wire: &dyn Wire, data: &str) {
        // A byte order mark may stand before the first line.
        let data = data.trim_start_matches('\u{FEFF}').trim();
        if data == DONE {
            self.ended();
            return;
        }
        if data.is_empty() {
            return;
        }
        match json(data) {
            Ok(event) if event.get("error").is_some_and(|error| !error.is_null()) => {
                self.fail(faults::of_event(&event, &self.asked));
            }
            Ok(event) => wire.read(&event, self),
            Err(error) => {
                let hole = ProviderError::Malformed { detail: error.to_string() };
                self.hole.get_or_insert(hole);
            }
        }
    }

    /// More of the answer, or of thoughts that a server leaves in it.
    pub(crate) fn say(&mut self, text: Option<&str>) {
        let said = self.thoughts.hear(text.unwrap_or_default());
        self.hear_all(said);
    }

    /// What was held back because it might have begun a mark.
    fn say_rest(&mut self) {
        let said = self.thoughts.rest();
        self.hear_all(said);
    }

    fn hear_all(&mut self, said: Vec<Said>) {
        for said in said {
            match said {
                Said::Thought(text) => self.hear(Some(&text), Chunk::Reasoning),
                Said::Answer(text) => self.hear(Some(&text), Chunk::Text),
            }
        }
    }

    /// More of the thinking.
    pub(crate) fn think(&mut self, text: Option<&str>) {
        self.hear(text, Chunk::Reasoning);
    }

    fn hear(&mut self, text: Option<&str>, as_chunk: fn(String) -> Chunk) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.estimate.output_tokens += tokens::estimate(text);
            self.ready.push_back(Ok(as_chunk(text.to_owned())));
        }
    }

    /// More of the signature of the thought that is being read.
    pub(crate) fn sign(&mut self, more: Option<&str>) {
        self.signature.push_str(more.unwrap_or_default());
    }

    /// The thought is over; its signature is whole.
    pub(crate) fn signed(&mut self) {
        let signature = std::mem::take(&mut self.signature);
        self.seal(SealForm::Signature, Some(&signature));
    }

    /// What the provider wants back with the thought that came before.
    pub(crate) fn seal(&mut self, form: SealForm, data: Option<&str>) {
        if let Some(data) = data.filter(|data| !data.is_empty()) {
            self.ready.push_back(Ok(Chunk::Seal(form, data.to_owned())));
        }
    }

    /// What the server wants back with the thoughts of this reply, if it belongs to a turn with tools.
    pub(crate) fn owe(&mut self, data: &'static str) {
        self.owed = Some(data);
    }

    /// The same, for a server that wants a list back. Shreds of one text are one entry of it.
    pub(crate) fn owe_detail(&mut self, shred: &Value) {
        let told = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
        let whole = self.details.last_mut().filter(|last| {
            last["type"] == shred["type"]
                && last["index"] == shred["index"]
                && shred["type"] != "reasoning.encrypted"
        });
        let Some(whole) = whole else {
            self.details.push(shred.clone());
            return;
        };
        for name in ["text", "summary"] {
            if let Some(more) = told(shred, name) {
                whole[name] = Value::String(told(whole, name).unwrap_or_default() + &more);
            }
        }
        for name in ["signature", "id", "format"] {
            if let Some(said) = told(shred, name) {
                whole[name] = Value::String(said);
            }
        }
    }

    /// The tool call at `index`; without one, a new call behind the others.
    pub(crate) fn call(&mut self, index: Option<u64>) -> &mut Call {
        let at = index.and_then(|_| self.calls.iter().rposition(|call| call.index == index));
        self.call_at(at, index)
    }

    /// The tool call that a shred with this index, id and name belongs to. Some servers leave the index out, others
    /// give all calls the same one; an id that is another's begins a call, and so does a name behind a call that is
    /// whole.
    pub(crate) fn call_of(&mut self, index: Option<u64>, id: &str, name: &str) -> &mut Call {
        let same = |call: &Call| id.is_empty() || call.id.is_empty() || call.id == id;
        let at = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None if !id.is_empty() && self.calls.iter().any(|call| call.id == id) => {
                self.calls.iter().rposition(|call| call.id == id)
            }
            None => self.calls.len().checked_sub(1).filter(|last| {
                let call = &self.calls[*last];
                id.is_empty() && (name.is_empty() || call.name == name) && !call.is_whole()
            }),
        };
        self.call_at(at.filter(|at| same(&self.calls[*at])), index)
    }

    fn call_at(&mut self, at: Option<usize>, index: Option<u64>) -> &mut Call {
        let at = at.unwrap_or_else(|| {
            self.calls.push(Call { index, ..Call::default() });
            self.calls.len() - 1
        });
        &mut self.calls[at]
    }

    /// What the server has counted so far; a later count replaces an earlier one. Some servers send zeros, which are
    /// none.
    pub(crate) fn count(&mut self, input_tokens: Option<u64>, output_tokens: Option<u64>) {
        keep(&mut self.counted.input_tokens, input_tokens);
        keep(&mut self.counted.output_tokens, output_tokens);
    }

    /// How many of the tokens that were sent the server found in its cache and wrote to it.
    pub(crate) fn count_cached(&mut self, found: Option<u64>, written: Option<u64>) {
        keep(&mut self.counted.cached_input_tokens, found);
        keep(&mut self.counted.cache_write_tokens, written);
    }

    /// The server named a reason to finish. Numbers may still come.
    pub(crate) fn finish(&mut self, reason: FinishReason) {
        self.finish = Some(reason);
    }

    /// The events ended, by word or by closing the connection.
    pub(crate) fn ended(&mut self) {
        self.say_rest();
        let cut = || ProviderError::Cut { detail: "no reason to finish was given".to_owned() };
        let finish = match (self.hole.take(), self.finish) {
            (Some(hole), _) => return self.fail(hole),
            (None, None) => return self.fail(cut()),
            (None, Some(finish)) => finish,
        };
        let calls = match finish {
            FinishReason::Filtered => false,
            FinishReason::Length => self.call_tools(Call::is_whole),
            FinishReason::Stop | FinishReason::ToolCalls => self.call_tools(|_| true),
        };
        let finish = match finish {
            _ if calls => FinishReason::ToolCalls,
            FinishReason::ToolCalls => FinishReason::Stop,
            other => other,
        };
        self.ready.push_back(Ok(Chunk::Usage(self.usage())));
        self.ready.push_back(Ok(Chunk::Finished(finish)));
        self.over = true;
    }

    /// Lets those calls go that are wanted; whether there were any.
    fn call_tools(&mut self, wanted: fn(&Call) -> bool) -> bool {
        let mut calls = std::mem::take(&mut self.calls);
        calls.sort_by_key(|call| call.index);
        if self.answers || !calls.is_empty() {
            let details = std::mem::take(&mut self.details);
            let list = (!details.is_empty()).then(|| Value::Array(details).to_string());
            self.seal(SealForm::Signature, list.as_deref().or(self.owed));
        }
        let mut any = false;
        for (place, call) in calls.into_iter().filter(wanted).enumerate() {
            let arguments = match call.arguments.trim() {
                "" | "null" => NO_ARGUMENTS.to_owned(),
                _ => call.arguments,
            };
            // An announcement that nothing came of.
            if call.name.is_empty() && arguments == NO_ARGUMENTS {
                continue;
            }
            self.estimate.output_tokens +=
                tokens::estimate(&call.name) + tokens::estimate(&arguments);
            let id = self.fresh(call.id, place);
            let (name, seal) = (call.name, call.seal);
            self.ready.push_back(Ok(Chunk::ToolCall { id, name, arguments, seal }));
            any = true;
        }
        any
    }

    /// An id that no call of the request or the reply has: one is made up where there is none, and some servers number
    /// the calls of every reply anew.
    fn fresh(&mut self, id: String, place: usize) -> String {
        let (mut fresh, mut next) = match id.as_str() {
            "" => (format!("{MADE_UP}{place}"), place + 1),
            _ => (id.clone(), 2),
        };
        while !self.taken.insert(fresh.clone()) {
            fresh = match id.as_str() {
                "" => format!("{MADE_UP}{next}"),
                _ => format!("{id}_{next}"),
            };
            next += 1;
        }
        fresh
    }

    /// Numbers are the server's only if it counted what was sent.
    fn usage(&self) -> Usage {
        if self.counted.input_tokens == 0 { self.estimate } else { self.counted }
    }

    /// The connection broke. A reply that was already whole stays whole.
    pub(crate) fn broken(&mut self, error: ProviderError) {
        if self.finish.is_some() {
            self.ended();
        } else {
            self.fail(error);
        }
    }

    /// The server broke off and said so.
    pub(crate) fn broken_off(&mut self, reason: &str) {
        self.fail(ProviderError::Cut { detail: format!("the server broke off: {reason}") });
    }

    pub(crate) fn fail(&mut self, error: ProviderError) {
        if !self.over {
            self.say_rest();
            self.ready.push_back(Err(error));
            self.over = true;
        }
    }
}

/// Whether the last that a request says are results.
fn answers(request: &ModelRequest) -> bool {
    let mut said = request.sections.iter().rev().map(|section| section.role);
    said.next() == Some(Role::Tool)
}

fn taken(request: &ModelRequest) -> HashSet<String> {
    let parts = request.sections.iter().flat_map(|section| &section.parts);
    let ids = parts.filter_map(|part| match part {
        Part::ToolCall { id, .. } => Some(id.clone()),
        _ => None,
    });
    ids.collect()
}

fn keep(kept: &mut u64, counted: Option<u64>) {
    *kept = counted.filter(|counted| *counted > 0).unwrap_or(*kept);
}

/// Reads JSON. Half of a surrogate pair, which some servers send when they cut inside a character, becomes U+FFFD.
fn json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| match without_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    // The code unit of an escape that starts at this byte.
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut changed: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                let copy = changed.get_or_insert_with(|| bytes.to_vec());
                copy[at..at + 6].copy_from_slice(b"\\uFFFD");
                6
            }
            _ => 2,
        };
    }
    match changed.map(String::from_utf8) {
        Some(Ok(changed)) => Cow::Owned(changed),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_pair_is_replaced_and_nothing_else() {
        let read = |text: &str| json(text).map(|value| value.as_str().unwrap().to_owned());
        assert_eq!(read(r#""a\ud83db""#).unwrap(), "a\u{FFFD}b");
        assert_eq!(read(r#""\udc00\ud83d\ud83d\ude00""#).unwrap(), "\u{FFFD}\u{FFFD}😀");
        assert_eq!(read(r#""\\ud83d \ud83d""#).unwrap(), "\\ud83d \u{FFFD}");
        assert!(read(r#""\ud83"#).is_err());
        assert!(read("\"가\\ud83\u{AC00}\"").is_err());
    }
}
