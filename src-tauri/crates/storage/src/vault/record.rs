//! What stands in the packs beside the spans, and the rows that are made of it when the database is lost.

use rusqlite::{Connection, Transaction, params};
use serde::{Deserialize, Serialize};
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::vault::AgentHome;

use super::rows::{self, Span};
use crate::fault::Fault;
use crate::packs::folder::Packs;
use crate::packs::index;

/// What a record says. Records may be read in any order: each says where its spans begin.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Record {
    /// Spans of a version of a file.
    Seen {
        home: AgentHome,
        path: String,
        version: u32,
        /// Where each begins, its bytes, and its object.
        spans: Vec<(u64, u64, ObjectId)>,
        /// When, in nanoseconds.
        at: i64,
    },
    /// A file is not kept again.
    Forgotten { hash: ObjectId },
}

/// What tells a file that was forgotten from every other one, and says nothing else.
pub(super) fn hash(home: &AgentHome, path: &str) -> ObjectId {
    ObjectId::of([home.agent.name(), &home.root, path].join("\0").as_bytes())
}

pub(super) fn put_forgotten(
    db: &Connection,
    hash: ObjectId,
    object: ObjectId,
) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR IGNORE INTO forgotten (hash, object) VALUES (?1, ?2)")?
        .execute([hash.as_bytes().as_slice(), object.as_bytes().as_slice()])?;
    Ok(())
}

/// Makes the rows of what a pack holds. One that nothing understands is left: its bytes stay.
pub(super) fn take_in(db: &Transaction<'_>, packs: &Packs, pack: &str) -> Result<(), Fault> {
    index::take_in(db, packs, pack, None, &mut |found| {
        match serde_json::from_slice(&found.bytes) {
            Ok(Record::Seen { home, path, version, spans, at }) => {
                let home = rows::home(db, &home)?;
                // Looked at again whatever its stamp says.
                db.execute(
                    "INSERT INTO files (home, path, seen_bytes, seen_ns, kept_at) \
                     VALUES (?1, ?2, 0, NULL, ?3) \
                     ON CONFLICT (home, path) DO UPDATE SET kept_at = MAX(kept_at, ?3)",
                    params![home, path, at],
                )?;
                let Some(file) = rows::file(db, home, &path)? else { return Ok(()) };
                let span = |(at, bytes, object)| Span { at, bytes, object };
                let spans: Vec<Span> = spans.into_iter().map(span).collect();
                rows::put_spans(db, file, version, &spans)?;
                rows::put_record(db, found.id, file)
            }
            Ok(Record::Forgotten { hash }) => put_forgotten(db, hash, found.id),
            Err(_) => Ok(()),
        }
    })
}
