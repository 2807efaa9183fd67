//! The same message, with a picture, in every wire format and to a real model; what arrives is what `silt egress` shows.

use serde_json::{Value, json};
use siltstone_test_servers::{self as servers, PICTURE};

use crate::desk::{Desk, conversation_of, text_of};

const QUESTION: &str = "Look: 무슨 색이에요?";
const ANSWER: &str = "It is red, 빨강이에요, and nothing else: one pixel alone. ";

/// Adds a provider and asks it, or the model it lists first, in a new conversation.
fn ask(desk: &Desk, kind: &str, base_url: &str, chat: &[&str]) -> Vec<Value> {
    desk.json(&["provider", "add", "--kind", kind, "--name", kind, "--base-url", base_url]);
    desk.chat(&[&["--provider", kind], chat].concat())
}

#[test]
fn a_picture_and_a_question_are_answered_in_every_format_and_sent_as_shown() {
    let server = servers::aimock().unwrap();
    let answer = ANSWER.repeat(12);
    let fixture =
        json!({ "match": { "userMessage": QUESTION }, "response": { "content": answer } });
    server.post("/__aimock/fixtures", &json!({ "fixtures": [fixture] }).to_string()).unwrap();
    let desk = Desk::new();
    let picture = desk.project.path().join("빨강.png");
    std::fs::write(&picture, PICTURE).unwrap();
    for (kind, path, model) in [
        ("openai", "/v1", "gpt-4o"),
        ("anthropic", "/v1", "claude-3-7-sonnet"),
        ("gemini", "/v1beta", "gemini-2.5-pro"),
        ("ollama", "", "llava"),
    ] {
        let base_url = format!("{}{path}", server.address());
        let attach = ["--model", model, "--attach", picture.to_str().unwrap(), QUESTION];
        let said = ask(&desk, kind, &base_url, &attach);
        assert_eq!(text_of(&said), answer, "{kind}");
        assert_eq!(said.last().unwrap()["status"], "complete");

        // In how many pieces an answer is printed is a matter of pace; `main.rs` has one that stops in its midst.
        let arrived = server.questions().unwrap().pop().unwrap();
        let asks = String::from_utf8_lossy(&arrived.body).contains("\"stream\":true");
        assert!(asks || arrived.path().contains(":streamGenerateContent"), "{kind} is streamed");
        let listed = desk.json(&["egress", "list", "--limit", "1"]);
        assert_eq!(listed["requests"][0]["turn_id"], said[0]["turn_id"]);
        let shown = desk.json(&["egress", "show", &listed["requests"][0]["seq"].to_string()]);
        assert_eq!(shown["body"].as_str().unwrap().as_bytes(), arrived.body, "{kind}");
        assert_eq!(shown["url"], format!("{}{}", server.address(), arrived.path()));
        for header in shown["headers"].as_array().unwrap() {
            let (name, value) = (header[0].as_str().unwrap(), header[1].as_str());
            assert_eq!(arrived.header(name), value, "{kind}");
        }
        let kept = desk.json(&["conversation", "show", &conversation_of(&said)]).to_string();
        assert!(kept.contains("빨강.png"), "{kind}: {kept}");
    }
}

#[test]
fn gemma_answers_over_the_openai_and_the_anthropic_format() {
    let server = servers::gemma(8192).unwrap();
    let desk = Desk::new();
    for kind in ["openai", "anthropic"] {
        let said = ask(&desk, kind, &server.base_url(), &["--max-output", "24", "Water boils at"]);
        assert!(!text_of(&said).is_empty(), "{kind}: {said:?}");
        let done = said.last().unwrap();
        assert_eq!((&done["status"], &done["usage"]["exact"]), (&json!("complete"), &json!(true)));
    }
}

/// In a network namespace of its own, every socket that `silt` opens is seen by `strace`.
#[cfg(target_os = "linux")]
#[test]
fn a_project_of_this_computer_only_opens_no_socket() {
    let works = |args: &[&str]| {
        let tried = std::process::Command::new("unshare").args(args).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    if !works(&["-rn", "strace", "-f", "true"]) {
        println!("skipped: this system gives no network namespace, or strace may not trace");
        return;
    }
    let desk = Desk::new();
    let far = ["--kind", "ollama", "--name", "far", "--base-url", "https://model.invalid"];
    desk.json(&[&["provider", "add"], &far[..]].concat());
    let sockets = |only: &str| {
        desk.json(&["project", "open", ".", "--trust", only]);
        let trace = tempfile::NamedTempFile::new().unwrap();
        let silt = desk.command(&["--json", "chat", "--provider", "far", "--model", "m", "Hello?"]);
        let mut command = std::process::Command::new("unshare");
        command.args(["-rn", "strace", "-f", "-e", "trace=socket,connect", "-o"]);
        command.arg(trace.path()).arg(silt.get_program()).args(silt.get_args());
        command.current_dir(desk.project.path()).env("SILTSTONE_DATA_DIR", desk.data.path());
        let said = crate::desk::said(command.output().unwrap());
        let trace = std::fs::read_to_string(trace.path()).unwrap();
        let opened = trace.lines().filter(|line| line.contains("AF_INET")).count();
        (said.out, opened)
    };
    let (out, opened) = sockets("--this-computer-only");
    assert!(out.contains("provider_not_local"), "{out}");
    assert_eq!(opened, 0);
    // The same without it: a name is looked up, which takes a socket.
    let (out, opened) = sockets("--any-computer");
    assert!(out.contains("provider_unreachable"), "{out}");
    assert!(opened > 0);
}
