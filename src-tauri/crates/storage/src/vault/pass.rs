//! Keeping what is new: one file after the other is compared with what is kept of it, and what differs is put into packs.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::sync::Arc;

use fastcdc::v2020::FastCDC;
use rusqlite::params;
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;
use siltstone_engine::vault::{AgentHome, Looked, Place, Stamp, VaultPass};

use super::record::{self, Record};
use super::rows::{self, Span};
use super::{Opened, forget};
use crate::column;
use crate::held::Held;
use crate::packs::pack::Kind;
use crate::{fault, files};

/// Largest span of what grows. A file that was written anew is cut where its bytes say so, so that what two versions share
/// is found behind a change as before it, however long that is.
const SPAN: u64 = 1 << 20;

/// Smallest, usual and largest span of a file that was written anew.
const CUT: (usize, usize, usize) = (4 << 10, 16 << 10, 64 << 10);

/// Bytes and files that wait for a commit at most.
const WAITING_BYTES: u64 = 32 << 20;
const WAITING_FILES: usize = 500;

/// A file whose last change is younger than this may change again under the same stamp.
const UNSETTLED_SECONDS: i64 = 3;

/// Holds off every other pass, of this process as of others.
pub(super) struct Pass {
    opened: Arc<Opened>,
    waiting: Vec<Change>,
    waiting_bytes: u64,
    _alone: Held,
}

/// What is known of a file now, and not committed yet.
struct Change {
    home: AgentHome,
    path: String,
    stamp: Stamp,
    now: Timestamp,
    /// The spans that its version has now and did not have, unless nothing was added.
    added: Option<Added>,
}

struct Added {
    version: u32,
    spans: Vec<Span>,
}

impl Pass {
    pub(super) fn begin(opened: Arc<Opened>) -> Result<Self, StoreError> {
        let alone = alone(&opened)?;
        forget::sweep(&opened)?;
        Ok(Self { opened, waiting: Vec::new(), waiting_bytes: 0, _alone: alone })
    }

    /// The number and the spans of the newest version that is kept.
    fn kept(&self, home: &AgentHome, path: &str) -> Result<Option<(u32, Vec<Span>)>, StoreError> {
        self.opened.database.read(|db| {
            let home = rows::home_if_there(db, home)?;
            let file = home.map(|home| rows::file(db, home, path)).transpose()?.flatten();
            let newest = file.map(|file| rows::newest(db, file)).transpose()?.flatten();
            let spans = |(row, number)| Ok((number, rows::spans_of(db, row)?));
            newest.map(spans).transpose()
        })
    }

    fn is_forgotten(&self, home: &AgentHome, path: &str) -> Result<bool, StoreError> {
        let hash = record::hash(home, path);
        self.opened.database.read(|db| {
            let mut find = db.prepare_cached("SELECT 1 FROM forgotten WHERE hash = ?1")?;
            Ok(find.exists([hash.as_bytes().as_slice()])?)
        })
    }

    fn put(&mut self, at: u64, bytes: &[u8]) -> Result<Span, StoreError> {
        let object = self.opened.shelf.put(&self.opened.database, Kind::Object, bytes)?;
        self.waiting_bytes += bytes.len() as u64;
        Ok(Span { at, bytes: bytes.len() as u64, object })
    }

    /// Whether what the source says from `at` on is the beginning of a span.
    fn begins(&self, span: Span, read: &[u8]) -> Result<bool, StoreError> {
        let whole = self.opened.shelf.get(&self.opened.database, span.object)?;
        Ok(whole.starts_with(read))
    }
}

