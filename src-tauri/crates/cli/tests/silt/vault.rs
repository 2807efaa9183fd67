//! Sessions of other agents by `silt` alone: the yes, keeping, looking, forgetting.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::desk::Desk;

const CLAUDE: &str = include_str!("../../../vault/tests/it/files/claude.jsonl");
const AGENT: &str = include_str!("../../../vault/tests/it/files/claude-agent.jsonl");
const CODEX: &str = include_str!("../../../vault/tests/it/files/codex.jsonl");
const GEMINI: &str = include_str!("../../../vault/tests/it/files/gemini.jsonl");
const CHATGPT: &str = include_str!("../../../vault/tests/it/files/exports/chatgpt.json");

const WHOLE: &str = include_str!("../../../vault/tests/it/files/antigravity/whole.jsonl");
const SHORT: &str = include_str!("../../../vault/tests/it/files/antigravity/short.jsonl");

const ID: &str = "5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11";

/// A desk with a session of each agent.
struct Agents {
    desk: Desk,
}

impl Agents {
    fn new() -> Self {
        let agents = Self { desk: Desk::new() };
        let claude = format!(".claude/projects/-home-kim-shop/{ID}");
        agents.writes(&format!("{claude}.jsonl"), CLAUDE);
        agents.writes(&format!("{claude}/subagents/agent-0af3.jsonl"), AGENT);
        agents.writes(&format!("{claude}/tool-results/toolu_9.txt"), "a long result\n");
        agents.writes(".claude/.credentials.json", "{\"token\": \"never\"}");
        agents.writes(&format!(".codex/{CODEX_PATH}"), CODEX);
        agents.writes(".gemini/tmp/web/chats/session-2026-11-22T11-00-7c9e6679.jsonl", GEMINI);
        agents
    }

    fn home(&self, path: &str) -> PathBuf {
        self.desk.data.path().join(path)
    }

    fn writes(&self, path: &str, text: &str) {
        let path = self.home(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn agreed() -> Self {
        let agents = Self::new();
        let scanned = agents.desk.json(&["vault", "scan", "--agree"]);
        assert_eq!((&scanned["new"], &scanned["cancelled"]), (&json!(5), &json!(false)));
        agents
    }

    fn sessions(&self, args: &[&str]) -> Vec<Value> {
        let listed = self.desk.json(&[&["vault", "list"], args].concat());
        listed["sessions"].as_array().unwrap().clone()
    }
}

const CODEX_PATH: &str =
    "sessions/2026/11/21/rollout-2026-11-21T10-00-00-019a7b3c-1111-7abc-8def-0123456789ab.jsonl";

#[test]
fn nothing_is_kept_before_the_yes_to_a_list_with_sizes_and_days() {
    let agents = Agents::new();
    let refused = agents.desk.silt(&["vault", "scan"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("silt vault scan --agree"), "{}", refused.err);
    assert!(refused.err.contains("Claude Code"), "the list is shown: {}", refused.err);
    assert!(!agents.home("vault").exists(), "nothing was made");
    let found = agents.desk.json(&["vault", "sources"]);
    let sources = found["sources"].as_array().unwrap();
    let names: Vec<&str> = sources.iter().map(|it| it["home"]["agent"].as_str().unwrap()).collect();
    assert_eq!(names, ["claude-code", "codex", "gemini-cli"]);
    assert_eq!((&sources[0]["sessions"], &sources[0]["files"]), (&json!(1), &json!(3)));
    let bytes = (CLAUDE.len() + AGENT.len() + "a long result\n".len()) as u64;
    assert_eq!(sources[0]["bytes"], bytes);
    assert!(sources.iter().all(|it| it["agreed"] == false && it["last"].is_string()));

    // For one agent alone, and no longer.
    agents.desk.json(&["vault", "scan", "--agree", "--agent", "codex"]);
    assert_eq!(agents.sessions(&[]).len(), 1);
    agents.desk.json(&["vault", "scan", "--withdraw"]);
    assert_eq!(agents.desk.silt(&["vault", "scan"]).code, Some(1));
    assert_eq!(agents.sessions(&[]).len(), 1, "what is kept stays");
}

#[test]
fn a_home_is_found_by_its_agents_variable() {
    let agents = Agents::new();
    agents.writes("elsewhere/sessions/2026/11/21/rollout-x.jsonl", CODEX);
    let mut command = agents.desk.command(&["--json", "vault", "sources"]);
    let said =
        crate::desk::said(command.env("CODEX_HOME", agents.home("elsewhere")).output().unwrap());
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let codex = &found["sources"].as_array().unwrap()[1];
    assert!(codex["home"]["root"].as_str().unwrap().ends_with("/elsewhere"), "{codex}");
}

#[test]
fn exports_are_kept_from_the_folder_that_is_named() {
    fn agree<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["vault", "scan", "--agree", "--agent", "chatgpt"], more].concat()
    }
    let agents = Agents::new();
    let desk = &agents.desk;
    agents.writes("exports/chatgpt/conversations.json", CHATGPT);
    let folder = agents.home("exports").canonicalize().unwrap();
    let refused = desk.silt(&agree(&[]));
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--home"), "{}", refused.err);
    let nowhere = agents.home("nowhere");
    assert_eq!(desk.silt(&agree(&["--home", nowhere.to_str().unwrap()])).code, Some(2));
    let named = folder.to_str().unwrap();
    assert_eq!(desk.silt(&["vault", "scan", "--home", named]).code, Some(2));

    let scanned = desk.json(&agree(&["--home", named]));
    assert_eq!((&scanned["new"], &scanned["skipped"]), (&json!(2), &json!([])));
    let listed = agents.sessions(&["--agent", "chatgpt"]);
    let titles: Vec<&str> = listed.iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["재시도 간격 계산", "Which port does a preview server use?"]);
    assert_eq!(agents.sessions(&[]).len(), 2, "nobody said yes to anything else");
    let known = desk.json(&["vault", "sources"]);
    let own = known["sources"].as_array().unwrap().iter().find(|it| it["home"]["root"] == named);
    assert_eq!(own.unwrap()["agreed"], true);
    desk.json(&["vault", "scan", "--withdraw", "--agent", "chatgpt", "--home", named]);
    assert_eq!(desk.silt(&["vault", "scan"]).code, Some(1), "no folder is agreed to");
}

