//! Whole exports of other services: the zip that ChatGPT or Claude sends to a person, or the `conversations.json` in it.
//!
//! [`Others`] gives the conversations of such a file one after another as text, and [`conversation`] reads one of them,
//! so that one that is broken costs no other. Nothing is read but through what the caller opened. There is never more in
//! memory than one conversation, whatever a zip says of itself; how deep a tree is costs no stack. Pictures and files
//! stay where they are: their names stand for them.
//!
//! The `vault` crate keeps conversations of such files as they are, and reads them with the same few helpers ([`head`],
//! [`time`], [`arguments`], [`fenced`]).

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read as Bytes, Seek};

use jiff::Timestamp;
use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use zip::ZipArchive;

use super::{ImportError, Imported, MAX_TEXT, Read};

mod chatgpt;
mod claude;

/// Most bytes of all conversations of a file together.
pub const MAX_ALL: u64 = 2 * 1024 * 1024 * 1024;

/// How a zip begins.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// How much of a file is looked at to know what it is.
const HEAD: u64 = 1024;

const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// A file that holds all conversations of a person with another service.
pub struct Others<F> {
    kind: Kind<F>,
    /// Most bytes of one conversation, and of all of them.
    limits: (usize, u64),
}

enum Kind<F> {
    /// With the places of the files that hold conversations.
    Zip(Box<ZipArchive<F>>, Vec<usize>),
    Plain(F),
}

impl<F: Bytes + Seek> Others<F> {
    /// Opens an export. A file that is none, which may be one conversation, is given back as it came.
    pub fn open(file: F) -> Result<Result<Self, F>, ImportError> {
        Self::within(file, (MAX_TEXT, MAX_ALL))
    }

    fn within(mut file: F, limits: (usize, u64)) -> Result<Result<Self, F>, ImportError> {
        let mut head = Vec::new();
        (&mut file).take(HEAD).read_to_end(&mut head).map_err(broken)?;
        file.rewind().map_err(broken)?;
        let text = head.strip_prefix(BOM).unwrap_or(&head).trim_ascii_start();
        if ZIP.iter().any(|mark| head.starts_with(mark)) {
            let zip = ZipArchive::new(file).map_err(broken)?;
            let mut named: Vec<(String, usize)> = (0..zip.len())
                .filter_map(|at| Some((zip.name_for_index(at)?.ok().map(Cow::into_owned)?, at)))
                .filter(|(name, _)| holds_conversations(name))
                .collect();
            named.sort();
            if named.is_empty() {
                return Err(ImportError::Unrecognised);
            }
            let places = named.into_iter().map(|(_, at)| at).collect();
            return Ok(Ok(Self { kind: Kind::Zip(Box::new(zip), places), limits }));
        }
        match text.starts_with(b"[") {
            true => Ok(Ok(Self { kind: Kind::Plain(file), limits })),
            false => Ok(Err(file)),
        }
    }

