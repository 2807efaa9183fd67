//! Antigravity's conversations. Logs and databases are made by hand, for nobody ran `agy` for them; what is counted of them
//! is counted a second time here.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::Value;
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{AgentHome, EntryKind, Listing, Place};
use tempfile::TempDir;

use super::*;

const WHOLE: &str = include_str!("files/antigravity/whole.jsonl");
const SHORT: &str = include_str!("files/antigravity/short.jsonl");
const ID: &str = "1ce50bef-fc2a-4039-8114-5aae518678e6";

fn log(name: &str) -> String {
    format!("brain/{ID}/.system_generated/logs/{name}.jsonl")
}

fn whole() -> Session {
    read(Agent::Antigravity, &log("transcript_full"), WHOLE)
}

/// The lines of a log.
fn records(of: &str) -> Vec<Value> {
    of.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn steps_are_read_in_their_order_with_results_at_their_calls() {
    let session = whole();
    let file = format!(
        "Path: `file:///home/kim/shop/cart.py`\nTotal Lines: 2\n1: def total(items):\n2:     return sum(items)\n{}end of cart.py",
        "# 설명 ".repeat(120)
    );
    let tests = format!("They pass: 4 of 4. {}", "Each amount is an integer of cents. ".repeat(20));
    let said: Vec<String> = vec![
        "장바구니 합계가 틀려요. 세금은 10%예요. 고쳐 주세요.".into(),
        "~합계와 테스트를 함께 봅니다. | →2/0 view_file | →2/1 run_command".into(),
        "←2/1 The command exited with code 1.\nOutput:\n1 failed, 3 passed (failed)".into(),
        format!("←2/0 File {file}"),
        "세금을 더하는 한 줄을 넣고 다시 돌려요. | →6/0 replace_file_content | →6/1 run_command"
            .into(),
        "←6/0 Edited the file.".into(),
        "←6/1 The command exited with code 0.\nOutput:\n4 passed".into(),
        "고쳤어요. 합계에 세금 10%를 더해요.".into(),
        "Use integers of cents, please, and <USER_REQUEST> stays a word.".into(),
        "All amounts are integers of cents now.".into(),
        "And the tests?".into(),
        "→15/0 run_command".into(),
        "←15/0 The user denied the command. (failed)".into(),
        tests,
    ];
    let path = session.path();
    let is_said = |at: &&usize| session.entries[**at].kind == EntryKind::Said;
    let told: Vec<String> =
        path.iter().filter(is_said).map(|at| words(&session.entries[*at].parts)).collect();
    assert_eq!(told, said);
    let folds = path.iter().filter(|at| matches!(session.entries[**at].kind, EntryKind::Fold(_)));
    assert_eq!(folds.map(|at| session.entries[*at].key.as_str()).collect::<Vec<_>>(), ["12"]);
    assert_eq!(session.unknown.keys().collect::<Vec<_>>(), ["DREAM"]);
    assert_eq!((session.unreadable, session.beside["CONVERSATION_HISTORY"]), (0, 1));
}

#[test]
fn what_was_taken_back_is_a_branch_and_the_counts_are_those_of_the_log() {
    let session = whole();
    let facts = session.facts(Agent::Antigravity);
    let all = records(WHOLE);
    let of = |kind: &str| all.iter().filter(|it| it["type"] == kind).count() as u64;
    let calls = all.iter().filter_map(|it| Some(it.get("tool_calls")?.as_array()?.len() as u64));
    assert_eq!(facts.turns, of("USER_INPUT"));
    assert_eq!(facts.calls, calls.sum::<u64>());
    assert_eq!((facts.folds, facts.branches, session.beside["rewind"]), (1, 2, 1));
    let gone = session.entries.iter().enumerate().filter(|(at, _)| !session.path().contains(at));
    let gone: Vec<String> = gone.map(|(_, it)| words(&it.parts)).collect();
    assert!(gone.iter().any(|it| it == "I would use Decimal."), "{gone:?}");
    assert_eq!(facts.models, ["Gemini 3.5 Flash (High)", "Claude Sonnet 4.6 (Thinking)"]);
    assert_eq!(facts.id, ID);
    // Without a database a command says where.
    assert_eq!(facts.folder.as_deref(), Some("/home/kim/shop"));
    assert_eq!(facts.started_at.unwrap().to_string(), all[0]["created_at"]);
}

#[test]
fn one_log_stands_for_both_and_has_what_only_the_other_has() {
    let beside = |path: &str, own: &str, (name, other): (&str, &str)| {
        read_beside(Agent::Antigravity, path, own, (&log(name), other.as_bytes()))
    };
    let both = beside(&log("transcript_full"), WHOLE, ("transcript", SHORT));
    assert_eq!(both, whole());
    // Of the other one nothing is told twice.
    let copy = beside(&log("transcript"), SHORT, ("transcript_full", WHOLE));
    assert_eq!((copy.id.as_str(), copy.entries.len()), (ID, 0));
    // It began late, and broke off.
    let lines: Vec<&str> = WHOLE.lines().collect();
    let late = lines[9..18].join("\n");
    let late = beside(&log("transcript_full"), &late, ("transcript", SHORT));
    let short = read(Agent::Antigravity, &log("transcript"), SHORT);
    let steps =
        |session: &Session| session.entries.iter().map(|it| it.key.clone()).collect::<Vec<_>>();
    assert_eq!(steps(&late), steps(&both));
    assert_eq!(steps(&short), steps(&both));
    // Alone its texts are short, and its arguments what they are.
    let text = |session: &Session| {
        session.entries.iter().map(|it| words(&it.parts)).collect::<Vec<_>>().join("\n")
    };
    assert!(text(&short).contains("<truncated") && !text(&both).contains("<truncated"));
    let arguments = |session: &Session| -> Vec<String> {
        let parts = session.entries.iter().flat_map(|it| &it.parts);
        let of = |part: &Part| match part {
            Part::ToolCall { arguments, .. } => Some(arguments.clone()),
            _ => None,
        };
        parts.filter_map(of).collect()
    };
    assert_eq!(arguments(&short), arguments(&both));
}

#[test]
fn lines_that_say_little_or_nothing_cost_only_themselves() {
    let path = log("transcript_full");
    for (at, line) in WHOLE.lines().enumerate() {
        let record: Value = serde_json::from_str(line).unwrap();
        for key in record.as_object().unwrap().keys() {
            for strange in [Value::Null, Value::from(7), Value::from("x"), serde_json::json!([{}])]
            {
                let mut changed = record.clone();
                changed[key] = strange;
                let mut lines: Vec<String> = WHOLE.lines().map(str::to_owned).collect();
                lines[at] = changed.to_string();
                let session = read(Agent::Antigravity, &path, lines.join("\n"));
                assert!(session.entries.len() >= whole().entries.len() - 8, "{at} {key}");
            }
        }
    }
}

#[test]
fn lines_wait_for_those_before_them_unless_they_are_long() {
    let said = |step: u64, text: String| {
        let line = serde_json::json!({ "step_index": step, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": text });
        format!("{line}\n")
    };
    for (length, order) in [(10, ["0", "1", "2"]), (1 << 20, ["0", "2", "1"])] {
        let lines = [said(0, "first".into()), said(2, "x".repeat(length)), said(1, "late".into())];
        let session = read(Agent::Antigravity, &log("transcript_full"), lines.concat());
        assert_eq!(session.entries.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), order);
    }
}

/// A message of protocol buffers.
fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    [variable(number << 3 | 2), variable(bytes.len() as u64), bytes.to_vec()].concat()
}

fn count(number: u64, value: u64) -> Vec<u8> {
    [variable(number << 3), variable(value)].concat()
}

fn variable(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

struct Home {
    home: TempDir,
    agents: Agents,
    at: AgentHome,
    writer: Connection,
}

/// Tokens of some steps: asked anew, found in the cache, answered.
const USED: [(u64, [u64; 3]); 3] =
    [(2, [1_200, 0, 90]), (6, [300, 1_500, 250]), (15, [40, 9_000, 12])];

impl Home {
    /// With an `agy` that runs, and has written what is still in its log.
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let at = home.path().join(".gemini/antigravity-cli");
        for (name, text) in [("transcript_full", WHOLE), ("transcript", SHORT)] {
            let path = at.join(log(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(at.join("conversations")).unwrap();
        fs::write(at.join("antigravity-oauth-token"), "secret").unwrap();
        let writer = Connection::open(at.join(format!("conversations/{ID}.db"))).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer
            .execute_batch(
                "CREATE TABLE steps (idx INTEGER PRIMARY KEY, step_type INTEGER, status INTEGER, metadata BLOB, step_payload BLOB);
                 CREATE TABLE trajectory_metadata_blob (id TEXT PRIMARY KEY, data BLOB);
                 CREATE TABLE gen_metadata (idx INTEGER PRIMARY KEY, data BLOB, size INTEGER);",
            )
            .unwrap();
        let folder = field(7, b"file:///home/kim/%EC%83%81%EC%A0%90");
        let about = "INSERT INTO trajectory_metadata_blob VALUES ('main', ?1)";
        writer.execute(about, [[count(3, 1), folder].concat()]).unwrap();
        let agents = Agents::below(home.path());
        let found = agents.homes().into_iter().find(|it| it.agent == Agent::Antigravity);
        let mut made = Self { at: found.unwrap(), agents, home, writer };
        USED.iter().for_each(|used| made.step(used));
        made
    }

    fn step(&mut self, (step, [input, cached, output]): &(u64, [u64; 3])) {
        let used = [count(2, *input), count(3, *output), count(5, *cached)].concat();
        let metadata = [field(1, &count(1, 1_790_000_000)), field(9, &used)].concat();
        let insert = "INSERT INTO steps VALUES (?1, 15, 3, ?2, ?3)";
        self.writer
            .execute(insert, rusqlite::params![*step as i64, metadata, b"\x01\xFF"])
            .unwrap();
    }

    fn list(&self) -> Listing {
        self.agents.files(&Place::all_of(self.at.clone()), &mut |_| true).unwrap()
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.agents.open(&self.at, path).unwrap().0.read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn table(&self, name: &str) -> String {
        format!("conversations/{ID}.db/{name}.jsonl")
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join(".gemini/antigravity-cli/conversations")
    }
}

#[test]
fn a_database_is_lines_of_its_tables_and_says_folder_and_tokens() {
    let mut home = Home::new();
    let names = |home: &Home| {
        let entries = fs::read_dir(home.folder()).unwrap();
        let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names(&home);
    let found = home.list();
    assert_eq!(found.skipped, Vec::<String>::new());
    let paths: Vec<&str> = found.files.iter().map(|it| it.path.as_str()).collect();
    let tables = ["about", "generations", "payloads", "steps"].map(|name| home.table(name));
    let logs = [log("transcript"), log("transcript_full")];
    assert_eq!(paths, [&logs[..], &tables[..]].concat());
    let path = log("transcript_full");
    let beside = home.agents.beside(Agent::Antigravity, &path);
    assert_eq!(beside, [&logs[0], &tables[0], &tables[3]].map(String::clone));
    let session = {
        let texts: Vec<Vec<u8>> = beside.iter().map(|path| home.bytes(path)).collect();
        let mut texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let mut given: Vec<Beside<'_>> = Vec::new();
        for (path, text) in beside.iter().zip(&mut texts) {
            given.push(Beside { path, bytes: text, until: u64::MAX });
        }
        let mut own = &home.bytes(&path)[..];
        home.agents.read(Agent::Antigravity, &path, &mut own, &mut given).unwrap()
    };
    assert_eq!(session.folder.as_deref(), Some("/home/kim/상점"));
    let sum = |of: fn(&[u64; 3]) -> u64| USED.iter().map(|(_, used)| of(used)).sum::<u64>();
    let usage = Usage {
        input_tokens: sum(|it| it[0] + it[1]),
        output_tokens: sum(|it| it[2]),
        cached_input_tokens: sum(|it| it[1]),
        cache_write_tokens: 0,
        exact: true,
    };
    assert_eq!(session.usage(), usage);
    assert_eq!(session.entries, whole().entries);
    // A step more is a line more, in each of its files.
    let steps = ["steps", "payloads"].map(|name| home.bytes(&home.table(name)));
    home.step(&(17, [1, 2, 3]));
    for (name, before) in ["steps", "payloads"].iter().zip(steps) {
        let now = home.bytes(&home.table(name));
        assert!(now.starts_with(&before) && now.len() > before.len(), "{name}");
    }
    assert!(home.list() != found, "it is seen that there is more");
    assert_eq!(names(&home), before, "nothing is made beside it");
}

#[test]
fn what_is_no_database_of_a_conversation_costs_only_itself() {
    let home = Home::new();
    fs::write(home.folder().join("broken.db"), "no database").unwrap();
    fs::write(home.folder().join("old.pb"), "encrypted").unwrap();
    let strange = Connection::open(home.folder().join("strange.db")).unwrap();
    strange
        .execute_batch(
            "CREATE TABLE secrets (key TEXT); INSERT INTO secrets VALUES ('k');
             CREATE VIEW steps AS SELECT key AS idx, 1 AS step_type, 1 AS status, key AS metadata FROM secrets;
             CREATE TABLE trajectory_metadata_blob (id TEXT, data); INSERT INTO trajectory_metadata_blob VALUES ('main', x'3AFF');",
        )
        .unwrap();
    let files = home.list().files;
    assert!(!files.iter().any(|it| it.path.contains("old.pb")));
    assert!(home.agents.open(&home.at, "conversations/broken.db/steps.jsonl").is_err());
    assert!(home.agents.open(&home.at, "conversations/strange.db/secrets.jsonl").is_err());
    assert_eq!(home.bytes("conversations/strange.db/steps.jsonl"), b"");
    let about = home.bytes("conversations/strange.db/about.jsonl");
    let own = "brain/strange/.system_generated/logs/transcript_full.jsonl";
    let session = read_beside(
        Agent::Antigravity,
        own,
        WHOLE,
        ("conversations/strange.db/about.jsonl", &about),
    );
    assert_eq!(session.folder.as_deref(), Some("/home/kim/shop"), "a command says it then");
}
