//! The binary as scripts use it: real data folders, a real project folder, a real server on the loopback.

#![expect(clippy::unwrap_used, reason = "a test's helpers are outside of its #[test] functions")]

mod agents;
mod asking;
mod backups;
mod calls;
mod carried;
mod checkpoints;
mod contexts;
mod desk;
#[cfg(target_os = "linux")]
mod examples;
mod formats;
mod keys;
mod killed;
mod ledger;
mod mcp;
mod memory;
mod messages;
mod named;
mod salvage;
mod searching;
mod server;
mod serving;
mod serving_http;
mod sessions;
mod settings;
mod sides;
mod spending;
mod summaries;
mod told;
mod trees;
mod updates;
mod vault;
mod working;

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use desk::{Desk, conversation_of, lines, path_of, said, text_of};
use server::SlowServer;

#[test]
fn trust_names_the_files_that_it_is_in_nested_ones_too() {
    let desk = Desk::new();
    desk.file("AGENTS.md", "# Rules\nBe brief. See @docs/rules.md\n");
    desk.file("docs/rules.md", "Never shout.\n");
    desk.file("src/deep/AGENTS.md", "Tabs, never spaces.\n");
    let asked = desk.silt(&["project", "open", "."]);
    assert_eq!(asked.code, Some(1));
    let opened = desk.silt(&["project", "open", ".", "--trust"]);
    assert_eq!(opened.code, Some(0), "{}", opened.err);
    let again = desk.json(&["project", "open", ".", "--trust"]);
    assert_eq!(again["changed"], json!([]));
    let seen = again["seen"].as_array().unwrap();
    let paths: Vec<_> = seen.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["AGENTS.md", "docs/rules.md", "src/deep/AGENTS.md"]);
    for file in seen {
        let (path, hash) = (file["path"].as_str().unwrap(), file["hash"].as_str().unwrap());
        let line = format!("  {path}  {}", &hash[..12]);
        for said in [&asked.err, &opened.out] {
            assert!(said.contains(&line), "{line}: {said}");
        }
    }
}

#[test]
fn a_folder_is_opened_only_with_an_answer_about_trust() {
    let desk = Desk::new();
    let refused = desk.silt(&["--json", "project", "open", "."]);
    assert_eq!(refused.code, Some(1));
    let error: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!(error["error"]["code"], "trust_unanswered");
    assert!(refused.err.contains("AGENTS.md"), "{}", refused.err);
    assert_eq!(desk.json(&["project", "list"]), json!({"projects": []}));

    let opened = desk.json(&["project", "open", ".", "--trust"]);
    let real = desk.project.path().canonicalize().unwrap();
    assert_eq!(opened["project"]["path"], real.to_str().unwrap());
    assert_eq!(opened["project"]["trusted"], true);
    assert_eq!(opened["instruction_files"][0]["path"], "AGENTS.md");
    assert!(opened["instruction_files"][0]["tokens"].as_u64().unwrap() > 0);
    // How long ago they were written is the machine's to say.
    let warnings = opened["warnings"].as_array().unwrap();
    assert!(warnings.iter().all(|it| it == "still_written"), "{warnings:?}");
    desk.rests();
    assert_eq!(desk.json(&["project", "open", "."])["warnings"], json!([]));

    // The answer is kept, and can be taken back.
    assert_eq!(desk.json(&["project", "open", "."])["project"]["trusted"], true);
    let revoked = desk.json(&["project", "open", ".", "--no-trust"]);
    assert_eq!(revoked["project"]["trusted"], false);
    assert_eq!(desk.json(&["project", "open", "."])["project"]["trusted"], false);

    desk.json(&["project", "forget", "."]);
    assert_eq!(desk.json(&["project", "list"]), json!({"projects": []}));
    assert_eq!(desk.silt(&["project", "forget", "."]).code, Some(1));
}

