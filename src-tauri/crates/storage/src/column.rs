//! How the engine's values stand in columns: ids as text, times as nanoseconds, enumerations by their serde names.

use std::fmt::Display;
use std::str::FromStr;

use rusqlite::types::{Type, Value};
use rusqlite::{Connection, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use siltstone_engine::Timestamp;

type Error = Box<dyn std::error::Error + Send + Sync>;

fn unreadable(column: usize, error: impl Into<Error>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}

/// Whether the row that `select` finds for `key` reads as what it should be.
pub(crate) fn is_readable<T>(
    db: &Connection,
    select: &str,
    key: &Value,
    from_row: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> bool {
    db.prepare_cached(select)
        .and_then(|mut found| found.query_row([key], |row| from_row(row).map(|_| ())))
        .is_ok()
}

/// An id.
pub(crate) fn id<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: Into<Error>,
{
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|error: T::Err| unreadable(column, error))
}

/// An id that may be missing.
pub(crate) fn optional_id<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr,
    T::Err: Into<Error>,
{
    match row.get_ref(column)?.as_str_or_null()? {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|error: T::Err| unreadable(column, error)),
    }
}

/// An id as it is stored.
pub(crate) fn text(id: impl Display) -> String {
    id.to_string()
}

/// An id that may be missing, as it is stored.
pub(crate) fn optional_text(id: Option<impl Display>) -> Option<String> {
    id.map(text)
}

/// A time.
pub(crate) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    let nanoseconds: i64 = row.get(column)?;
    Timestamp::from_nanosecond(nanoseconds.into()).map_err(|error| unreadable(column, error))
}

/// A time that may be missing.
pub(crate) fn optional_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let nanoseconds: Option<i64> = row.get(column)?;
    nanoseconds
        .map(|value| Timestamp::from_nanosecond(value.into()))
        .transpose()
        .map_err(|error| unreadable(column, error))
}

/// A time as it is stored. The range ends in the year 2262; what lies beyond is kept at the end.
pub(crate) fn nanoseconds(at: Timestamp) -> i64 {
    let clamped = at.as_nanosecond().clamp(i64::MIN.into(), i64::MAX.into());
    i64::try_from(clamped).unwrap_or(i64::MAX)
}

/// A count.
pub(crate) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// A count that may be missing.
pub(crate) fn optional_count(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    let value: Option<i64> = row.get(column)?;
    value.map(u64::try_from).transpose().map_err(|error| unreadable(column, error))
}

/// A count as it is stored.
pub(crate) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A value stored as JSON.
pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?).map_err(|error| unreadable(column, error))
}

/// A value stored as JSON that may be missing.
pub(crate) fn optional_json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    row.get_ref(column)?
        .as_str_or_null()?
        .map(serde_json::from_str)
        .transpose()
        .map_err(|error| unreadable(column, error))
}

/// A value as the JSON it is stored as.
pub(crate) fn to_json(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value)
}

/// A unit variant of an enumeration, stored by its serde name.
pub(crate) fn name<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let value = serde_json::Value::from(row.get_ref(column)?.as_str()?);
    serde_json::from_value(value).map_err(|error| unreadable(column, error))
}

/// The serde name of a unit variant.
pub(crate) fn to_name(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::from_value(serde_json::to_value(value)?)
}
