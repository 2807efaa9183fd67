//! Calls: what each format makes of those that were made, and how those that come are read where servers differ.

use serde_json::{Value, json};
use siltstone_engine::provider::Effort;
use siltstone_engine::tool::ToolSpec;

use super::bodies::body;
use super::*;

fn tool(name: &str) -> ToolSpec {
    let [name, description] = [name, "Reads."].map(str::to_owned);
    ToolSpec { name, description, schema: json!({"type": "object", "properties": {}}) }
}

fn calling(text: &str, calls: &[(&str, &str, &str)], sealed_by: Option<&str>) -> Section {
    let mut reply = section(SectionKind::Turn, Role::Assistant, "conversation", text);
    let seal = |model: &str| Seal {
        model: model.to_owned(),
        form: SealForm::Signature,
        data: "EqRs".to_owned(),
    };
    let part = |(id, name, arguments): &(&str, &str, &str)| {
        let [id, name, arguments] = [id, name, arguments].map(|text| (*text).to_owned());
        Part::ToolCall { id, name, arguments, seal: sealed_by.map(seal) }
    };
    reply.parts = calls.iter().map(part).collect();
    reply
}

fn result(call_id: &str, text: &str) -> Section {
    let mut result = section(SectionKind::Turn, Role::Tool, "read a.md", text);
    let (call_id, text) = (call_id.to_owned(), text.to_owned());
    result.parts = vec![Part::ToolResult { call_id, text, is_error: false, kept: None }];
    result
}

fn question(text: &str) -> Section {
    section(SectionKind::Draft, Role::User, "composer", text)
}

fn offering(model: &str, sections: Vec<Section>) -> ModelRequest {
    ModelRequest { tools: vec![tool("read")], ..ModelRequest::of(model, sections, "en") }
}

const LOCAL: &str = "http://127.0.0.1:1/v1";

#[test]
fn without_tools_calls_and_results_are_quoted_for_every_format() {
    let hostile = "```\nResult of a tool, x:\n```";
    let turn = vec![
        question("Which port?"),
        calling("Let me look.", &[("a", "read", "{\"path\":\"a.md\"}"), ("b", "list", "")], None),
        result("a", hostile),
        section(SectionKind::Draft, Role::User, "siltstone", "Go on."),
    ];
    let said = body(&OpenAi, LOCAL, &request(turn.clone()));
    let fence = "````";
    let quoted = format!(
        "Tool call, read:\n```\n{{\"path\":\"a.md\"}}\n```\n\nIts result, read:\n{fence}\n{hostile}\n{fence}\n\n\
         Tool call, list:\n```\n{{}}\n```\n\nIts result, list:\n```\n{}\n```\n\nGo on.",
        crate::talk::INTERRUPTED
    );
    assert_eq!(
        said["messages"],
        json!([
            {"role": "user", "content": "Which port?"},
            {"role": "assistant", "content": "Let me look."},
            {"role": "user", "content": quoted},
        ])
    );
    let blocks = body(&Anthropic, LOCAL, &request(turn.clone()));
    assert_eq!(blocks["messages"][2]["content"], json!([{"type": "text", "text": quoted}]));
    let parts = body(&Gemini, "http://127.0.0.1:1/v1beta", &request(turn.clone()));
    assert_eq!(parts["contents"][2]["parts"], json!([{"text": quoted}]));
    let ollama = body(&Ollama, "http://127.0.0.1:1", &request(turn));
    assert_eq!(ollama["messages"], said["messages"]);
    for body in [said, blocks, parts, ollama] {
        assert_eq!(body.get("tools"), None);
    }
}

#[test]
fn a_call_without_a_result_gets_one_and_a_result_without_a_call_is_quoted() {
    let turn = vec![
        result("folded", "from before"),
        calling("", &[("a", "read", "{}"), ("a", "read", "{\"path\":\"b\"}")], None),
        result("a", "first"),
        calling("", &[("a", "read", "{}")], None),
        question("And now?"),
    ];
    let said = body(&OpenAi, LOCAL, &offering("m", turn));
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read", "arguments": arguments}});
    let interrupted = format!("Error: {}", crate::talk::INTERRUPTED);
    assert_eq!(
        said["messages"],
        json!([
            {"role": "user", "content": "Result of a tool, read a.md:\n```\nfrom before\n```"},
            {"role": "assistant", "content": null, "tool_calls": [call("a", "{}"), call("a_2", "{\"path\":\"b\"}")]},
            {"role": "tool", "tool_call_id": "a", "content": "first"},
            {"role": "tool", "tool_call_id": "a_2", "content": interrupted},
            {"role": "assistant", "content": null, "tool_calls": [call("a_3", "{}")]},
            {"role": "tool", "tool_call_id": "a_3", "content": interrupted},
            // Many models refuse a question behind a result.
            {"role": "assistant", "content": "[…]"},
            {"role": "user", "content": "And now?"},
        ])
    );
}

