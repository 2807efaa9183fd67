//! A key and secrets of a person through a whole run: where they may be seen, and where they are.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;

use serde_json::{Value, json};
use siltstone_test_servers::until::PATIENCE;
use siltstone_test_servers::{files, hidden, request};

use crate::desk::{Desk, Said};
use crate::{Outcome, Trouble};

/// What must be seen nowhere but in the header that carries it.
const KEY: &str = "sk-canary-Zq7Lw2Vx9Tn4Rb6M";

/// Of it, what no list shows.
const HIDDEN: &str = "Zq7Lw2Vx9Tn4";

/// What opens the file of keys.
const PASSPHRASE: &str = "canary of the 암호 kind";

/// A secret that stands in a file and in a question; it may leave in no body.
fn pasted(letter: char) -> String {
    let drawn: String = [letter; 4].into_iter().chain('0'..='9').chain('A'..='V').collect();
    format!("ghp{}{drawn}", '_')
}

/// A computer, and everything `silt` said on it.
struct Watched {
    desk: Desk,
    said: Vec<u8>,
}

/// Carries a key through keeping, asking, failing, exporting, a checkpoint and a summary, with the log at its most
/// talkative, and looks for it everywhere.
pub fn run(outcome: &mut Outcome) -> Result<(), Trouble> {
    let (begin, begun) = channel();
    let (end, ended) = channel();
    let (receive, received) = channel();
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let asked = request::read(&mut stream);
            let is_list = asked.path().ends_with("/models");
            let key = asked.header("authorization").unwrap_or_default().to_owned();
            let body = asked.body.clone();
            // Whoever listens has ended when this fails.
            if receive.send(asked).is_err() {
                return;
            }
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type:";
            let written = if is_list {
                write!(stream, "{head} application/json\r\n\r\n{}", json!({"data": [{"id": "m"}]}))
            } else if !key.ends_with(KEY) {
                let words =
                    json!({"error": {"message": format!("Incorrect API key provided: {key}")}});
                write!(stream, "HTTP/1.1 401 No\r\nConnection: close\r\n\r\n{words}")
            } else {
                // A reply is on its way while the process is looked at from outside.
                if String::from_utf8_lossy(&body).contains("look at me") {
                    let _ = begin.send(());
                    let _ = ended.recv();
                }
                let said = json!({"choices": [{"delta": {"content": "Opened."}, "finish_reason": "stop"}]});
                write!(stream, "{head} text/event-stream\r\n\r\ndata: {said}\n\ndata: [DONE]\n\n")
            };
            drop(written);
        }
    });

    let mut watched = Watched { desk: Desk::trusted()?, said: Vec::new() };
    let (filed, asked) = (pasted('f'), pasted('q'));
    watched.desk.file("AGENTS.md", &format!("# Rules\n\nDeploy with {filed}.\n"))?;
    std::fs::write(watched.desk.home().join("passphrase"), PASSPHRASE)?;
    let add = ["provider", "add", "--kind", "openai", "--name", "work", "--base-url", &url];
    watched.silt(&[&add[..], &["--key-stdin", "--keep", "vault"]].concat(), KEY)?;
    watched.silt(&["provider", "default", "work", "m"], "")?;
    watched.silt(&["provider", "test", "work"], "")?;

    let mut chat = watched.start(&["chat", "look at me"])?;
    begun.recv_timeout(PATIENCE)?;
    let mut seen = 0;
    for file in ["cmdline", "environ"] {
        let bytes = std::fs::read(format!("/proc/{}/{file}", chat.id()))?;
        seen += bytes.len() as u64;
        nowhere(&bytes, file, outcome);
    }
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", chat.id()))?;
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let none = core.is_some_and(|line| line.split_whitespace().nth(4) == Some("0"));
    outcome.tried("processes", (!none).then(|| format!("a core file may be written: {core:?}")));
    end.send(())?;
    // Later replies wait for nobody.
    drop(end);
    drop(chat.stdin.take());
    let said = watched.heard(chat)?;
    let id = said.out.lines().find_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        line["conversation_id"].as_str().map(str::to_owned)
    });
    let id = id.ok_or_else(|| format!("no conversation: {} {}", said.out, said.err))?;
    let question = format!("Why is {asked} refused?");
    watched.silt(&["chat", "--conversation", &id, &question], "")?;
    watched.silt(&["summary", "run", &id], "")?;
    watched.silt(&["checkpoint", "create", "--tag", "before"], "")?;
    watched.silt(&["egress", "list"], "")?;
    let mut exports = Vec::new();
    for form in ["markdown", "json", "jsonl"] {
        let export = ["conversation", "export", &id, "--format", form];
        exports.extend(watched.silt(&export, "")?.out.into_bytes());
    }
    let wrong = format!("sk-canary-wrong-{HIDDEN}Rb6M");
    watched.silt(&["provider", "key", "work", "--key-stdin", "--keep", "vault"], &wrong)?;
    watched.silt(&["chat", "--conversation", &id, "Again"], "")?;

    nowhere(&watched.said, "what was said and logged", outcome);
    outcome.count("bytes looked at", seen + watched.said.len() as u64);
    beneath(watched.desk.home(), outcome);
    let (mut carried, mut bodies) = (0, Vec::new());
    for request in received.try_iter() {
        let key = request.header("authorization").unwrap_or_default();
        carried += u64::from(key == format!("Bearer {KEY}"));
        bodies.extend(request.body);
    }
    outcome.tried("requests with the key", (carried < 3).then(|| format!("{carried} had it")));
    nowhere(&bodies, "a request's body", outcome);
    for secret in [&filed, &asked] {
        for (bytes, place) in [(&bodies, "a request's body"), (&exports, "an export")] {
            let found =
                hidden::found(secret, bytes).map(|coat| format!("{secret}: {coat} in {place}"));
            outcome.tried("pasted secrets", found);
        }
    }
    let marked = String::from_utf8_lossy(&bodies).matches("[redacted: github-token]").count();
    let wrong = (marked < 2).then(|| format!("only {marked} marks were sent"));
    outcome.tried("pasted secrets", wrong);
    Ok(())
}

impl Watched {
    fn start(&self, args: &[&str]) -> Result<Child, Trouble> {
        let mut command = self.desk.command(args);
        command
            .args(["--json", "--passphrase-file"])
            .arg(self.desk.home().join("passphrase"))
            .env("SILTSTONE_LOG", "trace")
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command.spawn()?)
    }

    fn heard(&mut self, child: Child) -> Result<Said, Trouble> {
        let output = child.wait_with_output()?;
        self.said.extend_from_slice(&output.stderr);
        self.said.extend_from_slice(&output.stdout);
        Ok(output.into())
    }

    fn silt(&mut self, args: &[&str], input: &str) -> Result<Said, Trouble> {
        let mut child = self.start(args)?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes())?;
        }
        self.heard(child)
    }
}

/// Everything beneath the folder but the file that the rig itself wrote the passphrase to.
fn beneath(folder: &Path, outcome: &mut Outcome) {
    for (path, bytes) in files::beneath(folder) {
        if !path.ends_with("passphrase") {
            outcome.count("files", 1);
            outcome.count("bytes looked at", bytes.len() as u64);
            nowhere(&bytes, &path.display().to_string(), outcome);
        }
    }
}

/// Neither the key nor the passphrase, as they are or in another coat.
pub fn nowhere(bytes: &[u8], place: &str, outcome: &mut Outcome) {
    for secret in [HIDDEN, PASSPHRASE] {
        if let Some(coat) = hidden::found(secret, bytes) {
            outcome.fail(format!("{coat} in {place}"));
        }
    }
}
