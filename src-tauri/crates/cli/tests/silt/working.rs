//! Agents that are asked like a model, as scripts use them: found, added, tested, asked, removed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};
use siltstone_test_servers::acp_agent;
use siltstone_test_servers::files::executable;

use crate::desk::{Desk, conversation_of};

/// A desk with a program on the `PATH` that is known by its name.
#[cfg(unix)]
fn with_agent(name: &str) -> (Desk, String) {
    let desk = Desk::trusted();
    let folder = desk.data.path().join("programs");
    fs::create_dir_all(&folder).unwrap();
    let script = format!("#!/bin/sh\nexec {}\n", acp_agent(&["--models", "big,small"]).unwrap());
    fs::write(folder.join(name), script).unwrap();
    executable(&folder.join(name)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    (desk, path)
}

#[cfg(unix)]
#[test]
fn an_agent_of_this_computer_is_added_by_its_name_and_does_what_is_asked() {
    let (desk, path) = with_agent("claude-agent-acp");
    let silt = |args: &[&str]| {
        let ran = desk.command(args).env("PATH", &path).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (ran.status.code(), text(ran.stdout), text(ran.stderr))
    };
    let (_, found, _) = silt(&["agent", "list"]);
    assert_eq!(found.trim(), "+ Claude Code  claude-agent-acp");
    let (_, added, said) = silt(&["agent", "add", "claude code"]);
    assert_eq!(added.trim(), "claude code  claude-agent-acp");
    assert!(said.contains("silt chat --provider \"claude code\""), "{said}");
    let (_, models, _) = silt(&["agent", "test", "claude code"]);
    let models: Vec<&str> = models.lines().filter_map(|it| it.split("  ").next()).collect();
    assert_eq!(models, ["default", "big", "small"]);

    let question = "say Now.\nedit docs/new.md made\\n";
    let (code, reply, said) = silt(&["chat", "--provider", "claude code", question]);
    assert_eq!(code, Some(0), "{said}");
    assert!(reply.contains("Now.") && said.contains("claude code: edit Edit docs/new.md: refused"));
    assert!(!desk.project.path().join("docs/new.md").exists());
    let allowed = ["chat", "--provider", "claude code", "--allow", "claude code: edit", question];
    let (code, _, said) = silt(&allowed);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("claude code: edit Edit docs/new.md: done").count(), 1, "{said}");
    assert_eq!(fs::read_to_string(desk.project.path().join("docs/new.md")).unwrap(), "made\n");
    // What left is the prompt, whole.
    let left = desk.json(&["egress", "list"]);
    assert!(left.to_string().contains("\"ACP\""), "{left}");

    let (_, removed, _) = silt(&["--json", "agent", "remove", "claude code"]);
    assert!(serde_json::from_str::<Value>(&removed).is_ok(), "{removed}");
    assert_eq!(desk.json(&["agent", "list"])["agents"], json!([]));
}