#[test]
fn the_offline_model_quotes_the_project_in_both_languages() {
    let desk = Desk::trusted();
    let english = desk.chat(&["Which port does the preview server listen on?"]);
    assert_eq!(english[0]["event"], "started");
    let reply = text_of(&english);
    assert!(reply.contains("The preview server listens on port 4747."), "{reply}");
    assert!(reply.contains("silt:file/docs/server.md"), "{reply}");
    let done = english.last().unwrap();
    assert_eq!((&done["event"], &done["interrupted"]), (&json!("done"), &json!(false)));
    assert!(done["usage"]["output_tokens"].as_u64().unwrap() > 0);

    let id = conversation_of(&english);
    let korean = desk.chat(&["--lang", "ko", "--conversation", &id, "미리보기 서버의 포트는?"]);
    assert_eq!(conversation_of(&korean), id);
    let reply_ko = text_of(&korean);
    assert!(reply_ko.contains("미리보기 서버는 4747번 포트를 씁니다."), "{reply_ko}");

    let said = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    assert_eq!(
        path_of(&desk, &id),
        [
            said("user", "Which port does the preview server listen on?"),
            said("assistant", &reply),
            said("user", "미리보기 서버의 포트는?"),
            said("assistant", &reply_ko),
        ]
    );
    let shown = desk.json(&["conversation", "show", &id]);
    let message = &shown["messages"][1];
    assert_eq!(message["id"], done["message_id"]);
    assert_eq!(message["turn"], english[0]["turn_id"]);
    assert_eq!(message["parent"], shown["messages"][0]["id"]);
    let weighs = |of: &Value| of["token_count"].as_u64().unwrap();
    assert!(weighs(message) > weighs(&shown["messages"][0]), "{shown}");
    assert!((5..40).contains(&weighs(&shown["messages"][0])), "{shown}");

    // What was sent can be looked at, and what would be sent.
    let turn = english[0]["turn_id"].as_str().unwrap();
    let sent = desk.json(&["context", "sent", turn]);
    let kinds = |view: &Value, at: &str| -> Vec<String> {
        let sections = view["sections"].as_array().unwrap().iter();
        sections.map(|s| s.pointer(at).unwrap().as_str().unwrap().to_owned()).collect()
    };
    assert!(kinds(&sent, "/section/kind").contains(&"passage".to_owned()), "{sent}");
    let preview = desk.json(&["context", "preview", "--conversation", &id, "--draft", "포트?"]);
    assert_eq!(kinds(&preview, "/kind").last().unwrap(), "draft");
    assert!(preview["tokens"].as_u64() < preview["budget"].as_u64());

    // Plain words for people: the reply alone on stdout.
    let plain = desk.silt(&["chat", "Which port?"]);
    assert_eq!(plain.code, Some(0));
    assert!(
        plain.out.contains("port 4747") && !plain.out.contains("conversation"),
        "{}",
        plain.out
    );
    let piped = desk.feed(&["-q", "chat", "-"], "포트는\n무엇?".as_bytes());
    assert_eq!((piped.code, piped.err.as_str()), (Some(0), ""));
}

