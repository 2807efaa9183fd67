//! Rows into a new database of today's schema: what cannot stand there is set aside, one line of JSON a row.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use siltstone_engine::ports::StoreError;

use super::records::Record;
use super::shapes::Shape;
use super::trees::Sink;
use crate::fault::{Fault, io};
use crate::files;

/// Tables that a backup adds rows to: what was written once, and what the rest hangs on. What a person allowed, queued
/// or typed elsewhere is not brought back, because it may have been taken back since.
const ADDED: [&str; 21] = [
    "attachments",
    "blobs",
    "branches",
    "calibrations",
    "conversations",
    "memory_files",
    "memory_lines",
    "memory_texts",
    "memory_versions",
    "messages",
    "outputs",
    "outputs_kept",
    "projects",
    "providers",
    "run_nodes",
    "session_files",
    "session_told",
    "sessions",
    "settings",
    "summaries",
    "turns",
];

/// Rows of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Read.
    pub(super) read: u32,
    /// Added from the backup.
    pub(super) added: u32,
    /// Set aside.
    pub(super) aside: u32,
}

/// Where rows go.
pub(super) struct Copying<'a> {
    /// The new database.
    pub(super) db: &'a Connection,
    /// What became of them.
    pub(super) counts: BTreeMap<String, Counts>,
    aside: Aside,
    /// Tables of which the damaged file has everything; `None` while that one is read.
    complete: Option<BTreeSet<String>>,
}

/// Rows that cannot stand in a database; the file is made with the first of them.
pub(super) struct Aside {
    path: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl Aside {
    /// Into a file at `path`; nowhere for `None`.
    pub(super) fn new(path: Option<&Path>) -> Self {
        Self { path: path.map(Path::to_owned), file: None }
    }

    fn put(&mut self, line: &serde_json::Value) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(files::create_private(path)?)),
        };
        writeln!(file, "{line}").map_err(|error| io(path, &error))
    }

    fn finish(&mut self) -> Result<(), StoreError> {
        let (Some(path), Some(file)) = (&self.path, &mut self.file) else { return Ok(()) };
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(|error| io(path, &error))
    }
}

impl<'a> Copying<'a> {
    /// Into `db`, which asks for no references while rows arrive.
    pub(super) fn new(db: &'a Connection, aside: Aside) -> Self {
        Self { db, counts: BTreeMap::new(), aside, complete: None }
    }

    /// From now on rows are of a backup: those are added whose tables are not in `complete`.
    pub(super) fn add_to(&mut self, complete: BTreeSet<String>) {
        self.complete = Some(complete);
    }

    /// Takes a row out of the new database again.
    pub(super) fn remove(&mut self, table: &str, rowid: i64, why: &str) -> Result<(), Fault> {
        self.remove_by(table, "rowid", &Value::Integer(rowid), why)
    }

    /// Takes the row out again that has this in a column which tells rows apart.
    pub(super) fn remove_by(
        &mut self,
        table: &str,
        column: &str,
        key: &Value,
        why: &str,
    ) -> Result<(), Fault> {
        let mut statement =
            self.db.prepare(&format!("SELECT * FROM \"{table}\" WHERE {column} = ?1"))?;
        let row = statement.query_row([key], |row| Ok(as_json(row))).optional()?;
        self.aside(Some(table), row.unwrap_or_default(), why)?;
        self.db.execute(&format!("DELETE FROM \"{table}\" WHERE {column} = ?1"), [key])?;
        let counts = self.counts.entry(table.to_owned()).or_default();
        counts.read = counts.read.saturating_sub(1);
        Ok(())
    }

    /// Takes the row of a table without row ids out again, by its key.
    pub(super) fn remove_keyed(
        &mut self,
        shape: &Shape,
        key: &[Value],
        why: &str,
    ) -> Result<(), Fault> {
        let table = &shape.name;
        let of: Vec<String> = shape
            .columns
            .iter()
            .filter(|column| column.is_key)
            .zip(1..)
            .map(|(column, place)| format!("\"{}\" = ?{place}", column.name))
            .collect();
        let of = of.join(" AND ");
        let mut statement = self.db.prepare(&format!("SELECT * FROM \"{table}\" WHERE {of}"))?;
        let row = statement.query_row(params_from_iter(key), |row| Ok(as_json(row))).optional()?;
        self.aside(Some(table), row.unwrap_or_default(), why)?;
        self.db.execute(&format!("DELETE FROM \"{table}\" WHERE {of}"), params_from_iter(key))?;
        let counts = self.counts.entry(table.clone()).or_default();
        counts.read = counts.read.saturating_sub(1);
        Ok(())
    }

    /// Presses what was set aside onto the disk.
    pub(super) fn finish(&mut self) -> Result<(), StoreError> {
        self.aside.finish()
    }

    fn aside(
        &mut self,
        table: Option<&str>,
        row: serde_json::Value,
        why: &str,
    ) -> Result<(), Fault> {
        self.counts.entry(table.unwrap_or("?").to_owned()).or_default().aside += 1;
        Ok(self.aside.put(&serde_json::json!({"table": table, "why": why, "row": row}))?)
    }

