//! Search over messages, against a scan of all of them.

use std::collections::BTreeSet;

use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::message::Role;
use siltstone_engine::ports::{Records, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::search::{SearchHits, SearchScope};
use siltstone_storage::Store;

use crate::it::support::{Dice, at, conversation, message, new_conversation, say, store};

const WORDS: &[&str] = &[
    "컴포넌트",
    "컴포넌트는",
    "컴포넌트를",
    "상태",
    "상태를",
    "상태관리",
    "렌더링이",
    "사랑",
    "사랑하는",
    "이별",
    "토큰",
    "토큰의",
    "세션에서",
    "세션",
    "가",
    "나는",
    "데이터베이스",
    "데이터",
    "베이스",
    "갱신한다",
    "없다",
    "React컴포넌트",
    "useEffect",
    "useEffect를",
    "useState",
    "snake_case_name",
    "HTTPServer",
    "fn",
    "main()",
    "foo.bar",
    "kebab-case",
    "#T054321",
    "utf8",
    "ownership",
    "thread",
    "closure",
    "The",
    "port",
    "is",
    "5433",
    "__init__",
    "日本語",
    "検索",
    "カタカナ",
    "é",
    "café",
    "x",
    "한글English한글",
];

const MARKS: &[&str] = &[" ", " ", " ", "\n", ", ", "(", ") ", "**", "`", " — "];

fn texts(dice: &mut Dice, count: usize) -> Vec<String> {
    (0..count)
        .map(|_| {
            (0..1 + dice.below(12))
                .map(|_| format!("{}{}", dice.of(WORDS), dice.of(MARKS)))
                .collect()
        })
        .collect()
}

fn filled(store: &Store, texts: &[String]) -> (ConversationId, Vec<MessageId>) {
    let id = new_conversation(store);
    let mut parent = None;
    let all: Vec<_> = (0..)
        .zip(texts)
        .map(|(n, text)| {
            let new = message(id, parent, Role::User, text, at(n));
            parent = Some(new.message.id);
            new
        })
        .collect();
    store.append_messages(&all).unwrap();
    (id, all.iter().map(|new| new.message.id).collect())
}

fn search(store: &Store, typed: &str) -> SearchHits {
    store.search(typed, &SearchScope::default(), 1_000).unwrap()
}

fn found(hits: &SearchHits) -> BTreeSet<MessageId> {
    hits.hits.iter().map(|hit| hit.message_id).collect()
}

fn is_hangul(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

/// Words of Latin letters, digits and underscores in lower case.
fn latin_words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c == '_' || c.is_ascii_alphanumeric()))
        .filter(|word| word.contains(|c: char| c.is_ascii_alphanumeric()))
        .map(str::to_lowercase)
        .collect()
}

#[test]
fn whatever_a_scan_finds_is_found() {
    let (_dir, store) = store();
    let mut dice = Dice(3);
    let texts = texts(&mut dice, 400);
    let (_, ids) = filled(&store, &texts);
    let check = |typed: &str, matches: &dyn Fn(&str) -> bool| {
        let expected: BTreeSet<MessageId> =
            texts.iter().zip(&ids).filter(|(text, _)| matches(text)).map(|(_, id)| *id).collect();
        assert!(!expected.is_empty(), "the scan must find {typed:?}");
        let found = found(&search(&store, typed));
        assert!(found.is_superset(&expected), "{typed:?} misses {:?}", expected.difference(&found));
    };
    let mut substrings = BTreeSet::new();
    let mut prefixes = BTreeSet::new();
    for text in &texts {
        let chars: Vec<char> = text.chars().collect();
        for length in 1..=5 {
            substrings.extend(
                chars
                    .windows(length)
                    .filter(|w| w.iter().all(|c| is_hangul(*c)))
                    .map(String::from_iter),
            );
        }
        for word in latin_words(text) {
            prefixes.extend((1..=word.len()).map(|end| word[..end].to_owned()));
        }
    }
    assert!(substrings.len() > 100 && prefixes.len() > 60);
    for typed in &substrings {
        check(typed, &|text| text.contains(typed.as_str()));
    }
    for typed in &prefixes {
        // A prefix of underscores alone asks for nothing.
        if typed.contains(|c: char| c.is_ascii_alphanumeric()) {
            check(typed, &|text| latin_words(text).iter().any(|word| word.starts_with(typed)));
        }
    }
    // Two words: both must be there.
    let (substrings, prefixes) = (Vec::from_iter(&substrings), Vec::from_iter(&prefixes));
    let mut pairs = 0;
    for _ in 0..3_000 {
        let (korean, latin) = (*dice.of(&substrings), *dice.of(&prefixes));
        let both = |text: &str| {
            text.contains(korean.as_str())
                && latin_words(text).iter().any(|w| w.starts_with(latin.as_str()))
        };
        if latin.contains(|c: char| c.is_ascii_alphanumeric())
            && texts.iter().any(|text| both(text))
        {
            check(&format!("{korean} {latin}"), &both);
            pairs += 1;
        }
    }
    assert!(pairs > 100, "{pairs}");
}

