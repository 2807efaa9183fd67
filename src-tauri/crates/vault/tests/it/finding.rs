//! Looking for files: which are taken, and that nothing else is.

use std::fs;

use rstest::rstest;
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{Agent, AgentHome, AgentSessions, FileRole, Place};
use siltstone_vault::Agents;

const ID: &str = "5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11";

#[rstest]
#[case::session(Agent::ClaudeCode, "projects/-home/ID.jsonl", FileRole::Session, None)]
#[case::subagent(
    Agent::ClaudeCode,
    "projects/-home/ID/subagents/agent-1.jsonl",
    FileRole::Child,
    Some(ID)
)]
#[case::workflow(
    Agent::ClaudeCode,
    "projects/-home/ID/subagents/workflows/wf_1/agent-1.jsonl",
    FileRole::Child,
    Some(ID)
)]
#[case::journal(
    Agent::ClaudeCode,
    "projects/-home/ID/subagents/workflows/wf_1/journal.jsonl",
    FileRole::Output,
    Some(ID)
)]
#[case::result(
    Agent::ClaudeCode,
    "projects/-home/ID/tool-results/toolu_1.txt",
    FileRole::Output,
    Some(ID)
)]
#[case::memory(Agent::ClaudeCode, "projects/-home/memory/MEMORY.md", FileRole::Beside, None)]
#[case::prompts(Agent::ClaudeCode, "history.jsonl", FileRole::Beside, None)]
#[case::rollout(Agent::Codex, "sessions/2026/11/21/rollout-x.jsonl", FileRole::Session, None)]
#[case::zipped(Agent::Codex, "archived_sessions/rollout-x.jsonl.zst", FileRole::Session, None)]
#[case::names(Agent::Codex, "session_index.jsonl", FileRole::Beside, None)]
#[case::chat(Agent::GeminiCli, "tmp/web/chats/session-x.jsonl", FileRole::Session, None)]
#[case::whole(Agent::GeminiCli, "tmp/web/chats/session-x.json", FileRole::Session, None)]
#[case::steps(
    Agent::Antigravity,
    "brain/ID/.system_generated/logs/transcript_full.jsonl",
    FileRole::Session,
    Some(ID)
)]
#[case::plan(Agent::Antigravity, "brain/ID/implementation_plan.md", FileRole::Output, Some(ID))]
#[case::messages(Agent::Cline, "sessions/ID/ID.messages.json", FileRole::Session, None)]
#[case::helper(Agent::Cline, "sessions/ID/agent_1.messages.json", FileRole::Child, Some(ID))]
#[case::about(Agent::Cline, "sessions/ID/ID.json", FileRole::Beside, None)]
#[case::task(Agent::Cline, "tasks/ID/api_conversation_history.json", FileRole::Session, None)]
#[case::shown(Agent::Cline, "tasks/ID/ui_messages.json", FileRole::Output, Some(ID))]
#[case::transcript(
    Agent::Cursor,
    "projects/home/agent-transcripts/ID/ID.jsonl",
    FileRole::Session,
    None
)]
#[case::delegate(
    Agent::Cursor,
    "projects/home/agent-transcripts/ID/subagents/one.jsonl",
    FileRole::Child,
    Some(ID)
)]
#[case::child(Agent::GeminiCli, "tmp/web/chats/ID/one.jsonl", FileRole::Child, Some(ID))]
fn a_file_is_what_its_path_says(
    #[case] agent: Agent,
    #[case] path: &str,
    #[case] role: FileRole,
    #[case] owner: Option<&str>,
) {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join(match agent {
        Agent::ClaudeCode => ".claude",
        Agent::Codex => ".codex",
        Agent::GeminiCli => ".gemini",
        Agent::Antigravity => ".gemini/antigravity-ide",
        Agent::Opencode => ".local/share/opencode",
        Agent::Cline => ".cline/data",
        Agent::Cursor => ".cursor",
        Agent::ChatGpt | Agent::ClaudeWeb | Agent::Siltstone => panic!("it has no home"),
    });
    let path = path.replace("ID", ID);
    fs::create_dir_all(root.join(&path).parent().unwrap()).unwrap();
    fs::write(root.join(&path), "{}\n").unwrap();
    let agents = Agents::below(home.path());
    // Antigravity's lies in Gemini's.
    let found = agents.homes().into_iter().find(|home| home.agent == agent).unwrap();
    let listing = agents.files(&Place::all_of(found), &mut |_| true).unwrap();
    assert_eq!(listing.files.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), [&path]);
    assert_eq!(agents.role(agent, &path), (role, owner.map(str::to_owned)));
}

