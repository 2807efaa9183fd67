//! Sessions that are written for agents: what a provider would refuse never stands in them, and nothing is lost on the way.

use std::collections::BTreeMap;
use std::fs;

use siltstone_engine::message::{Part, Role};
use siltstone_engine::vault::{
    Agent, AgentSessions, ComposeError, Composed, LeftReason, Outgoing, Session, Step, handover,
};
use siltstone_vault::Agents;

use super::{PLACES, read, told, words};

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
const FOLDER: &str = "/home/kim/shöp 1";

/// A home in which Gemini CLI knows the folder.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".gemini")).unwrap();
    let names = serde_json::json!({"projects": {FOLDER: "shop"}});
    fs::write(home.path().join(".gemini/projects.json"), names.to_string()).unwrap();
    home
}

fn composed(
    agents: &Agents,
    agent: Agent,
    steps: &[Step],
    pictures: &BTreeMap<String, Vec<u8>>,
) -> Result<Composed, ComposeError> {
    let at = "2026-11-24T08:09:10Z".parse().unwrap();
    let session = Outgoing {
        id: ID,
        folder: FOLDER,
        git_branch: Some("main"),
        title: "The retry",
        ended_at: at,
        now: at,
        steps,
        pictures,
    };
    agents.compose(agent, &session)
}

/// What a provider asks of a history: the person first, no reply without words or calls, each call with its answer.
fn is_possible(steps: &[Step]) {
    assert!(steps.first().is_none_or(|step| step.role == Role::User), "{steps:?}");
    let mut ids = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        assert!(!step.parts.is_empty());
        let calls: Vec<&str> = step
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::ToolCall { id, name, .. } => {
                    assert!(!name.is_empty() && name.len() <= 64, "{name}");
                    Some(id.as_str())
                }
                _ => None,
            })
            .collect();
        let answers: Vec<&str> = match steps.get(place + 1).filter(|it| it.role == Role::Tool) {
            Some(next) => next.parts.iter().filter_map(answer).collect(),
            None => Vec::new(),
        };
        assert_eq!(calls, answers, "at {place}: {steps:?}");
        ids.extend(calls);
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "no id stands for two calls");
}

fn answer(part: &Part) -> Option<&str> {
    match part {
        Part::ToolResult { call_id, .. } => Some(call_id),
        _ => None,
    }
}

#[test]
fn what_is_written_for_an_agent_says_the_same_when_it_is_read_again() {
    let home = home();
    let agents = Agents::below(home.path());
    for (from, path, text) in PLACES {
        let session = agents.read_whole(from, path, &mut text.as_bytes(), &mut []).unwrap();
        for whole in [false, true] {
            let going = handover(&session, whole);
            is_possible(&going.steps);
            assert!(going.turns() > 0 || !whole);
            for (agent, ..) in PLACES {
                let done = composed(&agents, agent, &going.steps, &session.pictures).unwrap();
                let (role, _) = agents.role(agent, &done.path);
                assert_eq!(role, siltstone_engine::vault::FileRole::Session, "{}", done.path);
                let again = read(agent, &done.path, &done.bytes);
                assert_eq!((again.unreadable, again.unknown.len()), (0, 0), "{again:?}");
                assert_eq!((again.id.as_str(), again.is_cut), (ID, false));
                if agent != Agent::GeminiCli {
                    assert_eq!(again.folder.as_deref(), Some(FOLDER));
                }
                assert_eq!(lines(&told(&again)), lines(&said(&going.steps)), "{agent:?}");
                is_possible(&handover(&again, true).steps);
            }
        }
    }
}

fn said(steps: &[Step]) -> Vec<String> {
    steps.iter().map(|step| words(&step.parts)).collect()
}

