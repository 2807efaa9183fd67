//! MCP servers at addresses, through the real gate: what may be asked, what is written down, and answers of every shape.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siltstone_contract::{ApprovalAnswer, Code, EgressRef, ListEgress, ReachProject, SetMcpSecret};
use siltstone_engine::egress::EgressItem;
use siltstone_engine::project::Trust;
use siltstone_engine::tool::mcp::McpTransport;
use siltstone_test_servers::mcp_everything;
use siltstone_test_servers::until::PATIENCE;

use crate::mcp::{CANARY, assert_nowhere, listed, named, set, tested, trust};
use crate::runs::{Desk, call, say};
use crate::scripted::Step;
use crate::world::Journey;

fn at(url: String, header: &str) -> McpTransport {
    McpTransport::Http { url, secret_header: header.to_owned() }
}

async fn left(journey: &Journey) -> Vec<EgressItem> {
    let request = ListEgress { before: None, limit: 100, away_only: false };
    journey.app.egress_list(request).await.unwrap()
}

#[tokio::test]
async fn the_reference_server_is_used_over_http_and_every_message_is_written_down() {
    let server = mcp_everything().unwrap();
    let desk = Desk::of([
        vec![call("a", "mcp__web__echo", json!({"message": "hello"})), Step::Finish],
        say("Echoed."),
    ])
    .await;
    let (journey, project) = (&desk.journey, Some(desk.project));
    let url = format!("{}/mcp", server.address());
    let item = set(journey, project, "web", at(url.clone(), "X-Api-Key")).await;
    assert_eq!(item.missing_secrets, ["X-Api-Key"]);
    let secret = SetMcpSecret {
        server: named(project, "web"),
        variable: "X-Api-Key".into(),
        value: format!("Bearer {CANARY}"),
        place: None,
    };
    let item = journey.app.mcp_secret(secret).await.unwrap();
    trust(journey, &item, "").await;
    desk.journey.send(desk.id, "Echo hello with the tool of the server.").await;
    let approval = desk.waiting().await;
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.results().await[0].1, "Echo: hello");

    let left = left(journey).await;
    let sent: Vec<_> = left.iter().filter(|item| item.provider == "MCP web").collect();
    assert!(sent.iter().all(|item| item.url == url && item.home && item.method == "POST"));
    assert!(
        sent.iter().all(|item| matches!(item.answer.as_deref(), Some("200" | "202"))),
        "{sent:?}"
    );
    let mut methods = Vec::new();
    for item in &sent {
        let body = journey.app.egress_body(EgressRef { seq: item.seq }).await.unwrap();
        let message: Value = serde_json::from_str(&body.body).unwrap();
        methods.push(message["method"].as_str().unwrap().to_owned());
        let key = body.headers.iter().find(|(name, _)| name == "x-api-key").unwrap();
        assert_eq!(key.1, "$KEY");
    }
    methods.reverse();
    assert_eq!(&methods[..3], ["initialize", "notifications/initialized", "tools/list"]);
    assert!(methods.contains(&"tools/call".to_owned()), "{methods:?}");
    assert_nowhere(journey.data.path());

    // The key stays with the origin it was entered for.
    let moved =
        set(journey, project, "web", at("https://mcp.example/mcp".into(), "X-Api-Key")).await;
    assert_eq!(moved.missing_secrets, ["X-Api-Key"]);
}

#[tokio::test]
async fn an_address_elsewhere_is_not_asked_when_only_this_computer_may_be() {
    let journey = Journey::offline();
    let id = journey.open(Trust::Trusted).await;
    let request = ReachProject { id, this_computer_only: true };
    journey.app.project_reach(request).await.unwrap();
    set(&journey, Some(id), "away", at("https://192.0.2.1/mcp".into(), "")).await;
    let refused = journey.app.mcp_test(tested(Some(id), "away")).await.unwrap_err();
    assert_eq!(refused.code, Code::McpForbidden);
    assert!(left(&journey).await.is_empty());
    set(&journey, Some(id), "away", at("https://me:secret@localhost/mcp".into(), "")).await;
    let refused = journey.app.mcp_test(tested(Some(id), "away")).await.unwrap_err();
    assert_eq!(refused.code, Code::McpForbidden, "{}", refused.message);
    assert_eq!(listed(&journey, Some(id), "away").await.fault, Some(refused.message));
}

