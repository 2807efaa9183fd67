//! Nothing happens in silence, and what is said is in the person's language: one line for whatever does not go along, the
//! next step for what is refused.

use serde_json::{Value, json};

use crate::desk::{Desk, conversation_of, said};
use crate::server::SlowServer;

#[test]
fn a_directory_is_resolved_or_refused() {
    let desk = Desk::trusted();
    desk.file("src/AGENTS.md", "Tabs, never spaces.\n");
    desk.silt(&["project", "open", ".", "--trust"]);
    let inside = desk.project.path().canonicalize().unwrap().join("src");
    for dir in ["src", "./src/", "src/../src", inside.to_str().unwrap()] {
        let merged = desk.silt(&["memory", "--dir", dir, "effective"]);
        assert_eq!(merged.code, Some(0), "{dir}: {}", merged.err);
        assert!(merged.out.contains("directory src/AGENTS.md:1  Tabs"), "{dir}: {}", merged.out);
    }
    for (dir, says) in [("/", "inside"), ("..", "inside"), ("scr", "scr"), ("AGENTS.md", "inside")]
    {
        let refused = desk.silt(&["memory", "--dir", dir, "effective"]);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{dir}");
        assert!(refused.err.contains(says), "{dir}: {}", refused.err);
    }
}

#[test]
fn an_import_that_is_not_taken_in_is_said() {
    let desk = Desk::new();
    desk.file("AGENTS.md", "# Rules\nSee @~/rules.md and @gone.md.\n");
    desk.silt(&["project", "open", ".", "--trust"]);
    for args in [&["memory", "effective"][..], &["chat", "Hello"]] {
        let said = desk.silt(args);
        assert_eq!(said.code, Some(0), "{}", said.err);
        for line in
            ["AGENTS.md:2 @~/rules.md (outside of the project)", "AGENTS.md:2 @gone.md (not found)"]
        {
            assert!(said.err.contains(line), "{args:?}: {}", said.err);
        }
    }
    let korean = desk.silt(&["--lang", "ko", "memory", "effective"]);
    assert!(korean.err.contains("@~/rules.md (프로젝트 밖)"), "{}", korean.err);
}

#[test]
fn a_summary_that_failed_is_said() {
    let desk = Desk::new();
    let server = SlowServer::start();
    server.end_answers();
    desk.json(&["provider", "add", "--kind=openai", "--name=slow", "--base-url", &server.url]);
    desk.json(&["provider", "default", "slow", "slow-1"]);
    let facts = "The preview server listens on port 4747, and nobody may change it. ".repeat(1_000);
    let id = conversation_of(&desk.chat(&[&facts]));
    desk.chat(&["--conversation", &id, "And the second?"]);
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{gone}/v1");
    desk.json(&["provider", "add", "--kind", "openai", "--name", "gone", "--base-url", &url]);
    desk.json(&["settings", "set", "tasks.summarise", "gone", "m"]);
    let mut eager = desk.command(&["chat", "--conversation", &id, "And the third?"]);
    let said = said(eager.env("APP_CONTEXT_THRESHOLD", "20").output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("The summary failed (provider unreachable)"), "{}", said.err);
    let listed = desk.silt(&["--lang", "ko", "summary", "list", &id]);
    assert!(listed.out.contains("실패: 모델 서버가 응답하지 않음"), "{}", listed.out);
}

