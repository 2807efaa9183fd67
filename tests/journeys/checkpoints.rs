//! Checkpoints (behaviour.md, Checkpoints): what they hold, how a restore is planned, carried out and undone, and that
//! nothing is ever lost by it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use siltstone_app::App;
use siltstone_contract::{
    AddMemory, ChangeCheckpoint, CheckpointItem, CheckpointRef, CheckpointRefs, CleanCheckpoints,
    Code, CompareCheckpoints, CompareFile, CreateCheckpoint, ListCheckpoints, OpenProject,
    PathChoice, PathOutcome, PlanRestore, PlannedFileRef, PreviewRequest, ProjectRef, PutContext,
    RestoreParts, RestorePlan, Restored, RunRestore,
};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Action, Checkpoint, CheckpointReason, FORMAT, Retention, Tree, Why, Written,
};
use siltstone_engine::context::PersistenceKind;
use siltstone_engine::ids::{CheckpointId, ConversationId, ProjectId};
use siltstone_engine::memory::Effective;
use siltstone_engine::ports::{DataFolder, Stores};
use siltstone_engine::project::Trust;
use siltstone_engine::section::SectionKind;
use siltstone_providers::Connections;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;

use crate::ahead::counting;
use crate::world::{Journey, app_on, write};

const ALL: RestoreParts = RestoreParts { chat: true, files: true, memory: true, context: true };
pub const FILES: RestoreParts =
    RestoreParts { chat: false, files: true, memory: false, context: false };

pub fn stores(journey: &Journey) -> Stores {
    DataDir::new(journey.data.path().into(), Arc::new(Seals)).open(Timestamp::now()).unwrap()
}

pub async fn create(
    app: &App,
    project_id: ProjectId,
    conversation_id: Option<ConversationId>,
    tag: Option<&str>,
) -> CheckpointItem {
    let tag = tag.map(str::to_owned);
    app.checkpoint_create(CreateCheckpoint { project_id, conversation_id, tag }).await.unwrap()
}

async fn list(app: &App, project_id: ProjectId) -> Vec<CheckpointItem> {
    let request = ListCheckpoints { project_id, before: None, limit: 100 };
    app.checkpoint_list(request).await.unwrap().items
}

pub async fn plan(app: &App, id: CheckpointId, parts: RestoreParts) -> RestorePlan {
    app.checkpoint_plan(PlanRestore { id, parts }).await.unwrap()
}

pub async fn restore(app: &App, plan: &RestorePlan, choices: Vec<PathChoice>) -> Restored {
    let done = app.checkpoint_restore(RunRestore { plan_id: plan.plan_id, choices }).await.unwrap();
    assert_eq!(done.failed, []);
    done
}

pub async fn undo(app: &App, id: ProjectId) -> Restored {
    app.checkpoint_undo(ProjectRef { id }).await.unwrap()
}

