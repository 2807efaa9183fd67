//! Trees, their differences, plans and retention, over objects in memory.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::ids::PlanId;

/// Paths with their content.
type Folder = BTreeMap<String, String>;

#[derive(Default)]
struct Shelf(HashMap<ObjectId, Vec<u8>>);

impl Shelf {
    /// The tree of a folder; no path may lie below another one.
    fn tree(&mut self, folder: &Folder) -> Option<ObjectId> {
        let mut entries = Vec::new();
        let mut inner: BTreeMap<&str, Folder> = BTreeMap::new();
        for (path, text) in folder {
            match path.split_once('/') {
                Some((dir, rest)) => {
                    inner.entry(dir).or_default().insert(rest.to_owned(), text.clone());
                }
                None => entries.push((path.clone().into_bytes(), Node::Leaf(file(text)))),
            }
        }
        for (dir, folder) in inner {
            let id = self.tree(&folder).unwrap();
            entries.push((dir.as_bytes().to_vec(), Node::Dir(id)));
        }
        let (id, bytes) = Tree::new(entries).encode();
        self.0.insert(id, bytes);
        (!folder.is_empty()).then_some(id)
    }

    fn read(&self) -> impl FnMut(ObjectId) -> Result<Tree, Infallible> {
        |id| Ok(Tree::decode(id, &self.0[&id]).unwrap())
    }
}

fn file(text: &str) -> Leaf {
    Leaf::File { id: ObjectId::of(text.as_bytes()), size: text.len() as u64, mode: 0o644 }
}

fn folder(files: &[(&str, &str)]) -> Folder {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn steps(
    then: &Folder,
    now: &Folder,
    last: &Folder,
    ours: &[(&str, &str)],
) -> Vec<(String, Action, Why)> {
    let mut shelf = Shelf::default();
    let [then, now, last] = [then, now, last].map(|folder| shelf.tree(folder));
    let ours: HashMap<&[u8], Leaf> =
        ours.iter().map(|(path, text)| (path.as_bytes(), file(text))).collect();
    let known = Known { seen: last, ours: &|path| ours.get(path).cloned(), undone: &|_| None };
    let Ok(steps) = plan(then, now, &known, &mut shelf.read());
    steps.into_iter().map(|step| (shown(&step.path), step.action, step.why)).collect()
}

#[rstest]
#[case::gone("a", "then", None, Some("then"), None, Action::Create, Why::Missing)]
#[case::kept("a", "then", Some("now"), Some("now"), None, Action::Overwrite, Why::Kept)]
#[case::outside(
    "a",
    "then",
    Some("now"),
    Some("then"),
    None,
    Action::Conflict,
    Why::ChangedOutside
)]
#[case::outside_twice(
    "a",
    "then",
    Some("now"),
    Some("other"),
    None,
    Action::Conflict,
    Why::ChangedOutside
)]
#[case::ours("a", "then", Some("now"), Some("then"), Some("now"), Action::Overwrite, Why::Ours)]
fn a_file_of_the_checkpoint(
    #[case] path: &str,
    #[case] then: &str,
    #[case] now: Option<&str>,
    #[case] last: Option<&str>,
    #[case] ours: Option<&str>,
    #[case] action: Action,
    #[case] why: Why,
) {
    let maybe = |text: Option<&str>| text.map_or_else(Folder::new, |text| folder(&[(path, text)]));
    let ours: Vec<(&str, &str)> = ours.map(|text| (path, text)).into_iter().collect();
    let found = steps(&folder(&[(path, then)]), &maybe(now), &maybe(last), &ours);
    assert_eq!(found, [(path.to_owned(), action, why)]);
}

#[rstest]
#[case::never_seen(&[], Action::Skip, Why::NotOurs)]
#[case::ours(&[("new", "text")], Action::Delete, Why::Ours)]
#[case::ours_and_changed_since(&[("new", "older")], Action::Skip, Why::NotOurs)]
fn a_file_that_the_checkpoint_does_not_know(
    #[case] ours: &[(&str, &str)],
    #[case] action: Action,
    #[case] why: Why,
) {
    let now = folder(&[("new", "text")]);
    assert_eq!(steps(&Folder::new(), &now, &now, ours), [("new".to_owned(), action, why)]);
}

