//! Sections 2 and 3.1: one persistent store, one file.

use jiff::Timestamp;
use rstest::rstest;

use super::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn place() -> Workplace {
    Workplace { directory: "/code/a".into(), project_open: true }
}

fn read(text: &str) -> StoreFile {
    StoreFile::from_json(text, ContextScope::App).unwrap()
}

#[test]
fn a_store_is_kept_with_its_order_and_unknown_fields() {
    let text = r#"{
  "version": 1,
  "scope": "app",
  "projectRoot": "/code/a",
  "refreshedAt": "2026-11-22T09:00:00Z",
  "entries": {
    "projectRules": "규칙\n둘",
    "defaultSystemRules": "d",
    "anotherPurpose": "kept"
  },
  "theme": {
    "since": 3
  },
  "author": null
}
"#;
    let kept = read(text);
    let keys: Vec<&str> = kept.entries.keys().map(String::as_str).collect();
    assert_eq!(keys, ["projectRules", "defaultSystemRules", "anotherPurpose"]);
    assert_eq!(kept.store().file_name(), Some("persistent-context.json"));
    assert_eq!(kept.to_json(), text);
    let (context, _) = AppContext::start(place(), Some(kept), NOW);
    assert_eq!(context.file().to_json(), text, "also through the running app");
}

#[test]
fn kept_rules_serve_their_own_root_only() {
    let text = |root: &str| {
        format!(
            r#"{{"version":1,"scope":"app","projectRoot":"{root}",
            "entries":{{"projectRules":"r","defaultSystemRules":"d"}}}}"#
        )
    };
    let (same, loads) = AppContext::start(place(), Some(read(&text("/code/a"))), NOW);
    assert_eq!(pairs(same.persistent().snapshot()).len(), 2);
    assert_eq!(loads.len(), 3, "they are read again all the same");
    let (moved, _) = AppContext::start(place(), Some(read(&text("/code/b"))), NOW);
    assert_eq!(pairs(moved.persistent().snapshot()), [("defaultSystemRules", "d")]);
}

#[test]
fn what_another_process_kept_is_adopted_but_for_what_we_loaded() {
    let (mut context, loads) = AppContext::start(place(), None, NOW);
    assert!(context.loaded(&loads[0], Some("ours".into()), NOW));
    let theirs = r#"{"version":1,"scope":"app","added":true,
        "entries":{"defaultSystemRules":"theirs","projectRules":"theirs","other":"o"}}"#;
    context.adopt(read(theirs));
    let file = context.file();
    assert_eq!(pairs(&file.entries), [("defaultSystemRules", "ours"), ("other", "o")]);
    assert_eq!(file.unknown["added"], true);

    assert!(context.keep("ours", "kept") && context.discard("other"));
    assert!(!context.keep("projectRules", "forged") && !context.discard("defaultSystemRules"));
    let kept = [("defaultSystemRules", "ours"), ("ours", "kept")];
    assert_eq!(pairs(&context.file().entries), kept);
    context.adopt(read(r#"{"version":1,"scope":"app","entries":{"other":"o"}}"#));
    let theirs = [("defaultSystemRules", "ours"), ("other", "o")];
    assert_eq!(pairs(&context.file().entries), theirs, "what they took out is gone");
}

#[rstest]
#[case::cut_off(r#"{"version":1,"scope":"app","entries":{"a":"#, "Damaged")]
#[case::empty("", "Damaged")]
#[case::no_text(r#"{"version":1,"scope":"app","entries":{"a":1}}"#, "Damaged")]
#[case::newer_and_different(r#"{"version":2,"entries":[]}"#, "Newer { found: 2, known: 1 }")]
#[case::other_scope(r#"{"version":1,"scope":"run","entries":{}}"#, "OtherScope")]
fn a_file_that_is_not_ours_is_refused(#[case] text: &str, #[case] expected: &str) {
    let error = StoreFile::from_json(text, ContextScope::App).unwrap_err();
    assert!(format!("{error:?}").starts_with(expected), "{error:?}");
}
