//! Keys from the command line: kept encrypted, sent to where they belong, and seen nowhere else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::json;
use siltstone_test_servers::{files, hidden};

use crate::desk::{Desk, Said, conversation_of, lines, text_of};

const KEY: &str = "sk-canary-Zq7Lw2Vx9Tn4Rb6M";
/// What of it may be seen nowhere; another key below has it, too.
const HIDDEN: &str = "Zq7Lw2Vx9Tn4";

const PASSPHRASE: &str = "canary of the 암호 kind";

/// A model server that wants a key, and repeats whatever key it was given when that is the wrong one.
struct Guarded {
    url: String,
    keys: Arc<Mutex<Vec<String>>>,
    /// Says that a reply has begun; it ends when the sender is used.
    begun: Receiver<()>,
    end: Sender<()>,
}

impl Guarded {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let keys = Arc::<Mutex<Vec<String>>>::default();
        let (begin, begun) = channel();
        let (end, ended) = channel();
        let seen = keys.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (path, key) = asked(&mut stream);
                seen.lock().unwrap().push(key.clone());
                if key != KEY {
                    let words = format!("Incorrect API key provided: {key}");
                    respond(&mut stream, "401 Unauthorized", &json!({"error": {"message": words}}));
                } else if path == "/v1/models" {
                    respond(&mut stream, "200 OK", &json!({"data": [{"id": "guarded-1"}]}));
                } else {
                    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
                    let delta = json!({"choices": [{"index": 0, "delta": {"content": "Opened."}}]});
                    let stop =
                        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
                    write!(stream, "{head}data: {delta}\n\n").unwrap();
                    stream.flush().unwrap();
                    begin.send(()).unwrap();
                    ended.recv().unwrap();
                    write!(stream, "data: {stop}\n\ndata: [DONE]\n\n").unwrap();
                }
            }
        });
        Self { url, keys, begun, end }
    }

    fn keys(&self) -> Vec<String> {
        std::mem::take(&mut *self.keys.lock().unwrap())
    }
}

fn asked(stream: &mut TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let (mut key, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => key = value.trim_start_matches("Bearer ").to_owned(),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).unwrap();
    (first.split(' ').nth(1).unwrap_or_default().to_owned(), key)
}

