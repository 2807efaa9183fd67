//! Who makes newer versions: a key pair of minisign's, a feed of Tauri's form, and a server on this computer that has both and
//! answers as a test wants it.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::KeyPair;
use serde_json::json;

/// Where the feed is, below the server's address.
pub const FEED: &str = "/updates.json";

/// How something is answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// As it should.
    Whole(Vec<u8>),
    /// Without saying how much it is.
    Unsaid(Vec<u8>),
    /// As more than comes.
    Cut(Vec<u8>, usize),
    /// These bytes of more; then nothing, until nobody listens any more.
    Trickle(Vec<u8>, usize),
    /// It is elsewhere.
    Elsewhere(String),
    /// With this status.
    Status(u16),
}

/// A server that has a feed and packages.
pub struct Maker {
    keys: KeyPair,
    address: String,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Maker {
    /// One with a new key, and nothing to have.
    pub fn start() -> io::Result<Self> {
        let keys = KeyPair::generate_unencrypted_keypair().map_err(io::Error::other)?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let (answers, asked) = (Arc::default(), Arc::default());
        let made = Self { keys, address, answers, asked };
        let (answers, asked) = (made.answers.clone(), made.asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, asked) = (answers.clone(), asked.clone());
                // Who hung up meanwhile is told nothing.
                std::thread::spawn(move || drop(answer(stream, &answers, &asked)));
            }
        });
        Ok(made)
    }

    /// Where it listens, without a path.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What was asked for, in order.
    pub fn asked(&self) -> Vec<String> {
        locked(&self.asked).clone()
    }

    /// Answers so from now on.
    pub fn put(&self, path: &str, answer: Answer) {
        locked(&self.answers).insert(path.to_owned(), answer);
    }

    /// The public key, in Tauri's form.
    pub fn key(&self) -> io::Result<String> {
        let public = self.keys.pk.to_box().map_err(io::Error::other)?;
        Ok(STANDARD.encode(public.into_string()))
    }

    /// A signature, in Tauri's form, with a trusted comment.
    pub fn sign(&self, bytes: &[u8], comment: &str) -> io::Result<String> {
        let (public, secret) = (Some(&self.keys.pk), &self.keys.sk);
        let signed = minisign::sign(public, secret, bytes, Some(comment), None);
        Ok(STANDARD.encode(signed.map_err(io::Error::other)?.into_string()))
    }

    /// Writes the file that says who signs, as a package brings it along.
    pub fn name_in(&self, file: &Path) -> io::Result<()> {
        let feed = format!("{}{FEED}", self.address);
        std::fs::write(file, json!({"feed": feed, "key": self.key()?}).to_string())
    }

    /// Offers a package of a kind, at the server's own address, with this signature.
    pub fn offer(&self, version: &str, kind: &str, file: &str, signature: &str, size: Option<u64>) {
        let url = format!("{}/{file}", self.address);
        self.offer_at(&url, version, kind, signature, size);
    }

    /// The same at any address.
    pub fn offer_at(
        &self,
        url: &str,
        version: &str,
        kind: &str,
        signature: &str,
        size: Option<u64>,
    ) {
        let name = format!("{}-{}-{kind}", std::env::consts::OS, std::env::consts::ARCH);
        let mut of = json!({"url": url, "signature": signature});
        if let Some(size) = size {
            of["size"] = json!(size);
        }
        let feed = json!({
            "version": version,
            "notes": "Faster.\nSafer.",
            "pub_date": "2026-11-20T08:00:00Z",
            "platforms": {name: of},
        });
        self.put(FEED, Answer::Whole(feed.to_string().into_bytes()));
    }

    /// Signs a package, has it, and offers it.
    pub fn publish(&self, version: &str, kind: &str, file: &str, bytes: &[u8]) -> io::Result<()> {
        let signature = self.sign(bytes, &format!("version:{version} file:{file}"))?;
        self.put(&format!("/{file}"), Answer::Whole(bytes.to_vec()));
        self.offer(version, kind, file, &signature, Some(bytes.len() as u64));
        Ok(())
    }
}

fn answer(
    stream: TcpStream,
    answers: &Mutex<HashMap<String, Answer>>,
    asked: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    // The rest of the head.
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    locked(asked).push(path.clone());
    let how = locked(answers).get(&path).cloned().unwrap_or(Answer::Status(404));
    let mut to = stream;
    let head = |status: &str, rest: &str| {
        format!("HTTP/1.1 {status}\r\n{rest}Connection: close\r\n\r\n").into_bytes()
    };
    let said = |bytes: usize| head("200 OK", &format!("Content-Length: {bytes}\r\n"));
    match how {
        Answer::Whole(bytes) => {
            to.write_all(&said(bytes.len()))?;
            to.write_all(&bytes)
        }
        Answer::Unsaid(bytes) => {
            to.write_all(&head("200 OK", ""))?;
            to.write_all(&bytes)
        }
        Answer::Cut(bytes, of) => {
            to.write_all(&said(of))?;
            to.write_all(&bytes)
        }
        Answer::Trickle(bytes, of) => {
            to.write_all(&said(of))?;
            to.write_all(&bytes)?;
            // It says nothing more, and is read until it is gone.
            to.read_to_end(&mut Vec::new()).map(drop)
        }
        Answer::Elsewhere(to_where) => to.write_all(&head(
            "302 Found",
            &format!("Location: {to_where}\r\nContent-Length: 0\r\n"),
        )),
        Answer::Status(status) => {
            to.write_all(&head(&format!("{status} So"), "Content-Length: 0\r\n"))
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