#[test]
fn the_current_folder_chooses_the_project() {
    let desk = Desk::trusted();
    let inside = conversation_of(&desk.chat(&["port 4747?"]));
    let elsewhere = TempDir::new().unwrap();
    let mut outside = desk.command(&["--json", "chat", "port 4747?"]);
    let outside = said(outside.current_dir(elsewhere.path()).output().unwrap());
    let outside = conversation_of(&lines(&outside.out));

    let ids = |value: &Value| -> Vec<String> {
        let all = value["conversations"].as_array().unwrap().iter();
        let mut ids: Vec<String> = all.map(|c| c["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&desk.json(&["conversation", "list"])), *std::slice::from_ref(&inside));
    assert_eq!(ids(&desk.json(&["conversation", "list", "--all"])), [inside, outside]);
    let unknown = elsewhere.path().to_str().unwrap();
    let refused = desk.silt(&["--project", unknown, "chat", "hi"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("--trust"), "{}", refused.err);
}

#[test]
fn search_finds_hangul_and_code_at_the_message() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["토큰갱신은 refresh_token_v2 함수에서 합니다"]));
    for query in ["갱신", "토큰갱신", "refresh_token"] {
        let found = desk.json(&["conversation", "search", query, "--conversation", &id]);
        let hit = &found["hits"][0];
        assert_eq!(hit["conversation_id"], id.as_str(), "{query}: {found}");
        assert!(hit["snippet"].as_array().unwrap().iter().any(|part| part["hit"] == true));
    }
    let nothing = desk.json(&["conversation", "search", "없는낱말"]);
    assert_eq!((&nothing["hits"], &nothing["total"]), (&json!([]), &json!(0)));
}

#[test]
fn every_export_comes_back_as_it_was() {
    let desk = Desk::trusted();
    let id = conversation_of(&desk.chat(&["Which port?\n```\n<!-- siltstone message {} -->"]));
    desk.chat(&["--conversation", &id, "포트는 무엇인가요?"]);
    let before = path_of(&desk, &id);
    assert_eq!(before.len(), 4);
    for format in ["markdown", "json", "jsonl"] {
        let file = desk.data.path().join(format!("export.{format}"));
        let file = file.to_str().unwrap();
        let args = ["conversation", "export", &id, "--format", format, "-o", file];
        assert_eq!(desk.silt(&args).code, Some(0));
        let printed = desk.silt(&args[..5]);
        assert_eq!(printed.out, std::fs::read_to_string(file).unwrap());
        let imported = desk.json(&["conversation", "import", file]);
        let copy = imported["conversation"]["id"].as_str().unwrap();
        assert_ne!(copy, id);
        assert_eq!(path_of(&desk, copy), before, "{format}");
        assert!(printed.out.ends_with('\n'));
    }
    let cut = "{\"role\":\"user\",\"content\":\"하나\"}\r\n{\"role\":\"assi";
    let said = desk.feed(&["--json", "conversation", "import", "-"], cut.as_bytes());
    assert_eq!(said.code, Some(0));
    assert!(said.err.contains("line 2"), "{}", said.err);
    let refused = desk.feed(&["conversation", "import", "-"], b"just words");
    assert_eq!(refused.code, Some(1));
    let refused = desk.feed(&["conversation", "import", "-"], b"\xff\xfe\x00");
    assert_eq!(refused.code, Some(1));
}

#[test]
fn everything_of_another_service_comes_in_once() {
    use std::io::{Cursor, Write};
    let desk = Desk::trusted();
    let talk = |name: &str| {
        json!({
            "name": name, "created_at": "2025-03-01T10:00:00Z", "updated_at": "2025-03-02T10:00:00Z",
            "chat_messages": [
                {"uuid": "q", "sender": "human", "text": "왜가리는 어디에?", "files": [{"file_name": "a.png"}]},
                {"uuid": "a", "sender": "assistant", "text": "In the reeds."},
            ],
        })
    };
    let export = json!([talk("Herons"), {"chat_messages": 7}, talk("Reeds")]).to_string();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("conversations.json", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(export.as_bytes()).unwrap();
    let file = desk.data.path().join("export.zip");
    std::fs::write(&file, zip.finish().unwrap().into_inner()).unwrap();
    let file = file.to_str().unwrap();

    let done = desk.json(&["conversation", "import", file]);
    let counts = ["conversations", "messages", "already", "unreadable", "left_out"];
    assert_eq!(counts.map(|key| done[key].as_u64()), [2, 4, 0, 1, 2].map(Some));
    assert_eq!(done["cancelled"], false);
    let id = done["latest"]["id"].as_str().unwrap();
    assert_eq!(path_of(&desk, id).len(), 2);

    // What is in the zip alone, and in words.
    let said = desk.feed(&["conversation", "import", "-"], export.as_bytes());
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    assert_eq!(said.out, "0 conversations, 0 messages, 2 there already, 1 that cannot be read\n");
    let cut = &export.as_bytes()[..export.len() - 9];
    let refused = desk.feed(&["--json", "conversation", "import", "-"], cut);
    let error: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!((refused.code, &error["error"]["code"]), (Some(1), &json!("import_broken")));
}

/// In a process that may have two gigabytes, so that what reads on ends there.
#[cfg(target_os = "linux")]
#[test]
fn what_has_no_end_is_refused() {
    let desk = Desk::trusted();
    let id = conversation_of(&desk.chat(&["hello there"]));
    let endless: [&[&str]; 7] = [
        &["conversation", "import", "-"],
        &["conversation", "import", "/dev/zero"],
        &["memory", "add", "-"],
        &["chat", "-"],
        &["ledger", "show", "--transcript", "/dev/zero"],
        &["tree", "run", "-"],
        &["checkpoint", "recover", "/dev/zero"],
    ];
    for args in endless {
        let plain = desk.command(&[&["--json"], args].concat());
        let mut bounded = Command::new("sh");
        bounded
            .args(["-c", "ulimit -v 2000000; exec \"$0\" \"$@\" < /dev/zero"])
            .arg(plain.get_program())
            .args(plain.get_args())
            .current_dir(desk.project.path());
        bounded.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let said = said(bounded.output().unwrap());
        assert_eq!(said.code, Some(1), "{args:?}: {}", said.err);
        assert!(said.err.contains("input_too_long"), "{args:?}: {}", said.err);
    }
    assert_eq!(path_of(&desk, &id).len(), 2, "nothing was lost");
}

#[cfg(unix)]
#[test]
fn an_export_is_the_persons_alone() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::trusted();
    let id = conversation_of(&desk.chat(&["hello there"]));
    let folder = desk.data.path().join("given");
    std::fs::create_dir(&folder).unwrap();
    for (mode, shared) in [(0o755, false), (0o777, true)] {
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
        let file = folder.join("chat.md");
        // An earlier one that others could read.
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let said = desk.silt(&["conversation", "export", &id, "-o", file.to_str().unwrap()]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(said.err.contains("Others can write in this folder"), shared, "{}", said.err);
    }
}

#[test]
fn a_deleted_conversation_waits_in_the_trash() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["hello there"]));
    let before = path_of(&desk, &id);
    let deleted = desk.json(&["conversation", "delete", &id]);
    assert!(deleted["conversation"]["deleted_at"].is_string());
    assert_eq!(desk.json(&["conversation", "list"]), json!({"conversations": []}));
    let trash = desk.json(&["conversation", "list", "--trash"]);
    assert_eq!(trash["conversations"][0]["id"], id.as_str());
    assert_eq!(desk.silt(&["chat", "--conversation", &id, "still there?"]).code, Some(1));
    let restored = desk.json(&["conversation", "restore", &id]);
    assert!(restored["conversation"]["deleted_at"].is_null());
    assert_eq!(path_of(&desk, &id), before);
}

