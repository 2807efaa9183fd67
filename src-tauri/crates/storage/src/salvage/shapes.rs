//! What the rows of each table look like, told by our own schema and never by the damaged file: which table a page
//! belongs to whose way from the root is lost, and what cannot be a row of the table it was found in.

use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::records::Record;

/// Tables that are made again rather than copied, by how they begin: indices over words, how far they are made, and what
/// SQLite keeps for itself.
const MADE_AGAIN: [&str; 5] = ["message_index", "note_index", "notes", "indexing", "sqlite_"];

/// The list of tables, which is read apart.
const SCHEMA: &str = "sqlite_schema";

/// A table.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its name.
    pub(super) name: String,
    /// Its columns in the order in which they are stored.
    pub(super) columns: Vec<Column>,
    /// Whether its rows have ids of SQLite's own.
    pub(super) has_rowid: bool,
    /// Whether its rows are copied.
    pub(super) copied: bool,
}

/// A column of it.
#[derive(Debug)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    kind: Kind,
    may_be_null: bool,
    may_be_missing: bool,
    /// Whether it stands for the row's id, which is stored apart.
    pub(super) is_rowid: bool,
    /// Whether it is of the table's key.
    pub(super) is_key: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Integer,
    Real,
    Blob,
    /// Nothing is said of it.
    Any,
}

/// The tables of a database of today's schema.
pub(super) fn shapes(db: &Connection) -> rusqlite::Result<Vec<Shape>> {
    let mut tables = db.prepare(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') \
         ORDER BY name",
    )?;
    let tables: Vec<(String, bool)> =
        tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    tables
        .into_iter()
        .filter(|(name, _)| name != SCHEMA)
        .map(|(name, without)| {
            let columns = columns(db, &name, without)?;
            let copied = !MADE_AGAIN.iter().any(|made| name.starts_with(made));
            Ok(Shape { name, columns, has_rowid: !without, copied })
        })
        .collect()
}

fn columns(db: &Connection, table: &str, without: bool) -> rusqlite::Result<Vec<Column>> {
    let mut statement = db.prepare(
        "SELECT name, type, \"notnull\", dflt_value IS NOT NULL, pk FROM pragma_table_info(?1)",
    )?;
    let mut columns: Vec<(i64, Column)> = statement
        .query_map(params![table], |row| {
            let kind: String = row.get(1)?;
            let (not_null, has_default, key): (bool, bool, i64) =
                (row.get(2)?, row.get(3)?, row.get(4)?);
            let kind = match kind.as_str() {
                "INTEGER" => Kind::Integer,
                "REAL" => Kind::Real,
                "BLOB" => Kind::Blob,
                "" => Kind::Any,
                _ => Kind::Text,
            };
            let is_rowid = !without && key == 1 && matches!(kind, Kind::Integer);
            let column = Column {
                name: row.get(0)?,
                kind,
                may_be_null: !not_null && (key == 0 || is_rowid),
                may_be_missing: has_default || (!not_null && key == 0),
                is_rowid,
                is_key: key > 0,
            };
            Ok((key, column))
        })?
        .collect::<Result<_, _>>()?;
    if without {
        // The key's columns come first, in its own order.
        columns.sort_by_key(|(key, _)| if *key == 0 { i64::MAX } else { *key });
    }
    Ok(columns.into_iter().map(|(_, column)| column).collect())
}

impl Shape {
    /// Whether a record may be a row of this table, of this or an older schema.
    pub(super) fn fits(&self, record: &Record) -> bool {
        let known = self.columns.get(..record.values.len());
        let missing = self.columns.get(record.values.len()..);
        let (Some(known), Some(missing)) = (known, missing) else { return false };
        record.rowid.is_some() == self.has_rowid
            && missing.iter().all(|column| column.may_be_missing)
            && known.iter().zip(&record.values).all(|(column, value)| column.fits(value))
    }
}

impl Column {
    fn fits(&self, value: &Value) -> bool {
        match (value, self.kind) {
            (Value::Null, _) => self.may_be_null,
            _ if self.is_rowid => false,
            (_, Kind::Any) => true,
            (Value::Text(text), Kind::Text) => has_form(&self.name, text),
            (Value::Integer(_), Kind::Integer | Kind::Real)
            | (Value::Real(_), Kind::Real)
            | (Value::Blob(_), Kind::Blob) => true,
            _ => false,
        }
    }
}

/// Whether a text has the form that columns of this name hold.
fn has_form(column: &str, text: &str) -> bool {
    let all = |of: fn(&u8) -> bool| text.as_bytes().iter().all(of);
    match column {
        "id" => text.len() == 36 && all(|byte| byte.is_ascii_hexdigit() || *byte == b'-'),
        "hash" => text.is_empty() || text.len() == 64 && all(u8::is_ascii_hexdigit),
        "month" => text.len() == 7,
        "language" => text.len() < 9,
        "last_four" => text.chars().count() < 5,
        "base_url" => text.contains(':'),
        "tuning" | "folding" | "wishes" | "choice" | "sections" | "context" | "workflow"
        | "parts" | "draft_attachments" | "attachments" | "transport" | "agreed" | "change" => {
            text.starts_with(['{', '[', '"']) && text.ends_with(['}', ']', '"'])
        }
        name if name.ends_with("_id") => has_form("id", text),
        _ => true,
    }
}
