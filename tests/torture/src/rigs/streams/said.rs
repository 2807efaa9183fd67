//! Replies as each wire format writes them, event by event, so that it is known what has to be seen of every piece.

use serde_json::{Value, json};
use siltstone_engine::provider::ProviderKind;

use crate::chance::Chance;

/// The wire formats.
pub const KINDS: [ProviderKind; 4] =
    [ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Ollama];

/// Whether a format frames its events as server-sent events; the other one has lines.
pub fn has_events(kind: ProviderKind) -> bool {
    kind != ProviderKind::Ollama
}

/// What a format calls itself on the command line and in the recorded streams.
pub fn name(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Offline => "offline",
        ProviderKind::Openai => "openai",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Gemini => "gemini",
        ProviderKind::Ollama => "ollama",
        ProviderKind::Agent => "agent",
    }
}

/// The last segment of a base URL.
pub fn version(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Openai | ProviderKind::Anthropic => "/v1",
        ProviderKind::Gemini => "/v1beta",
        ProviderKind::Ollama | ProviderKind::Offline | ProviderKind::Agent => "",
    }
}

/// Something a model does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// What stands before everything else, where a format has it.
    Start,
    /// Thinks aloud.
    Thought(String),
    /// Says.
    Text(String),
    /// Begins a call of the canary tool, with half of its arguments where a format sends them in shreds.
    HalfCall,
    /// The rest of that call; the whole of it in a format without shreds.
    RestOfCall,
    /// Gives its reason to finish.
    Finish(Reason),
    /// What stands after everything else, where a format has it.
    Done,
}

/// Why it finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It had said everything.
    Stop,
    /// It reached its limit.
    Length,
    /// It wants its tools.
    Tools,
}

/// The tool that is called in streams; what it would write gives it away.
pub const TOOL: &str = "write_file";

/// Where the canary tool would write.
pub const CANARY: &str = "canary.txt";

fn arguments() -> [String; 2] {
    [format!("{{\"path\":\"{CANARY}\","), "\"text\":\"sung\"}".to_owned()]
}

fn whole_arguments() -> Value {
    json!({"path": CANARY, "text": "sung"})
}

/// One event's bytes around this JSON.
pub fn framed(kind: ProviderKind, body: &str) -> String {
    match has_events(kind) {
        true => format!("data: {body}\n\n"),
        false => format!("{body}\n"),
    }
}

/// What somebody says, as this format writes it; empty where the format has nothing for it.
pub fn written(kind: ProviderKind, said: &Said) -> String {
    let body = match kind {
        ProviderKind::Anthropic => return anthropic(said),
        ProviderKind::Openai => openai(said),
        ProviderKind::Gemini => gemini(said),
        // The other two have no wire.
        ProviderKind::Ollama | ProviderKind::Offline | ProviderKind::Agent => ollama(said),
    };
    body.map(|body| framed(kind, &body)).unwrap_or_default()
}

fn openai(said: &Said) -> Option<String> {
    let chunk = |delta: Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        Some(json!({"object": "chat.completion.chunk", "choices": [choice]}).to_string())
    };
    let shred = |id: Option<&str>, name: Option<&str>, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        chunk(json!({"tool_calls": [{"index": 0, "id": id, "function": function}]}), None)
    };
    let [half, rest] = arguments();
    match said {
        Said::Start => chunk(json!({"role": "assistant", "content": ""}), None),
        Said::Thought(text) => chunk(json!({ "reasoning_content": text }), None),
        Said::Text(text) => chunk(json!({ "content": text }), None),
        Said::HalfCall => shred(Some("call_a"), Some(TOOL), &half),
        Said::RestOfCall => shred(None, None, &rest),
        Said::Finish(reason) => {
            let reason = match reason {
                Reason::Stop => "stop",
                Reason::Length => "length",
                Reason::Tools => "tool_calls",
            };
            chunk(json!({}), Some(reason))
        }
        Said::Done => Some("[DONE]".to_owned()),
    }
}

