//! Salvage: what can still be read of a damaged database, put into a new one of today's schema.
//!
//! `pages.rs` reads the file and its log page by page and trusts nothing, `records.rs` makes rows of them, `trees.rs`
//! finds every row there is, `shapes.rs` knows what rows look like, `copying.rs` puts them into the new database,
//! `readers.rs` knows whether they can be understood, and `mending.rs` lets that hang together. SQLite never opens the damaged file here, but to say which of its tables are
//! sound. A plan is all of it into a file that is thrown away.
//!
//! The damaged file is moved aside last, into a folder with the time, beside the rows that could not be placed and the
//! report. Indices are not read: they are made again when the database is opened.

mod copying;
mod mending;
mod pages;
pub(crate) mod readers;
mod records;
mod shapes;
mod trees;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Holds, NAMED};
use siltstone_engine::ports::StoreError;
use siltstone_engine::salvage::{Salvage, SalvagePlan, SalvagedTable, TouchedConversation};

use crate::connection::{open_reader, open_untouched};
use crate::fault::{Fault, damaged, io, sql};
use crate::open::{self, FILE, MIGRATIONS};
use crate::passages::with_suffix;
use crate::{Store, backup, column, files, returning};

use copying::{Aside, Copying};
use pages::Pages;
use trees::Reach;

/// The rows that could not be placed, in the folder of what is kept.
const ROWS: &str = "rows.jsonl";

/// What the person was told, in the same folder.
const REPORT: &str = "report.json";

/// How far a version may be ahead of ours before it is a wrong number.
const AHEAD: u32 = 100;

/// What salvaging the database of `dir` would bring, which nobody but `open` may work with.
pub(crate) fn plan(dir: &Path, open: Option<&Store>) -> Result<SalvagePlan, StoreError> {
    let _alone = open::gate(dir)?;
    match open {
        // This process lets go of it before it is replaced; until then a plan only reads.
        Some(store) if !store.owner.has_company() => {}
        _ => returning::refuse_if_in_use(dir)?,
    }
    refuse(dir)?;
    let alone = tried(dir, None)?;
    // One that is damaged too is no help, though its name says that it is whole.
    let sound = |it: &backup::Backup| open::check(&it.path, true, MIGRATIONS.len()).is_ok();
    let newest = backup::list(dir)?.into_iter().find(sound);
    let with_backup = newest.as_ref().map(|it| tried(dir, Some(&it.path))).transpose()?;
    Ok(SalvagePlan { alone, backup: newest.as_ref().map(returning::told), with_backup })
}

/// Puts what can be read of the database of `dir` in its place, with what a backup has beside it.
pub(crate) fn carry_out(
    dir: &Path,
    backup: Option<&Path>,
    now: Timestamp,
) -> Result<Salvage, StoreError> {
    let _alone = open::gate(dir)?;
    returning::refuse_if_in_use(dir)?;
    refuse(dir)?;
    if let Some(backup) = backup {
        open::check(backup, true, MIGRATIONS.len())?;
    }
    let kept = returning::folder_aside(dir, now)?;
    let fresh = open::fresh_file(dir)?;
    let made = build(dir, &fresh, backup, Some(&kept.join(ROWS))).and_then(|salvage| {
        let salvage = Salvage { kept: Some(kept.to_string_lossy().into_owned()), ..salvage };
        let report = serde_json::to_vec_pretty(&salvage)
            .map_err(|error| StoreError::Io { detail: error.to_string() })?;
        files::replace(&kept.join(REPORT), &report)?;
        returning::set_aside(dir, &kept)?;
        files::put_in_place(&fresh, &dir.join(FILE))?;
        Ok(salvage)
    });
    if made.is_err() && dir.join(FILE).exists() {
        // Nothing was moved yet, and what was made helps nobody.
        let _ = fs::remove_file(&fresh);
        let _ = fs::remove_dir_all(&kept);
    }
    made
}

fn tried(dir: &Path, backup: Option<&Path>) -> Result<Salvage, StoreError> {
    let fresh = open::fresh_file(dir)?;
    let salvage = build(dir, &fresh, backup, None);
    fs::remove_file(&fresh).map_err(|error| io(&fresh, &error))?;
    salvage
}

/// Refuses a database that is not there, or that a newer version wrote.
fn refuse(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(FILE);
    let mut pages = opened(&path)?;
    let first = pages.read(1).unwrap_or_default();
    let version = pages::number_at(&first, 60).unwrap_or(0);
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if (known + 1..known + AHEAD).contains(&version) {
        let path = path.display().to_string();
        return Err(StoreError::Newer { path, found: version, known });
    }
    Ok(())
}

