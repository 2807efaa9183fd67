//! Sessions that are rows of a database: opencode's. What is counted of them is counted a second time here, in SQL.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use siltstone_engine::vault::{AgentHome, EntryKind, Listing, Place, Stamp};
use tempfile::TempDir;

use super::*;

const ROWS: &str = include_str!("files/opencode.sql");

struct Home {
    home: TempDir,
    agents: Agents,
    at: AgentHome,
    writer: Connection,
}

impl Home {
    /// With an opencode that runs, and has written what is still in its log.
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".local/share/opencode");
        fs::create_dir_all(&folder).unwrap();
        let writer = Connection::open(folder.join("opencode.db")).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer.execute_batch(ROWS).unwrap();
        let agents = Agents::below(home.path());
        let [at] = &agents.homes()[..] else { panic!("one home") };
        Self { at: at.clone(), agents, home, writer }
    }

    fn folder(&self) -> std::path::PathBuf {
        self.home.path().join(".local/share/opencode")
    }

    fn list(&self) -> Listing {
        self.agents.files(&Place::all_of(self.at.clone()), &mut |_| true).unwrap()
    }

    /// All sessions, and what stood in the folder before and after they were read.
    fn sessions(&self) -> Vec<Session> {
        let before = names(&self.folder());
        let read = |path: &str, stamp: Stamp| {
            let (mut source, read) = self.agents.open(&self.at, path).unwrap();
            assert_eq!(read, stamp, "{path}");
            let mut bytes = Vec::new();
            source.read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes.len() as u64, read.bytes, "{path}");
            super::read(Agent::Opencode, path, bytes)
        };
        let found = self.list();
        assert_eq!(found.skipped, Vec::<String>::new());
        let all = found.files.iter().map(|file| read(&file.path, file.stamp)).collect();
        assert_eq!(names(&self.folder()), before, "nothing is made beside it");
        all
    }

    fn count(&self, query: &str) -> u64 {
        let count = self.writer.query_row(query, [], |row| row.get::<_, i64>(0));
        count.unwrap().unsigned_abs()
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let names = fs::read_dir(folder).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn titled<'s>(sessions: &'s [Session], title: &str) -> &'s Session {
    sessions.iter().find(|it| it.title == title).unwrap()
}

#[test]
fn what_is_read_of_a_database_is_what_stands_in_it() {
    let home = Home::new();
    let sessions = home.sessions();
    let facts: Vec<_> = sessions.iter().map(|it| it.facts(Agent::Opencode)).collect();
    let sum = |of: &dyn Fn(&siltstone_engine::vault::SessionFacts) -> u64| {
        facts.iter().map(of).sum::<u64>()
    };
    assert_eq!(facts.len() as u64, home.count("SELECT COUNT(*) FROM session"));
    let typed = "SELECT COUNT(DISTINCT message_id) FROM part p JOIN message m ON m.id = p.message_id \
                 WHERE m.data ->> '$.role' = 'user' AND p.data ->> '$.type' = 'text' \
                 AND p.data ->> '$.text' <> '' AND p.data ->> '$.synthetic' IS NULL";
    let newer = "SELECT COUNT(*) FROM session_message WHERE type = 'user'";
    assert_eq!(sum(&|it| it.turns), home.count(typed) + home.count(newer));
    let called = "SELECT COUNT(*) FROM part WHERE data ->> '$.type' = 'tool'";
    let newer = "SELECT COUNT(*) FROM session_message s, json_each(s.data, '$.content') c \
                 WHERE c.value ->> '$.type' = 'tool'";
    assert_eq!(sum(&|it| it.calls), home.count(called) + home.count(newer));
    let told = |of: &str| {
        let all = "(SELECT data FROM message UNION ALL SELECT data FROM session_message)";
        home.count(&format!(
            "SELECT SUM({of}) FROM {all} WHERE data ->> '$.tokens.input' IS NOT NULL"
        ))
    };
    let input = "(data ->> '$.tokens.input') + (data ->> '$.tokens.cache.read') \
                 + (data ->> '$.tokens.cache.write')";
    assert_eq!(sum(&|it| it.usage.input_tokens), told(input));
    let output = "(data ->> '$.tokens.output') + (data ->> '$.tokens.reasoning')";
    assert_eq!(sum(&|it| it.usage.output_tokens), told(output));
    assert_eq!(sum(&|it| it.usage.cached_input_tokens), told("data ->> '$.tokens.cache.read'"));
    assert!(facts.iter().all(|it| it.unknown.is_empty() && it.unreadable == 0), "{facts:?}");
    assert!(facts.iter().all(|it| it.folder.as_deref() == Some("/home/kim/shop")));
    assert!(sessions.iter().any(|it| it.title == "Read by path"), "its own title says nothing");
}

