//! Cursor's sessions. The database is made by hand, for nobody ran Cursor for it; what is counted of it is counted a second
//! time here, in SQL.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};
use siltstone_engine::vault::{AgentHome, EntryKind, FileRole, Fold, Listing, Place, SessionFacts};
use tempfile::TempDir;

use super::*;

const ROWS: &str = include_str!("files/cursor.sql");

const USER: &str = if cfg!(windows) {
    "AppData/Roaming/Cursor/User"
} else if cfg!(target_os = "macos") {
    "Library/Application Support/Cursor/User"
} else {
    ".config/Cursor/User"
};

const SHOP: &str = "0a7d3c11-5b5e-4f0e-9d61-3f1f4b8c2a01";
const OLD: &str = "4d5b6a70-11aa-4c3c-8f21-2b7e9d0c1f04";
const BROKEN: &str = "70aa2b31-6c4d-4e8f-a1b2-c3d4e5f60707";

struct Home {
    home: TempDir,
    agents: Agents,
    at: AgentHome,
    writer: Connection,
}

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let user = home.path().join(USER);
        fs::create_dir_all(user.join("globalStorage")).unwrap();
        fs::create_dir_all(user.join("workspaceStorage/ws3")).unwrap();
        let told = "{\n  \"folder\": \"file:///home/kim/till\"\n}\n";
        fs::write(user.join("workspaceStorage/ws3/workspace.json"), told).unwrap();
        let writer = Connection::open(user.join("globalStorage/state.vscdb")).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer.execute_batch(ROWS).unwrap();
        let agents = Agents::below(home.path());
        let [at] = &agents.homes()[..] else { panic!("one home") };
        Self { at: at.clone(), agents, home, writer }
    }

    fn list(&self) -> Listing {
        self.agents.files(&Place::all_of(self.at.clone()), &mut |_| true).unwrap()
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        let (mut source, _) = self.agents.open(&self.at, path).unwrap();
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// All sessions by the id that the database has for each.
    fn sessions(&self) -> BTreeMap<String, Session> {
        let found = self.list();
        assert_eq!(found.skipped, Vec::<String>::new());
        let read = |file: &siltstone_engine::vault::SeenFile| {
            let (_, stamp) = self.agents.open(&self.at, &file.path).unwrap();
            assert_eq!(stamp, file.stamp, "{}", file.path);
            let bytes = self.bytes(&file.path);
            assert_eq!(bytes.len() as u64, stamp.bytes, "{}", file.path);
            let id = file.path.rsplit('/').next().unwrap().trim_end_matches(".jsonl");
            (id.to_owned(), read(Agent::Cursor, &file.path, bytes))
        };
        found.files.iter().map(read).collect()
    }

    fn count(&self, query: &str) -> u64 {
        let count = self.writer.query_row(query, [], |row| row.get::<_, i64>(0));
        count.unwrap().unsigned_abs()
    }
}

fn path_of(id: &str) -> String {
    format!("globalStorage/state.vscdb/{id}.jsonl")
}

/// Every message of a conversation that has a row of its own, but for the one that was written anew.
const BUBBLES: &str = "(WITH rows AS (SELECT key, CAST(value AS TEXT) AS told FROM cursorDiskKV), \
     chats AS (SELECT substr(key, 14) AS id, told FROM rows WHERE key LIKE 'composerData:%'), \
     good AS (SELECT * FROM chats WHERE json_valid(told)) \
     SELECT told FROM rows WHERE key LIKE 'bubbleId:%:a8' IS FALSE AND json_valid(told) \
        AND EXISTS (SELECT 1 FROM chats WHERE key LIKE 'bubbleId:' || id || ':%') \
     UNION ALL SELECT value FROM good, json_each(told, '$.conversation') \
     UNION ALL SELECT value FROM good, json_each(told, '$.conversationMap') WHERE json_type(value) = 'object')";

