//! What a turn changed in files: what is listed, how pieces of it stand after the person went on working, and that taking
//! them back loses nothing and can be undone.

use std::fs;

use serde_json::json;
use siltstone_contract::{
    ApprovalAnswer, ChangedFile, ChangesKnown, ChangesOf, CheckpointRefs, Code, ListCheckpoints,
    ProjectRef, Restored, ReviewChanges, ReviewedFile, ShownChange, TakeBackChanges, TakenBackFile,
    TurnChange, TurnChanges,
};
use siltstone_engine::checkpoint::{CheckpointReason, Standing};
use siltstone_engine::ids::TurnId;
use siltstone_engine::run::NodeKind;

use crate::checkpoints::{disk, stores};
use crate::runs::{Desk, call, say};
use crate::scripted::Step;
use crate::world::write;

const PORTS: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// A desk whose model calls these, and says so.
async fn desk(calls: Vec<Step>) -> Desk {
    let calls = calls.into_iter().chain([Step::Finish]).collect();
    let desk = Desk::of([calls, say("Done.")]).await;
    desk.allow_commands().await;
    write(&desk.journey.project, "ports.txt", PORTS);
    desk
}

/// Sends, says yes to so many calls, and waits for the end.
async fn carried(desk: &Desk, calls: usize) -> TurnId {
    desk.journey.send(desk.id, "Do it.").await;
    for _ in 0..calls {
        let approval = desk.waiting().await;
        desk.answer(&approval, ApprovalAnswer::Once).await;
        let id = approval.call_id;
        siltstone_test_servers::until::until("the answer to be taken", async || {
            let request = siltstone_contract::ConversationRef { id: desk.id };
            let waiting = desk.journey.app.approval_list(request).await.unwrap();
            waiting.iter().all(|waiting| waiting.call_id != id)
        })
        .await;
    }
    desk.journey.settled(desk.id).await;
    desk.journey.path(desk.id).await.pop().unwrap().turn_id.unwrap()
}

fn edit(id: &'static str, old: &str, new: &str) -> Step {
    call(id, "edit_file", json!({"path": "ports.txt", "old": old, "new": new}))
}

fn command(id: &'static str, line: &str) -> Step {
    call(id, "run_command", json!({"command": line, "purpose": "try"}))
}

async fn changes(desk: &Desk, turn: TurnId) -> TurnChanges {
    desk.journey.app.changes_get(ChangesOf::Turn { id: turn }).await.unwrap()
}

async fn review(desk: &Desk, turn_id: TurnId) -> Vec<ReviewedFile> {
    let request = ReviewChanges { of: ChangesOf::Turn { id: turn_id }, path: None };
    desk.journey.app.changes_review(request).await.unwrap().files
}

fn standing(reviewed: &ReviewedFile) -> Vec<Standing> {
    match &reviewed.shown {
        ShownChange::Pieces { standing, .. } => standing.clone(),
        other => panic!("no pieces: {other:?}"),
    }
}

fn take(reviewed: &ReviewedFile, pieces: Option<&[u32]>) -> TakenBackFile {
    TakenBackFile {
        path: reviewed.file.path.clone(),
        seen: reviewed.seen.clone(),
        pieces: pieces.map(<[u32]>::to_vec),
    }
}

async fn take_back(
    desk: &Desk,
    turn_id: TurnId,
    files: Vec<TakenBackFile>,
) -> Result<Restored, siltstone_contract::Failure> {
    desk.journey
        .app
        .changes_take_back(TakeBackChanges { of: ChangesOf::Turn { id: turn_id }, files })
        .await
}

async fn undo(desk: &Desk) {
    desk.journey.app.checkpoint_undo(ProjectRef { id: desk.project }).await.unwrap();
}

fn seen(file: &ChangedFile) -> (&str, TurnChange, Option<u32>, Option<u32>, bool) {
    (&file.path, file.kind, file.added, file.removed, file.by_tool)
}