#[test]
fn sessions_are_listed_and_shown_without_secrets_and_given_back_byte_for_byte() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let listed = agents.sessions(&[]);
    let titles: Vec<&str> = listed.iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert_eq!(titles[0], "Port of the app", "the newest first");
    assert_eq!(titles[2], "Fix the retry");
    let claude = &listed[2];
    assert_eq!(
        (&claude["id"], &claude["children"], &claude["folds"]),
        (&json!(ID), &json!(1), &json!(1))
    );
    assert_eq!(
        (&claude["turns"], &claude["calls"], &claude["branches"]),
        (&json!(4), &json!(2), &json!(2))
    );
    assert_eq!(claude["unknown"], json!({"brand-new-kind": 1}));
    assert_eq!(agents.sessions(&["--agent", "codex"]).len(), 1);
    assert_eq!(agents.sessions(&["--folder", "/home/kim"]).len(), 3);
    assert_eq!(agents.sessions(&["--folder", "/home/kim/shop"]).len(), 2);

    let session = desk.json(&["vault", "show", "5e1f"]);
    assert_eq!(session["usage"]["output_tokens"], 69 + 11, "what the subagent repeats counts once");
    assert_eq!(session["children"][0]["id"], "agent-0af3");
    assert_eq!(session["files"].as_array().unwrap().len(), 3);
    assert!(!session.to_string().contains("sk-ant-api03"), "no secret is shown");
    let shown = desk.silt(&["vault", "show", "5e1f"]);
    assert!(shown.out.contains("[redacted: anthropic"), "{}", shown.out);
    assert!(!shown.out.contains("docs/old-plan.md"));
    assert!(desk.silt(&["vault", "show", "5e1f", "--branches"]).out.contains("docs/old-plan.md"));
    assert!(shown.err.contains("brand-new-kind (1)"), "{}", shown.err);

    assert_eq!(desk.silt(&["vault", "show", ID, "--raw"]).out, CLAUDE);
    let result = format!("projects/-home-kim-shop/{ID}/tool-results/toolu_9.txt");
    assert_eq!(
        desk.silt(&["vault", "show", ID, "--raw", "--file", &result]).out,
        "a long result\n"
    );
    for (args, code) in [
        (vec!["vault", "show", "nothing-like-it"], "not_found"),
        (vec!["vault", "show", "5e"], "bad_request"),
        (vec!["vault", "show", ID, "--version", "2"], "not_found"),
        (vec!["vault", "show", ID, "--raw", "--file", "history.jsonl"], "not_found"),
    ] {
        let refused = desk.silt(&[vec!["--json"], args.clone()].concat());
        let error: Value = serde_json::from_str(&refused.out).unwrap();
        assert_eq!(error["error"]["code"], code, "{args:?}");
    }
    let all = fs::read_dir(agents.home("vault/packs")).unwrap().flatten();
    let packs: Vec<u8> = all.flat_map(|pack| fs::read(pack.path()).unwrap()).collect();
    assert!(!packs.windows(9).any(|part| part == b"\"never\"}"), "keys of agents are not kept");
}

