//! The ledger as a script reads it, and what a summary keeps of it: of a conversation, and of a transcript that is in
//! no data folder.

use serde_json::{Value, json};

use crate::desk::{Desk, conversation_of, lines, said};

const RULE: &str = "Never write to the old database.";
const ASKED: &str = "Never write to the old database. The settings are in src/app/config.toml. Run `make migrate-all` \
     then, it takes 340 seconds.";

const TRANSCRIPT: &str = r#"{"id":"q1","role":"user","content":"Never write to the old database. The settings are in src/app/config.toml."}
{"id":"a1","role":"assistant","content":"I will read src/app/config.toml and leave the old database alone. The weather was lovely over the hills, and the harbour was full of boats that nobody had seen before."}
{"id":"q2","role":"user","content":"설정은 PostgreSQL 16으로 하기로 결정했어요."}
{"id":"a2","role":"assistant","content":"알겠어요. 나머지는 그대로 둘게요."}
{"id":"q3","role":"user","content":"Go on."}
{"id":"a3","role":"assistant","content":"Done."}
"#;

/// A conversation whose first turn has been summarised.
fn folded(desk: &Desk) -> String {
    let mut command = desk.command(&["--json", "chat", ASKED]);
    let said = said(command.env("APP_CONTEXT_THRESHOLD", "20").output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.err);
    conversation_of(&lines(&said.out))
}

#[test]
fn a_ledger_is_the_same_of_a_conversation_and_of_its_export() {
    let desk = Desk::new();
    let id = folded(&desk);
    let shown = desk.json(&["ledger", "show", &id]);
    let asked = desk.json(&["conversation", "show", &id])["messages"][0]["id"].clone();
    let entries = shown["entries"].as_array().unwrap();
    let of_question: Vec<(&str, &str)> = entries
        .iter()
        .filter(|entry| entry["message"] == asked)
        .map(|entry| (entry["category"].as_str().unwrap(), entry["text"].as_str().unwrap()))
        .collect();
    let expected = [
        ("constraint", RULE),
        ("path", "src/app/config.toml"),
        ("command", "make migrate-all"),
        ("number", "it takes 340 seconds"),
    ];
    assert_eq!(of_question, expected);
    for entry in entries.iter().filter(|entry| entry["message"] == asked) {
        let at = |end: usize| entry["span"][end].as_u64().unwrap() as usize;
        assert_eq!(ASKED[at(0)..at(1)], *entry["text"].as_str().unwrap());
    }

    let file = desk.data.path().join("export.jsonl");
    let file = file.to_str().unwrap();
    desk.silt(&["conversation", "export", &id, "--format", "jsonl", "-o", file]);
    assert_eq!(desk.json(&["ledger", "show", "--transcript", file]), shown);
    let plain = desk.silt(&["ledger", "show", &id]).out;
    assert!(plain.contains("command     make migrate-all\n"), "{plain}");
    assert_eq!(desk.json(&["ledger", "show"]), shown, "it is the last conversation's");
    assert_eq!(desk.silt(&["ledger", "show", &id, "--transcript", file]).code, Some(2));
}

#[test]
fn what_a_summary_keeps_is_counted_anew_for_every_version() {
    let desk = Desk::new();
    let id = folded(&desk);
    let check = || {
        let shown = desk.json(&["summary", "list", &id])["shown"][0].clone();
        desk.json(&["summary", "check", shown.as_str().unwrap()])
    };
    let first = check();
    let constraint =
        |kept: u64| json!({"in_source": 1, "kept": kept, "rate": f64::from(kept as u32)});
    assert_eq!(first["gate"], json!({"verdict": "pass"}));
    assert_eq!(first["retention"]["constraint"], constraint(1));
    assert_eq!((&first["left_behind"], &first["unsupported"]), (&json!([]), &json!([])));

    let text_says_it = desk.silt(&["summary", "drop", first["id"].as_str().unwrap(), RULE]);
    assert_eq!(text_says_it.code, Some(1));
    assert!(
        text_says_it.err.contains("what its text says is changed there"),
        "{}",
        text_says_it.err
    );
    desk.json(&["summary", "edit", first["id"].as_str().unwrap(), "It is about the settings."]);
    let by_fact = check();
    assert_eq!(by_fact["retention"]["constraint"], constraint(1));

    desk.json(&["summary", "drop", by_fact["id"].as_str().unwrap(), RULE]);
    let dropped = check();
    assert_ne!(dropped["id"], by_fact["id"]);
    assert_eq!(dropped["gate"], json!({"verdict": "soft", "lost": ["constraint"]}));
    assert_eq!(dropped["retention"]["constraint"], constraint(0));

    desk.json(&["summary", "keep", dropped["id"].as_str().unwrap(), RULE]);
    let kept = check();
    assert_eq!(kept["retention"]["constraint"], constraint(1));

    desk.json(&["summary", "edit", kept["id"].as_str().unwrap(), "It takes 999 seconds."]);
    let edited = check();
    let left: Vec<&Value> =
        edited["left_behind"].as_array().unwrap().iter().map(|fact| &fact["text"]).collect();
    assert!(
        left.contains(&&json!("it takes 340 seconds")) && !left.contains(&&json!(RULE)),
        "{left:?}"
    );
    assert_eq!(edited["unsupported"][0]["text"], "It takes 999 seconds.");
    let plain = desk.silt(&["summary", "check", edited["id"].as_str().unwrap()]).out;
    assert!(plain.contains("number          0 / 1\n"), "{plain}");
    assert!(plain.ends_with("? It takes 999 seconds.\n"), "{plain}");
}

#[test]
fn a_transcript_is_checked_without_asking_or_keeping_anything() {
    let desk = Desk::new();
    let check = |percent: &str| {
        let args = ["--json", "summary", "check", "--transcript", "-", "--kept-facts", percent];
        let said = desk.feed(&args, TRANSCRIPT.as_bytes());
        assert_eq!(said.code, Some(0), "{}", said.err);
        serde_json::from_str::<Value>(&said.out).unwrap()
    };
    let (alone, all) = (check("0"), check("50"));
    assert_eq!(alone["retention"], alone["without_kept_facts"]);
    assert_eq!(alone["tokens"]["kept_facts"], 0);
    assert_eq!(all["without_kept_facts"], alone["retention"]);
    assert_eq!(all["tokens"]["summary"], alone["tokens"]["summary"]);
    assert_eq!(alone["retention"]["path"]["rate"], 0.0, "{alone}");
    assert_eq!(all["retention"]["path"]["rate"], 1.0, "{all}");
    assert_eq!(all["retention"]["constraint"]["rate"], 1.0, "{all}");
    assert!(all["tokens"]["kept_facts"].as_u64().unwrap() > 0);
    assert_eq!(all["unsupported"], json!([]), "sentences of the transcript claim nothing new");

    let facts =
        desk.feed(&["--json", "ledger", "show", "--transcript", "-"], TRANSCRIPT.as_bytes());
    let facts: Value = serde_json::from_str(&facts.out).unwrap();
    let of = |category: &str| {
        let mut all = facts["entries"].as_array().unwrap().iter();
        all.find(|entry| entry["category"] == category).unwrap().clone()
    };
    assert_eq!(of("path")["mentions"], json!(["q1", "a1"]));
    assert_eq!(of("decision")["text"], "설정은 PostgreSQL 16으로 하기로 결정했어요.");
    assert_eq!(desk.json(&["conversation", "list", "--all"]), json!({"conversations": []}));
}
