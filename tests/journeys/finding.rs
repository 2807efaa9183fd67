//! The search over everything: what is found where, and what is not because it may not be read.

use std::sync::Arc;

use siltstone_contract::{
    ChooseMemory, CreateCheckpoint, ExcludeFiles, Find, MemoryAt, MemoryCommand, ProjectRef,
    TrustProject,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::FileChoice;
use siltstone_engine::project::Trust;
use siltstone_engine::search::{Filter, Found, FoundKind};

use crate::world::{Journey, write};

async fn found(journey: &Journey, query: &str, filter: Filter) -> Vec<Found> {
    let request = Find { query: query.into(), filter, limit: 50 };
    let groups = journey.app.find(request).await.unwrap().groups;
    for group in &groups {
        assert_eq!(group.total, group.found.len() as u64, "{group:?}");
        assert!(group.found.iter().all(|found| found.kind == group.kind));
    }
    assert!(groups.is_sorted_by_key(|group| group.kind));
    groups.into_iter().flat_map(|group| group.found).collect()
}

async fn links(journey: &Journey, query: &str, filter: Filter) -> Vec<String> {
    found(journey, query, filter).await.into_iter().map(|found| found.link).collect()
}

fn of(kind: FoundKind) -> Filter {
    Filter { kinds: vec![kind], ..Filter::default() }
}

/// Files are read beside the first search; this waits for them.
async fn indexed(journey: &Journey) {
    journey.app.rebuild_index(Arc::new(|_| true)).await.unwrap();
}

async fn opened() -> (Journey, ProjectId) {
    let journey = Journey::offline();
    write(&journey.project, "AGENTS.md", "# Rules\n\nThe basalt column stays hexagonal.\n");
    write(&journey.project, "docs/basalt.md", "# Basalt\n\nIt cools slowly.\n");
    write(&journey.project, "docs/private.md", "The basalt quarry is secret.\n");
    let project = journey.open(Trust::Trusted).await;
    journey.agree(project).await;
    indexed(&journey).await;
    (journey, project)
}

#[tokio::test]
async fn one_search_finds_messages_memory_files_and_checkpoints_each_at_its_place() {
    let (journey, project) = opened().await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Where is the basalt?").await;
    let command = MemoryCommand {
        project_id: Some(project),
        conversation_id: None,
        text: "/memory add basalt is spelled with one l".into(),
    };
    journey.app.memory_command(command).await.unwrap();
    let at = MemoryAt { project_id: Some(project), conversation_id: None, dir: None };
    let line = journey.app.memory_layers(at).await.unwrap().lines.remove(0).id;
    let tag = Some("before the basalt".into());
    let request = CreateCheckpoint { project_id: project, conversation_id: Some(id), tag };
    let checkpoint = journey.app.checkpoint_create(request).await.unwrap();
    let all = found(&journey, "basalt", Filter::default()).await;
    let of_kind = |kind| all.iter().filter(|found| found.kind == kind).collect::<Vec<_>>();
    assert!(of_kind(FoundKind::Message).iter().any(|found| found.conversation_id == Some(id)));
    let memory: Vec<&str> =
        of_kind(FoundKind::Memory).iter().map(|found| found.link.as_str()).collect();
    assert_eq!(
        memory,
        [format!("silt:memory-line/{line}").as_str(), "silt:memory/AGENTS.md?line=3"]
    );
    let files = of_kind(FoundKind::File);
    assert!(files.iter().any(|found| found.link == "silt:file/docs/basalt.md?line=1"));
    let [made] = of_kind(FoundKind::Checkpoint)[..] else { panic!("one checkpoint") };
    assert_eq!(made.link, format!("silt:checkpoint/{}", checkpoint.id));
    assert_eq!((made.project_id, made.conversation_id), (Some(project), Some(id)));
    let in_one = Filter { conversation_id: Some(id), ..Filter::default() };
    let kinds: Vec<FoundKind> =
        found(&journey, "before the basalt", in_one).await.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [FoundKind::Checkpoint]);
    assert_eq!(found(&journey, "  \"", Filter::default()).await, []);
}

