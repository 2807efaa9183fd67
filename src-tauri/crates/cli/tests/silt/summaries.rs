//! Summaries as a script makes, reads and changes them, and one whose process is killed.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};
use siltstone_test_servers::until::until_now;

use crate::desk::{Desk, conversation_of, lines, said};
use crate::server::SlowServer;

const FACTS: &str = "The preview server listens on port 4747. Nobody may change the refresh path on a Friday. The retry \
     runs at most four times, and the last import has to finish before the old server goes.";

/// Runs `silt` with a threshold that everything is over.
fn eager(desk: &Desk, args: &[&str]) -> Vec<Value> {
    let mut command = desk.command(&[&["--json"], args].concat());
    let said = said(command.env("APP_CONTEXT_THRESHOLD", "20").output().unwrap());
    assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
    lines(&said.out)
}

/// Facts that take more room than what goes whole beside the last exchanges.
fn long() -> String {
    FACTS.repeat(250)
}

/// Goes on for as long as the last exchanges stay whole, so that the ones before can be folded.
fn goes_on(desk: &Desk, id: &str) {
    for question in ["What about the second?", "What about the third?"] {
        desk.chat(&["--conversation", id, question]);
    }
}

#[test]
fn a_summary_is_made_after_the_reply_edited_compared_and_sent() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&[&long()]));
    desk.chat(&["--conversation", &id, "What about the second?"]);
    eager(&desk, &["chat", "--conversation", &id, "What about the third?"]);
    let listed = desk.json(&["summary", "list", &id]);
    let made = &listed["records"][0];
    assert_eq!((&made["status"], &made["model"]), (&json!("COMPLETED"), &json!("offline")));
    assert_eq!((&made["turns"], &made["covered_message_count"]), (&json!([1, 2, 3]), &json!(6)));
    assert_eq!(listed["shown"], json!([made["id"]]));
    assert_eq!(listed["policy"], "rolling");

    let first = made["id"].as_str().unwrap();
    let edited = desk.json(&["summary", "edit", first, "Port 4747, and no Fridays."]);
    assert_eq!((&edited["version"], &edited["edited"]), (&json!(2), &json!(true)));
    let second = edited["id"].as_str().unwrap();
    assert_eq!(desk.json(&["summary", "show", second]), edited);
    let diff = desk.json(&["summary", "diff", first, second]);
    let text = |without: &str| -> String {
        let changes = diff["changes"].as_array().unwrap().iter();
        let kept = changes.filter(|change| change["tag"] != without);
        kept.map(|change| change["text"].as_str().unwrap()).collect()
    };
    assert_eq!(json!(text("insert")), made["summary"]);
    assert_eq!(text("delete"), "Port 4747, and no Fridays.");

    let preview = ["context", "preview", "--conversation", &id, "--draft", "And?"];
    let sections = desk.json(&preview)["sections"].clone();
    let sections = sections.as_array().unwrap();
    let told = sections.iter().find(|section| section["kind"] == "summary").unwrap();
    assert!(told["text"].as_str().unwrap().contains("Port 4747, and no Fridays."), "{told}");
    assert_eq!(told["link"], format!("silt:summary/{second}"));
    let turns = sections.iter().filter(|section| section["kind"] == "turn");
    assert_eq!(turns.count(), 4, "the last two exchanges, word for word");
    let mut off = desk.command(&[&["--json"], &preview[..]].concat());
    let bare = said(off.env("APP_CONTEXT_ENABLED", "false").output().unwrap());
    let bare: Value = serde_json::from_str(&bare.out).unwrap();
    let kinds: Vec<&Value> =
        bare["sections"].as_array().unwrap().iter().map(|section| &section["kind"]).collect();
    assert!(!kinds.contains(&&json!("summary")) && !kinds.contains(&&json!("turn")), "{kinds:?}");
    assert_eq!(desk.silt(&["summary", "show", "nothing"]).code, Some(1));
}

#[test]
fn policy_and_rate_stay_with_the_conversation() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["--policy=segments", "--rate=0.5", FACTS]));
    let listed = desk.json(&["summary", "list", &id]);
    assert_eq!((&listed["policy"], &listed["rate"]), (&json!("segments"), &json!(0.5)));
    for question in ["Two?", "Three?", "Four?", "Five?"] {
        desk.chat(&["--conversation", &id, question]);
    }
    let run = desk.json(&["summary", "run", &id]);
    assert_eq!(run["records"][0]["turns"], json!([1, 2, 3]), "{run}");
    assert_eq!(run["statistics"]["turns"], 3);
    let again = desk.silt(&["summary", "run", &id]);
    assert_eq!((again.code, again.err.contains("Nothing to fold yet.")), (Some(0), true));
    let run = desk.json(&["summary", "run", &id, "--policy=rolling"]);
    assert_eq!((&run["policy"], run["records"].as_array().unwrap().len()), (&json!("rolling"), 1));
    assert_eq!(desk.silt(&["summary", "run", &id, "--policy=none"]).code, Some(1));
}

