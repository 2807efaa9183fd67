//! Deleting deletes: what is in the trash is told to nobody, and of what is deleted for ever no word is left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use siltstone_contract::{
    AddMemory, ConversationRef, CreateCheckpoint, DeleteBackups, Find, ImportConversation,
    ProjectRef, SaveDraft, Search, ShareSession, ToolsAt,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::export;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::search::{Filter, SearchScope};
use siltstone_engine::settings::CarryOver;
use siltstone_engine::summary::Policy;
use siltstone_engine::tool::output::{KeptOutput, shortened};

use crate::scripted::{Scripted, Step};
use crate::world::Journey;

/// Words that nobody says but the conversation that goes into the trash, and the one that is deleted for ever.
const TRASHED: [&str; 4] = ["zirconrook", "topazrook", "opalrook", "berylrook"];
const PURGED: [&str; 5] = ["zirconwren", "topazwren", "opalwren", "berylwren", "garnetwren"];

const POLICIES: [Policy; 7] = [
    Policy::Rolling,
    Policy::Segments,
    Policy::Running,
    Policy::Window,
    Policy::Importance,
    Policy::Summarise,
    Policy::None,
];

/// Answers a question with the words of its conversation, and everything else shortly.
fn bird() -> Scripted {
    Scripted::answering(|request| {
        let asked = request.sections.last().map(|it| it.text.as_str()).unwrap_or_default();
        let said = match asked {
            asked if asked.contains(TRASHED[0]) => "The vault of topazrook is deep and cold.",
            asked if asked.contains(PURGED[0]) => "The vault of topazwren is deep and cold.",
            _ => "Noted.",
        };
        vec![Step::Say(said), Step::Finish]
    })
}

/// Says and keeps everything that a conversation can leave behind.
async fn planted(journey: &Journey, project_id: ProjectId, words: &[&str]) -> ConversationId {
    let id = journey.conversation(Some(project_id)).await;
    let [question, _, draft, line, ..] = words else { panic!("four words") };
    for turn in 0..5 {
        let text = format!(
            "The {question} port of the vault is 771{turn}. We decided to keep {question}."
        );
        journey.ask(id, &text).await;
        journey.app.summaries_settled(id).await;
    }
    let add = AddMemory {
        project_id: Some(project_id),
        conversation_id: Some(id),
        text: format!("Always greet the {line}"),
        source: None,
    };
    journey.app.memory_add(add).await.unwrap();
    let text = format!("half a thought about {draft}");
    journey.app.conversation_draft(SaveDraft { id, text }).await.unwrap();
    journey.app.sessions_settled().await;
    let tag = Some(format!("at-{id}"));
    let create = CreateCheckpoint { project_id, conversation_id: Some(id), tag };
    journey.app.checkpoint_create(create).await.unwrap();
    journey.app.session_snapshot(ProjectRef { id: project_id }).await.unwrap();
    id
}

/// A conversation with a long result of a tool.
async fn with_output(journey: &Journey, project_id: ProjectId, word: &str) -> ConversationId {
    let now = siltstone_engine::Timestamp::now();
    let conversation = Conversation::empty(None, now);
    let whole = format!("one line of output with {word}\n").repeat(300);
    let kept = KeptOutput::of(&whole);
    let arguments = "{\"command\":\"make\"}".into();
    let name = "run_command".into();
    let call = Part::ToolCall { id: "a".into(), name, arguments, seal: None };
    let text = shortened(&whole, &kept);
    let kept_as = Some(kept.clone());
    let result = Part::ToolResult { call_id: "a".into(), text, is_error: false, kept: kept_as };
    let said = |text: &str| Part::Text { text: text.into() };
    let mut path: Vec<Message> = Vec::new();
    for (role, part) in [
        (Role::User, said("Build it")),
        (Role::Assistant, call),
        (Role::Tool, result),
        (Role::Assistant, said("Built.")),
    ] {
        path.push(Message {
            id: MessageId::new(now),
            conversation_id: conversation.id,
            parent_id: path.last().map(|last| last.id),
            turn_id: None,
            index: path.len() as u64,
            role,
            parts: vec![part],
            status: MessageStatus::Complete,
            model: None,
            tokens: 0,
            created_at: now,
        });
    }
    let outputs = [(kept.hash, Arc::from(whole.as_bytes()))].into_iter().collect();
    let text = export::json(&conversation, &path, &[], &[], &outputs, false);
    let project_id = Some(project_id);
    let import = ImportConversation { text, name: "x.json".into(), project_id };
    journey.app.conversation_import(import).await.unwrap().item.id
}

async fn trash(journey: &Journey, id: ConversationId) {
    journey.app.conversation_delete(ConversationRef { id }).await.unwrap();
    journey.app.sessions_settled().await;
}

/// The words that a text has, whatever form it has.
fn words_in<'w>(text: &str, words: &[&'w str]) -> Vec<&'w str> {
    words.iter().filter(|word| text.contains(**word)).copied().collect()
}

fn assert_silent(asked: &[ModelRequest], words: &[&str]) {
    for request in asked {
        let text = format!("{request:?}");
        assert_eq!(words_in(&text, words), [""; 0], "{text}");
    }
}

/// Every file below a folder, but backups.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("backups") => {}
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found
}