#[test]
fn what_stays_is_not_built_over() {
    let then = folder(&[("a", "file"), ("b/c", "below")]);
    let now = folder(&[("a/x", "new"), ("b", "a file now")]);
    let found = steps(&then, &now, &now, &[]);
    let way: Vec<&str> = found
        .iter()
        .filter(|(_, action, why)| (*action, *why) == (Action::Skip, Why::InTheWay))
        .map(|(path, _, _)| path.as_str())
        .collect();
    assert_eq!(way, ["a", "b/c"]);
}

#[test]
fn a_tree_from_elsewhere_cannot_name_another_place() {
    let leaf = || Node::Leaf(file("text"));
    for name in ["..", ".", "", "a/b", "nul\0"] {
        let tree = vec![(name.as_bytes().to_vec(), leaf())];
        let bytes = postcard::to_stdvec(&tree).unwrap();
        assert!(Tree::decode(ObjectId::of(&bytes), &bytes).is_err(), "{name:?}");
        assert!(Tree::new(tree).entries().is_empty(), "{name:?}");
    }
}

#[test]
fn the_rules_take_the_oldest_first_and_leave_what_the_person_kept() {
    let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
    let aged = |days: i64, kept| {
        let created_at = now - SignedDuration::from_hours(24 * days);
        Aged { id: CheckpointId::new(created_at), created_at, kept, bytes: 100 }
    };
    let list = [
        aged(120, true),
        aged(100, false),
        aged(50, false),
        aged(40, false),
        aged(30, false),
        aged(0, false),
    ];
    let rules = Retention { days: Some(90), count: Some(4), bytes: Some(350) };
    let gone = overdue(&list, &rules, 600, now, Reckoning::Calendar);
    let ids = [list[1].id, list[2].id, list[3].id];
    assert_eq!(gone, ids.into_iter().zip([Rule::Age, Rule::Count, Rule::Size]).collect::<Vec<_>>());
    let none = Retention { days: None, count: None, bytes: None };
    assert!(overdue(&list, &none, 600, now, Reckoning::Calendar).is_empty());
    assert!(
        overdue(&list[5..], &Retention { bytes: Some(0), ..none }, 600, now, Reckoning::Calendar)
            .is_empty(),
        "the newest"
    );
}

/// safety.md, R15: a clock that jumps takes nothing along that is young.
#[test]
fn what_goes_by_itself_goes_by_the_time_that_was_lived_through() {
    let start: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
    let day = |days: i64| start + SignedDuration::from_hours(24 * days);
    let aged =
        |created_at| Aged { id: CheckpointId::new(created_at), created_at, kept: false, bytes: 1 };
    let daily: Vec<Aged> = (0..120).map(|days| aged(day(days))).collect();
    let rules = Retention { days: Some(90), count: None, bytes: None };
    let gone = |list: &[Aged], now, reckoning| overdue(list, &rules, 0, now, reckoning).len();
    let (calendar, lived) = (Reckoning::Calendar, Reckoning::Lived);
    assert_eq!(gone(&daily, day(119), calendar), 29);
    assert_eq!(gone(&daily, day(119), lived), 29, "day by day both are the same");
    let young = &daily[110..];
    for now in [day(119 + 365), Timestamp::UNIX_EPOCH, day(119 - 365)] {
        assert_eq!(gone(young, now, lived), 0, "{now}");
    }
    let jumped: Vec<Aged> = young.iter().copied().chain([aged(day(119 + 365))]).collect();
    assert_eq!(gone(&jumped, day(119 + 365), lived), 0);
    assert_eq!(
        gone(&jumped, day(119 + 365), calendar),
        10,
        "the person's own rule is taken as it is"
    );
}

fn any_folder() -> impl Strategy<Value = Folder> {
    let path = prop::sample::select(vec!["a", "b", "c/d", "c/e", "f/g/h", "f/g/i", "f/j"]);
    prop::collection::btree_map(path.prop_map(str::to_owned), "[xyz]{0,2}", 0..7)
}