#[test]
fn what_a_compaction_dropped_is_told_with_the_message_that_said_it() {
    let agents = Agents::agreed();
    let dropped = agents.desk.json(&["vault", "dropped", "5e1f"]);
    let [fold] = &dropped["compactions"].as_array().unwrap()[..] else { panic!("{dropped}") };
    assert_eq!(
        (&fold["before"], &fold["after"], &fold["automatic"]),
        (&json!(168_000), &json!(5_400), &json!(true))
    );
    let facts = fold["facts"].as_array().unwrap();
    let stays = |text: &str| {
        let of = |fact: &&Value| fact["text"].as_str().unwrap().starts_with(text);
        let found = facts.iter().find(of).unwrap_or_else(|| panic!("{text}: {facts:?}"));
        (found["stays"].as_str().unwrap().to_owned(), found["entry"].as_u64().unwrap())
    };
    assert_eq!(stays("Never change"), ("nowhere".to_owned(), 1));
    assert_eq!(stays("src/queue.rs"), ("summary".to_owned(), 1));
    assert_eq!(stays("cargo test -p queue").0, "later");
    let told = agents.desk.silt(&["vault", "dropped", "5e1f"]).out;
    assert!(
        told.contains("168000 → 5400") && told.contains(" - constraint: Never change"),
        "{told}"
    );
    assert!(!told.contains(" path: src/queue.rs  ["), "{told}");
    let korean = agents.desk.silt(&["--lang", "ko", "vault", "dropped", "5e1f", "--all"]).out;
    assert!(korean.contains(" + ") && korean.contains(" ~ "), "{korean}");
}

#[test]
fn a_session_goes_on_here_with_its_branches_and_its_compaction_as_a_summary() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let plan = desk.json(&["vault", "continue", "5e1f"]);
    assert_eq!(
        (&plan["turns"], &plan["calls"], &plan["summaries"]),
        (&json!(4), &json!(2), &json!(1))
    );
    assert_eq!(left(&plan, "context"), 1);
    assert_eq!((left(&plan, "subagent"), left(&plan, "output")), (1, 1));
    assert_eq!((left(&plan, "unknown"), left(&plan, "branch")), (1, 0), "branches go");
    assert_eq!(desk.json(&["conversation", "list"])["conversations"], json!([]), "nothing is made");

    let made = desk.json(&["vault", "continue", "5e1f", "--yes"]);
    let id = made["item"]["id"].as_str().unwrap().to_owned();
    assert_eq!((&made["type"], &made["item"]["title"]), (&json!("here"), &json!("Fix the retry")));
    assert_eq!(made["item"]["project_id"], json!(null), "its folder was never opened");
    let shown = desk.json(&["conversation", "show", &id]);
    let messages = shown["messages"].as_array().unwrap();
    let active: Vec<&str> = messages
        .iter()
        .filter(|it| it["active"] == true)
        .map(|it| it["content"].as_str().unwrap())
        .collect();
    assert!(active[0].starts_with("Never change src/legacy/orders.rs."), "{active:?}");
    assert_eq!(active[active.len() - 2..], ["Go on.", "I run `cargo test -p queue` again."]);
    assert!(messages.iter().any(|it| it["content"] == "Then write docs/old-plan.md."));
    assert!(!shown.to_string().contains("local-command-caveat"), "what the agent put there stays");
    let summaries = desk.json(&["summary", "list", &id]);
    let [summary] = &summaries["records"].as_array().unwrap()[..] else { panic!("{summaries}") };
    assert!(summary["summary"].as_str().unwrap().starts_with("This session is being continued."));
    // All that stands before what was said after the compaction, each message once.
    let shown = messages.iter().filter(|it| it["active"] == true);
    let before = shown.take_while(|it| it["content"] != "Go on.");
    // Several results are one message, each on a line of its own.
    let id_of = |it: &Value| it["id"].as_str().unwrap().split('#').next().unwrap().to_owned();
    let before: std::collections::BTreeSet<String> = before.map(id_of).collect();
    assert_eq!(summary["covered_message_count"], before.len());
    assert!(before.len() >= 6, "the question, a reply with its results, and three more");
    // It is a conversation like any other.
    let lines = desk.chat(&["--conversation", &id, "Where was I?"]);
    assert_eq!(lines.last().unwrap()["event"], "done");
    assert_eq!(desk.silt(&["vault", "show", ID, "--raw"]).out, CLAUDE);
}

