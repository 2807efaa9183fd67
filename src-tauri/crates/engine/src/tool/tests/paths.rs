//! One spelling for every path, so that a rule cannot be evaded by writing a path otherwise.

use std::path::is_separator;

use proptest::prelude::*;
use rstest::rstest;

use super::approvals::{allow, deny, of_tool, paths};
use crate::tool::approval::{Decision, decide};
use crate::tool::{Call, Effect, FileCall, relative_to, spelled};

#[rstest]
#[case("./src/a.rs", "src/a.rs")]
#[case("src//a.rs", "src/a.rs")]
#[case("src/../b", "b")]
#[case("src/./x/../../.env", ".env")]
#[case("src/", "src")]
#[case(".", "")]
#[case("a/..", "")]
#[case("../b", "../b")]
#[case("a/../../b", "../b")]
#[case("../../b/../c", "../../c")]
#[case("/etc//passwd", "/etc/passwd")]
#[case("/../etc/./passwd", "/etc/passwd")]
#[case("…/한글 이름", "…/한글 이름")]
#[case("...", "...")]
#[case(" .env", " .env")]
fn a_path_has_one_spelling(#[case] written: &str, #[case] expected: &str) {
    assert_eq!(spelled(written), expected);
}

/// `/home/me/project-2` does not lie in `/home/me/project`.
#[rstest]
#[case("/home/me/project", "/home/me/project/secrets/a", "secrets/a")]
#[case("/home/me/project", "/home/me/project", "")]
#[case("/home/me/project/", "/home/me/project/a", "a")]
#[case("/home/me/project", "/home/me/project-2/a", "/home/me/project-2/a")]
#[case("/home/me/project", "/home/me", "/home/me")]
#[case("/home/me/project", "src/a", "src/a")]
#[case("/home/me/project", "", "")]
#[case("/", "/etc/a", "etc/a")]
#[case("/", "etc/a", "etc/a")]
fn a_path_as_this_computer_has_it_is_one_of_the_project(
    #[case] root: &str,
    #[case] path: &str,
    #[case] expected: &str,
) {
    assert_eq!(relative_to(root, path.into()), expected);
}

/// The same path with steps that lead nowhere.
fn otherwise() -> impl Strategy<Value = (Vec<String>, String)> {
    let step = (
        "[a-c.가]{1,4}",
        prop_oneof![Just(""), Just("./"), Just("/"), Just("x/../"), Just(".//y/.././")],
    );
    prop::collection::vec(step, 1..6).prop_map(|steps| {
        let names: Vec<String> = steps
            .iter()
            .map(
                |(name, _)| {
                    if name.chars().all(|c| c == '.') { "dots".to_owned() } else { name.clone() }
                },
            )
            .collect();
        let mut path = String::new();
        for (at, (name, (_, detour))) in names.iter().zip(&steps).enumerate() {
            // A slash at the beginning would be another path.
            path.push_str(if at == 0 && *detour == "/" { "./" } else { detour });
            path.push_str(name);
            path.push('/');
        }
        (names, path)
    })
}

proptest! {
    #[test]
    fn no_detour_changes_a_spelling((names, written) in otherwise()) {
        prop_assert_eq!(spelled(&written), names.join("/"));
    }

    #[test]
    fn a_spelling_is_spelled(path in "[a./\\\\]{0,20}") {
        let once = spelled(&path);
        prop_assert_eq!(&spelled(&once), &once);
        prop_assert!(!once.contains("//") && !once.contains("/./") && !once.ends_with("/."));
        prop_assert_eq!(once.starts_with('/'), path.starts_with(is_separator));
    }

    /// A denied file, and a denied folder with everything in it.
    #[test]
    fn no_detour_evades_a_denial((names, written) in otherwise()) {
        let file = deny("read_file", paths(&globset::escape(&names.join("/"))));
        let folder = deny("read_file", paths(&format!("{}/**", globset::escape(&names[0]))));
        for rule in [file, folder] {
            for path in [written.clone(), format!("/home/me/project/{written}"), format!("../project/{written}")] {
                let path = path.trim_end_matches('/');
                let call = FileCall::Read { path: path.into(), offset: 1, limit: None };
                let decision = decide(
                    &[allow("read_file", paths("**")), rule.clone()],
                    &of_tool("read_file", Effect::Reads, &Call::File(call).paths()),
                );
                prop_assert_eq!(decision, Decision::Deny(rule.id), "{}", path);
            }
        }
    }
}

#[rstest]
#[case(".env", ".env")]
#[case(".env", "./.env")]
#[case(".env", "src/../.env")]
#[case(".env", "deep/in/.env")]
#[case(".env", "/home/me/project/.env")]
#[case("/.env", ".env")]
#[case("secrets/**", "secrets/a")]
#[case("secrets/**", "secrets")]
#[case("secrets/**", "./secrets//a/b/../c")]
#[case("secrets/**", "a/../secrets/c")]
#[case("secrets/**", "../project/secrets/c")]
#[case("secrets/", "secrets/a/b")]
#[case("./secrets", "secrets/a")]
#[case("secrets", "any/where/secrets/a")]
#[case("**/*.pem", "a/b.pem")]
#[case("*.pem", "a/b.pem")]
#[case("a/secrets/**", "a")]
#[case("a/secrets/**", "")]
#[case("**", "anything")]
#[case("**", "")]
#[case("[", "a pattern that nobody can read keeps out of everything")]
fn a_denial_keeps_out(#[case] pattern: &str, #[case] path: &str) {
    let rule = deny("search_files", paths(pattern));
    let paths = [path.to_owned()];
    let subject = of_tool("search_files", Effect::Reads, &paths);
    assert_eq!(decide(std::slice::from_ref(&rule), &subject), Decision::Deny(rule.id));
}

#[rstest]
#[case(".env", ".env.example")]
#[case(".env", "src/env")]
#[case("/.env", "src/.env")]
#[case("secrets/**", "src/secrets.rs")]
#[case("secrets/**", "docs/secrets/a")]
#[case("*.pem", "pem")]
#[case("a/secrets/**", "a2")]
#[case("a/secrets/**", "b")]
fn and_from_nothing_else(#[case] pattern: &str, #[case] path: &str) {
    let paths_of = [path.to_owned()];
    let subject = of_tool("search_files", Effect::Reads, &paths_of);
    assert_eq!(decide(&[deny("search_files", paths(pattern))], &subject), Decision::Allow(None));
}

/// A search looks below its folder, and a pattern below its first folder that is one.
#[rstest]
#[case(FileCall::Find { pattern: "src/**/*.rs".into() }, &["src"])]
#[case(FileCall::Find { pattern: "./secrets/{a,b}".into() }, &["secrets"])]
#[case(FileCall::Find { pattern: "*.rs".into() }, &[""])]
#[case(FileCall::Find { pattern: "secrets/key".into() }, &["secrets"])]
#[case(FileCall::List { path: "./".into() }, &[""])]
#[case(FileCall::Move { from: "a//b".into(), to: "./c/".into() }, &["a/b", "c"])]
fn a_call_names_its_paths(#[case] call: FileCall, #[case] expected: &[&str]) {
    assert_eq!(Call::File(call).paths(), expected);
}
