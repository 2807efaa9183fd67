//! Sections 3, 4.3, 5 and 5.1: what a request changes, and what is loaded when.

use jiff::Timestamp;
use rstest::rstest;

use super::*;
use VolatilePolicy::{Merged, RequestAlone};

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + minutes * 60).unwrap()
}

fn project(directory: &str) -> Workplace {
    Workplace { directory: directory.into(), project_open: true }
}

fn rules(root: &str) -> LoadSource {
    LoadSource::ProjectRules { root: root.into() }
}

fn sources(loads: &[Load]) -> Vec<LoadSource> {
    loads.iter().map(|load| load.source.clone()).collect()
}

/// An app that works in `/code/a` and has read everything at minute 0.
fn settled() -> AppContext {
    let (mut context, loads) = AppContext::start(project("/code/a"), None, at(0));
    for load in &loads {
        assert!(context.loaded(load, Some(format!("{:?}", load.source)), at(0)));
    }
    context
}

#[test]
fn start_sets_the_place_and_loads_everything_once() {
    let (context, loads) = AppContext::start(project("/code/a"), None, at(0));
    assert_eq!(
        pairs(context.volatile().snapshot()),
        [("workingDirectory", "/code/a"), ("projectRoot", "/code/a")]
    );
    assert!(context.persistent().snapshot().is_empty());
    let expected = [LoadSource::DefaultSystemRules, LoadSource::LayerSummary, rules("/code/a")];
    assert_eq!(sources(&loads), expected);
}

#[rstest]
#[case::nothing_sent(Merged, &[], "/home/kim", &[("selection", "1-3")])]
#[case::nothing_sent_alone(RequestAlone, &[], "/home/kim", &[])]
#[case::known_key_keeps_its_place(Merged, &[("currentFile", "b.rs"), ("selection", "7")],
    "/home/kim", &[("selection", "7"), ("currentFile", "b.rs")])]
#[case::alone_in_sent_order(RequestAlone, &[("currentFile", "b.rs"), ("selection", "7")],
    "/home/kim", &[("currentFile", "b.rs"), ("selection", "7")])]
#[case::root_sent(Merged, &[("projectRoot", "/x")], "/x", &[("selection", "1-3")])]
#[case::root_sent_alone(RequestAlone, &[("projectRoot", "/x")], "/x", &[])]
#[case::blank_root_is_none(Merged, &[("projectRoot", " ")], "/home/kim", &[("selection", "1-3")])]
#[case::working_directory_is_ours(Merged, &[("workingDirectory", "/x")], "/home/kim",
    &[("selection", "1-3")])]
fn a_request_sees(
    #[case] policy: VolatilePolicy,
    #[case] sent: &[(&str, &str)],
    #[case] root: &str,
    #[case] others: &[(&str, &str)],
) {
    let mut context = settled();
    context.put("selection", "1-3");
    let home = Workplace { directory: "/home/kim".into(), project_open: false };
    let seen = context.on_request(home, &snapshot(sent), policy, at(1)).volatile;
    let mut expected = vec![("workingDirectory", "/home/kim"), ("projectRoot", root)];
    expected.extend(others);
    assert_eq!(pairs(seen.snapshot()), expected);

    let stays = pairs(context.volatile().snapshot());
    match policy {
        Merged => assert_eq!(stays, expected),
        RequestAlone => assert_eq!(stays[2..], [("selection", "1-3")]),
    }
    assert_eq!(seen.scope(), ContextScope::App);
    assert_eq!(seen.kind(), PersistenceKind::Volatile);
}

#[test]
fn a_root_holds_for_the_request_that_names_it() {
    let mut context = settled();
    let named = snapshot(&[("projectRoot", "/x")]);
    context.on_request(project("/code/a"), &named, Merged, at(1));
    let next = context.on_request(project("/code/a"), &snapshot(&[]), Merged, at(2));
    assert_eq!(next.volatile.snapshot()["projectRoot"], "/code/a");
    assert_eq!(sources(&next.loads), [rules("/code/a")]);
}

#[test]
fn other_programs_set_and_clear_everything_but_the_place() {
    let mut context = settled();
    context.put("currentFile", "a.rs");
    context.put("ticket", "7");
    assert!(!context.put("workingDirectory", "/etc"));
    assert!(context.forget("ticket"));
    assert!(!context.forget("projectRoot"));
    let place = [("workingDirectory", "/code/a"), ("projectRoot", "/code/a")];
    let known = pairs(context.volatile().snapshot());
    assert_eq!(known, [place[0], place[1], ("currentFile", "a.rs")]);
    context.clear();
    assert_eq!(pairs(context.volatile().snapshot()), place);
}

#[rstest]
#[case::no_root(RefreshTrigger::ProjectRoot(None), 1, &[])]
#[case::same_root(RefreshTrigger::ProjectRoot(Some("/code/a".into())), 1, &[])]
#[case::same_root_spelled_otherwise(RefreshTrigger::ProjectRoot(Some("/code/./b/../a/".into())), 1, &[])]
#[case::same_root_relative(RefreshTrigger::ProjectRoot(Some(".".into())), 1, &[])]
#[case::other_root(RefreshTrigger::ProjectRoot(Some("/code/b".into())), 1, &[rules("/code/b")])]
#[case::other_root_relative(RefreshTrigger::ProjectRoot(Some("../b".into())), 1, &[rules("/code/b")])]
#[case::forced(RefreshTrigger::Forced, 1,
    &[LoadSource::DefaultSystemRules, LoadSource::LayerSummary, rules("/code/a")])]