#[test]
fn what_siltstone_exported_is_a_session_with_its_branches_and_its_summary() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let made = desk.json(&["vault", "continue", "5e1f", "--yes"]);
    let id = made["item"]["id"].as_str().unwrap().to_owned();
    let export = |name: &str| {
        agents.writes(name, &desk.silt(&["conversation", "export", &id, "--format", "json"]).out);
    };
    export("exports/first.json");
    agents.writes("exports/other.json", "{\"format\": \"something-else\"}");
    let folder = agents.home("exports").canonicalize().unwrap();
    let agree = ["vault", "scan", "--agree", "--agent", "siltstone", "--home"];
    let scanned = desk.json(&[&agree[..], &[folder.to_str().unwrap()]].concat());
    assert_eq!((&scanned["new"], &scanned["skipped"]), (&json!(1), &json!([])), "{scanned}");
    let own = |count: usize| {
        let mut listed = agents.sessions(&["--agent", "siltstone"]);
        assert_eq!(listed.len(), count);
        listed.remove(0)
    };
    let session = own(1);
    assert_eq!((&session["title"], &session["folds"]), (&json!("Fix the retry"), &json!(1)));
    let shown = desk.json(&["conversation", "show", &id]);
    let messages = shown["messages"].as_array().unwrap();
    // A picture is named there, and what is exported goes without secrets.
    let said = |it: &Value| {
        let said = it["content"].as_str().unwrap().split("\n[picture").next().unwrap();
        said.split("api_key").next().unwrap().to_owned()
    };
    let active: Vec<String> = messages
        .iter()
        .filter(|it| it["active"] == true && it["role"] != "tool")
        .map(said)
        .collect();
    let told = desk.json(&["vault", "show", session["id"].as_str().unwrap()]);
    let entries = told["entries"].as_array().unwrap();
    let text = |it: &Value| -> String {
        let parts = it["parts"].as_array().unwrap().iter();
        let texts = parts.filter(|it| it["type"] == "text").filter_map(|it| it["text"].as_str());
        texts.collect::<String>().split("api_key").next().unwrap().to_owned()
    };
    assert!(told.to_string().contains("\"type\":\"image\""), "{told}");
    let is_said =
        |it: &&Value| it["active"] == true && it["kind"] == "said" && it["role"] != "tool";
    assert_eq!(entries.iter().filter(is_said).map(text).collect::<Vec<_>>(), active);
    assert!(
        entries
            .iter()
            .any(|it| it["active"] == false && text(it) == "Then write docs/old-plan.md.")
    );
    assert_eq!(session["branches"], 2);
    let fold = entries.iter().find(|it| it["kind"] == "fold").unwrap();
    assert!(text(fold).starts_with("This session is being continued."));

    // A later export is the same session, and what both say is found once.
    desk.chat(&["--conversation", &id, "Where was I?"]);
    export("exports/later/second.json");
    desk.json(&["vault", "scan"]);
    let later = own(1);
    assert_eq!(later["id"], session["id"]);
    assert!(later["turns"].as_u64() > session["turns"].as_u64());
    let found = desk.json(&["vault", "search", "legacy", "orders", "--agent", "siltstone"]);
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");

    // One file is a home, too; and from there it goes on here again.
    agents
        .writes("alone.json", &desk.silt(&["conversation", "export", &id, "--format", "json"]).out);
    let alone = agents.home("alone.json").canonicalize().unwrap();
    let scanned = desk.json(&[&agree[..], &[alone.to_str().unwrap()]].concat());
    assert_eq!(scanned["skipped"], json!([]), "{scanned}");
    let again = desk.json(&["vault", "continue", later["id"].as_str().unwrap(), "--yes"]);
    assert_eq!(
        (&again["type"], &again["item"]["title"]),
        (&json!("here"), &json!("Fix the retry"))
    );
}