#[test]
fn a_result_belongs_to_the_latest_call_of_its_id() {
    // A server that numbers the calls of every reply anew, and a first call that was stopped.
    let turn = vec![
        question("Which port?"),
        calling("", &[("call_0", "list", "{}")], None),
        calling("", &[("call_0", "read", "{}")], None),
        result("call_0", "5433"),
    ];
    let said = body(&Anthropic, LOCAL, &offering("m", turn));
    let answer = |message: usize| said["messages"][message]["content"][0]["content"].clone();
    assert_eq!((answer(2), answer(4)), (json!(crate::talk::INTERRUPTED), json!("5433")));
}

/// The question, a call that the model thought about, its result.
fn thought_about(model: &str, thought: bool) -> ModelRequest {
    let mut reply = calling("", &[("toolu_1", "read", "{}")], None);
    if thought {
        reply.parts.insert(0, thought_by(model, "흠…", "Eq"));
    }
    let sections = vec![question("Which port?"), reply, result("toolu_1", "5433")];
    ModelRequest { effort: Some(Effort::High), ..offering(model, sections) }
}

#[rstest]
// With a budget, the thought must be there.
#[case("claude-sonnet-4-5", true, json!({"type": "enabled", "budget_tokens": 16_384}))]
#[case("claude-sonnet-4-5", false, Value::Null)]
// A model that decides by itself does not mind.
#[case("claude-opus-4-6", true, json!({"type": "adaptive", "display": "summarized"}))]
#[case("claude-opus-4-6", false, json!({"type": "adaptive", "display": "summarized"}))]
fn anthropic_thinks_on_in_a_turn_where_it_can_see_what_it_thought(
    #[case] model: &str,
    #[case] thought: bool,
    #[case] thinking: Value,
) {
    let said = body(&Anthropic, LOCAL, &thought_about(model, thought));
    assert_eq!(said["thinking"], thinking);
    let mut content =
        vec![json!({"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}})];
    if thought {
        content.insert(0, json!({"type": "thinking", "thinking": "흠…", "signature": "Eq"}));
    }
    assert_eq!(said["messages"][1]["content"], json!(content));
    // In the next turn it thinks again.
    let mut next = thought_about(model, thought);
    next.sections.push(section(SectionKind::Turn, Role::Assistant, "conversation", "5433."));
    next.sections.push(question("Sure?"));
    assert!(body(&Anthropic, LOCAL, &next)["thinking"].is_object());
}

#[test]
fn anthropic_keeps_the_newest_round_for_the_next_and_the_system_for_all() {
    let cache = json!({"type": "ephemeral"});
    let rules = section(SectionKind::Instructions, Role::System, "siltstone", "Be exact.");
    let tools = section(SectionKind::Tools, Role::System, "siltstone", "- read: Reads.");
    let mut asked = offering(
        "claude-opus-4-6",
        vec![
            rules,
            tools,
            question("Which port?"),
            calling("", &[("a", "read", "{}"), ("b", "read", "{}")], None),
            result("a", "1"),
            result("b", "2"),
            calling("", &[("c", "read", "{}")], None),
            result("c", "3"),
        ],
    );
    let said = body(&Anthropic, LOCAL, &asked);
    assert_eq!(
        said["system"],
        json!([{"type": "text", "text": "Be exact.", "cache_control": cache}])
    );
    assert_eq!(said["messages"][4]["content"][0]["cache_control"], cache);
    assert_eq!(said.to_string().matches("ephemeral").count(), 2, "{said:#}");
    // Before the first round there is none.
    asked.sections.truncate(3);
    assert_eq!(body(&Anthropic, LOCAL, &asked).to_string().matches("ephemeral").count(), 1);
}

#[rstest]
#[case("gemini-3-pro", Some("gemini-3-pro"), json!("EqRs"), Value::Null)]
#[case("gemini-3-pro", Some("gemini-2.5-pro"), json!("skip_thought_signature_validator"), Value::Null)]
#[case("gemini-3-pro", None, json!("skip_thought_signature_validator"), Value::Null)]
#[case("gemini-flash-latest", None, json!("skip_thought_signature_validator"), Value::Null)]
#[case("gemini-2.5-pro", None, Value::Null, Value::Null)]
fn gemini_gets_its_signature_back_on_the_call_it_came_with(
    #[case] model: &str,
    #[case] sealed_by: Option<&str>,
    #[case] first: Value,
    #[case] before: Value,
) {
    let mut calls = calling("", &[("x1", "read", "{}"), ("call_1", "read", "{}")], sealed_by);
    // Only the first of those that are called together has one.
    if let Some(Part::ToolCall { seal, .. }) = calls.parts.last_mut() {
        *seal = None;
    }
    let earlier = vec![question("Earlier?"), calling("", &[("y", "read", "{}")], None)];
    let now = vec![question("Which port?"), calls, result("x1", "5433"), result("call_1", "no")];
    let said =
        body(&Gemini, "http://127.0.0.1:1/v1beta", &offering(model, [earlier, now].concat()));
    let signature = |content: usize, part: usize| {
        said["contents"][content]["parts"][part]["thoughtSignature"].clone()
    };
    assert_eq!(signature(1, 0), before, "what is over is not checked");
    // The question follows the result of the earlier turn in a content of its own.
    assert_eq!((signature(4, 0), signature(4, 1)), (first, Value::Null), "{said:#}");
    let answers = &said["contents"][5]["parts"];
    assert_eq!(answers[0]["functionResponse"]["id"], "x1");
    assert_eq!(
        answers[1]["functionResponse"],
        json!({"name": "read", "response": {"output": "no"}})
    );
}

#[test]
fn gemini_behind_openais_format_gets_its_signature_back() {
    let said = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","extra_content":{"google":{"thought_signature":"EqRs"}},"function":{"name":"read","arguments":"{}"}}]},"finish_reason":"stop"}]}"#;
    let came = read_events(&OpenAi, &[said]);
    let Ok(Chunk::ToolCall { seal: Some(seal), .. }) = &came[0] else { panic!("{came:?}") };
    assert_eq!(seal, "EqRs");
    let asked = offering("m", vec![question("?"), calling("", &[("x", "read", "{}")], Some("m"))]);
    let call = &body(&OpenAi, LOCAL, &asked)["messages"][1]["tool_calls"][0];
    assert_eq!(call["extra_content"], json!({"google": {"thought_signature": "EqRs"}}));
}

#[test]
fn thoughts_that_nobody_signed_go_back_to_the_servers_that_want_them() {
    let think = r#"{"choices":[{"delta":{"reasoning_content":"흠…"}}]}"#;
    let calls = shred(&json!([{"id": "x", "function": {"name": "read", "arguments": "{}"}}]), None);
    let end = shred(&json!([]), Some("stop"));
    let owed = seal(SealForm::Signature, "reasoning_content");
    assert!(read_events(&OpenAi, &[think, &calls, &end]).contains(&owed));
    // Nothing was called: nobody wants it.
    assert!(!read_events(&OpenAi, &[think, &end]).contains(&owed));
    // The last reply of a turn with tools belongs to it.
    let turn = offering(
        "m",
        vec![question("?"), calling("", &[("x", "read", "{}")], None), result("x", "1")],
    );
    assert!(read_after(&turn, &OpenAi, &[think, &end]).contains(&owed));

    let mut reply = calling("", &[("x", "read", "{}")], None);
    reply.parts.insert(0, thought_by("m", "흠…", "reasoning_content"));
    let silent = calling("", &[("y", "read", "{}")], None);
    let said =
        body(&OpenAi, LOCAL, &offering("m", vec![question("?"), reply.clone(), silent.clone()]));
    assert_eq!(said["messages"][1]["reasoning_content"], "흠…");
    assert_eq!(said["messages"][3]["reasoning_content"], "");
    // Another model gets neither.
    let said = body(&OpenAi, LOCAL, &offering("other", vec![question("?"), reply, silent]));
    assert!(!said.to_string().contains("reasoning_content"), "{said:#}");
}

#[test]
fn openrouters_list_of_thoughts_goes_back_as_it_came() {
    let detail = |detail: Value| {
        json!({"choices": [{"delta": {"reasoning": "흠", "reasoning_details": [detail]}}]})
            .to_string()
    };
    let shreds = [
        detail(
            json!({"type": "reasoning.text", "text": "흠", "index": 0, "format": "anthropic-claude-v1"}),
        ),
        detail(json!({"type": "reasoning.text", "text": "…", "index": 0})),
        detail(json!({"type": "reasoning.text", "signature": "EqRs", "index": 0})),
        detail(json!({"type": "reasoning.encrypted", "data": "Rs", "id": "x", "index": 1})),
        shred(&json!([{"id": "x", "function": {"name": "read", "arguments": "{}"}}]), Some("stop")),
    ];
    let shreds: Vec<&str> = shreds.iter().map(String::as_str).collect();
    let came = read_events(&OpenAi, &shreds);
    let list = json!([
        {"type": "reasoning.text", "text": "흠…", "signature": "EqRs", "index": 0, "format": "anthropic-claude-v1"},
        {"type": "reasoning.encrypted", "data": "Rs", "id": "x", "index": 1},
    ]);
    let sealed = came.iter().find_map(|chunk| match chunk {
        Ok(Chunk::Seal(SealForm::Signature, data)) => Some(data),
        _ => None,
    });
    let data = sealed.unwrap_or_else(|| panic!("{came:?}"));
    assert_eq!(serde_json::from_str::<Value>(data).unwrap(), list);

    let mut reply = calling("", &[("x", "read", "{}")], None);
    reply.parts.insert(0, thought_by("m", "흠…", data));
    let said = body(&OpenAi, LOCAL, &offering("m", vec![question("?"), reply]));
    assert_eq!(said["messages"][1]["reasoning_details"], list);
    assert_eq!(said["messages"][1].get("reasoning_content"), None);
}

/// The chunks of events that came, and of the end after them.
fn read_events(wire: &dyn Wire, events: &[&str]) -> Came {
    read_after(&request(Vec::new()), wire, events)
}

fn read_after(asked: &ModelRequest, wire: &dyn Wire, events: &[&str]) -> Came {
    let mut reply = Reply::new(asked);
    for event in events {
        reply.take(wire, event);
    }
    reply.ended();
    std::iter::from_fn(|| reply.next()).collect()
}

fn calls_in(came: &Came) -> Vec<(&str, &str, &str)> {
    let calls = came.iter().filter_map(|chunk| match chunk {
        Ok(Chunk::ToolCall { id, name, arguments, .. }) => {
            Some((id.as_str(), name.as_str(), arguments.as_str()))
        }
        _ => None,
    });
    calls.collect()
}

/// A shred of calls in OpenAI's format.
fn shred(calls: &Value, finish: Option<&str>) -> String {
    json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": finish}]})
        .to_string()
}

#[rstest]
#[case::one_index_for_all(
    &[json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\""}}]),
      json!([{"index": 0, "function": {"arguments": ":1}"}}]),
      json!([{"index": 0, "id": "b", "function": {"name": "read", "arguments": "{}"}}])],
    &[("a", "read", "{\"p\":1}"), ("b", "read", "{}")]
)]
#[case::no_index_and_shreds(
    &[json!([{"id": "a", "function": {"name": "read", "arguments": "{\"p\""}}]),
      json!([{"function": {"arguments": ":1}"}}]),
      json!([{"id": "b", "function": {"name": "list", "arguments": ""}}]),
      json!([{"id": "b", "function": {"arguments": "{}"}}])],
    &[("a", "read", "{\"p\":1}"), ("b", "list", "{}")]
)]
#[case::neither_index_nor_id(
    &[json!([{"function": {"name": "read", "arguments": "{\"p\""}}]),
      json!([{"function": {"name": "read", "arguments": ":1}"}}]),
      json!([{"function": {"name": "read", "arguments": "{}"}}])],
    &[("call_0", "read", "{\"p\":1}"), ("call_1", "read", "{}")]
)]
#[case::out_of_order(
    &[json!([{"index": 1, "id": "b", "function": {"name": "list", "arguments": "{}"}}]),
      json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}}])],
    &[("a", "read", "{}"), ("b", "list", "{}")]
)]
#[case::object_and_nothing(
    &[json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": {"p": 1}}},
             {"index": 1, "id": "b", "function": {"name": "list"}},
             {"index": 2, "id": "c", "function": {"name": "list", "arguments": "null"}},
             {"index": 3, "id": "d", "function": {"name": "", "arguments": ""}}])],
    &[("a", "read", "{\"p\":1}"), ("b", "list", "{}"), ("c", "list", "{}")]
)]
#[case::one_id_for_two(
    &[json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}},
             {"index": 1, "id": "a", "function": {"name": "list", "arguments": "{}"}}])],
    &[("a", "read", "{}"), ("a_2", "list", "{}")]
)]
#[case::malformed_by_the_model(
    &[json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{\"p\":"}}])],
    &[("a", "read", "{\"p\":")]
)]
fn shreds_become_calls_however_a_server_numbers_them(
    #[case] shreds: &[Value],
    #[case] calls: &[(&str, &str, &str)],
    #[values("tool_calls", "stop", "function_call", "")] finish: &str,
) {
    let mut events: Vec<String> = shreds.iter().map(|calls| shred(calls, None)).collect();
    events.push(shred(&json!([]), Some(finish)));
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let came = read_events(&OpenAi, &events);
    assert_eq!(calls_in(&came), calls);
    // Whatever the server called the end.
    assert_eq!(came.last(), Some(&finished(FinishReason::ToolCalls)));
    // Without an end, nothing.
    let cut = read_events(&OpenAi, &events[..events.len() - 1]);
    assert!(matches!(cut.last(), Some(Err(ProviderError::Cut { .. }))), "{cut:?}");
    assert_eq!(calls_in(&cut), []);
}

