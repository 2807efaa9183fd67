//! A model server on the loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;

/// An OpenAI-compatible server that says two words and ends its answers only when it is told to.
pub struct SlowServer {
    pub url: String,
    /// What it was asked.
    pub asked: Arc<Mutex<Vec<String>>>,
    end: Arc<(Mutex<bool>, Condvar)>,
}

impl SlowServer {
    pub fn start() -> Self {
        Self::saying(|_| vec!["천천히 ".into(), "오는 답".into()])
    }

    /// One that says these words to a body.
    pub fn saying(words: fn(&str) -> Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let end = Arc::<(Mutex<bool>, Condvar)>::default();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (told, heard) = (end.clone(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, told, heard) = (stream.unwrap(), told.clone(), heard.clone());
                std::thread::spawn(move || answer(stream, &told, &heard, words));
            }
        });
        Self { url, asked, end }
    }

    /// Lets the answers that are on their way, and all later ones, come to their end.
    pub fn end_answers(&self) {
        *self.end.0.lock().unwrap() = true;
        self.end.1.notify_all();
    }
}

fn answer(
    mut stream: TcpStream,
    end: &(Mutex<bool>, Condvar),
    heard: &Mutex<Vec<String>>,
    words: fn(&str) -> Vec<String>,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    let mut length = 0;
    while !head.ends_with("\r\n\r\n") {
        let start = head.len();
        if reader.read_line(&mut head).unwrap() == 0 {
            return;
        }
        let line = head[start..].to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body).unwrap();
    if head.starts_with("GET /v1/models ") {
        let body =
            json!({"object": "list", "data": [{"id": "slow-1", "object": "model"}]}).to_string();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
    } else if head.starts_with("POST /v1/chat/completions ") {
        let words = words(&body);
        heard.lock().unwrap().push(body);
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        for word in words {
            let chunk = json!({"choices": [{"index": 0, "delta": {"content": word}}]});
            write!(stream, "data: {chunk}\n\n").unwrap();
        }
        stream.flush().unwrap();
        let told = end.1.wait_while(end.0.lock().unwrap(), |told| !*told).unwrap();
        drop(told);
        let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        // The other side may have gone away.
        let _ = write!(stream, "data: {last}\n\ndata: [DONE]\n\n");
    } else {
        write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
    }
}