/// A server that answers each message as a function says, with the bytes of a whole HTTP answer.
struct Answering {
    url: String,
    heard: Arc<Mutex<Vec<(String, String)>>>,
}

type Answer = fn(&Value) -> Vec<u8>;

fn answering(answer: Answer) -> Answering {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heard = Arc::<Mutex<Vec<(String, String)>>>::default();
    let into = heard.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let into = into.clone();
            std::thread::spawn(move || respond(stream, answer, &into));
        }
    });
    Answering { url, heard }
}

fn respond(mut stream: TcpStream, answer: Answer, heard: &Mutex<Vec<(String, String)>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 || line == "\r\n" {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or("-").to_owned();
    heard.lock().unwrap().push((method, head));
    // The client may have left by now.
    let _ = stream.write_all(&answer(&message));
    // Open for as long as the client wants it to be.
    let _ = reader.read(&mut [0]);
}

fn http(status: &str, kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nMcp-Session-Id: s-1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn result(message: &Value) -> Option<Value> {
    let id = message.get("id")?.clone();
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
            "serverInfo": {"name": "t", "version": "1"}
        }),
        _ => json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

#[tokio::test]
async fn events_on_a_stream_that_stays_open_are_an_answer() {
    let server = answering(|message| match result(message) {
        None => http("202 Accepted", "text/plain", ""),
        Some(result) => {
            let note = json!({"jsonrpc": "2.0", "method": "notifications/message",
                              "params": {"level": "info", "data": "on my way"}});
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s-1\r\n\r\n\
                 : hello\n\nid: 1\ndata:\n\ndata: {note}\n\nevent: message\ndata: {result}\n\n"
            )
            .into_bytes()
        }
    });
    let journey = Journey::offline();
    set(&journey, None, "open", at(server.url.clone(), "")).await;
    let tested = journey.app.mcp_test(tested(None, "open"));
    let tested = tokio::time::timeout(PATIENCE, tested).await.unwrap().unwrap();
    assert_eq!(tested.tools[0].name, "look");
    let heard = server.heard.lock().unwrap().clone();
    let last = &heard.iter().find(|(method, _)| method == "tools/list").unwrap().1;
    assert!(last.contains("mcp-session-id: s-1\r\n"), "{last}");
    assert!(last.contains("mcp-protocol-version: 2025-03-26\r\n"), "{last}");
    assert!(!heard[0].1.contains("mcp-session-id"), "{}", heard[0].1);
}

#[tokio::test]
async fn what_is_no_answer_is_a_failure_with_its_reason() {
    let cases: [(Answer, Code, &str); 7] = [
        (
            |_| http("500 Oh No", "text/plain", "out of cheese"),
            Code::McpBroken,
            "500: out of cheese",
        ),
        (|_| http("401 Unauthorized", "text/plain", ""), Code::McpUnreachable, "secret"),
        (
            |_| {
                b"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
                    .to_vec()
            },
            Code::McpForbidden,
            "another address",
        ),
        (|_| http("200 OK", "text/html", "<html>"), Code::McpBroken, "text/html"),
        (|_| http("200 OK", "application/json", "{"), Code::McpBroken, "cannot be read"),
        (
            |_| http("200 OK", "application/json", &format!("{}1", "[".repeat(100_000))),
            Code::McpBroken,
            "cannot be read",
        ),
        (
            |_| http("200 OK", "application/json", &"x".repeat(40 << 20)),
            Code::McpBroken,
            "more than",
        ),
    ];
    let journey = Journey::offline();
    for (answer, code, words) in cases {
        let server = answering(answer);
        set(&journey, None, "bad", at(server.url.clone(), "")).await;
        let failure = journey.app.mcp_test(tested(None, "bad")).await.unwrap_err();
        assert_eq!(failure.code, code, "{}", failure.message);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    set(&journey, None, "bad", at(format!("http://{gone}/"), "")).await;
    let failure = journey.app.mcp_test(tested(None, "bad")).await.unwrap_err();
    assert_eq!(failure.code, Code::McpUnreachable, "{}", failure.message);
}
