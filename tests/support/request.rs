//! A request as a server receives it, byte by byte.

use std::io::Read;

/// What was received: the lines of the head, and the body.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// The first line and the headers, names in lower case.
    pub head: Vec<String>,
    /// The body, as long as its header said.
    pub body: Vec<u8>,
}

impl Received {
    /// What was asked for.
    pub fn path(&self) -> &str {
        let first = self.head.first().and_then(|line| line.split(' ').nth(1));
        first.unwrap_or_default()
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Reads one whole request; what ends early is given as far as it came.
pub fn read(stream: &mut impl Read) -> Received {
    let mut received = Received::default();
    loop {
        let line = line(stream);
        if line.is_empty() {
            break;
        }
        let named = line.split_once(": ").filter(|_| !received.head.is_empty());
        received.head.push(match named {
            Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
            None => line,
        });
    }
    let length = received.header("content-length").and_then(|length| length.parse().ok());
    received.body = vec![0; length.unwrap_or(0)];
    let mut filled = 0;
    while let Some(rest) = received.body.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest) {
            Ok(more) if more > 0 => filled += more,
            _ => break,
        }
    }
    received.body.truncate(filled);
    received
}

fn line(stream: &mut impl Read) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while matches!(stream.read(&mut byte), Ok(1)) && byte != *b"\n" {
        line.push(byte[0]);
    }
    String::from_utf8_lossy(&line).trim_end().to_owned()
}
