//! `silt session`, `silt plan`, `silt task` and `silt decision`: where the work stands, also beside other processes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::{Desk, conversation_of, path_of};
use crate::server::SlowServer;

fn file(desk: &Desk, name: &str) -> Value {
    let path = desk.project.path().join(".ai-brain").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn plans_tasks_and_decisions_are_changed_told_and_written() {
    let desk = Desk::trusted();
    assert_eq!(desk.json(&["session", "share"])["files"]["state"], "written");
    let added = desk.json(&["plan", "add", "Refresh", "tokens", "--description", "Hourly."]);
    assert_eq!(added["current_plan_id"], "plan_001");
    desk.json(&["task", "add", "Write the test"]);
    desk.json(&["task", "add", "Make it pass"]);
    desk.json(&["task", "edit", "task_002", "--after", "task_001"]);
    let early = desk.silt(&["task", "start", "task_002"]);
    assert_eq!(early.code, Some(1), "{}", early.out);
    desk.json(&["task", "finish", "task_001"]);
    let tasks = desk.json(&["task", "start", "task_002"]);
    assert_eq!(tasks["current_task_id"], "task_002");
    desk.json(&["decision", "add", "API 호환성", "유지"]);
    desk.chat(&["Which port is it?"]);

    let context = file(&desk, "context.json");
    assert_eq!(context["memory"]["active_task_id"], "task_002");
    assert_eq!(context["memory"]["last_decisions"], json!(["API 호환성 유지"]));
    assert_eq!(context["stats"]["dialog_turns"], 1);
    let hydrated = desk.json(&["session", "hydrate"])["lines"].clone();
    let hydrated: Vec<String> = serde_json::from_value(hydrated).unwrap();
    assert_eq!(hydrated[1], "ACTIVE PLAN: Refresh tokens");
    assert_eq!(hydrated[2], "ACTIVE TASK: Make it pass");
    assert_eq!(hydrated[3], "DECISIONS: API 호환성 유지");
    assert!(hydrated.contains(&"USER: Which port is it?".to_owned()), "{hydrated:?}");

    desk.json(&["session", "snapshot"]);
    let text = serde_json::to_string(&json!({"version": "1.0", "plans": []})).unwrap();
    desk.file(".ai-brain/workflow.json", &text);
    let verified = desk.silt(&["--json", "session", "verify"]);
    assert_eq!(verified.code, Some(1), "{}", verified.out);
    let shown = desk.json(&["session", "show"]);
    assert_eq!(shown["foreign"][0]["now"], text);
    let kept = desk.json(&["session", "accept", "--mine"]);
    assert_eq!(kept["foreign"], json!([]));
    assert_eq!(file(&desk, "workflow.json")["plans"][0]["title"], "Refresh tokens");
    assert_eq!(desk.silt(&["session", "verify"]).code, Some(0));
    assert!(!desk.project.path().join(".ai-brain/lock.json").exists(), "nobody writes any more");
}

/// What stops the writing is said once a call, with what settles it, and `session show` says the same.
#[test]
fn what_could_not_be_written_is_one_line_on_stderr_with_what_settles_it() {
    let desk = Desk::trusted();
    desk.json(&["session", "share"]);
    let brain = desk.project.path().join(".ai-brain");
    let (context, lock) = (brain.join("context.json"), brain.join("lock.json"));
    let said = |args: &[&str]| -> String {
        let said = desk.silt(args);
        assert_eq!(said.code, Some(0), "{}", said.err);
        let lines: Vec<&str> = said.err.lines().filter(|it| it.contains(".ai-brain")).collect();
        assert!(lines.len() < 2, "{lines:?}");
        lines.concat()
    };
    assert_eq!(said(&["decision", "add", "first"]), "");

    let ours = std::fs::read_to_string(&context).unwrap();
    std::fs::write(&context, ours.replacen("first", "by hand", 1)).unwrap();
    assert!(said(&["decision", "add", "second"]).contains("`silt session accept --mine`"));
    assert!(said(&["--json", "chat", "Which port is it?"]).contains("`silt session accept`"));
    assert!(said(&["--lang", "ko", "chat", "Which port?"]).contains("`silt session accept`로"));
    assert!(desk.silt(&["session", "show"]).out.starts_with(".ai-brain was changed elsewhere"));
    assert_eq!(desk.json(&["session", "show"])["files"]["state"], "foreign");
    assert!(std::fs::read_to_string(&context).unwrap().contains("by hand"));
    assert_eq!(said(&["session", "accept", "--mine"]), "");
    assert!(std::fs::read_to_string(&context).unwrap().contains("second"));

    let theirs = r#"{"owner":"mina","host":"another-host","pid":7,"heartbeat":"2026-11-22T09:00:00Z","revision":5}"#;
    std::fs::write(&lock, theirs).unwrap();
    let held = said(&["decision", "add", "third"]);
    assert!(
        held.contains("mina@another-host") && held.contains("`silt session take-over`"),
        "{held}"
    );
    assert!(desk.silt(&["session", "show"]).out.contains("mina@another-host"));
    assert_eq!(said(&["--quiet", "decision", "add", "fourth"]), "");
    assert_eq!(said(&["session", "take-over"]), "");
    assert_eq!(desk.json(&["session", "show"])["files"]["state"], "written");
    assert!(std::fs::read_to_string(&context).unwrap().contains("fourth"));
}

/// A process that is killed while it answers: what came is registered by the next one, as interrupted.
#[test]
fn a_reply_whose_process_died_is_registered_as_interrupted() {
    let (desk, server) = (Desk::trusted(), SlowServer::start());
    desk.json(&["provider", "add", "--kind=openai", "--name=slow", "--base-url", &server.url]);
    desk.json(&["session", "share"]);
    let mut asked =
        desk.command(&["--json", "chat", "--provider=slow", "--model=m", "Which port?"]);
    let mut asked = asked.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(asked.stdout.take().unwrap()).lines();
    let id = conversation_of(&[serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()]);
    let came = |desk: &Desk| path_of(desk, &id).pop().unwrap().1;
    while !came(&desk).contains("오는 답") {
        std::thread::yield_now();
    }
    asked.kill().unwrap();
    asked.wait().unwrap();
    desk.json(&["session", "show"]);
    let window = file(&desk, "context.json")["conversation"]["recent_window"].clone();
    assert_eq!(window[1]["content"], "천천히 오는 답", "{window}");
    assert_eq!(window[1]["interrupted"], true);
    desk.json(&["session", "show"]);
    let again = file(&desk, "context.json")["conversation"]["recent_window"].clone();
    assert_eq!(again, window, "once");
}

/// behaviour.md, Sessions: several sessions at once.
#[test]
fn four_processes_racing_lose_nothing() {
    let desk = Desk::trusted();
    desk.json(&["session", "share"]);
    for round in 0..6 {
        let racing: Vec<_> = (0..4)
            .map(|process| {
                let text = format!("{process} in round {round}");
                let mut command = desk.command(&["--json", "decision", "add", &text]);
                command.stdout(Stdio::null()).spawn().unwrap()
            })
            .collect();
        for mut process in racing {
            assert!(process.wait().unwrap().success());
        }
    }
    assert_eq!(desk.json(&["decision", "list"])["decisions"].as_array().unwrap().len(), 24);
    assert_eq!(file(&desk, "workflow.json")["decisions"].as_array().unwrap().len(), 24);
}
