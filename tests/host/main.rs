//! The program without its window, for the tests of the UI: every command of the contract's table over standard input
//! and output, on the real adapters. `ui/src/test/host.ts` starts one for each test, in a data folder and a home of its
//! own.
//!
//! A line in is a call, `{"id", "command", "request"}`, or a change of the world around it, `{"id", "world"}`. Lines out
//! are `{"id", "reply"}`, `{"id", "failure"}`, `{"id", "event"}` of a stream, in order and before its reply, and
//! `{"changed"}` for the broadcast. Calls are carried out side by side. Standard input that ends ends the program.
//!
//! Only what lies outside is put in place: where keys are kept ([`secrets`]), the clock, and the pace of the offline
//! model. The rows of the table that need a window are answered by who starts this; three of them need more than a
//! command to do it, and [`table`] has that.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what cannot be set up ends the program, and the test that started it says so"
)]

#[path = "../support/kept.rs"]
mod kept;
mod secrets;
mod table;
mod world;

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siltstone_contract::{Changed, Failure, Topic};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use world::{Start, Surroundings};

/// One line in.
#[derive(Deserialize)]
struct Line {
    id: u64,
    #[serde(default)]
    command: String,
    #[serde(default)]
    request: Value,
    /// Another state of what lies outside, instead of a command.
    world: Option<Surroundings>,
}

/// One line out. Written as text at once: a value in between would make other numbers of some.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Told<T> {
    Ready(bool),
    Changed(Changed),
    Reply(T),
    Failure(Failure),
    Event(T),
}

#[derive(Serialize)]
struct Out<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(flatten)]
    told: Told<T>,
}

fn main() {
    let start = std::env::args().nth(1).expect("what to start with, as JSON");
    let start: Start = serde_json::from_str(&start).expect("a start");
    siltstone_providers::install_crypto();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(served(start));
    // What is still on its way ends with the program, and the database is closed, as tests that look at its files expect.
    runtime.shutdown_timeout(Duration::from_secs(10));
}

async fn served(start: Start) {
    let (lines, mut read) = unbounded_channel();
    std::thread::spawn(move || {
        for line in stdin().lock().lines() {
            let Ok(line) = line else { return };
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    let (out, mut written) = unbounded_channel::<String>();
    std::thread::spawn(move || {
        let mut to = stdout().lock();
        while let Some(line) = written.blocking_recv() {
            // Whoever started this is gone; so is this, as soon as its input ends.
            let _ = writeln!(to, "{line}").and_then(|()| to.flush());
        }
    });

    let around = Arc::new(world::Around::default());
    let app = world::app(start, around.clone());
    app.sit();
    let mut changes = app.subscribe();
    let told = out.clone();
    tokio::spawn(async move {
        loop {
            let changed = match changes.recv().await {
                Ok(changed) => changed,
                Err(RecvError::Lagged(_)) => Changed { topics: vec![Topic::All] },
                Err(RecvError::Closed) => return,
            };
            say(&told, None, Told::<()>::Changed(changed));
        }
    });
    tokio::spawn(app.watch_other_processes());

    say(&out, None, Told::<()>::Ready(true));
    while let Some(line) = read.recv().await {
        let line: Line = serde_json::from_str(&line).expect("a line is a call");
        match line.world {
            Some(now) => {
                around.become_so(now);
                say(&out, Some(line.id), Told::Reply(()));
            }
            None => table::handle(app.clone(), line.id, &line.command, line.request, out.clone()),
        }
    }
    app.leave_sessions().await;
    app.leave_servers().await;
}

fn say<T: Serialize>(out: &UnboundedSender<String>, id: Option<u64>, told: Told<T>) {
    let line = serde_json::to_string(&Out { id, told }).expect("what is told is JSON");
    // Closed only when the program ends.
    let _ = out.send(line);
}