#[test]
fn what_is_read_of_the_editor_is_what_stands_in_its_database() {
    let home = Home::new();
    let sessions = home.sessions();
    let facts: Vec<SessionFacts> = sessions.values().map(|it| it.facts(Agent::Cursor)).collect();
    let sum = |of: &dyn Fn(&SessionFacts) -> u64| facts.iter().map(of).sum::<u64>();
    let of_bubbles =
        |sum: &str, which: &str| home.count(&format!("SELECT {sum} FROM {BUBBLES} WHERE {which}"));
    // Two are drafts.
    let chats = "SELECT COUNT(*) - 2 FROM cursorDiskKV WHERE key LIKE 'composerData:%'";
    assert_eq!(facts.len() as u64, home.count(chats));
    let typed = "told ->> '$.type' = 1 AND told ->> '$.text' <> ''";
    assert_eq!(sum(&|it| it.turns), of_bubbles("COUNT(*)", typed));
    let called = "told ->> '$.toolFormerData.toolCallId' IS NOT NULL";
    assert_eq!(sum(&|it| it.calls), of_bubbles("COUNT(*)", called));
    let input = of_bubbles("SUM(told ->> '$.tokenCount.inputTokens')", "1");
    let output = of_bubbles("SUM(told ->> '$.tokenCount.outputTokens')", "1");
    assert_eq!(
        (sum(&|it| it.usage.input_tokens), sum(&|it| it.usage.output_tokens)),
        (input, output)
    );
    assert_eq!((input, output), (1_200 + 2_300 + 310, 85 + 40 + 12));
    let unreadable: Vec<_> = facts.iter().filter(|it| it.unreadable > 0).map(|it| &it.id).collect();
    assert_eq!(unreadable, [SHOP, BROKEN]);
    assert!(facts.iter().all(|it| it.unreadable <= 2 && it.branches <= 2), "{facts:?}");
}

#[test]
fn a_conversation_of_the_editor_has_calls_thoughts_a_summary_and_what_it_names_no_more() {
    let home = Home::new();
    let sessions = home.sessions();
    let shop = &sessions[SHOP];
    assert_eq!(
        told(shop),
        [
            "src/total.js의 합계가 왜 틀렸는지 봐 주세요.",
            "~Read the file first.",
            "파일을 먼저 읽겠습니다.",
            "→call_1 read_file",
            "←call_1 {\"contents\":\"const items = [];\"}",
            "→call_2 run_terminal_cmd",
            "←call_2 {\"output\":\"1 failing\",\"exitCode\":1} (failed)",
            "The test fails on the second item.",
            "The sum of the basket is in src/total.js; 시험은 실패했다.",
            "Fix it, and keep the rounding.",
            "Fixed: it adds the second item, rounded as before.",
        ]
    );
    assert_eq!(
        (shop.title.as_str(), shop.folder.as_deref()),
        ("장바구니 합계", Some("/home/kim/shop"))
    );
    let carried = ["The test fails on the second item.".to_owned()].to_vec();
    let folds: Vec<&EntryKind> =
        shop.entries.iter().map(|it| &it.kind).filter(|it| **it != EntryKind::Said).collect();
    assert_eq!(folds, [&EntryKind::Fold(Fold { carried, ..Fold::default() })]);
    let dropped = siltstone_engine::vault::dropped(shop);
    let folded = dropped[0].entries.iter().map(|at| shop.entries[*at].text());
    assert!(folded.clone().any(|text| text == "파일을 먼저 읽겠습니다."));
    assert!(!folded.clone().any(|text| text == "The test fails on the second item."));
    let lost: Vec<String> = shop.leaves().into_iter().map(|at| shop.entries[at].text()).collect();
    assert!(lost.contains(&"Never mind.".to_owned()), "{lost:?}");
    let models: Vec<_> = shop.entries.iter().filter_map(|it| it.model.as_deref()).collect();
    assert_eq!(models, ["toy-1", "toy-1", "toy-1", "toy-1", "toy-1", "toy-2"]);
    assert_eq!(shop.unknown, BTreeMap::from([("bubble 7".to_owned(), 1)]));
    let beside = ["superseded bubble", "emptied bubble", "error"];
    assert!(beside.iter().all(|kind| shop.beside[*kind] == 1), "{:?}", shop.beside);

    assert_eq!(shop.beside["missing bubble"], 2, "one is not there, and one cannot be read");
    // Whose subagent one is says the other conversation, or it says so itself.
    for (id, first) in [
        ("task-7c1e", "Count the files."),
        ("3c9f2e50-8a44-4f52-b1de-90a7c6d5e403", "Where is the tax rate?"),
    ] {
        assert_eq!(sessions[id].parent.as_deref(), Some(SHOP), "{id}");
        assert_eq!(told(&sessions[id])[0], first);
    }
    assert_eq!(told(&sessions["task-7c1e"])[1..3], ["→call_3 tool 38", "←call_3  (failed)"]);
}