fn anthropic(said: &Said) -> String {
    let event = |name: &str, rest: Value| {
        let mut body = json!({ "type": name });
        if let (Value::Object(body), Value::Object(rest)) = (&mut body, rest) {
            body.extend(rest);
        }
        format!("event: {name}\ndata: {body}\n\n")
    };
    let delta = |index: u32, delta: Value| {
        event("content_block_delta", json!({"index": index, "delta": delta}))
    };
    let [half, rest] = arguments();
    match said {
        Said::Start => {
            let usage = json!({"input_tokens": 9, "output_tokens": 1});
            event("message_start", json!({"message": {"role": "assistant", "usage": usage}}))
        }
        Said::Thought(text) => delta(0, json!({"type": "thinking_delta", "thinking": text})),
        Said::Text(text) => delta(1, json!({"type": "text_delta", "text": text})),
        Said::HalfCall => {
            let block = json!({"type": "tool_use", "id": "call_a", "name": TOOL, "input": {}});
            event("content_block_start", json!({"index": 2, "content_block": block}))
                + &delta(2, json!({"type": "input_json_delta", "partial_json": half}))
        }
        Said::RestOfCall => delta(2, json!({"type": "input_json_delta", "partial_json": rest})),
        Said::Finish(reason) => {
            let reason = match reason {
                Reason::Stop => "end_turn",
                Reason::Length => "max_tokens",
                Reason::Tools => "tool_use",
            };
            let usage = json!({"output_tokens": 7});
            event("message_delta", json!({"delta": {"stop_reason": reason}, "usage": usage}))
        }
        Said::Done => event("message_stop", json!({})),
    }
}

fn gemini(said: &Said) -> Option<String> {
    let part = |part: Value| {
        let content = json!({"role": "model", "parts": [part]});
        Some(json!({"candidates": [{ "content": content }]}).to_string())
    };
    match said {
        Said::Start | Said::HalfCall | Said::Done => None,
        Said::Thought(text) => part(json!({"text": text, "thought": true})),
        Said::Text(text) => part(json!({ "text": text })),
        Said::RestOfCall => {
            part(json!({"functionCall": {"name": TOOL, "args": whole_arguments()}}))
        }
        Said::Finish(reason) => {
            let reason = if *reason == Reason::Length { "MAX_TOKENS" } else { "STOP" };
            let content = json!({"parts": [{"text": ""}]});
            let candidate = json!({"content": content, "finishReason": reason});
            let usage = json!({"promptTokenCount": 9, "candidatesTokenCount": 7});
            Some(json!({"candidates": [candidate], "usageMetadata": usage}).to_string())
        }
    }
}

fn ollama(said: &Said) -> Option<String> {
    let message = |message: Value| Some(json!({"message": message, "done": false}).to_string());
    match said {
        Said::Start | Said::HalfCall | Said::Done => None,
        Said::Thought(text) => message(json!({"content": "", "thinking": text})),
        Said::Text(text) => message(json!({"role": "assistant", "content": text})),
        Said::RestOfCall => {
            let function = json!({"name": TOOL, "arguments": whole_arguments()});
            message(json!({"content": "", "tool_calls": [{ "function": function }]}))
        }
        Said::Finish(reason) => {
            let reason = if *reason == Reason::Length { "length" } else { "stop" };
            let end = json!({
                "message": {"content": ""}, "done": true, "done_reason": reason,
                "prompt_eval_count": 9, "eval_count": 7,
            });
            Some(end.to_string())
        }
    }
}

/// A reply of chance: thoughts, words in several scripts, now and then a call.
pub fn drawn(chance: &mut Chance) -> Vec<Said> {
    const WORDS: [&str; 14] = [
        "port ",
        "5433",
        "\n\n",
        "포트는 ",
        "이에요.",
        "🪨",
        "👩‍👩‍👧",
        "`x`",
        "\"",
        "\\",
        "```\n",
        "é",
        "\u{2028}",
        "<b>",
    ];
    let words = |chance: &mut Chance, most: u64| -> String {
        let many = 1 + chance.below(most);
        (0..many).filter_map(|_| chance.pick(&WORDS).copied()).collect()
    };
    let mut said = vec![Said::Start];
    for _ in 0..chance.below(3) {
        said.push(Said::Thought(words(chance, 4)));
    }
    for _ in 0..1 + chance.below(6) {
        said.push(Said::Text(words(chance, 5)));
    }
    let calls = chance.below(3) == 0;
    if calls {
        said.extend([Said::HalfCall, Said::RestOfCall]);
    }
    let reason = match chance.below(4) {
        0 => Reason::Length,
        _ if calls => Reason::Tools,
        _ => Reason::Stop,
    };
    said.extend([Said::Finish(reason), Said::Done]);
    said
}

/// The text of these.
pub fn text(said: &[Said]) -> String {
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
