//! A session while it is read: bounded in what it takes of memory, with the same few questions answered for every format.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::title;
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{Beside, Entry, EntryKind, Session};
use url::Url;

use crate::lines::{Line, Lines, value_of, whole_text};

/// What a session may take of memory, in bytes; what comes after that is counted and not kept.
const ROOM: usize = 160 << 20;

/// Most bytes of pictures that a session keeps where they are asked for.
const PICTURES: usize = 96 << 20;

/// Longest text of one part.
const MAX_TEXT: usize = 1 << 20;

/// What an entry takes beside its parts, and a part beside its text.
const ENTRY: usize = 512;
const PART: usize = 192;

/// Gives the records of a file of lines to `record`, one after the other; what is none is counted.
pub(crate) fn each<R>(
    bytes: &mut dyn Read,
    reading: &mut R,
    draft: impl Fn(&mut R) -> &mut Draft,
    mut record: impl FnMut(&mut R, Map<String, Value>),
) -> io::Result<()> {
    let mut lines = Lines::of(bytes);
    while let Some(line) = lines.next()? {
        match line {
            Line::Record(found) => record(reading, found),
            Line::Unreadable => draft(reading).unreadable(),
            Line::Cut => draft(reading).session.is_cut = true,
        }
    }
    draft(reading).session.is_cut |= lines.is_broken;
    Ok(())
}

/// A session that is being read.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) session: Session,
    taken: usize,
    is_full: bool,
    /// How many bytes of pictures may still be kept with the session.
    pictures: usize,
    /// What stands in the files beside the session, by path; nothing where one is too long.
    beside: Vec<(String, Option<Vec<u8>>)>,
}

impl Draft {
    /// One that keeps the bytes of pictures, as many as may be.
    pub(crate) fn with_pictures() -> Self {
        Self { pictures: PICTURES, ..Self::default() }
    }

    /// With what stands in the files beside the session.
    pub(crate) fn with(mut self, beside: &mut [Beside<'_>]) -> io::Result<Self> {
        for file in beside {
            self.beside.push((file.path.to_owned(), whole_text(file.bytes)?));
        }
        Ok(self)
    }

    /// Of a session whose id is the name of its file, as long as it says none.
    pub(crate) fn named(mut self, path: &str, ending: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.session.id = name.trim_end_matches(ending).to_owned();
        self
    }

    /// The text of the file beside the session whose path ends like this, once; nothing in it where it is too long.
    pub(crate) fn taken(&mut self, ending: &str) -> Option<Option<Vec<u8>>> {
        let at = self.beside.iter().position(|(path, _)| path.ends_with(ending))?;
        Some(self.beside.swap_remove(at).1)
    }

    /// What such a file says; one that cannot be read is counted.
    pub(crate) fn told(&mut self, ending: &str) -> Option<Value> {
        let told = self.taken(ending)?.and_then(|text| value_of(&text));
        self.session.unreadable += u64::from(told.is_none());
        told
    }

    /// The same of one that holds a line of text.
    pub(crate) fn told_line(&mut self, ending: &str) -> Option<String> {
        let (_, text) = self.beside.iter().find(|(path, _)| path.ends_with(ending))?;
        let text = std::str::from_utf8(text.as_ref()?).ok()?.trim();
        (!text.is_empty() && !text.contains('\n')).then(|| text.to_owned())
    }

    /// Whether there is room for so much more; it counts as taken then. Once there is not, there is none for anything.
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        if self.is_full || self.taken + bytes > ROOM {
            self.is_full = true;
            self.session.shortened += 1;
            return false;
        }
        self.taken += bytes;
        true
    }

    /// Whether a record has to be passed over, because there is no room left; it is counted then.
    pub(crate) fn passes_over(&mut self) -> bool {
        self.session.shortened += u64::from(self.is_full);
        self.is_full
    }