#[test]
fn what_was_said_is_found_by_its_words_with_its_place_and_without_secrets() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let search = |args: &[&str]| {
        let found = desk.json(&[&["vault", "search"], args].concat());
        let hits = found["hits"].as_array().unwrap().clone();
        let place = |hit: &Value| format!("{}:{}", hit["id"].as_str().unwrap(), hit["number"]);
        hits.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(search(&["legacy", "orders"]), [format!("{ID}:1")]);
    assert_eq!(search(&["정리했습니다"]).len(), 1, "Korean");
    assert_eq!(search(&["old-plan"]).len(), 1, "on another branch");
    assert!(search(&["port"]).iter().any(|it| it.starts_with("019a7b3c")));
    assert!(search(&["port", "--agent", "claude-code"]).is_empty());
    assert!(search(&["port", "--folder", "/home/lee"]).is_empty());
    assert!(!search(&["port", "--folder", "/home/kim"]).is_empty());
    assert!(search(&["a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5"]).is_empty(), "no secret is found");
    let found = desk.silt(&["vault", "search", "legacy"]);
    assert!(found.out.contains("2026-11-20  Claude Code  Fix the retry"), "{}", found.out);
    assert!(desk.silt(&["vault", "search", "no-such-word-here"]).err.contains("Nothing was found"));

    // What is new is found after the next scan, what was taken back stays, what was forgotten is not found.
    let codex = format!(".codex/{CODEX_PATH}");
    let more = CODEX.replace("Thanks.", "Thank you for the zeppelin.");
    agents.writes(&codex, &more);
    assert!(search(&["zeppelin"]).is_empty());
    desk.json(&["vault", "scan"]);
    assert_eq!(search(&["zeppelin"]).len(), 1);
    assert_eq!(search(&["6000"]).len(), search(&["6000", "--agent", "codex"]).len());
    desk.json(&["vault", "forget", "019a", "--yes"]);
    assert!(search(&["zeppelin"]).is_empty());
    let database = fs::read(agents.home("vault/vault.db")).unwrap();
    assert!(!database.windows(8).any(|part| part == b"zeppelin"), "nor left in the index");
}

/// How much stays behind for a reason.
fn left(plan: &Value, reason: &str) -> u64 {
    let left = plan["left"].as_array().unwrap().iter();
    left.filter(|it| it["reason"] == reason).map(|it| it["count"].as_u64().unwrap()).sum()
}

#[test]
fn a_session_goes_on_in_the_project_of_its_folder_or_in_the_one_that_is_named() {
    let agents = Agents::new();
    let desk = &agents.desk;
    let deep = desk.project.path().canonicalize().unwrap().join("docs");
    let moved = CLAUDE.replace("/home/kim/shop", deep.to_str().unwrap());
    agents.writes(&format!(".claude/projects/-home-kim-shop/{ID}.jsonl"), &moved);
    desk.json(&["vault", "scan", "--agree"]);
    let opened = desk.json(&["project", "open", ".", "--no-trust"]);
    let plan = desk.json(&["vault", "continue", "5e1f"]);
    assert_eq!(plan["project"]["id"], opened["project"]["id"]);
    let made = desk.json(&["vault", "continue", "5e1f", "--yes"]);
    assert_eq!(made["item"]["project_id"], opened["project"]["id"], "{opened}");
    let other = tempfile::TempDir::new().unwrap();
    let other = other.path().to_str().unwrap();
    let opened = desk.json(&["project", "open", other, "--no-trust"]);
    let made = desk.json(&["--project", other, "vault", "continue", "5e1f", "--yes"]);
    assert_eq!(made["item"]["project_id"], opened["project"]["id"]);
}