#[test]
fn refusals_have_a_reason_a_hint_and_an_exit_code() {
    let desk = Desk::new();
    let nobody = "01890000-0000-7000-8000-000000000000";
    for id in [nobody, "not-an-id"] {
        let said = desk.silt(&["--json", "conversation", "show", id]);
        assert_eq!(said.code, Some(1));
        let error: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(error["error"]["code"], "not_found");
        assert!(error["error"]["message"].as_str().unwrap().contains(id));
        assert!(!error["error"]["hint"].as_str().unwrap().is_empty());
        assert_eq!(serde_json::from_str::<Value>(&said.err).unwrap(), error);
    }
    let korean = desk.silt(&["--lang", "ko", "conversation", "show", nobody]);
    assert_eq!((korean.code, korean.out.as_str()), (Some(1), ""));
    assert!(korean.err.contains("찾지 못했습니다"), "{}", korean.err);
    let mut by_locale = desk.command(&["conversation", "show", nobody]);
    let by_locale = said(by_locale.env("LC_ALL", "ko_KR.UTF-8").output().unwrap());
    assert_eq!(by_locale.err, korean.err);

    for wrong in
        [&["nonsense"][..], &["chat"], &["conversation", "export", nobody, "--format", "pdf"]]
    {
        assert_eq!(desk.silt(wrong).code, Some(2), "{wrong:?}");
    }
    let wrong = desk.silt(&["--json", "conversation"]);
    assert_eq!(wrong.code, Some(2));
    let error: Value = serde_json::from_str(&wrong.out).unwrap();
    assert_eq!(error["error"]["code"], "wrong_usage");
    assert_eq!(desk.silt(&["--help"]).code, Some(0));
    assert_eq!(desk.silt(&["chat", "  "]).code, Some(1));

    // A database of a newer version, or a broken one, is named and left alone.
    std::fs::write(desk.data.path().join("siltstone.db"), b"not a database at all").unwrap();
    let damaged = desk.silt(&["conversation", "list"]);
    assert_eq!(damaged.code, Some(1), "{}", damaged.err);
    let left = std::fs::read(desk.data.path().join("siltstone.db")).unwrap();
    assert_eq!(left, b"not a database at all");
}

