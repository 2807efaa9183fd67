//! What a data folder and a project hold, so that two moments can be compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use siltstone_test_servers::until::PATIENCE;

use crate::Trouble;

/// What may never change once it is there: tables with their key and what goes with it.
const LASTING: [(&str, &str); 9] = [
    ("projects", "id, path, name"),
    ("conversations", "id, created_at"),
    ("messages WHERE status <> 'streaming'", "id, conversation_id, parent_id, role, status, parts"),
    ("memory_lines", "id, kind, text"),
    ("summaries WHERE status = 'COMPLETED'", "id, conversation_id, summary"),
    ("session_files", "seq, name, hash, text"),
    ("memory_texts", "hash, text"),
    ("blobs", "hash, bytes"),
    ("providers", "name, kind, base_url"),
];

/// Rows by their table and key.
pub type Rows = BTreeMap<String, blake3::Hash>;

/// Files by their path, with what they hold.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A connection that reads a database whatever else goes on.
pub fn read(path: &Path) -> Result<Connection, Trouble> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// The rows that may never change.
pub fn lasting(db: &Connection) -> Result<Rows, Trouble> {
    let mut rows = Rows::new();
    for (table, columns) in LASTING {
        collect(db, &mut rows, table, columns)?;
    }
    Ok(rows)
}

/// The column that the rows of a lasting table are named by.
pub fn key(table: &str) -> &'static str {
    let of = LASTING.iter().find(|(name, _)| name.split(' ').next() == Some(table));
    of.and_then(|(_, columns)| columns.split(',').next()).unwrap_or("id")
}

/// Every row of these columns, named by the first of them.
pub fn collect(
    db: &Connection,
    into: &mut Rows,
    table: &str,
    columns: &str,
) -> Result<(), Trouble> {
    let mut find = db.prepare(&format!("SELECT {columns} FROM {table}"))?;
    let width = find.column_count();
    let mut found = find.query([])?;
    while let Some(row) = found.next()? {
        let mut hash = blake3::Hasher::new();
        for index in 0..width {
            put(&mut hash, row.get_ref(index)?);
        }
        let table = table.split(' ').next().unwrap_or(table);
        into.insert(format!("{table} {}", named(row.get_ref(0)?)), hash.finalize());
    }
    Ok(())
}

fn put(hash: &mut blake3::Hasher, value: ValueRef<'_>) {
    let (kind, bytes): (u8, Vec<u8>) = match value {
        ValueRef::Null => (0, Vec::new()),
        ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
        ValueRef::Real(number) => (2, number.to_le_bytes().to_vec()),
        ValueRef::Text(text) => (3, text.to_vec()),
        ValueRef::Blob(bytes) => (4, bytes.to_vec()),
    };
    hash.update(&[kind]).update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
}

/// A key as it stands in [`Rows`].
pub fn named(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    }
}

/// The first row of before that is gone or another one now.
pub fn lost(before: &Rows, now: &Rows) -> Option<String> {
    before.iter().find_map(|(key, hash)| match now.get(key) {
        None => Some(format!("{key} is gone")),
        Some(other) => (other != hash).then(|| format!("{key} is another one")),
    })
}

/// What is wrong with a database.
pub fn unsound(db: &Connection) -> Result<Option<String>, Trouble> {
    let found: String = db.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if found != "ok" {
        return Ok(Some(found));
    }
    let mut check = db.prepare("PRAGMA foreign_key_check")?;
    let loose = check.query_map([], |row| row.get::<_, String>(0))?.next().transpose()?;
    Ok(loose.map(|table| format!("a row of {table} hangs loose")))
}

/// Every file beneath a folder, and where links lead.
pub fn files(folder: &Path) -> Result<Files, Trouble> {
    let mut found = Files::new();
    gather(folder, folder, &mut found)?;
    Ok(found)
}

fn gather(root: &Path, folder: &Path, into: &mut Files) -> Result<(), Trouble> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            gather(root, &path, into)?;
            continue;
        }
        let held = if kind.is_symlink() {
            fs::read_link(&path)?.into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path)?
        };
        into.insert(path.strip_prefix(root)?.to_string_lossy().into_owned(), held);
    }
    Ok(())
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) -> Result<(), Trouble> {
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, kind, place) = (entry.path(), entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&path, &place)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &place)?;
        } else {
            fs::copy(&path, &place)?;
        }
    }
    Ok(())
}