#[test]
fn what_is_not_there_says_where_to_look() {
    let desk = Desk::trusted();
    let nobody = "01890000-0000-7000-8000-000000000000";
    let missing: &[(&[&str], &str, &str)] = &[
        (&["conversation", "show", nobody], "conversation list", "대화를 찾지 못했습니다"),
        (&["summary", "show", nobody], "summary list", "요약을 찾지 못했습니다"),
        (&["context", "sent", nobody], "conversation show", "차례를 찾지 못했습니다"),
        (
            &["context", "preview", "--transcript", "no.jsonl"],
            "Check the path",
            "no.jsonl 파일이 없습니다",
        ),
        (&["chat", "--provider", "nope", "hi"], "provider list", "nope 제공자가 없습니다"),
        (&["provider", "test", "nope"], "provider list", "nope 제공자가 없습니다"),
        (
            &["memory", "history", "AGENTS.md", "--version", "9"],
            "memory history",
            "버전 9이 없습니다",
        ),
        (&["checkpoint", "show", "nope"], "checkpoint list", "nope 체크포인트를 찾지 못했습니다"),
        (&["checkpoint", "restore", nobody], "checkpoint plan", "되돌리기 계획이 없습니다"),
        (&["checkpoint", "remote", "test", "nope"], "remote list", "nope 원격 저장소가 없습니다"),
        (&["plan", "finish", "nope"], "plan list", "nope 계획이 없습니다"),
        (&["tree", "go-on"], "tree create", "기다리는 계획이 없습니다"),
        (&["mcp", "test", "nope"], "mcp list", "nope 서버가 없습니다"),
        (&["chat", "/memory forget it"], "--literal", "/memory 다음에는"),
        (&["chat", "/plan list of things"], "--literal", "그런 명령이 없거나"),
        (&["chat", "  "], "Write what to ask", "메시지가 비어 있습니다"),
    ];
    for (args, hint, korean) in missing {
        let english = desk.silt(args);
        assert_eq!(english.code, Some(1), "{args:?}: {}", english.err);
        assert!(english.err.contains(hint), "{args:?}: {}", english.err);
        assert!(!english.err.contains("trash") || args[0] == "conversation", "{}", english.err);
        let said = desk.silt(&[&["--lang", "ko"], *args].concat());
        assert!(said.err.contains(korean), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_name_that_is_taken_asks_for_another_one_and_what_is_pinned_for_a_yes() {
    let desk = Desk::trusted();
    desk.json(&["checkpoint", "create", "--tag", "one"]);
    let again = desk.silt(&["checkpoint", "create", "--tag", "one"]);
    assert!(again.err.contains("Choose another name"), "{}", again.err);
    assert!(!again.err.contains("once this is no longer so"), "{}", again.err);

    // What it weighs is the same wherever it is shown.
    let list = desk.silt(&["checkpoint", "list"]).out;
    let show = desk.silt(&["checkpoint", "show", "one"]).out;
    assert_eq!(list.lines().next(), show.lines().next());
    let listed = desk.json(&["checkpoint", "list"])["items"][0]["bytes"].clone();
    assert_eq!(desk.json(&["checkpoint", "show", "one"])["item"]["bytes"], listed);

    desk.json(&["checkpoint", "pin", "one"]);
    let refused = desk.silt(&["checkpoint", "delete", "one"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.err.contains("--yes") && refused.err.contains("pin ID --off"),
        "{}",
        refused.err
    );
    let gone = desk.silt(&["checkpoint", "delete", "one", "--yes"]);
    assert_eq!((gone.code, gone.err.trim()), (Some(0), "1 checkpoint gone"));
}

#[test]
fn states_are_words_of_the_language() {
    let desk = Desk::trusted();
    desk.silt(&["plan", "add", "Ship it"]);
    desk.silt(&["task", "add", "Write it"]);
    let korean = |args: &[&str]| desk.silt(&[&["--lang", "ko"], args].concat()).out;
    assert_eq!(korean(&["plan", "list"]), "> plan_001  진행 중  Ship it  (할 일 1개)\n");
    assert_eq!(korean(&["task", "list"]), "  task_001  할 일  Write it\n");
    assert_eq!(desk.silt(&["plan", "list"]).out, "> plan_001  active  Ship it  (1 task)\n");
    desk.silt(&["task", "start", "task_001"]);
    assert_eq!(korean(&["task", "list"]), "> task_001  하는 중  Write it\n");
    assert!(korean(&["memory", "effective"]).starts_with("프로젝트 AGENTS.md:1"));
}

#[test]
fn versions_of_a_file_are_counted_from_one() {
    let desk = Desk::trusted();
    desk.file("CLAUDE.md", "Another file, whose versions count beside these.\n");
    desk.silt(&["memory", "refresh"]);
    for text in ["# Two\n", "# Three\n"] {
        desk.file("AGENTS.md", text);
        desk.silt(&["memory", "refresh"]);
    }
    let history = desk.json(&["memory", "history", "AGENTS.md"]);
    let versions = history["versions"].as_array().unwrap();
    let numbers: Vec<&Value> = versions.iter().map(|it| &it["version"]).collect();
    assert_eq!(numbers, [&json!(3), &json!(2), &json!(1)]);
    let text = |number: &str| desk.silt(&["memory", "history", "AGENTS.md", "--version", number]);
    assert!(text("1").out.starts_with("# Rules") && text("3").out.starts_with("# Three"));
    let whole = desk.project.path().canonicalize().unwrap().join("AGENTS.md");
    for typed in ["./AGENTS.md", "docs/../AGENTS.md", whole.to_str().unwrap()] {
        assert_eq!(desk.json(&["memory", "history", typed]), history, "{typed}");
    }
    let none = desk.silt(&["memory", "history", "AGENTS.md", "--version", "0"]);
    assert_eq!(none.code, Some(1));
}

#[test]
fn what_a_killed_copy_left_is_cleaned_by_the_next_call() {
    let desk = Desk::trusted();
    desk.json(&["backup", "create"]);
    let left = desk.data.path().join("backups/siltstone-asked-2026-01-02T00-00-00Z.db.unfinished");
    std::fs::write(&left, "half").unwrap();
    desk.json(&["conversation", "list"]);
    assert!(!left.exists());
}

#[test]
fn a_second_call_in_a_conversation_sends_the_same_instructions() {
    let desk = Desk::trusted();
    let server = SlowServer::start();
    server.end_answers();
    desk.json(&["provider", "add", "--kind=openai", "--name=slow", "--base-url", &server.url]);
    desk.json(&["provider", "default", "slow", "slow-1"]);
    let id = conversation_of(&desk.chat(&["Which port does the preview server use?"]));
    desk.chat(&["--conversation", &id, "What about the port?"]);
    desk.chat(&["--conversation", &id, "And once more?"]);
    let asked = server.asked.lock().unwrap();
    let sent: Vec<Value> = asked.iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    let turns: Vec<&Value> = sent.iter().filter(|body| body["stream"] == true).collect();
    assert_eq!(turns.len(), 3, "{sent:#?}");
    for turn in &turns[1..] {
        assert_eq!(
            turn["messages"][0], turns[0]["messages"][0],
            "what a provider keeps of it holds"
        );
        assert_eq!(turn["tools"], turns[0]["tools"]);
    }
}

#[test]
fn a_call_that_is_wrong_is_told_in_korean_too() {
    let desk = Desk::new();
    let wrong: &[(&[&str], &str)] = &[
        (&["chat"], "빠진 것: "),
        (&["chat", "--polcy", "x", "hi"], "그런 옵션은 없습니다: --polcy\n      혹시: --policy"),
        (&["conversaton"], "그런 명령은 없습니다: conversaton"),
        (&["conversation"], "어떤 명령인지 빠졌습니다"),
        (&["chat", "--rate", "0.9", "hi"], "쓸 수 없는 값: 0.9"),
        (
            &["conversation", "export", "x", "--format", "pdf"],
            "쓸 수 있는 값: markdown, json, jsonl",
        ),
        (&["chat", "--continue", "--conversation", "x", "hi"], "함께 쓸 수 없습니다"),
    ];
    for (args, says) in wrong {
        let wrong = desk.silt(&[&["--lang", "ko"], *args].concat());
        assert_eq!((wrong.code, wrong.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(wrong.err.contains(says), "{args:?}: {}", wrong.err);
        assert!(!wrong.err.contains("error:") && !wrong.err.contains("Usage"), "{}", wrong.err);
    }
}

#[test]
fn a_list_with_nothing_in_it_says_so() {
    let desk = Desk::trusted();
    for args in [
        &["plan", "list"][..],
        &["task", "list"],
        &["decision", "list"],
        &["checkpoint", "list"],
        &["checkpoint", "verify"],
        &["checkpoint", "remote", "list"],
        &["mcp", "list"],
        &["egress", "list"],
        &["memory", "lint"],
        &["conversation", "list"],
    ] {
        let said = desk.silt(args);
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{args:?}");
        assert_eq!(said.err.lines().count(), 1, "{args:?}: {}", said.err);
        assert_eq!(desk.silt(&[&["-q"], args].concat()).err, "", "{args:?}");
    }
}

/// Of the conversations of the place where it is called, the one in which something was said last.
#[test]
fn chat_goes_on_with_the_last_conversation() {
    let desk = Desk::new();
    let messages = |place: &[&str]| {
        let all = desk.json(&[place, &["conversation", "list", "--all"]].concat());
        let counts = all["conversations"].as_array().unwrap().iter();
        let mut counts: Vec<u64> = counts.map(|it| it["message_count"].as_u64().unwrap()).collect();
        counts.sort_unstable();
        counts
    };
    for text in [&["First."][..], &["Second."], &["--last", "More."], &["--last", "And more."]] {
        let said = desk.silt(&[&["chat"], text].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
    }
    assert_eq!(messages(&[]), [2, 6]);
    // Those of a project are others.
    desk.silt(&["project", "open", ".", "--trust"]);
    assert_eq!(desk.silt(&["chat", "--last", "Here?"]).code, Some(2));
    desk.silt(&["chat", "Here."]);
    assert_eq!(desk.silt(&["chat", "--last", "Here again."]).code, Some(0));
    assert_eq!(messages(&[]), [2, 4, 6]);
}

#[test]
fn what_does_nothing_says_so() {
    let desk = Desk::new();
    let calls: &[(&[&str], i32, &str, &str)] = &[
        (&["chat", "--continue", "And now?"], 2, "--conversation ID", "--conversation 아이디"),
        (&["chat", "--last", "And now?"], 2, "a new one begins", "새로 시작"),
        (&["memory", "show"], 0, "Nothing is remembered", "기억한 것이 없습니다"),
        (&["memory", "resources"], 2, "Name it with --conversation ID", "--conversation 아이디"),
    ];
    std::fs::remove_file(desk.project.path().join("AGENTS.md")).unwrap();
    let says = |call: &[&str], code: i32, english: &str, korean: &str| {
        for (lang, words) in [("en", english), ("ko", korean)] {
            let said = desk.silt(&[&["--lang", lang], call].concat());
            assert_eq!(said.code, Some(code), "{call:?}: {}", said.err);
            assert!(said.err.contains(words), "{call:?}: {}", said.err);
        }
    };
    for (call, code, english, korean) in calls {
        says(call, *code, english, korean);
    }
    let kept = desk.json(&["conversation", "list", "--all"]);
    assert_eq!(kept["conversations"], json!([]), "nothing was asked");
    desk.silt(&["project", "open", ".", "--trust"]);
    let search = ["search", "obsidian"];
    says(&search, 0, "--all searches everything", "--all을 붙이면");
    assert!(!desk.silt(&["search", "obsidian", "--all"]).err.contains("--all"));
}

/// What begins like a command and is none is asked about before it costs anything.
#[test]
fn a_command_that_is_none_is_not_sent() {
    let desk = Desk::trusted();
    for (text, says) in [("/help", "/help"), ("/compact now", "/compact"), ("/모름", "/모름")] {
        let said = desk.silt(&["chat", text]);
        assert_eq!(said.code, Some(2), "{text}");
        assert!(said.err.contains(&format!("{says} is no command here")), "{}", said.err);
        assert!(said.err.contains("--literal"), "{}", said.err);
    }
    assert_eq!(desk.json(&["conversation", "list"])["conversations"], json!([]));
    // A path and what is asked about one, and whatever comes through a pipe.
    for text in ["/tmp is full, why?", "/usr/bin/env and /help", "/ is what?"] {
        assert_eq!(desk.silt(&["chat", text]).code, Some(0), "{text}");
    }
    assert_eq!(desk.silt(&["chat", "--literal", "/help"]).code, Some(0));
    assert_eq!(desk.feed(&["chat", "-"], b"/help").code, Some(0));
}

#[test]
fn a_file_that_is_named_and_does_not_go_is_said() {
    let desk = Desk::trusted();
    desk.file(".env", "TOKEN=abc\n");
    desk.file("docs/big.md", &"A line of a file that no window holds.\n".repeat(20_000));
    let asked = "Look at @docs/server.md, @.env, @docs/big.md and @docs/gone.md";
    let said = desk.silt(&["chat", asked]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for line in [
        "@.env: does not go along (never sent)",
        "@docs/big.md: does not go along",
        "@docs/gone.md: no such file",
    ] {
        assert!(said.err.contains(line), "{line}: {}", said.err);
    }
    assert!(!said.err.contains("@docs/server.md"), "{}", said.err);
    let korean = desk.silt(&["--lang", "ko", "chat", "@.env 그리고 @docs/gone.md 를 봐"]);
    for line in ["@.env: 함께 가지 않습니다", "@docs/gone.md: 여기 프로젝트에 그런 파일이 없어"]
    {
        assert!(korean.err.contains(line), "{line}: {}", korean.err);
    }
    // Nor is a piece of the request that begins alike; a name with a blank is one name.
    desk.file("my keys/.env", "TOKEN=abc\n");
    let alike = desk.silt(&["chat", "Look at @context.md and @\"my keys/.env\""]);
    for line in ["@context.md: no such file", "@my keys/.env: does not go along (never sent)"] {
        assert!(alike.err.contains(line), "{line}: {}", alike.err);
    }
    // An address is no file, nor is what follows a word.
    let quiet = desk.silt(&["chat", "Write to me@example.com about @everyone"]);
    assert!(!quiet.err.contains('@'), "{}", quiet.err);
}

/// Forgetting a project is for ever, so what goes with it is said first.
#[test]
fn a_project_is_not_forgotten_with_what_it_holds_unless_asked() {
    let desk = Desk::trusted();
    let id = conversation_of(&desk.chat(&["Which port?"]));
    desk.json(&["plan", "add", "Move the port"]);
    desk.json(&["task", "add", "Look it up"]);
    desk.json(&["decision", "add", "The port is 5434"]);
    desk.json(&["memory", "add", "Staging runs on 5434"]);
    let made = desk.json(&["checkpoint", "create"]);
    let said = desk.silt(&["project", "forget", "."]);
    assert_eq!(said.code, Some(2));
    let says =
        "this would go for ever: 1 plan, 1 task, 1 decision, 1 line of memory, 2 checkpoints";
    assert!(said.err.contains(says), "{}", said.err);
    let korean = desk.silt(&["--lang", "ko", "project", "forget", "."]);
    assert!(korean.err.contains("계획 1개, 할 일 1개, 결정 1개"), "{}", korean.err);
    assert_eq!(
        desk.json(&["plan", "list"])["plans"].as_array().unwrap().len(),
        1,
        "it is all there"
    );

    assert_eq!(desk.silt(&["project", "forget", ".", "--yes"]).code, Some(0));
    assert_eq!(desk.json(&["conversation", "show", &id])["messages"].as_array().unwrap().len(), 2);
    desk.silt(&["project", "open", ".", "--trust"]);
    assert_eq!(desk.json(&["checkpoint", "list"])["items"], json!([]));
    let gone = desk.silt(&["checkpoint", "show", made["id"].as_str().unwrap()]);
    assert_eq!(gone.code, Some(1), "nothing that nobody could name is left: {}", gone.out);
}
