//! Settings from the command line: all of them, what each may be, and what it does.

use serde_json::{Value, json};

use crate::desk::{Desk, conversation_of};

fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    let all = list["settings"].as_array().unwrap();
    all.iter().find(|setting| setting["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn every_setting_is_listed_with_what_it_may_be() {
    let desk = Desk::trusted();
    let list = desk.json(&["settings", "list"]);
    let strict = named(&list, "summary.strict");
    assert_eq!((&strict["value"], &strict["default"]), (&json!(false), &json!(false)));
    assert_eq!(strict["allowed"], "true or false");
    let allowed = |name: &str| named(&list, name)["allowed"].as_str().unwrap().to_owned();
    assert_eq!(allowed("carry_over"), "one of offer, always, never");
    assert_eq!(allowed("zoom"), "a whole number from 50 to 200");
    assert_eq!(allowed("summary.rate"), "a number from 0.1 to 0.5 in steps of 0.05");
    assert_eq!(
        allowed("checkpoints.retention.days"),
        format!("a whole number from 0 to {}, or none", u32::MAX)
    );
    assert_eq!(named(&list, "prices")["change_with"], "silt price set");
    assert_eq!(named(&list, "memory.names")["value"][0], "AGENTS.md");
    let korean = desk.silt(&["--lang", "ko", "settings", "list", "strict"]).out;
    assert!(korean.contains("summary.strict") && korean.contains("그대로"), "{korean}");
    assert!(!korean.contains("zoom"), "{korean}");

    // Outside of a project its settings are not there.
    let desk = Desk::new();
    assert_eq!(named(&desk.json(&["settings", "list"]), "project.exclude"), &Value::Null);
    let refused = desk.silt(&["settings", "get", "project.exclude"]);
    assert!(refused.code == Some(1) && refused.err.contains("--project"), "{}", refused.err);
}

#[test]
fn a_setting_is_set_where_the_window_has_it_and_given_its_default_again() {
    let desk = Desk::trusted();
    let set = |args: &[&str]| desk.json(&[&["settings", "set"], args].concat())["value"].clone();
    assert_eq!(set(&["summary.strict", "true"]), true);
    assert_eq!(set(&["summary.policy", "segments"]), "segments");
    assert_eq!(set(&["summary.rate", "0.35"]), 0.35);
    assert_eq!(set(&["checkpoints.retention.days", "none"]), Value::Null);
    assert_eq!(set(&["memory.names", "RULES.md", "AGENTS.md"]), json!(["RULES.md", "AGENTS.md"]));
    assert_eq!(set(&["privacy.exclude_patterns", "*.pem", "secret/"]), json!(["*.pem", "secret/"]));
    assert_eq!(set(&["proxy", "http://127.0.0.1:3128"]), "http://127.0.0.1:3128");
    assert_eq!(set(&["tasks.title", "offline offline"]), "offline offline");
    assert_eq!(set(&["project.exclude", "docs/server.md"]), json!(["docs/server.md"]));
    assert_eq!(set(&["project.this_computer_only", "true"]), true);
    assert_eq!(desk.silt(&["-q", "settings", "get", "summary.strict"]).out, "true\n");

    // They count at once, for whatever reads them.
    let asked = desk.chat(&["Which port does the preview server listen on?"]);
    let listed = desk.json(&["summary", "list", &conversation_of(&asked)]);
    assert_eq!(
        (&listed["policy"], &listed["strict"], &listed["rate"]),
        (&json!("segments"), &json!(true), &json!(0.35))
    );
    assert!(!crate::text_of(&asked).contains("4747"), "what is excluded is not quoted");
    assert_eq!(desk.json(&["project", "list"])["projects"][0]["this_computer_only"], true);

    let unset = |name: &str| desk.json(&["settings", "unset", name])["value"].clone();
    assert_eq!(unset("summary.rate"), 0.3);
    assert_eq!(unset("checkpoints.retention.days"), 90);
    assert_eq!(unset("proxy"), "system");
    assert_eq!(unset("tasks.title"), Value::Null);
    assert_eq!(unset("project.exclude"), json!([]));
}

#[test]
fn a_value_that_cannot_be_is_refused_with_those_that_can() {
    let desk = Desk::trusted();
    let before = desk.json(&["settings", "list"]);
    let wrong: &[(&[&str], &str)] = &[
        (&["zoom", "500"], "a whole number from 50 to 200"),
        (&["zoom", "wide"], "a whole number from 50 to 200"),
        (&["summary.rate", "0.33"], "0.1 to 0.5 in steps of 0.05"),
        (&["summary.rate", "0.9"], "0.1 to 0.5 in steps of 0.05"),
        (&["summary.policy", "clever"], "one of rolling, segments, running"),
        (&["summary.strict", "yes"], "true or false"),
        (&["default_provider", "nobody"], "one of offline"),
        (&["tasks.title", "offline"], "\"PROVIDER MODEL\", or none"),
        (&["prices", "1"], "silt price set"),
        (&["no.such"], "settings list"),
        (&["no.such", "1"], "settings list"),
    ];
    for (typed, says) in wrong {
        let refused = desk.silt(&[&["settings", "set"], *typed].concat());
        assert_eq!(refused.code, Some(2), "{typed:?}: {}", refused.err);
        if typed.len() > 1 {
            assert!(refused.err.contains(says), "{typed:?}: {}", refused.err);
        }
    }
    let korean = desk.silt(&["--lang", "ko", "settings", "set", "zoom", "500"]);
    assert!(korean.err.contains("50에서 200 사이의 정수"), "{}", korean.err);
    assert_eq!(desk.json(&["settings", "list"]), before, "nothing was changed");
}