/// Every file below a folder, by path.
pub fn disk(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut dirs = vec![root.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                files.push((name, fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[cfg(unix)]
#[tokio::test]
async fn folders_with_nothing_in_them_come_back_and_names_of_one_file_stay_that() {
    use std::os::unix::fs::MetadataExt;
    let journey = Journey::offline();
    let (app, project) = (&journey.app, journey.open(Trust::Trusted).await);
    let at = |path: &str| journey.project.path().join(path);
    let inode = |path: &str| fs::metadata(at(path)).unwrap().ino();
    fs::create_dir_all(at("out/logs")).unwrap();
    fs::create_dir_all(at("stays/theirs")).unwrap();
    write(&journey.project, "a.md", "one\n");
    write(&journey.project, "held/x.md", "x\n");
    fs::hard_link(at("a.md"), at("docs/b.md")).unwrap();
    let first = create(app, project, None, None).await;
    // Written by one of its names, as any other program does.
    fs::write(at("a.md"), "two\n").unwrap();
    fs::remove_dir_all(at("out")).unwrap();
    fs::create_dir(at("mine")).unwrap();
    create(app, project, None, None).await;
    let planned = plan(app, first.id, FILES).await;
    let done = restore(app, &planned, Vec::new()).await;
    assert_eq!(done.done, 3, "both names, and the folder");
    assert!(at("out/logs").is_dir() && at("stays/theirs").is_dir());
    assert!(at("mine").is_dir(), "what the person made since is in nobody's way");
    assert_eq!(fs::read_to_string(at("docs/b.md")).unwrap(), "one\n");
    assert_eq!(inode("a.md"), inode("docs/b.md"));

    // The way back takes the folder of the checkpoint no more than any other.
    undo(app, project).await;
    assert_eq!(fs::read_to_string(at("docs/b.md")).unwrap(), "two\n");
    assert_eq!(inode("a.md"), inode("docs/b.md"));
    assert!(at("out/logs").is_dir());

    // One of both that stays as it is becomes a file of its own.
    let planned = plan(app, first.id, FILES).await;
    let b = planned.files.iter().find(|file| file.path == "docs/b.md").unwrap().index;
    let keep = PathChoice { index: b, choice: PathOutcome::Keep };
    restore(app, &planned, vec![keep]).await;
    assert_eq!(fs::read_to_string(at("a.md")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(at("docs/b.md")).unwrap(), "two\n");
}

/// behaviour.md, Checkpoints: every field.
#[tokio::test]
async fn a_checkpoint_holds_what_the_seed_lists_field_by_field() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let conversation = journey.conversation(Some(project)).await;
    journey.ask(conversation, "Which port?").await;
    let line = AddMemory {
        project_id: Some(project),
        conversation_id: None,
        text: "Prefer jiff".into(),
        source: None,
    };
    journey.app.memory_add(line).await.unwrap();
    let put = PutContext {
        project_id: Some(project),
        kind: PersistenceKind::Volatile,
        key: "currentFile".into(),
        value: "docs/setup.md".into(),
    };
    journey.app.context_put(put).await.unwrap();
    let made = create(&journey.app, project, Some(conversation), Some("works")).await;

    let stores = stores(&journey);
    let objects = stores.checkpoints.objects();
    let found: Checkpoint = stores.checkpoints.checkpoint(made.id).unwrap();
    assert_eq!(found, stores.checkpoints.tagged(project, "works").unwrap().unwrap());
    assert_eq!((found.tag.as_deref(), &found.reason), (Some("works"), &CheckpointReason::Manual));
    assert!(found.created_at <= Timestamp::now());

    let path = journey.path(conversation).await;
    let state = found.conversation.unwrap();
    assert_eq!((state.id, state.message, state.messages), (conversation, Some(path[1].id), 2));
    let spent = stores.transcripts.spent_in(conversation).unwrap();
    assert_eq!(state.token_usage.input_tokens, spent.input_tokens);
    assert_eq!((state.provider.as_str(), state.model.as_str()), ("offline", "offline"));
    let shown = journey.app.checkpoint_get(CheckpointRef { id: made.id }).await.unwrap();
    assert_eq!(shown.turn_id, path[1].turn_id, "what was sent last can be looked at");

    // path, content, hash: the hash is the name of the content.
    let files = found.files.unwrap();
    assert_eq!((files.files, files.not_captured_count), (3, 1));
    assert_eq!(files.not_captured[0].path, ".env");
    let root = files.tree.unwrap();
    let tree = Tree::decode(root, &objects.get(root).unwrap()).unwrap();
    let names: Vec<&[u8]> = tree.entries().iter().map(|(name, _)| name.as_slice()).collect();
    assert_eq!(names, [b"AGENTS.md".as_slice(), b"docs"]);
    let texts = journey.app.checkpoint_file_diff(CompareFile {
        id: made.id,
        with: None,
        path: "docs/setup.md".into(),
    });
    assert_eq!(texts.await.unwrap().before, None, "it is the same now");

    let memory = objects.get(found.context.memory.unwrap()).unwrap();
    let memory: Effective = serde_json::from_slice(&memory).unwrap();
    assert!(memory.lines.iter().any(|line| line.text.contains("Never break the public API")));
    assert_eq!(found.context.runtime_additions, ["Prefer jiff"]);
    let told = objects.get(found.context.stores.unwrap()).unwrap();
    assert!(String::from_utf8(told).unwrap().contains("docs/setup.md"));
    let settings = objects.get(found.context.settings.unwrap()).unwrap();
    assert!(String::from_utf8(settings).unwrap().contains("\"summary\""));

    let metadata = found.metadata;
    assert!(!metadata.session_id.is_empty() && metadata.user_id.is_none());
    let real = journey.project.path().canonicalize().unwrap();
    assert_eq!(metadata.project_path, real.to_str().unwrap());
    assert_eq!((metadata.version.as_str(), metadata.format), ("test", FORMAT));

    let again = create(&journey.app, project, Some(conversation), None).await;
    assert_eq!((again.parent, again.changed), (Some(made.id), 0));
    assert_eq!(list(&journey.app, project).await.len(), 2);
    let same =
        CreateCheckpoint { project_id: project, conversation_id: None, tag: Some("works".into()) };
    assert_eq!(journey.app.checkpoint_create(same).await.unwrap_err().code, Code::Conflict);

    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.checkpoints.user_id = " dana ".into();
    journey.app.settings_set(settings).await.unwrap();
    let named = create(&journey.app, project, None, None).await.id;
    let named = stores.checkpoints.checkpoint(named).unwrap();
    assert_eq!(named.metadata.user_id.as_deref(), Some("dana"));
}

/// behaviour.md, Checkpoints: one is taken before what destroys.
#[tokio::test]
async fn a_restore_is_planned_carried_out_and_undone_byte_for_byte() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let app = &journey.app;
    write(&journey.project, "a.txt", "one\ntwo\nthree\nfour\nfive\n");
    write(&journey.project, "b.txt", "b\n");
    write(&journey.project, "deep/er/c.bin", "c\0\n");
    let first = create(app, project, None, None).await;
    write(&journey.project, "a.txt", "one\ntwo\nthree\nfour\nFIVE\n");
    fs::remove_dir_all(journey.project.path().join("deep")).unwrap();
    create(app, project, None, None).await;
    // Changed by somebody since Siltstone looked.
    write(&journey.project, "a.txt", "ONE\ntwo\nthree\nfour\nFIVE\n");
    write(&journey.project, "theirs.txt", "nobody else has this\n");
    let before = disk(journey.project.path());

    let planned = plan(app, first.id, FILES).await;
    let steps: Vec<_> = planned
        .files
        .iter()
        .map(|it| (it.path.as_str(), it.action, it.why, it.can_merge))
        .collect();
    let expected = [
        ("a.txt", Action::Conflict, Why::ChangedOutside, true),
        ("deep/er/c.bin", Action::Create, Why::Missing, false),
        ("theirs.txt", Action::Skip, Why::NotOurs, false),
    ];
    assert_eq!(steps, expected);
    assert_eq!(disk(journey.project.path()), before, "a plan does nothing");

    let of = PlannedFileRef { plan_id: planned.plan_id, index: 0 };
    let merge = app.checkpoint_merge(of).await.unwrap();
    assert_eq!((merge.merged.as_str(), merge.conflicts), ("ONE\ntwo\nthree\nfour\nfive\n", false));
    let choice = PathOutcome::Merge { text: merge.merged };
    let done = restore(app, &planned, vec![PathChoice { index: 0, choice }]).await;
    assert_eq!((done.done, done.kept), (2, 1));
    let read = |path: &str| fs::read_to_string(journey.project.path().join(path)).unwrap();
    assert_eq!(read("a.txt"), "ONE\ntwo\nthree\nfour\nfive\n");
    assert_eq!((read("deep/er/c.bin").as_str(), read("b.txt").as_str()), ("c\0\n", "b\n"));
    assert_eq!(read("theirs.txt"), "nobody else has this\n");
    let newest = list(app, project).await.remove(0);
    assert_eq!(newest.reason, CheckpointReason::BeforeRestore { of: first.id });

    undo(app, project).await;
    assert_eq!(disk(journey.project.path()), before);
    undo(app, project).await;
    assert_eq!(read("deep/er/c.bin"), "c\0\n", "an undo can be undone");
    // What follows a restore goes on from what was restored: the checkpoint before the first undo.
    let next = create(app, project, None, None).await;
    assert_eq!(next.parent, Some(list(app, project).await[2].id));
}

#[tokio::test]
async fn chat_memory_and_context_come_back_and_the_model_is_told_once() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let (app, id) = (&journey.app, journey.conversation(Some(project)).await);
    journey.ask(id, "Which port?").await;
    let made = create(app, project, Some(id), Some("before the talk")).await;
    journey.ask(id, "And the API?").await;
    write(&journey.project, "docs/setup.md", "nothing\n");
    create(app, project, Some(id), None).await;
    let line = |text: &str| AddMemory {
        project_id: Some(project),
        conversation_id: None,
        text: text.into(),
        source: None,
    };
    app.memory_add(line("a rule of later")).await.unwrap();
    let put = PutContext {
        project_id: Some(project),
        kind: PersistenceKind::Persistent,
        key: "goal".into(),
        value: "later".into(),
    };
    app.context_put(put).await.unwrap();

    let diff = app.checkpoint_diff(CompareCheckpoints { id: made.id, with: None }).await.unwrap();
    assert_eq!((diff.messages_before, diff.messages_after), (0, 2));
    assert_eq!(diff.files.len(), 1);
    let names: Vec<&str> = diff.context.iter().map(|change| change.name.as_str()).collect();
    assert!(names.contains(&"runtime") && names.contains(&"persistent/goal"), "{names:?}");

    let planned = plan(app, made.id, ALL).await;
    assert_eq!((planned.messages, planned.lines, planned.keys), (2, 1, 1));
    restore(app, &planned, Vec::new()).await;
    assert_eq!(journey.path(id).await.len(), 2);
    let held = || async {
        let diff = CompareCheckpoints { id: made.id, with: None };
        app.checkpoint_diff(diff).await.unwrap()
    };
    let now = held().await;
    assert!(now.files.is_empty() && now.messages.is_empty() && now.context.is_empty(), "{now:?}");

    let told = || async {
        let draft =
            PreviewRequest { conversation_id: id, draft: "Hi".into(), context: None, model: None };
        let sections = app.request_preview(draft).await.unwrap().sections;
        let volatile = sections.into_iter().find(|it| it.kind == SectionKind::VolatileContext);
        volatile.map(|section| section.text).unwrap_or_default()
    };
    let said = told().await;
    let told_of = "The user went back to the checkpoint \"before the talk\"";
    assert!(said.contains("restored:") && said.contains(told_of), "{said}");
    assert!(said.contains("docs/setup.md"), "{said}");
    journey.ask(id, "Hi").await;
    assert!(!told().await.contains("restored:"));

    undo(app, project).await;
    assert_eq!(journey.path(id).await.len(), 4, "the path before the restore");
    assert!(journey.said(id).await[2].contains("API"));
}

#[tokio::test]
async fn going_on_from_a_checkpoint_keeps_what_came_later_on_its_branch() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let (app, id) = (&journey.app, journey.conversation(Some(project)).await);
    let empty = create(app, project, Some(id), None).await;
    journey.ask(id, "one").await;
    let made = create(app, project, Some(id), None).await;
    journey.ask(id, "two").await;
    let later = create(app, project, Some(id), None).await;
    write(&journey.project, "new.txt", "stays\n");

    let shown = app.checkpoint_continue(CheckpointRef { id: made.id }).await.unwrap();
    assert_eq!((shown.id, journey.path(id).await.len()), (id, 2));
    app.checkpoint_continue(CheckpointRef { id: made.id }).await.unwrap();
    journey.ask(id, "other").await;
    let path = journey.path(id).await;
    assert_eq!((path.len(), path[2].siblings.ids.len()), (4, 2));
    assert!(journey.project.path().join("new.txt").exists());

    app.checkpoint_continue(CheckpointRef { id: later.id }).await.unwrap();
    assert_eq!(journey.said(id).await[2], "two");
    app.checkpoint_continue(CheckpointRef { id: empty.id }).await.unwrap();
    assert!(journey.path(id).await.is_empty());
    journey.ask(id, "from the beginning").await;
    assert_eq!(journey.path(id).await.len(), 2);
    assert_eq!(journey.path(id).await[0].siblings.ids.len(), 2);
}

#[tokio::test]
async fn a_restore_that_was_cut_off_is_listed_and_finished_by_another_process() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    for name in ["a", "b", "c"] {
        write(&journey.project, name, "then\n");
    }
    let made = create(&journey.app, project, None, None).await;
    for name in ["a", "b", "c"] {
        write(&journey.project, name, "now\n");
    }
    let before = create(&journey.app, project, None, None).await;
    let planned = plan(&journey.app, made.id, FILES).await;
    // As far as a process got that died: it had begun, and written one of three.
    let rows = stores(&journey).checkpoints;
    let mut begun = rows.plan(planned.plan_id).unwrap();
    begun.before = Some(before.id);
    let writes = begun
        .steps
        .iter()
        .map(|(step, _)| Written { path: step.path.clone(), leaf: step.then.clone() });
    rows.note_written(project, &writes.collect::<Vec<_>>()).unwrap();
    rows.put_plan(project, &begun).unwrap();
    write(&journey.project, "b", "then\n");

    let app = app_on(journey.data.path(), Arc::new(Connections::new()));
    let request = ListCheckpoints { project_id: project, before: None, limit: 10 };
    let at_it = rows.restore_alone().unwrap();
    let unfinished = app.checkpoint_list(request.clone()).await.unwrap().unfinished;
    assert!(unfinished.is_empty(), "another process is at it, so nothing was cut off");
    drop(at_it);
    let unfinished = app.checkpoint_list(request.clone()).await.unwrap().unfinished;
    assert_eq!(unfinished.len(), 1);
    assert_eq!((unfinished[0].plan_id, unfinished[0].before), (planned.plan_id, before.id));
    let rules = Some(Retention { days: None, count: Some(0), bytes: None });
    let clean = CleanCheckpoints { project_id: project, rules, only: None, dry_run: false };
    assert!(app.checkpoint_clean(clean).await.unwrap().gone.is_empty(), "it needs both");
    let refused = app.checkpoint_delete(CheckpointRefs { ids: vec![made.id] }).await;
    assert_eq!(refused.unwrap_err().code, Code::Conflict);
    let done = restore(&app, &planned, Vec::new()).await;
    assert_eq!((done.done, done.before), (3, before.id));
    let all_then = |text: &str| {
        ["a", "b", "c"]
            .iter()
            .all(|name| fs::read_to_string(journey.project.path().join(name)).unwrap() == text)
    };
    assert!(all_then("then\n"));
    assert!(app.checkpoint_list(request).await.unwrap().unfinished.is_empty());
    let twice = RunRestore { plan_id: planned.plan_id, choices: Vec::new() };
    assert_eq!(app.checkpoint_restore(twice).await.unwrap_err().code, Code::Conflict);
    undo(&app, project).await;
    assert!(all_then("now\n"));
}