#[test]
fn forms_of_before_are_read_too() {
    let home = Home::new();
    let sessions = home.sessions();
    let old = &sessions[OLD];
    let error = "←call_4 {\"clientVisibleErrorMessage\":\"no such file\"} (failed)";
    assert_eq!(
        told(old),
        [
            "Old form?",
            "~It is old.",
            "let old = true;",
            "→call_4 edit_file",
            error,
            "예전 형식입니다."
        ]
    );
    assert_eq!((old.title.as_str(), old.folder.as_deref()), ("Old one", Some("/home/kim/가게")));
    let facts = old.facts(Agent::Cursor);
    let times = [facts.started_at, facts.ended_at].map(|at| at.unwrap().as_millisecond());
    assert_eq!(times, [1_735_000_000_000, 1_735_000_600_000], "the conversation's own");
    let map = &sessions["81bb3c42-7d5e-4f90-b2c3-d4e5f6071808"];
    assert_eq!(told(map), ["Where from?", "From a map."], "in the order of the list");
    let broken = &sessions[BROKEN];
    assert_eq!(told(broken), ["Still here?", "Still here."]);
    assert_eq!(broken.folder.as_deref(), Some("/home/kim/till"), "as its window says");
}

#[test]
fn every_change_of_a_row_gives_a_conversation_another_stamp() {
    let home = Home::new();
    let mut before = home.list();
    let changes = [
        // As long as before.
        "INSERT INTO cursorDiskKV SELECT key, replace(CAST(value AS TEXT), 'rounded', 'ROUNDED') \
         FROM cursorDiskKV WHERE key LIKE '%:a9'",
        "INSERT INTO cursorDiskKV SELECT key, CAST(value AS TEXT) FROM cursorDiskKV WHERE key LIKE 'composerData:0a%'",
        "DELETE FROM cursorDiskKV WHERE key LIKE '%:a10'",
        "UPDATE composerHeaders SET value = replace(value, '/home/kim/shop', '/home/kim/shops') WHERE workspaceId = 'ws1'",
    ];
    for change in changes {
        assert!(home.writer.execute(change, []).unwrap() == 1, "{change}");
        let after = home.list();
        let other: Vec<_> = after.files.iter().filter(|it| !before.files.contains(it)).collect();
        assert_eq!(other.len(), 1, "{change}");
        assert_eq!(other[0].path, path_of(SHOP));
        before = after;
    }
    let shop = &home.sessions()[SHOP];
    assert!(told(shop).last().unwrap().contains("ROUNDED"));
    assert_eq!(shop.folder.as_deref(), Some("/home/kim/shops"));
    home.writer.execute("DELETE FROM cursorDiskKV WHERE key LIKE 'composerData:0a%'", []).unwrap();
    assert!(!home.list().files.iter().any(|file| file.path == path_of(SHOP)));
    assert!(home.agents.open(&home.at, &path_of(SHOP)).is_err());
}

#[test]
fn it_is_the_same_in_a_database_without_a_log_and_in_one_that_was_closed() {
    let mut home = Home::new();
    let told_of = |home: &Home| home.sessions().values().map(told).collect::<Vec<_>>();
    let running = told_of(&home);
    home.writer.pragma_update(None, "journal_mode", "DELETE").unwrap();
    assert_eq!(told_of(&home), running);
    let folder = home.home.path().join(USER).join("globalStorage");
    let nobody = Connection::open_in_memory().unwrap();
    std::mem::replace(&mut home.writer, nobody).close().unwrap();
    assert_eq!(told_of(&home), running);
    let names = fs::read_dir(&folder).unwrap().count();
    assert_eq!(names, 1, "nothing is made beside it");
}

