//! What was said in other words: vectors by a model in the data folder and by a server, made in the background, asked for
//! when a message leaves; and nothing at all where nothing may leave.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siltstone_contract::{
    ChooseMeaning, Code, ConversationRef, Failure, Find, ListEgress, MeaningBy, MeaningHalt,
    MeaningState, SetKey, Topic,
};
use siltstone_engine::keys::Place;
use siltstone_engine::link;
use siltstone_engine::meaning::EmbedderChoice;
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::search::{Filter, FoundKind, SnippetPart};
use siltstone_engine::secret::Secret;
use siltstone_engine::section::{Reason, Section};
use siltstone_engine::summary::Policy;
use siltstone_test_servers::request;
use siltstone_test_servers::until::PATIENCE;

use crate::recall::{journey, long, recalled, small, stores, told};
use crate::world::{Journey, write};

const SPOKE: &str =
    "셔틀은 아홉 시에 정문에서 떠나요. The key is sk-proj-Zk3vQ9xL2mN8pR4tW7yB1cD5fG6hJ0aS.";
const ASKED: &str = "Which bus departs when?";

/// Words that mean the same, a dimension for each of them.
const MEANINGS: [&[&str]; 7] = [
    &["셔틀", "떠나요", "bus", "departs"],
    &["importer", "rows"],
    &["helper", "parser"],
    &["달력", "글꼴"],
    &["timeline", "tests"],
    &["차트", "색"],
    &["lunch", "sidebar"],
];

/// A static model in the data folder that knows those words.
fn put_model(data: &Path) {
    put_model_into(&data.join("models/tiny"));
}

fn put_model_into(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let words: Vec<(usize, &str)> = MEANINGS
        .iter()
        .enumerate()
        .flat_map(|(at, words)| words.iter().map(move |it| (at, *it)))
        .collect();
    let mut vocabulary = json!({"[UNK]": 0, "##은": 1, "##의": 2});
    let mut rows = vec![[0.0_f32; 7]; 3];
    for (meaning, word) in words {
        vocabulary[word] = json!(rows.len());
        let mut row = [0.0; 7];
        row[meaning] = 1.0;
        rows.push(row);
    }
    let tokenizer = json!({
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary},
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let data: Vec<u8> = rows.iter().flatten().flat_map(|it| it.to_le_bytes()).collect();
    let head = json!({"embeddings": {"dtype": "F32", "shape": [rows.len(), 7], "data_offsets": [0, data.len()]}});
    let head = head.to_string().into_bytes();
    let file = [(head.len() as u64).to_le_bytes().as_slice(), &head, &data].concat();
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
}

fn tiny() -> EmbedderChoice {
    EmbedderChoice::Local { name: "tiny".into() }
}

fn by(provider: &str) -> EmbedderChoice {
    EmbedderChoice::Provider { provider: provider.into(), model: "bge-m3".into() }
}

/// A server of this computer that speaks OpenAI's embeddings; gives the texts that it was asked about.
fn server() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = request::read(&mut stream);
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let texts: Vec<String> =
                serde_json::from_value(body["input"].clone()).unwrap_or_default();
            let vector = |text: &String| {
                MEANINGS
                    .map(|words| if words.iter().any(|it| text.contains(it)) { 1.0 } else { 0.01 })
            };
            let data: Vec<Value> = texts
                .iter()
                .enumerate()
                .map(|(index, text)| json!({"index": index, "embedding": vector(text)}))
                .collect();
            into.lock().unwrap().extend(texts);
            let body = json!({"data": data, "usage": {"prompt_tokens": 5}}).to_string();
            let head = "Content-Type: application/json\r\nConnection: close";
            write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}").unwrap();
        }
    });
    (base_url, asked)
}

async fn add(journey: &Journey, name: &str, base_url: &str) {
    let (name, base_url) = (name.to_owned(), base_url.to_owned());
    let record = ProviderRecord { name, kind: ProviderKind::Ollama, base_url };
    let kind = if record.base_url.ends_with("/v1") { ProviderKind::Openai } else { record.kind };
    journey.app.provider_add(ProviderRecord { kind, ..record }).await.unwrap();
}

async fn choose(journey: &Journey, embedder: EmbedderChoice) -> MeaningState {
    let request = ChooseMeaning { embedder: Some(embedder), most_tokens: None };
    made(journey, journey.app.meaning_choose(request)).await
}

/// What holds once the vectors are made that this begins to make.
async fn made(
    journey: &Journey,
    begun: impl Future<Output = Result<MeaningState, Failure>>,
) -> MeaningState {
    let mut changes = journey.app.subscribe();
    let mut state = begun.await.unwrap();
    while state.running {
        let changed = tokio::time::timeout(PATIENCE, changes.recv()).await.unwrap();
        if changed.is_ok_and(|it| it.topics.contains(&Topic::Meaning)) {
            state = journey.app.meaning_state(()).await.unwrap();
        }
    }
    state
}

