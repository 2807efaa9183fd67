//! A server on the loopback that answers with exactly the bytes it is told to, and breaks off where it is told to.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use siltstone_test_servers::request;

/// How long a stall lasts at most, should nobody give up.
const STALL: Duration = Duration::from_secs(600);

/// One thing the server does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends the same bytes so many times.
    Again(Vec<u8>, usize),
    /// Waits.
    Wait(Duration),
    /// Says nothing more until the other side hangs up.
    Stall,
}

/// What is done with a request.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Closes the connection before the request was read, so that the other side is reset.
    pub deaf: bool,
    /// What is done, in order.
    pub acts: Vec<Act>,
    /// Whether the connection stays open for the next request.
    pub stays: bool,
}

/// How the body of an answer says where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// With the connection.
    Close,
    /// With a last chunk.
    Chunked,
    /// It should end with a last chunk, which never comes.
    Torn,
}

impl Answer {
    /// The bytes as they are.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { acts: vec![Act::Send(bytes.into())], ..Self::default() }
    }

    /// A body in pieces, under a head of this status and type.
    pub fn of(status: &str, kind: &str, pieces: &[&[u8]], ends: Ends) -> Self {
        let how = match ends {
            Ends::Close => "Connection: close",
            Ends::Chunked | Ends::Torn => "Transfer-Encoding: chunked",
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{how}\r\n\r\n");
        let mut bytes = head.into_bytes();
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            if ends == Ends::Close {
                bytes.extend_from_slice(piece);
            } else {
                bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                bytes.extend_from_slice(piece);
                bytes.extend_from_slice(b"\r\n");
            }
        }
        if ends == Ends::Chunked {
            bytes.extend_from_slice(b"0\r\n\r\n");
        }
        Self { stays: ends == Ends::Chunked, ..Self::raw(bytes) }
    }

    /// The same, doing this as well.
    pub fn then(mut self, act: Act) -> Self {
        self.acts.push(act);
        self
    }
}

/// The server; it listens until the process ends.
pub struct Faulty {
    address: String,
    answer: Arc<Mutex<Answer>>,
    asked: Arc<AtomicUsize>,
}

impl Faulty {
    /// Begins to listen.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let (answer, asked) = (Arc::<Mutex<Answer>>::default(), Arc::<AtomicUsize>::default());
        let (told, counted) = (answer.clone(), asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (told, counted) = (told.clone(), counted.clone());
                // Whoever asked may hang up at any time.
                thread::spawn(move || drop(serve(stream, &told, &counted)));
            }
        });
        Ok(Self { address, answer, asked })
    }

    /// Where it listens: `http://127.0.0.1:40123`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers every request like this from now on, and counts them anew.
    pub fn answers(&self, answer: Answer) {
        *locked(&self.answer) = answer;
        self.asked.store(0, Ordering::SeqCst);
    }

    /// How often it was asked since.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn locked(answer: &Mutex<Answer>) -> MutexGuard<'_, Answer> {
    answer.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, answer: &Mutex<Answer>, asked: &AtomicUsize) -> io::Result<()> {
    stream.set_nodelay(true)?;
    loop {
        if locked(answer).deaf {
            asked.fetch_add(1, Ordering::SeqCst);
            // What was not read when a socket is closed becomes a reset.
            stream.read_exact(&mut [0])?;
            return Ok(());
        }
        let received = request::read(&mut stream);
        let Some(first) = received.head.first() else { return Ok(()) };
        if !first.starts_with("POST") {
            // What models there are is not what is tried here.
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        }
        asked.fetch_add(1, Ordering::SeqCst);
        let Answer { acts, stays, .. } = locked(answer).clone();
        for act in acts {
            match act {
                Act::Send(bytes) => stream.write_all(&bytes)?,
                Act::Again(bytes, times) => {
                    for _ in 0..times {
                        stream.write_all(&bytes)?;
                    }
                }
                Act::Wait(time) => thread::sleep(time),
                Act::Stall => {
                    stream.set_read_timeout(Some(STALL))?;
                    io::copy(&mut stream, &mut io::sink())?;
                }
            }
        }
        if !stays {
            return Ok(());
        }
    }
}
