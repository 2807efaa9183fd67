//! Whatever a conversation holds of calls and results, each format gets what it demands: a result for every call, at once
//! and in order, ids that tell calls apart, nothing of either where no tools are offered; and every result is said once.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::Value;
use siltstone_engine::provider::Effort;
use siltstone_engine::tool::ToolSpec;

use super::*;

/// A section, before it has words of its own.
#[derive(Clone, Debug)]
enum Said {
    Question,
    Passage,
    Now,
    Reply { text: &'static str, thought_by: Option<&'static str>, calls: Vec<Called> },
    Result { id: &'static str, is_error: bool },
}

#[derive(Clone, Debug)]
struct Called {
    id: &'static str,
    name: &'static str,
    arguments: &'static str,
    sealed_by: Option<&'static str>,
}

const MODEL: &str = "gemini-3-pro";

const IDS: [&str; 7] = [
    "a",
    "call_0",
    "call_1",
    "functions.read:0",
    "가 나",
    "",
    "0123456789012345678901234567890123456789012345",
];

fn called() -> impl Strategy<Value = Called> {
    let arguments =
        prop::sample::select(vec!["", "{}", "{\"path\":\"가\"}", "{\"path\":", "[1]", "null"]);
    let names = prop::sample::select(vec!["read_file", "read file", "9", ""]);
    let by = prop::sample::select(vec![None, Some(MODEL), Some("other")]);
    (prop::sample::select(&IDS[..]), names, arguments, by)
        .prop_map(|(id, name, arguments, sealed_by)| Called { id, name, arguments, sealed_by })
}

fn said() -> impl Strategy<Value = Said> {
    let reply = (
        prop::sample::select(vec!["", " \n", "Let me look."]),
        prop::sample::select(vec![None, Some(MODEL), Some("other")]),
        prop::collection::vec(called(), 0..4),
    );
    let result = (prop::sample::select(&IDS[..]), any::<bool>());
    prop_oneof![
        2 => Just(Said::Question),
        1 => Just(Said::Passage),
        1 => Just(Said::Now),
        4 => reply.prop_map(|(text, thought_by, calls)| Said::Reply { text, thought_by, calls }),
        6 => result.prop_map(|(id, is_error)| Said::Result { id, is_error }),
    ]
}

/// The section; `at` makes its words its own.
fn made(at: usize, said: &Said) -> Section {
    let kind = SectionKind::Turn;
    match said {
        Said::Question => section(kind, Role::User, "conversation", &format!("question-{at}.")),
        Said::Passage => {
            section(SectionKind::Passage, Role::User, "a.md:1", &format!("passage-{at}."))
        }
        Said::Now => {
            section(SectionKind::VolatileContext, Role::User, "context", &format!("now-{at}."))
        }
        Said::Reply { text, thought_by, calls } => {
            let mut reply = section(kind, Role::Assistant, "conversation", text);
            let thought = thought_by.map(|model| super::thought_by(model, "흠…", "Eq"));
            let calls = calls.iter().map(|call| Part::ToolCall {
                id: call.id.to_owned(),
                name: call.name.to_owned(),
                arguments: call.arguments.to_owned(),
                seal: call.sealed_by.map(|model| Seal {
                    model: model.to_owned(),
                    form: SealForm::Signature,
                    data: "Rs".to_owned(),
                }),
            });
            reply.parts = thought.into_iter().chain(calls).collect();
            reply
        }
        Said::Result { id, is_error } => {
            let text = format!("result-{at}.");
            let mut result = section(kind, Role::Tool, "read_file", &text);
            let (call_id, is_error) = ((*id).to_owned(), *is_error);
            result.parts = vec![Part::ToolResult { call_id, text, is_error, kept: None }];
            result
        }
    }
}

/// A call or a result as a body has it: its id or, where the format has none, its name.
type Ids = Vec<String>;

/// What one side says, in a form that is the same for all formats.
#[derive(Debug, Default)]
struct Turn {
    is_model: bool,
    /// How many pieces stand before the first result.
    before: usize,
    /// The rest: text, pictures.
    others: usize,
    calls: Ids,
    results: Ids,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

fn anthropic(body: &Value) -> Vec<Turn> {
    let messages = list(&body["messages"]);
    let turns = messages.iter().map(|message| {
        let mut turn = Turn { is_model: message["role"] == "assistant", ..Turn::default() };
        for block in list(&message["content"]) {
            match block["type"].as_str().unwrap() {
                "tool_use" => {
                    assert!(block["input"].is_object() && is_word(&text(&block["name"])));
                    assert!(is_word(&text(&block["id"])), "{block}");
                    turn.calls.push(text(&block["id"]));
                }
                "tool_result" => {
                    assert!(!text(&block["content"]).is_empty());
                    turn.before += if turn.results.is_empty() { turn.others } else { 0 };
                    turn.results.push(text(&block["tool_use_id"]));
                }
                "text" => {
                    assert!(!text(&block["text"]).trim().is_empty(), "{body:#}");
                    turn.others += 1;
                }
                _ => assert!(turn.is_model && turn.calls.is_empty(), "{body:#}"),
            }
        }
        assert!(!list(&message["content"]).is_empty());
        turn
    });
    let turns: Vec<Turn> = turns.collect();
    assert!(turns.windows(2).all(|two| two[0].is_model != two[1].is_model), "{body:#}");
    let ids: Vec<&String> = turns.iter().flat_map(|turn| &turn.calls).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{body:#}");
    // A server that was told to think in this turn wants to see what was thought.
    if body["thinking"]["type"] == "enabled" {
        let asked = turns.iter().rposition(|turn| !turn.is_model && turn.others > 0).unwrap_or(0);
        for (message, turn) in messages.iter().zip(&turns).skip(asked) {
            let thinks = message["content"][0]["type"] == "thinking";
            assert!(turn.calls.is_empty() || thinks, "{body:#}");
        }
    }
    turns
}

/// OpenAI's and Ollama's, which differ in what names a result.
fn flat(body: &Value, id: fn(&Value) -> String, answers: &str) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in list(&body["messages"]).iter().filter(|message| message["role"] != "system") {
        let role = text(&message["role"]);
        if role == "tool" {
            assert!(!text(&message["content"]).is_empty());
            let new = turns.last().is_none_or(|turn| turn.is_model);
            if new {
                turns.push(Turn::default());
            }
            let turn = turns.last_mut().unwrap();
            turn.before += turn.others;
            turn.results.push(text(&message[answers]));
            continue;
        }
        let calls: Vec<String> =
            message["tool_calls"].as_array().into_iter().flatten().map(id).collect();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments = &call["function"]["arguments"];
            let read = || serde_json::from_str::<Value>(arguments.as_str()?).ok();
            assert!(arguments.is_object() || read().is_some_and(|read| read.is_object()));
            assert!(is_word(&text(&call["function"]["name"])), "{call}");
        }
        let says = !message["content"].is_null() && message["content"] != "";
        assert!(says || !calls.is_empty(), "{body:#}");
        let is_model = role == "assistant";
        // The person's words after results are the same side's.
        match turns.last_mut().filter(|turn| !turn.is_model && !is_model) {
            Some(turn) => turn.others += 1,
            None => turns.push(Turn { is_model, others: 1, calls, ..Turn::default() }),
        }
    }
    turns
}

fn gemini(body: &Value) -> Vec<Turn> {
    let contents = list(&body["contents"]);
    let turns = contents.iter().map(|content| {
        let mut turn = Turn { is_model: content["role"] == "model", ..Turn::default() };
        let name = |said: &Value| format!("{}:{}", text(&said["name"]), said["id"]);
        for part in list(&content["parts"]) {
            if part["functionCall"].is_object() {
                assert!(part["functionCall"]["args"].is_object());
                turn.calls.push(name(&part["functionCall"]));
            } else if part["functionResponse"].is_object() {
                assert!(part["functionResponse"]["response"].is_object());
                turn.results.push(name(&part["functionResponse"]));
            } else {
                turn.others += 1;
            }
        }
        assert!(!list(&content["parts"]).is_empty());
        // As many results as there were calls, and nothing else beside them.
        assert!(turn.results.is_empty() || turn.others == 0, "{body:#}");
        turn
    });
    let turns: Vec<Turn> = turns.collect();
    let asked = turns.iter().rposition(|turn| !turn.is_model && turn.others > 0).unwrap_or(0);
    for (content, turn) in contents.iter().zip(&turns).skip(asked) {
        let first = list(&content["parts"]).iter().find(|part| part["functionCall"].is_object());
        let signed = first.is_none_or(|first| first["thoughtSignature"].is_string());
        assert!(turn.calls.is_empty() || signed, "{body:#}");
    }
    turns
}

/// What every format demands.
fn check(turns: &[Turn], body: &Value, with_tools: bool) {
    let nothing = Vec::new();
    assert!(turns.first().is_none_or(|turn| !turn.is_model), "{body:#}");
    for (at, turn) in turns.iter().enumerate() {
        let called = at.checked_sub(1).map_or(&nothing, |before| &turns[before].calls);
        assert_eq!(&turn.results, called, "results of {at}: {body:#}");
        assert_eq!(turn.before, 0, "something before a result: {body:#}");
        assert!(with_tools || turn.calls.is_empty(), "{body:#}");
    }
    assert!(turns.last().is_none_or(|turn| turn.calls.is_empty()), "{body:#}");
    assert_eq!(body["tools"].is_array(), with_tools, "{body:#}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_request_keeps_the_rules_of_its_format(
        all in prop::collection::vec(said(), 0..16),
        with_tools in any::<bool>(),
        thinks in any::<bool>(),
    ) {
        let sections = all.iter().enumerate().map(|(at, said)| made(at, said)).collect();
        let schema = serde_json::json!({"type": "object", "properties": {}});
        let tool = ToolSpec { name: "read_file".into(), description: "Reads.".into(), schema };
        let request = ModelRequest {
            tools: if with_tools { vec![tool] } else { Vec::new() },
            effort: thinks.then_some(Effort::High),
            ..ModelRequest::of(MODEL, sections, "en")
        };
        let asked = |wire: &dyn Wire, base_url: &str| {
            let (_, body) = wire.question(&request, &door(wire, base_url)).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            for (at, said) in all.iter().enumerate() {
                if let Said::Result { .. } = said {
                    let result = format!("result-{at}.");
                    assert_eq!(body.to_string().matches(&result).count(), 1, "{result}: {body:#}");
                }
            }
            body
        };
        let body = asked(&Anthropic, "https://api.anthropic.com/v1");
        check(&anthropic(&body), &body, with_tools);
        let body = asked(&Gemini, "https://example.com/v1beta");
        check(&gemini(&body), &body, with_tools);
        let body = asked(&Ollama, "http://127.0.0.1:1");
        check(&flat(&body, |call| text(&call["function"]["name"]), "tool_name"), &body, with_tools);
        let id = |call: &Value| text(&call["id"]);
        for (base_url, fits) in [
            ("http://127.0.0.1:1/v1", (|_| true) as fn(&str) -> bool),
            ("https://api.openai.com/v1", |id| is_word(id) && id.len() <= 40),
            ("https://api.mistral.ai/v1", |id| is_word(id) && id.len() == 9),
        ] {
            let body = asked(&OpenAi, base_url);
            let turns = flat(&body, id, "tool_call_id");
            check(&turns, &body, with_tools);
            let ids: Vec<&String> = turns.iter().flat_map(|turn| &turn.calls).collect();
            assert!(ids.iter().all(|id| fits(id)), "{base_url}: {ids:?}");
            assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{body:#}");
        }
    }
}
