//! What rules say of calls.

use jiff::Timestamp;
use proptest::prelude::*;
use rstest::rstest;

use crate::ids::RuleId;
use crate::tool::Effect;
use crate::tool::approval::{Decision, Rule, Scope, Subject, Verdict, decide, patterns};

const FINGERPRINT: &str = "as it was shown";

pub(super) fn rule(tool: &str, scope: Scope, verdict: Verdict) -> Rule {
    let at = Timestamp::UNIX_EPOCH;
    Rule {
        id: RuleId::new(at),
        project_id: None,
        tool: tool.into(),
        fingerprint: FINGERPRINT.into(),
        scope,
        verdict,
        created_at: at,
    }
}

pub(super) fn allow(tool: &str, scope: Scope) -> Rule {
    rule(tool, scope, Verdict::Allow)
}

pub(super) fn deny(tool: &str, scope: Scope) -> Rule {
    rule(tool, scope, Verdict::Deny)
}

pub(super) fn paths(pattern: &str) -> Scope {
    Scope::Paths { pattern: pattern.into() }
}

pub(super) fn of_tool<'a>(tool: &'a str, effect: Effect, paths: &'a [String]) -> Subject<'a> {
    Subject { tool, fingerprint: FINGERPRINT, effect, paths, command: None, hash: "h" }
}

#[rstest]
#[case(Effect::Reads, Decision::Allow(None))]
#[case(Effect::Proposes, Decision::Allow(None))]
#[case(Effect::Changes, Decision::Ask)]
#[case(Effect::Runs, Decision::Ask)]
fn without_rules_only_what_changes_nothing_goes(#[case] effect: Effect, #[case] said: Decision) {
    assert_eq!(decide(&[], &of_tool("t", effect, &[])), said);
}

/// Moving needs both places.
#[rstest]
#[case(&["src/a.rs", "src/b.rs"], true)]
#[case(&["src/a.rs", "lib/b.rs"], false)]
#[case(&["lib/a.rs", "src/b.rs"], false)]
#[case(&["src/a.rs", "src/../b.rs"], false)]
#[case(&["src/a.rs", "/src/b.rs"], false)]
#[case(&[], false)]
fn every_path_has_to_match(#[case] moved: &[&str], #[case] allowed: bool) {
    let rule = allow("move_file", paths("src/**"));
    let moved: Vec<String> = moved.iter().map(|path| (*path).to_owned()).collect();
    let said = decide(std::slice::from_ref(&rule), &of_tool("move_file", Effect::Changes, &moved));
    assert_eq!(said, if allowed { Decision::Allow(Some(rule.id)) } else { Decision::Ask });
}

#[test]
fn one_denied_place_is_enough() {
    let rules = [allow("move_file", Scope::Tool), deny("move_file", paths("secrets/**"))];
    for moved in [["a", "secrets/a"], ["secrets/a", "a"]] {
        let moved = moved.map(str::to_owned);
        let said = decide(&rules, &of_tool("move_file", Effect::Changes, &moved));
        assert_eq!(said, Decision::Deny(rules[1].id));
    }
}

#[test]
fn a_rule_is_about_its_tool_and_its_words() {
    let line = || Scope::Command { line: "cargo test".into() };
    let subject =
        Subject { command: Some("cargo test"), ..of_tool("run_command", Effect::Runs, &[]) };
    let rule = allow("run_command", line());
    assert_eq!(decide(std::slice::from_ref(&rule), &subject), Decision::Allow(Some(rule.id)));
    let other = Subject { tool: "mcp__a__run_command", ..subject.clone() };
    assert_eq!(decide(&[allow("run_command", line())], &other), Decision::Ask);
    let renamed = Subject { fingerprint: "it says something else now", ..subject.clone() };
    assert_eq!(decide(&[allow("run_command", line())], &renamed), Decision::Ask);
    let never = deny("run_command", Scope::Tool);
    let said = decide(&[allow("run_command", line()), never.clone()], &renamed);
    assert_eq!(
        said,
        Decision::Deny(never.id),
        "a no holds whatever the tool says of itself by now"
    );
    let exactly = allow("run_command", Scope::Exactly { hash: "h".into() });
    assert_eq!(decide(std::slice::from_ref(&exactly), &subject), Decision::Allow(Some(exactly.id)));
    assert_eq!(decide(&[exactly], &Subject { hash: "other", ..subject }), Decision::Ask);
}

