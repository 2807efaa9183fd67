//! A model server of the OpenAI format that wants a key, tells what it was sent, and repeats a wrong key in its
//! complaint, as real ones do. Or one that sends everybody elsewhere.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::request::{self, Received};

/// The one model it has.
pub const MODEL: &str = "guarded-1";

/// What it answers to every question.
pub const ANSWER: &str = "It is open.";

/// The server; it listens until the test's process ends.
pub struct Guarded {
    base_url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    key: String,
    elsewhere: Option<String>,
    received: Vec<Received>,
}

impl Guarded {
    /// Lets in whoever has this key.
    pub fn by(key: &str) -> io::Result<Self> {
        Self::start(State { key: key.to_owned(), ..State::default() })
    }

    /// Sends every request on to another base URL, body and all.
    pub fn leading_to(base_url: &str) -> io::Result<Self> {
        Self::start(State { elsewhere: Some(base_url.to_owned()), ..State::default() })
    }

    fn start(state: State) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let shared = shared.clone();
                // Whoever asked may be gone before the answer.
                thread::spawn(move || drop(answer(&mut stream, &shared)));
            }
        });
        Ok(Self { base_url, state })
    }

    /// What a provider is added with.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Takes another key from now on.
    pub fn change_key(&self, key: &str) {
        locked(&self.state).key = key.to_owned();
    }

    /// What was received since the last look.
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut locked(&self.state).received)
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(stream: &mut TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let received = request::read(stream);
    let key = received.header("authorization").unwrap_or_default().trim_start_matches("Bearer ");
    let (key, path) = (key.to_owned(), received.path().to_owned());
    let (is_right, elsewhere) = {
        let mut state = locked(state);
        state.received.push(received);
        (key == state.key, state.elsewhere.clone())
    };
    if let Some(base_url) = elsewhere {
        let rest = path.strip_prefix("/v1").unwrap_or(&path);
        let head = "HTTP/1.1 307 Temporary Redirect\r\nConnection: close\r\nContent-Length: 0";
        return write!(stream, "{head}\r\nLocation: {base_url}{rest}\r\n\r\n");
    }
    if !is_right {
        let complaint = format!(r#"{{"error":{{"message":"Incorrect API key provided: {key}"}}}}"#);
        return respond(stream, "401 Unauthorized", "application/json", &complaint);
    }
    if path.ends_with("/models") {
        let models = format!(r#"{{"data":[{{"id":"{MODEL}"}}]}}"#);
        return respond(stream, "200 OK", "application/json", &models);
    }
    let words: String = ANSWER
        .split_inclusive(' ')
        .map(|word| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{word}\"}}}}]}}\n\n"))
        .collect();
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    respond(stream, "200 OK", "text/event-stream", &format!("{words}{end}"))
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close");
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
