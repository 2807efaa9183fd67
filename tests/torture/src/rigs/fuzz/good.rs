//! Good inputs for everything that reads, made as this program and others write them.

use serde_json::{Value, json};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    BundleWriter, Checkpoint, CheckpointReason, ContextState, FORMAT, FilesState, Leaf, Manifest,
    Metadata, Node, ObjectId, Tree,
};
use siltstone_engine::export;
use siltstone_engine::ids::CheckpointId;
use siltstone_engine::session::{Holder, LockFile};

use crate::Trouble;

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn values(values: &[Value]) -> Vec<Vec<u8>> {
    values.iter().map(|value| value.to_string().into_bytes()).collect()
}

/// Memory files with front matter, imports and what hides.
pub fn memory() -> Vec<Vec<u8>> {
    texts(&[
        "---\npaths: [\"src/**\", '*.rs']\nalwaysApply: true\n---\n# Rules\n\nMUST say @a.md\n",
        "# Rules\n@./docs/a.md and @~/b.md, `@not.md`\n\n```\n@in.md\n```\n- key: value\n",
        "\u{feff}---\nname: x\n---\r\n반드시 @한글.md 를 보세요\r\n<!-- hidden -->\u{200b}\n",
    ])
}

/// What checkpoints travel in, with a manifest and a tree, and without.
pub fn bundles() -> Vec<Vec<u8>> {
    let bodies: [&[u8]; 3] = [b"one", &b"many ".repeat(400), b"\0"];
    let file = |bytes: &[u8]| {
        let id = ObjectId::of(bytes);
        Node::Leaf(Leaf::File { id, size: bytes.len() as u64, mode: 0o644 })
    };
    let names: [&[u8]; 3] = [b"a.txt", "한글.md".as_bytes(), b"zero"];
    let named = names.iter().zip(bodies).map(|(name, bytes)| (name.to_vec(), file(bytes)));
    let (root, bytes) = Tree::new(named.collect()).encode();
    let mut whole = BundleWriter::default();
    bodies.iter().for_each(|body| whole.object(body));
    whole.object(&bytes);
    let mut loose = BundleWriter::default();
    bodies.iter().for_each(|body| loose.object(body));
    vec![whole.finish(Some(&manifest(root))), loose.finish(None)]
}

fn manifest(root: ObjectId) -> Manifest {
    let files = FilesState {
        tree: Some(root),
        files: 3,
        bytes: 2_004,
        changed: 3,
        not_captured: Vec::new(),
        not_captured_count: 0,
    };
    let metadata = Metadata {
        session_id: String::new(),
        user_id: None,
        project_path: "/p".to_owned(),
        version: "1".to_owned(),
        format: FORMAT,
    };
    let checkpoint = Checkpoint {
        id: CheckpointId::new(Timestamp::UNIX_EPOCH),
        tag: Some("before".to_owned()),
        pinned: false,
        created_at: Timestamp::UNIX_EPOCH,
        reason: CheckpointReason::Manual,
        parent: None,
        project_id: None,
        conversation: None,
        files: Some(files),
        context: ContextState::default(),
        metadata,
    };
    Manifest { checkpoint, project: "p".to_owned(), chat: None }
}

/// Texts with a secret in them.
pub fn secrets() -> Vec<Vec<u8>> {
    texts(&[
        "DB_PASSWORD=\"hunter2!x\" token: abc, Bearer abcdefghij0123456789\n",
        "postgres://app:pa55word@db/app sk-ant-api03-aaaa.eyJhbGciOi.eyJzdWIiOi.x\n",
        concat!(
            "-----BEGIN RSA PRIVATE KEY",
            "-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END RSA PRIVATE KEY-----\n"
        ),
        "비밀번호는 abc!123 이고 토큰은 9x8y7z 이에요\n",
    ])
}

/// Texts that lead a search for secrets astray: each rule's keywords over and over.
pub fn adversarial(short: bool) -> Vec<(&'static str, String)> {
    let bytes = if short { 1 << 15 } else { 1 << 17 };
    let units = [
        "Aaaa: -----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----,,,,,,,,,,,,,,,,",
        "-eyJ",
        "-eyJaaaaaaaaaaa.",
        "-SG.aaaaaaaaaaaaaaaaaaa",
        "password=\"",
        "token=",
        "accountkey=",
        "accountkey=secret_key=",
        "AccountKey=",
        "-sk-ant-api03-",
        "-M",
        "://a:",
        "authorization: ",
        "12345678:AA",
        "0123456789abcdef0123456789abcdef-us",
    ];
    units.map(|unit| (unit, unit.repeat(bytes / unit.len()))).into()
}

