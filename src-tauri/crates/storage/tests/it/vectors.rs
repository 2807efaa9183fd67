//! Vectors: scanned within a scope, gone with their message, and read by nobody who may not.

use std::collections::HashMap;

use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::meaning::{Compact, Embedding, Vectors};
use siltstone_engine::message::Role;
use siltstone_engine::ports::{Records, Transcripts};
use siltstone_engine::project::Trust;
use siltstone_engine::recall::Scope;
use siltstone_storage::Store;

use crate::it::finding::project;
use crate::it::support::{Dice, at, conversation, message, opening, say, store};

fn axis(of: usize) -> Compact {
    let mut vector = [0.05; 16];
    vector[of] = 1.0;
    Compact::of(&vector).unwrap()
}

fn keep(store: &Store, embedder: &str, id: MessageId, of: &[usize]) {
    let vectors = of.iter().map(|of| Some(axis(*of))).collect();
    store.keep(embedder, &[Embedding { id, vectors }], 2).unwrap();
}

fn new(store: &Store, project_id: Option<ProjectId>) -> ConversationId {
    let conversation = conversation(project_id);
    store.create_conversation(&conversation).unwrap();
    conversation.id
}

fn trash(store: &Store, id: ConversationId, trashed: bool) {
    let deleted_at = Some(trashed.then(|| at(90)));
    let patch = ConversationPatch { deleted_at, ..Default::default() };
    store.update_conversation(id, &patch).unwrap();
}

#[test]
fn what_somebody_said_is_read_once_the_newest_first() {
    let (_dir, store) = store();
    let kept_here = project(&store, "/here", Trust::Trusted);
    let record = Records::project(&store, kept_here).unwrap();
    store
        .put_project(&siltstone_engine::project::Project { this_computer_only: true, ..record })
        .unwrap();
    let (free, here) = (new(&store, None), new(&store, Some(kept_here)));
    let first = say(&store, free, None, "포트는 5433번", 1);
    let tool = message(free, Some(first), Role::Tool, "what a tool answered", at(2));
    store.append_message(&tool).unwrap();
    let second = say(&store, here, None, "stays", 3);
    let turn = opening(free, Some(tool.message.id), "question", at(4));
    store.open_turn(&turn).unwrap();
    let asked = turn.question.unwrap().message.id;

    let unread = |embedder, away| -> Vec<MessageId> {
        let found = store.unread(embedder, i64::MAX, away, u32::MAX, 9).unwrap();
        found.into_iter().map(|it| it.id).collect()
    };
    // Neither what a tool answered nor the reply that is still being written.
    assert_eq!(unread("a", false), [asked, second, first]);
    assert_eq!(unread("a", true), [asked, first]);
    keep(&store, "a", asked, &[1]);
    keep(&store, "a", first, &[]);
    assert_eq!(unread("a", false), [second]);
    assert_eq!(unread("b", true), [asked, first]);
    let newest = store.unread("b", i64::MAX, true, 2, 9).unwrap();
    assert_eq!(newest.iter().map(|it| it.id).collect::<Vec<_>>(), [asked]);
    let kept = store.kept("a", true).unwrap();
    assert_eq!((kept.done, kept.all, kept.tokens), (2, 2, 4));
    assert_eq!(kept.bytes, 20);
    assert_eq!(store.kept("a", false).unwrap().all, 3);
    trash(&store, here, true);
    assert_eq!(unread("a", false), []);

    store.forget_others(Some("a")).unwrap();
    assert_eq!(store.tokens("a").unwrap(), 4);
    store.forget_others(None).unwrap();
    assert_eq!((store.kept("a", true).unwrap().bytes, store.tokens("a").unwrap()), (0, 0));
}

/// Random conversations in and out of projects and the trash, some deleted for ever: what is found is always of the
/// scope, and nothing else stands in the table.
#[test]
fn nothing_is_near_that_is_not_of_the_scope_or_is_gone() {
    let (dir, store) = store();
    let mut dice = Dice(10);
    let projects = ["/a", "/b"].map(|path| project(&store, path, Trust::Trusted));
    let places = [None, Some(projects[0]), Some(projects[1])];
    let mut living: HashMap<ConversationId, (Option<ProjectId>, bool)> = HashMap::new();
    let mut of: HashMap<i64, ConversationId> = HashMap::new();
    for round in 0..40 {
        let place = *dice.of(&places);
        let id = new(&store, place);
        living.insert(id, (place, false));
        let mut parent = None;
        for step in 0..12 {
            let said = say(&store, id, parent, "word", round * 20 + step);
            // Every twelfth is about what is asked.
            let about = if step == 5 { 0 } else { 1 + dice.below(15) };
            keep(&store, "a", said, &[1 + dice.below(15), about]);
            keep(&store, "b", said, &[0]);
            of.insert(of.len() as i64 + 1, id);
            parent = Some(said);
        }
        let all: Vec<ConversationId> = living.keys().copied().collect();
        let some = *dice.of(&all);
        match dice.below(3) {
            0 => {
                trash(&store, some, true);
                living.get_mut(&some).unwrap().1 = true;
            }
            1 if living[&some].1 => {
                store.purge_conversation(some).unwrap();
                living.remove(&some);
            }
            _ => {}
        }
        for (asked_in, (place, _)) in &living {
            for project_id in [None, *place] {
                let scope = Scope { conversation_id: Some(*asked_in), project_id };
                let mut found = store.near("a", &axis(0), scope, 9).unwrap();
                found.retain(|it| it.standing > 2.0);
                for it in &found {
                    assert_eq!(it.stretch, 1, "the second is about it");
                    let home = of[&it.seq];
                    let (its, trashed) = living[&home];
                    assert!(!trashed, "{round}");
                    assert!(home == *asked_in || (project_id.is_some() && its == project_id));
                }
                let open = living.iter().filter(|(id, (its, trashed))| {
                    !trashed && (*id == asked_in || (project_id.is_some() && *its == project_id))
                });
                assert_eq!(found.len(), open.count().min(9), "{round}");
            }
        }
    }
    let db = rusqlite::Connection::open(dir.path().join("siltstone.db")).unwrap();
    let rows: i64 = db
        .query_row("SELECT COUNT(DISTINCT conversation_id) FROM vectors", [], |it| it.get(0))
        .unwrap();
    assert_eq!(rows, living.len() as i64);
}

#[test]
fn vectors_of_a_message_that_is_gone_are_passed_over() {
    let (_dir, store) = store();
    let id = new(&store, None);
    let said = say(&store, id, None, "word", 1);
    trash(&store, id, true);
    store.purge_conversation(id).unwrap();
    keep(&store, "a", said, &[1]);
    let kept = store.kept("a", false).unwrap();
    assert_eq!((kept.bytes, kept.all, kept.tokens), (0, 0, 2));
}