fn has(sections: &[Section]) -> bool {
    recalled(sections).iter().any(|it| it.text.contains("셔틀"))
}

/// behaviour.md, Sessions.
#[tokio::test]
async fn what_was_said_in_other_words_is_recalled_by_a_model_in_the_data_folder() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let id = told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    assert!(!has(&journey.preview(id, ASKED).await.sections));

    put_model(journey.data.path());
    let state = journey.app.meaning_state(()).await.unwrap();
    assert_eq!((state.embedder, state.local[0].name.as_str()), (None, "tiny"));
    let state = choose(&journey, tiny()).await;
    assert_eq!((state.done, state.all, state.home, state.halted), (600, 600, true, None));
    assert!(state.bytes > 600 * 7 && state.tokens == 0);
    let view = journey.preview(id, ASKED).await;
    assert!(has(&view.sections), "{:?}", recalled(&view.sections));
    // That it was not found by its words is said.
    let by = |found: &[&Section]| {
        let of = found.iter().find(|it| it.text.contains("셔틀")).unwrap();
        matches!(of.reason, Reason::Recalled { by_meaning: true, .. })
    };
    assert!(by(&recalled(&view.sections)));
    // Where it has the words as well, nothing stands before it.
    let view = journey.preview(id, "셔틀은 언제 떠나요?").await;
    let found = recalled(&view.sections);
    let best = found.iter().find(|it| it.text.contains("셔틀")).unwrap();
    assert!(matches!(best.reason, Reason::Recalled { rank: 1, .. }), "{:?}", best.reason);
    assert!(!by(&found));

    // Stopped, it still serves; without it everything is as before.
    journey.app.meaning_stop(()).await.unwrap();
    assert!(has(&journey.preview(id, ASKED).await.sections));
    let none = ChooseMeaning { embedder: None, most_tokens: None };
    let state = journey.app.meaning_choose(none).await.unwrap();
    assert_eq!((state.embedder, state.bytes), (None, 0));
    assert!(!has(&journey.preview(id, ASKED).await.sections));
    assert!(egress(&journey).await.is_empty());
}

#[tokio::test]
async fn the_model_that_came_along_serves_until_the_person_wants_another_or_none() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    put_model_into(&journey.data.path().join("shipped/tiny"));
    let id = told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    let state = made(&journey, journey.app.meaning_resume(())).await;
    assert_eq!((state.embedder, state.done, state.home), (Some(tiny()), 600, true));
    assert!(state.local[0].shipped);
    assert_eq!(journey.app.settings_get(()).await.unwrap().meaning.embedder, None);
    assert!(has(&journey.preview(id, ASKED).await.sections));

    let none = ChooseMeaning { embedder: None, most_tokens: None };
    let state = journey.app.meaning_choose(none).await.unwrap();
    assert_eq!((state.embedder, state.bytes), (None, 0));
    assert!(!has(&journey.preview(id, ASKED).await.sections));
    assert_eq!(choose(&journey, tiny()).await.done, 600);
    assert!(has(&journey.preview(id, ASKED).await.sections));

    // One of the same name that the person put there is meant before it.
    put_model(journey.data.path());
    let local = journey.app.meaning_state(()).await.unwrap().local;
    assert_eq!(local.iter().map(|it| it.shipped).collect::<Vec<_>>(), [false]);
}

/// behaviour.md, Memory: rules are found by what they mean, beside those that have the words.
#[tokio::test]
async fn a_line_of_memory_is_found_in_other_words_and_follows_its_file() {
    let journey = Journey::offline();
    put_model(journey.data.path());
    let rules = |first: &str| {
        let others = ["importer", "rows", "helper", "parser", "달력", "글꼴", "timeline", "차트"];
        let others = others.map(|word| format!("- Mind the {word}.\n")).concat();
        format!("# Rules\n\n- {first}\n{others}")
    };
    write(&journey.project, "AGENTS.md", &rules("셔틀은 정문에서 떠나요."));
    let project = journey.open(Trust::Trusted).await;
    let find = async || {
        let filter = Filter { project_id: Some(project), ..Filter::default() };
        let request = Find { query: "Which bus departs?".into(), filter, limit: 10 };
        let found = journey.app.find(request).await.unwrap().groups;
        let memory = found.into_iter().filter(|it| it.kind == FoundKind::Memory);
        let lines = memory.flat_map(|it| it.found);
        let text =
            |it: &[SnippetPart]| it.iter().map(|part| part.text.as_str()).collect::<String>();
        lines.map(|it| (it.link, text(&it.snippet))).collect::<Vec<_>>()
    };
    assert!(find().await.is_empty());

    let state = choose(&journey, tiny()).await;
    assert!(state.bytes > 0);
    let found = find().await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, link::to_memory("AGENTS.md", 3));
    assert!(found[0].1.contains("셔틀"));

    // What the file says no longer is not found, and its vector is gone.
    write(&journey.project, "AGENTS.md", &rules("Write tests."));
    journey.agree(project).await;
    assert!(find().await.is_empty());
    assert!(journey.app.meaning_state(()).await.unwrap().bytes > 0);
    let none = ChooseMeaning { embedder: None, most_tokens: None };
    assert_eq!(journey.app.meaning_choose(none).await.unwrap().bytes, 0);
}