/// Conversations in every form that is read: lines as we and as others write them, the whole tree, and Markdown.
pub fn conversations() -> Result<Vec<Vec<u8>>, Trouble> {
    let ours = [
        json!({"id": "1", "role": "user", "content": "안녕", "ts": "2026-01-01T00:00:00Z"}),
        json!({"id": "2", "role": "assistant", "content": "hi", "speaker": "m", "tool_calls": [{"id": "c", "name": "read", "arguments": "{}"}]}),
        json!({"id": "3", "role": "tool", "content": "x", "tool_call_id": "c", "is_error": false}),
        json!({"id": "4", "role": "assistant", "content": "```\nopen", "status": "interrupted"}),
    ];
    let others = [
        json!({"role": "system", "content": [{"type": "text", "text": "Be kind."}]}),
        json!({"role": "user", "speaker": "Kim", "content": "What?", "ts": 7}),
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "read", "arguments": {"path": "a"}}}]}),
    ];
    let lines = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let parts = json!([
        {"type": "text", "text": "x"},
        {"type": "image", "hash": "00", "media_type": "image/png", "name": "a.png"},
        {"type": "tool_result", "call_id": "c", "text": "y", "is_error": true},
        {"type": "reasoning", "text": "hm"},
    ]);
    let tree = json!({
        "format": "siltstone-conversation", "version": 1, "title": "제목", "active": ["a", "c"],
        "tuning": {"temperature": 0.5}, "messages": [
            {"id": "a", "parent": null, "role": "user", "parts": parts, "model": "m", "created_at": "2026-01-01T00:00:00Z"},
            {"id": "b", "parent": "a", "role": "assistant", "parts": [{"type": "text", "text": "one"}], "model": "m"},
            {"id": "c", "parent": "a", "role": "assistant", "parts": [{"type": "tool_call", "id": "t", "name": "read", "arguments": "{}"}], "status": "streaming"},
        ],
        "summaries": [{"summary": "s"}, 7], "attached": {"00": "AAAA"},
    });
    let said = |role: &str, kind: &str, to: &str| {
        json!({
            "author": {"role": role, "name": "python"}, "create_time": 1.7e9, "recipient": to, "status": "in_progress",
            "content": {"content_type": kind, "parts": ["안녕", {"asset_pointer": "file-service://f"}], "text": "print(1)"},
            "metadata": {"model_slug": "m", "attachments": [{"id": "f", "name": "a.png"}]},
        })
    };
    let chatgpt = json!({
        "title": null, "create_time": 1.7e9, "update_time": 1_700_000_009, "current_node": "d", "mapping": {
            "a": {"message": null, "parent": null, "children": ["b"]},
            "b": {"message": said("user", "multimodal_text", "all"), "parent": "a", "children": ["e", "c"]},
            "c": {"message": said("assistant", "code", "python"), "parent": "b", "children": ["d"]},
            "d": {"message": said("tool", "execution_output", "all"), "parent": "c", "children": []},
            "e": {"message": said("assistant", "code", "all"), "parent": "b"},
        },
    });
    let claude = json!({
        "name": "제목", "created_at": "2026-01-01T00:00:00Z", "chat_messages": [
            {"uuid": "a", "sender": "human", "text": "x", "attachments": [{"file_name": "a", "extracted_content": "y"}]},
            {"uuid": "b", "sender": "assistant", "files": [{"file_name": "z"}], "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "t", "input": {"q": 1}},
                {"type": "tool_result", "content": [{"text": "r"}]}, {"type": "text", "text": "so"},
            ]},
        ],
    });
    let read = export::import(&lines(&ours), "a name", Timestamp::UNIX_EPOCH)?;
    let written = [
        lines(&ours),
        lines(&others),
        tree.to_string(),
        chatgpt.to_string(),
        claude.to_string(),
        export::markdown("A title", &read.messages),
        export::markdown("제목", &read.messages[..2]),
    ];
    Ok(written.map(String::into_bytes).into())
}

/// What a file was, what it is and what it is to be, between unit separators.
pub fn merges() -> Vec<Vec<u8>> {
    texts(&[
        "one\ntwo\nthree\n\u{1f}one\n2\nthree\n\u{1f}one\ntwo\n3\n",
        "a\nb\nc\nd\ne\nf\u{1f}a\nb\nc\nx\ne\nf\u{1f}\nb\nc\nd\ne\n",
        "\u{1f}new\r\n\u{1f}other\r\n",
    ])
}

/// `context.json`.
pub fn sessions() -> Vec<Vec<u8>> {
    let said = json!({"role": "user", "content": "hi", "ts": "2026-01-01T00:00:00Z", "mood": 1});
    values(&[
        json!({
            "version": "1.0", "created_at": "2026-01-01T00:00:00Z", "updated_at": "",
            "memory": {"last_decisions": ["x"], "open_files": ["a.rs"], "working_directory": "/w"},
            "conversation": {"running_summary": "s", "recent_window": [said]},
            "stats": {"dialog_turns": 3, "total_tokens": 70},
        }),
        json!({"version": 1, "unknown": {"deep": [1, 2, {"x": null}]}, "stats": {}}),
        json!({}),
    ])
}

/// `workflow.json`.
pub fn workflows() -> Vec<Vec<u8>> {
    let tasks = json!([
        {"id": "task_001", "title": "T", "status": "todo", "depends_on": []},
        {"id": "task_002", "title": "U", "depends_on": ["task_001"], "notes": "n", "acceptance": ["a"]},
    ]);
    let plan = json!({"id": "plan_001", "title": "Plan", "status": "active", "tasks": tasks});
    values(&[
        json!({
            "version": "1.0", "revision": 7, "project_name": "p", "current_plan_id": "plan_001",
            "plans": [plan, {"id": "plan_002", "title": "계획"}],
            "decisions": [{"id": "decision_001", "text": "D"}],
        }),
        json!({"plans": [], "run": {"unknown": 1}, "other": {"deep": [null]}}),
    ])
}

/// `lock.json`.
pub fn locks() -> Vec<Vec<u8>> {
    let holder = Holder { owner: "kim".to_owned(), host: "desk".to_owned(), pid: 7 };
    let lock = LockFile::next(&holder, None, Timestamp::UNIX_EPOCH);
    let of_others = json!({"owner": "", "host": "h", "pid": 1, "heartbeat": "2026-01-01T00:00:00Z", "revision": 9, "x": [{}]});
    values(&[serde_json::to_value(lock).unwrap_or_default(), of_others])
}

/// The files of context stores.
pub fn contexts() -> Vec<Vec<u8>> {
    values(&[
        json!({"version": 1, "scope": "app", "entries": {"projectRules": "a\nb", "k": ""}}),
        json!({"version": 1, "scope": "app", "project_root": "/p", "entries": {}, "more": [1]}),
    ])
}
