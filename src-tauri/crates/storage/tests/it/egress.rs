//! What left: found again as it was, in order, and without its bytes where they must go.

use siltstone_engine::conversation::{ConversationPatch, Tuning};
use siltstone_engine::egress::{Departure, EgressLog, KEY};
use siltstone_engine::ids::{ProjectId, TurnId};
use siltstone_engine::message::Role;
use siltstone_engine::ports::{Records, StoreError, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::section::{Manifest, Reason, Request, Section, SectionKind, id_of_recalled};
use siltstone_storage::Store;

use crate::it::support::{Dice, at, closing, conversation, new_conversation, opening, say, store};

fn headers() -> Vec<(String, String)> {
    vec![("authorization".to_owned(), format!("Bearer {KEY}"))]
}

fn leave(store: &Store, turn_id: Option<TurnId>, home: bool, body: &[u8]) -> u64 {
    leave_at(store, 7, turn_id, home, body)
}

fn leave_at(store: &Store, second: i64, turn_id: Option<TurnId>, home: bool, body: &[u8]) -> u64 {
    let request = Departure {
        at: at(second),
        turn_id,
        provider: "work",
        method: if body.is_empty() { "GET" } else { "POST" },
        url: "https://model.example/v1/chat?alt=sse",
        home,
        headers: &headers(),
        body,
        keep: true,
    };
    store.leaving(&request).unwrap()
}

/// Bytes that no compression makes smaller, so that they stand in the database as they are.
fn noise(length: usize) -> Vec<u8> {
    let mut dice = Dice(11);
    (0..length).map(|_| dice.below(256) as u8).collect()
}

fn is_anywhere_in(dir: &std::path::Path, bytes: &[u8]) -> bool {
    let files = std::fs::read_dir(dir)
        .unwrap()
        .filter_map(|entry| std::fs::read(entry.unwrap().path()).ok());
    files.flatten().collect::<Vec<u8>>().windows(bytes.len()).any(|window| window == bytes)
}

#[test]
fn what_left_is_found_as_it_was() {
    let (_dir, store) = store();
    let conversation = new_conversation(&store);
    let turn = opening(conversation, None, "hello", at(1));
    store.open_turn(&turn).unwrap();
    let turn = turn.turn.id;
    let body = format!("{{\"안녕\": \"{}\"}}", "again and again ".repeat(100_000));

    assert_eq!(store.last_of(turn, None, None).unwrap(), None);
    let asked = leave(&store, None, false, b"");
    let first = leave(&store, Some(turn), true, b"{}");
    let second = leave(&store, Some(turn), false, body.as_bytes());
    store.answered(first, "503").unwrap();
    store.answered(second, "200").unwrap();
    assert_eq!(store.last_of(turn, None, None).unwrap(), Some(second));
    // Both left at the same moment: from it on, and before the next.
    assert_eq!(store.last_of(turn, Some(at(7)), Some(at(8))).unwrap(), Some(second));
    assert_eq!(store.last_of(turn, Some(at(8)), None).unwrap(), None);
    assert_eq!(store.last_of(turn, None, Some(at(7))).unwrap(), None);

    let all = store.departures(None, 10, false).unwrap();
    let shown: Vec<_> =
        all.iter().map(|item| (item.seq, item.home, item.size, item.body_kept)).collect();
    let size = body.len() as u64;
    assert_eq!(
        shown,
        [(second, false, size, true), (first, true, 2, true), (asked, false, 0, false)]
    );
    let answers: Vec<_> = all.iter().map(|item| item.answer.as_deref()).collect();
    assert_eq!(answers, [Some("200"), Some("503"), None]);
    assert_eq!((all[0].turn_id, all[0].conversation_id), (Some(turn), Some(conversation)));
    assert_eq!((all[2].turn_id, all[2].conversation_id, all[2].at), (None, None, at(7)));
    // The hash of nothing, as its makers give it.
    assert_eq!(all[2].hash, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    let seqs = |before, limit, away_only| -> Vec<u64> {
        let found = store.departures(before, limit, away_only).unwrap();
        found.iter().map(|item| item.seq).collect()
    };
    assert_eq!(seqs(None, 2, false), [second, first]);
    assert_eq!(seqs(Some(first), 2, false), [asked]);
    assert_eq!(seqs(None, 10, true), [second, asked]);

    let sent = store.sent(second).unwrap();
    assert_eq!((sent.body, sent.hash), (body.into_bytes(), all[0].hash.clone()));
    assert_eq!((sent.method.as_str(), sent.headers), ("POST", headers()));
    assert_eq!(sent.url, "https://model.example/v1/chat?alt=sse");
    assert_eq!(store.sent(asked).unwrap().body, b"");
    assert!(matches!(store.sent(99), Err(StoreError::NotFound { .. })));
}

#[test]
fn bytes_go_with_their_conversation_and_everything_when_asked() {
    let (dir, store) = store();
    let body = noise(40_000);
    let (mark, other) = (&body[20_000..20_064], b"{\"a body of nobody's conversation\":1}");
    let conversation = new_conversation(&store);
    let turn = opening(conversation, None, "hello", at(1));
    store.open_turn(&turn).unwrap();
    let seq = leave(&store, Some(turn.turn.id), false, &body);
    let beside = leave(&store, None, false, b"{\"a summary of it, as far as anybody knows\":1}");
    let kept = leave_at(&store, -1, None, false, other);
    assert_eq!(store.receivers(conversation).unwrap(), ["work"]);
    assert!(is_anywhere_in(dir.path(), mark));

    let trashed = ConversationPatch { deleted_at: Some(Some(at(8))), ..Default::default() };
    store.update_conversation(conversation, &trashed).unwrap();
    store.purge_conversation(conversation).unwrap();
    assert!(!is_anywhere_in(dir.path(), mark));
    let all = store.departures(None, 10, false).unwrap();
    assert_eq!((all[2].seq, all[2].size, all[2].turn_id), (seq, 40_000, None));
    assert!(!all[2].body_kept && !all[1].body_kept && all[0].body_kept);
    assert!(matches!(store.sent(seq), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.sent(beside), Err(StoreError::NotFound { .. })));
    assert_eq!(store.sent(kept).unwrap().body, other);

    store.clear().unwrap();
    assert_eq!(store.departures(None, 10, false).unwrap(), []);
    assert!(!is_anywhere_in(dir.path(), b"model.example"));
    // A late answer to an earlier request must not be taken for one to this.
    assert!(leave(&store, None, false, other) > kept);
}

/// Another conversation was sent a passage of it, and its last words: both leave the trace of that request, and its body.
#[test]
fn what_others_were_sent_of_it_goes_with_it() {
    let (_dir, store) = store();
    let project = Project {
        id: ProjectId::new(at(0)),
        path: "/p".into(),
        name: "p".into(),
        trust: Trust::Trusted,
        this_computer_only: false,
        exclude: vec![],
        identity: None,
        opened_at: at(0),
        copy: None,
    };
    store.put_project(&project).unwrap();
    let [gone, stays] = [0, 1].map(|_| conversation(Some(project.id)));
    store.create_conversation(&gone).unwrap();
    store.create_conversation(&stays).unwrap();
    let said = say(&store, gone.id, None, "The zircon vault has seven doors.", 1);
    let section = |id: String, kind, source: &str, text: &str| Section {
        id,
        kind,
        role: Role::System,
        source: source.to_owned(),
        link: None,
        text: text.to_owned(),
        parts: Vec::new(),
        tokens: 1,
        exact: false,
        reason: Reason::Resumed,
        pinned: false,
        messages: Vec::new(),
        turns: None,
        redacted: Vec::new(),
    };
    let told = "RECENT DIALOG:\nUSER: The zircon vault has seven doors.";
    let sections = [
        section("session:dialog".into(), SectionKind::Summary, "session", told),
        section(id_of_recalled(said), SectionKind::Passage, "Zircon · 2026-11-20", "The zircon"),
        section("session:summary".into(), SectionKind::Summary, "session", "Nothing of it."),
    ];
    let request = Request {
        sections: sections.into(),
        left_out: Vec::new(),
        tokens: 3,
        budget: 100,
        estimated: 0,
        counted: 3,
    };
    let manifest = request.manifest(&Tuning::default());
    let asked = opening(stays.id, None, "hello", at(2));
    let other = opening(stays.id, None, "hello again", at(3));
    for (turn, manifest) in [(&asked, &manifest), (&other, &Manifest::default())] {
        store.open_turn(turn).unwrap();
        store.set_manifest(turn.turn.id, manifest).unwrap();
        store.close_turn(&closing(turn.turn.id, "ok", at(4))).unwrap();
    }
    let seq = leave(&store, Some(asked.turn.id), false, b"{\"zircon\":1}");
    let kept = leave(&store, Some(other.turn.id), false, b"{\"other\":1}");

    let trashed = ConversationPatch { deleted_at: Some(Some(at(8))), ..Default::default() };
    store.update_conversation(gone.id, &trashed).unwrap();
    store.purge_conversation(gone.id).unwrap();
    assert!(matches!(store.sent(seq), Err(StoreError::NotFound { .. })));
    assert_eq!(store.sent(kept).unwrap().body, b"{\"other\":1}");
    let left = store.manifest(asked.turn.id).unwrap().unwrap();
    let texts: Vec<_> = left.sections.iter().map(|it| it.text.as_deref()).collect();
    assert_eq!(texts, [None, None, Some("Nothing of it.")]);
    assert_eq!(left.sections[1].source, "2026-11-20", "its title is gone too");
}