    /// Whether a row like this is there already, by all of its values or by its key alone.
    fn is_there(
        &self,
        shape: &Shape,
        values: &[(&str, Value)],
        key_alone: bool,
    ) -> rusqlite::Result<bool> {
        // What a row is called by elsewhere is its id, where it has one.
        let has_id = shape.columns.iter().any(|column| column.name == "id");
        let is_key = |name: &str| match has_id {
            true => name == "id",
            false => shape.columns.iter().any(|column| column.name == name && column.is_key),
        };
        let asked: Vec<&(&str, Value)> =
            values.iter().filter(|(name, _)| !key_alone || is_key(name)).collect();
        if asked.is_empty() {
            return Ok(false);
        }
        let of: Vec<String> = asked
            .iter()
            .zip(1..)
            .map(|((name, _), place)| format!("\"{name}\" IS ?{place}"))
            .collect();
        let sql = format!("SELECT 1 FROM \"{}\" WHERE {}", shape.name, of.join(" AND "));
        self.db.prepare_cached(&sql)?.exists(params_from_iter(asked.iter().map(|(_, value)| value)))
    }

    /// Whether a row is of a conversation that the person deleted: all of those that are left could be read.
    fn was_deleted(&self, values: &[(&str, Value)]) -> rusqlite::Result<bool> {
        let conversation = values.iter().find(|(name, _)| *name == "conversation_id");
        match conversation {
            Some((_, id @ Value::Text(_)))
                if self.complete.as_ref().is_some_and(|it| it.contains("conversations")) =>
            {
                let mut there =
                    self.db.prepare_cached("SELECT 1 FROM conversations WHERE id = ?1")?;
                Ok(!there.exists([id])?)
            }
            _ => Ok(false),
        }
    }

    fn insert(&self, shape: &Shape, values: &[(&str, Value)]) -> rusqlite::Result<usize> {
        let names: Vec<String> = values.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let marks: Vec<String> = (1..=values.len()).map(|place| format!("?{place}")).collect();
        let sql = format!(
            "INSERT INTO \"{}\" ({}) VALUES ({})",
            shape.name,
            names.join(", "),
            marks.join(", ")
        );
        self.db
            .prepare_cached(&sql)?
            .execute(params_from_iter(values.iter().map(|(_, value)| value)))
    }
}

impl Sink for Copying<'_> {
    type Error = Fault;

    fn row(&mut self, shape: &Shape, record: Record) -> Result<(), Fault> {
        let adding = self.complete.is_some();
        if self.complete.as_ref().is_some_and(|complete| {
            complete.contains(&shape.name) || !ADDED.contains(&shape.name.as_str())
        }) {
            return Ok(());
        }
        let mut values = named(shape, record);
        if adding {
            if self.is_there(shape, &values, true)? || self.was_deleted(&values)? {
                return Ok(());
            }
            forget_answers(shape, &mut values);
        }
        let mut refused = self.insert(shape, &values).err();
        if adding && refused.is_some() && shape.name == "messages" {
            // Its place in the order of all messages was given to another one since.
            values.retain(|(name, _)| *name != "seq");
            refused = self.insert(shape, &values).err();
        }
        match refused {
            None => {
                let counts = self.counts.entry(shape.name.clone()).or_default();
                if adding {
                    counts.added += 1;
                } else {
                    counts.read += 1;
                }
                Ok(())
            }
            Some(error) if is_refusal(&error) => {
                if self.is_there(shape, &values, false)? {
                    return Ok(());
                }
                self.aside(Some(&shape.name), json_of(&values), &error.to_string())
            }
            Some(error) => Err(error.into()),
        }
    }

    fn astray(&mut self, shape: Option<&Shape>, record: Record) -> Result<(), Fault> {
        if self.complete.is_some() || shape.is_some_and(|shape| !shape.copied) {
            return Ok(());
        }
        let row: Vec<serde_json::Value> =
            record.values.iter().map(|value| json(ValueRef::from(value))).collect();
        let row = serde_json::json!({"rowid": record.rowid, "values": row});
        self.aside(shape.map(|shape| shape.name.as_str()), row, "it is not a row of this table")
    }
}

/// A record's values by their columns.
fn named(shape: &Shape, record: Record) -> Vec<(&str, Value)> {
    let rowid = record.rowid;
    shape
        .columns
        .iter()
        .zip(record.values)
        .map(|(column, value)| match rowid {
            Some(rowid) if column.is_rowid => (column.name.as_str(), Value::Integer(rowid)),
            _ => (column.name.as_str(), value),
        })
        .collect()
}

/// Whether instructions of a folder may speak is asked again: the answer may be another one since.
fn forget_answers(shape: &Shape, values: &mut [(&str, Value)]) {
    for (name, value) in values.iter_mut() {
        if shape.name == "projects" && *name == "trust" {
            *value = Value::Text(String::from("untrusted"));
        }
    }
}

/// Whether a row was refused for what it is, and not the database for what it can do.
fn is_refusal(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TypeMismatch | TooBig))
}

fn as_json(row: &rusqlite::Row<'_>) -> serde_json::Value {
    let statement: &rusqlite::Statement<'_> = row.as_ref();
    let names = statement.column_names();
    let of = |(place, name): (usize, &&str)| {
        (String::from(*name), row.get_ref(place).map_or(serde_json::Value::Null, json))
    };
    names.iter().enumerate().map(of).collect::<serde_json::Map<_, _>>().into()
}

fn json_of(values: &[(&str, Value)]) -> serde_json::Value {
    let of = |(name, value): &(&str, Value)| (String::from(*name), json(ValueRef::from(value)));
    values.iter().map(of).collect::<serde_json::Map<_, _>>().into()
}

fn json(value: ValueRef<'_>) -> serde_json::Value {
    match value {
        ValueRef::Null => serde_json::Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            serde_json::json!({ "hex": hex })
        }
    }
}