#[test]
fn a_session_is_written_for_every_agent_as_a_new_file_without_secrets() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let folder = agents.home("work here");
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    let names = json!({"projects": {folder.to_str().unwrap(): "work"}});
    agents.writes(".gemini/projects.json", &names.to_string());
    let folder = folder.to_str().unwrap();
    for (agent, start) in
        [("claude", "claude --resume"), ("codex", "codex resume"), ("gemini", "gemini --resume")]
    {
        let asked = ["vault", "continue", "5e1f", "--to", agent, "--folder", folder];
        let plan = desk.json(&asked);
        let handover = &plan["handover"];
        let path = PathBuf::from(handover["path"].as_str().unwrap());
        assert!(path.starts_with(agents.home("handover")) && !path.exists(), "{path:?}");
        assert_eq!((&plan["turns"], left(&plan, "folded")), (&json!(1), 6), "{plan}");
        assert!(handover["start"].as_str().unwrap().contains(start), "{handover}");
        let done = desk.json(&[&asked[..], &["--yes"]].concat());
        assert_eq!(done, json!({"type": "agent", "handover": handover}));
        let written = fs::read_to_string(&path).unwrap();
        assert!(written.contains("Go on.") && !written.contains("Never change"), "{written}");
        let id = handover["session_id"].as_str().unwrap();
        assert!(written.contains(id) && !written.contains(ID), "under an id of its own");

        // All of it, and the next copy beside the first.
        let whole = [&asked[..], &["--whole", "--yes"]].concat();
        let done = desk.json(&whole);
        let path = done["handover"]["path"].as_str().unwrap();
        let written = fs::read_to_string(path).unwrap();
        assert!(written.contains("Never change src/legacy/orders.rs."), "{written}");
        assert!(!written.contains("sk-ant-api03"), "no secret goes");
        let again = desk.json(&whole);
        assert_ne!(again["handover"]["path"], path);

        // The command that is shown puts it where the agent looks, and there it is understood.
        let install = done["handover"]["install"].as_str().unwrap();
        assert!(Command::new("sh").args(["-c", install]).status().unwrap().success());
        desk.json(&["vault", "scan"]);
        let session =
            desk.json(&["vault", "show", done["handover"]["session_id"].as_str().unwrap()]);
        let said = session["entries"].as_array().unwrap().iter();
        let said: Vec<String> = said.flat_map(words).collect();
        let origin = desk.json(&["vault", "show", "5e1f"]);
        let active = origin["entries"].as_array().unwrap().iter();
        let active = active.filter(|it| it["active"] == true && it["kind"] == "said");
        assert_eq!(said, active.flat_map(words).collect::<Vec<String>>(), "{agent}");
    }
    // Straight into its folder, only at the path that was shown.
    let asked =
        ["vault", "continue", "019a", "--to", "claude-code", "--folder", folder, "--install"];
    let path = desk.json(&asked)["handover"]["path"].as_str().unwrap().to_owned();
    assert!(PathBuf::from(&path).starts_with(agents.home(".claude").canonicalize().unwrap()));
    let done = desk.json(&[&asked[..], &["--yes"]].concat());
    assert_eq!(
        (&done["handover"]["path"], &done["handover"]["install"]),
        (&json!(path), &json!(null))
    );
    assert!(fs::read_to_string(&path).unwrap().contains("Thanks."));
    // What cannot be is refused.
    let nowhere = agents.home("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    let refused = desk.silt(&["vault", "continue", "5e1f", "--to", "codex", "--folder", nowhere]);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    let unknown = agents.home("unknown");
    fs::create_dir_all(&unknown).unwrap();
    let unknown = unknown.to_str().unwrap();
    let refused = desk.silt(&["vault", "continue", "5e1f", "--to", "gemini", "--folder", unknown]);
    assert!(refused.err.contains("was never started in"), "{}", refused.err);
}

/// What an entry says, without pictures.
fn words(entry: &Value) -> Vec<String> {
    let parts = entry["parts"].as_array().unwrap().iter();
    let said = parts.filter_map(|part| match part["type"].as_str().unwrap() {
        "text" | "tool_result" => part["text"].as_str().map(str::to_owned),
        "tool_call" => Some(format!("{} {}", part["name"], part["arguments"])),
        _ => None,
    });
    said.collect()
}

