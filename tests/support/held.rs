//! A way to a server that holds its answers back at marks in them, until whoever asked has shown what came so far: that a
//! reply is drawn while it comes is then no question of how fast anybody is.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// What an answer may hold to be held back behind it, first the first.
pub const MARKS: [&str; 2] = ["①", "②"];

/// The way; it is open until the test's process ends, and holds nothing back until it is asked to.
pub struct Held {
    port: u16,
    gate: Arc<Gate>,
}

struct Gate {
    /// Marks of an answer that may be passed; all, where nothing is held back.
    may: Mutex<usize>,
    more: Condvar,
}

impl Held {
    /// A way to the server at this port of this computer.
    pub fn before(port: u16) -> io::Result<Self> {
        Self::from(TcpListener::bind("127.0.0.1:0")?, port)
    }

    /// The same for whoever connects to this listener.
    pub fn from(listener: TcpListener, port: u16) -> io::Result<Self> {
        let own = listener.local_addr()?.port();
        let gate = Arc::new(Gate { may: Mutex::new(usize::MAX), more: Condvar::new() });
        let shared = gate.clone();
        thread::spawn(move || {
            for from in listener.incoming().flatten() {
                let Ok(to) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let Ok((asks, answers)) = from.try_clone().and_then(|it| Ok((it, to.try_clone()?)))
                else {
                    continue;
                };
                let gate = shared.clone();
                // Either side may be gone.
                thread::spawn(move || drop(pass(asks, to, |_| ())));
                thread::spawn(move || drop(pass(answers, from, gate.of_answer())));
            }
        });
        Ok(Self { port: own, gate })
    }

    /// Where it is, without a path: `http://127.0.0.1:40123`.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From now on each answer is held back behind its first mark.
    pub fn hold(&self) {
        self.set(|_| 0);
    }

    /// It may go on to its next mark.
    pub fn go_on(&self) {
        self.set(|may| may.saturating_add(1));
    }

    fn set(&self, to: impl Fn(usize) -> usize) {
        let mut may = self.gate.may.lock().unwrap_or_else(PoisonError::into_inner);
        *may = to(*may);
        self.gate.more.notify_all();
    }
}

impl Gate {
    /// Waits before the line that goes on behind a mark: what ends the line with the mark is still its own.
    fn of_answer(self: Arc<Self>) -> impl FnMut(&[u8]) {
        let (mut passed, mut behind) = (0, false);
        move |line| {
            // A connection that is kept carries one answer after the other.
            if line.starts_with(b"HTTP/") {
                (passed, behind) = (0, false);
            }
            let has = |mark: &[u8]| line.windows(mark.len()).any(|it| it == mark);
            if behind && has(b"{") {
                let may = self.may.lock().unwrap_or_else(PoisonError::into_inner);
                let waited = self.more.wait_while(may, |may| passed > *may);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
                behind = false;
            }
            if MARKS.iter().any(|mark| has(mark.as_bytes())) {
                (passed, behind) = (passed + 1, true);
            }
        }
    }
}

/// Passes everything on, line by line, each once `before` has seen it.
fn pass(from: TcpStream, mut to: TcpStream, mut before: impl FnMut(&[u8])) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A line that is not ended yet may be all that comes for now.
        let ready = from.fill_buf()?;
        let end = ready.iter().position(|byte| *byte == b'\n').map_or(ready.len(), |at| at + 1);
        if end == 0 {
            return to.shutdown(Shutdown::Write);
        }
        from.by_ref().take(end as u64).read_to_end(&mut line)?;
        before(&line);
        to.write_all(&line)?;
    }
}
