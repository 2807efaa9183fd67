//! Each format: who said what after what, which calls were answered, what was taken back, what was counted. The counts are
//! made a second time here, from the lines alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::vault::{Agent, EntryKind, Fold, Stays, dropped};

use super::*;

fn lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn folds(session: &Session) -> Vec<&Fold> {
    let kinds = session.entries.iter().map(|entry| &entry.kind);
    let folds = kinds.filter_map(|kind| match kind {
        EntryKind::Fold(fold) => Some(fold),
        EntryKind::Said | EntryKind::Context => None,
    });
    folds.collect()
}

fn calls(session: &Session) -> usize {
    let parts = session.entries.iter().flat_map(|entry| &entry.parts);
    parts.filter(|part| matches!(part, Part::ToolCall { .. })).count()
}

fn nowhere(session: &Session) -> BTreeSet<String> {
    let found = dropped(session);
    let facts = found.iter().flat_map(|fold| &fold.facts);
    facts.filter(|fact| fact.stays == Stays::Nowhere).map(|fact| fact.text.clone()).collect()
}

#[test]
fn claude_code_is_a_tree_of_messages_that_come_in_blocks() {
    let (agent, path, text) = PLACES[0];
    let session = read(agent, path, text);
    let facts = session.facts(agent);
    assert_eq!(facts.id, "5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11");
    assert_eq!((facts.title.as_str(), facts.parent), ("Fix the retry", None));
    assert_eq!(facts.folder.as_deref(), Some("/home/kim/shop"));
    assert_eq!(facts.git_branch.as_deref(), Some("main"));
    assert_eq!(facts.models, ["claude-opus-4-5"]);
    assert_eq!(facts.started_at.unwrap().to_string(), "2026-11-20T09:01:00Z");
    assert_eq!(facts.ended_at.unwrap().to_string(), "2026-11-20T09:18:00Z");
    assert_eq!((facts.turns, facts.calls, facts.branches, facts.folds), (4, 2, 2, 1));
    assert_eq!(facts.unknown, BTreeMap::from([("brand-new-kind".to_owned(), 1)]));
    assert_eq!((facts.unreadable, session.is_cut), (0, true));
    assert_eq!(session.beside["repeated"], 1);

    let told = told(&session);
    assert!(told[0].starts_with("Never change src/legacy/orders.rs."));
    assert_eq!(
        told[1],
        "We decided to back off exponentially. I read both files. | →toolu_1 Read | →toolu_2 Bash"
    );
    assert_eq!(told[2], "←toolu_1 pub fn retry() {} | ←toolu_2 error: 2 tests failed (failed)");
    assert_eq!(told[3], "Two tests fail.");
    assert_eq!(told[4], "그러면 docs/retry.md에 정리해 주세요. | [image/png]");
    assert!(told[7].starts_with("This session is being continued."), "{told:?}");
    assert_eq!(told[8..], ["Go on.", "I run `cargo test -p queue` again."]);
    let roles: Vec<Role> = session.path().iter().map(|at| session.entries[*at].role).collect();
    assert_eq!(roles[..4], [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    let other = session.leaves()[0];
    let branch: Vec<String> =
        session.path_to(other).iter().map(|at| words(&session.entries[*at].parts)).collect();
    assert_eq!(branch[4..], ["Then write docs/old-plan.md.", "Done."]);

    let [fold] = folds(&session)[..] else { panic!("one compaction") };
    assert_eq!((fold.automatic, fold.before, fold.after), (Some(true), Some(168_000), Some(5_400)));
    let found = nowhere(&session);
    assert!(found.iter().any(|fact| fact.contains("Never change src/legacy/orders.rs")));
    assert!(found.contains("src/legacy/orders.rs"), "{found:?}");
    assert!(!found.contains("docs/retry.md"), "what went on word for word is not dropped");
    assert!(!found.contains("docs/old-plan.md"), "it is on another branch");
    assert!(!found.contains("src/queue.rs") && !found.contains("512 jobs"), "{found:?}");
}

#[test]
fn tokens_of_claude_code_count_once_for_a_message_and_its_request() {
    let (agent, path, text) = PLACES[0];
    let mut counted: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    for line in lines(text) {
        let (message, usage) = (&line["message"], &line["message"]["usage"]);
        if usage.is_object() {
            let key = (message["id"].to_string(), line["requestId"].to_string());
            let asked = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
            let asked = asked.iter().map(|name| usage[*name].as_u64().unwrap()).sum();
            let answered = usage["output_tokens"].as_u64().unwrap();
            let known = counted.entry(key).or_insert((asked, answered));
            known.1 = known.1.max(answered);
        }
    }
    let session = read(agent, path, text);
    let usage = session.usage();
    assert_eq!(usage.input_tokens, counted.values().map(|it| it.0).sum::<u64>());
    assert_eq!(usage.output_tokens, counted.values().map(|it| it.1).sum::<u64>());
    assert_eq!((usage.input_tokens, usage.output_tokens), (5 * 2_104, 42 + 9 + 3 + 7 + 8));
    // A subagent's file says a message of its parent's once more.
    let child =
        "projects/-home-kim-shop/5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11/subagents/agent-0af3.jsonl";
    let child = read(agent, child, include_str!("files/claude-agent.jsonl"));
    assert_eq!(child.parent.as_deref(), Some("5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11"));
    assert_eq!(told(&child), ["Look for callers of retry.", "replayed", "Three callers."]);
    let mut all = session.counted.clone();
    all.extend(child.counted);
    assert_eq!(all.values().map(|usage| usage.output_tokens).sum::<u64>(), 69 + 11);
}

#[test]
fn codex_says_one_thing_after_another_and_what_was_taken_back_is_a_branch() {
    let (agent, path, text) = PLACES[1];
    let session = read(agent, path, text);
    let facts = session.facts(agent);
    assert_eq!(facts.id, "019a7b3c-1111-7abc-8def-0123456789ab");
    assert!(facts.title.starts_with("Always keep config/limits.toml"), "{}", facts.title);
    assert_eq!(facts.folder.as_deref(), Some("/home/kim/shop"));
    assert_eq!(facts.git_branch.as_deref(), Some("feature/retry"));
    assert_eq!(facts.models, ["gpt-5.2-codex"]);
    assert_eq!((facts.turns, facts.calls, facts.branches, facts.folds), (4, 2, 2, 1));
    let unknown = [("brand_new".to_owned(), 1), ("item hologram_call".to_owned(), 1)];
    assert_eq!(facts.unknown, BTreeMap::from(unknown));
    assert_eq!(calls(&session), lines(text).iter().filter(|line| is_call(line)).count());
    let told = told(&session);
    assert_eq!(
        told[2..],
        [
            "Always keep config/limits.toml as it is. Which port does the preview server use?",
            "~Looking for the port | →call_1 shell",
            "←call_1 {\"output\":\"src/main.rs: 4747\",\"metadata\":{\"exit_code\":0}}",
            "It listens on port 4747.",
            "Change it to 6000 in src/main.rs.",
            "→call_2 apply_patch",
            "←call_2 ok",
            "Done.",
            "The user moved the port in src/main.rs.",
            "Thanks.",
            "Welcome.",
        ]
    );
    let [fold] = folds(&session)[..] else { panic!("one compaction") };
    assert_eq!((fold.before, fold.after), (Some(1_500), Some(300)));
    assert!(nowhere(&session).contains("config/limits.toml"));
    // The agent tells sums, some twice, and began anew once: 4,000 and then 500.
    assert_eq!(session.usage().input_tokens, 4_500);
    assert_eq!(session.usage().output_tokens, 140);
    assert_eq!(session.usage().cached_input_tokens, 2_000);
}

fn is_call(line: &Value) -> bool {
    let kind = line["payload"]["type"].as_str().unwrap_or_default();
    ["function_call", "custom_tool_call"].contains(&kind)
}

#[test]
fn a_session_of_codex_under_zstd_says_the_same_and_a_cut_one_what_there_is() {
    let (agent, path, text) = PLACES[1];
    let zipped = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let path = format!("{path}.zst");
    assert_eq!(read(agent, &path, &zipped), read(agent, &path[..path.len() - 4], text));
    let cut = read(agent, &path, &zipped[..zipped.len() / 2]);
    assert!(cut.is_cut);
    let none = read(agent, &path, b"no zstd at all");
    assert!(none.is_cut && none.entries.is_empty());
}

#[test]
fn codex_of_before_september_2025_had_no_cover_around_its_items() {
    let text = include_str!("files/codex-old.jsonl");
    let session = read(Agent::Codex, "sessions/2025/07/01/rollout-old.jsonl", text);
    assert_eq!(session.id, "old-thread");
    assert_eq!(told(&session), ["Old form?", "Old form."]);
    assert_eq!((session.unreadable, session.unknown.len()), (0, 0));
}

#[test]
fn gemini_changes_its_list_and_what_is_gone_from_it_stays() {
    let (agent, path, text) = PLACES[2];
    let session = read(agent, path, text);
    let facts = session.facts(agent);
    assert_eq!(facts.id, "7c9e6679-7425-40de-944b-e07fc1f90ae7");
    assert_eq!(facts.title, "Port of the app");
    assert_eq!(facts.folder.as_deref(), Some("/home/kim/web"));
    assert_eq!(facts.models, ["gemini-3-pro", "gemini-3-flash"]);
    assert_eq!((facts.turns, facts.calls, facts.branches, facts.folds), (4, 1, 2, 1));
    assert_eq!(facts.unknown, BTreeMap::from([("brand-new".to_owned(), 1)]));
    assert_eq!(
        told(&session),
        [
            "Do not touch src/vendor/map.js. Which port is in src/app.ts?",
            "~Port\nRead the file |  | →read_file-1 read_file",
            "←read_file-1 const port = 3000",
            "Port 3000.",
            "Set it to 8080.",
            "Set.",
            "<state_snapshot>Port 8080 in src/app.ts.</state_snapshot>",
            "Got it.",
            "And now?",
            "Now it is 8080.",
        ]
    );
    let [fold] = folds(&session)[..] else { panic!("one compaction") };
    assert_eq!((fold.before, fold.after), (Some(1_206), Some(200)));
    assert_eq!(fold.carried, ["Set."]);
    assert!(nowhere(&session).contains("src/vendor/map.js"));
    let mut last: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in lines(text).iter().filter(|line| line["tokens"].is_object()) {
        let tokens = |name: &str| line["tokens"][name].as_u64().unwrap_or_default();
        let answered = tokens("output") + tokens("thoughts");
        last.insert(line["id"].to_string(), (tokens("input"), answered));
    }
    assert_eq!(session.usage().input_tokens, last.values().map(|it| it.0).sum::<u64>());
    assert_eq!(session.usage().output_tokens, last.values().map(|it| it.1).sum::<u64>());
}

#[test]
fn gemini_wrote_whole_files_before() {
    let text = include_str!("files/gemini-old.json");
    let session =
        read(Agent::GeminiCli, "tmp/ab/chats/session-2025-09-01T08-00-7c9e6679.json", text);
    assert_eq!(told(&session), ["Old form?", "Old form."]);
    assert_eq!(session.usage().input_tokens, 10);
    let cut = read(Agent::GeminiCli, "tmp/ab/chats/session-x.json", &text[..90]);
    assert_eq!((cut.entries.len(), cut.unreadable), (0, 1));
}

/// Sessions of Cline 3.0.65, made by it in a folder with two files and a model that says little.
const CLINE: [(&str, &str); 6] = [
    (
        "1795794369926_71ngm/1795794369926_71ngm",
        include_str!("files/cline/1795794369926_71ngm.json"),
    ),
    (
        "1795794416649_8zivp/1795794416649_8zivp",
        include_str!("files/cline/1795794416649_8zivp.json"),
    ),
    (
        "1795794424256_2ckm3/1795794424256_2ckm3",
        include_str!("files/cline/1795794424256_2ckm3.json"),
    ),
    (
        "1795794424256_2ckm3/agent_1795794424605_sog4kk",
        include_str!("files/cline/agent_1795794424605_sog4kk.json"),
    ),
    (
        "1795794428126_1atxq/1795794428126_1atxq",
        include_str!("files/cline/1795794428126_1atxq.json"),
    ),
    (
        "1795794431389_ej4bq/1795794431389_ej4bq",
        include_str!("files/cline/1795794431389_ej4bq.json"),
    ),
];

#[test]
fn cline_has_blocks_in_one_list_that_is_written_anew() {
    let mut counted = [0; 6];
    for (name, text) in CLINE {
        let session = read(Agent::Cline, &format!("sessions/{name}.messages.json"), text);
        let facts = session.facts(Agent::Cline);
        assert_eq!(facts.folder.as_deref(), Some("/home/kim/till"), "{name}");
        assert_eq!((facts.unknown, facts.unreadable), (BTreeMap::new(), 0), "{name}");
        assert_eq!(facts.parent.is_some(), name.contains("agent_"));
        let said: Value = serde_json::from_str(text).unwrap();
        let blocks = |kind: &str| -> Vec<Value> {
            let messages = said["messages"].as_array().unwrap();
            let blocks = messages.iter().flat_map(|it| it["content"].as_array().unwrap());
            blocks.filter(|block| block["type"] == kind).cloned().collect()
        };
        assert_eq!(calls(&session), blocks("tool_use").len(), "{name}");
        let results =
            session.entries.iter().flat_map(|entry| &entry.parts).filter_map(|part| match part {
                Part::ToolResult { is_error, .. } => Some(*is_error),
                _ => None,
            });
        let results: Vec<bool> = results.collect();
        assert_eq!(results.len(), blocks("tool_result").len(), "{name}");
        let failed = results.iter().filter(|failed| **failed).count() as u64;
        let usage = facts.usage;
        for (sum, more) in counted.iter_mut().zip([
            facts.turns,
            facts.calls,
            failed,
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_input_tokens,
        ]) {
            *sum += more;
        }
    }
    assert_eq!(counted, [15, 13, 6, 46_460, 730, 38_600], "as they were counted elsewhere");
    let session = read(Agent::Cline, &format!("sessions/{}.messages.json", CLINE[0].0), CLINE[0].1);
    let told = told(&session);
    assert_eq!(told[0], "Look at total.js and tell me what it does.");
    assert!(
        told[1].starts_with(
            "~The file is small; read it first. | I read the file first. | →call_001_0"
        )
    );
    assert!(told[2].contains("1 | const items") && told[2].contains("ENOENT"), "{}", told[2]);
    assert_eq!(session.title, "Look at total.js and tell me what it does.");
}

const COMPACTION: &str = include_str!("files/cline/1795794369926_71ngm.compaction.json");

fn with_compaction(compaction: &str) -> Session {
    let agents = Agents::below("/nowhere".as_ref());
    let path = format!("sessions/{}.messages.json", CLINE[0].0);
    let beside = format!("sessions/{}.compaction.json", CLINE[0].0);
    assert!(agents.beside(Agent::Cline, &path).contains(&beside));
    read_beside(Agent::Cline, &path, CLINE[0].1, (&beside, compaction.as_bytes()))
}

#[test]
fn a_compaction_of_cline_stands_behind_the_messages_that_it_is_for() {
    let without = read(Agent::Cline, &format!("sessions/{}.messages.json", CLINE[0].0), CLINE[0].1);
    let session = with_compaction(COMPACTION);
    let told = told(&session);
    let place = told.iter().position(|text| text.starts_with("## Goal")).unwrap();
    assert_eq!((told[place - 1].as_str(), told.len()), ("Bonjour.", without.path().len() + 1));
    assert_eq!(told[place + 1..], self::told(&without)[place..]);
    let said: Value = serde_json::from_str(COMPACTION).unwrap();
    let at = session.path()[place];
    assert_eq!(session.entries[at].text(), said["messages"][0]["metadata"]["summary"]);
    let [fold] = folds(&session)[..] else { panic!("one compaction") };
    assert_eq!((fold.automatic, fold.before, fold.after), (None, Some(1_803), None));
    let carried =
        ["Done: the total counts the quantity.", "Run the check and a command that fails."];
    assert_eq!(fold.carried[..2], carried);
    let dropped = &dropped(&session)[0];
    let folded: Vec<String> =
        dropped.entries.iter().map(|at| session.entries[*at].text()).collect();
    assert!(folded.iter().any(|text| text.starts_with("Look at total.js")), "{folded:?}");
    assert!(!folded.iter().any(|text| carried.contains(&text.as_str())), "{folded:?}");
}

#[test]
fn a_compaction_of_other_messages_or_of_another_form_is_counted() {
    let of_others = COMPACTION.replace("id:msg_NkbtQkNh", "id:msg_elsewhere");
    let session = with_compaction(&of_others);
    assert_eq!((folds(&session).len(), session.beside["compaction of other messages"]), (0, 1));
    let session = with_compaction(&COMPACTION[..500]);
    assert_eq!((folds(&session).len(), session.unreadable), (0, 1));
    let said: Value = serde_json::from_str(COMPACTION).unwrap();
    for changed in hostile::wrong(&said) {
        assert!(folds(&with_compaction(&changed.to_string())).len() <= 1, "{changed}");
    }
}