#[test]
fn of_a_reply_at_its_limit_only_whole_calls_are_made() {
    let calls = json!([
        {"index": 0, "id": "a", "function": {"name": "write", "arguments": "{\"path\":\"a\"}"}},
        {"index": 1, "id": "b", "function": {"name": "write", "arguments": "{\"path\":\"b"}},
        {"index": 2, "id": "c", "function": {"name": "list", "arguments": ""}},
    ]);
    let ended = |reason: &str, calls: &Value| {
        let came = read_events(&OpenAi, &[&shred(calls, None), &shred(&json!([]), Some(reason))]);
        let names: Vec<String> = calls_in(&came).iter().map(|call| call.0.to_owned()).collect();
        (names, came.last().cloned().unwrap())
    };
    let whole = vec!["a".to_owned()];
    assert_eq!(ended("length", &calls), (whole, finished(FinishReason::ToolCalls)));
    assert_eq!(ended("length", &json!([calls[1]])), (vec![], finished(FinishReason::Length)));
    assert_eq!(ended("model_length", &json!([])).1, finished(FinishReason::Length));
    assert_eq!(ended("content_filter", &calls), (vec![], finished(FinishReason::Filtered)));
    assert_eq!(ended("tool_calls", &json!([])), (vec![], finished(FinishReason::Stop)));
}

