//! An OpenAI-compatible server on the loopback that streams an answer in pieces, or has a file written when it is asked to.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use siltstone_test_servers::request;

use crate::Trouble;

/// What it says, in pieces.
pub const PIECES: [&str; 6] =
    ["The port ", "is 4747, ", "as the file ", "says; ", "미리보기 서버", "도 같아요."];

/// The file that it has written, and what is to be in it.
pub const WRITTEN: (&str, &str) = ("made/by-model.txt", "one line of the file\n");

/// The address of a server that runs until this program ends.
pub fn start() -> Result<String, Trouble> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                // The other side may have been killed.
                let _ = answer(stream);
            });
        }
    });
    Ok(url)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let request = request::read(&mut stream);
    if request.path().ends_with("/models") {
        let body = json!({"data": [{"id": "m"}]}).to_string();
        return write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}");
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let asked = messages.iter().rposition(|it| it["role"] == "user");
    let (asked, since) = messages.split_at(asked.map_or(0, |place| place + 1));
    let writes = asked.last().is_some_and(|it| it["content"].to_string().contains("Write"));
    let answered = since.iter().any(|it| it["role"] == "tool");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    )?;
    let mut say = |delta: Value, reason: Value| {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        write!(stream, "data: {chunk}\n\n").and_then(|()| stream.flush())
    };
    if writes && !answered {
        let arguments = json!({"path": WRITTEN.0, "text": WRITTEN.1.repeat(500)}).to_string();
        let function = json!({"name": "write_file", "arguments": arguments});
        let call = json!({"index": 0, "id": "w", "type": "function", "function": function});
        say(json!({"content": "I write. ", "tool_calls": [call]}), Value::Null)?;
    } else {
        for piece in PIECES {
            say(json!({"content": piece}), Value::Null)?;
            // Longer than what came is held back, so that parts of the answer are on the disk before its end.
            std::thread::sleep(Duration::from_millis(if writes { 0 } else { 60 }));
        }
    }
    say(json!({}), json!("stop"))?;
    write!(stream, "data: [DONE]\n\n")
}