/// The characters that patterns are made of, and others.
const HARD: &str = r"[a-c*?\[\]{}!\\./, \-한]{1,14}";

/// A path inside of a project, in its spelling.
fn inside() -> impl Strategy<Value = String> {
    HARD.prop_map(|path| crate::tool::spelled(&path)).prop_filter("inside", |path| {
        !path.is_empty() && !path.starts_with('/') && !path.starts_with("..")
    })
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![
        Just(Scope::Tool),
        HARD.prop_map(|pattern| Scope::Paths { pattern }),
        Just(Scope::Command { line: "make".into() }),
        Just(Scope::Exactly { hash: "h".into() }),
    ]
}

proptest! {
    #[test]
    fn a_denial_beats_whatever_allows(
        before in prop::collection::vec(scope(), 0..6),
        after in prop::collection::vec(scope(), 0..6),
        denied in prop_oneof![
            Just(Scope::Tool),
            Just(Scope::Command { line: "make".into() }),
            Just(Scope::Exactly { hash: "h".into() }),
            Just(paths("b/**")),
        ],
        effect in prop_oneof![Just(Effect::Reads), Just(Effect::Changes), Just(Effect::Runs)],
    ) {
        let touched = ["a".to_owned(), "b/c".to_owned()];
        let subject = Subject { command: Some("make"), ..of_tool("t", effect, &touched) };
        let no = deny("t", denied);
        let mut rules: Vec<Rule> = before.into_iter().map(|scope| allow("t", scope)).collect();
        rules.push(no.clone());
        rules.extend(after.into_iter().map(|scope| allow("t", scope)));
        prop_assert_eq!(decide(&rules, &subject), Decision::Deny(no.id));
    }

    #[test]
    fn no_pattern_allows_what_leads_out(
        pattern in prop_oneof![Just("**".to_owned()), Just("../**".to_owned()), Just("/**".to_owned()), HARD.prop_map(String::from)],
        out in prop_oneof!["/[a-c/.]{0,9}", "\\.\\./[a-c/]{0,9}", "[a-c]/\\.\\./\\.\\./[a-c/]{0,9}", Just("..".to_owned()), Just(String::new())],
    ) {
        let said = decide(&[allow("write_file", paths(&pattern))], &of_tool("write_file", Effect::Changes, &[out]));
        prop_assert_eq!(said, Decision::Ask);
    }

    #[test]
    fn what_is_offered_for_always_matches_what_was_asked_and_the_first_nothing_else(
        path in inside(),
        other in inside(),
    ) {
        let offered = patterns(&path);
        let allowed = |pattern: &str, path: &str| {
            let rule = allow("edit_file", paths(pattern));
            let paths = [path.to_owned()];
            decide(std::slice::from_ref(&rule), &of_tool("edit_file", Effect::Changes, &paths)) == Decision::Allow(Some(rule.id))
        };
        for pattern in &offered {
            prop_assert!(allowed(pattern, &path), "{} does not match {}", pattern, path);
        }
        prop_assert_eq!(allowed(&offered[0], &other), path == other);
        if let Some((folder, _)) = path.rsplit_once('/') {
            let outside = format!("{folder}x/a");
            prop_assert!(offered.iter().all(|pattern| !allowed(pattern, &outside)));
        }
    }
}

#[rstest]
#[case("Cargo.toml", &["Cargo.toml"])]
#[case("src/a.rs", &["src/a.rs", "src/*.rs", "src/**"])]
#[case("src/.env", &["src/.env", "src/**"])]
#[case("a/b/Makefile", &["a/b/Makefile", "a/b/**"])]
#[case("[id]/a{1}.ts", &["[[]id[]]/a[{]1[}].ts", "[[]id[]]/*.ts", "[[]id[]]/**"])]
fn always_means_the_file_its_kind_or_its_folder(#[case] path: &str, #[case] offered: &[&str]) {
    assert_eq!(patterns(path), offered);
}
