//! Every wire format against aimock, whose journal holds what was really sent.

use rstest::rstest;
use serde_json::{Value, json};
use siltstone_test_servers::{self as servers, Server};

use super::*;

const ANSWER: &str = "The port is 5433. 포트는 5433번입니다. ";

/// A list that aimock keeps.
fn list(server: &Server, path: &str) -> Vec<Value> {
    serde_json::from_str(&server.get(path).unwrap()).unwrap()
}

/// What arrived at paths that models are asked at: paths, header lines, and bodies.
pub(super) fn questions(server: &Server) -> Vec<(String, Vec<String>, String)> {
    let received = list(server, "/received").into_iter().map(|request| {
        let texts: Vec<&str> =
            request["headers"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let lines = texts.chunks(2).map(|line| format!("{}: {}", line[0].to_lowercase(), line[1]));
        let text = |name: &str| request[name].as_str().unwrap().to_owned();
        (text("path"), lines.collect(), text("body"))
    });
    let asks = |path: &str| {
        ["/messages", "/completions", ":streamGenerateContent?alt=sse", "/chat"]
            .iter()
            .any(|end| path.ends_with(end))
    };
    received.filter(|(path, ..)| asks(path)).collect()
}

pub(super) fn base_url(server: &Server, kind: ProviderKind) -> String {
    let version = match kind {
        ProviderKind::Gemini => "/v1beta",
        ProviderKind::Ollama => "",
        _ => "/v1",
    };
    format!("{}{version}", server.address())
}

/// Path, header of the key, and body of a request for `model`, exactly as they leave.
fn sent_for(kind: ProviderKind, model: &str) -> (String, (&'static str, String), Value) {
    let rules = &request(model, "Which port?").sections[0].text;
    let system = format!("{rules}\n\nMemory, AGENTS.md:\n```\nNever guess a port.\n```");
    let said = "Passage, docs/db.md:3:\n```\nThe port is 5433.\n```\n\nWhich port?";
    let user = json!({"role": "user", "content": said});
    let both = json!([{"role": "system", "content": system}, user]);
    match kind {
        ProviderKind::Anthropic => (
            "/v1/messages".to_owned(),
            ("x-api-key", KEY.to_owned()),
            json!({
                "model": model, "max_tokens": 12, "stream": true, "temperature": 0.0,
                "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
                "messages": [{"role": "user", "content": [{"type": "text", "text": said}]}],
            }),
        ),
        ProviderKind::Gemini => (
            format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            ("x-goog-api-key", KEY.to_owned()),
            json!({
                "systemInstruction": {"parts": [{"text": system}]},
                "contents": [{"role": "user", "parts": [{"text": said}]}],
                "generationConfig": {"maxOutputTokens": 12, "temperature": 0.0},
            }),
        ),
        ProviderKind::Ollama => (
            "/api/chat".to_owned(),
            ("authorization", format!("Bearer {KEY}")),
            json!({
                "model": model, "messages": both, "stream": true,
                "options": {"num_ctx": 4096, "num_predict": 12, "temperature": 0.0},
            }),
        ),
        _ => (
            "/v1/chat/completions".to_owned(),
            ("authorization", format!("Bearer {KEY}")),
            json!({
                "model": model, "messages": both, "stream": true,
                "stream_options": {"include_usage": true}, "max_tokens": 12, "temperature": 0.0,
            }),
        ),
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn aimock_tells_the_story_and_shows_what_was_sent(
    #[values(
        ProviderKind::Openai,
        ProviderKind::Anthropic,
        ProviderKind::Gemini,
        ProviderKind::Ollama
    )]
    kind: ProviderKind,
) {
    let server = servers::aimock().unwrap();
    let long = ANSWER.repeat(20);
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "Which port?"}, "response": {"content": long}},
        {"match": {"userMessage": "gone"}, "response": {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}, "status": 404}},
        {"match": {"userMessage": "key"}, "response": {"error": {"message": format!("Incorrect API key provided: {KEY}."), "type": "authentication_error"}, "status": 401}},
        {"match": {"userMessage": "cut"}, "response": {"content": long}, "truncateAfterChunks": 4},
        {"match": {"userMessage": "think"}, "response": {"content": "네.", "reasoning": "생각해 보면"}},
        {"match": {"userMessage": "call"}, "response": {"toolCalls": [{"name": "read", "arguments": {"path": "문서.md"}}]}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let provider = connect(kind, &base_url(&server, kind));
    let hung_up = || server.get("/dropped").unwrap() == "1";
    let models = story(provider.as_ref(), "Which port?", hung_up).await;
    match kind {
        ProviderKind::Gemini => {
            assert_eq!(models.len(), 1, "one only embeds: {models:?}");
            assert_eq!(models[0].context_window, Some(1_048_576));
        }
        ProviderKind::Ollama => {
            assert_eq!(models[0].context_window, Some(131_072));
            assert_eq!((models[0].takes_images, models[0].takes_files), (Some(true), Some(false)));
        }
        // The server says nothing of its models, and their names say it all.
        _ => {
            let listed = |id| models.iter().find(|model| model.id == id);
            assert_eq!(listed("gpt-4o").unwrap().context_window, Some(128_000));
            assert_eq!(listed("text-embedding-3-small"), None, "it only embeds");
        }
    }
    // One that thinks, since aimock lets no other think.
    let model = match kind {
        ProviderKind::Anthropic => "claude-3-7-sonnet",
        ProviderKind::Gemini => "gemini-2.5-pro",
        _ => "deepseek-r1",
    };

    let heard = hear(provider.stream(request(model, "Which port?"))).await;
    assert_eq!(text_of(&heard), long);
    let sent = list(&server, "/__aimock/journal").pop().unwrap();
    let (path, (header, value), body) = sent_for(kind, model);
    assert_eq!(sent["path"], path);
    assert!(!sent.to_string().contains("canary"), "aimock blacks the key out where one belongs");
    assert_eq!(sent["headers"][header], "[REDACTED]", "{sent:#}");
    // So what arrived is looked at as well: there the key is, once, and the body is word for word.
    let (_, head, arrived) = questions(&server).pop().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&arrived).unwrap(), body);
    assert_eq!(format!("{head:?}{arrived}").matches("canary").count(), 1, "{head:?}");
    assert!(head.contains(&format!("{header}: {value}")), "{head:?}");
    let version = head.contains(&"anthropic-version: 2023-06-01".to_owned());
    assert_eq!(version, kind == ProviderKind::Anthropic);

    let gone = hear(provider.stream(request(model, "gone"))).await;
    assert_eq!(gone, [Err(ProviderError::ModelNotFound { model: model.to_owned() })]);
    let refused = hear(provider.stream(request(model, "key"))).await;
    let Some(Err(error @ ProviderError::Unauthorised { .. })) = refused.last() else {
        panic!("{refused:?}");
    };
    assert_eq!(error.to_string(), "not authorised: Incorrect API key provided: [key].");
    let cut = hear(provider.stream(request(model, "cut"))).await;
    assert!(matches!(cut.last(), Some(Err(ProviderError::Cut { .. }))), "{cut:?}");
    let partial = text_of(&cut);
    assert!(!partial.is_empty() && long.starts_with(&partial));
    let thought = hear(provider.stream(request(model, "think"))).await;
    let thoughts: String = thought
        .iter()
        .filter_map(|chunk| match chunk {
            Ok(Chunk::Reasoning(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!((thoughts.as_str(), text_of(&thought).as_str()), ("생각해 보면", "네."));
    let call = hear(provider.stream(request(model, "call"))).await;
    let called = call.iter().find_map(|chunk| match chunk {
        Ok(Chunk::ToolCall { name, arguments, .. }) => Some((name.clone(), arguments.clone())),
        _ => None,
    });
    let (name, arguments) = called.unwrap_or_else(|| panic!("{call:?}"));
    assert_eq!(name, "read");
    assert_eq!(serde_json::from_str::<Value>(&arguments).unwrap(), json!({"path": "문서.md"}));
    assert_eq!(call.last(), Some(&Ok(Chunk::Finished(FinishReason::ToolCalls))));
}

#[tokio::test]
async fn ollama_is_found_in_its_own_format() {
    let server = servers::aimock().unwrap();
    let ports = vec![("Ollama".to_owned(), server.port())];
    let found =
        Connections::new().looking_at(ports).discover(access(None, true).outbox).await.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].kind, found[0].base_url.as_str()),
        (ProviderKind::Ollama, server.address())
    );
    assert_eq!(found[0].models[0].context_window, Some(131_072));
}