/// behaviour.md, Checkpoints: versions are checked before a restore.
#[tokio::test]
async fn a_checkpoint_of_a_newer_version_is_looked_at_and_not_restored() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let made = create(&journey.app, project, None, None).await;
    let rows = stores(&journey).checkpoints;
    let mut newer = rows.checkpoint(made.id).unwrap();
    newer.id = CheckpointId::new(Timestamp::now());
    newer.metadata.format = FORMAT + 1;
    rows.add_checkpoint(&newer).unwrap();
    write(&journey.project, "docs/setup.md", "other\n");

    let app = &journey.app;
    let listed = list(app, project).await;
    assert!(listed.iter().any(|item| item.id == newer.id && !item.known));
    let compare = CompareCheckpoints { id: newer.id, with: None };
    assert_eq!(app.checkpoint_diff(compare).await.unwrap().files.len(), 1);
    let refused = app.checkpoint_plan(PlanRestore { id: newer.id, parts: FILES }).await;
    assert_eq!(refused.unwrap_err().code, Code::Conflict);
}

/// behaviour.md, Checkpoints: every 30 minutes, while something changed.
#[tokio::test(start_paused = true)]
async fn one_is_taken_by_the_clock_when_something_changed() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let (app, _, clock) = counting(journey.data.path());
    let path = journey.project.path().display().to_string();
    let open = OpenProject { path, trust: None, this_computer_only: None, seen: Vec::new() };
    app.project_open(open).await.unwrap();
    let watching = tokio::spawn(app.watch_other_processes());
    // The paused time goes on only while nothing is captured.
    let minutes = || tokio::time::sleep(Duration::from_secs(130));
    minutes().await;
    assert_eq!(list(&app, project).await.len(), 1, "the first one");
    write(&journey.project, "new.txt", "new\n");
    minutes().await;
    assert_eq!(list(&app, project).await.len(), 1, "half an hour did not pass");
    clock.0.store(31, SeqCst);
    minutes().await;
    let found = list(&app, project).await;
    assert_eq!((found.len(), &found[0].reason), (2, &CheckpointReason::Interval));
    clock.0.store(62, SeqCst);
    minutes().await;
    assert_eq!(list(&app, project).await.len(), 2, "nothing changed");
    write(&journey.project, "docs/setup.md", "changed after the look\n");
    minutes().await;
    assert_eq!(list(&app, project).await.len(), 2, "half an hour did not pass since the look");
    clock.0.store(93, SeqCst);
    minutes().await;
    assert_eq!(list(&app, project).await.len(), 3);
    watching.abort();
}