proptest! {
    #[test]
    fn a_difference_is_what_differs(before in any_folder(), after in any_folder()) {
        let mut shelf = Shelf::default();
        let (old, new) = (shelf.tree(&before), shelf.tree(&after));
        let Ok(changes) = diff(old, new, &mut shelf.read());
        let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
        paths.sort();
        paths.dedup();
        let leaf = |folder: &Folder, path: &str| folder.get(path).map(|text| file(text));
        let expected: Vec<&String> =
            paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
        let found: Vec<String> = changes.iter().map(|change| shown(&change.path)).collect();
        let mut sorted = found.clone();
        sorted.sort();
        prop_assert_eq!(sorted.iter().collect::<Vec<_>>(), expected);
        for change in &changes {
            let path = shown(&change.path);
            prop_assert_eq!(&change.before, &leaf(&before, &path));
            prop_assert_eq!(&change.after, &leaf(&after, &path));
            let Ok(found) = leaf_at(new, &change.path, &mut shelf.read());
            prop_assert_eq!(&found, &change.after);
        }
    }

    #[test]
    fn a_plan_loses_nothing_that_is_kept_nowhere(
        then in any_folder(), now in any_folder(), last in any_folder(),
    ) {
        for (path, action, _) in steps(&then, &now, &last, &[]) {
            prop_assert_ne!(action, Action::Delete, "{} is nobody's", path);
            if action == Action::Overwrite {
                prop_assert_eq!(now.get(&path), last.get(&path), "{} is kept", path);
            }
            if action == Action::Create {
                prop_assert!(!now.contains_key(&path));
            }
        }
    }
}

#[test]
fn what_the_restore_that_is_undone_put_there_goes_and_is_not_taken_for_ours() {
    let mut shelf = Shelf::default();
    let then = shelf.tree(&folder(&[("a", "before")]));
    let now = shelf.tree(&folder(&[("a", "put"), ("b", "put too")]));
    let undone = |path: &[u8]| Some(file(if path == b"a" { "put" } else { "put too" }));
    let known = Known { seen: None, ours: &|_| None, undone: &undone };
    let Ok(steps) = plan(then, now, &known, &mut shelf.read());
    let found: Vec<_> = steps.iter().map(|step| (step.action, step.why)).collect();
    assert_eq!(found, [(Action::Overwrite, Why::Undone), (Action::Delete, Why::Undone)]);
}

fn any_texts() -> impl Strategy<Value = Folder> {
    let path = prop::sample::select(vec!["a", "b/c"]);
    prop::collection::btree_map(path.prop_map(str::to_owned), "a?[bx]?c?[dy]?e?", 0..3)
}

/// Texts of folders, and what is merged of them.
#[derive(Default)]
struct Said(HashMap<ObjectId, String>);

impl Said {
    fn of<'a>(folders: impl IntoIterator<Item = &'a Folder>) -> Self {
        let texts = folders.into_iter().flat_map(BTreeMap::values);
        Self(texts.map(|text| (ObjectId::of(text.as_bytes()), text.clone())).collect())
    }

    fn text(&self, leaf: &Leaf) -> String {
        let Leaf::File { id, .. } = leaf else { panic!("no file") };
        self.0[id].clone()
    }
}

impl Texts<Infallible> for Said {
    fn read(&mut self, leaf: &Leaf) -> Result<Option<String>, Infallible> {
        let Leaf::File { id, .. } = leaf else { return Ok(None) };
        Ok(self.0.get(id).cloned())
    }

    fn keep(&mut self, text: &str) -> Result<ObjectId, Infallible> {
        let id = ObjectId::of(text.as_bytes());
        self.0.insert(id, text.to_owned());
        Ok(id)
    }
}

/// The copy.
fn copied() -> ProjectId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

type Taken = Vec<(Step, Option<Choice>)>;

/// The steps that take over what `copy` made of `base`, and what the folder holds once they are carried out.
fn taken_over(trees: [&Folder; 3], before: &[Taken]) -> (Taken, Folder) {
    taken_over_knowing(trees, before, &[])
}

/// The same where texts of before are known still.
fn taken_over_knowing(
    [base, copy, now]: [&Folder; 3],
    before: &[Taken],
    texts: &[&Folder],
) -> (Taken, Folder) {
    let mut shelf = Shelf::default();
    let trees = [base, copy, now].map(|folder| shelf.tree(folder));
    let mut said = Said::of([base, copy, now].iter().chain(texts).copied());
    let before = TakenOver::by(copied(), &before.iter().map(finished).collect::<Vec<_>>());
    let Ok(steps) = take_over(trees, &before, &mut shelf.read(), &mut said);
    let mut after = now.clone();
    for (step, choice) in &steps {
        match step.outcome(*choice) {
            None => {}
            Some(None) => drop(after.remove(&shown(&step.path))),
            Some(Some(leaf)) => drop(after.insert(shown(&step.path), said.text(&leaf))),
        }
    }
    (steps, after)
}