/// A memory file is a file of its project too.
#[tokio::test]
async fn what_is_found_as_memory_is_not_found_again_as_a_file() {
    let (journey, project) = opened().await;
    let at = async |query: &str, filter: Filter| links(&journey, query, filter).await;
    let all = Filter::default();
    assert_eq!(at("hexagonal", all.clone()).await, ["silt:memory/AGENTS.md?line=3"]);
    let files = at("hexagonal", of(FoundKind::File)).await;
    assert_eq!(files, ["silt:file/AGENTS.md?line=3"], "where memory is not looked for");
    // What nobody agreed to yet is no memory, and is found where it stands.
    write(&journey.project, "AGENTS.md", "# Rules\n\nThe obsidian is sharp.\n");
    indexed(&journey).await;
    assert_eq!(at("obsidian", all.clone()).await, ["silt:file/AGENTS.md?line=3"]);
    journey.agree(project).await;
    assert_eq!(at("obsidian", all).await, ["silt:memory/AGENTS.md?line=3"]);
}

/// Memory changes outside of the window; what was not agreed to is found as it was.
#[tokio::test]
async fn memory_is_found_as_the_person_agreed_to_it() {
    let (journey, project) = opened().await;
    write(&journey.project, "AGENTS.md", "# Rules\n\nThe obsidian is sharp.\n");
    let memory = async |query: &str| found(&journey, query, of(FoundKind::Memory)).await.len();
    assert_eq!((memory("basalt").await, memory("obsidian").await), (1, 0));
    journey.agree(project).await;
    assert_eq!((memory("basalt").await, memory("obsidian").await), (0, 1));
}

/// behaviour.md, Memory: a rule file is found by what it is about, in one list with what has the words.
#[tokio::test]
async fn memory_is_found_by_its_topic_in_other_words() {
    let (journey, project) = opened().await;
    let rules = "---\nwhen: [database]\n---\n\nOne migration for each change.\n";
    write(&journey.project, ".cursor/rules/storage.md", rules);
    let memory = async |query: &str| links(&journey, query, of(FoundKind::Memory)).await;
    let question = "how are the DB tables laid out?";
    assert_eq!(memory(question).await, Vec::<String>::new(), "nobody agreed to it yet");
    journey.agree(project).await;
    let file = "silt:memory/.cursor/rules/storage.md?line=5";
    assert_eq!(memory(question).await, [file]);
    assert_eq!(memory("디비는 어떻게 생겼어?").await, [file]);
    assert_eq!(memory("migration").await, [file], "once, although it has the word");
    assert_eq!(memory("how is the weather?").await, Vec::<String>::new());
    // In the list of everything, beside what was said.
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "The DB tables are laid out by hand.").await;
    let all = found(&journey, "DB tables laid out", Filter::default()).await;
    let kinds = |kind| all.iter().filter(move |it| it.kind == kind).count();
    assert_eq!(kinds(FoundKind::Memory), 1, "{all:?}");
    assert!(kinds(FoundKind::Message) >= 1, "{all:?}");
    let choice = FileChoice { on: false, ..FileChoice::default() };
    let path = ".cursor/rules/storage.md".to_owned();
    let off = ChooseMemory { project_id: project, path, choice };
    journey.app.memory_choose(off).await.unwrap();
    assert_eq!(memory(question).await, Vec::<String>::new(), "what is off is found by nothing");
}

#[tokio::test]
async fn what_is_excluded_gone_or_not_trusted_is_found_by_nothing() {
    let (journey, project) = opened().await;
    let files = async |query: &str| links(&journey, query, of(FoundKind::File)).await;
    assert_eq!(files("quarry").await.len(), 1);
    let patterns = vec!["docs/private.md".into()];
    journey.app.project_exclude(ExcludeFiles { id: project, patterns }).await.unwrap();
    assert_eq!(files("quarry").await, Vec::<String>::new());
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.privacy.exclude_patterns.push("docs/basalt.md".into());
    journey.app.settings_set(settings).await.unwrap();
    assert_eq!(files("cools").await, Vec::<String>::new(), "although the index still has it");
    assert_eq!(files("5433").await.len(), 2);
    std::fs::remove_file(journey.project.path().join("docs/setup.md")).unwrap();
    assert_eq!(files("5433").await.len(), 1, "although nobody looked at the folder since");
    assert_eq!(files("SECRET_TOKEN").await, Vec::<String>::new());
    let answer = TrustProject { id: project, trust: Trust::Untrusted };
    journey.app.project_trust(answer).await.unwrap();
    assert_eq!(files("5433").await, Vec::<String>::new());
    assert_eq!(links(&journey, "basalt", of(FoundKind::Memory)).await, Vec::<String>::new());
    let forgotten = ProjectRef { id: project };
    journey.app.project_forget(forgotten).await.unwrap();
    assert_eq!(links(&journey, "basalt", Filter::default()).await, Vec::<String>::new());
}
