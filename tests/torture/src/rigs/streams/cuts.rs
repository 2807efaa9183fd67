//! Good streams in every piece they could arrive in.

use serde::Deserialize;
use siltstone_engine::provider::ProviderKind;

use super::faults::FINISHED;
use super::said::{self, Reason, Said};
use super::server::{Answer, Ends};
use super::{Bench, Seen, at_once};
use crate::{Options, Outcome, Trouble};

/// What real servers once sent; the provider's own tests read it too.
const RECORDED: &str =
    include_str!("../../../../../src-tauri/crates/providers/src/tests/recorded.jsonl");

/// A stream as it came from a server.
#[derive(Deserialize)]
struct Recorded {
    from: String,
    wire: String,
    bytes: String,
}

/// A stream and what is known of it.
struct Good {
    name: String,
    kind: ProviderKind,
    bytes: Vec<u8>,
    whole: Seen,
    /// How much of the text has to be seen when it ends after so many bytes, and whether it is whole by then. Nothing
    /// where the stream was recorded.
    marks: Vec<(usize, String)>,
}

/// Cuts streams at every byte, or at some.
pub fn run(options: &Options, outcome: &mut Outcome) -> Result<(), Trouble> {
    let mut chance = options.chance("cuts");
    // Of each stream one byte in so many is a place to cut, another one each time.
    let step = match options.is_sample() {
        true => 97,
        false => (12 / options.count(1, 1)).max(1),
    };
    let (recorded, drawn) = (options.count(10, 1_000), options.count(8, 100));
    let mut all = of_recorded()?;
    while all.len() as u64 > recorded {
        all.swap_remove(chance.index(all.len()));
    }
    for number in 0..drawn {
        let kind = said::KINDS[usize::try_from(number % 4)?];
        all.push(of_said(kind, &said::drawn(&mut chance), number));
    }
    let step = usize::try_from(step)?;
    let all: Vec<(Good, usize)> = all.into_iter().map(|good| (good, chance.index(step))).collect();
    at_once(&all, outcome, |(good, first), benches, outcome| {
        let bench = &benches.long;
        bench.server.answers(pieces(good.kind, &[&good.bytes], Ends::Chunked));
        let whole = bench.ask(good.kind)?;
        let expected = good.marks.is_empty() || alike(&whole, &good.whole);
        let is_whole = whole.end == Some(FINISHED) && expected && whole.wrong().is_none();
        let wrong = (!is_whole).then(|| format!("{}: {whole:?}, not {:?}", good.name, good.whole));
        outcome.tried("streams", wrong);
        let single: Vec<&[u8]> = good.bytes.chunks(1).collect();
        bench.server.answers(pieces(good.kind, &single, Ends::Chunked));
        let seen = bench.ask(good.kind)?;
        let differs = seen != whole;
        outcome.tried("streams", differs.then(|| format!("{}: in bytes: {seen:?}", good.name)));
        for at in (*first..good.bytes.len()).step_by(step) {
            split(bench, good, &whole, at, outcome)?;
            let ends = if at % 2 == 0 { Ends::Chunked } else { Ends::Torn };
            cut(bench, good, &whole, at, ends, outcome)?;
        }
        Ok(())
    })
}

fn alike(seen: &Seen, expected: &Seen) -> bool {
    let calls = |seen: &Seen| -> Option<Vec<(String, serde_json::Value)>> {
        let read = |(name, arguments): &(String, String)| {
            Some((name.clone(), serde_json::from_str(arguments).ok()?))
        };
        seen.calls.iter().map(read).collect()
    };
    seen.text == expected.text
        && seen.thoughts == expected.thoughts
        && calls(seen) == calls(expected)
        && seen.wants_tools == expected.wants_tools
}

/// An answer with these pieces of a body.
pub fn pieces(kind: ProviderKind, pieces: &[&[u8]], ends: Ends) -> Answer {
    Answer::of("200 OK", media_type(kind), pieces, ends)
}

/// What a stream of this format calls itself.
pub fn media_type(kind: ProviderKind) -> &'static str {
    if said::has_events(kind) { "text/event-stream" } else { "application/x-ndjson" }
}

/// In two pieces it is the same.
fn split(
    bench: &Bench,
    good: &Good,
    whole: &Seen,
    at: usize,
    outcome: &mut Outcome,
) -> Result<(), Trouble> {
    let (before, after) = good.bytes.split_at(at);
    bench.server.answers(pieces(good.kind, &[before, after], Ends::Chunked));
    let seen = bench.ask(good.kind)?;
    let differs = seen != *whole;
    outcome.tried("splits", differs.then(|| format!("{}: split at {at}: {seen:?}", good.name)));
    Ok(())
}

/// When it ends here, what came is seen, nothing else is, and no tool is called unless nothing is missing.
fn cut(
    bench: &Bench,
    good: &Good,
    whole: &Seen,
    at: usize,
    ends: Ends,
    outcome: &mut Outcome,
) -> Result<(), Trouble> {
    bench.server.answers(pieces(good.kind, &[&good.bytes[..at]], ends));
    let seen = bench.ask(good.kind)?;
    let came = good.marks.iter().take_while(|(end, _)| *end <= at).last();
    let is_whole = seen.end == Some(FINISHED);
    let wrong = match () {
        () if seen.wrong().is_some() => seen.wrong(),
        () if !whole.text.starts_with(&seen.text) => Some("shows what was not said"),
        () if !came.is_none_or(|(_, text)| seen.text.starts_with(text)) => {
            Some("shows less than came")
        }
        () if is_whole && (&seen.text, &seen.calls) != (&whole.text, &whole.calls) => {
            Some("is called whole")
        }
        () if !is_whole && seen.end != Some("reply_cut") => Some("ends for another reason"),
        () => None,
    };
    let wrong = wrong.map(|why| format!("{}: ends at {at} ({ends:?}): {why}: {seen:?}", good.name));
    outcome.tried("cuts", wrong);
    Ok(())
}

fn of_recorded() -> Result<Vec<Good>, Trouble> {
    let mut all = Vec::new();
    for line in RECORDED.lines() {
        let Recorded { from, wire, bytes } = serde_json::from_str(line)?;
        let kind = said::KINDS.into_iter().find(|kind| said::name(*kind) == wire);
        let kind = kind.ok_or_else(|| format!("no format {wire}"))?;
        let (bytes, marks) = (bytes.into_bytes(), Vec::new());
        all.push(Good {
            name: format!("{wire}: {from}"),
            kind,
            bytes,
            whole: Seen::default(),
            marks,
        });
    }
    Ok(all)
}

fn of_said(kind: ProviderKind, said: &[Said], number: u64) -> Good {
    let (mut bytes, mut marks) = (Vec::new(), Vec::new());
    let mut whole = Seen { end: Some(FINISHED), ..Seen::default() };
    for one in said {
        bytes.extend_from_slice(said::written(kind, one).as_bytes());
        match one {
            Said::Text(text) => whole.text.push_str(text),
            Said::Thought(text) => whole.thoughts.push_str(text),
            Said::RestOfCall => {
                let arguments = format!("{{\"path\":\"{}\",\"text\":\"sung\"}}", said::CANARY);
                whole.calls.push((said::TOOL.to_owned(), arguments));
            }
            Said::Finish(Reason::Stop | Reason::Length | Reason::Tools) => {
                whole.wants_tools = !whole.calls.is_empty();
            }
            Said::Start | Said::HalfCall | Said::Done => {}
        }
        marks.push((bytes.len(), whole.text.clone()));
    }
    Good { name: format!("{}, drawn {number}", said::name(kind)), kind, bytes, whole, marks }
}