#[test]
fn a_process_killed_while_it_summarises_leaves_a_failed_one_and_the_next_makes_it() {
    let (desk, server) = (Desk::new(), SlowServer::start());
    desk.json(&["provider", "add", "--kind=openai", "--name=slow", "--base-url", &server.url]);
    let id = conversation_of(&desk.chat(&[FACTS]));
    goes_on(&desk, &id);
    desk.json(&["provider", "default", "slow", "slow-1"]);
    let run = ["--json", "summary", "run", &id];
    let mut child = desk.command(&run).stdout(Stdio::null()).spawn().unwrap();
    until_now("the server to be asked", || {
        assert_eq!(child.try_wait().unwrap(), None, "it waits for the server");
        !server.asked.lock().unwrap().is_empty()
    });
    child.kill().unwrap();
    child.wait().unwrap();

    let records = desk.json(&["summary", "list", &id])["records"].clone();
    assert_eq!((&records[0]["status"], &records[0]["summary"]), (&json!("FAILED"), &json!("")));
    assert_eq!(records[0]["fault"]["code"], "abandoned");
    server.end_answers();
    let records = desk.json(&run[1..])["records"].clone();
    assert_eq!(records.as_array().unwrap().len(), 2);
    assert_eq!((&records[1]["status"], &records[1]["version"]), (&json!("COMPLETED"), &json!(2)));
    assert_eq!(records[1]["summary"], "천천히 오는 답");
    assert_eq!(records[1]["model"], "slow-1");
}

#[test]
fn a_summary_that_is_waited_for_after_the_reply_says_so() {
    let (desk, quick, server) = (Desk::new(), SlowServer::start(), SlowServer::start());
    quick.end_answers();
    for (name, url) in [("quick", &quick.url), ("slow", &server.url)] {
        desk.json(&["provider", "add", "--kind=openai", "--name", name, "--base-url", url]);
    }
    desk.json(&["provider", "default", "quick", "slow-1"]);
    desk.json(&["settings", "set", "tasks.summarise", "slow", "slow-1"]);
    let id = conversation_of(&desk.chat(&[&long()]));
    desk.chat(&["--conversation", &id, "What about the second?"]);
    for (lang, says) in
        [("en", "A summary of earlier messages is being made"), ("ko", "요약을 만드는 중입니다")]
    {
        let mut command =
            desk.command(&["--lang", lang, "chat", "--conversation", &id, "And the third?"]);
        command.env("APP_CONTEXT_THRESHOLD", "20").stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let told = BufReader::new(child.stderr.take().unwrap()).lines();
        // The server holds its answer back for as long as nobody lets it go.
        let mut told = told.map(Result::unwrap);
        assert!(told.any(|line| line.contains(says)), "{lang}");
        if lang == "en" {
            child.kill().unwrap();
            child.wait().unwrap();
        } else {
            server.end_answers();
            assert!(child.wait().unwrap().success());
        }
    }
}

#[test]
fn a_fold_is_looked_at_taken_changed_and_taken_back() {
    const RULE: &str = "Never deploy from src/deploy.sh on a Friday.";
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&[&format!("{} {RULE}", long())]));
    goes_on(&desk, &id);
    let shown = || desk.json(&["summary", "list", &id])["shown"].clone();
    let preview = desk.json(&["summary", "preview", &id]);
    assert_eq!(shown(), json!([]), "nothing changes");
    assert!(preview["tokens_after"].as_u64() < preview["tokens_before"].as_u64(), "{preview}");
    assert_eq!(preview["missing_constraints"], json!([]));
    let rule = &preview["check"]["retention"]["constraint"];
    assert_eq!(rule["kept"], rule["in_source"], "{preview}");

    let id_of = |record: &Value| record["id"].as_str().unwrap().to_owned();
    let adopted = desk.json(&["summary", "adopt", &id_of(&preview["candidate"])]);
    assert_eq!(
        (shown(), &adopted["summary"]),
        (json!([adopted["id"]]), &preview["candidate"]["summary"])
    );
    let path = "src/deploy.sh";
    let kept = desk.json(&["summary", "keep", &id_of(&adopted), path]);
    let of_person = |record: &Value| -> Vec<Value> {
        let kept = record["kept"].as_array().unwrap().iter();
        kept.filter(|fact| fact["by"] == "person").map(|fact| fact["text"].clone()).collect()
    };
    assert_eq!((of_person(&kept), kept["version"].as_u64()), (vec![json!(path)], Some(2)));
    let dropped = desk.json(&["summary", "drop", &id_of(&kept), path]);
    assert_eq!((of_person(&dropped), &dropped["dropped"]), (vec![], &json!([path])));
    assert_eq!(desk.json(&["summary", "undo", &id_of(&dropped)])["shown"], json!([kept["id"]]));
    assert_eq!(desk.silt(&["summary", "undo", &id_of(&adopted)]).code, Some(1), "not the newest");
    assert_eq!(desk.silt(&["summary", "keep", &id_of(&kept), "src/never.rs"]).code, Some(1));
}

#[test]
fn a_conversation_is_strict_by_itself_until_it_is_told_otherwise() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["--strict", "Hello there"]));
    let strict = |id: &str| desk.json(&["summary", "list", id])["strict"].clone();
    assert_eq!(strict(&id), true);
    desk.chat(&["--conversation", &id, "--policy=segments", "And then?"]);
    assert_eq!(strict(&id), true, "another choice leaves it");
    let other = conversation_of(&desk.chat(&["Hello there"]));
    assert_eq!(strict(&other), false);
    desk.chat(&["--conversation", &id, "--strict=false", "And now?"]);
    assert_eq!(strict(&id), false);
}