#[test]
fn compactions_subagents_and_what_was_taken_back_are_seen() {
    let sessions = Home::new().sessions();
    let root = titled(&sessions, "Basket total in the shop");
    let child = titled(&sessions, "Count the files (@general subagent)");
    assert_eq!(child.parent.as_ref(), Some(&root.id));

    let folds = |session: &Session| -> Vec<_> {
        let fold = |entry: &siltstone_engine::vault::Entry| match &entry.kind {
            EntryKind::Fold(fold) => Some((fold.automatic, fold.before.is_some(), entry.text())),
            EntryKind::Said | EntryKind::Context => None,
        };
        session.entries.iter().filter_map(fold).collect()
    };
    let all: Vec<_> = sessions.iter().flat_map(folds).collect();
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all.iter().all(|(_, before, text)| *before && !text.is_empty()), "{all:?}");
    let by_itself: BTreeSet<_> = all.iter().map(|(automatic, ..)| *automatic).collect();
    assert_eq!(by_itself, BTreeSet::from([Some(false), Some(true)]));

    let forked = titled(&sessions, "Basket total in the shop (fork #1)");
    let path = forked.path();
    assert!(!path.is_empty() && path.len() < forked.entries.len(), "what was taken back is aside");
    let begin = |session: &Session| told(session)[..3].to_vec();
    assert_eq!(begin(forked), begin(root));

    let killed = titled(&sessions, "Killed");
    let parts = || killed.entries.iter().flat_map(|entry| &entry.parts);
    assert!(parts().any(|part| matches!(part, Part::ToolCall { .. })));
    assert!(!parts().any(|part| matches!(part, Part::ToolResult { .. })), "it was never answered");
}

#[test]
fn it_is_the_same_while_the_agent_runs_after_it_ended_and_after_it_was_killed() {
    let mut home = Home::new();
    let log = home.folder().join("opencode.db-wal");
    assert!(fs::metadata(&log).unwrap().len() > 0);
    let running = home.sessions();
    let told_of = |sessions: &[Session]| sessions.iter().map(told).collect::<Vec<_>>();

    // As a killed one leaves it: the log, and its index, and nobody.
    let killed = tempfile::tempdir().unwrap();
    let folder = killed.path().join(".local/share/opencode");
    fs::create_dir_all(&folder).unwrap();
    for name in ["opencode.db", "opencode.db-wal", "opencode.db-shm"] {
        fs::copy(home.folder().join(name), folder.join(name)).unwrap();
    }
    let before = fs::read(folder.join("opencode.db-shm")).unwrap();
    let agents = Agents::below(killed.path());
    let at = agents.homes().remove(0);
    let of_killed =
        Home { agents, at, home: killed, writer: Connection::open_in_memory().unwrap() };
    assert_eq!(told_of(&of_killed.sessions()), told_of(&running));
    assert_eq!(fs::read(folder.join("opencode.db-shm")).unwrap(), before, "it is only read");
    // Without the index the log cannot be read, and nothing is made to read it: that is said.
    fs::remove_file(folder.join("opencode.db-shm")).unwrap();
    assert_eq!(of_killed.list().skipped, ["opencode.db"]);
    assert!(!folder.join("opencode.db-shm").exists());

    // Ended as it should: everything is in the file itself.
    let nobody = Connection::open_in_memory().unwrap();
    std::mem::replace(&mut home.writer, nobody).close().unwrap();
    assert!(!log.exists());
    assert_eq!(told_of(&home.sessions()), told_of(&running));
}