fn assert_no_byte(journey: &Journey, words: &[&str]) {
    for path in [journey.data.path(), journey.project.path()].into_iter().flat_map(files) {
        let bytes = std::fs::read(&path).unwrap();
        for word in words {
            let found = bytes.windows(word.len()).any(|at| at == word.as_bytes());
            assert!(!found, "{word} in {}", path.display());
        }
    }
}

/// Everything that a person or a model is shown of a project.
async fn shown(journey: &Journey, id: ProjectId) -> String {
    let app = &journey.app;
    let mut shown = vec![
        format!("{:?}", app.session_get(ProjectRef { id }).await.unwrap()),
        format!("{:?}", app.session_resume(ProjectRef { id }).await.unwrap()),
        format!("{:?}", app.session_hydrate(ProjectRef { id }).await.unwrap()),
        format!("{:?}", app.proposal_list(ProjectRef { id }).await.unwrap()),
        format!("{:?}", app.inbox_list(ToolsAt { project_id: Some(id) }).await.unwrap()),
    ];
    for word in TRASHED.into_iter().chain(PURGED) {
        let scope = SearchScope::default();
        let search = Search { query: word.into(), scope, limit: 50 };
        shown.push(format!("{:?}", app.search(search).await.unwrap()));
        let find = Find { query: word.into(), filter: Filter::default(), limit: 50 };
        let groups = app.find(find).await.unwrap().groups;
        // Checkpoints have the names that a person gave them.
        shown.push(format!("{groups:?}"));
    }
    shown.join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_is_in_no_request_and_what_was_purged_in_no_file() {
    let model = bird();
    let journey = Journey::with(Arc::new(model.clone()));
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.summary.policy = Policy::Segments;
    journey.app.settings_set(settings).await.unwrap();
    let project = journey.open(Trust::Trusted).await;
    let share = ShareSession { project_id: project, on: true, ignore: false };
    journey.app.session_share(share).await.unwrap();
    journey.allow_others(project).await;
    let trashed = planted(&journey, project, &TRASHED).await;
    let purged = planted(&journey, project, &PURGED).await;
    let output = with_output(&journey, project, PURGED[4]).await;
    // Another conversation is told of both, and asks what both answer.
    let other = journey.conversation(Some(project)).await;
    journey.ask(other, "What is the port of the vault that we decided to keep?").await;
    let all = [&TRASHED[..], &PURGED[..]].concat();
    let there = shown(&journey, project).await;
    assert!(words_in(&there, &all).len() >= 5, "they were there: {there}");
    assert!(!words_in(&format!("{:?}", model.asked.lock().unwrap().last()), &all).is_empty());

    for id in [trashed, purged, output] {
        trash(&journey, id).await;
    }
    let shown_now = shown(&journey, project).await;
    assert_eq!(words_in(&shown_now, &all), [""; 0], "{shown_now}");
    for id in [purged, output] {
        let left = journey.app.conversation_purge(ConversationRef { id }).await.unwrap();
        assert_eq!((left.refused.as_slice(), left.sent_to.as_slice()), (&[][..], &[][..]));
    }
    assert_no_byte(&journey, &PURGED);

    let questions = [
        "What is the port of the vault?",
        "We decided to keep something, what was it?",
        "go on",
        "Whom do you always greet?",
        "What was the output of the build, line by line?",
        "금고의 포트는 몇 번이야?",
    ];
    model.asked.lock().unwrap().clear();
    let mut asked = 0;
    for policy in POLICIES {
        for strict in [false, true] {
            let mut settings = journey.app.settings_get(()).await.unwrap();
            settings.summary.policy = policy;
            settings.summary.strict = strict;
            settings.summary.recall.on = Some(true);
            settings.carry_over = CarryOver::Always;
            journey.app.settings_set(settings).await.unwrap();
            for round in 0..2 {
                let new = journey.conversation(Some(project)).await;
                for text in questions.iter().cycle().skip(round).take(9) {
                    journey.ask(new, text).await;
                    asked += 1;
                }
                journey.app.summaries_settled(new).await;
            }
            journey.ask(other, "And the port of the vault?").await;
        }
    }
    let requests = std::mem::take(&mut *model.asked.lock().unwrap());
    assert!(requests.len() >= asked && asked >= 250, "{} and {asked}", requests.len());
    assert_silent(&requests, &all);
    let shown_now = shown(&journey, project).await;
    assert_eq!(words_in(&shown_now, &all), [""; 0], "{shown_now}");
    assert_no_byte(&journey, &PURGED);
}

#[tokio::test]
async fn a_deletion_names_the_backups_that_hold_it_and_they_go_when_asked() {
    let journey = Journey::offline();
    let before = journey.app.backup_create(()).await.unwrap();
    let id = journey.conversation(None).await;
    journey.ask(id, "a zirconwren").await;
    let holding = journey.app.backup_create(()).await.unwrap();
    let named = ConversationRef { id };
    trash(&journey, id).await;
    let traces = journey.app.conversation_traces(named.clone()).await.unwrap();
    assert!(traces.backups.iter().any(|it| it.name == holding.name));
    assert_eq!(journey.app.conversation_purge(named).await.unwrap(), traces);
    let names = traces.backups.into_iter().map(|it| it.name).collect();
    journey.app.backup_delete(DeleteBackups { names }).await.unwrap();
    let left = journey.app.backup_list(()).await.unwrap();
    assert!(left.iter().all(|it| it.made_at <= before.made_at), "{left:?}");
}