#[test]
fn what_pretends_to_be_a_database_of_the_editor_is_left_out_by_name() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join(USER).join("globalStorage/state.vscdb");
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    let agents = Agents::below(home.path());
    let at = agents.homes().remove(0);
    let list = || agents.files(&Place::all_of(at.clone()), &mut |_| true).unwrap();
    assert_eq!(list(), Listing::default());
    // A view may take for ever to say what it holds.
    let endless = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) \
                   SELECT 'composerData:' || id AS key, '{}' AS value FROM n";
    for made in [
        "no database at all".to_owned(),
        "CREATE TABLE other (a)".to_owned(),
        format!("CREATE VIEW cursorDiskKV AS {endless}"),
        "CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value) WITHOUT ROWID".to_owned(),
    ] {
        _ = fs::remove_file(&state);
        match made.starts_with("CREATE") {
            true => Connection::open(&state).unwrap().execute_batch(&made).unwrap(),
            false => fs::write(&state, &made).unwrap(),
        }
        let found = list();
        assert_eq!(
            (found.files.len(), found.skipped),
            (0, vec!["globalStorage/state.vscdb".to_owned()]),
            "{made}"
        );
    }
    _ = fs::remove_file(&state);
    // The index is beside the conversations: where it is a view, they are read without it.
    let db = Connection::open(&state).unwrap();
    db.execute_batch(&format!(
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB); CREATE VIEW composerHeaders AS {endless}; \
         CREATE VIEW ItemTable AS {endless};"
    ))
    .unwrap();
    let put = |key: &str, value: &str| {
        db.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", (key, value)).unwrap();
    };
    put(
        "composerData:a",
        "{\"fullConversationHeadersOnly\":[{\"bubbleId\":\"x\"},{\"bubbleId\":\"x\"},7,{}]}",
    );
    put("bubbleId:a:x", "{\"type\":1,\"text\":\"Once\"}");
    put("composerData:../../b", "{}");
    put("bubbleId:../../b:x", "{\"type\":1,\"text\":\"Nowhere\"}");
    put("composerData:task-a", "{\"subagentComposerIds\":[\"task-b\",\"task-a\",7]}");
    put("composerData:task-b", "{\"subagentComposerIds\":[\"task-a\"]}");
    put("bubbleId:task-a:x", "{\"type\":1,\"text\":\"In a\\ncircle\"}");
    put(
        "bubbleId:task-b:x",
        "{\n\"type\":1,\"text\":\"In a circle\"}\n{\"row\":\"parent\",\"id\":\"q\"}",
    );
    db.execute_batch(
        "INSERT INTO cursorDiskKV VALUES ('bubbleId:task-a:y', 7), ('bubbleId:task-a:z', x'ff00')",
    )
    .unwrap();
    let found = list();
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a", "task-a", "task-b"].map(path_of));
    for (file, (said, unreadable)) in found.files.iter().zip([(1, 0), (1, 1), (0, 1)]) {
        let (mut bytes, stamp) = agents.open(&at, &file.path).unwrap();
        assert_eq!(stamp, file.stamp);
        let session = agents.read(Agent::Cursor, &file.path, &mut *bytes, &mut []).unwrap();
        assert_eq!((session.entries.len(), session.unreadable), (said, unreadable), "{session:?}");
        assert_ne!(session.parent.as_deref(), Some("q"));
    }
    for path in ["none", "../a", "a/b", ""] {
        assert!(agents.open(&at, &path_of(path)).is_err(), "{path}");
    }
}

#[test]
fn messages_of_wrong_types_are_counted_and_what_stands_around_them_is_read() {
    let home = Home::new();
    let text = String::from_utf8(home.bytes(&path_of(SHOP))).unwrap();
    let path = path_of(SHOP);
    let (mut tried, mut unreadable) = (0, 0);
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        for changed in hostile::wrong(&line) {
            let session = read(Agent::Cursor, &path, format!("{changed}\n{text}"));
            assert!(session.entries.len() >= 8, "{changed}");
            (tried, unreadable) = (tried + 1, unreadable + session.unreadable);
        }
    }
    assert!(tried > 1_000 && unreadable > tried, "{tried}, {unreadable}");
    let of = |rows: &[Value]| -> Session {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        read(Agent::Cursor, &path, text)
    };
    let bubble = |id: &str, data: Value| json!({"row": "bubble", "id": id, "data": data});
    // A summary that every message carries is one, and one that stands nowhere is said.
    let summary = json!({"summary": "So far.", "truncationLastBubbleIdInclusive": "x"}).to_string();
    let said = json!({"type": 1, "text": "Go on", "conversationSummary": summary});
    let folded = of(&[bubble("x", said.clone()), bubble("y", said)]);
    assert_eq!(folded.facts(Agent::Cursor).folds, 1);
    let nowhere = json!({"latestConversationSummary": {"summary": "x", "lastBubbleId": "z"}});
    let nowhere = of(&[json!({"row": "composer", "id": "c", "data": nowhere})]);
    assert_eq!(nowhere.beside["summary without a place"], 1);
}

