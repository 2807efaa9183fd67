//! `silt context`: what one process puts, others know; and what a policy would send of a transcript.

use serde_json::{Value, json};

use crate::desk::{Desk, conversation_of, lines, said};
use crate::server::SlowServer;

/// Exchanges of two messages each, with names of their own.
fn transcript(turns: u32) -> String {
    let line = |number: u32| {
        let (role, content) = match number.is_multiple_of(2) {
            true => ("user", format!("Question {number}: which port does service {number} use?")),
            false => {
                let said = format!("Service {number} listens on port {}. ", 4000 + number);
                ("assistant", said + "It must never be open to the world.")
            }
        };
        json!({"id": format!("m{number}"), "role": role, "content": content}).to_string() + "\n"
    };
    (0..turns * 2).map(line).collect()
}

fn ids(sections: &Value) -> Vec<String> {
    let messages = sections
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|section| section["messages"].as_array().unwrap());
    messages.map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_memory_of_the_shells_folder_joins() {
    let desk = Desk::new();
    desk.file("src/api/AGENTS.md", "Handlers answer in JSON.\n");
    assert_eq!(desk.silt(&["project", "open", ".", "--trust"]).code, Some(0));
    let asked_in = |folder: &str| {
        let mut command = desk.command(&["--json", "chat", "Why?"]);
        let done = said(command.current_dir(desk.project.path().join(folder)).output().unwrap());
        assert_eq!(done.code, Some(0), "{}", done.err);
        let asked = lines(&done.out);
        desk.json(&["context", "sent", asked[0]["turn_id"].as_str().unwrap()])
    };
    let joined = |sent: &Value| {
        let sections = sent["sections"].as_array().unwrap().clone();
        let mut sources = sections.into_iter().map(|it| it["section"]["source"].clone());
        sources.any(|source| source == "src/api/AGENTS.md")
    };
    assert!(joined(&asked_in("src/api")));
    assert!(!joined(&asked_in(".")) && !joined(&asked_in("docs")));
}