/// Line by line: where one entry ends and the next of the same speaker begins is the agent's own affair, and so is whether
/// it keeps that a call failed.
fn lines(told: &[String]) -> Vec<&str> {
    let texts = told.iter().flat_map(|entry| entry.split(" | "));
    let lines = texts.flat_map(|text| text.trim_end_matches(" (failed)").lines());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn a_fold_stands_for_what_was_before_it_unless_all_goes() {
    let (agent, path, text) = PLACES[0];
    let session = read(agent, path, text);
    let going = handover(&session, false);
    assert!(words(&going.steps[0].parts).starts_with("This session is being continued."));
    assert!(!going.steps[0].is_turn, "nobody asked that");
    assert_eq!(going.left[&LeftReason::Folded], 6);
    assert_eq!(going.left[&LeftReason::Branch], 2);
    let whole = handover(&session, true);
    assert!(words(&whole.steps[0].parts).starts_with("Never change src/legacy/orders.rs."));
    assert_eq!(whole.left.get(&LeftReason::Folded), None);
    assert_eq!((whole.left[&LeftReason::Summary], whole.calls()), (1, 2));
}

#[test]
fn calls_without_answers_and_answers_without_calls_make_no_history_that_is_refused() {
    let line = |kind: &str, more: &str| format!("{{\"type\":\"{kind}\",{more}}}\n");
    let text = [
        line("function_call_output", "\"call_id\":\"never\",\"output\":\"lost\""),
        line(
            "function_call",
            "\"name\":\"시험 tool!\",\"arguments\":\"not json\",\"call_id\":\"a\"",
        ),
        line("function_call", "\"name\":\"\",\"arguments\":\"{}\",\"call_id\":\"a\""),
        line("message", "\"role\":\"user\",\"content\":\"Stop.\""),
        line("function_call_output", "\"call_id\":\"a\",\"output\":\"late\""),
        line("function_call_output", "\"call_id\":\"a\",\"output\":\"twice\""),
        line("message", "\"role\":\"assistant\",\"content\":\"Stopped.\""),
    ];
    let session: Session = read(Agent::Codex, "sessions/rollout-x.jsonl", text.concat());
    let going = handover(&session, false);
    is_possible(&going.steps);
    assert_eq!(going.left[&LeftReason::Result], 2);
    let all = said(&going.steps).join("\n");
    assert!(all.contains("late") && all.contains("Stopped.") && all.contains("___tool_"), "{all}");
    let home = home();
    for (agent, ..) in PLACES {
        let done = composed(&Agents::below(home.path()), agent, &going.steps, &BTreeMap::new());
        let text = String::from_utf8(done.unwrap().bytes).unwrap();
        assert!(text.contains("not json"), "{text}");
    }
}

#[test]
fn a_folder_that_an_agent_names_by_itself_is_refused_until_it_knows_it() {
    let home = tempfile::tempdir().unwrap();
    let agents = Agents::below(home.path());
    let (agent, path, text) = PLACES[1];
    let steps = handover(&read(agent, path, text), false).steps;
    let none = BTreeMap::new();
    for agent in [Agent::Opencode, Agent::Cline] {
        let refused = composed(&agents, agent, &steps, &none);
        assert_eq!(refused, Err(ComposeError::NotWritten(agent)));
    }
    let refused = composed(&agents, Agent::GeminiCli, &steps, &none).unwrap_err();
    let folder = FOLDER.to_owned();
    assert_eq!(refused, ComposeError::UnknownFolder { agent: Agent::GeminiCli, folder });
    // A name that leads elsewhere is none.
    fs::create_dir_all(home.path().join(".gemini")).unwrap();
    let names = serde_json::json!({"projects": {FOLDER: "../../elsewhere"}});
    fs::write(home.path().join(".gemini/projects.json"), names.to_string()).unwrap();
    assert!(composed(&agents, Agent::GeminiCli, &steps, &none).is_err());
    let claude = composed(&agents, Agent::ClaudeCode, &steps, &none).unwrap();
    assert_eq!(claude.path, format!("projects/-home-kim-sh-p-1/{ID}.jsonl"));
}

#[test]
fn nothing_is_written_over_a_file_that_is_there() {
    let home = tempfile::tempdir().unwrap();
    let agents = Agents::below(home.path());
    let path = home.path().join("a/b/session.jsonl");
    agents.write_new(&path, b"one").unwrap();
    assert!(agents.is_there(&path) && agents.write_new(&path, b"two").is_err());
    assert_eq!(fs::read(&path).unwrap(), b"one");
}