/// A store as the command line keeps one, with these messages in the order of its root, and these beside it.
fn store(home: &TempDir, id: &str, messages: &[Value], others: &[Value]) -> Connection {
    let folder = home.path().join(".cursor/chats/0123456789abcdef0123456789abcdef").join(id);
    fs::create_dir_all(&folder).unwrap();
    let about = json!({"schemaVersion": 1, "cwd": "/home/kim/shop", "title": "Tax", "createdAtMs": 1_795_800_000_000_u64,
        "updatedAtMs": 1_795_800_060_000_u64, "hasConversation": true});
    fs::write(folder.join("meta.json"), about.to_string()).unwrap();
    let db = Connection::open(folder.join("store.db")).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.execute_batch("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        .unwrap();
    let put = |data: &[u8]| {
        let id = blake3::hash(data);
        db.execute("INSERT INTO blobs VALUES (?1, ?2)", (id.to_hex().as_str(), data)).unwrap();
        id
    };
    // A number of another field first, then a name each, then a text.
    let mut root = vec![0x10, 0x96, 0x01];
    others.iter().for_each(|message| _ = put(message.to_string().as_bytes()));
    for message in messages {
        root.extend([0x0a, 32]);
        root.extend(put(message.to_string().as_bytes()).as_bytes());
    }
    root.extend(b"\x4a\x05/home");
    let root = put(&root).to_hex().to_string();
    let meta = json!({"agentId": id, "latestRootBlobId": root, "name": "New Agent", "mode": "default",
        "createdAt": 1_795_800_000_000_u64, "lastUsedModel": "toy-1"});
    let meta: String = meta.to_string().bytes().map(|byte| format!("{byte:02x}")).collect();
    db.execute("INSERT INTO meta VALUES ('0', ?1)", [meta]).unwrap();
    db
}

fn messages() -> Vec<Value> {
    let around = "<user_info>\nOS Version: linux\nWorkspace Path: /home/kim/shop\n</user_info>";
    vec![
        json!({"role": "system", "content": "You are an agent."}),
        json!({"role": "user", "content": around}),
        json!({"role": "user", "content": [{"type": "text", "text": "<user_query>\n세율은 어디에 있나요?\n</user_query>"}]}),
        json!({"role": "assistant", "id": "1", "content": [
            {"type": "reasoning", "text": "Look for it.", "signature": "x"},
            {"type": "tool-call", "toolCallId": "call_1", "toolName": "Grep", "args": {"pattern": "tax"}},
        ], "providerOptions": {"cursor": {"modelName": "toy-2"}}}),
        json!({"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "call_1", "toolName": "Grep", "result": "src/tax.js:1"}]}),
        json!({"role": "assistant", "id": "1", "content": [{"type": "text", "text": "In src/tax.js."}]}),
    ]
}

#[test]
fn a_store_of_the_command_line_is_a_session_in_the_order_of_its_root() {
    let home = tempfile::tempdir().unwrap();
    let id = "f1ff7b74-0a28-4dd4-a452-e01ae080eb20";
    let before = json!({"role": "user", "content": "Before a compaction."});
    let db = store(&home, id, &messages(), &[before]);
    let projects = home.path().join(".cursor/projects/home-kim-shop/agent-transcripts");
    let line = |role: &str, text: &str| {
        json!({"role": role, "message": {"content": [{"type": "text", "text": text}]}}).to_string()
    };
    let write = |path: &str, lines: &[String]| {
        let path = projects.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, lines.join("\n")).unwrap();
    };
    write(&format!("{id}/{id}.jsonl"), &[line("user", "A copy of the store")]);
    let call = json!({"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read", "input": {"path": "a.js"}}]}});
    let ended = json!({"type": "turn_ended", "status": "success"}).to_string();
    write(
        "c0/c0.jsonl",
        &[line("user", "<user_query>\nAlone\n</user_query>"), call.to_string(), ended],
    );
    write("c0/subagents/c1.jsonl", &[line("user", "Look"), line("assistant", "Looked")]);
    let agents = Agents::below(home.path());
    let at = agents.homes().remove(0);
    let found = agents.files(&Place::all_of(at.clone()), &mut |_| true).unwrap();
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    let of_store = format!("chats/0123456789abcdef0123456789abcdef/{id}/store.db/{id}.jsonl");
    let alone = "projects/home-kim-shop/agent-transcripts/c0/c0.jsonl";
    let child = "projects/home-kim-shop/agent-transcripts/c0/subagents/c1.jsonl";
    assert_eq!(paths, [of_store.as_str(), alone, child]);
    assert_eq!(agents.role(Agent::Cursor, child), (FileRole::Child, Some("c0".to_owned())));
    let read = |path: &str| {
        let (mut bytes, stamp) = agents.open(&at, path).unwrap();
        assert!(found.files.iter().any(|it| it.path == path && it.stamp == stamp), "{path}");
        agents.read(Agent::Cursor, path, &mut *bytes, &mut []).unwrap()
    };
    let session = read(&of_store);
    assert_eq!(
        told(&session)[1..],
        [
            "세율은 어디에 있나요?",
            "~Look for it. | →call_1 Grep",
            "←call_1 src/tax.js:1",
            "In src/tax.js."
        ]
    );
    let facts = session.facts(Agent::Cursor);
    assert_eq!((facts.title.as_str(), facts.folder.as_deref()), ("Tax", Some("/home/kim/shop")));
    assert_eq!(
        (facts.turns, facts.calls, facts.models),
        (1, 1, vec!["toy-2".to_owned(), "toy-1".to_owned()])
    );
    assert_eq!((facts.unreadable, facts.unknown), (0, BTreeMap::new()));
    assert_eq!(
        session.beside["older state"], 2,
        "the root, and what was before it: {:?}",
        session.beside
    );
    assert_eq!(facts.ended_at.unwrap().as_millisecond(), 1_795_800_060_000);
    assert_eq!(told(&read(alone)), ["Alone", "→ Read"]);
    assert_eq!(
        (told(&read(child)), read(child).parent),
        (vec!["Look".to_owned(), "Looked".to_owned()], Some("c0".to_owned()))
    );

    // Roots that name themselves and each other, again and again.
    let hash = |id: &[u8]| blake3::hash(id);
    let mut root = Vec::new();
    for _ in 0..1_000 {
        for other in [b"a", b"b", b"c"] {
            root.extend([0x0a, 32]);
            root.extend(hash(other).as_bytes());
        }
    }
    for id in [b"a", b"b"] {
        db.execute("INSERT INTO blobs VALUES (?1, ?2)", (hash(id).to_hex().as_str(), &root))
            .unwrap();
    }
    let meta = json!({"latestRootBlobId": hash(b"a").to_hex().as_str()}).to_string();
    db.execute("UPDATE meta SET value = ?1", [&meta]).unwrap();
    let (mut bytes, _) = agents.open(&at, &of_store).unwrap();
    let session = agents.read(Agent::Cursor, &of_store, &mut *bytes, &mut []).unwrap();
    assert_eq!((session.title.as_str(), session.unreadable), ("Tax", 0));
    db.execute_batch("DROP TABLE blobs; CREATE VIEW blobs AS SELECT '' AS id, zeroblob(1) AS data")
        .unwrap();
    assert!(agents.open(&at, &of_store).is_err(), "a view is no table");
}

#[test]
fn homes_of_the_editor_and_of_the_command_line_are_one_agents() {
    let home = Home::new();
    fs::create_dir_all(home.home.path().join(".cursor/chats")).unwrap();
    let homes = home.agents.homes();
    assert!(homes.iter().all(|home| home.agent == Agent::Cursor));
    let roots: Vec<PathBuf> = homes.iter().map(|home| PathBuf::from(&home.root)).collect();
    let real = home.home.path().canonicalize().unwrap();
    assert_eq!(roots, [real.join(USER), real.join(".cursor")]);
}
