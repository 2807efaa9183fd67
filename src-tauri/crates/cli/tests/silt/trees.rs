//! `silt tree` and `silt evaluate`: a plan that a model makes, carried out task after task, against a real server.

use serde_json::{Value, json};

use crate::desk::{Desk, path_of};
use crate::server::SlowServer;

/// Plans when it is asked for a plan, judges when it is asked for a verdict: what changes the port is not met.
fn planner(body: &str) -> Vec<String> {
    let said = if body.contains("Plan the work for the goal below") {
        json!({"title": "Move the port", "steps": [
            {"title": "Find the port", "notes": "", "acceptance": ["a path is named"], "after": []},
            {"title": "Change it", "notes": "", "acceptance": ["it is 5433"], "after": [0]},
        ]})
        .to_string()
    } else if body.contains(r#"{\"criteria\": [{\"number\""#) {
        let met = !body.contains("1. it is 5433");
        json!({"criteria": [{"number": 1, "met": met, "why": "docs/server.md"}]}).to_string()
    } else {
        "It is in docs/server.md.".to_owned()
    };
    vec![said]
}

fn connected() -> (Desk, SlowServer) {
    let (desk, server) = (Desk::trusted(), SlowServer::saying(planner));
    server.end_answers();
    let url = server.url.as_str();
    desk.json(&["provider", "add", "--kind", "openai", "--name", "work", "--base-url", url]);
    desk.json(&["provider", "default", "work", "slow-1"]);
    (desk, server)
}

#[test]
fn a_plan_is_made_edited_carried_out_and_waits_where_it_is_not_met() {
    let (desk, server) = connected();
    let mut tree = desk.json(&["tree", "create", "Move", "the", "port"]);
    assert_eq!(tree["steps"][1]["after"], json!([0]));
    let asked: Value = serde_json::from_str(&server.asked.lock().unwrap()[0]).unwrap();
    assert_eq!(asked["model"], "slow-1");

    tree["steps"][0]["title"] = "Look for the port".into();
    desk.file("plan.json", &tree.to_string());
    let run = desk.silt(&["--json", "tree", "run", "plan.json"]);
    assert_eq!(run.code, Some(1), "it waits: {}", run.err);
    let state: Value = serde_json::from_str(&run.out).unwrap();
    let statuses: Vec<&Value> =
        state["tasks"].as_array().unwrap().iter().map(|task| &task["status"]).collect();
    assert_eq!(statuses, ["done", "doing"]);
    assert_eq!(state["run"]["why"]["reason"], "not_met");
    assert_eq!(state["run"]["why"]["criteria"][0]["why"], "docs/server.md");

    // Another process sees the same, and what was said stands in the conversation.
    let id = state["run"]["asked"]["conversation_id"].as_str().unwrap();
    let path = path_of(&desk, id);
    assert_eq!(path.len(), 4);
    assert!(path[0].1.contains("Look for the port") && path[2].1.contains("Change it"), "{path:?}");
    let korean = desk.silt(&["--lang", "ko", "tree", "go-on"]);
    assert_eq!(korean.code, Some(1));
    assert!(korean.err.contains("아직 채우지 못한 것:\n- it is 5433"), "{}", korean.err);
    let path = path_of(&desk, id);
    assert!(path[4].1.contains("아직 모자란 것:\n- it is 5433: docs/server.md"), "{}", path[4].1);

    let ended = desk.json(&["tree", "stop"]);
    assert_eq!(ended["run"], Value::Null);
    assert_eq!(desk.silt(&["tree", "go-on"]).code, Some(1), "no plan waits any more");
}

#[test]
fn an_answer_is_judged_by_its_question_and_what_is_no_plan_is_refused() {
    let (desk, _server) = connected();
    let lines = desk.chat(&["Which port is it?"]);
    let turn = lines[0]["turn_id"].as_str().unwrap();
    let verdict = desk.json(&["evaluate", turn]);
    assert_eq!(verdict["met"], true);
    assert_eq!(verdict["criteria"][0]["text"], "Which port is it?");
    let shown = desk.silt(&["evaluate", turn]);
    assert_eq!(shown.out, "+ Which port is it?\n    docs/server.md\n");

    let wrong = desk.feed(&["--json", "tree", "run", "-"], b"{\"title\": \"x\"}");
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    let circle = json!({"title": "x", "steps": [{"title": "a", "after": [0]}]}).to_string();
    let circle = desk.feed(&["--json", "tree", "run", "-"], circle.as_bytes());
    let error: Value = serde_json::from_str(&circle.out).unwrap();
    assert_eq!((circle.code, &error["error"]["code"]), (Some(1), &json!("bad_request")));
    assert_eq!(desk.json(&["plan", "list"])["plans"], json!([]));
}
