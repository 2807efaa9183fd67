use super::*;
use crate::ledger::Category;
use crate::message::{Part, Role};
use proptest::prelude::*;

fn entry(parent: Option<usize>, role: Role, text: &str) -> Entry {
    Entry {
        key: String::new(),
        parent,
        role,
        kind: EntryKind::Said,
        parts: vec![Part::Text { text: text.to_owned() }],
        model: None,
        at: None,
        aside: false,
    }
}

fn fold(parent: usize, summary: &str, carried: &[&str]) -> Entry {
    let carried = carried.iter().map(|text| (*text).to_owned()).collect();
    let kind = EntryKind::Fold(Fold { carried, ..Fold::default() });
    Entry { kind, ..entry(Some(parent), Role::User, summary) }
}

fn session(entries: Vec<Entry>) -> Session {
    let mut session = Session { entries, ..Session::default() };
    session.settle();
    session
}

fn stays(found: &Dropped, category: Category, text: &str) -> Stays {
    let of = |fact: &&DroppedFact| fact.category == category && fact.text.contains(text);
    found.facts.iter().find(of).unwrap_or_else(|| panic!("{text}: {:?}", found.facts)).stays
}

#[test]
fn a_compaction_says_what_the_summary_keeps_what_came_again_and_what_is_nowhere() {
    let found = dropped(&session(vec![
        entry(None, Role::User, "Never touch src/legacy/db.rs. The cache holds 512 MB."),
        entry(Some(0), Role::Assistant, "We decided to use SQLite for the queue."),
        entry(Some(1), Role::User, "Look at docs/queue.md and at config/limits.toml."),
        fold(2, "The user works on the queue: docs/queue.md. Cache: 512 MB.", &[]),
        entry(Some(3), Role::Assistant, "Now I read config/limits.toml."),
    ]));
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((found.fold, &found.entries[..]), (3, &[0, 1, 2][..]));
    assert_eq!(stays(found, Category::Path, "docs/queue.md"), Stays::Summary);
    assert_eq!(stays(found, Category::Number, "512 MB"), Stays::Summary);
    assert_eq!(stays(found, Category::Path, "config/limits.toml"), Stays::Later);
    assert_eq!(stays(found, Category::Path, "src/legacy/db.rs"), Stays::Nowhere);
    assert_eq!(stays(found, Category::Constraint, "Never touch"), Stays::Nowhere);
    assert_eq!(stays(found, Category::Decision, "SQLite"), Stays::Nowhere);
    let paths = found.retention.of(Category::Path).unwrap();
    assert_eq!((paths.in_source, paths.kept), (3, 2));
}

#[test]
fn the_next_compaction_folds_the_summary_before_and_what_came_since() {
    let found = dropped(&session(vec![
        entry(None, Role::User, "`src/a.rs` 파일은 절대 고치지 마세요."),
        fold(0, "src/a.rs는 고치지 않는다.", &[]),
        entry(Some(1), Role::User, "src/b.rs를 보세요."),
        fold(2, "src/b.rs를 보았다.", &[]),
    ]));
    assert_eq!(
        found.iter().map(|it| it.entries.clone()).collect::<Vec<_>>(),
        [vec![0], vec![1, 2]]
    );
    assert_eq!(stays(&found[0], Category::Path, "src/a.rs"), Stays::Summary);
    assert_eq!(stays(&found[1], Category::Path, "src/a.rs"), Stays::Nowhere);
    assert_eq!(stays(&found[1], Category::Path, "src/b.rs"), Stays::Summary);
}

#[test]
fn what_went_on_word_for_word_was_not_dropped() {
    let last = "Keep going with src/last.rs.";
    let found = dropped(&session(vec![
        entry(None, Role::User, "See src/first.rs."),
        entry(Some(0), Role::User, last),
        fold(1, "Nothing much.", &[last]),
    ]));
    assert_eq!(found[0].entries, [0]);
    let texts: Vec<&str> = found[0].facts.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!(texts, ["src/first.rs"]);
}

#[test]
fn a_compaction_on_another_branch_is_told_of_its_own_path() {
    let mut session = session(vec![
        entry(None, Role::User, "See src/root.rs."),
        entry(Some(0), Role::User, "And src/left.rs."),
        fold(1, "src/root.rs", &[]),
        entry(Some(0), Role::User, "And src/right.rs."),
    ]);
    assert_eq!(session.leaf, Some(3));
    assert_eq!(session.path(), [0, 3]);
    assert_eq!(dropped(&session)[0].entries, [0, 1]);
    session.leaf = Some(2);
    assert_eq!(session.path(), [0, 1, 2]);
}

#[test]
fn a_circle_of_parents_is_cut_and_every_entry_stays() {
    let mut entries = vec![entry(Some(2), Role::User, "a"), entry(Some(0), Role::User, "b")];
    entries.extend([entry(Some(1), Role::User, "c"), entry(Some(3), Role::User, "itself")]);
    entries.push(entry(Some(99), Role::User, "nowhere"));
    let session = session(entries);
    assert_eq!(session.entries.len(), 5);
    assert_eq!(session.path(), [4]);
    assert!(session.leaves().contains(&3));
}

proptest! {
    #[test]
    fn whatever_parents_a_file_claims_every_path_ends(
        parents in prop::collection::vec(prop::option::of(0_usize..40), 1..40)
    ) {
        let entries = parents.iter().map(|parent| entry(*parent, Role::User, "x")).collect();
        let session = session(entries);
        for index in 0..session.entries.len() {
            let path = session.path_to(index);
            prop_assert_eq!(session.entries[path[0]].parent, None);
            let mut seen = path.clone();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), path.len());
        }
        prop_assert!(session.leaf.is_some());
    }
}
