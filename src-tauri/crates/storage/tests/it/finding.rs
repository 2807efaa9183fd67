//! The index over everything, held against plain reading.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use siltstone_engine::Timestamp;
use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::passage::{FileStamp, Passage, cut};
use siltstone_engine::ports::{Passages, Records, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::recall::Finder;
use siltstone_engine::search::{Filter, FoundKind, SearchScope};
use siltstone_storage::Store;

use crate::it::support::{
    Dice, at, closing, conversation, message, new_conversation, opening, say, store,
};

/// Words without particles or parts, so that a plain reading is a fair judge.
const WORDS: &[&str] = &[
    "상태",
    "컴포넌트",
    "렌더링",
    "결정",
    "이별",
    "포트",
    "데이터베이스",
    "요약",
    "port",
    "owner",
    "ownership",
    "thread",
    "5433",
    "refresh",
    "토큰 갱신",
    "말했어요",
    "rust",
    "#T7",
    "`cargo`",
];

/// What is asked: parts of Korean words, beginnings of others, and several at once.
const ASKED: &[&str] = &[
    "상태",
    "포넌",
    "컴포넌트",
    "렌더링",
    "데이터베이스",
    "own",
    "ownership",
    "5433",
    "t7",
    "car",
    "port 결정",
    "상태 rust",
    "요약 thread port",
    "토큰 갱신",
    "\"토큰 갱신\"",
    "absent",
    "이별 absent",
];

pub fn project(store: &Store, path: &str, trust: Trust) -> ProjectId {
    let project = Project {
        id: ProjectId::new(at(0)),
        path: path.into(),
        name: path.into(),
        trust,
        this_computer_only: false,
        exclude: vec![],
        identity: None,
        opened_at: at(0),
        copy: None,
    };
    store.put_project(&project).unwrap();
    project.id
}

pub fn trash(store: &Store, id: ConversationId) {
    let patch = ConversationPatch { deleted_at: Some(Some(at(90))), ..Default::default() };
    store.update_conversation(id, &patch).unwrap();
}

/// A message as the test knows it.
pub struct Said {
    pub project: Option<ProjectId>,
    pub conversation: ConversationId,
    /// Where it is found: what a tool answered, at the reply that asked.
    shown_at: MessageId,
    role: Role,
    pub text: String,
    at: Timestamp,
}

/// Conversations in two projects and in none, with one in the trash and one that is gone.
pub fn world(store: &Store, dice: &mut Dice) -> Vec<Said> {
    let places = [
        Some(project(store, "/a", Trust::Trusted)),
        Some(project(store, "/b", Trust::Trusted)),
        None,
    ];
    let mut all = Vec::new();
    for number in 0..9 {
        let project = places[number % 3];
        let new = conversation(project);
        store.create_conversation(&new).unwrap();
        let (mut parent, mut reply) = (None, None);
        for step in 0..24 {
            let role = [Role::User, Role::Assistant, Role::Tool][step % 3];
            let text: Vec<&str> = (0..1 + dice.below(9)).map(|_| *dice.of(WORDS)).collect();
            let text = text.join([" ", ", ", "\n"][dice.below(3)]);
            let when = at(dice.below(1_000) as i64);
            let mut new = message(new.id, parent, role, &text, when);
            if role == Role::Tool {
                let answer = Part::ToolResult {
                    call_id: "call".into(),
                    text: text.clone(),
                    is_error: false,
                    kept: None,
                };
                new.message.parts = vec![answer];
            }
            store.append_message(&new).unwrap();
            parent = Some(new.message.id);
            if role == Role::Assistant {
                reply = parent;
            }
            let shown_at = if role == Role::Tool { reply } else { parent };
            all.push(Said {
                project,
                conversation: new.message.conversation_id,
                shown_at: shown_at.unwrap(),
                role,
                text,
                at: when,
            });
        }
        match number {
            6 => trash(store, new.id),
            7 => {
                trash(store, new.id);
                store.purge_conversation(new.id).unwrap();
            }
            _ => continue,
        }
        all.retain(|said| said.conversation != new.id);
    }
    all
}

/// Every word stands in the text: one of Hangul anywhere, any other at the beginning of a word.
fn reads(text: &str, typed: &str) -> bool {
    let text = text.to_lowercase();
    if let Some(quoted) = typed.strip_prefix('"') {
        return text.contains(quoted.trim_end_matches('"'));
    }
    typed.split(' ').all(|word| match word.is_ascii() {
        true => text.split(|c: char| !c.is_alphanumeric()).any(|of| of.starts_with(word)),
        false => text.contains(word),
    })
}

fn filters(store: &Store, all: &[Said]) -> Vec<Filter> {
    let projects = store.projects().unwrap();
    let none = Filter::default();
    let mut filters = vec![none.clone()];
    filters.extend(projects.iter().map(|it| Filter { project_id: Some(it.id), ..none.clone() }));
    filters.push(Filter { conversation_id: Some(all[30].conversation), ..none.clone() });
    filters.push(Filter {
        conversation_id: Some(all[0].conversation),
        project_id: projects.iter().map(|it| it.id).find(|id| all[0].project != Some(*id)),
        ..none.clone()
    });
    for role in [Role::User, Role::Assistant, Role::Tool] {
        filters.push(Filter { role: Some(role), ..none.clone() });
    }
    filters.push(Filter { kinds: vec![FoundKind::ToolResult], ..none.clone() });
    filters.push(Filter {
        kinds: vec![FoundKind::Message],
        role: Some(Role::Tool),
        ..none.clone()
    });
    filters.push(Filter { from: Some(at(300)), before: Some(at(700)), ..none.clone() });
    filters.push(Filter {
        project_id: Some(projects[0].id),
        role: Some(Role::User),
        before: Some(at(500)),
        ..none
    });
    filters
}

type FoundAt = BTreeMap<FoundKind, BTreeSet<MessageId>>;

fn read_through(all: &[Said], typed: &str, filter: &Filter) -> (FoundAt, BTreeMap<FoundKind, u64>) {
    let (mut found, mut totals) = (FoundAt::new(), BTreeMap::new());
    for said in all {
        let kind = if said.role == Role::Tool { FoundKind::ToolResult } else { FoundKind::Message };
        let taken = filter.takes(kind)
            && filter.project_id.is_none_or(|id| said.project == Some(id))
            && filter.conversation_id.is_none_or(|id| said.conversation == id)
            && filter.role.is_none_or(|role| said.role == role)
            && filter.from.is_none_or(|from| said.at >= from)
            && filter.before.is_none_or(|before| said.at < before);
        if taken && reads(&said.text, typed) {
            found.entry(kind).or_default().insert(said.shown_at);
            *totals.entry(kind).or_default() += 1;
        }
    }
    (found, totals)
}

fn agrees(store: &Store, all: &[Said], when: &str) {
    let mut matched = 0;
    for filter in filters(store, all) {
        for typed in ASKED {
            let (expected, totals) = read_through(all, typed, &filter);
            let groups = store.find_everywhere(typed, &filter, 1_000).unwrap().groups;
            let found: FoundAt = groups
                .iter()
                .map(|group| {
                    (group.kind, group.found.iter().map(|it| it.message_id.unwrap()).collect())
                })
                .collect();
            assert_eq!(found, expected, "{when}: {typed:?} within {filter:?}");
            let counted: BTreeMap<FoundKind, u64> =
                groups.iter().map(|group| (group.kind, group.total)).collect();
            assert_eq!(counted, totals, "{when}: {typed:?} within {filter:?}");
            for found in groups.iter().flat_map(|group| &group.found) {
                let said = all.iter().find(|said| Some(said.shown_at) == found.message_id).unwrap();
                assert_eq!(found.project_id, said.project);
                assert!(found.snippet.iter().any(|part| part.hit), "{typed:?}: {found:?}");
            }
            matched += expected.len();
        }
    }
    assert!(matched > 200, "{matched}");
}

#[test]
fn whatever_the_filter_the_index_finds_what_reading_finds_while_it_is_made_and_after() {
    let (dir, store) = store();
    let all = world(&store, &mut Dice(11));
    agrees(&store, &all, "as it was written");
    // Made anew and stopped at once: nothing is in the index, and everything is found.
    store.make_index(true, &mut |_| false).unwrap();
    agrees(&store, &all, "while it is made");
    drop(store);
    // The next start goes on with it.
    let store = Store::open(dir.path(), at(0)).unwrap();
    let mut left = Vec::new();
    store
        .make_index(false, &mut |more| {
            left.push(more);
            true
        })
        .unwrap();
    assert_eq!(left, [0], "what is small is made when it is opened");
    agrees(&store, &all, "made again");
    store
        .make_index(true, &mut |more| {
            left.push(more);
            true
        })
        .unwrap();
    assert_eq!(left.last(), Some(&0));
    assert!(left.len() > 2, "{left:?}");
    agrees(&store, &all, "rebuilt");
}

#[test]
fn what_is_written_while_the_index_is_made_enters_it_once() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let first = say(&store, id, None, "granite one", 1);
    let turn = opening(id, Some(first), "granite two", at(2));
    store.open_turn(&turn).unwrap();
    store.make_index(true, &mut |_| false).unwrap();
    store.close_turn(&closing(turn.turn.id, "granite three", at(3))).unwrap();
    say(&store, id, Some(turn.turn.reply_id), "granite four", 4);
    let total = || store.search("granite", &SearchScope::default(), 10).unwrap();
    assert_eq!(total().total, 4);
    store.make_index(false, &mut |_| true).unwrap();
    assert_eq!(total().total, 4);
    let shown: BTreeSet<MessageId> = total().hits.iter().map(|hit| hit.message_id).collect();
    assert_eq!(shown.len(), 4);
}

