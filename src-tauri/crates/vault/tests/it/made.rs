//! Sessions that the agents themselves wrote, at the version that `said.json` names, held against what was said in them as
//! whoever had them made put it down: `make agents` makes both anew.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{
    Agent, AgentHome, AgentSessions, Beside, EntryKind, FileRole, Place, Session,
};
use siltstone_vault::Agents;

use super::words;

/// What was said, in one agent.
#[derive(Deserialize)]
struct Made {
    version: String,
    made: String,
    sessions: Vec<Said>,
}

/// What was said in one session.
#[derive(Deserialize)]
struct Said {
    /// That of a subagent is not known before it is read.
    id: Option<String>,
    /// The session that began it.
    parent: Option<String>,
    /// The session whose first turns it has, too.
    from: Option<String>,
    turns: Vec<Turn>,
    /// Turns that were taken back, each branch from where it left.
    #[serde(default)]
    branches: Vec<Vec<Turn>>,
    folds: usize,
    /// What summaries took.
    #[serde(default)]
    folding: Vec<Tokens>,
}

#[derive(Deserialize)]
struct Turn {
    said: String,
    replies: Vec<Reply>,
}

#[derive(Deserialize)]
struct Reply {
    text: String,
    /// The tools that were called.
    calls: Vec<String>,
    tokens: Tokens,
}

#[derive(Clone, Copy, Deserialize)]
struct Tokens {
    asked: u64,
    answered: u64,
}

/// A session that was read, and the file that it stands in.
struct Found {
    path: String,
    session: Session,
}

fn made(agent: Agent) -> (Made, Vec<Found>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/files/made").join(agent.name());
    let said = fs::read_to_string(root.join("said.json")).expect("what was said");
    let said: Made = serde_json::from_str(&said).expect("what was said");
    let database = tempfile::tempdir().expect("a folder");
    let root = match fs::read_to_string(root.join("opencode.sql")) {
        Ok(rows) => {
            let of = rusqlite::Connection::open(database.path().join("opencode.db"));
            of.expect("a database").execute_batch(&rows).expect("rows");
            database.path().to_owned()
        }
        Err(_) => root,
    };
    // Whoever reads the log of the tests sees how old what they hold is.
    println!("{} {}, made on {}", agent.name(), said.version, said.made);
    (said, found(agent, &root))
}

fn found(agent: Agent, root: &Path) -> Vec<Found> {
    let agents = Agents::below("/nowhere".as_ref());
    let home = AgentHome { agent, root: root.display().to_string() };
    let files = agents.files(&Place::all_of(home.clone()), &mut |_| true).expect("files").files;
    let paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
    let read = |path: &String| {
        let role = agents.role(agent, path).0;
        let session = read(&agents, &home, path, &paths);
        matches!(role, FileRole::Session | FileRole::Child)
            .then(|| Found { path: path.clone(), session })
    };
    paths.iter().filter_map(read).collect()
}

/// A session with those that it goes on from, and what stands beside it.
fn read(agents: &Agents, home: &AgentHome, path: &str, paths: &[String]) -> Session {
    let open = |path: &str| agents.open(home, path).expect("a file").0;
    let mut before = Vec::new();
    let mut now = path;
    while let Some(on) = agents.goes_on(home.agent, now, &mut *open(now)).expect("its first line") {
        let ends = format!("{}.jsonl", on.name);
        now = paths.iter().find(|path| path.ends_with(&ends)).expect("the file before");
        before.insert(0, (now, open(now), on.until));
    }
    for it in agents.beside(home.agent, path) {
        before.extend(paths.iter().find(|path| **path == it).map(|it| (&**it, open(it), u64::MAX)));
    }
    let before = before.iter_mut();
    let mut before: Vec<Beside<'_>> =
        before.map(|(path, bytes, until)| Beside { path, bytes, until: *until }).collect();
    agents.read(home.agent, path, &mut *open(path), &mut before).expect("a session")
}

fn asked(session: &Session, path: &[usize]) -> Vec<String> {
    let entries = path.iter().map(|at| &session.entries[*at]);
    let own = entries.filter(|it| it.role == Role::User && it.kind == EntryKind::Said);
    own.map(|it| words(&it.parts)).collect()
}