/// What an agent offers beside its models: shown, chosen, and said as it is.
#[test]
fn an_agents_modes_and_commands_are_listed_and_used() {
    let desk = Desk::trusted();
    let options = ["--modes", "auto,default,plan", "--commands", "review,init"];
    desk.json(&["agent", "add", "mine", &acp_agent(&options).unwrap()]);
    let offers = || desk.json(&["agent", "list"])["agents"][0]["offers"].take();
    assert_eq!(offers(), json!([]));
    let tested = desk.json(&["agent", "test", "mine"]);
    assert_eq!(
        tested["modes"][1],
        json!({"id": "default", "name": "default", "about": "", "asks": true})
    );
    assert_eq!(
        tested["commands"][0],
        json!({"name": "review", "about": "Does review", "hint": "what"})
    );
    let shown = desk.silt(&["agent", "test", "mine"]).out;
    assert!(shown.contains("--mode default  default  (asks)"), "{shown}");
    assert!(shown.contains("/review what  Does review"), "{shown}");
    let known = offers();
    assert_eq!(known[0]["told"]["commands"], tested["commands"]);
    assert_eq!(known[0]["project_id"], Value::Null);

    let run = |args: &[&str]| {
        let said = desk.silt(&[&["agent", "run", "mine"], args].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        said
    };
    assert!(run(&["mode"]).out.contains("In default."));
    assert!(run(&["--mode", "plan", "mode"]).out.contains("In plan."));
    assert!(run(&["/review", "src"]).out.contains("review of 1: src"));
    let gone = desk.silt(&["agent", "run", "mine", "--mode", "gone", "mode"]);
    assert!(gone.code == Some(1) && gone.err.contains("no mode gone"), "{}", gone.err);
}

/// What an agent changed is listed with what it was not asked about, and taken back; what somebody changed since stays until it
/// is named.
#[test]
fn what_an_agent_changed_is_listed_and_taken_back() {
    let desk = Desk::trusted();
    desk.json(&["agent", "add", "mine", &acp_agent(&[]).unwrap()]);
    let question = "edit a.txt asked\\n\nhidden b.txt unasked\nhidden docs/server.md Gone.";
    let said = desk.silt(&["agent", "run", "mine", "--allow", "mine: edit", question]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let told = desk.silt(&["conversation", "changes"]).out;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].contains("a.txt  +1 −0") && !lines[0].contains("not asked"), "{told}");
    assert!(lines[1].contains("b.txt") && lines[1].ends_with("(not asked)"), "{told}");
    desk.file("b.txt", "mine");
    let file = |path: &str| fs::read_to_string(desk.project.path().join(path)).ok();
    let undone = desk.json(&["conversation", "undo", "last"]);
    assert_eq!(undone["done"], 2, "{undone}");
    assert_eq!((file("a.txt"), file("b.txt").as_deref()), (None, Some("mine")));
    assert!(file("docs/server.md").unwrap().starts_with("# Server"));
    let none = desk.silt(&["conversation", "undo", "last"]);
    assert!(none.code == Some(1) && none.err.contains("name the files"), "{}", none.err);
    assert_eq!(desk.silt(&["conversation", "undo", "last", "elsewhere"]).code, Some(1));
    desk.json(&["conversation", "undo", "last", "b.txt"]);
    assert_eq!(file("b.txt"), None);
    desk.json(&["checkpoint", "undo"]);
    assert_eq!(file("b.txt").as_deref(), Some("mine"));
    let asked =
        conversation_of(&desk.chat(&["--provider", "offline", "--model", "offline", "hello"]));
    let nothing = desk.silt(&["conversation", "changes", &asked]);
    assert!(
        nothing.code == Some(0) && nothing.err.contains("Nothing was carried out"),
        "{}",
        nothing.err
    );
}

