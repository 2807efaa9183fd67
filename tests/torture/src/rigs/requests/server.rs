//! A model server of the OpenAI format on the loopback: it says back what it is asked, decides things, summarises by
//! quoting, fails, breaks off and calls a tool where the words of the question want that. It keeps what it receives.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};
use siltstone_test_servers::request::{self, Received};

/// Its models, each with its window. The last one's tokens can be counted, and it reads pictures.
pub const MODELS: [(&str, u64); 4] =
    [("small", 4_000), ("middle", 9_000), ("large", 128_000), ("gpt-4o", 16_000)];

/// In a question: the server refuses, the answer breaks off, or a file is read first.
pub const REFUSES: &str = "failing";
pub const BREAKS: &str = "breaking off";
pub const READS: &str = "look into the file";

/// In a question: a tool is called as [`Server::will_call`] says.
pub const CALLS: &str = "ask the bank";

/// The server; it listens until this program ends.
pub struct Server {
    base_url: String,
    received: Arc<Mutex<Vec<Received>>>,
    calls: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    /// Begins to listen.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let calls = Arc::<Mutex<Vec<(String, String)>>>::default();
        let (noted, said) = (received.clone(), calls.clone());
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (noted, said) = (noted.clone(), said.clone());
                // Whoever asked may be gone before the answer.
                thread::spawn(move || drop(answer(&mut stream, &noted, &said)));
            }
        });
        Ok(Self { base_url, received, calls })
    }

    /// Whoever says [`CALLS`] has these calls made in one reply: a tool and the text of its arguments each.
    pub fn will_call(&self, calls: Vec<(String, String)>) {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner) = calls;
    }

    /// What a provider is added with.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The questions that were received since the last look.
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn answer(
    stream: &mut TcpStream,
    noted: &Mutex<Vec<Received>>,
    calls: &Mutex<Vec<(String, String)>>,
) -> io::Result<()> {
    let received = request::read(stream);
    if received.path().ends_with("/models") {
        return respond(stream, "200 OK", "application/json", &models().to_string());
    }
    let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
    noted.lock().unwrap_or_else(PoisonError::into_inner).push(received);
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let asked = messages.iter().rfind(|it| it["role"] == "user").map(text).unwrap_or_default();
    let is_task = messages.iter().all(|it| it["role"] == "user");
    let called = messages.last().is_some_and(|it| it["role"] == "tool");
    if asked.contains(REFUSES) && !is_task {
        let refusal = json!({"error": {"message": "no"}}).to_string();
        return respond(stream, "400 Bad Request", "application/json", &refusal);
    }
    let said = if is_task { quoted(&asked) } else { replied(&asked) };
    let mut chunks = vec![json!({"choices": [{"delta": {"content": said}}]})];
    if asked.contains(READS) && !called && body["tools"].is_array() && !is_task {
        let arguments = json!({"path": "docs/setup.md"}).to_string();
        let function = json!({"name": "read_file", "arguments": arguments});
        let call = json!({"index": 0, "id": "a", "type": "function", "function": function});
        chunks.push(json!({"choices": [{"delta": {"tool_calls": [call]}}]}));
    }
    if asked.contains(CALLS) && !called && body["tools"].is_array() && !is_task {
        let calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, (name, arguments)) in calls.iter().enumerate() {
            let function = json!({"name": name, "arguments": arguments});
            let id = format!("call{index}");
            let call = json!({"index": index, "id": id, "type": "function", "function": function});
            chunks.push(json!({"choices": [{"delta": {"tool_calls": [call]}}]}));
        }
    }
    let mut events: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    if !asked.contains(BREAKS) || is_task {
        let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
        events.push_str(&format!("data: {end}\n\ndata: [DONE]\n\n"));
    }
    respond(stream, "200 OK", "text/event-stream", &events)
}

fn models() -> Value {
    let listed = MODELS.map(|(id, window)| match id {
        "gpt-4o" => json!({"id": id, "context_window": window,
            "architecture": {"input_modalities": ["text", "image", "file"]}}),
        _ => json!({"id": id, "context_window": window,
            "architecture": {"input_modalities": ["text"]}}),
    });
    json!({"data": listed})
}

/// The words of a message, whatever else is in it.
pub fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let texts = items.iter().filter_map(|item| item["text"].as_str());
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

/// What was asked, something that was decided, and more of it for some questions.
fn replied(asked: &str) -> String {
    let asked: String = asked.chars().rev().take(160).collect();
    let asked: String = asked.chars().rev().collect();
    let more = asked.bytes().map(usize::from).sum::<usize>() % 5;
    let rest = "The keeper counts the ships that pass by night and writes them down by day. ";
    format!("{asked} We decided that its lamp is repaired in spring. {}", rest.repeat(more * 4))
}

/// The beginning and the end of what is to be summarised.
fn quoted(asked: &str) -> String {
    let letters: Vec<char> = asked.chars().collect();
    let end: String = letters[letters.len().saturating_sub(160)..].iter().collect();
    format!("They spoke of the harbour and decided on lamps. {end}")
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close");
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
