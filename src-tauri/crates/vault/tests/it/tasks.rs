//! Tasks of Cline 2.18.0, made by it in a folder with two files and a model that says little.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{EntryKind, Place};

use super::*;

/// By its id what was sent, and what the window showed.
const TASKS: [(&str, &str, &str); 4] = [
    (
        "1795794533748",
        include_str!("files/cline/tasks/1795794533748.json"),
        include_str!("files/cline/tasks/1795794533748.ui.json"),
    ),
    (
        "1795794567118",
        include_str!("files/cline/tasks/1795794567118.json"),
        include_str!("files/cline/tasks/1795794567118.ui.json"),
    ),
    (
        "1795794579414",
        include_str!("files/cline/tasks/1795794579414.json"),
        include_str!("files/cline/tasks/1795794579414.ui.json"),
    ),
    (
        "1795794794315",
        include_str!("files/cline/tasks/1795794794315.json"),
        include_str!("files/cline/tasks/1795794794315.ui.json"),
    ),
];

fn read_with(task: &str, sent: &str, shown: Option<&str>) -> Session {
    let agents = Agents::below("/nowhere".as_ref());
    let path = format!("tasks/{task}/api_conversation_history.json");
    let beside = format!("tasks/{task}/ui_messages.json");
    assert_eq!(agents.beside(Agent::Cline, &path), std::slice::from_ref(&beside));
    match shown {
        Some(shown) => read_beside(Agent::Cline, &path, sent, (&beside, shown.as_bytes())),
        None => read(Agent::Cline, &path, sent),
    }
}

fn parts(session: &Session) -> impl Iterator<Item = &Part> {
    session.entries.iter().flat_map(|entry| &entry.parts)
}

#[test]
fn calls_are_tags_in_running_text_and_what_was_typed_is_in_tags_too() {
    let mut counted = [0; 8];
    for (task, sent, shown) in TASKS {
        let session = read_with(task, sent, Some(shown));
        let facts = session.facts(Agent::Cline);
        assert_eq!(facts.folder.as_deref(), Some("/home/kim/till"), "{task}");
        assert_eq!((facts.unknown, facts.unreadable), (BTreeMap::new(), 0), "{task}");
        let results = parts(&session).filter_map(|part| match part {
            Part::ToolResult { is_error, .. } => Some(*is_error),
            _ => None,
        });
        let results: Vec<bool> = results.collect();
        let thoughts = parts(&session).filter(|part| matches!(part, Part::Reasoning { .. }));
        let sums = [
            facts.turns,
            facts.calls,
            results.len() as u64,
            results.iter().filter(|failed| **failed).count() as u64,
            thoughts.count() as u64,
            facts.usage.input_tokens,
            facts.usage.output_tokens,
            facts.usage.cached_input_tokens,
        ];
        counted.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
    }
    // Of 11 calls 4 are what the model says in the end.
    assert_eq!(
        counted,
        [5, 11 - 4, 6, 2, 1, 137_810, 303, 11_800],
        "as they were counted elsewhere"
    );
    let session = read_with(TASKS[0].0, TASKS[0].1, Some(TASKS[0].2));
    let said: Vec<String> = session
        .path()
        .into_iter()
        .map(|at| &session.entries[at])
        .filter(|entry| entry.kind == EntryKind::Said)
        .map(|entry| words(&entry.parts))
        .collect();
    assert_eq!(said[0], "Look at total.js, fix the sum and run it.");
    let call =
        "~The file is small; read it first. | I read the file first. | →1795794534771 read_file";
    assert_eq!(said[1], call);
    assert!(said[2].starts_with("←1795794534771 1 | const items"), "{}", said[2]);
    let last = &said[said.len() - 3..];
    assert_eq!(last, ["The total counts the quantity.", "And in French?", "Bonjour."]);
    let edit = parts(&session).find_map(|part| match part {
        Part::ToolCall { name, arguments, .. } if name == "replace_in_file" => Some(arguments),
        _ => None,
    });
    let edit: Value = serde_json::from_str(edit.unwrap()).unwrap();
    assert_eq!(edit["path"], "total.js");
    assert!(edit["diff"].as_str().unwrap().ends_with("+++++++ REPLACE"));
    assert_eq!(
        (session.beside["messages left out"], session.title.as_str()),
        (1, said[0].as_str())
    );
}