#[tokio::test]
async fn what_a_turn_changed_is_listed_and_all_of_it_is_taken_back_and_put_again() {
    let desk = desk(vec![
        edit("a", "two\n", "2\n2b\n"),
        call("b", "write_file", json!({"path": "new/made.txt", "text": "made\n"})),
        call("c", "delete_file", json!({"path": "docs/setup.md"})),
        call("d", "move_file", json!({"from": "docs/설치.md", "to": "docs/install.md"})),
    ])
    .await;
    let before = disk(desk.journey.project.path());
    let turn = carried(&desk, 4).await;
    let after = disk(desk.journey.project.path());
    assert_ne!(before, after);

    let listed = changes(&desk, turn).await;
    assert_eq!((listed.known, listed.project_id), (ChangesKnown::Whole, Some(desk.project)));
    assert_eq!((listed.added, listed.removed), (3, 4));
    let all: Vec<_> = listed.files.iter().map(seen).collect();
    use TurnChange::{Added, Deleted, Modified, Moved};
    assert_eq!(
        all,
        [
            ("docs/install.md", Moved, Some(0), Some(0), true),
            ("docs/setup.md", Deleted, Some(0), Some(3), true),
            ("new/made.txt", Added, Some(1), Some(0), true),
            ("ports.txt", Modified, Some(2), Some(1), true),
        ]
    );
    assert_eq!(listed.files[0].from.as_deref(), Some("docs/설치.md"));
    assert!(listed.files.iter().all(|file| file.standing == Some(Standing::Stands)));

    let whole = review(&desk, turn).await.iter().map(|file| take(file, None)).collect();
    let done = take_back(&desk, turn, whole).await.unwrap();
    assert_eq!((done.failed.len(), done.kept), (0, 0));
    assert_eq!(disk(desk.journey.project.path()), before);
    let listed = changes(&desk, turn).await;
    assert!(listed.files.iter().all(|file| file.standing == Some(Standing::TakenBack)));

    undo(&desk).await;
    assert_eq!(disk(desk.journey.project.path()), after, "and all of it is there again");
    undo(&desk).await;
    assert_eq!(disk(desk.journey.project.path()), before);
}

#[tokio::test]
async fn a_piece_is_taken_back_in_what_the_person_made_of_the_file_since() {
    let desk = desk(vec![edit("a", "two\n", "2\n"), edit("b", "nine\n", "9\n")]).await;
    let turn = carried(&desk, 2).await;
    let mine = "mine\none\n2\nthree\nfour\nMINE\nsix\nseven\neight\n9\nten\n";
    write(&desk.journey.project, "ports.txt", mine);
    let files = review(&desk, turn).await;
    assert_eq!(files[0].file.standing, Some(Standing::Changed));
    assert_eq!(standing(&files[0]), [Standing::Stands, Standing::Stands]);
    let ShownChange::Pieces { difference, .. } = &files[0].shown else { unreachable!() };
    assert_eq!(
        (difference.added, difference.removed),
        (2, 2),
        "the person's lines are not the turn's"
    );

    take_back(&desk, turn, vec![take(&files[0], Some(&[1]))]).await.unwrap();
    let without = "mine\none\n2\nthree\nfour\nMINE\nsix\nseven\neight\nnine\nten\n";
    assert_eq!(desk.file("ports.txt"), without);
    let files = review(&desk, turn).await;
    assert_eq!(standing(&files[0]), [Standing::Stands, Standing::TakenBack]);
    undo(&desk).await;
    assert_eq!(desk.file("ports.txt"), mine);
}

#[tokio::test]
async fn a_piece_that_was_changed_since_stays_and_the_whole_file_can_be_had_as_it_was() {
    let desk = desk(vec![edit("a", "two\n", "2\n"), edit("b", "nine\n", "9\n")]).await;
    let turn = carried(&desk, 2).await;
    let mine = PORTS.replace("two\n", "TWO, mine\n").replace("nine\n", "9\n");
    write(&desk.journey.project, "ports.txt", &mine);
    let files = review(&desk, turn).await;
    assert_eq!(standing(&files[0]), [Standing::Changed, Standing::Stands]);
    let refused = take_back(&desk, turn, vec![take(&files[0], Some(&[0]))]).await.unwrap_err();
    assert_eq!(refused.code, Code::Conflict);
    assert_eq!(desk.file("ports.txt"), mine);

    take_back(&desk, turn, vec![take(&files[0], None)]).await.unwrap();
    assert_eq!(desk.file("ports.txt"), PORTS);
    undo(&desk).await;
    assert_eq!(desk.file("ports.txt"), mine, "also what the person had written");
}

#[tokio::test]
async fn what_changed_after_it_was_shown_is_not_written_over() {
    let desk = desk(vec![edit("a", "two\n", "2\n")]).await;
    let turn = carried(&desk, 1).await;
    let shown = review(&desk, turn).await;
    write(&desk.journey.project, "ports.txt", "other\n");
    let refused = take_back(&desk, turn, vec![take(&shown[0], None)]).await.unwrap_err();
    assert_eq!(refused.code, Code::Conflict);
    assert_eq!(desk.file("ports.txt"), "other\n");
    let strange = TakenBackFile { path: "AGENTS.md".into(), ..take(&shown[0], None) };
    let refused = take_back(&desk, turn, vec![strange]).await.unwrap_err();
    assert_eq!(refused.code, Code::BadRequest, "the turn did not touch it");
}