/// What was said elsewhere in the project, asked for by the agent in the middle of its work.
#[test]
fn an_agent_looks_up_what_was_said_in_the_project_once_that_may_go_along() {
    let desk = Desk::trusted();
    desk.chat(&["The heron nests beside the old mill."]);
    desk.json(&["agent", "add", "mine", &acp_agent(&[]).unwrap()]);
    let look = || {
        desk.chat(&["--provider", "mine", "look heron"]);
        let id = desk.json(&["conversation", "list"])["conversations"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        desk.json(&["conversation", "show", &id]).to_string()
    };
    let said = desk.silt(&["recall", "others"]);
    assert!(said.out.contains("Not answered yet"), "{}", said.out);
    assert!(!look().contains("old mill"));
    assert_eq!(desk.json(&["recall", "others", "allow"])["allowed"], true);
    assert!(look().contains("old mill"));
    assert_eq!(desk.json(&["recall", "others", "refuse"])["allowed"], false);
    assert!(!look().contains("old mill"));
    let said = desk.silt(&["--lang", "ko", "recall", "others"]);
    assert!(said.out.contains("함께 가지 않습니다"), "{}", said.out);
}

/// Siltstone is ended, by force, at each message of an agent's.
#[cfg(unix)]
#[test]
fn whenever_siltstone_is_killed_during_the_work_of_an_agent_the_conversation_is_whole() {
    let desk = Desk::trusted();
    let question = "say One.\nread AGENTS.md\nedit docs/made.md made\\n\nsay Two.";
    let mut killed = 0;
    for at in 1.. {
        let name = format!("agent {at}");
        let log = desk.data.path().join(format!("{at}.log"));
        let options = ["--kills", &at.to_string(), "--log", log.to_str().unwrap()];
        desk.json(&["agent", "add", &name, &acp_agent(&options).unwrap()]);
        let allowed = format!("{name}: edit");
        let ran = desk.silt(&["chat", "--provider", &name, "--allow", &allowed, question]);
        let newest = || {
            let id = desk.json(&["conversation", "list"])["conversations"][0]["id"].clone();
            (
                id.as_str().unwrap().to_owned(),
                desk.json(&["conversation", "show", id.as_str().unwrap()]),
            )
        };
        let (id, shown) = newest();
        let messages = shown["messages"].as_array().unwrap();
        assert_eq!(shown["conversation"]["open_turn"], Value::Null, "{at}: {shown}");
        assert!(messages[0].to_string().contains("edit docs/made.md"), "{at}: {shown}");
        let calls = messages.iter().filter_map(|it| it["tool_calls"].as_array()).flatten();
        let calls: Vec<&Value> = calls.map(|it| &it["id"]).collect();
        let answered = messages.iter().map(|it| &it["tool_call_id"]).filter(|it| !it.is_null());
        let answered: Vec<&Value> = answered.collect();
        // Only the last one may have been cut off between being done and being written down.
        let open = calls.len() - answered.len();
        assert!(
            calls.starts_with(&answered) && open <= usize::from(ran.code.is_none()),
            "{at}: {shown}"
        );
        if ran.code == Some(0) {
            assert!(shown.to_string().contains("Two."), "{at}: {shown}");
            break;
        }
        killed += 1;
        // The next message is answered, and the agent hears what was said before.
        let again = format!("agent {at} again");
        desk.json(&[
            "agent",
            "add",
            &again,
            &acp_agent(&["--log", log.to_str().unwrap()]).unwrap(),
        ]);
        desk.chat(&["--conversation", &id, "--provider", &again, "say There."]);
        assert!(newest().1.to_string().contains("There."), "{at}");
        let heard = fs::read_to_string(&log).unwrap();
        assert!(heard.lines().last().unwrap().contains("edit docs/made.md"), "{at}: {heard}");
    }
    assert!(killed > 8, "{killed}");
}

#[test]
fn what_is_no_agent_is_told_in_both_languages() {
    let desk = Desk::trusted();
    let unknown = desk.silt(&["agent", "test", "nobody"]);
    assert!(unknown.code == Some(1) && unknown.err.contains("silt agent list"), "{}", unknown.err);
    let unknown = desk.silt(&["--lang", "ko", "agent", "add", "nobody"]);
    assert!(unknown.err.contains("시작하는 명령을 알려 주세요"), "{}", unknown.err);
    let open = desk.silt(&["agent", "add", "mine", "'open"]);
    assert!(open.code == Some(1) && open.err.contains("a quote may be open"), "{}", open.err);
    desk.json(&["agent", "add", "mine", &acp_agent(&["--login"]).unwrap()]);
    for (lang, said) in [("en", "log in there"), ("ko", "로그인해야 합니다")] {
        let login = desk.silt(&["--lang", lang, "agent", "test", "mine"]);
        assert!(login.code == Some(1) && login.err.contains(said), "{}", login.err);
    }
    // A provider that is none is not removed as one.
    let base_url = "http://127.0.0.1:9/v1";
    let provider =
        ["provider", "add", "--kind", "openai", "--name", "here", "--base-url", base_url];
    desk.json(&provider);
    assert_eq!(desk.silt(&["agent", "remove", "here"]).code, Some(1));
}

/// Two agents on one project, each in a copy; one is stopped from elsewhere, and what the other made is merged.
#[test]
fn agents_work_in_copies_side_by_side_and_are_stopped_from_elsewhere() {
    let desk = Desk::new();
    desk.file("aurora/ports.txt", "one\ntwo\n");
    let root = desk.project.path().join("aurora");
    let root = root.to_str().unwrap();
    let silt = |args: &[&str]| desk.json(&[&["--project", root], args].concat());
    silt(&["project", "open", root, "--trust"]);
    silt(&["agent", "add", "first", &acp_agent(&[]).unwrap()]);
    silt(&["agent", "add", "second", &acp_agent(&[]).unwrap()]);

    let hanging =
        ["--project", root, "--json", "agent", "run", "first", "--copy", "a", "say Hm.\nhang"];
    let mut child = desk.command(&hanging).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = |event: &str| -> Value {
        let lines =
            lines.by_ref().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        lines.into_iter().find(|line| line["event"] == event).unwrap()
    };
    let id = said("started")["conversation_id"].as_str().unwrap().to_owned();
    said("text");

    let text = "hidden ports.txt 2\nhidden new.txt made\nsay Done.";
    let ran = desk.silt(&["--project", root, "agent", "run", "second", "--copy", "b", text]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "Done."), "{}", ran.err);
    let sessions = silt(&["agent", "sessions"])["sessions"].clone();
    let states: Vec<(&str, &str, &str)> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["agent", "project", "state"].map(|key| it[key].as_str().unwrap()))
        .map(|[agent, place, state]| (agent, place, state))
        .collect();
    assert_eq!(states, [("first", "aurora-a", "working"), ("second", "aurora-b", "ended")]);

    assert_eq!(silt(&["agent", "stop", &id])["stopped"], *id);
    let done = said("done");
    assert_eq!((&done["interrupted"], &done["status"]), (&true.into(), &"interrupted".into()));
    child.wait().unwrap();
    let sessions = silt(&["agent", "sessions"])["sessions"].clone();
    assert!(sessions.as_array().unwrap().iter().all(|it| it["state"] == "ended"), "{sessions}");

    // Nothing of it is here before it is merged.
    let here = |path: &str| fs::read_to_string(desk.project.path().join("aurora").join(path)).ok();
    assert_eq!((here("ports.txt").as_deref(), here("new.txt")), (Some("one\ntwo\n"), None));
    let ran = desk.silt(&["--project", root, "copy", "diff", "b"]);
    assert_eq!(ran.out, "added  new.txt  +1 −0\nmodified  ports.txt  +1 −2\n", "{}", ran.err);
    desk.file("aurora/ports.txt", "one\nother\n");
    let ran = desk.silt(&["--project", root, "copy", "merge", "b"]);
    assert!(ran.out.contains("=  ports.txt  changed here too"), "{}{}", ran.out, ran.err);
    assert_eq!(
        (here("ports.txt").as_deref(), here("new.txt").as_deref()),
        (Some("one\nother\n"), Some("made"))
    );
    silt(&["copy", "merge", "b", "--conflicts", "copy"]);
    assert_eq!(here("ports.txt").as_deref(), Some("2"));
    silt(&["checkpoint", "undo"]);
    assert_eq!(here("ports.txt").as_deref(), Some("one\nother\n"));

    let refused = desk.silt(&["--project", root, "copy", "remove", "b"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("1 file not merged"), "{}", refused.err);
    silt(&["copy", "remove", "b", "--yes"]);
    silt(&["copy", "remove", "a"]);
    assert_eq!(silt(&["copy", "list"])["copies"], json!([]));
    assert_eq!(silt(&["conversation", "list"])["conversations"].as_array().unwrap().len(), 2);
    assert!(!desk.project.path().join("aurora-b").exists());
}