    /// Gives every conversation as JSON, in the order of the file, until `heard` says `false`. What is no JSON to its end
    /// is an error, which may come after conversations; so a caller that wants all or nothing asks twice.
    pub fn each(&mut self, heard: &mut dyn FnMut(&str) -> bool) -> Result<(), ImportError> {
        let (one, all) = self.limits;
        let all = Cell::new(all);
        match &mut self.kind {
            Kind::Plain(file) => {
                file.rewind().map_err(broken)?;
                walked(file, one, &all, heard)?;
            }
            Kind::Zip(zip, places) => {
                for at in places {
                    let file = zip.by_index(*at).map_err(broken)?;
                    if file.size() > all.get() {
                        return Err(ImportError::TooMuch);
                    }
                    if !walked(file, one, &all, heard)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// `conversations.json`, or one of the pieces `conversations-000.json`, wherever in the zip.
pub fn holds_conversations(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.strip_suffix(".json").and_then(|stem| stem.strip_prefix("conversations"));
    stem.is_some_and(|rest| match rest.strip_prefix('-') {
        Some(number) => !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()),
        None => rest.is_empty(),
    })
}

/// Gives the elements of an array; `false` when it was stopped.
fn walked(
    file: impl Bytes,
    one: usize,
    all: &Cell<u64>,
    heard: &mut dyn FnMut(&str) -> bool,
) -> Result<bool, ImportError> {
    let (left, stopped) = (Cell::new(one), Cell::new(false));
    let mut file = BufReader::new(Metered { file, left: &left, all });
    if file.fill_buf().map_err(broken)?.starts_with(BOM) {
        file.consume(BOM.len());
    }
    let mut json = serde_json::Deserializer::from_reader(file);
    let each = Each { one, left: &left, stopped: &stopped, heard };
    match json.deserialize_seq(each).and_then(|()| json.end()) {
        Ok(()) => Ok(true),
        Err(_) if stopped.get() => Ok(false),
        Err(_) if left.get() == 0 || all.get() == 0 => Err(ImportError::TooMuch),
        Err(error) => Err(broken(error)),
    }
}

/// Reads no more than so many bytes for one conversation and for all of them. A zip inflates no further than that.
struct Metered<'a, F> {
    file: F,
    left: &'a Cell<usize>,
    all: &'a Cell<u64>,
}

impl<F: Bytes> Bytes for Metered<'_, F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.left.get().min(usize::try_from(self.all.get()).unwrap_or(usize::MAX));
        if most == 0 {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let length = into.len().min(most);
        let read = self.file.read(into.get_mut(..length).unwrap_or_default())?;
        self.left.set(self.left.get().saturating_sub(read));
        self.all.set(self.all.get().saturating_sub(read as u64));
        Ok(read)
    }
}

struct Each<'a> {
    one: usize,
    left: &'a Cell<usize>,
    stopped: &'a Cell<bool>,
    heard: &'a mut dyn FnMut(&str) -> bool,
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut conversations: A) -> Result<(), A::Error> {
        while let Some(conversation) = conversations.next_element::<Box<RawValue>>()? {
            if !(self.heard)(conversation.get()) {
                self.stopped.set(true);
                return Err(A::Error::custom("stopped"));
            }
            self.left.set(self.one);
        }
        Ok(())
    }
}

/// Which service a conversation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// ChatGPT: a tree of nodes by their ids.
    ChatGpt,
    /// Claude: a list of messages.
    Claude,
}

/// What a conversation says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// By what it has.
    pub service: Service,
    /// The service's own id; empty where it has none.
    pub id: String,
    /// When something was said in it last, else when it was made.
    pub said_at: Option<Timestamp>,
}

/// The same as it stands there. What is not looked at is not built either, however much of it there is.
#[derive(Deserialize)]
struct Keys<'a> {
    mapping: Option<IgnoredAny>,
    chat_messages: Option<IgnoredAny>,
    #[serde(borrow)]
    conversation_id: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    uuid: Option<&'a RawValue>,
    #[serde(borrow)]
    create_time: Option<&'a RawValue>,
    #[serde(borrow)]
    update_time: Option<&'a RawValue>,
    #[serde(borrow)]
    created_at: Option<&'a RawValue>,
    #[serde(borrow)]
    updated_at: Option<&'a RawValue>,
}

/// Longest id or time.
const MAX_WORD: usize = 256;

impl Keys<'_> {
    fn service(&self) -> Option<Service> {
        match (&self.mapping, &self.chat_messages) {
            (Some(_), _) => Some(Service::ChatGpt),
            (_, Some(_)) => Some(Service::Claude),
            (None, None) => None,
        }
    }
}

