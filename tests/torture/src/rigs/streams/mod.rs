//! Streams (goal G13; R17, R18; T11): a server that breaks off, lies, stalls or never ends, before every wire format.
//!
//! Three things are tried. Every fault of `faults` goes through the real provider over a real connection. Streams whose
//! meaning is known (`said`), and those that real servers once sent, arrive in single bytes, in two pieces cut at every
//! byte, and end after every byte. And `silt chat` meets the faults with a tool allowed to write: what was said is kept,
//! the question stands there once, the failure has words and a hint, and no tool ran that was not called to its end.

mod cuts;
mod faults;
pub mod said;
mod server;
mod whole;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use siltstone_engine::ports::{Access, Providers};
use siltstone_engine::provider::{Chunk, FinishReason, ModelRequest, ProviderKind, ProviderRecord};
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Network;
use siltstone_providers::Connections;
use siltstone_test_servers::noted::Noted;
use siltstone_test_servers::until::PATIENCE;
use tokio::runtime::Runtime;

use crate::{Options, Outcome, Scale, Trouble};
use faults::{FINISHED, Fault, Faults, IDLE};
use server::Faulty;

/// What may be seen nowhere but in the header that carries it.
pub const KEY: &str = "sk-canary-Zq7Lw2Vx9Tn4Rb6M";

/// Most memory that all of this may take, in MiB.
const MOST_MEMORY: u64 = 400;

/// So many things are tried at a time.
const AT_ONCE: usize = 16;

/// What came of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The shown text.
    pub text: String,
    /// The thoughts.
    pub thoughts: String,
    /// Names and arguments of the calls that may be carried out.
    pub calls: Vec<(String, String)>,
    /// `finished`, or the code of the error; nothing when it did not end, or ended twice.
    pub end: Option<&'static str>,
    /// Whether it ended because of its calls.
    pub wants_tools: bool,
    /// The error's words.
    pub words: String,
}

/// A client, as the program makes one, and the server in front of it.
pub struct Bench {
    runtime: Runtime,
    connections: Connections,
    server: Faulty,
}

impl Bench {
    /// Starts both; the client waits so long for each thing.
    fn new(patience: Duration) -> Result<Self, Trouble> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let connections = Connections::new().with_patience(patience);
        Ok(Self { runtime, connections, server: Faulty::start()? })
    }

    /// One that a busy machine does not make give up.
    pub fn patient() -> Result<Self, Trouble> {
        Self::new(PATIENCE / 2)
    }

    /// Asks for a reply of this status, of which these are the bytes.
    pub fn reads(&self, kind: ProviderKind, status: &str, bytes: &[u8]) -> Result<Seen, Trouble> {
        let media = cuts::media_type(kind);
        self.server.answers(server::Answer::of(status, media, &[bytes], server::Ends::Chunked));
        self.ask(kind)
    }

    /// Asks the server for a reply in this format.
    pub fn ask(&self, kind: ProviderKind) -> Result<Seen, Trouble> {
        let base_url = format!("{}{}", self.server.address(), said::version(kind));
        self.ask_at(kind, base_url)
    }

    fn ask_at(&self, kind: ProviderKind, base_url: String) -> Result<Seen, Trouble> {
        let record = ProviderRecord { name: "tried".to_owned(), kind, base_url };
        let access = Access {
            key: Some(Secret::new(KEY.to_owned())),
            this_computer_only: false,
            network: Network::default(),
            outbox: Arc::<Noted>::default().outbox(),
        };
        let provider = match self.connections.connect(&record, access) {
            Ok(provider) => provider,
            Err(error) => {
                let words = error.to_string();
                return Ok(Seen { end: Some(error.code()), words, ..Seen::default() });
            }
        };
        let request = ModelRequest::of("m", Vec::new(), "en");
        let reply = provider.stream(request);
        let collected =
            self.runtime.block_on(async { tokio::time::timeout(PATIENCE, reply.collect()).await });
        let chunks: Vec<Result<Chunk, _>> = collected.map_err(|_| "the reply never ended")?;
        let mut seen = Seen::default();
        let last = chunks.len().saturating_sub(1);
        for (place, chunk) in chunks.into_iter().enumerate() {
            let end = match chunk {
                Ok(Chunk::Text(text)) => {
                    seen.text.push_str(&text);
                    continue;
                }
                Ok(Chunk::Reasoning(text)) => {
                    seen.thoughts.push_str(&text);
                    continue;
                }
                Ok(Chunk::ToolCall { name, arguments, .. }) => {
                    seen.calls.push((name, arguments));
                    continue;
                }
                Ok(Chunk::Usage(_) | Chunk::Seal(..)) => continue,
                Ok(Chunk::Finished(reason)) => {
                    seen.wants_tools = reason == FinishReason::ToolCalls;
                    FINISHED
                }
                Err(error) => {
                    seen.words = error.to_string();
                    error.code()
                }
            };
            seen.end = (place == last).then_some(end);
        }
        Ok(seen)
    }
}