#[test]
fn older_versions_say_tokens_and_times_only_in_what_the_window_showed() {
    for (task, sent, shown) in TASKS {
        let mut messages: Value = serde_json::from_str(sent).unwrap();
        for message in messages.as_array_mut().unwrap() {
            let message = message.as_object_mut().unwrap();
            ["ts", "metrics"].iter().for_each(|key| _ = message.remove(*key));
        }
        let old = read_with(task, &messages.to_string(), Some(shown));
        let new = read_with(task, sent, Some(shown));
        assert_eq!(old.usage(), new.usage());
        let begun = old.facts(Agent::Cline).started_at.unwrap().as_millisecond();
        assert!(task.parse::<i64>().unwrap().abs_diff(begun) < 100, "{begun}");
        let alone = read_with(task, &messages.to_string(), None);
        assert_eq!(alone.usage(), Usage { exact: true, ..Usage::default() });
        assert_eq!(alone.facts(Agent::Cline).turns, new.facts(Agent::Cline).turns);
    }
}

#[test]
fn newer_ones_have_blocks_and_a_plain_word_of_the_person_is_known_from_the_window() {
    let sent = json!([
        {"role": "user", "content": "설정을 보여 줘"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "In the text `<read_file>` is no call."},
            {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "<task>\nno task\n</task>"}]},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]},
        {"role": "assistant", "content": "<write_to_file>\n<path>b</path>\n<content>\n<content>x</content>\n"},
        {"role": "user", "content": [{"type": "text", "text": "[write_to_file for 'b'] Result:\nThe user denied this operation."},
            {"type": "text", "text": "<feedback>\nNot there\n</feedback>"}]},
    ]);
    let shown = json!([{"ts": 1_700_000_000_000_u64, "type": "say", "say": "task", "text": "설정을 보여 줘"}]);
    let session = read_with("7", &sent.to_string(), Some(&shown.to_string()));
    assert_eq!(
        told(&session),
        [
            "설정을 보여 줘",
            "In the text `<read_file>` is no call. | →t1 read_file",
            "←t1 <task>\nno task\n</task>",
            "[image/png]",
            "→3 write_to_file",
            "←3 The user denied this operation. (failed)",
            "Not there",
        ]
    );
    assert_eq!((session.unreadable, session.facts(Agent::Cline).turns), (0, 3));
}

#[test]
fn tasks_with_wrong_types_in_them_are_read_as_far_as_they_go() {
    let (task, sent, shown) = TASKS[3];
    let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (mut tried, mut unreadable) = (0, 0);
    for changed in hostile::wrong(&of(sent)) {
        unreadable += read_with(task, &changed.to_string(), Some(shown)).unreadable;
        tried += 1;
    }
    for changed in hostile::wrong(&of(shown)) {
        assert!(!read_with(task, sent, Some(&changed.to_string())).entries.is_empty());
    }
    assert!(tried > 300 && unreadable > 20, "{tried}, {unreadable}");
    assert_eq!(read_with(task, &sent[..300], Some(&shown[..300])).unreadable, 2);
    // Tags without an end, again and again.
    let flood = json!([{"role": "assistant", "content": "\n<read_file>\n<path>".repeat(200_000)},
        {"role": "assistant", "content": "<a>".repeat(200_000)}]);
    assert_eq!(read_with(task, &flood.to_string(), None).entries.len(), 2);
}

#[test]
fn tasks_of_the_extension_are_found_where_an_editor_keeps_them() {
    let home = tempfile::tempdir().unwrap();
    let settings = if cfg!(windows) {
        "AppData/Roaming"
    } else if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".config"
    };
    let tasks =
        home.path().join(settings).join("Code/User/globalStorage/saoudrizwan.claude-dev/tasks/7");
    fs::create_dir_all(tasks.join("checkpoints/.git/objects")).unwrap();
    for name in
        ["api_conversation_history.json", "ui_messages.json", "checkpoints/.git/x.json", "notes.md"]
    {
        fs::write(tasks.join(name), "[]").unwrap();
    }
    let agents = Agents::below(home.path());
    let [at] = &agents.homes()[..] else { panic!("one home") };
    assert_eq!(at.agent, Agent::Cline);
    let found = agents.files(&Place::all_of(at.clone()), &mut |_| true).unwrap();
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["tasks/7/api_conversation_history.json", "tasks/7/ui_messages.json"]);
}