fn small(value: Option<&RawValue>) -> Value {
    let text = value.map(RawValue::get).filter(|text| text.len() <= MAX_WORD);
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// What a conversation that [`Others::each`] gave says of itself; `None` where it is of no service that is known.
pub fn head(text: &str) -> Option<Head> {
    let keys: Keys<'_> = serde_json::from_str(text).ok()?;
    let ids = [keys.conversation_id, keys.id, keys.uuid].map(small);
    let ids = ids.iter().filter_map(Value::as_str).filter(|id| !id.is_empty());
    let times = [keys.update_time, keys.updated_at, keys.create_time, keys.created_at];
    Some(Head {
        service: keys.service()?,
        id: ids.map(str::to_owned).next().unwrap_or_default(),
        said_at: times.into_iter().find_map(|at| time(&small(at))),
    })
}

/// Whether this looks like a conversation of a service that is known.
pub fn is_known(text: &str) -> bool {
    serde_json::from_str::<Keys<'_>>(text).is_ok_and(|keys| keys.service().is_some())
}

/// Reads one conversation that [`Others::each`] gave.
pub fn conversation(text: &str, now: Timestamp) -> Result<Imported, ImportError> {
    let keys: Keys<'_> = serde_json::from_str(text).map_err(super::json::fault)?;
    let mut read = match keys.service() {
        Some(Service::ChatGpt) => chatgpt::read(text)?,
        Some(Service::Claude) => claude::read(text)?,
        None => return Err(ImportError::Unrecognised),
    };
    let said = read.drafts.iter().filter_map(|draft| draft.at);
    read.times = read.times.or_else(|| said.clone().min().zip(said.max()));
    if let (Some(first), Some((made, _))) = (read.drafts.first_mut(), read.times) {
        first.at = first.at.or(Some(made));
    }
    read.mint("", now)
}

/// When a conversation was made and when something was last said in it; one stands for the other where that is missing.
fn times(made: &Value, said: &Value) -> Option<(Timestamp, Timestamp)> {
    let (made, said) = (time(made), time(said));
    made.or(said).zip(said.or(made))
}

/// A moment as text, or in seconds since 1970. What is neither, or no time that there is, is none.
pub fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => text.parse().ok(),
        // A cast of what is too large gives the largest there is, which is no moment either.
        number => Timestamp::from_millisecond((number.as_f64()? * 1000.0).round() as i64).ok(),
    }
}

/// Places of all nodes, parents before children and one branch after another; children by their rank. The error is the
/// place of a node that no root leads to, because its parents go in a circle.
fn in_order(parents: &[Option<usize>], ranks: &[usize]) -> Result<Vec<usize>, usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut open = Vec::new();
    for (node, parent) in parents.iter().enumerate() {
        match parent.and_then(|parent| children.get_mut(parent)) {
            Some(children) => children.push(node),
            None => open.push(node),
        }
    }
    let rank = |node: &usize| std::cmp::Reverse((ranks.get(*node).copied(), *node));
    open.sort_by_key(rank);
    let (mut order, mut seen) = (Vec::with_capacity(parents.len()), vec![false; parents.len()]);
    while let Some(node) = open.pop() {
        order.push(node);
        if let Some(seen) = seen.get_mut(node) {
            *seen = true;
        }
        let mut below = children.get_mut(node).map(std::mem::take).unwrap_or_default();
        below.sort_by_key(rank);
        open.append(&mut below);
    }
    match seen.iter().position(|seen| !seen) {
        Some(node) => Err(node),
        None => Ok(order),
    }
}

/// Adds what each node says below what is nearest above it, and gives for each the place of its last message, or of the one
/// before it where it says nothing.
fn placed(
    order: Vec<usize>,
    parents: &[Option<usize>],
    mut push: impl FnMut(usize, Option<usize>) -> Result<Option<usize>, ImportError>,
) -> Result<Vec<Option<usize>>, ImportError> {
    let mut places: Vec<Option<usize>> = vec![None; parents.len()];
    for node in order {
        let parent = parents.get(node).copied().flatten();
        let above = parent.and_then(|parent| places.get(parent).copied().flatten());
        let own = push(node, above)?.or(above);
        if let Some(place) = places.get_mut(node) {
            *place = own;
        }
    }
    Ok(places)
}

const CIRCLE: &str = "has parents that go in a circle";
const ORPHAN: &str = "names a parent that is not there";
const STRANGER: &str = "has an unknown role";

fn tree(id: &str, detail: &'static str) -> ImportError {
    ImportError::Tree { id: id.to_owned(), detail }
}

/// A word of an object, nothing where there is none.
fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// What is called with this, as the JSON object that a tool takes.
pub fn arguments(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => text.to_owned(),
        _ => serde_json::json!({ "input": text }).to_string(),
    }
}

/// Code between fences that it cannot close itself.
pub fn fenced(code: &str, language: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let known = language.chars().all(char::is_alphanumeric) && language != "unknown";
    format!("{fence}{}\n{code}\n{fence}", if known { language } else { "" })
}

fn broken(error: impl std::fmt::Display) -> ImportError {
    ImportError::Broken { detail: error.to_string() }
}

impl Read {
    /// The turn that something said below this place belongs to: that of the reply it goes on with, or a new one.
    fn turn_below(&self, above: Option<usize>, id: &str) -> Option<String> {
        let above = above.and_then(|place| self.drafts.get(place));
        above.and_then(|above| above.turn.clone()).or_else(|| Some(id.to_owned()))
    }
}

#[cfg(test)]
mod tests;
