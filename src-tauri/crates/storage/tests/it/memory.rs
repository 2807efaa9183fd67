//! Versions of memory files, what is known of them, and lines: kept by file, by project and by conversation.

use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{ConversationId, MemoryLineId, ProjectId};
use siltstone_engine::memory::{
    FileChoice, FileRecord, Injection, LineKind, MemoryLine, MemoryRecords, Share, VersionOrigin,
};
use siltstone_engine::ports::{Records, StoreError, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_storage::Store;

use crate::it::support::{at, new_conversation, store};

fn project(store: &Store, path: &str) -> ProjectId {
    let project = Project {
        id: ProjectId::new(at(0)),
        path: path.into(),
        name: path.into(),
        trust: Trust::Trusted,
        this_computer_only: false,
        exclude: Vec::new(),
        identity: None,
        opened_at: at(0),
        copy: None,
    };
    store.put_project(&project).unwrap();
    project.id
}

fn line(
    store: &Store,
    project_id: Option<ProjectId>,
    conversation_id: Option<ConversationId>,
    text: &str,
    second: i64,
) -> MemoryLine {
    let line = MemoryLine {
        id: MemoryLineId::new(at(second)),
        project_id,
        conversation_id,
        kind: LineKind::Added,
        text: text.into(),
        source: Some("silt:message/1".into()),
        created_at: at(second),
        removed_at: None,
    };
    store.put_line(&line).unwrap();
    line
}

#[test]
fn a_version_is_kept_when_it_differs_from_the_one_before() {
    let (_dir, store) = store();
    let long = "규칙을 지킵니다. ".repeat(4_000);
    let add = |text: &str, hash: &str, origin, second| {
        store.add_version("/p/AGENTS.md", text, hash, origin, at(second)).unwrap()
    };
    assert!(add("one", "h1", VersionOrigin::Disk, 1));
    assert!(!add("one", "h1", VersionOrigin::Saved, 2));
    assert!(add(&long, "h2", VersionOrigin::Saved, 3));
    assert!(add("one", "h1", VersionOrigin::Restored, 4));
    assert!(store.add_version("/q/AGENTS.md", "one", "h1", VersionOrigin::Disk, at(5)).unwrap());

    let versions = store.versions("/p/AGENTS.md", 10).unwrap();
    let seen: Vec<_> = versions
        .iter()
        .map(|version| (version.hash.as_str(), version.origin, version.at))
        .collect();
    assert_eq!(
        seen,
        [
            ("h1", VersionOrigin::Restored, at(4)),
            ("h2", VersionOrigin::Saved, at(3)),
            ("h1", VersionOrigin::Disk, at(1)),
        ]
    );
    assert_eq!(versions[1].size, long.len() as u64);
    assert_eq!(store.version_text(versions[1].seq).unwrap(), long);
    assert_eq!(store.version_text(versions[0].seq).unwrap(), "one");
    assert_eq!(store.versions("/p/AGENTS.md", 1).unwrap(), versions[..1]);
    assert!(matches!(store.version_text(1_000), Err(StoreError::NotFound { .. })));
}

#[test]
fn what_is_known_of_a_file_belongs_to_its_project() {
    let (_dir, store) = store();
    let (a, b) = (project(&store, "/a"), project(&store, "/b"));
    let mut record = FileRecord { path: "AGENTS.md".into(), ..FileRecord::default() };
    store.put_file_record(a, &record).unwrap();
    assert_eq!(store.file_records(a).unwrap(), [record.clone()]);
    record.seen = Some("h1".into());
    record.choice = FileChoice {
        on: false,
        injection: Some(Injection::Lazy),
        passages: [("0a".to_owned(), false)].into(),
        share: Some(Share { global: true, text: false }),
    };
    store.put_file_record(a, &record).unwrap();
    assert_eq!(store.file_records(a).unwrap(), [record]);
    assert_eq!(store.file_records(b).unwrap(), []);
    assert_eq!(store.sharing().unwrap(), [a]);
}

#[test]
fn a_line_is_seen_where_it_belongs_until_it_is_removed() {
    let (_dir, store) = store();
    let (a, b) = (project(&store, "/a"), project(&store, "/b"));
    let (one, two) = (new_conversation(&store), new_conversation(&store));
    let nobodys = line(&store, None, None, "of no project", 1);
    let of_a = line(&store, Some(a), None, "of a", 2);
    let of_b = line(&store, Some(b), None, "of b", 3);
    let of_one = line(&store, Some(a), Some(one), "of one conversation", 4);

    let lines = |project, conversation| store.lines(project, conversation).unwrap();
    assert_eq!(lines(None, None), [nobodys]);
    assert_eq!(lines(Some(a), Some(one)), [of_a.clone(), of_one.clone()]);
    assert_eq!(lines(Some(a), Some(two)), std::slice::from_ref(&of_a));
    assert_eq!(lines(Some(b), None), [of_b]);

    let removed = MemoryLine { removed_at: Some(at(9)), ..of_a.clone() };
    store.put_line(&removed).unwrap();
    assert_eq!(lines(Some(a), Some(one)), std::slice::from_ref(&of_one));
    assert_eq!(store.line(of_a.id).unwrap(), removed);
    store.put_line(&of_a).unwrap();
    assert_eq!(lines(Some(a), None), [of_a]);

    let trash = ConversationPatch { deleted_at: Some(Some(at(10))), ..Default::default() };
    store.update_conversation(one, &trash).unwrap();
    store.purge_conversation(one).unwrap();
    assert!(matches!(store.line(of_one.id), Err(StoreError::NotFound { .. })));
}
