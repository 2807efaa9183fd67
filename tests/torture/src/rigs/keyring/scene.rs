//! A computer with a history, a provider that wants a key, and a keyring that has it; and what is tried there.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use siltstone_test_servers::until::PATIENCE;
use siltstone_test_servers::{files, hidden, request};

use super::session::{Session, signal};
use crate::chance::Chance;
use crate::desk::{Desk, Said};
use crate::{Outcome, Trouble};

/// What the provider answers.
const ANSWER: &str = "The port is 4747.";

const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Letters that a list shows of a key.
const SHOWN: usize = 4;

/// See the module.
pub struct Scene {
    /// The bus and the keyring.
    pub session: Session,
    /// The state, for what is said of it.
    state: String,
    desk: Desk,
    keys: Vec<String>,
    /// The key of every request that asked something.
    sent: Receiver<String>,
    conversation: String,
    said: Vec<u8>,
    secret_word: String,
}

impl Scene {
    /// Everything in its place: the first key is in the open keyring of `home`, and one question was answered.
    pub fn set(state: String, chance: &mut Chance) -> Result<Self, Trouble> {
        let mut session = Session::start()?;
        session.open("home")?;
        let (url, sent) = serve()?;
        let keys = (0..4).map(|_| format!("sk-{}", word(chance, 28))).collect();
        let secret_word = word(chance, 24);
        let desk = Desk::trusted()?;
        let (conversation, said) = (String::new(), Vec::new());
        let mut scene = Self { session, state, desk, keys, sent, conversation, said, secret_word };
        std::fs::write(scene.passphrase_file(), &scene.secret_word)?;
        let add = ["provider", "add", "--kind=openai", "--name=work", "--base-url", &url];
        let add = [&add[..], &["--key-stdin"]].concat();
        let key = scene.key(0);
        let default = ["provider", "default", "work", "m"];
        for (words, input) in [(&add[..], key.as_str()), (&default[..], "")] {
            let said = scene.silt(words, input)?;
            if said.code != Some(0) {
                return Err(format!("an open keyring and no provider: {said:?}").into());
            }
        }
        let said = scene.silt(&["chat", "Which port does the server listen on?"], "")?;
        let id = lines(&said).find_map(|line| line["conversation_id"].as_str().map(str::to_owned));
        scene.conversation = id.ok_or_else(|| format!("no first answer: {said:?}"))?;
        if scene.sent.try_iter().collect::<Vec<_>>() != [scene.key(0)] {
            return Err("the first key did not reach its provider".into());
        }
        Ok(scene)
    }

    /// One of the keys.
    pub fn key(&self, which: usize) -> String {
        self.keys.get(which).cloned().unwrap_or_default()
    }

    /// What another program puts in the place of the first.
    pub fn replaced(&self) -> String {
        self.key(3)
    }

    /// The words that open the encrypted file.
    pub fn passphrase(&self) -> [String; 2] {
        ["--passphrase-file".to_owned(), self.passphrase_file().display().to_string()]
    }

    /// Beside what is kept for the session; the only place where the passphrase stands.
    fn passphrase_file(&self) -> PathBuf {
        self.session.folder().join("passphrase")
    }

    /// Stops the keyring again and again for as long as what this gives lives.
    pub fn slowed(&self) -> Result<Slow, Trouble> {
        Ok(Slow::begin(self.session.process().ok_or("no keyring")?))
    }

    /// What was said stands there, and whose key it was is shown.
    pub fn history(&mut self, outcome: &mut Outcome) -> Result<(), Trouble> {
        let id = self.conversation.clone();
        let shown = self.silt(&["conversation", "show", &id], "")?;
        let is_there = shown.code == Some(0) && shown.out.contains(ANSWER);
        self.note("histories", is_there, || format!("{shown:?}"), outcome);
        let list = self.silt(&["provider", "list"], "")?;
        let is_there = list.code == Some(0) && list.out.contains("\"last_four\"");
        self.note("lists of providers", is_there, || format!("{list:?}"), outcome);
        Ok(())
    }