impl VaultPass for Pass {
    fn known(&mut self, place: &Place) -> Result<HashMap<String, Stamp>, StoreError> {
        self.opened.database.read(|db| {
            let Some(home) = rows::home_if_there(db, &place.home)? else {
                return Ok(HashMap::new());
            };
            let (from, before) = rows::bounds(place);
            let mut find = db.prepare_cached(
                "SELECT path, seen_bytes, seen_ns FROM files \
                 WHERE home = ?1 AND path >= ?2 AND path < ?3 \
                 AND seen_ns IS NOT NULL AND gone_at IS NULL",
            )?;
            let rows = find.query_map(params![home, from, before], |row| {
                let stamp =
                    Stamp { bytes: column::count(row, 1)?, modified: column::time(row, 2)? };
                Ok((row.get(0)?, stamp))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn look(
        &mut self,
        home: &AgentHome,
        path: &str,
        stamp: Stamp,
        source: &mut dyn Read,
        now: Timestamp,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Looked, StoreError> {
        if self.is_forgotten(home, path)? {
            return Ok(Looked::Forgotten);
        }
        let kept = self.kept(home, path)?;
        let mut read = |most: u64| -> Result<Vec<u8>, StoreError> {
            let mut bytes = Vec::new();
            let taken = (&mut *source).take(most).read_to_end(&mut bytes);
            taken.map_err(|error| fault::io(path.as_ref(), &error))?;
            match go_on(bytes.len() as u64) {
                true => Ok(bytes),
                false => Err(StoreError::Conflict { what: CANCELLED }),
            }
        };
        let change =
            |added| Change { home: home.clone(), path: path.to_owned(), stamp, now, added };
        let (number, spans) = kept.clone().unwrap_or((0, Vec::new()));
        let mut shared = 0;
        let mut ahead: Option<Vec<u8>> = None;
        for span in &spans {
            let bytes = read(span.bytes)?;
            if ObjectId::of(&bytes) == span.object {
                shared += 1;
            } else if (bytes.len() as u64) < span.bytes && self.begins(*span, &bytes)? {
                self.waiting.push(change(None));
                return Ok(Looked::Cut);
            } else {
                ahead = Some(bytes);
                break;
            }
        }
        let rewritten = ahead.is_some();
        let version = if rewritten || kept.is_none() { number + 1 } else { number };
        // A new version says all that it is made of.
        let mut added = if rewritten { spans[..shared].to_vec() } else { Vec::new() };
        let mut at = spans[..shared].iter().map(|span| span.bytes).sum();
        let begin = at;
        // Of the bytes that were read, those that are in no span yet.
        let mut rest = ahead.unwrap_or_default();
        let mut from = 0;
        loop {
            if ((rest.len() - from) as u64) < SPAN {
                rest.drain(..from);
                from = 0;
                rest.extend(read(SPAN - rest.len() as u64)?);
            }
            let left = &rest[from..];
            if left.is_empty() {
                break;
            }
            let span = if rewritten { cut(left) } else { left };
            added.push(self.put(at, span)?);
            at += span.len() as u64;
            from += span.len();
            if self.waiting_bytes >= WAITING_BYTES {
                // Half of a file is a beginning of it; its stamp is not settled before its end.
                let stamp = Stamp { modified: now, ..stamp };
                let spans = std::mem::take(&mut added);
                self.waiting.push(Change { stamp, ..change(Some(Added { version, spans })) });
                self.commit()?;
            }
        }
        let is_new = kept.is_none();
        let news = (is_new || rewritten || at > begin).then_some(Added { version, spans: added });
        self.waiting.push(change(news));
        if self.waiting.len() >= WAITING_FILES {
            self.commit()?;
        }
        Ok(match at - begin {
            grown if is_new => Looked::New(grown),
            grown if rewritten => Looked::Rewritten(grown),
            0 => Looked::Known,
            grown => Looked::Grew(grown),
        })
    }

    fn there(
        &mut self,
        place: &Place,
        files: &HashSet<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.commit()?;
        self.opened.database.write(|db| {
            let Some(home) = rows::home_if_there(db, &place.home)? else { return Ok(()) };
            let (from, before) = rows::bounds(place);
            let kept: Vec<(i64, String)> = {
                let mut find = db.prepare_cached(
                    "SELECT id, path FROM files \
                     WHERE home = ?1 AND path >= ?2 AND path < ?3 AND gone_at IS NULL",
                )?;
                let rows = find
                    .query_map(params![home, from, before], |row| Ok((row.get(0)?, row.get(1)?)))?;
                rows.collect::<rusqlite::Result<_>>()?
            };
            let mut gone = db.prepare_cached("UPDATE files SET gone_at = ?2 WHERE id = ?1")?;
            let is_gone = |path: &str| place.has(path) && !files.contains(path);
            for (id, _) in kept.iter().filter(|(_, path)| is_gone(path)) {
                gone.execute(params![id, column::nanoseconds(now)])?;
            }
            Ok(())
        })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let changes = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let Opened { database, shelf, .. } = &*self.opened;
        let mut records = Vec::with_capacity(changes.len());
        for change in &changes {
            let Some(Added { version, spans }) = &change.added else {
                records.push(None);
                continue;
            };
            let record = Record::Seen {
                home: change.home.clone(),
                path: change.path.clone(),
                version: *version,
                spans: spans.iter().map(|span| (span.at, span.bytes, span.object)).collect(),
                at: column::nanoseconds(change.now),
            };
            let bytes = serde_json::to_vec(&record)
                .map_err(|error| StoreError::Io { detail: error.to_string() })?;
            records.push(Some(shelf.put(database, Kind::Record, &bytes)?));
        }
        shelf.commit(database, |db, _| {
            for (change, record) in changes.iter().zip(&records) {
                let home = rows::home(db, &change.home)?;
                let age = change.now.duration_since(change.stamp.modified).as_secs();
                let settled = age.abs() >= UNSETTLED_SECONDS;
                let seen_ns = settled.then(|| column::nanoseconds(change.stamp.modified));
                let kept_at = column::nanoseconds(change.now);
                db.prepare_cached(
                    "INSERT INTO files (home, path, seen_bytes, seen_ns, kept_at) \
                     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (home, path) DO UPDATE SET \
                     seen_bytes = ?3, seen_ns = ?4, gone_at = NULL, \
                     kept_at = CASE WHEN ?6 THEN ?5 ELSE kept_at END",
                )?
                .execute(params![
                    home,
                    change.path,
                    column::integer(change.stamp.bytes),
                    seen_ns,
                    kept_at,
                    change.added.is_some(),
                ])?;
                let (Some(added), Some(record)) = (&change.added, record) else { continue };
                let Some(file) = rows::file(db, home, &change.path)? else { continue };
                rows::put_spans(db, file, added.version, &added.spans)?;
                rows::put_record(db, *record, file)?;
            }
            Ok(())
        })
    }
}

/// The first span of bytes, as their content cuts them.
fn cut(bytes: &[u8]) -> &[u8] {
    let (smallest, usual, largest) = CUT;
    let first = FastCDC::new(bytes, smallest, usual, largest).next();
    &bytes[..first.map_or(bytes.len(), |first| first.length)]
}

/// What a look is told to end with.
pub(super) const CANCELLED: &str = "cancelled";

/// Keeps everybody else from keeping and from forgetting, as long as it is held.
pub(super) fn alone(opened: &Opened) -> Result<Held, StoreError> {
    let path = opened.dir.join("scan.lock");
    Held::try_alone(files::open_private(&path)?)
        .map_err(|_| StoreError::Conflict { what: "sessions of agents are being read already" })
}