#[test]
fn two_processes_share_one_data_folder() {
    let desk = Desk::trusted();
    let start = |args: &[&str]| -> Child {
        let mut command = desk.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> =
        (0..4).map(|n| start(&["--json", "chat", &format!("port question number {n}?")])).collect();
    let mut ids = Vec::new();
    for child in children {
        let said = said(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(0), "{}", said.err);
        let lines = lines(&said.out);
        assert_eq!(lines.last().unwrap()["status"], "complete");
        ids.push(conversation_of(&lines));
    }
    for (n, id) in ids.iter().enumerate() {
        let path = path_of(&desk, id);
        assert_eq!(path[0].1, format!("port question number {n}?"));
        assert!(path[1].1.contains("4747"), "{path:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let desk = Desk::new();
    let many = "many words ".repeat(20_000);
    let many = json!({"role": "user", "content": many}).to_string();
    let made = desk.feed(&["--json", "conversation", "import", "-"], many.as_bytes());
    let made: Value = serde_json::from_str(&made.out).unwrap();
    let id = made["conversation"]["id"].as_str().unwrap().to_owned();
    let mut child = desk
        .command(&["conversation", "export", &id])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let said = said(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_reply_and_keeps_what_came() {
    let desk = Desk::new();
    let server = SlowServer::start();
    desk.json(&[
        "provider",
        "add",
        "--kind",
        "openai",
        "--name",
        "slow",
        "--base-url",
        &server.url,
    ]);
    assert_eq!(desk.json(&["provider", "test", "slow"])["models"], 1);
    assert_eq!(desk.json(&["provider", "models", "slow"])["models"][0]["id"], "slow-1");

    let mut child = desk
        .command(&["--json", "chat", "--provider", "slow", "느린 질문"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut seen = String::new();
    while !text_of(&lines(&seen)).ends_with("오는 답") {
        assert!(out.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    // Another process sees the question and the reply that is being written.
    let id = conversation_of(&lines(&seen));
    assert_eq!(path_of(&desk, &id)[0].1, "느린 질문");

    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    out.read_to_string(&mut seen).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let done = lines(&seen).pop().unwrap();
    assert_eq!((&done["event"], &done["interrupted"]), (&json!("done"), &json!(true)));

    let kept = desk.json(&["conversation", "show", &id]);
    assert_eq!(kept["messages"][1]["content"], "천천히 오는 답");
    assert_eq!(kept["messages"][1]["status"], "interrupted");
    assert_eq!(kept["conversation"]["open_turn"], Value::Null);
}

#[test]
fn a_message_sent_while_a_reply_is_on_its_way_is_sent_after_it() {
    let desk = Desk::new();
    let server = SlowServer::start();
    desk.json(&[
        "provider",
        "add",
        "--kind",
        "openai",
        "--name",
        "slow",
        "--base-url",
        &server.url,
    ]);
    let mut first = desk
        .command(&["--json", "chat", "--provider", "slow", "first"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(first.stdout.take().unwrap());
    let mut seen = String::new();
    while !text_of(&lines(&seen)).ends_with("오는 답") {
        assert!(out.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    let id = conversation_of(&lines(&seen));
    let queued = desk.chat(&["--conversation", &id, "second"]);
    assert_eq!(queued.len(), 1);
    assert_eq!(queued[0]["event"], "queued");

    server.end_answers();
    out.read_to_string(&mut seen).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!(text_of(&lines(&seen)), "천천히 오는 답", "only its own reply is printed");
    let texts: Vec<String> = path_of(&desk, &id).into_iter().map(|message| message.1).collect();
    assert_eq!(texts, ["first", "천천히 오는 답", "second", "천천히 오는 답"]);
}

#[test]
fn providers_are_added_chosen_and_removed() {
    let desk = Desk::new();
    let server = SlowServer::start();
    let far = ["provider", "add", "--kind", "openai", "--name", "far", "--base-url"];
    let refused = desk.silt(&[&["--json"], &far[..], &["http://192.0.2.1:8080/v1"]].concat());
    assert_eq!(refused.code, Some(1));
    assert!(refused.out.contains("provider_insecure"), "{}", refused.out);

    desk.json(&[
        "provider",
        "add",
        "--kind",
        "openai",
        "--name",
        "slow",
        "--base-url",
        &server.url,
    ]);
    let chosen = desk.json(&["provider", "default", "slow", "slow-1"]);
    assert_eq!(chosen, json!({"provider": "slow", "model": "slow-1"}));
    let names = |value: Value| -> Vec<(String, bool)> {
        let all = value["providers"].as_array().unwrap().iter();
        all.map(|p| (p["name"].as_str().unwrap().to_owned(), !p["default_model"].is_null()))
            .collect()
    };
    let pair = |name: &str, default| (name.to_owned(), default);
    assert_eq!(
        names(desk.json(&["provider", "list"])),
        [pair("offline", false), pair("slow", true)]
    );
    desk.json(&["provider", "remove", "slow"]);
    assert_eq!(names(desk.json(&["provider", "list"])), [pair("offline", true)]);
    assert_eq!(desk.silt(&["provider", "remove", "slow"]).code, Some(1));
    assert_eq!(desk.silt(&["provider", "test", "slow"]).code, Some(1));

    // Nobody listens there any more: the question stays, the turn fails with a reason.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{gone}/v1");
    desk.json(&["provider", "add", "--kind", "openai", "--name", "gone", "--base-url", &url]);
    let said = desk.silt(&["--json", "chat", "--provider", "gone", "--model", "m", "anyone?"]);
    assert_eq!(said.code, Some(1));
    let said = lines(&said.out);
    assert_eq!(said.last().unwrap()["error"]["code"], "provider_unreachable", "{said:?}");
    assert_eq!(path_of(&desk, &conversation_of(&said))[0].1, "anyone?");
}

#[test]
fn the_data_folder_can_be_named_in_the_call() {
    let desk = Desk::new();
    let other = TempDir::new().unwrap();
    let dir = other.path().to_str().unwrap();
    desk.chat(&["--data-dir", dir, "hello"]);
    assert!(Path::new(dir).join("siltstone.db").exists());
    assert!(!desk.data.path().join("siltstone.db").exists());
}
