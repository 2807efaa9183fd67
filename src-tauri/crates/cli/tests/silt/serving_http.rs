//! `silt mcp serve --http`, spoken to byte by byte: who is answered, many clients at once, and both lives of the protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::desk::{Desk, said};

/// A server over HTTP; it ends with the test.
struct Server {
    child: Child,
    /// `127.0.0.1` and its port.
    host: String,
    token: String,
}

impl Server {
    fn start(desk: &Desk, options: &[&str]) -> Self {
        let mut command = desk.command(&[&["--json", "mcp", "serve", "--http"], options].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut told = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut told).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let url = told["url"].as_str().unwrap();
        let host = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        let token = told["token"].as_str().unwrap_or_default().to_owned();
        Self { child, host: host.to_owned(), token }
    }

    fn port(&self) -> &str {
        self.host.rsplit(':').next().unwrap()
    }

    /// Status, head and body of the answer to a message.
    fn post(&self, path: &str, headers: &[(&str, &str)], message: &Value) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let body = message.to_string();
        let has_host = headers.iter().any(|(name, _)| *name == "Host");
        let host = if has_host { String::new() } else { format!("Host: {}\r\n", self.host) };
        let more: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        // All at once: whoever is refused hears of it before its message is read.
        let asked = format!(
            "POST {path} HTTP/1.1\r\n{host}{more}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(asked.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_owned(), body.to_owned())
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// A client that shook hands.
    fn client(&self, name: &str) -> Client<'_> {
        let info = json!({"name": name, "version": "1"});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}});
        let (status, head, body) = self.post("/mcp", &[("Authorization", &self.bearer())], &hello);
        assert_eq!(status, 200, "{head}\n{body}");
        let session = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
        });
        let client = Client { server: self, session: session.unwrap() };
        client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Client<'a> {
    server: &'a Server,
    session: String,
}

impl Client<'_> {
    fn post(&self, message: &Value) -> String {
        let bearer = self.server.bearer();
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Mcp-Session-Id", self.session.as_str()),
            ("MCP-Protocol-Version", "2025-06-18"),
        ];
        let (status, head, body) = self.server.post("/mcp", &headers, message);
        assert!(matches!(status, 200 | 202), "{head}\n{body}");
        body
    }

    fn call(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = answer_in(&self.post(&message));
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// The answer in a body: JSON, or an event that has it.
fn answer_in(body: &str) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    let lines = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let mut answers = lines.filter_map(parsed).filter(|it| it.get("id").is_some());
    answers.next().ok_or(body).unwrap()
}

#[test]
fn only_who_shows_the_token_and_asks_this_computer_by_its_name_is_answered() {
    let desk = Desk::trusted();
    let server = Server::start(&desk, &[]);
    let bearer = server.bearer();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}});
    let shown = ("Authorization", bearer.as_str());
    for (headers, path, refused) in [
        (vec![], "/mcp", 401),
        (vec![("Authorization", "Bearer 0123456789abcdef")], "/mcp", 401),
        (vec![("Authorization", server.token.as_str())], "/mcp", 401),
        // Nobody without it learns what there is.
        (vec![], "/elsewhere", 401),
        (vec![shown], "/elsewhere", 404),
        (vec![shown, ("Origin", "https://evil.example")], "/mcp", 403),
        (vec![shown, ("Origin", "null")], "/mcp", 403),
        (vec![("Origin", "http://localhost:6274")], "/mcp", 401),
        (vec![shown, ("Origin", "http://localhost:6274")], "/mcp", 200),
        (vec![shown, ("Host", "evil.example")], "/mcp", 403),
        (vec![shown], "/mcp", 200),
    ] {
        let (status, head, _) = server.post(path, &headers, &hello);
        assert_eq!(status, refused, "{headers:?} {path}: {head}");
        assert_eq!(status == 401, head.to_lowercase().contains("www-authenticate: bearer"));
    }
    // Each time another token, or one's own, which is no guess; a port that is taken is said.
    let second = Server::start(&desk, &[]);
    assert!(second.token.len() == 64 && second.token != server.token);
    desk.file("token", "a-token-of-my-own\n");
    let mut own = Server::start(&desk, &["--token-file", "token"]);
    assert_eq!(own.token, "", "one's own is not printed");
    own.token = "a-token-of-my-own".to_owned();
    own.client("x");
    desk.file("token", "short\n");
    let short = desk.silt(&["mcp", "serve", "--http", "--token-file", "token"]);
    assert_eq!(short.code, Some(1), "{}", short.err);
    assert!(short.err.contains("16 or more") && !short.err.contains("short\n"), "{}", short.err);
    let taken = desk.silt(&["mcp", "serve", "--http", "--port", server.port()]);
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    assert!(taken.err.contains(server.port()), "{}", taken.err);
    assert_eq!(desk.silt(&["mcp", "serve", "--port", "4000"]).code, Some(2));
}

#[test]
fn many_clients_are_served_at_once_each_by_its_own_name() {
    let desk = Desk::trusted();
    desk.chat(&["We chose zstd for the packs because brotli was slow"]);
    let server = Server::start(&desk, &[]);
    let (first, second) = (server.client("First"), server.client("Second"));
    assert_ne!(first.session, second.session);
    for client in [&first, &second] {
        let found = client.call("recall", json!({"query": "why zstd?"}));
        assert!(found.contains("because brotli was slow"), "{found}");
    }
    for (client, line) in [(&second, "Packs are zstd."), (&first, "Never use brotli.")] {
        let said = client.call("propose", json!({"text": line, "why": "said", "scope": "project"}));
        assert!(said.contains("waits for the user"), "{said}");
    }
    let waiting = desk.json(&["memory", "inbox"]).to_string();
    for told in ["First", "Second", "Packs are zstd.", "Never use brotli."] {
        assert!(waiting.contains(told), "{told}: {waiting}");
    }
    // The other life of the protocol needs no session.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Third", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "recall", "arguments": {"query": "why zstd?"}, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let bearer = server.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "recall"),
    ];
    let (status, head, body) = server.post("/mcp", &headers, &call);
    assert_eq!(status, 200, "{head}\n{body}");
    assert!(body.contains("because brotli was slow"), "{body}");
}

#[cfg(unix)]
#[test]
fn it_ends_when_it_is_told_to() {
    let desk = Desk::trusted();
    let mut server = Server::start(&desk, &[]);
    server.client("x");
    let pid = server.child.id().to_string();
    let told = std::process::Command::new("kill").args(["-INT", &pid]).output().unwrap();
    assert_eq!(said(told).code, Some(0));
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}