#[case::file_changed(RefreshTrigger::RulesChanged { project_root: "/code/a/".into() }, 1, &[rules("/code/a")])]
#[case::file_of_another_root(RefreshTrigger::RulesChanged { project_root: "/code/b".into() }, 1, &[])]
#[case::layers_changed(RefreshTrigger::LayersChanged, 1, &[LoadSource::LayerSummary])]
#[case::under_an_hour(RefreshTrigger::TimePassed, 59, &[])]
#[case::an_hour(RefreshTrigger::TimePassed, 60, &[rules("/code/a")])]
#[case::clock_set_back(RefreshTrigger::TimePassed, -1, &[rules("/code/a")])]
fn refresh(#[case] trigger: RefreshTrigger, #[case] minute: i64, #[case] expected: &[LoadSource]) {
    let mut context = settled();
    let before = pairs(context.persistent().snapshot()).len();
    let loads = context.refresh(&trigger, at(minute));
    assert_eq!(sources(&loads), expected);
    let dropped = expected.contains(&rules("/code/b"));
    let after = context.persistent().snapshot();
    assert_eq!(after.len(), before - usize::from(dropped), "only wrong rules go at once");
    assert_eq!(after.contains_key("projectRules"), !dropped);
    assert!(context.refresh(&RefreshTrigger::TimePassed, at(0)).is_empty());
}

#[test]
fn the_hour_counts_while_a_project_is_open_and_from_the_end_of_a_load() {
    let mut context = settled();
    assert_eq!(context.refresh_due_at(), Some(at(60)));
    let loads = context.refresh(&RefreshTrigger::TimePassed, at(60));
    assert_eq!(context.refresh_due_at(), None, "while one is under way no other is due");
    assert!(context.refresh(&RefreshTrigger::TimePassed, at(130)).is_empty());
    assert!(!context.loaded(&loads[0], Some(format!("{:?}", loads[0].source)), at(131)));
    assert_eq!(context.refresh_due_at(), Some(at(191)));

    let home = Workplace { directory: "/code/a".into(), project_open: false };
    context.on_request(home, &snapshot(&[]), Merged, at(132));
    assert_eq!(context.refresh_due_at(), None);
    assert!(context.refresh(&RefreshTrigger::TimePassed, at(900)).is_empty());
}

#[test]
fn a_load_that_was_overtaken_changes_nothing() {
    let mut context = settled();
    let a = context.refresh(&RefreshTrigger::Forced, at(1)).pop().unwrap();
    let b = context.refresh(&RefreshTrigger::ProjectRoot(Some("/code/b".into())), at(1));
    assert!(!context.loaded(&a, Some("of a".into()), at(2)));
    assert!(!context.persistent().snapshot().contains_key("projectRules"));
    assert!(context.loaded(&b[0], Some("of b".into()), at(2)));
    context.failed(&a, at(3));
    assert_eq!(context.persistent().snapshot()["projectRules"], "of b");
    let again = context.refresh(&RefreshTrigger::ProjectRoot(Some("/code/b".into())), at(3));
    assert!(again.is_empty(), "the late failure of /code/a is not one of /code/b");
}

#[test]
fn a_failed_load_leaves_what_is_there_and_is_tried_again_at_the_next_request() {
    let mut context = settled();
    let before = context.persistent().snapshot()["projectRules"].clone();
    let changed = RefreshTrigger::RulesChanged { project_root: "/code/a".into() };
    let loads = context.refresh(&changed, at(1));
    let under_way = context.on_request(project("/code/a"), &snapshot(&[]), Merged, at(1));
    assert!(under_way.loads.is_empty());
    context.failed(&loads[0], at(1));
    assert_eq!(context.persistent().snapshot()["projectRules"], before);
    let next = context.on_request(project("/code/a"), &snapshot(&[]), Merged, at(2));
    assert_eq!(sources(&next.loads), [rules("/code/a")]);
}

#[test]
fn rules_that_are_gone_leave_the_store() {
    let mut context = settled();
    let loads = context.refresh(&RefreshTrigger::Forced, at(1));
    assert!(context.loaded(&loads[2], None, at(1)));
    let left: Vec<&str> = context.persistent().snapshot().keys().map(String::as_str).collect();
    assert_eq!(left, ["defaultSystemRules", "layerSummary"]);
}

#[rstest]
#[case(".", "/code/a", "/code/a")]
#[case("", "/code/a", "/code/a")]
#[case("src/App.kt", "/code/a", "/code/a/src/App.kt")]
#[case("./src//./App.kt", "/code/a/", "/code/a/src/App.kt")]
#[case("../b/x.rs", "/code/a", "/code/b/x.rs")]
#[case("../../../../etc", "/code/a", "/etc")]
#[case("/other/./y/", "/code/a", "/other/y")]
#[case("/", "/code/a", "/")]
#[case("..", "/", "/")]
#[case("한글/파일.md", "/home/김", "/home/김/한글/파일.md")]
#[case(r"C:\x", "/code/a", r"/code/a/C:\x")]
#[case("...", "/code", "/code/...")]
#[case("src/App.kt", r"C:\code", r"C:\code\src\App.kt")]
#[case(r"..\b", "c:/code/a", r"C:\code\b")]
#[case(r"\tmp", r"C:\code", r"C:\tmp")]
#[case(r"D:\x\..\y", r"C:\code", r"D:\y")]
#[case("D:x", r"C:\code", r"D:\x")]
#[case("c:x", r"C:\code", r"C:\code\x")]
#[case(r"..\..\..\x", r"\\host\share\code", r"\\host\share\x")]
#[case(r"\\host\share\y", r"C:\code", r"\\host\share\y")]
#[case("//x", "/code", "/x")]
#[case(r"..", r"C:\", r"C:\")]
fn relative_paths(#[case] path: &str, #[case] base: &str, #[case] expected: &str) {
    assert_eq!(resolve(path, base), expected);
    assert_eq!(resolve(expected, base), resolve(path, base), "a resolved path stays");
}
