//! One story, told by every provider: it lists models, streams an answer with its usage to the end, and stops when
//! nobody listens any more. Then what each real server is for: aimock for what was really sent, llmock for faults and
//! its judgement of our client, Gemma for a real model.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it stands, also in the functions its tests share"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::passage::Passage;
use siltstone_engine::ports::{Asked, ModelProvider, Providers, ReplyStream};
use siltstone_engine::prompt::{self, Ask, Ingredients, MemoryText};
use siltstone_engine::provider::{
    Chunk, FinishReason, ModelInfo, ModelRequest, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::turn::Usage;
use siltstone_providers::{Connections, Offline};
use siltstone_test_servers::{self as servers, Server};

const ANSWER: &str = "The port is 5433. 포트는 5433번입니다. ";

fn request(model: &str, question: &str) -> ModelRequest {
    let memory =
        [MemoryText { path: "AGENTS.md".to_owned(), text: "Never guess a port.".to_owned() }];
    let passages =
        [Passage { path: "docs/db.md".to_owned(), line: 3, text: "The port is 5433.".to_owned() }];
    let ask = Ask::Draft { id: None, parts: vec![Part::Text { text: question.to_owned() }] };
    let composed = prompt::compose(&Ingredients {
        language: "en",
        memory: &memory,
        already_left_out: &[],
        passages: &passages,
        history: &[],
        older_messages: 0,
        ask: &ask,
        window: 4_096,
    });
    ModelRequest {
        model: model.to_owned(),
        sections: composed.sections,
        max_output_tokens: Some(12),
        temperature: Some(0.0),
        language: "en".to_owned(),
    }
}

fn connect(server: &Server) -> Arc<dyn ModelProvider> {
    let record = ProviderRecord {
        name: "test".to_owned(),
        kind: ProviderKind::Openai,
        base_url: server.base_url(),
    };
    Connections::new().connect(&record).unwrap()
}

type Heard = Vec<Result<Chunk, ProviderError>>;

async fn hear(reply: ReplyStream) -> Heard {
    reply.collect().await
}

fn text_of(heard: &Heard) -> String {
    heard
        .iter()
        .filter_map(|chunk| match chunk {
            Ok(Chunk::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// What holds for every provider. `stopped` says whether the other side has noticed that nobody listens.
async fn story(
    provider: &dyn ModelProvider,
    question: &str,
    stopped: impl Fn() -> bool,
) -> Vec<ModelInfo> {
    let models = provider.models().await.unwrap();
    assert!(!models.is_empty() && models.iter().all(|model| !model.id.is_empty()));
    let request = request(&models[0].id, question);

    let heard = hear(provider.stream(request.clone())).await;
    let pieces = heard.iter().filter(|chunk| matches!(chunk, Ok(Chunk::Text(_)))).count();
    assert!(pieces > 1, "not streamed: {heard:?}");
    let (end, before) = heard.split_last().unwrap();
    assert!(matches!(end, Ok(Chunk::Finished(_))), "{heard:?}");
    assert!(!before.iter().any(|chunk| matches!(chunk, Ok(Chunk::Finished(_)) | Err(_))));
    let usage = before.iter().find_map(|chunk| match chunk {
        Ok(Chunk::Usage(usage)) => Some(*usage),
        _ => None,
    });
    assert!(
        usage.is_some_and(|usage| usage.input_tokens > 0 && usage.output_tokens > 0),
        "{heard:?}"
    );

    assert!(!stopped(), "nothing was stopped yet");
    let mut reply = provider.stream(request);
    while !matches!(reply.next().await, Some(Ok(Chunk::Text(_)))) {}
    drop(reply);
    // Waits for the other side, however long it takes; a test that hangs here has found a request that goes on.
    while !stopped() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    models
}

/// A provider that says what it was given to say.
struct Scripted {
    dropped: Arc<AtomicBool>,
}

/// Notes that it was dropped before its script was over.
struct Listener {
    dropped: Arc<AtomicBool>,
    over: bool,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.dropped.fetch_or(!self.over, Ordering::SeqCst);
    }
}

impl ModelProvider for Scripted {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        Box::pin(async { Ok(vec![ModelInfo { id: "scripted".to_owned(), context_window: None }]) })
    }

    fn stream(&self, _request: ModelRequest) -> ReplyStream {
        let usage = Usage { input_tokens: 1, output_tokens: 2, exact: true };
        let script = vec![
            Chunk::Text("The port ".to_owned()),
            Chunk::Text("is 5433.".to_owned()),
            Chunk::Usage(usage),
            Chunk::Finished(FinishReason::Stop),
        ];
        let listener = Listener { dropped: Arc::clone(&self.dropped), over: false };
        stream::unfold((script.into_iter(), listener), |(mut script, mut listener)| async move {
            let chunk = script.next();
            listener.over = chunk.is_none();
            Some((Ok(chunk?), (script, listener)))
        })
        .boxed()
    }
}

#[tokio::test]
async fn a_scripted_provider_tells_the_story() {
    let dropped = Arc::new(AtomicBool::new(false));
    let provider = Scripted { dropped: Arc::clone(&dropped) };
    story(&provider, "Which port?", || dropped.load(Ordering::SeqCst)).await;
}

#[tokio::test]
async fn the_offline_model_tells_the_story() {
    let provider = Offline::with_pace(Duration::ZERO);
    assert!(provider.wants_passages());
    // It runs where it is asked: dropped is stopped.
    let asked = std::cell::Cell::new(0);
    let stopped = || asked.replace(asked.get() + 1) > 0;
    story(&provider, "Which port?", stopped).await;
    let heard = hear(provider.stream(request("offline", "Which port?"))).await;
    let answer = text_of(&heard);
    assert!(
        answer.contains("> The port is 5433.\n\n[docs/db.md:3](silt:file/docs/db.md?line=3)"),
        "{answer}"
    );
}

fn journal(server: &Server) -> Vec<Value> {
    serde_json::from_str(&server.get("/__aimock/journal").unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn aimock_tells_the_story_and_shows_what_was_sent() {
    let server = servers::aimock().unwrap();
    let long = ANSWER.repeat(20);
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "Which port?"}, "response": {"content": long}},
        {"match": {"userMessage": "gone"}, "response": {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}, "status": 404}},
        {"match": {"userMessage": "cut"}, "response": {"content": long}, "truncateAfterChunks": 4},
        {"match": {"userMessage": "call"}, "response": {"toolCalls": [{"name": "read", "arguments": {"path": "문서.md"}}]}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let provider = connect(&server);
    let hung_up = || server.get("/dropped").unwrap() == "1";
    story(provider.as_ref(), "Which port?", hung_up).await;

    let heard = hear(provider.stream(request("m", "Which port?"))).await;
    assert_eq!(text_of(&heard), long);
    let sent = journal(&server).pop().unwrap();
    assert_eq!(sent["path"], "/v1/chat/completions");
    let body = &sent["body"];
    let asked = request("m", "Which port?");
    let system = format!(
        "{}\n\nProject memory, AGENTS.md:\n```\nNever guess a port.\n```",
        asked.sections[0].text
    );
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": system},
            {"role": "user", "content": "Passage, docs/db.md:3:\n```\nThe port is 5433.\n```\n\nWhich port?"},
        ])
    );
    assert_eq!(asked.sections[0].role, Role::System);
    assert_eq!(
        (&body["model"], &body["stream"], &body["max_tokens"]),
        (&json!("m"), &json!(true), &json!(12))
    );
    assert!(sent["headers"].get("authorization").is_none(), "{sent}");

    let gone = hear(provider.stream(request("m", "gone"))).await;
    assert_eq!(gone, [Err(ProviderError::ModelNotFound { model: "m".to_owned() })]);
    let cut = hear(provider.stream(request("m", "cut"))).await;
    assert!(matches!(cut.last(), Some(Err(ProviderError::Cut { .. }))), "{cut:?}");
    let partial = text_of(&cut);
    assert!(!partial.is_empty() && long.starts_with(&partial));
    let call = hear(provider.stream(request("m", "call"))).await;
    let called = call.iter().find_map(|chunk| match chunk {
        Ok(Chunk::ToolCall { name, arguments, .. }) => Some((name.clone(), arguments.clone())),
        _ => None,
    });
    let (name, arguments) = called.unwrap_or_else(|| panic!("{call:?}"));
    assert_eq!(name, "read");
    assert_eq!(serde_json::from_str::<Value>(&arguments).unwrap(), json!({"path": "문서.md"}));
    assert_eq!(call.last(), Some(&Ok(Chunk::Finished(FinishReason::ToolCalls))));
}