#[test]
fn what_was_written_since_gives_a_session_another_stamp() {
    let home = Home::new();
    let before = home.list();
    home.writer
        .execute_batch(
            "INSERT INTO message VALUES ('msg_z', 'ses_de2585c2fffeDm0RjRrvbyXqMl', 1795793900000, \
             1795793900000, '{\"role\":\"user\"}'); \
             INSERT INTO part VALUES ('prt_z', 'msg_z', 'ses_de2585c2fffeDm0RjRrvbyXqMl', 1795793900000, \
             1795793900000, '{\"type\":\"text\",\"text\":\"계속해 주세요.\"}');",
        )
        .unwrap();
    let after = home.list();
    let other: Vec<_> = after.files.iter().filter(|file| !before.files.contains(file)).collect();
    let [file] = other[..] else { panic!("one session: {other:?}") };
    let (mut bytes, _) = home.agents.open(&home.at, &file.path).unwrap();
    let session = home.agents.read(Agent::Opencode, &file.path, &mut *bytes, &mut []).unwrap();
    assert_eq!(told(&session).last().unwrap(), "계속해 주세요.");
}

#[test]
fn what_is_no_database_of_sessions_is_left_out_by_name() {
    let home = Home::new();
    fs::write(home.folder().join("opencode-broken.db"), "no database at all").unwrap();
    fs::write(home.folder().join("auth.json"), "secret").unwrap();
    Connection::open(home.folder().join("opencode-empty.db"))
        .unwrap()
        .execute_batch("CREATE TABLE other (a)")
        .unwrap();
    let found = home.list();
    let skipped: BTreeSet<&str> = found.skipped.iter().map(String::as_str).collect();
    assert_eq!(skipped, BTreeSet::from(["opencode-broken.db", "opencode-empty.db"]));
    assert!(found.files.iter().all(|file| file.path.starts_with("opencode.db/")));
    // A view may take for ever to say what it holds.
    Connection::open(home.folder().join("opencode-view.db"))
        .unwrap()
        .execute_batch(
            "CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) \
             SELECT id, NULL parent_id, '/' directory, '' title, '' version, NULL revert, \
             1 time_created, 1 time_updated FROM n",
        )
        .unwrap();
    assert!(home.list().skipped.contains(&"opencode-view.db".to_owned()));
    for path in ["opencode.db/none.jsonl", "opencode.db", "../x.db/a.jsonl", "auth.json/a.jsonl"] {
        assert!(home.agents.open(&home.at, path).is_err(), "{path}");
    }
}

#[test]
fn rows_of_any_kind_are_counted_and_break_nothing() {
    let home = Home::new();
    let odd = [
        "null",
        "7",
        "[]",
        "{}",
        "\"\"",
        "{",
        "{\"role\":7}",
        "{\"type\":[]}",
        "{\"type\":\"new\"}",
    ];
    for (at, data) in (0_i64..).zip(odd) {
        let session = "ses_de2585c2fffeDm0RjRrvbyXqMl";
        let put = |row: &str| home.writer.execute(row, (at, session, data)).unwrap();
        put("INSERT INTO message VALUES ('msg_o' || ?1, ?2, 1795793900000, 1795793900000, ?3)");
        put(
            "INSERT INTO part VALUES ('prt_o' || ?1, 'msg_o' || ?1, ?2, 1795793900000, 1795793900000, ?3)",
        );
        put(
            "INSERT INTO part VALUES ('prt_p' || ?1, (SELECT MAX(id) FROM message WHERE session_id = ?2 \
             AND data LIKE '%assistant%'), ?2, 1795793900000, 1795793900000, ?3)",
        );
        put("INSERT INTO session_message VALUES ('ent_o' || ?1, ?2, 'assistant', ?1, 1, 1, ?3)");
    }
    let sessions = home.sessions();
    let killed = titled(&sessions, "Killed");
    assert!(killed.unreadable > 10, "{}", killed.unreadable);
    assert_eq!(killed.unknown["part new"], 1);
    assert!(told(killed)[0].contains("Sleep"), "{:?}", told(killed));

    // A column that is no text is one row that cannot be read.
    home.writer.execute_batch("UPDATE part SET data = x'ff00' WHERE id = 'prt_p0'").unwrap();
    let again = home.sessions();
    assert_eq!(told(titled(&again, "Killed")), told(killed));
}