fn finished(steps: &Taken) -> StoredPlan {
    let now = Timestamp::UNIX_EPOCH;
    StoredPlan {
        id: PlanId::new(now),
        checkpoint: CheckpointId::new(now),
        created_at: now,
        parts: Parts { chat: false, files: true, memory: false, context: false },
        base: None,
        steps: steps.clone(),
        before: None,
        finished_at: Some(now),
        turn: None,
        copy: Some(copied()),
    }
}

#[rstest]
#[case::only_there(Some("1"), Some("2"), Some("1"), Some((Action::Overwrite, Why::Copied)), Some("2"))]
#[case::only_here(Some("1"), Some("1"), Some("2"), None, Some("2"))]
#[case::the_same(Some("1"), Some("2"), Some("2"), None, Some("2"))]
#[case::new_there(None, Some("2"), None, Some((Action::Create, Why::Copied)), Some("2"))]
#[case::new_in_both(None, Some("2"), Some("3"), Some((Action::Conflict, Why::Apart)), Some("3"))]
#[case::gone_there(Some("1"), None, Some("1"), Some((Action::Delete, Why::Copied)), None)]
#[case::gone_there_changed_here(Some("1"), None, Some("3"), Some((Action::Conflict, Why::Apart)), Some("3"))]
#[case::changed_there_gone_here(Some("1"), Some("2"), None, Some((Action::Conflict, Why::Apart)), None)]
#[case::in_two_places(
    Some("a\nb\nc\nd\n"), Some("A\nb\nc\nd\n"), Some("a\nb\nc\nD\n"),
    Some((Action::Overwrite, Why::Both)), Some("A\nb\nc\nD\n")
)]
#[case::in_one_place(
    Some("a\n"), Some("b\n"), Some("c\n"), Some((Action::Conflict, Why::Apart)), Some("c\n")
)]
fn a_file_of_a_copy(
    #[case] base: Option<&str>,
    #[case] copy: Option<&str>,
    #[case] now: Option<&str>,
    #[case] step: Option<(Action, Why)>,
    #[case] after: Option<&str>,
) {
    let [base, copy, now] =
        [base, copy, now].map(|text| text.map_or_else(Folder::new, |text| folder(&[("f", text)])));
    let (steps, held) = taken_over([&base, &copy, &now], &[]);
    let steps: Vec<_> = steps.iter().map(|(step, _)| (step.action, step.why)).collect();
    assert_eq!(steps, step.into_iter().collect::<Vec<_>>());
    assert_eq!(held.get("f").map(String::as_str), after);
}

#[test]
fn what_a_copy_makes_of_it_later_is_taken_over_again() {
    let text = |text: &str| folder(&[("f", text)]);
    let base = text("1");
    let (first, held) = taken_over([&base, &text("2"), &base], &[]);
    assert_eq!(held, text("2"));
    // More of it, and nothing happened here: no question.
    let (second, held) = taken_over([&base, &text("3"), &held], std::slice::from_ref(&first));
    assert_eq!((second[0].0.why, &held), (Why::Copied, &text("3")));
    // It is as at first there again.
    let (third, held) = taken_over([&base, &base, &held], &[first.clone(), second.clone()]);
    assert_eq!((third[0].0.why, &held), (Why::Copied, &text("1")));
    // Taken over and then changed here: it stays.
    let (again, held) = taken_over([&base, &base, &text("mine")], &[first.clone(), second]);
    assert_eq!((again.len(), held), (0, text("mine")));
    // What was undone here is offered once more.
    let (again, held) = taken_over([&base, &text("2"), &base], &[first]);
    assert_eq!((again.len(), held), (1, text("2")));
}

