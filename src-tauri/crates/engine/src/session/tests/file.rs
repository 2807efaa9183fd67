//! Section 2 of the design: the file, field by field, older and newer ones, and that no secret is in it.

use std::collections::BTreeSet;

use rstest::rstest;
use serde_json::{Map, Value, json};

use super::*;

fn value(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn section_2_the_example_opens_and_is_written_as_it_was() {
    let file = example();
    assert_eq!(file.memory.active_plan_id.as_deref(), Some("plan_001"));
    assert_eq!(file.memory.last_decisions[0], "API 호환성 유지하기로 결정");
    assert_eq!(file.memory.open_files, ["app/workflow.py", "docs/cli.md"]);
    assert_eq!(file.conversation.recent_window[1].ts, "…");
    assert_eq!((file.stats.dialog_turns, file.stats.total_tokens), (34, 8_920));
    let bytes = to_bytes(&file).unwrap();
    assert_eq!(value(&bytes), value(EXAMPLE.as_bytes()));
    let text = String::from_utf8(bytes).unwrap();
    let order = ["version", "created_at", "memory", "conversation", "running_summary", "stats"];
    let places: Vec<usize> = order.iter().map(|key| text.find(key).unwrap()).collect();
    assert!(places.is_sorted() && text.starts_with("{\n  \"version\": \"1.0\","), "{text}");
}

#[test]
fn what_others_put_beside_it_is_kept_and_what_is_absent_stays_absent() {
    let mut with: Value = value(EXAMPLE.as_bytes());
    with["by"] = json!({"tool": 1});
    with["memory"]["mood"] = json!("good");
    with["conversation"].as_object_mut().unwrap().remove("vector_cache");
    with["conversation"]["recent_window"][0]["model"] = json!("m");
    with["memory"].as_object_mut().unwrap().remove("active_task_id");
    let Parsed::Known(file) = parse::<ContextFile>(with.to_string().as_bytes()) else { panic!() };
    assert_eq!(value(&to_bytes(&file).unwrap()), with);
}

#[rstest]
#[case(json!("1.0"), "1.0")]
#[case(json!("1.7"), "1.7")]
#[case(json!(1), "1.0")]
#[case(Value::Null, "1.0")]
#[case(json!("0.9"), "0.9")]
fn an_older_or_slightly_newer_file_is_known(#[case] version: Value, #[case] read: &str) {
    let bytes = json!({"version": version, "memory": {"open_files": ["a"]}}).to_string();
    let Parsed::Known(file) = parse::<ContextFile>(bytes.as_bytes()) else { panic!("{bytes}") };
    assert_eq!((file.version.as_str(), &*file.memory.open_files), (read, &["a".to_owned()][..]));
}

#[test]
fn a_file_of_a_newer_major_version_is_read_as_far_as_it_goes() {
    let mut newer = value(EXAMPLE.as_bytes());
    newer["version"] = json!("2.1");
    let parsed = parse::<ContextFile>(newer.to_string().as_bytes());
    assert!(matches!(parsed, Parsed::Newer { version, file: Some(_) } if version == "2.1"));
    newer["memory"] = json!(["another", "form"]);
    let parsed = parse::<ContextFile>(newer.to_string().as_bytes());
    assert!(matches!(parsed, Parsed::Newer { file: None, .. }));
}

#[rstest]
#[case("")]
#[case("[]")]
#[case("{\"version\": \"1.0\", \"memo")]
#[case("{\"version\": \"one\"}")]
#[case("{\"version\": \"1.0\", \"stats\": 4}")]
fn a_broken_file_is_told_apart(#[case] text: &str) {
    assert!(matches!(parse::<ContextFile>(text.as_bytes()), Parsed::Broken { .. }));
    assert!(matches!(parse::<ContextFile>(b"\xEF\xBB\xBF{}"), Parsed::Known(_)));
}

/// Section 5: secrets are not in it, wherever somebody put them.
#[test]
fn section_5_no_secret_is_written() {
    let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mut file = example();
    file.conversation.running_summary = format!("use {secret}");
    file.memory.last_decisions = vec![secret.clone()];
    file.rest = Map::from_iter([("note".to_owned(), json!([{ "deep": secret }]))]);
    let mut work = workflow();
    work.plans[0].tasks[0].notes = format!("token = {secret}");
    for bytes in [to_bytes(&file).unwrap(), to_bytes(&work).unwrap()] {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(&secret) && text.contains("[redacted: "), "{text}");
    }
}

/// The published schemas name exactly the fields that are written.
#[rstest]
#[case(CONTEXT_SCHEMA, to_bytes(&whole_context()))]
#[case(WORKFLOW_SCHEMA, to_bytes(&whole_workflow()))]
fn the_schemas_are_of_these_files(
    #[case] schema: &str,
    #[case] bytes: serde_json::Result<Vec<u8>>,
) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let written = value(&bytes.unwrap());
    let mut wrong = Vec::new();
    compare(&schema, &written, "", &mut wrong);
    assert_eq!(wrong, Vec::<String>::new());
}

/// A session in which every field is written.
fn whole_context() -> ContextFile {
    let mut file = example();
    for message in &mut file.conversation.recent_window {
        message.message_id = Some(MessageId::new(now()).to_string());
        message.conversation_id = Some(ConversationId::new(now()).to_string());
    }
    file.conversation.recent_window[0].interrupted = true;
    file
}

/// A workflow in which every field is written.
fn whole_workflow() -> Workflow {
    let ids = (ConversationId::new(now()), MessageId::new(now()));
    let source = crate::workflow::DecisionSource { conversation_id: ids.0, message_id: ids.1 };
    let decide = WorkflowChange::AddDecision {
        text: "x".into(),
        source: Some(source),
        origin: crate::workflow::DecisionOrigin::Person,
    };
    let mut work = workflow().apply(&decide, now()).unwrap();
    work.plans[0].tasks[3].finished_at = Some(now());
    work.plans[0].tasks.swap(0, 3);
    let why = crate::workflow::WaitingWhy::Failed { code: "limit_rounds".into() };
    work.carried(Some(crate::workflow::PlanRun {
        plan_id: work.plans[0].id.clone(),
        task_id: work.plans[0].tasks[0].id.clone(),
        asked: source,
        state: crate::workflow::PlanRunState::Waiting { why },
    }))
}

fn compare(schema: &Value, written: &Value, at: &str, wrong: &mut Vec<String>) {
    match written {
        Value::Object(fields) => {
            let keys = |map: &Map<String, Value>| map.keys().cloned().collect::<BTreeSet<_>>();
            let none = Map::new();
            let known = schema["properties"].as_object().unwrap_or(&none);
            if keys(known) != keys(fields) {
                wrong.push(format!("{at}: {:?} and {:?}", keys(known), keys(fields)));
            }
            for (key, value) in fields {
                compare(&known[key], value, &format!("{at}.{key}"), wrong);
            }
        }
        Value::Array(items) => {
            if let Some(item) = items.first() {
                compare(&schema["items"], item, &format!("{at}[]"), wrong);
            }
        }
        Value::String(text) => {
            let listed = schema["enum"].as_array().is_none_or(|all| all.contains(written));
            let is_text = schema["type"] == "string" || schema["enum"].is_array();
            if !listed || !is_text {
                wrong.push(format!("{at}: {text}"));
            }
        }
        Value::Bool(_) if schema["type"] == "boolean" => {}
        Value::Number(_) if schema["type"] == "integer" || schema["type"] == "number" => {}
        other => wrong.push(format!("{at}: {other}")),
    }
}
