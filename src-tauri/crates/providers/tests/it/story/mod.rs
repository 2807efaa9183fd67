//! One story, told by every provider: it lists models, streams an answer with its usage to the end, and stops when
//! nobody listens any more. The modules hold what each real server is for: aimock for what was really sent in every wire
//! format, llmock for faults and its judgement of our client, Gemma for a real model; `calls` is the part of tools.
mod aimock;
mod calls;
mod gemma;
mod llmock;
mod looking;
mod vectors;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use siltstone_engine::earlier::Earlier;
use siltstone_engine::memory::{InjectedWhy, MemoryLayer};
use siltstone_engine::message::{Message, Part};
use siltstone_engine::passage::Passage;
use siltstone_engine::ports::{Access, Asked, ModelProvider, Providers, ReplyStream};
use siltstone_engine::prompt::{self, Ask, Ingredients, MemoryText};
use siltstone_engine::provider::{
    Chunk, FinishReason, ModelInfo, ModelRequest, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::secret::Secret;
use siltstone_engine::section::Section;
use siltstone_engine::settings::Network;
use siltstone_engine::summary::Raw;
use siltstone_engine::tokens::{Calibration, Scale};
use siltstone_engine::turn::Usage;
use siltstone_engine::wish::Wishes;
use siltstone_providers::{Connections, Offline};
use siltstone_test_servers::noted::Noted;
use siltstone_test_servers::until::until;

/// What the key looks like wherever it should not be.
const KEY: &str = "sk-canary-0123456789";

fn request(model: &str, question: &str) -> ModelRequest {
    let sections = compose(&[], vec![Part::Text { text: question.to_owned() }]);
    ModelRequest {
        max_output_tokens: Some(12),
        temperature: Some(0.0),
        ..ModelRequest::of(model, sections, "en")
    }
}

/// What is read with a question, after what was said before, the newest first.
fn compose(history: &[Message], parts: Vec<Part>) -> Vec<Section> {
    let memory = [MemoryText {
        path: "AGENTS.md".to_owned(),
        text: "Never guess a port.".to_owned(),
        layer: MemoryLayer::Project,
        why: InjectedWhy::Always,
        must: None,
    }];
    let passages =
        [Passage { path: "docs/db.md".to_owned(), line: 3, text: "The port is 5433.".to_owned() }];
    let ask = Ask::Draft { id: None, parts };
    let raw = |message: &Message| Raw {
        message: Arc::new(message.clone()),
        cut: None,
        tokens: message.tokens,
        turn: None,
    };
    let earlier = Earlier { raw: history.iter().rev().map(raw).collect(), ..Earlier::default() };
    prompt::frame(&Ingredients {
        language: "en",
        instructions: "",
        tools: &[],
        steps: &[],
        memory: &memory,
        persistent: None,
        session: &[],
        volatile: None,
        already_left_out: &[],
        mentions: &[],
        passages: &passages,
        wishes: &Wishes::default(),
        pinned: &[],
        ask: &ask,
        model: &ModelInfo { context_window: Some(4_096), ..ModelInfo::named("m") },
        scale: Scale::estimating(Calibration::default()),
    })
    .with(&earlier, &HashSet::new())
    .sections
}

/// The provider of a format behind `base_url`, with a key.
fn connect(kind: ProviderKind, base_url: &str) -> Arc<dyn ModelProvider> {
    connect_noting(kind, base_url, &Arc::default())
}

/// The same, with a record of what leaves.
fn connect_noting(
    kind: ProviderKind,
    base_url: &str,
    noted: &Arc<Noted>,
) -> Arc<dyn ModelProvider> {
    let record = ProviderRecord { name: "test".to_owned(), kind, base_url: base_url.to_owned() };
    let key = Some(Secret::new(KEY.to_owned()));
    let access = Access { outbox: noted.outbox(), ..access(key, true) };
    Connections::new().connect(&record, access).unwrap()
}

fn access(key: Option<Secret>, this_computer_only: bool) -> Access {
    let outbox = Arc::<Noted>::default().outbox();
    Access { key, this_computer_only, network: Network::default(), outbox }
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
    until("the other side to see that nobody listens", async || stopped()).await;
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
        Box::pin(async { Ok(vec![ModelInfo::named("scripted")]) })
    }

    fn stream(&self, _request: ModelRequest) -> ReplyStream {
        let usage = Usage { input_tokens: 1, output_tokens: 2, exact: true, ..Usage::default() };
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

#[test]
fn an_address_elsewhere_is_refused_before_anything_is_sent() {
    let connect = |kind, base_url: &str, this_computer_only| {
        let record =
            ProviderRecord { name: "away".to_owned(), kind, base_url: base_url.to_owned() };
        let access = access(None, this_computer_only);
        Connections::new().connect(&record, access).err().map(|error| error.code())
    };
    use ProviderKind::{Anthropic, Gemini, Ollama, Openai};
    for kind in [Openai, Anthropic, Gemini, Ollama] {
        let secure = "https://api.example.com/v1";
        assert_eq!(connect(kind, secure, true), Some("provider_not_local"));
        assert_eq!(connect(kind, secure, false), None);
        let plain = "http://api.example.com/v1";
        assert_eq!(connect(kind, plain, false), Some("provider_insecure"));
    }
}