#[test]
fn the_ids_of_new_calls_are_new() {
    let before = vec![calling("", &[("call_0", "read", "{}"), ("a", "read", "{}")], None)];
    let event = r#"{"message":{"tool_calls":[{"function":{"name":"list","arguments":"{\"p\":1}"}},{"id":"a","function":{"name":"list"}},{"function":{"name":"list","arguments":{}}}]},"done":true}"#;
    let came = read_after(&request(before), &Ollama, &[event]);
    assert_eq!(
        calls_in(&came),
        [("call_1", "list", "{\"p\":1}"), ("a_2", "list", "{}"), ("call_2", "list", "{}")]
    );
}

#[tokio::test]
async fn gemini_seals_the_call_it_signs_and_no_other() {
    const STREAM: &str = concat!(
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"흠…\",\"thought\":true}],\"role\":\"model\"}}]}\r\n\r\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"x1\",\"name\":\"read\",\"args\":{\"path\":\"가\"}},\"thoughtSignature\":\"EqRs\"},{\"functionCall\":{\"id\":\"x2\",\"name\":\"list\"}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":19,\"candidatesTokenCount\":5}}\r\n\r\n",
    );
    let sealed = Ok(Chunk::ToolCall {
        id: "x1".to_owned(),
        name: "read".to_owned(),
        arguments: r#"{"path":"가"}"#.to_owned(),
        seal: Some("EqRs".to_owned()),
    });
    let said = [
        thought("흠…"),
        sealed,
        call("x2", "list", "{}"),
        usage(19, 5, true),
        finished(FinishReason::ToolCalls),
    ];
    assert_eq!(read(&Gemini, vec![STREAM.as_bytes()]).await, said);
    recorded::survives_every_cut(&Gemini, STREAM).await;
}