#[test]
fn exact_answers_for_exact_questions() {
    let (_dir, store) = store();
    let texts = [
        "이 컴포넌트를 본다",
        "컴포 넌트",
        "call useEffect here",
        "fn main() { run() }",
        "main fn",
        "part of art",
        "결과는 좋다",
    ]
    .map(str::to_owned);
    let (_, ids) = filled(&store, &texts);
    let expect = |typed: &str, which: &[usize]| {
        let expected: BTreeSet<MessageId> = which.iter().map(|n| ids[*n]).collect();
        assert_eq!(found(&search(&store, typed)), expected, "{typed:?}");
    };
    expect("컴포넌트는", &[0]);
    expect("포넌", &[0]);
    expect("effect", &[2]);
    expect("useEffect를", &[2]);
    expect("\"fn main\"", &[3]);
    expect("fn main", &[3, 4]);
    expect("art", &[5]);
    expect("결", &[6]);
    expect("OR", &[]);
    expect("\" * ( NEAR", &[]);
    expect("!?", &[]);
    assert_eq!(search(&store, ""), SearchHits::default());
}

#[test]
fn the_word_as_typed_comes_before_its_stem() {
    let (_dir, store) = store();
    let texts = ["컴포넌트를 본다", "컴포넌트는 작다", "컴포넌트의 상태"].map(str::to_owned);
    let (_, ids) = filled(&store, &texts);
    let hits = search(&store, "컴포넌트는");
    assert_eq!(hits.hits[0].message_id, ids[1]);
    let marked: Vec<&str> = hits.hits[0]
        .snippet
        .iter()
        .filter(|part| part.hit)
        .map(|part| part.text.as_str())
        .collect();
    assert_eq!(marked, ["컴포넌트는"]);
}

#[test]
fn scopes_and_the_trash_bound_a_search() {
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
    let inside = conversation(Some(project.id));
    store.create_conversation(&inside).unwrap();
    say(&store, inside.id, None, "granite inside", 1);
    let outside = new_conversation(&store);
    say(&store, outside, None, "granite outside", 2);
    let total = |scope: &SearchScope| store.search("granite", scope, 10).unwrap().total;
    let everywhere = SearchScope::default();
    let in_project = SearchScope { project_id: Some(project.id), conversation_id: None };
    let in_one = SearchScope { project_id: None, conversation_id: Some(outside) };
    assert_eq!((total(&everywhere), total(&in_project), total(&in_one)), (2, 1, 1));
    let hit = store.search("granite", &in_project, 10).unwrap().hits.remove(0);
    assert_eq!(hit.conversation_id, inside.id);
    let trash = ConversationPatch { deleted_at: Some(Some(at(3))), ..Default::default() };
    store.update_conversation(inside.id, &trash).unwrap();
    assert_eq!((total(&everywhere), total(&in_project)), (1, 0));
    store.purge_conversation(inside.id).unwrap();
    assert_eq!((total(&everywhere), total(&in_project)), (1, 0));
    let id = conversation(None).id.to_string();
    assert_eq!(search(&store, &id[..8]).total, 0, "ids are not words");
}

#[test]
fn a_word_that_is_everywhere_is_counted_to_a_limit_and_the_newest_are_shown() {
    let (_dir, store) = store();
    let texts: Vec<String> = (0..5_200).map(|n| format!("상태 {n}")).collect();
    let (_, ids) = filled(&store, &texts);
    let hits = store.search("상태", &SearchScope::default(), 20).unwrap();
    assert_eq!((hits.total, hits.capped, hits.hits.len()), (5_000, true, 20));
    let newest: BTreeSet<MessageId> = ids[200..].iter().copied().collect();
    assert!(found(&hits).is_subset(&newest));
    let few = store.search("상태 7", &SearchScope::default(), 5).unwrap();
    assert_eq!((few.capped, few.hits.len()), (false, 5));
    assert!(few.total > 5);
}