#[tokio::test]
async fn a_message_that_is_deleted_takes_its_vectors_with_it() {
    let journey = Journey::offline();
    put_model(journey.data.path());
    let id = told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    assert!(choose(&journey, tiny()).await.bytes > 0);
    journey.app.conversation_delete(ConversationRef { id }).await.unwrap();
    let state = journey.app.meaning_state(()).await.unwrap();
    assert_eq!((state.done, state.all), (0, 0));
    journey.app.conversation_purge(ConversationRef { id }).await.unwrap();
    assert_eq!(journey.app.meaning_state(()).await.unwrap().bytes, 0);
}

#[tokio::test]
async fn a_provider_is_asked_without_secrets_and_for_no_draft() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let id = told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    let (base_url, asked) = server();
    add(&journey, "home", &base_url).await;
    let plan = journey.app.meaning_plan(MeaningBy { embedder: by("home") }).await.unwrap();
    assert_eq!((plan.home, plan.messages, plan.cost), (true, 600, Some(0)));
    assert!(plan.tokens > 5_000 && asked.lock().unwrap().is_empty());

    let state = choose(&journey, by("home")).await;
    assert_eq!((state.done, state.halted), (600, None));
    let read = std::mem::take(&mut *asked.lock().unwrap());
    assert_eq!(read.len(), 600, "what was said, and no line of memory");
    assert!(read.iter().any(|text| text.contains("셔틀")));
    assert!(!read.iter().any(|text| text.contains("Zk3vQ9xL2mN8pR4tW7yB1cD5fG6hJ0aS")));

    // Typing asks nobody; sending does, once, and then the preview knows it as well.
    assert!(!has(&journey.preview(id, ASKED).await.sections));
    assert_eq!(*asked.lock().unwrap(), [""; 0]);
    journey.ask(id, ASKED).await;
    let sent = model.asked.lock().unwrap().last().unwrap().sections.clone();
    assert!(has(&sent));
    assert_eq!(*asked.lock().unwrap(), [ASKED]);
    assert!(has(&journey.preview(id, ASKED).await.sections));
    assert_eq!(asked.lock().unwrap().len(), 1);
    // Every request was written down, as it was sent.
    let noted = egress(&journey).await;
    assert!(
        noted.len() > 9 && noted.iter().all(|url| url.ends_with("/v1/embeddings")),
        "{noted:?}"
    );
}

async fn egress(journey: &Journey) -> Vec<String> {
    let list = ListEgress { before: None, limit: 100, away_only: false };
    let noted = journey.app.egress_list(list).await.unwrap();
    noted.into_iter().map(|it| it.url).collect()
}

#[tokio::test]
async fn nothing_leaves_without_a_number_of_tokens_or_where_everything_stays_here() {
    let journey = Journey::offline();
    told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    // An address that is reserved: whoever asks it waits.
    add(&journey, "away", "https://192.0.2.1/v1").await;
    let (key, place) = (Secret::new("sk-canary-0123456789".to_owned()), Place::Session);
    journey.app.key_set(SetKey { provider: "away".into(), key, place }).await.unwrap();
    let choose = |most_tokens| ChooseMeaning { embedder: Some(by("away")), most_tokens };
    let refused = journey.app.meaning_choose(choose(None)).await.unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);

    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.this_computer_only = true;
    // A settings file says what it wants: the gate and the count hold all the same.
    settings.meaning.embedder = Some(by("away"));
    journey.app.settings_set(settings.clone()).await.unwrap();
    let refused = journey.app.meaning_choose(choose(Some(1_000_000))).await.unwrap_err();
    assert_eq!(refused.code, Code::ProviderNotLocal);
    for (only, most, halt) in
        [(true, None, None), (true, Some(1_000_000), None), (false, None, Some(MeaningHalt::Limit))]
    {
        settings.this_computer_only = only;
        settings.meaning.most_tokens = most;
        journey.app.settings_set(settings.clone()).await.unwrap();
        let mut changes = journey.app.subscribe();
        let mut state = journey.app.meaning_resume(()).await.unwrap();
        while state.running {
            let _ = changes.recv().await;
            state = journey.app.meaning_state(()).await.unwrap();
        }
        assert_eq!(state.done, 0);
        match halt {
            Some(halt) => assert_eq!(state.halted, Some(halt)),
            None => assert!(
                matches!(&state.halted, Some(MeaningHalt::Fault { fault }) if fault.code == "provider_not_local"),
                "{:?}",
                state.halted
            ),
        }
    }
    assert!(egress(&journey).await.is_empty());
}
