//! Reading what agents write, in the forms that they have, and looking for their files.

mod antigravity;
mod cursor;
mod exports;
mod finding;
mod handover;
mod hostile;
mod made;
mod reading;
mod rows;
mod seeded;
mod tasks;

use siltstone_engine::message::Part;
use siltstone_engine::vault::{Agent, AgentSessions, Beside, Session};
use siltstone_vault::Agents;

pub const CLAUDE: &str = include_str!("files/claude.jsonl");
pub const CODEX: &str = include_str!("files/codex.jsonl");
pub const GEMINI: &str = include_str!("files/gemini.jsonl");

/// Where each of them would lie.
pub const PLACES: [(Agent, &str, &str); 3] = [
    (
        Agent::ClaudeCode,
        "projects/-home-kim-shop/5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11.jsonl",
        CLAUDE,
    ),
    (
        Agent::Codex,
        "sessions/2026/11/21/rollout-2026-11-21T10-00-00-019a7b3c-1111-7abc-8def-0123456789ab.jsonl",
        CODEX,
    ),
    (Agent::GeminiCli, "tmp/web/chats/session-2026-11-22T11-00-7c9e6679.jsonl", GEMINI),
];

pub fn read(agent: Agent, path: &str, text: impl AsRef<[u8]>) -> Session {
    let agents = Agents::below("/nowhere".as_ref());
    agents.read(agent, path, &mut text.as_ref(), &mut []).unwrap()
}

/// The same with what another file says that stands beside it.
pub fn read_beside(agent: Agent, path: &str, text: &str, mut beside: (&str, &[u8])) -> Session {
    let agents = Agents::below("/nowhere".as_ref());
    let mut beside = [Beside { path: beside.0, bytes: &mut beside.1, until: u64::MAX }];
    agents.read(agent, path, &mut text.as_bytes(), &mut beside).unwrap()
}

/// What is said on the path that the agent would go on with, one line an entry.
pub fn told(session: &Session) -> Vec<String> {
    let path = session.path();
    path.into_iter().map(|at| words(&session.entries[at].parts)).collect()
}

pub fn words(parts: &[Part]) -> String {
    let word = |part: &Part| match part {
        Part::Text { text } => text.clone(),
        Part::Reasoning { text, .. } => format!("~{text}"),
        Part::ToolCall { id, name, .. } => format!("→{id} {name}"),
        Part::ToolResult { call_id, text, is_error, .. } => {
            format!("←{call_id} {text}{}", if *is_error { " (failed)" } else { "" })
        }
        Part::Image { media_type, .. } => format!("[{media_type}]"),
        other => format!("{other:?}"),
    };
    parts.iter().map(word).collect::<Vec<_>>().join(" | ")
}