#[tokio::test(flavor = "multi_thread")]
async fn llmock_finds_no_fault_with_our_client() {
    let server = servers::llmock().unwrap();
    let provider = connect(&server);
    let fault = |behaviour: Value| {
        let scenario = json!({"behaviors": [behaviour]}).to_string();
        server.post("/_llmock/scenario", &scenario).unwrap();
    };
    let say = |question: &str| hear(provider.stream(request("gpt-4o", question)));
    let failed = |heard: &Heard| heard.last().cloned().unwrap().unwrap_err();
    let ended = |heard: &Heard| matches!(heard.last(), Some(Ok(Chunk::Finished(_))));

    fault(json!({"type": "fail", "status": 429, "retry_after": 0.4, "times": 2}));
    assert!(ended(&say("rate limit that passes").await));
    fault(json!({"type": "fail", "status": 503, "times": 1}));
    assert!(ended(&say("busy once").await));
    fault(json!({"type": "fail", "status": 529, "times": 3}));
    assert!(matches!(
        failed(&say("busy for ever").await),
        ProviderError::Server { status: 529, .. }
    ));
    for (status, code) in [
        (400, "provider_refused"),
        (401, "key_refused"),
        (403, "key_refused"),
        (404, "provider_refused"),
        (422, "provider_refused"),
        (500, "provider_trouble"),
    ] {
        fault(json!({"type": "fail", "status": status}));
        let heard = say(&format!("fails with {status}")).await;
        assert_eq!(failed(&heard).code(), code, "{heard:?}");
    }
    fault(json!({"type": "fail", "status": 429, "retry_after": 600}));
    let limited = failed(&say("rate limit that does not pass").await);
    assert_eq!(limited, ProviderError::RateLimited { retry_after: Some(600) });
    fault(json!({"type": "fail", "status": 400, "code": "context_length_exceeded"}));
    assert_eq!(failed(&say("too long").await).code(), "context_overflow");

    // Broken after the first words: nothing is asked again behind the person's back, what came is kept, and the
    // person, told so, asks again.
    for (kind, code) in [
        ("truncate", "reply_cut"),
        ("disconnect", "reply_cut"),
        ("malformed", "provider_malformed"),
    ] {
        fault(json!({"type": "stream_fault", "kind": kind, "after_chunks": 3}));
        let heard = say(kind).await;
        assert_eq!(failed(&heard).code(), code, "{heard:?}");
        assert!(!text_of(&heard).is_empty(), "{kind}: {heard:?}");
        assert!(ended(&say(kind).await));
    }

    let verdict: Value = serde_json::from_str(&server.get("/_llmock/verdict").unwrap()).unwrap();
    assert_eq!(verdict["errors"], 0, "{verdict:#}");
    assert!(verdict["faults_injected"].as_u64().unwrap() >= 15, "{verdict:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_tells_the_story() {
    let server = servers::gemma(512).unwrap();
    let provider = connect(&server);
    // The server has one slot: it serves the next question only once the dropped one is stopped.
    let slots = || server.get("/slots").unwrap();
    let asked = std::cell::Cell::new(0);
    let stopped =
        || asked.replace(asked.get() + 1) > 0 && slots().contains("\"is_processing\":false");
    let models = story(provider.as_ref(), "Which port?", stopped).await;
    assert_eq!(models[0].context_window, Some(512));

    let heard = hear(provider.stream(request(&models[0].id, "Which port?"))).await;
    let counted = heard.iter().find_map(|chunk| match chunk {
        Ok(Chunk::Usage(usage)) => Some(*usage),
        _ => None,
    });
    assert!(counted.is_some_and(|usage| usage.exact && usage.output_tokens <= 12), "{heard:?}");

    let long = hear(provider.stream(request(&models[0].id, &"Which port? ".repeat(400)))).await;
    let Some(Err(ProviderError::ContextOverflow { detail })) = long.last() else {
        panic!("{long:?}");
    };
    assert!(detail.contains("512"), "{detail}");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = nobody.local_addr().unwrap().port();
    drop(nobody);
    let ports = vec![("Nobody".to_owned(), silent), ("LM Studio".to_owned(), server.port())];
    let found = Connections::new().looking_at(ports).discover().await.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].name.as_str(), &found[0].base_url), ("llama.cpp", &server.base_url()));
    assert_eq!(found[0].models, models);
}

#[tokio::test]
async fn an_address_elsewhere_is_refused_before_anything_is_sent() {
    let record = ProviderRecord {
        name: "away".to_owned(),
        kind: ProviderKind::Openai,
        base_url: "https://api.example.com/v1".to_owned(),
    };
    let refused = Connections::new().connect(&record).err();
    assert!(matches!(refused, Some(ProviderError::NotLocal { .. })), "{refused:?}");
}