#[test]
fn a_copy_goes_on_from_what_was_put_together_and_an_undone_one_counts_for_nothing() {
    let text = |text: &str| folder(&[("f", text)]);
    let [base, here] = ["a\nb\nc\nd\n", "a\nb\nc\nD\n"].map(text);
    let there = text("A\nb\nc\nd\n");
    let (first, held) = taken_over([&base, &there, &here], &[]);
    assert_eq!(held, text("A\nb\nc\nD\n"));
    // The copy's own line once more: what is here was put together with it.
    let (again, first) = (text("AA\nb\nc\nd\n"), [first]);
    let (second, after) = taken_over_knowing([&base, &again, &held], &first, &[&there]);
    assert_eq!((second[0].0.why, after), (Why::Both, text("AA\nb\nc\nD\n")));
    // What the copy held then is kept nowhere any more: the person decides.
    let (second, after) = taken_over([&base, &again, &held], &first);
    assert_eq!((second[0].0.why, after), (Why::Apart, held));

    // Merged and undone; the person came to the same by themselves, and the copy is as it began.
    let plain = text("s");
    let (merged, held) = taken_over([&plain, &text("B"), &plain], &[]);
    let plan = StoredPlan { before: Some(CheckpointId::new(Timestamp::MAX)), ..finished(&merged) };
    let undo = StoredPlan { checkpoint: plan.before.unwrap(), copy: None, ..finished(&Vec::new()) };
    let mut shelf = Shelf::default();
    let trees = [&plain, &plain, &held].map(|folder| shelf.tree(folder));
    let mut said = Said::of([&plain, &held]);
    let steps = |plans: &[StoredPlan], shelf: &Shelf, said: &mut Said| {
        let before = TakenOver::by(copied(), plans);
        let Ok(steps) = take_over(trees, &before, &mut shelf.read(), said);
        steps.len()
    };
    assert_eq!(steps(std::slice::from_ref(&plan), &shelf, &mut said), 1);
    assert_eq!(steps(&[plan, undo], &shelf, &mut said), 0);
}

#[test]
fn a_file_is_not_made_where_a_folder_stays() {
    let (steps, held) = taken_over(
        [
            &folder(&[("d/b", "1")]),
            &folder(&[("d", "file")]),
            &folder(&[("d/b", "1"), ("d/c", "new")]),
        ],
        &[],
    );
    assert!(steps.iter().all(|(step, _)| step.why == Why::InTheWay), "{steps:?}");
    assert_eq!(held, folder(&[("d/b", "1"), ("d/c", "new")]));
}

#[test]
fn what_a_copy_makes_is_not_built_over_a_file_that_is_only_here() {
    let (steps, held) =
        taken_over([&Folder::new(), &folder(&[("a/b", "there")]), &folder(&[("a", "here")])], &[]);
    assert_eq!((steps[0].0.action, steps[0].0.why), (Action::Skip, Why::InTheWay));
    assert_eq!(held, folder(&[("a", "here")]));
}

proptest! {
    #[test]
    fn nothing_that_is_only_here_is_lost_to_a_copy(
        [base, copy, now] in prop::array::uniform3(any_texts()),
    ) {
        // A letter a line, so that texts change in several places.
        let [base, copy, now] = [base, copy, now].map(|folder| -> Folder {
            let lines = |text: &str| text.chars().flat_map(|letter| [letter, '\n']).collect();
            folder.into_iter().map(|(path, text)| (path, lines(&text))).collect()
        });
        let (steps, held) = taken_over([&base, &copy, &now], &[]);
        let in_the_way: Vec<String> = steps.iter().filter(|(step, _)| step.why == Why::InTheWay)
            .map(|(step, _)| shown(&step.path)).collect();
        for path in [&base, &copy, &now].into_iter().flat_map(BTreeMap::keys) {
            let [was, there, here, is] = [&base, &copy, &now, &held].map(|folder| folder.get(path));
            if in_the_way.contains(path) {
                prop_assert_eq!(is, here);
            } else if here == was {
                prop_assert_eq!(is, there, "{} was changed there alone", path);
            } else if is != here {
                let [Some(was), Some(there), Some(here)] = [was, there, here] else {
                    panic!("{path} was only here")
                };
                let both = merge(was, here, there);
                prop_assert!(!both.conflicts);
                prop_assert_eq!(is, Some(&both.text));
            }
        }
        // Nothing is left to be done but what the person has not decided on.
        let (again, _) = taken_over([&base, &copy, &held], &[steps]);
        prop_assert!(again.iter().all(|(step, choice)| step.outcome(*choice).is_none()), "{:?}", again);
    }
}
