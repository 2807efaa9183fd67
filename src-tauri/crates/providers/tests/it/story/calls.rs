//! A turn with tools in every format: the request that offers them, the calls that stream back, their results, the answer.
//! aimock's journal has what was really sent; Gemma calls for real.

use rstest::rstest;
use serde_json::{Value, json};
use siltstone_engine::message::{Role, Seal, SealForm};
use siltstone_engine::section::{Reason, SectionKind};
use siltstone_engine::tool::{Call, FileCall, ToolSpec};
use siltstone_test_servers::{self as servers};

use super::aimock::{base_url, questions};
use super::*;

fn read_file() -> ToolSpec {
    let path = json!({"type": "string", "description": "Path relative to the project's root."});
    ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads a file.".to_owned(),
        schema: json!({"type": "object", "properties": {"path": path}, "required": ["path"], "additionalProperties": false}),
    }
}

fn spoken(role: Role, text: &str, parts: Vec<Part>) -> Section {
    Section {
        id: String::new(),
        kind: if role == Role::User { SectionKind::Draft } else { SectionKind::Turn },
        role,
        source: "conversation".to_owned(),
        link: None,
        text: text.to_owned(),
        parts,
        tokens: 9,
        exact: false,
        reason: Reason::Base,
        pinned: false,
        messages: Vec::new(),
        turns: None,
        redacted: Vec::new(),
    }
}

fn question(text: &str) -> Section {
    spoken(Role::User, text, Vec::new())
}

fn asked(model: &str, sections: Vec<Section>) -> ModelRequest {
    ModelRequest {
        tools: vec![read_file()],
        max_output_tokens: Some(40),
        temperature: Some(0.0),
        ..ModelRequest::of(model, sections, "en")
    }
}

/// The reply that was heard, as it is kept.
fn kept(heard: &Heard, model: &str) -> Section {
    let seal = |data: &Option<String>| {
        let data = data.clone()?;
        Some(Seal { model: model.to_owned(), form: SealForm::Signature, data })
    };
    let calls = heard.iter().filter_map(|chunk| match chunk {
        Ok(Chunk::ToolCall { id, name, arguments, seal: came }) => Some(Part::ToolCall {
            id: id.clone(),
            name: name.clone(),
            arguments: arguments.clone(),
            seal: seal(came),
        }),
        _ => None,
    });
    spoken(Role::Assistant, &text_of(heard), calls.collect())
}

/// The results of a reply's calls, each in a message of its own.
fn results(reply: &Section, texts: &[(&str, bool)]) -> Vec<Section> {
    let ids = reply.parts.iter().filter_map(|part| match part {
        Part::ToolCall { id, .. } => Some(id.clone()),
        _ => None,
    });
    let answer = |(call_id, (text, is_error)): (String, &(&str, bool))| {
        let (text, is_error) = ((*text).to_owned(), *is_error);
        let result = Part::ToolResult { call_id, text: text.clone(), is_error, kept: None };
        spoken(Role::Tool, &text, vec![result])
    };
    assert_eq!(reply.parts.len(), texts.len(), "{reply:?}");
    ids.zip(texts).map(answer).collect()
}