#[rstest]
#[case(ProviderKind::Openai, &["response_format", "json_schema", "schema"], true)]
#[case(ProviderKind::Gemini, &["generationConfig", "responseSchema"], false)]
#[case(ProviderKind::Ollama, &["format"], true)]
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_goes_along_and_a_server_that_refuses_it_is_asked_once_more_without(
    #[case] kind: ProviderKind,
    #[case] place: &[&str],
    #[case] takes_closed: bool,
) {
    let server = servers::aimock().unwrap();
    let lines = json!({"lines": [{"text": "The port is 5433.", "sources": ["m1"]}]}).to_string();
    let error = json!({"message": "Unknown name", "type": "invalid_request_error"});
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "takes"}, "response": {"content": lines}},
        {"match": {"userMessage": "refuses", "sequenceIndex": 0}, "response": {"error": error, "status": 400}},
        {"match": {"userMessage": "refuses", "sequenceIndex": 1}, "response": {"content": "plain"}},
        {"match": {"userMessage": "broken"}, "response": {"error": error, "status": 400}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let provider = connect(kind, &base_url(&server, kind));
    let mut schema = json!({"type": "object", "properties": {"lines": {"type": "array"}}});
    schema["additionalProperties"] = json!(false);
    let asked = |question: &str| {
        let schema = Some(schema.clone());
        provider.stream(ModelRequest { schema, ..request("gpt-4o", question) })
    };
    assert_eq!(text_of(&hear(asked("takes")).await), lines);
    assert_eq!(text_of(&hear(asked("refuses")).await), "plain");
    let broken = hear(asked("broken")).await;
    assert!(matches!(broken[..], [Err(ProviderError::Refused { status: 400, .. })]), "{broken:?}");

    let carried: Vec<Value> = questions(&server)
        .iter()
        .map(|(.., body)| {
            let body: Value = serde_json::from_str(body).unwrap();
            place.iter().fold(body, |value, name| value[*name].clone())
        })
        .collect();
    let mut expected = schema.clone();
    if !takes_closed {
        expected.as_object_mut().unwrap().remove("additionalProperties");
    }
    let none = Value::Null;
    assert_eq!(carried, [&expected, &expected, &none, &expected, &none].map(Value::clone));
}