#[tokio::test]
async fn what_a_command_did_is_listed_as_such_and_bytes_are_taken_back_whole() {
    let line = "printf 'a\\000b' > raw.bin; echo x >> ports.txt; rm AGENTS.md";
    let desk = desk(vec![command("a", line), edit("b", "two\n", "2\n")]).await;
    let before = disk(desk.journey.project.path());
    let turn = carried(&desk, 2).await;
    let files = review(&desk, turn).await;
    let all: Vec<_> = files.iter().map(|it| (it.file.path.as_str(), it.file.by_tool)).collect();
    assert_eq!(all, [("AGENTS.md", false), ("ports.txt", true), ("raw.bin", false)]);
    assert_eq!(files[2].shown, ShownChange::Opaque);
    assert_eq!((files[2].file.added, files[2].file.after), (None, Some(3)));
    let refused = take_back(&desk, turn, vec![take(&files[2], Some(&[0]))]).await.unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);
    let whole = files.iter().map(|file| take(file, None)).collect();
    take_back(&desk, turn, whole).await.unwrap();
    assert_eq!(disk(desk.journey.project.path()), before);
}

#[tokio::test]
async fn where_no_command_ran_what_the_person_changed_meanwhile_is_not_the_turns() {
    let desk = desk(vec![edit("a", "two\n", "2\n"), edit("b", "nine\n", "9\n")]).await;
    desk.journey.send(desk.id, "Do it.").await;
    let first = desk.waiting().await;
    desk.answer(&first, ApprovalAnswer::Once).await;
    let second = desk.waiting().await;
    write(&desk.journey.project, "theirs.txt", "by the person\n");
    desk.answer(&second, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    let turn = desk.journey.path(desk.id).await.pop().unwrap().turn_id.unwrap();
    let paths: Vec<_> = changes(&desk, turn).await.files.into_iter().map(|it| it.path).collect();
    assert_eq!(paths, ["ports.txt"]);
}

#[tokio::test]
async fn a_turn_that_changed_nothing_in_the_end_has_nothing_to_show() {
    let desk = desk(vec![edit("a", "two\n", "2\n"), edit("b", "2\n", "two\n")]).await;
    let turn = carried(&desk, 2).await;
    let listed = changes(&desk, turn).await;
    assert_eq!((listed.known, listed.files), (ChangesKnown::Whole, Vec::new()));
    let request = ListCheckpoints { project_id: desk.project, before: None, limit: 100 };
    let items = desk.journey.app.checkpoint_list(request).await.unwrap().items;
    let reasons: Vec<_> = items.into_iter().map(|item| item.reason).collect();
    let before = CheckpointReason::BeforeTool { tool: "edit_file".into() };
    assert_eq!(reasons, [before], "what it left is in the checkpoint before it");
}

#[tokio::test]
async fn a_turn_whose_end_was_not_kept_says_so_and_one_without_its_beginning_does_too() {
    let desk = desk(vec![edit("a", "two\n", "2\n")]).await;
    let turn = carried(&desk, 1).await;
    let run = desk.run().await;
    let (mut node, kept) = run
        .nodes
        .into_iter()
        .find_map(|node| match &node.kind {
            NodeKind::Tool { checkpoint_id: Some(kept), .. } => Some((node.clone(), *kept)),
            _ => None,
        })
        .unwrap();
    if let NodeKind::Tool { left_id, .. } = &mut node.kind {
        assert!(left_id.take().is_some());
    }
    // As an earlier version left it.
    stores(&desk.journey).tools.put_node(&node).unwrap();
    let listed = changes(&desk, turn).await;
    assert_eq!((listed.known, listed.files.len()), (ChangesKnown::UntilNext, 1));
    let app = &desk.journey.app;
    app.checkpoint_delete(CheckpointRefs { ids: vec![kept] }).await.unwrap();
    let listed = changes(&desk, turn).await;
    assert_eq!((listed.known, listed.files), (ChangesKnown::Gone, Vec::new()));
    let strange = TakenBackFile { path: "ports.txt".into(), seen: String::new(), pieces: None };
    let refused = take_back(&desk, turn, vec![strange]).await.unwrap_err();
    assert_eq!(refused.code, Code::Conflict);
}

#[tokio::test]
async fn a_folder_that_is_gone_is_listed_and_not_written() {
    let desk = desk(vec![edit("a", "two\n", "2\n")]).await;
    let turn = carried(&desk, 1).await;
    let shown = review(&desk, turn).await;
    fs::remove_dir_all(desk.journey.project.path()).unwrap();
    assert_eq!(changes(&desk, turn).await.files[0].standing, None);
    take_back(&desk, turn, vec![take(&shown[0], None)]).await.unwrap_err();
    assert!(!desk.journey.project.path().exists());
}

#[tokio::test]
async fn a_call_counts_its_own_time_and_not_the_persons() {
    let desk = desk(vec![edit("a", "two\n", "2\n")]).await;
    desk.journey.send(desk.id, "Do it.").await;
    let approval = desk.waiting().await;
    let started = |run: siltstone_contract::RunView| {
        let tool = run.nodes.into_iter().find(|it| matches!(it.kind, NodeKind::Tool { .. }));
        tool.unwrap().started_at
    };
    let asked = started(desk.run().await);
    let answered = siltstone_engine::Timestamp::now();
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    let ran = started(desk.run().await);
    assert!(asked <= answered && answered <= ran, "{asked} {answered} {ran}");
}