/// The whole body of the request with the results, and what the ids in it are.
fn body_of(kind: ProviderKind, model: &str, ids: [&str; 2]) -> Value {
    let schema = &read_file().schema;
    let function =
        json!({"name": "read_file", "description": "Reads a file.", "parameters": schema});
    let functions = json!([{"type": "function", "function": function}]);
    let [port, gone] = [json!({"path": "문서/port.md"}), json!({"path": "gone.md"})];
    let called = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments}});
    match kind {
        ProviderKind::Anthropic => json!({
            "model": model, "max_tokens": 40, "stream": true, "temperature": 0.0,
            "tools": [{"name": "read_file", "description": "Reads a file.", "input_schema": schema}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Which port?"}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": ids[0], "name": "read_file", "input": port},
                    {"type": "tool_use", "id": ids[1], "name": "read_file", "input": gone},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": ids[0], "content": "The port is 5433."},
                    {"type": "tool_result", "tool_use_id": ids[1], "content": "no such file", "is_error": true, "cache_control": {"type": "ephemeral"}},
                ]},
            ],
        }),
        ProviderKind::Gemini => json!({
            "tools": [{"functionDeclarations": [{"name": "read_file", "description": "Reads a file.", "parametersJsonSchema": schema}]}],
            "contents": [
                {"role": "user", "parts": [{"text": "Which port?"}]},
                {"role": "model", "parts": [
                    {"text": "Let me look."},
                    {"functionCall": {"name": "read_file", "args": port}},
                    {"functionCall": {"name": "read_file", "args": gone}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "read_file", "response": {"output": "The port is 5433."}}},
                    {"functionResponse": {"name": "read_file", "response": {"error": "no such file"}}},
                ]},
            ],
            "generationConfig": {"maxOutputTokens": 40, "temperature": 0.0},
        }),
        ProviderKind::Ollama => json!({
            "model": model, "stream": true, "tools": functions,
            "messages": [
                {"role": "user", "content": "Which port?"},
                {"role": "assistant", "content": "Let me look.", "tool_calls": [
                    {"function": {"name": "read_file", "arguments": port}},
                    {"function": {"name": "read_file", "arguments": gone}},
                ]},
                {"role": "tool", "tool_name": "read_file", "content": "The port is 5433."},
                {"role": "tool", "tool_name": "read_file", "content": "Error: no such file"},
            ],
            "options": {"num_ctx": 4096, "num_predict": 40, "temperature": 0.0},
        }),
        _ => json!({
            "model": model, "stream": true, "stream_options": {"include_usage": true}, "tools": functions,
            "messages": [
                {"role": "user", "content": "Which port?"},
                {"role": "assistant", "content": "Let me look.", "tool_calls": [
                    called(ids[0], &port.to_string()), called(ids[1], &gone.to_string()),
                ]},
                {"role": "tool", "tool_call_id": ids[0], "content": "The port is 5433."},
                {"role": "tool", "tool_call_id": ids[1], "content": "Error: no such file"},
            ],
            "max_tokens": 40, "temperature": 0.0,
        }),
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn calls_stream_in_their_results_go_back_and_the_answer_follows(
    #[values(
        ProviderKind::Openai,
        ProviderKind::Anthropic,
        ProviderKind::Gemini,
        ProviderKind::Ollama
    )]
    kind: ProviderKind,
) {
    let server = servers::aimock().unwrap();
    let calls = ["문서/port.md", "gone.md"]
        .map(|path| json!({"name": "read_file", "arguments": {"path": path}}));
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "Which port?", "hasToolResult": false}, "response": {"content": "Let me look.", "toolCalls": calls}},
        {"match": {"userMessage": "Which port?", "hasToolResult": true}, "response": {"content": "The port is 5433."}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let provider = connect(kind, &base_url(&server, kind));
    let model = "gemini-2.0-flash";

    let first = hear(provider.stream(asked(model, vec![question("Which port?")]))).await;
    assert_eq!(first.last(), Some(&Ok(Chunk::Finished(FinishReason::ToolCalls))), "{first:?}");
    let reply = kept(&first, model);
    assert_eq!(reply.text, "Let me look.");
    let ids: Vec<&str> = reply
        .parts
        .iter()
        .map(|part| match part {
            Part::ToolCall { id, name, .. } if name == "read_file" && !id.is_empty() => id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    let [one, other] = ids[..] else { panic!("{ids:?}") };
    assert_ne!(one, other);

    let answers = results(&reply, &[("The port is 5433.", false), ("no such file", true)]);
    let sections = [vec![question("Which port?"), reply.clone()], answers].concat();
    let second = hear(provider.stream(asked(model, sections))).await;
    assert_eq!(text_of(&second), "The port is 5433.");
    assert_eq!(second.last(), Some(&Ok(Chunk::Finished(FinishReason::Stop))));

    let sent: Vec<Value> =
        questions(&server).iter().map(|(.., body)| serde_json::from_str(body).unwrap()).collect();
    let mut whole = body_of(kind, model, [one, other]);
    assert_eq!(sent[1], whole, "{:#}", sent[1]);
    // The first is its beginning.
    for talk in ["messages", "contents"] {
        if let Some(talk) = whole.get_mut(talk).and_then(Value::as_array_mut) {
            talk.truncate(1);
        }
    }
    assert_eq!(sent[0], whole, "{:#}", sent[0]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_tools_is_told_apart_from_one_that_refuses_otherwise(
    #[values(
        ProviderKind::Openai,
        ProviderKind::Anthropic,
        ProviderKind::Gemini,
        ProviderKind::Ollama
    )]
    kind: ProviderKind,
) {
    let server = servers::aimock().unwrap();
    let refusal = |message: &str| json!({"error": {"message": message, "type": "invalid_request_error"}, "status": 400});
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "tools?"}, "response": refusal("m does not support tools")},
        {"match": {"userMessage": "pairs?"}, "response": refusal("tool_use ids were found without tool_result blocks")},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let provider = connect(kind, &base_url(&server, kind));
    let refused = hear(provider.stream(asked("m", vec![question("tools?")]))).await;
    let detail = "m does not support tools".to_owned();
    assert_eq!(refused, [Err(ProviderError::NoTools { detail })]);
    let plain = ModelRequest { tools: Vec::new(), ..asked("m", vec![question("tools?")]) };
    let refused = hear(provider.stream(plain)).await;
    assert!(matches!(refused[..], [Err(ProviderError::Refused { .. })]), "{refused:?}");
    let refused = hear(provider.stream(asked("m", vec![question("pairs?")]))).await;
    assert!(matches!(refused[..], [Err(ProviderError::Refused { .. })]), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_that_is_refused_is_left_out_and_the_calls_stay() {
    let server = servers::aimock().unwrap();
    let error = json!({"message": "Corrupted thought signature.", "type": "invalid_request_error"});
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "Which port?", "sequenceIndex": 0}, "response": {"error": error, "status": 400}},
        {"match": {"userMessage": "Which port?", "sequenceIndex": 1}, "response": {"content": "5433."}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let provider = connect(ProviderKind::Gemini, &base_url(&server, ProviderKind::Gemini));
    let model = "gemini-2.5-pro";
    let heard = vec![Ok(Chunk::ToolCall {
        id: "x".to_owned(),
        name: "read_file".to_owned(),
        arguments: "{}".to_owned(),
        seal: Some("EqRs".to_owned()),
    })];
    let reply = kept(&heard, model);
    let result = results(&reply, &[("5433", false)]);
    let sections = [vec![question("Which port?"), reply], result].concat();
    let heard = hear(provider.stream(asked(model, sections))).await;
    assert_eq!(text_of(&heard), "5433.");
    let sent = questions(&server);
    let part = |at: usize| {
        let body: Value = serde_json::from_str(&sent[at].2).unwrap();
        body["contents"][1]["parts"][0].clone()
    };
    let call = json!({"id": "x", "name": "read_file", "args": {}});
    assert_eq!(part(0), json!({"functionCall": call, "thoughtSignature": "EqRs"}));
    assert_eq!(part(1), json!({ "functionCall": call }));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_calls_a_tool_and_goes_on_from_its_result(
    #[values(ProviderKind::Anthropic, ProviderKind::Openai)] kind: ProviderKind,
) {
    let server = servers::gemma_that_calls(1_024).unwrap();
    let provider = connect(kind, &server.base_url());
    let model = provider.models().await.unwrap().remove(0).id;
    let read = question("Read notes.txt");
    let heard = hear(provider.stream(asked(&model, vec![read.clone()]))).await;
    assert_eq!(heard.last(), Some(&Ok(Chunk::Finished(FinishReason::ToolCalls))), "{heard:?}");
    let reply = kept(&heard, &model);
    let [Part::ToolCall { name, arguments, .. }] = &reply.parts[..] else { panic!("{reply:?}") };
    let call = Call::parse(name, arguments).unwrap();
    assert!(
        matches!(&call, Call::File(FileCall::Read { path, .. }) if !path.is_empty()),
        "{call:?}"
    );

    let result = results(&reply, &[("The port is 5433.", false)]);
    let heard = hear(provider.stream(asked(&model, [vec![read, reply], result].concat()))).await;
    assert!(matches!(heard.last(), Some(Ok(Chunk::Finished(_)))), "{heard:?}");
    assert!(!text_of(&heard).trim().is_empty(), "{heard:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_without_tools_says_so_and_answers_without_them(
    #[values(ProviderKind::Anthropic, ProviderKind::Openai)] kind: ProviderKind,
) {
    let server = servers::gemma_without_tools(512).unwrap();
    let provider = connect(kind, &server.base_url());
    let offered = asked("m", vec![question("Which port?")]);
    let refused = hear(provider.stream(offered.clone())).await;
    assert!(matches!(refused[..], [Err(ProviderError::NoTools { .. })]), "{refused:?}");
    let plain = ModelRequest { tools: Vec::new(), max_output_tokens: Some(4), ..offered };
    let heard = hear(provider.stream(plain)).await;
    assert!(matches!(heard.last(), Some(Ok(Chunk::Finished(_)))), "{heard:?}");
}
