//! `silt session`, `silt plan`, `silt task` and `silt decision`: where the work stands, also beside other processes.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::Desk;

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

/// Seed 001, section 5: several sessions at once.
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