    /// As much of a text as may be kept.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let fits = text.floor_char_boundary(MAX_TEXT);
        self.session.shortened += u64::from(fits < text.len());
        match self.take(PART + fits) {
            true => text[..fits].to_owned(),
            false => String::new(),
        }
    }

    /// A picture, by its bytes in base64.
    pub(crate) fn picture(&mut self, data: &str, media_type: &str) -> Option<Part> {
        let bytes = STANDARD.decode(data.trim()).ok().filter(|_| self.take(PART))?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        if bytes.len() < self.pictures && !self.session.pictures.contains_key(&hash) {
            self.pictures -= bytes.len();
            self.session.pictures.insert(hash.clone(), bytes);
        }
        Some(Part::Image { hash, media_type: short(media_type), name: String::new(), tokens: 0 })
    }

    /// Adds an entry after another one; `None` where there is no room for it.
    pub(crate) fn push(&mut self, entry: Entry) -> Option<usize> {
        self.take(ENTRY).then(|| {
            self.session.entries.push(entry);
            self.session.entries.len() - 1
        })
    }

    /// A record that says nothing of the conversation.
    pub(crate) fn beside(&mut self, kind: &str) {
        *self.session.beside.entry(short(kind)).or_default() += 1;
    }

    /// A record, or a part of one, that nobody here knows.
    pub(crate) fn unknown(&mut self, kind: &str) {
        // A file may name a thousand kinds; the names of some of them are enough.
        let name = match self.session.unknown.len() < 100 {
            true => short(kind),
            false => String::from("…"),
        };
        *self.session.unknown.entry(name).or_default() += 1;
    }

    /// A record that is not what its kind says.
    pub(crate) fn unreadable(&mut self) {
        self.session.unreadable += 1;
    }

    /// Tokens that were counted for something. Where they are told more than once, the last word about them is the one
    /// with the most tokens of the answer.
    pub(crate) fn count(&mut self, what: String, usage: Usage) {
        if !usage.is_plausible() || !self.take(ENTRY / 2) {
            return;
        }
        let known = self.session.counted.entry(what).or_insert(usage);
        if known.output_tokens < usage.output_tokens {
            *known = usage;
        }
    }

    /// The session, with a title if it has none yet.
    pub(crate) fn done(mut self) -> Session {
        let session = &mut self.session;
        session.settle();
        if session.title.is_empty() {
            let said = |entry: &&Entry| entry.role == Role::User && entry.kind == EntryKind::Said;
            let first = session.entries.iter().find(said).map(Entry::text);
            session.title = title::derive(&first.unwrap_or_default());
        }
        self.session
    }
}

/// An entry without anything in it.
pub(crate) fn entry(role: Role, kind: EntryKind) -> Entry {
    Entry {
        key: String::new(),
        parent: None,
        role,
        kind,
        parts: Vec::new(),
        model: None,
        at: None,
        aside: false,
    }
}

/// A text below a key.
pub(crate) fn text<'v>(of: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    of.get(key).and_then(Value::as_str)
}

/// A number below a key; 0 where there is none.
pub(crate) fn number(of: &Value, key: &str) -> u64 {
    of.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// A time below a key.
pub(crate) fn time(of: &Map<String, Value>, key: &str) -> Option<Timestamp> {
    text(of, key).and_then(|time| time.parse().ok())
}

/// A name, as long as names are.
pub(crate) fn short(name: &str) -> String {
    name.chars().take(80).collect()
}

/// Where no message says when, the session itself says when it began and when it was written last.
pub(crate) fn timed(session: &mut Session, [began, ended]: [Option<Timestamp>; 2]) {
    if session.entries.iter().any(|entry| entry.at.is_some()) {
        return;
    }
    if let Some(entry) = session.entries.last_mut() {
        entry.at = ended.or(began);
    }
    if let Some(entry) = session.entries.first_mut() {
        entry.at = began.or(entry.at);
    }
}

/// The path in an address; of a folder on another machine the path there.
pub(crate) fn folder(address: &str) -> Option<String> {
    let mut url = match Url::parse(address) {
        Ok(url) => url,
        Err(_) => return address.starts_with('/').then(|| address.to_owned()),
    };
    if url.scheme() != "file" {
        url = Url::parse(&format!("file://{}", url.path())).ok()?;
    }
    match url.to_file_path() {
        Ok(path) => path.into_os_string().into_string().ok(),
        // A path of another machine, which is none where paths begin with a drive.
        Err(()) => percent_decode_str(url.path()).decode_utf8().ok().map(Cow::into_owned),
    }
}

/// Keeps a first word: what is said later about the same is of no interest.
pub(crate) fn first(known: &mut Option<String>, said: Option<&str>) {
    if known.is_none() {
        *known =
            said.filter(|said| !said.is_empty()).map(|said| said.chars().take(4_096).collect());
    }
}

/// What a tool is called with, as JSON text.
pub(crate) fn arguments(of: Option<&Value>) -> String {
    match of {
        None | Some(Value::Null) => String::from("{}"),
        // Some agents keep the text itself.
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// Parents by the agent's own ids, and where they lead.
#[derive(Default)]
pub(crate) struct Links {
    known: BTreeMap<String, Link>,
}

struct Link {
    parent: Option<String>,
    entry: Option<usize>,
}

impl Links {
    pub(crate) fn has(&self, id: &str) -> bool {
        self.known.contains_key(id)
    }

    /// The entry that a record became, if it became one.
    pub(crate) fn entry(&self, id: &str) -> Option<usize> {
        self.known.get(id)?.entry
    }

    pub(crate) fn put(&mut self, id: String, parent: Option<String>, entry: Option<usize>) {
        self.known.insert(id, Link { parent, entry });
    }

    /// The nearest entry from this record upward. Records on the way learn it, so that each way is walked once; a circle
    /// leads nowhere.
    pub(crate) fn nearest(&mut self, id: &str) -> Option<usize> {
        let mut walked: Vec<String> = Vec::new();
        let mut at = Some(id.to_owned());
        let mut found = None;
        while let Some(id) = at {
            let Some(link) = self.known.get_mut(&id) else { break };
            if link.entry.is_some() {
                found = link.entry;
                break;
            }
            at = link.parent.take();
            walked.push(id);
        }
        for id in walked {
            if let Some(link) = self.known.get_mut(&id) {
                link.entry = found;
            }
        }
        found
    }
}