impl Seen {
    /// What is wrong with any reply that looks like this, whatever it should have been.
    pub fn wrong(&self) -> Option<&'static str> {
        let finished = self.end == Some(FINISHED);
        match () {
            () if self.end.is_none() => Some("does not end once, at its end"),
            () if !finished && !self.calls.is_empty() => Some("calls without an end"),
            () if !self.calls.is_empty() && !self.wants_tools => Some("calls and wants no tools"),
            () if self.wants_tools && self.calls.is_empty() => Some("wants tools and calls none"),
            () if !finished && self.words.trim().is_empty() => Some("fails without words"),
            () if self.words.contains(KEY) => Some("tells the key"),
            () => None,
        }
    }
}

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    // Forgets what was the most before; where that is not allowed, the most is only larger.
    drop(std::fs::write("/proc/self/clear_refs", "5"));
    each_fault(options, &mut outcome)?;
    nobody_there(&mut outcome)?;
    cuts::run(options, &mut outcome)?;
    whole::run(options, &mut outcome)?;
    let most = peak_memory()?;
    outcome.count("MiB of memory at most", most);
    // A sample shares its process with those of other rigs, whose memory this is too.
    if most > MOST_MEMORY && options.scale != Scale::Sample {
        outcome.fail(format!("{most} MiB of memory were taken"));
    }
    Ok(outcome)
}

/// Tries each of these, several of them at once: most of the time of one goes by in waiting for the other side.
fn at_once<T: Sync>(
    all: &[T],
    outcome: &mut Outcome,
    one: impl Fn(&T, &Benches, &mut Outcome) -> Result<(), Trouble> + Sync,
) -> Result<(), Trouble> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Outcome, Trouble> {
        let (benches, mut found) = (Benches::new()?, Outcome::default());
        while let Some(it) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            one(it, &benches, &mut found)?;
        }
        Ok(found)
    };
    let done: Vec<Result<Outcome, Trouble>> = thread::scope(|scope| {
        let working: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let ended = |it: thread::ScopedJoinHandle<'_, _>| {
            it.join().unwrap_or_else(|_| Err("a part of the rig panicked".into()))
        };
        working.into_iter().map(ended).collect()
    });
    for found in done {
        outcome.add(found?);
    }
    Ok(())
}

/// One of each patience.
struct Benches {
    /// For answers that stall.
    short: Bench,
    /// For all others, which a busy machine must not take for a stall.
    long: Bench,
}

impl Benches {
    fn new() -> Result<Self, Trouble> {
        Ok(Self { short: Bench::new(IDLE)?, long: Bench::patient()? })
    }
}

/// Every fault in every format; a sample leaves out a part that changes with the seed.
fn each_fault(options: &Options, outcome: &mut Outcome) -> Result<(), Trouble> {
    let mut chance = options.chance("faults");
    let mut faults = Vec::new();
    for kind in said::KINDS {
        for fault in Faults::of(kind) {
            if !options.is_sample() || chance.below(3) == 0 {
                faults.push((kind, fault));
            }
        }
    }
    at_once(&faults, outcome, |(kind, fault), benches, outcome| {
        let bench = if fault.stalls() { &benches.short } else { &benches.long };
        bench.server.answers(fault.answer.clone());
        let seen = bench.ask(*kind)?;
        let asked = bench.server.asked();
        let wrong = seen.wrong().map(str::to_owned).or_else(|| differs(fault, &seen, asked));
        let name = said::name(*kind);
        outcome.tried("faults", wrong.map(|why| format!("{name}: {}: {why}", fault.name)));
        Ok(())
    })
}

fn differs(fault: &Fault, seen: &Seen, asked: usize) -> Option<String> {
    let end = seen.end.unwrap_or_default();
    let short = |text: &str| text.chars().take(60).collect::<String>();
    if !fault.ends.contains(&end) {
        return Some(format!("ended with {end} ({}), not {:?}", short(&seen.words), fault.ends));
    }
    if !fault.shows(&seen.text) {
        return Some(format!("showed {:?}, not {:?}", short(&seen.text), short(&fault.shown)));
    }
    (asked != fault.asked).then(|| format!("was asked {asked} times, not {}", fault.asked))
}

/// Servers that cannot be reached.
fn nobody_there(outcome: &mut Outcome) -> Result<(), Trouble> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let nobody = format!("http://127.0.0.1:{port}");
    let places = [
        ("nobody listens", Some(nobody.as_str())),
        ("a name that is none", Some("https://model.invalid")),
        ("TLS that is none", None),
    ];
    let all: Vec<_> =
        said::KINDS.into_iter().flat_map(|kind| places.map(|place| (kind, place))).collect();
    at_once(&all, outcome, |(kind, (what, there)), Benches { short, .. }, outcome| {
        let plain = || short.server.address().replace("http:", "https:");
        let seen = short.ask_at(*kind, there.map_or_else(plain, str::to_owned))?;
        // What answers no TLS may stay silent as well.
        let silent = there.is_none() && seen.end == Some("provider_timed_out");
        let unreachable = silent || seen.end == Some("provider_unreachable");
        let expected = unreachable && seen.text.is_empty();
        let wrong = seen.wrong().map(str::to_owned);
        let wrong = wrong.or_else(|| (!expected).then(|| format!("{:?}", seen.end)));
        let name = said::name(*kind);
        outcome.tried("faults", wrong.map(|why| format!("{name}: {what}: {why}")));
        Ok(())
    })
}

/// The most memory that this process ever took, in MiB.
fn peak_memory() -> Result<u64, Trouble> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = line.and_then(|line| line.split_whitespace().next()).unwrap_or("0").parse()?;
    Ok(kib / 1024)
}
