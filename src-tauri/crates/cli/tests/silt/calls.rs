//! `silt chat` with a model that calls tools: what was allowed by name is done, the rest is refused; and `kill -9` at random
//! instants of such a turn leaves whole messages, whole files, and a conversation that goes on.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siltstone_test_servers::request;

use crate::desk::{Desk, conversation_of, text_of};

/// What each of the files holds after it was written.
fn whole() -> String {
    "one line of the file\n".repeat(2_000)
}

/// An OpenAI-compatible server that has four files written, one a reply or all at once, and says so.
fn writer() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer(stream.unwrap()));
        }
    });
    url
}

fn answer(mut stream: TcpStream) {
    let request = request::read(&mut stream);
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let none = Vec::new();
    let messages = body["messages"].as_array().unwrap_or(&none);
    // Every call has its result directly after it, whatever happened to the turn it is of.
    for (place, message) in messages.iter().enumerate() {
        let calls = message["tool_calls"].as_array().unwrap_or(&none);
        for (after, call) in calls.iter().enumerate() {
            let result = &messages[place + 1 + after];
            if result["tool_call_id"] != call["id"] {
                let _ = write!(stream, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
                return;
            }
        }
    }
    let asked = messages.iter().rposition(|it| it["role"] == "user").unwrap_or(0);
    let since = messages[asked..].iter().filter(|it| it["role"] == "tool").count();
    let delta = if request.path().ends_with("/models") {
        let body = json!({"data": [{"id": "m"}]}).to_string();
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}");
        return;
    } else if since < 4 {
        let at_once = messages[asked]["content"].to_string().contains("at once");
        let files = since..if at_once { 4 } else { since + 1 };
        let calls = files.enumerate().map(|(index, n)| {
            let arguments = json!({"path": format!("made/{n}.txt"), "text": whole()}).to_string();
            let function = json!({"name": "write_file", "arguments": arguments});
            json!({"index": index, "id": format!("w{n}"), "type": "function", "function": function})
        });
        json!({"content": "I write. ", "tool_calls": calls.collect::<Vec<_>>()})
    } else {
        json!({"content": "All are written."})
    };
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        format!("data: {choice}\n\n")
    };
    let said = chunk(delta, Value::Null) + &chunk(json!({}), json!("stop")) + "data: [DONE]\n\n";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close";
    // The other side may have been killed.
    let _ = write!(stream, "{head}\r\n\r\n{said}");
}

fn desk() -> Desk {
    let (desk, url) = (Desk::trusted(), writer());
    let add = ["provider", "add", "--kind", "openai", "--name", "work", "--base-url", &url];
    desk.json(&add);
    desk.json(&["provider", "default", "work", "m"]);
    desk
}

fn made(desk: &Desk, n: usize) -> Option<String> {
    std::fs::read_to_string(desk.project.path().join(format!("made/{n}.txt"))).ok()
}

/// Lets four calls go.
const FOUR: [&str; 8] = [
    "--allow",
    "write_file",
    "--allow",
    "write_file",
    "--allow",
    "write_file",
    "--allow",
    "write_file",
];