#[test]
fn a_session_goes_on_as_a_text_with_what_holds_and_how_it_ended() {
    let agents = Agents::agreed();
    let text = agents.desk.silt(&["vault", "continue", "5e1f", "--as-text"]).out;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("# Fix the retry") < at("Claude Code · /home/kim/shop · main"));
    assert!(at("Never change src/legacy/orders.rs.") < at("This session is being continued."));
    assert!(at("This session is being continued.") < at("I run `cargo test -p queue` again."));
    assert!(!text.contains("sk-ant-api03"), "{text}");
}

#[test]
fn what_the_agent_deletes_cuts_or_rewrites_is_still_here() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let claude = format!(".claude/projects/-home-kim-shop/{ID}.jsonl");
    fs::remove_file(agents.home(&claude)).unwrap();
    let codex = format!(".codex/{CODEX_PATH}");
    agents.writes(&codex, &CODEX[..CODEX.len() / 2]);
    agents.writes(
        ".gemini/tmp/web/chats/session-2026-11-22T11-00-7c9e6679.jsonl",
        "{\"sessionId\":\"7c9e6679-new\"}\n",
    );
    let scanned = desk.json(&["vault", "scan"]);
    assert_eq!((&scanned["cut"], &scanned["rewritten"]), (&json!(1), &json!(1)));
    let status = desk.json(&["vault", "status"]);
    let gone: Vec<u64> =
        status["kept"].as_array().unwrap().iter().map(|it| it["gone"].as_u64().unwrap()).collect();
    assert_eq!(gone, [1, 0, 0]);
    assert_eq!(desk.silt(&["vault", "show", ID, "--raw"]).out, CLAUDE);
    assert_eq!(desk.silt(&["vault", "show", "019a7b3c", "--raw"]).out, CODEX);
    let first = ["vault", "show", "7c9e6679", "--raw", "--version", "1"];
    assert_eq!(desk.silt(&first).out, GEMINI);
    let verified = desk.json(&["vault", "verify"]);
    assert_eq!((&verified["files"], &verified["versions"]), (&json!(5), &json!(6)));
    assert_eq!(verified["faults"], json!([]));
    // And goes on where it was.
    agents.writes(
        &codex,
        &format!("{CODEX}{{\"type\":\"message\",\"role\":\"user\",\"content\":\"More.\"}}\n"),
    );
    assert_eq!(desk.json(&["vault", "scan"])["grew"], 1);
    let more = desk.json(&["vault", "show", "019a7b3c"]);
    assert_eq!(more["item"]["versions"], 1);
    assert_eq!(more["item"]["turns"], 5);
}

#[test]
fn forgetting_says_what_goes_and_then_it_is_gone() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    let plan = desk.json(&["vault", "forget", "5e1f"]);
    assert_eq!((&plan["done"], plan["files"].as_array().unwrap().len()), (&json!(false), 3));
    assert_eq!(agents.sessions(&[]).len(), 3);
    assert_eq!(desk.json(&["vault", "forget", "5e1f", "--yes"])["done"], true);
    assert_eq!(agents.sessions(&[]).len(), 2);
    assert_eq!(desk.json(&["vault", "scan"])["new"], 0, "it is not kept again");
    assert!(agents.home(&format!(".claude/projects/-home-kim-shop/{ID}.jsonl")).exists());
    desk.json(&["vault", "forget", "--agent", "codex", "--yes"]);
    assert_eq!(agents.sessions(&[]).len(), 1);
    let sources = desk.json(&["vault", "sources"]);
    assert_eq!(sources["sources"][1]["agreed"], false);
    assert_eq!(desk.json(&["vault", "verify"])["faults"], json!([]));
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_a_scan_and_loses_nothing() {
    let agents = Agents::agreed();
    let desk = &agents.desk;
    for number in 0..600 {
        let text = CODEX.repeat(2).replace("019a7b3c-1111", &format!("{number:08x}-0000"));
        agents.writes(&format!(".codex/sessions/2026/11/22/rollout-{number}.jsonl"), &text);
    }
    let mut scan = desk.command(&["--json", "vault", "scan"]);
    let mut child = scan.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.contains("file(s)") || line.contains("files"), "{line}");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let rest = std::thread::spawn(move || told.lines().map_while(Result::ok).count());
    let ended = child.wait_with_output().unwrap();
    rest.join().unwrap();
    let said: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(said["cancelled"], true, "it was far from its end");
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(desk.json(&["vault", "verify"])["faults"], json!([]));
    desk.json(&["vault", "scan"]);
    assert_eq!(agents.sessions(&[]).len(), 603);
    assert_eq!(desk.json(&["vault", "scan"])["understood"], 0);
}