    /// A question: answered with one of these keys, or refused with one of these codes and what to do.
    pub fn ask(
        &mut self,
        more: &[String],
        codes: &[&str],
        may_do: bool,
        keys: &[String],
        outcome: &mut Outcome,
    ) -> Result<(), Trouble> {
        let id = self.conversation.clone();
        let more = more.iter().map(String::as_str);
        let words: Vec<&str> =
            ["chat", "--conversation", &id, "And before that?"].into_iter().chain(more).collect();
        let said = self.silt(&words, "")?;
        let sent: Vec<String> = self.sent.try_iter().collect();
        let right = if said.code == Some(0) {
            (may_do || codes.is_empty()) && sent.len() == 1 && keys.contains(&sent[0])
        } else {
            // What has no key does not ask without one.
            is_refused(&said, codes) && sent.is_empty()
        };
        self.note("questions", right, || format!("asked: {said:?}, sent {}", sent.len()), outcome);
        Ok(())
    }

    /// Gives the provider another key, in the keyring: kept, or refused with one of these codes and what to do.
    pub fn keep(
        &mut self,
        which: usize,
        codes: &[&str],
        may_do: bool,
        outcome: &mut Outcome,
    ) -> Result<bool, Trouble> {
        let key = self.key(which);
        let said = self.silt(&["provider", "key", "work", "--key-stdin"], &key)?;
        let kept = said.code == Some(0);
        let right = if kept {
            may_do || codes.is_empty()
        } else {
            is_refused(&said, codes) && said_of(&said, "hint").contains("encrypted file")
        };
        self.note("keys", right, || format!("kept: {said:?}"), outcome);
        Ok(kept)
    }

    /// What every refusal offers works: the key goes to the encrypted file.
    pub fn keep_in_the_file(&mut self, which: usize, outcome: &mut Outcome) -> Result<(), Trouble> {
        let (key, passphrase) = (self.key(which), self.passphrase());
        let words = ["provider", "key", "work", "--key-stdin", "--keep", "vault"];
        let words: Vec<&str> =
            words.into_iter().chain(passphrase.iter().map(String::as_str)).collect();
        let said = self.silt(&words, &key)?;
        self.note("keys", said.code == Some(0), || format!("kept in the file: {said:?}"), outcome);
        Ok(())
    }

    /// No key stands anywhere, in no coat: in no file, not in what was said, not in the log.
    pub fn sweep(&mut self, outcome: &mut Outcome) {
        let said = std::mem::take(&mut self.said);
        self.nowhere(&said, "what was said and logged", outcome);
        let (home, session) = (self.desk.home().to_owned(), self.session.folder().to_owned());
        for (path, bytes) in [files::beneath(&home), files::beneath(&session)].concat() {
            if path != self.passphrase_file() {
                outcome.count("files looked at", 1);
                self.nowhere(&bytes, &path.display().to_string(), outcome);
            }
        }
    }

    fn nowhere(&self, bytes: &[u8], place: &str, outcome: &mut Outcome) {
        for key in &self.keys {
            let hidden = &key[..key.len() - SHOWN];
            if let Some(coat) = hidden::found(hidden.trim_start_matches("sk-"), bytes) {
                outcome.fail(format!("{}: {coat} in {place}", self.state));
            }
        }
        if let Some(coat) = hidden::found(&self.secret_word, bytes) {
            outcome.fail(format!("{}: the passphrase as {coat} in {place}", self.state));
        }
    }

    fn note(&self, what: &str, right: bool, wrong: impl FnOnce() -> String, outcome: &mut Outcome) {
        outcome.tried(what, (!right).then(|| format!("{}: {}", self.state, short(&wrong()))));
    }