/// behaviour.md, Checkpoints: those of important moments are made by hand, and old ones are cleaned up.
#[tokio::test]
async fn old_ones_go_by_rules_and_those_with_a_name_or_a_pin_stay() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let app = &journey.app;
    let mut made = Vec::new();
    for round in 0..6 {
        write(&journey.project, "docs/setup.md", &format!("round {round}\n"));
        made.push(create(app, project, None, (round == 1).then_some("kept")).await.id);
    }
    let pin = ChangeCheckpoint { id: made[2], tag: None, pinned: true };
    app.checkpoint_change(pin).await.unwrap();
    let rules = Some(Retention { days: None, count: Some(3), bytes: None });
    let clean = |dry_run| CleanCheckpoints { project_id: project, rules, only: None, dry_run };
    let dry = app.checkpoint_clean(clean(true)).await.unwrap();
    let gone: Vec<CheckpointId> = dry.gone.iter().map(|gone| gone.id).collect();
    assert_eq!(gone, [made[0], made[3], made[4]]);
    assert_eq!(list(app, project).await.len(), 6, "a dry run lets none go");
    let shown = CleanCheckpoints { only: Some(vec![made[0], made[1]]), ..clean(false) };
    let done = app.checkpoint_clean(shown).await.unwrap();
    assert_eq!(done.gone.iter().map(|gone| gone.id).collect::<Vec<_>>(), [made[0]]);
    assert_eq!(list(app, project).await.len(), 5, "what was not shown stays");
    app.checkpoint_clean(clean(false)).await.unwrap();
    let left: Vec<CheckpointId> = list(app, project).await.iter().map(|item| item.id).collect();
    assert_eq!(left, [made[5], made[2], made[1]]);
    app.checkpoint_delete(CheckpointRefs { ids: vec![made[2]] }).await.unwrap();
    assert!(app.checkpoint_verify(()).await.unwrap().damaged.is_empty());
    restore(app, &plan(app, made[1], FILES).await, Vec::new()).await;
    let text = fs::read_to_string(journey.project.path().join("docs/setup.md")).unwrap();
    assert_eq!(text, "round 1\n");
}

#[tokio::test]
async fn checkpoints_that_cannot_be_opened_keep_nobody_from_talking() {
    let journey = Journey::offline();
    fs::create_dir_all(journey.data.path()).unwrap();
    fs::write(journey.data.path().join("checkpoints"), "in the way").unwrap();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Which port?").await;
    assert_eq!(journey.path(id).await.len(), 2);
    let request = ListCheckpoints { project_id: project, before: None, limit: 10 };
    assert!(journey.app.checkpoint_list(request).await.is_err());
    fs::remove_file(journey.data.path().join("checkpoints")).unwrap();
    create(&journey.app, project, Some(id), None).await;
}