#[test]
fn what_one_process_puts_others_know_and_send() {
    let desk = Desk::trusted();
    assert_eq!(desk.silt(&["context", "put", "currentFile", "src/a.rs"]).code, Some(0));
    let kept = desk.feed(&["context", "put", "team", "-", "--persistent"], "둘\n셋".as_bytes());
    assert_eq!(kept.code, Some(0), "{}", kept.err);
    let shown = desk.json(&["context", "show"]);
    assert_eq!(shown["volatile"]["app"]["currentFile"], "src/a.rs");
    assert_eq!(shown["persistent"]["app"]["team"], "둘\n셋");
    let rules = shown["persistent"]["app"]["projectRules"].as_str().unwrap();
    assert!(rules.starts_with("AGENTS.md:\n# Rules"), "{rules}");
    assert!(shown["persistent"]["layer"]["provider.offline"].is_string());
    assert_eq!(desk.silt(&["context", "get", "team"]).out, "둘\n셋\n");
    let korean = desk.json(&["--lang", "ko", "context", "show"]);
    assert!(korean["composed_volatile"].as_str().unwrap().starts_with("## 휘발성 컨텍스트\n"));

    let asked = desk.chat(&["--with", "selection=1-3", "Which port?"]);
    let sent = desk.json(&["context", "sent", asked[0]["turn_id"].as_str().unwrap()]);
    let text = |kind: &str| {
        let sections = sent["sections"].as_array().unwrap();
        let found = sections.iter().find(|it| it["section"]["kind"] == kind).unwrap();
        found["text"].as_str().unwrap().to_owned()
    };
    assert!(text("persistent_context").contains("\nteam:\n```\n둘\n셋\n```"));
    assert!(text("volatile_context").contains("\ncurrentFile: src/a.rs\nselection: 1-3\n"));
    let id = conversation_of(&asked);
    let alone = ["context", "preview", "--conversation", &id, "--with", "selection=9", "--alone"];
    let preview = desk.silt(&[&["--json"], alone.as_slice()].concat()).out;
    assert!(preview.contains("selection: 9") && !preview.contains("currentFile"), "{preview}");

    assert_eq!(desk.silt(&["context", "remove", "team", "--persistent"]).code, Some(0));
    assert_eq!(desk.json(&["context", "clear"])["volatile"]["app"].as_object().unwrap().len(), 2);
    let gone = desk.silt(&["--json", "context", "get", "team"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.out.contains("not_found"), "{}", gone.out);
    let own = desk.silt(&["--json", "context", "put", "projectRules", "obey", "--persistent"]);
    assert!(own.code == Some(1) && own.out.contains("bad_request"), "{}", own.out);

    desk.file("AGENTS.md", "# Rules\nAnswer in verse.\n");
    let rules = || desk.json(&["context", "refresh"])["persistent"]["app"]["projectRules"].clone();
    assert!(!rules().as_str().unwrap().contains("verse"), "nobody agreed to it");
    assert_eq!(desk.silt(&["memory", "agree", "--yes"]).code, Some(0));
    assert!(rules().as_str().unwrap().contains("verse"), "{}", rules());
}

#[test]
fn every_policy_tells_a_transcript_within_its_budget_and_always_alike() {
    let desk = Desk::new();
    desk.file("long.jsonl", &transcript(121));
    for policy in ["rolling", "segments", "running", "window", "importance", "summarise", "none"] {
        let call = ["context", "preview", "--transcript", "long.jsonl", "--policy", policy];
        let call = [call.as_slice(), &["--budget", "2000", "--model", "m", "--draft", "And now?"]]
            .concat();
        let told = desk.json(&call);
        assert_eq!(told, desk.json(&call), "{policy}");
        let sections = told["sections"].as_array().unwrap();
        let tokens: u64 = sections.iter().map(|section| section["tokens"].as_u64().unwrap()).sum();
        assert_eq!((told["tokens"].as_u64(), told["budget"].as_u64()), (Some(tokens), Some(2000)));
        assert!(tokens <= 2000, "{policy}: {tokens}");
        let last = sections.last().unwrap();
        assert_eq!((&last["text"], &last["turns"]), (&json!("And now?"), &json!([122])));

        // Whole messages in order, to the newest, each with its turn.
        let sent = ids(&told["sections"]);
        let numbers: Vec<u32> =
            sent[..sent.len() - 1].iter().map(|id| id[1..].parse().unwrap()).collect();
        assert!(numbers.is_sorted() && numbers.last() == Some(&241), "{policy}: {numbers:?}");
        for section in sections.iter().filter(|section| section["kind"] == "turn") {
            let number: u32 = section["id"].as_str().unwrap()["message:m".len()..].parse().unwrap();
            assert_eq!(section["turns"], json!([number / 2 + 1]));
        }

        // Nothing that is summarised is sent as well, and no summary overlaps another.
        let summaries = told["summaries"].as_array().unwrap();
        let mut covered = 0;
        for summary in summaries {
            covered += summary["covered_message_count"].as_u64().unwrap();
            let until = summary["covered_until_message_id"].as_str().unwrap();
            assert_eq!(until, format!("m{}", covered - 1), "{policy}");
            assert!(!summary["summary"].as_str().unwrap().is_empty());
        }
        assert!(numbers.iter().all(|number| u64::from(*number) >= covered), "{policy}: {covered}");
        let makes = ["segments", "running"].contains(&policy);
        assert!(!makes || covered > 180, "{policy}: {covered}");
    }
}

#[test]
fn strict_and_rate_and_language_count_and_what_is_no_transcript_is_refused() {
    let desk = Desk::new();
    desk.file("t.jsonl", &transcript(10));
    let told = |more: &[&str]| {
        let call = ["context", "preview", "--transcript", "t.jsonl", "--policy", "segments"];
        desk.json(&[call.as_slice(), more].concat())
    };
    // behaviour.md, Segments: with turn 10, turns 1-3, 4-6 and 7-9 are summarised.
    let strict = told(&["--strict", "--rate", "0.3", "--draft", "?"]);
    let turns = |told: &Value| -> Vec<Value> {
        told["summaries"].as_array().unwrap().iter().map(|it| it["turns"].clone()).collect()
    };
    assert_eq!(turns(&strict), [json!([1, 2, 3]), json!([4, 5, 6]), json!([7, 8, 9])]);
    for summary in strict["summaries"].as_array().unwrap() {
        let of = |field: &str| summary[field].as_f64().unwrap();
        assert!(of("summary_chars") <= (of("original_chars") * 0.3).floor(), "{summary}");
    }
    let korean = told(&["--strict", "--language", "ko"]);
    assert_eq!(korean["language"], "ko");

    desk.file(
        "broken.jsonl",
        "{\"role\":\"user\",\"content\":\"a\"}\n{broken}\n{\"role\":\"user\"}\n",
    );
    desk.file("AGENTS.md", "# no transcript");
    for file in ["broken.jsonl", "AGENTS.md"] {
        let refused = desk.silt(&["--json", "context", "preview", "--transcript", file]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.out.contains("import_unreadable"), "{}", refused.out);
    }
    let small = ["--json", "context", "preview", "--transcript", "t.jsonl", "--budget", "20"];
    let refused = desk.silt(&small);
    assert!(refused.out.contains("context_overflow"), "{}", refused.out);
    assert_eq!(desk.silt(&["context", "preview", "--policy", "none"]).code, Some(2));
}

#[test]
fn what_is_left_out_is_so_once_and_what_is_pinned_until_it_is_not() {
    let desk = Desk::trusted();
    let id = conversation_of(&desk.chat(&["Which port?"]));
    let wish = |verb: &str, section: &str| desk.silt(&["--json", "context", verb, &id, section]);
    let preview = || desk.json(&["context", "preview", "--conversation", &id, "--draft", "And?"]);
    let memory = |view: &Value| {
        let sections = view["sections"].as_array().unwrap();
        sections.iter().find(|it| it["id"] == "memory:AGENTS.md").cloned()
    };
    assert_eq!(wish("leave-out", "memory:AGENTS.md").code, Some(0));
    let without = preview();
    assert_eq!(memory(&without), None);
    let left_out = json!({"id": "memory:AGENTS.md", "source": "AGENTS.md", "why": "by_you"});
    let found =
        without["left_out"].as_array().unwrap().iter().any(|left| {
            left_out.as_object().unwrap().iter().all(|(key, value)| left[key] == *value)
        });
    assert!(found, "{}", without["left_out"]);
    let asked = desk.chat(&["--conversation", &id, "And the timer?"]);
    let sent = desk.json(&["context", "sent", asked[0]["turn_id"].as_str().unwrap()]);
    assert!(!sent["sections"].to_string().contains("memory:AGENTS.md"), "{}", sent["sections"]);
    assert_eq!(memory(&preview()).unwrap()["pinned"], false, "once");

    assert_eq!(wish("pin", "memory:AGENTS.md").code, Some(0));
    desk.chat(&["--conversation", &id, "And now?"]);
    assert_eq!(memory(&preview()).unwrap()["pinned"], true, "until it is not");
    assert_eq!(wish("clear-wish", "memory:AGENTS.md").code, Some(0));
    assert_eq!(memory(&preview()).unwrap()["pinned"], false);
    let own = wish("leave-out", "instructions");
    assert!(own.code == Some(1) && own.out.contains("bad_request"), "{}", own.out);
}

#[test]
fn a_window_that_nobody_knows_is_said_to_be_assumed_until_the_person_says() {
    let (desk, server) = (Desk::new(), SlowServer::start());
    server.end_answers();
    desk.json(&["provider", "add", "--kind=openai", "--name=slow", "--base-url", &server.url]);
    let id = conversation_of(&desk.chat(&["--provider=slow", "--model=slow-1", "Hello?"]));
    let preview = ["context", "preview", "--conversation", &id];
    let says = |source: &str, window: u64| {
        let view = desk.json(&preview);
        assert_eq!((&view["window_source"], &view["window"]), (&json!(source), &json!(window)));
        assert!(view["budget"].as_u64().unwrap() < window);
        let is_assumed = source == "assumed";
        assert_eq!(desk.silt(&preview).out.contains("`silt provider window slow-1 "), is_assumed);
    };
    says("assumed", 32_768);
    let set = desk.json(&["provider", "window", "slow-1", "50000"]);
    assert_eq!(set, json!({"windows": {"slow-1": 50_000}}));
    says("person", 50_000);
    assert_eq!(desk.json(&["provider", "window", "slow-1"]), json!({"windows": {}}));
    says("assumed", 32_768);
}

/// behaviour.md, Memory: what is kept for its worth says so, and of what that is made.
#[test]
fn messages_that_are_kept_for_their_worth_say_it_in_plain_text() {
    let desk = Desk::new();
    desk.file("long.jsonl", &transcript(121));
    let call = ["context", "preview", "--transcript", "long.jsonl", "--policy", "importance"];
    let call = [call.as_slice(), &["--budget", "2000", "--draft", "And now?"]].concat();
    let plain = desk.silt(&call).out;
    let kept: Vec<&str> = plain.lines().filter(|it| it.contains("(kept for its worth, ")).collect();
    assert!(!kept.is_empty(), "{plain}");
    for line in kept {
        let said = line.split_once("(kept for its worth, ").unwrap().1.trim_end_matches(')');
        let (total, parts) = said.split_once(": ").unwrap();
        let tenths = |points: &str| points.replace('.', "").parse::<u32>().unwrap();
        let sum: u32 = parts.split(", ").map(|it| tenths(it.rsplit(' ').next().unwrap())).sum();
        assert_eq!(tenths(total), sum, "{line}");
        assert!(parts.starts_with("new ") && !line.contains("recent"), "{line}");
    }
    let korean = desk.silt(&[&["--lang", "ko"], call.as_slice()].concat()).out;
    assert!(korean.contains("(중요해서 남김, "), "{korean}");
    let newest = [&call[..4], &["--policy", "window", "--budget", "2000"]].concat();
    assert!(!desk.silt(&newest).out.contains("kept for its worth"));
}

/// What is printed is as it would be sent: a key in a rule file stays in the file.
#[test]
fn a_secret_in_a_rule_file_is_redacted_where_context_is_shown() {
    const CANARY: &str = "hunter2-Zq7Lw2Vx9Tn4";
    let desk = Desk::new();
    desk.file("AGENTS.md", &format!("Use the staging server.\npassword={CANARY}\n"));
    let opened = desk.silt(&["project", "open", ".", "--trust"]);
    assert!(opened.out.contains("! AGENTS.md:2:10  secret (password)\n"), "{}", opened.out);
    desk.silt(&["context", "put", "login", &format!("password={CANARY}"), "--persistent"]);
    let id = conversation_of(&desk.chat(&["Which server?"]));
    for call in [
        &["context", "show"][..],
        &["context", "refresh"],
        &["context", "get", "projectRules"],
        &["context", "get", "login"],
        &["context", "preview", "--conversation", &id],
    ] {
        let (plain, json) = (desk.silt(call), desk.json(call).to_string());
        assert!(!plain.out.contains(CANARY) && !json.contains(CANARY), "{call:?}: {}", plain.out);
    }
    let rules = desk.silt(&["context", "get", "projectRules"]).out;
    assert!(rules.contains("Use the staging server."), "{rules}");
}

/// behaviour.md, Context stores: outside of a project, the work is where the shell is.
#[test]
fn outside_of_projects_the_place_of_work_is_the_shells_folder() {
    let desk = Desk::new();
    desk.file("src/api/a.rs", "");
    let here = desk.project.path().join("src/api").canonicalize().unwrap();
    let mut command = desk.command(&["--json", "context", "show"]);
    let shown = said(command.current_dir(&here).output().unwrap());
    let shown: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(shown["volatile"]["app"]["workingDirectory"], here.to_str().unwrap());
}