fn opened(path: &Path) -> Result<Pages, StoreError> {
    Pages::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => damaged(path, "it is missing"),
        _ => io(path, &error),
    })
}

/// Makes a new database out of what can be read.
fn build(
    dir: &Path,
    fresh: &Path,
    backup: Option<&Path>,
    aside: Option<&Path>,
) -> Result<Salvage, StoreError> {
    let path = dir.join(FILE);
    open::make(fresh, MIGRATIONS)?;
    let db = Connection::open(fresh).map_err(|error| sql(fresh, &error))?;
    let copied = || -> Result<Salvage, Fault> {
        db.pragma_update(None, "foreign_keys", false)?;
        // What comes of it is pressed onto the disk as a whole, or thrown away.
        db.pragma_update(None, "synchronous", "OFF")?;
        db.execute_batch("BEGIN IMMEDIATE")?;
        let shapes = shapes::shapes(&db)?;
        // Rows that every new database has are not the person's.
        let mut copying = Copying::new(&db, Aside::new(aside));
        let mut reach = trees::read(&mut opened(&path)?, &shapes, &mut copying)?;
        if copying.counts.values().all(|counts| counts.read == 0) {
            return Err(damaged(&path, "nothing of it can be read").into());
        }
        let senseless = mending::senseless(&mut copying)?;
        if let Some(backup) = backup {
            // What was set aside was not deleted.
            let whole = |table: &String| !senseless.contains_key(table.as_str());
            reach.whole.retain(|table| whole(table) && is_sound(&path, table));
            copying.add_to(std::mem::take(&mut reach.whole));
            trees::read(&mut opened(backup)?, &shapes, &mut copying)?;
        }
        let set_aside: u32 = senseless.into_values().sum();
        let damage = reach.unreadable.saturating_add(reach.broken).saturating_add(set_aside);
        let lost = mending::mend(&mut copying, &shapes, damage)?;
        db.execute(
            "UPDATE indexing SET notes = 0, below = (SELECT coalesce(max(seq), 0) FROM messages)",
            [],
        )?;
        copying.finish()?;
        let counts = std::mem::take(&mut copying.counts);
        drop(copying);
        db.execute_batch("COMMIT")?;
        told(&db, &reach, lost, counts)
    };
    let salvage = copied().map_err(|fault| fault.at(fresh))?;
    if let Some(fault) = open::quick_check(&db).map_err(|error| sql(fresh, &error))? {
        return Err(StoreError::Io { detail: fault });
    }
    Ok(salvage)
}

/// Whether SQLite finds nothing wrong with a table of the damaged file: then what is not in it was deleted.
fn is_sound(path: &Path, table: &str) -> bool {
    let wal = fs::metadata(with_suffix(path, "-wal")).is_ok_and(|wal| wal.len() > 0);
    let opened = if wal { open_reader(path) } else { open_untouched(path) };
    opened.is_ok_and(|db| {
        let said = db.query_row(&format!("PRAGMA quick_check(\"{table}\")"), [], |row| {
            row.get::<_, String>(0)
        });
        said.is_ok_and(|said| said == "ok")
    })
}

fn told(
    db: &Connection,
    reach: &Reach,
    lost: BTreeMap<String, u32>,
    counts: BTreeMap<String, copying::Counts>,
) -> Result<Salvage, Fault> {
    let lost_messages = lost.values().sum();
    let mut holds: Holds = returning::holds(db)?;
    let mut touched = Vec::new();
    for (id, lost) in lost {
        let Ok(id) = id.parse() else { continue };
        let found: Option<(String, bool)> = db
            .prepare_cached("SELECT title, deleted_at IS NULL FROM conversations WHERE id = ?1")?
            .query_row([column::text(id)], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some((title, seen)) = found {
            if seen {
                holds.messages = holds.messages.saturating_sub(lost);
            }
            touched.push(TouchedConversation { id, title, lost });
        }
    }
    touched.sort_by(|a, b| b.lost.cmp(&a.lost).then_with(|| a.title.cmp(&b.title)));
    let touched_count = u32::try_from(touched.len()).unwrap_or(u32::MAX);
    touched.truncate(NAMED);
    let aside = counts.values().map(|counts| counts.aside).sum();
    let tables = counts.into_iter().map(|(name, counts)| SalvagedTable {
        name,
        read: counts.read,
        added: counts.added,
        aside: counts.aside,
    });
    Ok(Salvage {
        pages: reach.pages,
        unreadable_pages: reach.unreadable,
        holds,
        lost_messages,
        touched,
        touched_count,
        aside,
        tables: tables.collect(),
        kept: None,
    })
}