#[test]
fn keys_settings_and_what_is_no_file_are_not_taken() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "secret").unwrap();
    };
    for path in [
        ".claude/.credentials.json",
        ".claude/settings.json",
        ".claude/file-history/s/x@v1",
        ".claude/projects/-home/notes.txt",
        ".codex/auth.json",
        ".codex/config.toml",
        ".gemini/oauth_creds.json",
        ".gemini/settings.json",
        ".cline/data/settings/providers.json",
        ".cline/data/secrets.json",
        ".cursor/cli-config.json",
        ".cursor/projects/home/mcp-auth.json",
        ".cursor/projects/home/agent-tools/1.jsonl",
        ".gemini/tmp/web/shell_history",
        ".gemini/antigravity-cli/antigravity-oauth-token",
        ".gemini/antigravity-cli/settings.json",
        ".gemini/antigravity-cli/brain/c/shot.png",
        "elsewhere/a.jsonl",
    ] {
        write(path);
    }
    write(".claude/projects/-home/kept.jsonl");
    write(".local/share/opencode/auth.json");
    #[cfg(unix)]
    {
        let link = |to: &str, at: &str| {
            std::os::unix::fs::symlink(home.path().join(to), home.path().join(at)).unwrap();
        };
        link("elsewhere", ".claude/projects/linked");
        link("elsewhere/a.jsonl", ".claude/projects/-home/linked.jsonl");
    }
    let agents = Agents::below(home.path());
    let homes = agents.homes();
    let all: Vec<Agent> = Agent::ALL.into_iter().filter(|it| !it.is_exported()).collect();
    assert_eq!(homes.iter().map(|home| home.agent).collect::<Vec<_>>(), all);
    let whole = |home: &AgentHome| Place::all_of(home.clone());
    let all: Vec<String> = homes
        .iter()
        .flat_map(|home| agents.files(&whole(home), &mut |_| true).unwrap().files)
        .map(|file| file.path)
        .collect();
    assert_eq!(all, ["projects/-home/kept.jsonl"]);
    #[cfg(unix)]
    {
        let mut skipped = agents.files(&whole(&homes[0]), &mut |_| true).unwrap().skipped;
        skipped.sort();
        assert_eq!(skipped, ["projects/-home/linked.jsonl", "projects/linked"]);
        assert!(
            agents.open(&homes[0], "projects/-home/linked.jsonl").is_err(),
            "no link is followed"
        );
    }
    assert!(agents.open(&homes[0], "projects/-home/kept.jsonl").is_ok());
    assert_eq!(agents.files(&whole(&homes[0]), &mut |_| false), Err(FolderError::Cancelled));
}

#[test]
fn a_place_is_looked_at_as_whoever_comes_from_above_would() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    for path in
        ["projects/-a/1.jsonl", "projects/-a/1/subagents/agent-2.jsonl", "projects/-a-b/3.jsonl"]
    {
        let path = root.join(".claude").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "{}\n").unwrap();
    }
    fs::create_dir_all(root.join(".local/share/opencode")).unwrap();
    let agents = Agents::below(&root);
    let homes = agents.homes();
    let place = |path: &str| agents.places(&homes, &root.join(path)).pop();
    let files = |place: &Place| {
        let found = agents.files(place, &mut |_| true).unwrap();
        let paths: Vec<String> = found.files.into_iter().map(|file| file.path).collect();
        (paths, found.skipped)
    };
    let of = |path: &str| files(&place(path).unwrap());
    let all =
        ["projects/-a-b/3.jsonl", "projects/-a/1.jsonl", "projects/-a/1/subagents/agent-2.jsonl"];
    let none: [&str; 0] = [];
    assert_eq!(of(".claude").0, all);
    assert_eq!(of(".claude/projects/-a").0, all[1..]);
    assert_eq!(of(".claude/projects/-a/1.jsonl").0, all[1..2]);
    // What is gone, and what belongs to no session, are places with nothing.
    assert_eq!(of(".claude/projects/-a/9.jsonl").0, none);
    assert_eq!(of(".claude/none/of/them.jsonl").0, none);
    fs::write(root.join(".claude/settings.json"), "{}").unwrap();
    assert_eq!(of(".claude/settings.json").0, none);
    assert_eq!(place(".codex/sessions/x.jsonl"), None);
    assert_eq!(place(".claude/../.ssh/id"), None);
    // Rows of a database have no place of their own.
    let database = place(".local/share/opencode/opencode.db-wal").unwrap();
    assert_eq!((database.home.agent, database.path.as_str()), (Agent::Opencode, ""));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join(".claude/projects"), root.join(".claude/projects/-l"))
            .unwrap();
        let mut linked = place(".claude/projects").unwrap();
        linked.path = "projects/-l/-a/1.jsonl".to_owned();
        assert_eq!(
            files(&linked),
            (Vec::new(), vec!["projects/-l".to_owned()]),
            "no link is followed"
        );
        assert_eq!(of(".claude/projects/-l"), (Vec::new(), vec!["projects/-l".to_owned()]));
    }
}

#[test]
fn a_home_that_is_not_there_is_none() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(Agents::below(home.path()).homes(), []);
}
