//! The index over a project's files.

use std::fs;

use siltstone_engine::ids::ProjectId;
use siltstone_engine::passage::{FileStamp, Passage, cut};
use siltstone_engine::ports::Passages;
use siltstone_storage::Store;

use crate::it::support::{at, store};

const FILES: &[(&str, &str)] = &[
    (
        "docs/서버.md",
        "# 서버\n\n포트는 5433번을 쓴다.\n\n## 로그\n\n로그는 매일 새 파일에 남긴다.\n",
    ),
    ("docs/server.md", "# Server\n\nThe port is 5433. It listens on the loopback address only.\n"),
    (
        "src/session.rs",
        "pub fn refresh_token(session: &Session) -> Token {\n    session.renew()\n}\n",
    ),
    ("README.md", "A small program. It stores notes in a data base.\n"),
    ("docs/노트.md", "데이터 베이스에는 노트를 저장한다.\n"),
];

fn stamp(path: &str, size: u64) -> FileStamp {
    FileStamp { path: path.into(), size, modified_ns: 1_760_000_000_123_456_789 }
}

fn fill(store: &Store, project: ProjectId) {
    for (path, text) in FILES {
        store.put_files(project, &[(stamp(path, text.len() as u64), cut(path, text))]).unwrap();
    }
}

fn first(store: &Store, project: ProjectId, question: &str) -> Option<Passage> {
    store.find(project, question, 5).unwrap().into_iter().next()
}

#[test]
fn questions_in_ordinary_words_find_their_passage() {
    let (_dir, store) = store();
    let project = ProjectId::new(at(0));
    fill(&store, project);
    for (question, path) in [
        ("포트는 몇 번이야?", "docs/서버.md"),
        ("로그를 어디에 남기나요?", "docs/서버.md"),
        ("What port does the server use?", "docs/server.md"),
        ("Which ports?", "docs/server.md"),
        ("where is the token refreshed? refreshToken", "src/session.rs"),
        ("session.rs", "src/session.rs"),
        ("데이터베이스가 뭐야?", "docs/노트.md"),
    ] {
        let found = first(&store, project, question);
        assert_eq!(found.map(|p| p.path).as_deref(), Some(path), "{question}");
    }
    let passage = first(&store, project, "로그").unwrap();
    assert_eq!(
        passage,
        Passage {
            path: "docs/서버.md".into(),
            line: 5,
            text: "## 로그\n\n로그는 매일 새 파일에 남긴다.".into(),
        }
    );
    assert_eq!(first(&store, project, "quantum"), None);
    assert_eq!(first(&store, project, "?! \" * OR"), None);
    assert_eq!(first(&store, ProjectId::new(at(1)), "포트"), None, "another project");
}

#[test]
fn files_are_replaced_removed_and_remembered() {
    let (dir, store) = store();
    let project = ProjectId::new(at(0));
    fill(&store, project);
    let (path, text) = ("docs/server.md", "The harbour is closed.\n");
    store.put_files(project, &[(stamp(path, 23), cut(path, text))]).unwrap();
    let found = store.find(project, "port harbour", 5).unwrap();
    assert!(found.iter().all(|p| !p.text.contains("port")), "{found:?}");
    assert_eq!(found[0].path, path);
    store.remove_files(project, &[path.into(), "absent".into()]).unwrap();
    assert_eq!(first(&store, project, "harbour"), None);
    drop(store);
    let store = Store::open(dir.path(), at(1)).unwrap();
    let mut expected: Vec<FileStamp> = FILES
        .iter()
        .filter(|(name, _)| *name != path)
        .map(|(name, text)| stamp(name, text.len() as u64))
        .collect();
    expected.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(store.stamps(project).unwrap(), expected);
}

#[test]
fn a_damaged_index_is_made_anew() {
    let (dir, store) = store();
    let project = ProjectId::new(at(0));
    fill(&store, project);
    drop(store);
    fs::write(dir.path().join("passages.db"), "ruined").unwrap();
    let store = Store::open(dir.path(), at(1)).unwrap();
    assert_eq!(store.stamps(project).unwrap(), vec![]);
    fill(&store, project);
    assert!(first(&store, project, "포트").is_some());
}