    /// Runs `silt` in this session with its log at its most talkative; what still runs after the guard is ended and has
    /// no code.
    fn silt(&mut self, words: &[&str], input: &str) -> Result<Said, Trouble> {
        let mut command = self.desk.command(&[&["--json"], words].concat());
        command
            .env("DBUS_SESSION_BUS_ADDRESS", self.session.address())
            .env("SILTSTONE_LOG", "trace")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that does not read its input says so.
            let _ = stdin.write_all(input.as_bytes());
        }
        let said = heard(child)?;
        self.said.extend_from_slice(said.out.as_bytes());
        self.said.extend_from_slice(said.err.as_bytes());
        Ok(said)
    }
}

fn heard(child: Child) -> Result<Said, Trouble> {
    let process = child.id();
    let (send, received) = mpsc::sync_channel(1);
    thread::spawn(move || {
        // Nobody listens any more when it took too long.
        let _ = send.send(child.wait_with_output());
    });
    match received.recv_timeout(PATIENCE) {
        Ok(output) => Ok(output?.into()),
        Err(_) => {
            signal(process, "KILL")?;
            let err = format!("still running after {} s", PATIENCE.as_secs());
            Ok(Said { code: None, out: String::new(), err })
        }
    }
}

/// Every line of what was said that is a JSON value.
fn lines(said: &Said) -> impl Iterator<Item = Value> + '_ {
    said.out.lines().chain(said.err.lines()).filter_map(|line| serde_json::from_str(line).ok())
}

fn said_of(said: &Said, what: &str) -> String {
    let found = lines(said).find_map(|line| line["error"][what].as_str().map(str::to_owned));
    found.unwrap_or_default()
}

fn is_refused(said: &Said, codes: &[&str]) -> bool {
    said.code == Some(1)
        && codes.contains(&said_of(said, "code").as_str())
        && !said_of(said, "message").is_empty()
        && !said_of(said, "hint").is_empty()
}

/// The end of a long text, where what went wrong stands.
fn short(text: &str) -> String {
    let many = text.chars().count();
    text.chars().skip(many.saturating_sub(1_500)).collect()
}

fn word(chance: &mut Chance, letters: usize) -> String {
    (0..letters).map(|_| char::from(*chance.pick(LETTERS).unwrap_or(&b'x'))).collect()
}

/// A provider that answers whoever brings a key, and tells which.
fn serve() -> Result<(String, Receiver<String>), Trouble> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let (send, sent) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The other side may have ended.
            let _ = answer(stream, &send);
        }
    });
    Ok((url, sent))
}

fn answer(mut stream: TcpStream, sent: &Sender<String>) -> std::io::Result<()> {
    let asked = request::read(&mut stream);
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type:";
    if asked.path().ends_with("/models") {
        return write!(stream, "{head} application/json\r\n\r\n{}", json!({"data": [{"id": "m"}]}));
    }
    let key = asked.header("authorization").unwrap_or_default();
    // The scene is over when nobody listens.
    let _ = sent.send(key.strip_prefix("Bearer ").unwrap_or(key).to_owned());
    let said = json!({"choices": [{"delta": {"content": ANSWER}, "finish_reason": "stop"}]});
    write!(stream, "{head} text/event-stream\r\n\r\ndata: {said}\n\ndata: [DONE]\n\n")
}

/// A keyring that is stopped most of the time, until this is dropped.
pub struct Slow {
    over: Arc<AtomicBool>,
    beat: Option<JoinHandle<()>>,
}

impl Slow {
    fn begin(process: u32) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&over);
        let beat = thread::spawn(move || {
            while !until.load(Ordering::Relaxed) {
                for (name, pause) in [("STOP", 200), ("CONT", 20)] {
                    // One that ended needs no slowing down.
                    let _ = signal(process, name);
                    thread::sleep(Duration::from_millis(pause));
                }
            }
        });
        Self { over, beat: Some(beat) }
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(beat) = self.beat.take() {
            // It ends with CONT.
            let _ = beat.join();
        }
    }
}