#[test]
fn what_says_more_comes_first_and_among_equals_the_newest() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let far = "a server in the hall, and much later, after many other words, somebody names a port";
    let texts = [
        "The port of the server is 5433.",
        far,
        "a harbour without ships",
        "port and server",
        "port and server",
        "The word portage begins like the other one, server too",
    ];
    let ids: Vec<MessageId> =
        (0..).zip(texts).map(|(n, text)| say(&store, id, None, text, n)).collect();
    let order = |typed: &str| -> Vec<MessageId> {
        let hits = store.search(typed, &SearchScope::default(), 10).unwrap().hits;
        hits.into_iter().map(|hit| hit.message_id).collect()
    };
    let found = order("port server");
    assert_eq!(found[..2], [ids[4], ids[3]], "equals: the newest first");
    assert_eq!(found.len(), 5);
    let place = |id| found.iter().position(|of| *of == id).unwrap();
    assert!(place(ids[0]) < place(ids[1]), "close together before far apart");
    assert_eq!(order("port").last(), Some(&ids[5]), "a whole word before the beginning of one");
}

/// Files of the data folder that have these bytes.
fn holding(dir: &tempfile::TempDir, words: &str) -> Vec<String> {
    let files = fs::read_dir(dir.path()).unwrap().flatten().map(|entry| entry.path());
    let mut holding = Vec::new();
    for path in files.filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap();
        if bytes.windows(words.len()).any(|window| window == words.as_bytes()) {
            holding.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    holding
}

#[test]
fn what_is_deleted_for_ever_is_in_no_byte_of_the_indices() {
    let (dir, store) = store();
    let place = project(&store, "/a", Trust::Trusted);
    let kept = new_conversation(&store);
    for n in 0..300 {
        say(&store, kept, None, &format!("gneiss{n} of the kept ones"), n);
    }
    let id = new_conversation(&store);
    for n in 0..40 {
        say(&store, id, None, &format!("zanzibarite{n} 흑요석바위"), n);
    }
    let text = "obsidianite is in the file\n";
    let stamp = FileStamp { path: "marble.md".into(), size: 1, modified_ns: 1 };
    store.put_files(place, &[(stamp, cut("marble.md", text))]).unwrap();
    let line = Passage { path: "AGENTS.md".into(), line: 1, text: "rhyolite rule".into() };
    store.put_memory(Some(place), &[line]).unwrap();
    // A token may share its beginning with the one before it in the index.
    assert!(!holding(&dir, "nzibarite").is_empty() && !holding(&dir, "yolite").is_empty());
    trash(&store, id);
    store.purge_conversation(id).unwrap();
    store.forget_project(place).unwrap();
    drop(store);
    for gone in
        ["zanzibarite", "nzibarite", "흑요", "요석", "obsidianite", "sidianite", "marble", "yolite"]
    {
        assert_eq!(holding(&dir, gone), Vec::<String>::new(), "{gone}");
    }
    let store = Store::open(dir.path(), at(0)).unwrap();
    assert_eq!(store.search("gneiss7", &SearchScope::default(), 100).unwrap().total, 11);
}

#[test]
fn files_and_memory_are_found_in_trusted_projects_and_the_persons_own_everywhere() {
    let (_dir, store) = store();
    let places = [
        project(&store, "/a", Trust::Trusted),
        project(&store, "/b", Trust::Trusted),
        project(&store, "/c", Trust::Untrusted),
    ];
    for (place, n) in places.iter().zip(1..) {
        let text = format!("# Basalt {n}\n\nThe column is hexagonal.\n");
        let stamp =
            FileStamp { path: "docs/현무암.md".into(), size: 9, modified_ns: n * 1_000_000_000 };
        let cut = cut(&stamp.path, &text);
        store.put_files(*place, &[(stamp, cut)]).unwrap();
        let line = Passage { path: "AGENTS.md".into(), line: 3, text: format!("basalt rule {n}") };
        store.put_memory(Some(*place), &[line]).unwrap();
    }
    let own = Passage { path: "/home/me/AGENTS.md".into(), line: 1, text: "my basalt rule".into() };
    store.put_memory(None, &[own]).unwrap();
    let found = |typed: &str, filter: &Filter| -> Vec<(FoundKind, Option<ProjectId>, String)> {
        let groups = store.find_everywhere(typed, filter, 10).unwrap().groups;
        groups
            .into_iter()
            .flat_map(|it| it.found)
            .map(|it| (it.kind, it.project_id, it.link))
            .collect()
    };
    let everywhere = Filter::default();
    let all = found("basalt", &everywhere);
    let of = |kind| all.iter().filter(|it| it.0 == kind).map(|it| it.1).collect::<BTreeSet<_>>();
    assert_eq!(of(FoundKind::File), BTreeSet::from([Some(places[0]), Some(places[1])]));
    assert_eq!(of(FoundKind::Memory), BTreeSet::from([None, Some(places[0]), Some(places[1])]));
    for (filter, expected) in [
        (Filter { project_id: Some(places[0]), ..everywhere.clone() }, 2),
        (Filter { project_id: Some(places[2]), ..everywhere.clone() }, 0),
        (Filter { role: Some(Role::User), ..everywhere.clone() }, 0),
        (Filter { kinds: vec![FoundKind::File], ..everywhere.clone() }, 2),
        (Filter { from: Some(Timestamp::from_second(2).unwrap()), ..everywhere.clone() }, 1),
        (Filter { before: Some(Timestamp::from_second(2).unwrap()), ..everywhere.clone() }, 1),
    ] {
        assert_eq!(found("basalt", &filter).len(), expected, "{filter:?}");
    }
    // A file is found by its name, once.
    let named = found("현무암", &everywhere);
    assert_eq!(named.len(), 2);
    assert!(named.iter().all(|it| it.2.starts_with("silt:file/docs/")), "{named:?}");
    assert_eq!(found("\"basalt rule 1\"", &everywhere)[0].2, "silt:memory/AGENTS.md?line=3");
    store.set_trust(places[1], Trust::Untrusted).unwrap();
    assert!(found("basalt", &everywhere).iter().all(|it| it.1 != Some(places[1])));
    store.put_memory(Some(places[0]), &[]).unwrap();
    store.remove_files(places[0], &["docs/현무암.md".into()]).unwrap();
    assert_eq!(found("basalt", &everywhere).len(), 1, "the person's own");
}

#[test]
fn an_index_takes_less_room_than_most_of_its_text_and_a_message_the_same_however_many_there_are() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let mut dice = Dice(23);
    let sentences = [
        "컴포넌트의 상태가 바뀌면 렌더링이 다시 일어나므로 불필요한 갱신을 줄여야 합니다.",
        "데이터베이스 포트는 5433번으로 정했고 설정 파일에 적어 두었습니다.",
        "The refresh token lives for thirty days and rotates at each use of the session.",
        "Keep the public interface stable and add a deprecation note before anything changes.",
        "fn compute_total(values: &[u64]) -> u64 { values.iter().sum() }",
        "useEffect(() => { refreshToken(); }, [sessionId]);",
    ];
    let mut text_bytes = 0;
    let mut sizes = Vec::new();
    for round in 0..4 {
        let texts: Vec<String> = (0..500)
            .map(|n| {
                let many = 2 + dice.below(6);
                let said: Vec<&str> = (0..many).map(|_| *dice.of(&sentences)).collect();
                format!("#T{round}{n} {}", said.join(" "))
            })
            .collect();
        text_bytes += texts.iter().map(String::len).sum::<usize>();
        let all: Vec<_> =
            texts.iter().map(|text| message(id, None, Role::User, text, at(1))).collect();
        store.append_messages(&all).unwrap();
        let db = rusqlite::Connection::open(dir.path().join("siltstone.db")).unwrap();
        let bytes: i64 = db
            .query_row(
                "SELECT (SELECT sum(length(block)) FROM message_index_data) \
                 + (SELECT sum(length(sz) + 9) FROM message_index_docsize)",
                [],
                |row| row.get(0),
            )
            .unwrap();
        sizes.push(bytes);
    }
    let last = *sizes.last().unwrap();
    assert!(last * 10 <= 7 * text_bytes as i64, "{last} bytes for {text_bytes}");
    let (first, fourth) = (sizes[0], sizes[3] - sizes[2]);
    assert!(fourth <= first + first / 4, "{sizes:?}");
}