/// What the model said and called, reply by reply.
fn answered(session: &Session, path: &[usize]) -> (Vec<String>, Vec<String>) {
    let entries = path.iter().map(|at| &session.entries[*at]);
    let replies = entries.filter(|it| it.role == Role::Assistant && it.kind == EntryKind::Said);
    let parts: Vec<&Part> = replies.flat_map(|it| &it.parts).collect();
    let said = parts.iter().filter_map(|part| match part {
        Part::Text { text } if !text.is_empty() => Some(text.clone()),
        _ => None,
    });
    let calls = parts.iter().filter_map(|part| match part {
        Part::ToolCall { name, .. } => Some(name.clone()),
        _ => None,
    });
    (said.collect(), calls.collect())
}

fn sum<'t>(turns: impl Iterator<Item = &'t Turn>) -> (u64, u64) {
    let replies = turns.flat_map(|turn| &turn.replies);
    replies.fold((0, 0), |(asked, answered), it| {
        (asked + it.tokens.asked, answered + it.tokens.answered)
    })
}

fn holds(agent: Agent, counts_folds: bool) {
    let (made, found) = made(agent);
    for said in &made.sessions {
        let is_it = |it: &&Found| match (&said.id, &said.parent) {
            (Some(id), _) => it.session.id == *id && it.session.parent.is_none(),
            (None, parent) => it.session.parent == *parent,
        };
        let latest = found.iter().filter(is_it).max_by_key(|it| it.session.facts(agent).ended_at);
        let Found { path, session, .. } = latest.expect("a session of this id");
        let facts = session.facts(agent);
        assert_eq!(facts.unknown, Default::default(), "{path}");
        assert_eq!((facts.unreadable, session.is_cut), (0, false), "{path}");
        assert_eq!(facts.folder.as_deref(), Some("/home/kim/shop"), "{path}");

        let live = session.path();
        let expected: Vec<&String> = said.turns.iter().map(|turn| &turn.said).collect();
        assert_eq!(asked(session, &live).iter().collect::<Vec<_>>(), expected, "{path}");
        let replies = || said.turns.iter().flat_map(|turn| &turn.replies);
        let (texts, calls) = answered(session, &live);
        let expected: Vec<&str> = replies().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, expected, "{path}");
        let expected: Vec<&String> = replies().flat_map(|it| &it.calls).collect();
        assert_eq!(calls.iter().collect::<Vec<_>>(), expected, "{path}");
        let results = live.iter().flat_map(|at| &session.entries[*at].parts);
        let results = results.filter(|it| matches!(it, Part::ToolResult { .. })).count();
        assert_eq!(results, calls.len(), "each call has its answer: {path}");

        let others = session.leaves().into_iter().filter(|leaf| !live.contains(leaf));
        let others: Vec<Vec<String>> =
            others.map(|leaf| asked(session, &session.path_to(leaf))).collect();
        for branch in &said.branches {
            let last = &branch.last().expect("a turn").said;
            let held = others.iter().filter(|it| it.last() == Some(last)).count();
            assert_eq!(held, 1, "{path}: {others:?}");
        }
        assert_eq!(others.len(), said.branches.len(), "{path}: {others:?}");
        assert_eq!(facts.folds as usize, said.folds, "{path}");

        if said.from.is_none() {
            let turns = said.turns.iter().chain(said.branches.iter().flatten());
            let mut usage = sum(turns);
            for tokens in said.folding.iter().filter(|_| counts_folds) {
                usage = (usage.0 + tokens.asked, usage.1 + tokens.answered);
            }
            let Usage { input_tokens, output_tokens, .. } = facts.usage;
            assert_eq!((input_tokens, output_tokens), usage, "{path}");
        }
    }
}

#[test]
fn claude_code_wrote_what_was_said() {
    holds(Agent::ClaudeCode, false);
}

#[test]
fn codex_wrote_what_was_said() {
    holds(Agent::Codex, true);
}

#[test]
fn opencode_wrote_what_was_said() {
    holds(Agent::Opencode, true);
}

#[test]
fn cline_wrote_what_was_said() {
    holds(Agent::Cline, false);
}

#[test]
fn gemini_cli_wrote_what_was_said() {
    holds(Agent::GeminiCli, false);
}
