//! Folders of other agents, as those agents leave them: real records of each format, and talks of several days.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::folder::write;
use super::window::Start;

/// The project of the kept records.
const SHOP: &str = "/home/kim/shop";

/// A file of the kept records.
macro_rules! kept {
    ($name:literal) => {
        include_str!(concat!("../../../src-tauri/crates/vault/tests/it/files/", $name))
    };
}

/// What was talked about elsewhere: a title, the folder, the day, and turns.
const TALKS: [(&str, &str, &str, u32); 7] = [
    ("배포 스크립트가 화요일마다 실패하는 까닭을 찾아 주세요", "/home/kim/infra", "11-21", 6),
    ("Rename the session store and everything that says its name", SHOP, "11-21", 3),
    ("Why does the nightly dump of staging take four hours?", "/home/kim/infra", "11-19", 11),
    ("주문 목록에 쪽 나누기 넣기", "/home/kim/web", "11-19", 4),
    ("Write the migration for refresh tokens", SHOP, "11-12", 8),
    ("Bump the toolchain and mend what breaks", SHOP, "11-12", 2),
    ("설정 화면의 글자 크기를 두 단계로", "/home/kim/web", "10-30", 5),
];

/// Agents that worked in a project, and elsewhere.
#[track_caller]
pub(crate) fn of(project: &Path) -> TempDir {
    let homes = tempfile::Builder::new().prefix("agents-").tempdir().expect("a folder");
    let here = |text: &str| text.replace(SHOP, &project.display().to_string());
    let add = |name: &str, text: &str| write(homes.path(), name, &here(text));
    let claude = "claude/projects/-home-kim-shop/5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11";
    add(&format!("{claude}.jsonl"), kept!("claude.jsonl"));
    add(&format!("{claude}/subagents/agent-0af3.jsonl"), kept!("claude-agent.jsonl"));
    let codex = "codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-019a7b3c-1111";
    add(&format!("{codex}-7abc-8def-0123456789ab.jsonl"), kept!("codex.jsonl"));
    let gemini = "gemini/.gemini/tmp/web/chats/session-2026-11-22T11-00-7c9e6679.jsonl";
    add(gemini, kept!("gemini.jsonl"));
    for (at, (title, folder, day, turns)) in TALKS.iter().enumerate() {
        let id = format!("019a0000-000{at}-7abc-8def-0123456789ab");
        let name = format!("codex/sessions/2026/11/01/rollout-2026-11-01T09-00-0{at}-{id}.jsonl");
        add(&name, &talk(&id, title, folder, day, *turns));
    }
    let cline = "cline/sessions/1795794369926_71ngm/1795794369926_71ngm.messages.json";
    add(cline, kept!("cline/1795794369926_71ngm.json"));
    let opencode = homes.path().join("share/opencode");
    std::fs::create_dir_all(&opencode).expect("a folder");
    let database = rusqlite::Connection::open(opencode.join("opencode.db")).expect("a database");
    database.execute_batch(&here(kept!("opencode.sql"))).expect("its rows");
    // One of them: the list shows what is newest.
    database.execute_batch("DELETE FROM session WHERE title <> 'Big window'").expect("one");
    homes
}

/// Codex begins another session today.
pub(crate) fn begins(homes: &Path, title: &str) {
    let id = "019a0000-0099-7abc-8def-0123456789ab";
    let name = format!("codex/sessions/2026/11/22/rollout-2026-11-22T09-00-00-{id}.jsonl");
    write(homes, &name, &talk(id, title, SHOP, "11-22", 1));
}

/// A talk as Codex writes it down.
fn talk(id: &str, title: &str, folder: &str, day: &str, turns: u32) -> String {
    let at = |minute: u32| format!("2026-{day}T09:{minute:02}:00.000Z");
    let line = |minute: u32, kind: &str, payload: Value| {
        json!({ "timestamp": at(minute), "type": kind, "payload": payload }).to_string()
    };
    let said = |minute: u32, role: &str, text: &str| {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        let content = json!([{ "type": kind, "text": text }]);
        let payload = json!({ "type": "message", "role": role, "content": content });
        line(minute, "response_item", payload)
    };
    let meta = json!({ "id": id, "timestamp": at(0), "cwd": folder, "git": { "branch": "main" } });
    let mut lines = vec![
        line(0, "session_meta", meta),
        line(0, "turn_context", json!({ "cwd": folder, "model": "gpt-5.2-codex" })),
    ];
    for turn in 0..turns {
        lines.push(said(2 * turn + 1, "user", if turn == 0 { title } else { "Go on." }));
        lines.push(said(2 * turn + 2, "assistant", "Done; the tests pass."));
        let total = json!({ "input_tokens": 4_000 * (turn + 1), "output_tokens": 90 * (turn + 1) });
        let info = json!({ "total_token_usage": total });
        lines.push(line(2 * turn + 2, "event_msg", json!({ "type": "token_count", "info": info })));
    }
    lines.join("\n") + "\n"
}

impl Start {
    /// On a machine where agents keep their sessions below this folder.
    pub(crate) fn with_agents(self, homes: &Path) -> Self {
        self.set("CLAUDE_CONFIG_DIR", homes.join("claude"))
            .set("CODEX_HOME", homes.join("codex"))
            .set("GEMINI_CLI_HOME", homes.join("gemini"))
            .set("XDG_DATA_HOME", homes.join("share"))
            .set("CLINE_DATA_DIR", homes.join("cline"))
            .set("CURSOR_DATA_DIR", homes.join("cursor"))
    }
}