/// Where the calls stood, one after the other.
fn status(lines: &[Value]) -> Vec<String> {
    let of = lines.iter().filter(|line| line["event"] == "tool");
    of.map(|line| line["call"]["status"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_was_allowed_once_goes_once_in_one_reply_and_in_many() {
    let (done, denied) = (["waiting", "running", "done"], ["waiting", "denied"]);
    for asked in ["Write the files.", "Write the files at once."] {
        for times in 1..=3 {
            let desk = desk();
            let allowed = ["--allow", "write_file"].repeat(times);
            let lines = desk.chat(&[&allowed[..], &[asked]].concat());
            let expected = [done.repeat(times), denied.repeat(4 - times)].concat();
            assert_eq!(status(&lines), expected, "{asked}, allowed {times} times");
            let made: Vec<usize> = (0..4).filter(|&n| made(&desk, n).is_some()).collect();
            assert_eq!(made, (0..times).collect::<Vec<_>>(), "{asked}");
        }
    }
}

#[test]
fn what_was_allowed_by_name_is_done_and_anything_else_is_refused() {
    let desk = desk();
    let refused = desk.chat(&["Write the files."]);
    assert!(text_of(&refused).ends_with("All are written."), "the model may say what it likes");
    assert_eq!(made(&desk, 0), None);
    assert_eq!(status(&refused), ["waiting", "denied"].repeat(4));
    let done = desk.chat(&[&FOUR[..], &["Write the files."]].concat());
    assert_eq!(status(&done), ["waiting", "running", "done"].repeat(4));
    assert!((0..4).all(|n| made(&desk, n) == Some(whole())));
    let replies = done.iter().filter(|line| line["event"] == "reply").count();
    assert_eq!(replies, 4);
    let last = done.last().unwrap();
    assert_eq!((&last["event"], &last["status"]), (&json!("done"), &json!("complete")));
    each_call_can_be_looked_at(&desk, done[0]["turn_id"].as_str().unwrap());
    std::fs::remove_dir_all(desk.project.path().join("made")).unwrap();
    let allowed = ["--allow=write_file"; 4];
    let plain = desk.silt(&[&["chat"], &allowed[..], &["Write them."]].concat());
    assert!(plain.out.ends_with("All are written.\n"), "{}", plain.out);
    assert!(plain.err.contains("write_file made/3.txt: done"), "{}", plain.err);
}

/// What went with each of the five calls of the model: the last one has the results of all that were made before.
fn each_call_can_be_looked_at(desk: &Desk, turn: &str) {
    let sent = |call: &[&str]| desk.json(&[&["context", "sent", turn], call].concat());
    let tokens = ["1", "2", "3", "4", "5"].map(|n| {
        let shown = sent(&["--call", n]);
        assert_eq!((shown["call"].to_string(), &shown["calls"]), (n.to_owned(), &json!(5)));
        shown["tokens"].as_u64().unwrap()
    });
    assert!(tokens[0] < tokens[4], "{tokens:?}");
    assert_eq!(sent(&[])["call"], 5);
    for absent in ["0", "6"] {
        let said = desk.silt(&["context", "sent", turn, "--call", absent]);
        assert_eq!(said.code, Some(1), "{}", said.out);
        assert!(said.err.contains("the turn has 5"), "{}", said.err);
    }
    let plain = desk.silt(&["--lang", "ko", "context", "sent", turn, "--call", "2"]);
    assert!(plain.out.contains("호출 2/5"), "{}", plain.out);
}

#[test]
fn killed_at_any_instant_of_a_turn_everything_is_whole_and_the_conversation_goes_on() {
    let desk = desk();
    let ask = [&["--json", "chat"], &FOUR[..], &["Write the files."]].concat();
    let began = Instant::now();
    assert_eq!(desk.silt(&ask).code, Some(0));
    let mut took = began.elapsed();
    let kills = std::env::var("SILTSTONE_KILLS").map_or(6, |asked| asked.parse().unwrap());
    let (mut killed, mut cut_off) = (0, 0);
    while killed < kills || cut_off == 0 {
        killed += 1;
        let _ = std::fs::remove_dir_all(desk.project.path().join("made"));
        let mut command = desk.command(&ask);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let random = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
        std::thread::sleep(took.mul_f64(random) + Duration::from_millis(5));
        if child.try_wait().unwrap().is_none() {
            cut_off += 1;
        } else {
            // It was over by then: the first one had taken longer, on a machine that was busy.
            took /= 2;
        }
        let _ = child.kill();
        child.wait().unwrap();
        assert!((0..4).all(|n| made(&desk, n).is_none_or(|text| text == whole())));
        let all = desk.json(&["conversation", "list"]);
        let Some(id) = all["conversations"][0]["id"].as_str().map(str::to_owned) else { continue };
        let shown = desk.json(&["conversation", "show", &id]);
        assert_eq!(shown["conversation"]["open_turn"], Value::Null);
        let messages = shown["messages"].as_array().unwrap();
        assert!(messages.iter().all(|it| it["status"] != "streaming"), "{shown}");
        let on = desk.chat(&[&["--conversation", &id], &FOUR[..], &["Go on."]].concat());
        assert_eq!(conversation_of(&on), id);
        assert!(text_of(&on).ends_with("All are written."));
        assert!((0..4).all(|n| made(&desk, n) == Some(whole())));
    }
}