fn respond(stream: &mut TcpStream, status: &str, body: &serde_json::Value) {
    let body = body.to_string();
    let head = "Content-Type: application/json\r\nConnection: close";
    write!(stream, "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .unwrap();
}

/// `silt` on a system without a keyring, telling everything it ever tells, with the vault's passphrase or without.
struct Keyless {
    desk: Desk,
    passphrase: tempfile::NamedTempFile,
    said: Vec<String>,
}

impl Keyless {
    fn new() -> Self {
        let mut passphrase = tempfile::NamedTempFile::new().unwrap();
        writeln!(passphrase, "{PASSPHRASE}").unwrap();
        Self { desk: Desk::new(), passphrase, said: Vec::new() }
    }

    fn command(&self, open: bool, args: &[&str]) -> std::process::Command {
        let mut command = self.desk.command(args);
        if open {
            command.arg("--passphrase-file").arg(self.passphrase.path());
        }
        command
            .arg("--json")
            .env("SILTSTONE_LOG", "trace")
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn silt(&mut self, open: bool, args: &[&str], input: &str) -> Said {
        let mut child = self.command(open, args).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let said = crate::desk::said(child.wait_with_output().unwrap());
        self.said.push(format!("{}\n{}", said.out, said.err));
        said
    }

    fn ok(&mut self, open: bool, args: &[&str], input: &str) -> serde_json::Value {
        let said = self.silt(open, args, input);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.out);
        serde_json::from_str(&said.out).unwrap()
    }

    fn fails(&mut self, open: bool, args: &[&str], input: &str, code: &str) {
        let said = self.silt(open, args, input);
        assert_eq!(said.code, Some(1), "{args:?}: {}", said.out);
        let last = lines(&said.out).pop().unwrap();
        assert_eq!(last["error"]["code"], code, "{args:?}: {}", said.out);
    }
}

#[test]
fn a_key_goes_to_its_server_and_is_seen_nowhere_else() {
    let server = Guarded::start();
    let mut silt = Keyless::new();
    let add = ["provider", "add", "--kind", "openai", "--name", "work", "--base-url", &server.url];
    let with_key = [&add[..], &["--key-stdin"]].concat();
    silt.fails(false, &with_key, KEY, "keyring_absent");
    // It is there, without its key, and whoever added it is told, and how to go on from here.
    let listed = silt.ok(false, &["provider", "list"], "");
    assert_eq!(
        (&listed["providers"][1]["name"], &listed["providers"][1]["key"]),
        (&json!("work"), &json!(null))
    );
    for (lang, without) in
        [("en", "work was added, but its key was not kept"), ("ko", "work: 추가했지만 키는")]
    {
        let said = silt.silt(false, &[&["--lang", lang], &with_key[..]].concat(), KEY);
        let error = &lines(&said.out)[0]["error"];
        assert_eq!(said.code, Some(1));
        assert!(error["message"].as_str().unwrap().contains(without), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("--keep vault"), "{error}");
        assert!(!error["hint"].as_str().unwrap().contains("session"), "{error}");
    }
    let in_vault = [&with_key[..], &["--keep", "vault"]].concat();
    silt.fails(false, &in_vault, KEY, "vault_locked");
    for no_key in ["", " \n", "two words", "열쇠"] {
        silt.fails(true, &in_vault, no_key, "bad_request");
    }
    let added = silt.ok(true, &in_vault, &format!("{KEY}\n"));
    assert_eq!(added["provider"]["key"], json!({"place": "vault", "last_four": "Rb6M"}));
    assert_eq!(server.keys(), Vec::<String>::new(), "nothing was asked yet");

    // What is shown needs no passphrase, what is sent does.
    let listed = silt.ok(false, &["provider", "list"], "");
    assert_eq!(listed["providers"][1]["key"]["last_four"], "Rb6M");
    silt.fails(false, &["provider", "models", "work"], "", "vault_locked");
    assert_eq!(server.keys(), Vec::<String>::new());
    let models = silt.ok(true, &["provider", "models", "work"], "");
    assert_eq!(models["models"][0]["id"], "guarded-1");
    assert_eq!(server.keys(), [KEY]);

    // A reply is on its way while the process is looked at from outside.
    silt.ok(true, &["provider", "default", "work", "guarded-1"], "");
    let mut chat = silt.command(true, &["chat", "Open"]).spawn().unwrap();
    server.begun.recv().unwrap();
    if cfg!(target_os = "linux") {
        for file in ["cmdline", "environ"] {
            let seen = std::fs::read(format!("/proc/{}/{file}", chat.id())).unwrap();
            assert!(!seen.is_empty());
            nowhere_in(&seen, file);
        }
    }
    server.end.send(()).unwrap();
    drop(chat.stdin.take());
    let said = crate::desk::said(chat.wait_with_output().unwrap());
    silt.said.push(said.err);
    let told = lines(&said.out);
    assert_eq!(text_of(&told), "Opened.");
    let id = conversation_of(&told);
    let sent = told[0]["turn_id"].as_str().unwrap();
    for form in ["markdown", "json", "jsonl"] {
        silt.ok(true, &["conversation", "export", &id, "--format", form], "");
    }
    silt.ok(true, &["context", "sent", sent], "");

    // What left is written down with the place of the key, and without it.
    let left = silt.ok(false, &["egress", "list"], "");
    let request = &left["requests"][0];
    assert_eq!((&request["turn_id"], &request["answer"]), (&json!(sent), &json!("200")));
    let shown = silt.ok(false, &["egress", "show", &request["seq"].to_string()], "");
    let headers = shown["headers"].as_array().unwrap();
    assert!(headers.contains(&json!(["authorization", "Bearer $KEY"])), "{headers:?}");
    assert!(shown["body"].as_str().unwrap().contains("Open\""), "{shown}");
    let curl = ["egress", "show", &request["seq"].to_string(), "--curl"];
    assert!(silt.ok(false, &curl, "")["curl"].as_str().unwrap().contains("\"$KEY\""));

    // A server that repeats the key in its complaint.
    let wrong = "sk-canary-wrong-Zq7Lw2Vx9Tn4Rb6M";
    let key = ["provider", "key", "work", "--key-stdin", "--keep", "vault"];
    let shown = silt.ok(true, &key, wrong);
    assert_eq!(shown["provider"]["key"]["last_four"], "Rb6M");
    silt.fails(true, &["provider", "test", "work"], "", "key_refused");
    silt.fails(true, &["chat", "--conversation", &id, "Again"], "", "key_refused");

    // Another origin does not get the key.
    let elsewhere = Guarded::start();
    let moved =
        ["provider", "add", "--kind", "openai", "--name", "work", "--base-url", &elsewhere.url];
    assert_eq!(silt.ok(true, &moved, "")["provider"]["key"], json!(null));
    silt.fails(true, &["provider", "models", "work"], "", "key_refused");
    assert_eq!(elsewhere.keys(), [""]);

    for said in &silt.said {
        nowhere_in(said.as_bytes(), "what was said");
    }
    assert!(silt.said.iter().any(|said| said.contains("DEBUG") || said.contains("TRACE")));
    let mut files = 0;
    nowhere_beneath(silt.desk.data.path(), &mut files);
    nowhere_beneath(silt.desk.project.path(), &mut files);
    assert!(files > 3, "the database and the vault were looked at");
    silt.ok(false, &["egress", "clear"], "");
    assert_eq!(silt.ok(false, &["egress", "list"], "")["requests"], json!([]));
}

#[test]
fn a_removed_key_is_gone_and_a_hosted_provider_misses_it() {
    let mut silt = Keyless::new();
    let add = ["provider", "add", "--kind", "anthropic", "--name", "far"];
    let add = [&add[..], &["--base-url", "https://model.invalid/v1"]].concat();
    let added = silt.ok(false, &add, "");
    assert_eq!(added["provider"]["needs_key"], true);
    // Refused before any address is looked up.
    silt.fails(false, &["provider", "models", "far"], "", "key_missing");
    silt.fails(false, &["chat", "--provider", "far", "--model", "m", "Hi"], "", "key_missing");

    let key = ["provider", "key", "far", "--key-stdin", "--keep", "vault"];
    silt.ok(true, &key, KEY);
    let removed = silt.ok(true, &["provider", "key", "far", "--remove"], "");
    assert_eq!(removed["provider"]["key"], json!(null));
    silt.fails(true, &["provider", "models", "far"], "", "key_missing");

    // A provider that is removed takes its key along; while the vault is closed neither goes.
    silt.ok(true, &key, KEY);
    silt.fails(false, &["provider", "remove", "far"], "", "vault_locked");
    silt.ok(true, &["provider", "remove", "far"], "");
    assert_eq!(silt.ok(true, &add, "")["provider"]["key"], json!(null));

    std::fs::write(silt.passphrase.path(), "another passphrase").unwrap();
    silt.fails(true, &["provider", "list"], "", "vault_wrong_passphrase");
}

fn nowhere_beneath(folder: &Path, looked: &mut usize) {
    for (path, bytes) in files::beneath(folder) {
        *looked += 1;
        nowhere_in(&bytes, &path.display().to_string());
    }
}

/// Neither a key nor the passphrase, as they are or in another coat. A key's last four characters alone may be seen.
fn nowhere_in(bytes: &[u8], place: &str) {
    for secret in [HIDDEN, PASSPHRASE] {
        assert_eq!(hidden::found(secret, bytes), None, "in {place}");
    }
}