/// Lays all files of a folder below another one.
fn lay(from: &Path, into: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = into.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => lay(&entry.path(), &to),
            false => {
                fs::create_dir_all(into).unwrap();
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
}

#[test]
fn a_thread_over_several_files_is_one_session_and_a_fork_has_what_was_before() {
    let agents = Agents { desk: Desk::new() };
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vault/tests/it/files/made/codex");
    lay(&made.join("sessions"), &agents.home(".codex/sessions"));
    agents.desk.json(&["vault", "scan", "--agree"]);
    let said: Value =
        serde_json::from_str(&fs::read_to_string(made.join("said.json")).unwrap()).unwrap();
    let ids = [0, 1].map(|at| said["sessions"][at]["id"].clone());
    let listed = agents.sessions(&[]);
    let mut found: Vec<&Value> = listed.iter().map(|it| &it["id"]).collect();
    found.sort_by_key(|id| id.to_string());
    assert_eq!(found, [&ids[0], &ids[1]], "two files are of one thread");

    let thread = agents.desk.json(&["vault", "show", ids[0].as_str().unwrap(), "--branches"]);
    let active = |words: &str| {
        let entries = thread["entries"].as_array().unwrap();
        let is_it = |entry: &&Value| entry["parts"].to_string().contains(words);
        entries.iter().filter(is_it).map(|entry| entry["active"].as_bool().unwrap()).collect()
    };
    let of: [Vec<bool>; 2] = ["And in Korean?", "And in French?"].map(active);
    assert_eq!(of, [vec![false], vec![true]], "a turn was taken back");

    // What three files say is found once.
    let hits = |words: &str| {
        agents.desk.json(&["vault", "search", words])["hits"].as_array().unwrap().len()
    };
    assert_eq!((hits("French"), hits("pnpm"), hits("Korean")), (1, 1, 2));

    // All of it goes, and what of it stood in the fork.
    let goes = agents.desk.json(&["vault", "forget", ids[0].as_str().unwrap(), "--yes"]);
    assert_eq!(goes["files"].as_array().unwrap().len(), 2);
    let left: Vec<Value> = agents.sessions(&[]).into_iter().map(|it| it["id"].clone()).collect();
    assert_eq!(left, [ids[1].clone()]);
    assert_eq!((hits("French"), hits("pnpm"), hits("Korean")), (0, 0, 1));
    let database = fs::read(agents.home("vault/vault.db")).unwrap();
    assert!(!database.windows(6).any(|part| part == b"French"), "nor left in the index");
}

#[test]
fn a_conversation_in_two_logs_is_one_session_wherever_sessions_are_counted() {
    let agents = Agents { desk: Desk::new() };
    let desk = &agents.desk;
    let id = "1ce50bef-fc2a-4039-8114-5aae518678e6";
    let logs = format!(".gemini/antigravity-cli/brain/{id}/.system_generated/logs");
    agents.writes(&format!("{logs}/transcript_full.jsonl"), WHOLE);
    agents.writes(&format!("{logs}/transcript.jsonl"), SHORT);
    let of = |listed: &Value, list: &str| {
        let all = listed[list].as_array().unwrap().iter();
        let mut own = all.filter(|it| it["home"]["agent"] == "antigravity");
        own.next().unwrap()["sessions"].clone()
    };
    assert_eq!(of(&desk.json(&["vault", "sources"]), "sources"), 1);
    desk.json(&["vault", "scan", "--agree", "--agent", "antigravity"]);
    assert_eq!(of(&desk.json(&["vault", "status"]), "kept"), 1);
    let listed = agents.sessions(&[]);
    assert_eq!((listed.len(), &listed[0]["turns"]), (1, &json!(4)));
    let found = desk.json(&["vault", "search", "Decimal"]);
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");
    let plan = desk.json(&["vault", "continue", id]);
    assert_eq!((&plan["summaries"], &plan["turns"]), (&json!(1), &json!(4)), "{plan}");
    desk.json(&["vault", "forget", "1ce5", "--yes"]);
    assert_eq!(of(&desk.json(&["vault", "status"]), "kept"), 0);
}
