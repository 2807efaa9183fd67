//! The cells of a page as rows: a row id and values, wherever the rest of them lies.

use rusqlite::types::Value;

use super::pages::{self, INDEX_ABOVE, PAGE, Pages, TABLE_LEAF, number_at};

/// Values of a row, as the file has them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    /// Its row id, where its table has such.
    pub(super) rowid: Option<i64>,
    /// The values in the order in which they are stored.
    pub(super) values: Vec<Value>,
    /// The pages beside its own that it stands on.
    pub(super) beyond: Vec<u32>,
}

/// The cell that begins at `cell`; `None` if it makes no sense.
pub(super) fn record(pages: &mut Pages, page: &[u8], kind: u8, cell: usize) -> Option<Record> {
    let mut at = if kind == INDEX_ABOVE { cell.checked_add(4)? } else { cell };
    let size = usize::try_from(varint(page, &mut at)?).ok()?;
    let rowid = if kind == TABLE_LEAF { Some(varint(page, &mut at)?) } else { None };
    // A value is at most a thousand million bytes, and a database holds what its pages do.
    if size > (pages.count() as usize).saturating_mul(PAGE) {
        return None;
    }
    let here = here(size, kind);
    let mut payload = page.get(at..at.checked_add(here)?)?.to_vec();
    let mut beyond = Vec::new();
    if here < size {
        let mut next = number_at(page, at + here)?;
        while payload.len() < size {
            let more = pages.read(next)?;
            beyond.push(next);
            let take = (size - payload.len()).min(PAGE - 4);
            payload.extend_from_slice(more.get(4..4 + take)?);
            next = number_at(&more, 0)?;
            if beyond.len() > pages.count() as usize {
                return None;
            }
        }
    }
    Some(Record { rowid, values: values(&payload)?, beyond })
}

/// Bytes of a payload that stand in its own cell.
fn here(size: usize, kind: u8) -> usize {
    let most = if kind == TABLE_LEAF { PAGE - 35 } else { (PAGE - 12) * 64 / 255 - 23 };
    if size <= most {
        return size;
    }
    let least = (PAGE - 12) * 32 / 255 - 23;
    let even = least + (size - least) % (PAGE - 4);
    if even <= most { even } else { least }
}

/// The values of a payload; `None` unless they fill it to its last byte.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let mut at = 0;
    let end = usize::try_from(varint(payload, &mut at)?).ok()?;
    let mut kinds = Vec::new();
    while at < end {
        kinds.push(varint(payload, &mut at)?);
    }
    if at != end {
        return None;
    }
    let values: Option<Vec<Value>> =
        kinds.into_iter().map(|kind| value(payload, &mut at, kind)).collect();
    values.filter(|_| at == payload.len())
}

fn value(payload: &[u8], at: &mut usize, kind: i64) -> Option<Value> {
    let size = match kind {
        0 | 8 | 9 => 0,
        1..=4 => usize::try_from(kind).ok()?,
        5 => 6,
        6 | 7 => 8,
        12.. => usize::try_from((kind - 12) / 2).ok()?,
        _ => return None,
    };
    let bytes = payload.get(*at..at.checked_add(size)?)?;
    *at += size;
    Some(match kind {
        0 => Value::Null,
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        1..=6 => Value::Integer(integer(bytes)),
        7 => Value::Real(f64::from_be_bytes(*bytes.first_chunk()?)),
        _ if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
        _ => Value::Text(String::from_utf8(bytes.to_vec()).ok()?),
    })
}

fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|first| *first > 0x7f);
    bytes.iter().fold(if negative { -1 } else { 0 }, |sum, byte| (sum << 8) | i64::from(*byte))
}

/// SQLite's number of one to nine bytes.
fn varint(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let mut number: u64 = 0;
    for index in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if index == 8 {
            number = (number << 8) | u64::from(byte);
            break;
        }
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    Some(number.cast_signed())
}

/// The rows of a page, and how many of its cells make no sense.
pub(super) fn records(pages: &mut Pages, number: u32) -> Option<(u8, Vec<Record>, u32)> {
    let page = pages.read(number)?;
    let node = pages::node(number, &page)?;
    let mut broken = 0;
    let mut found = Vec::new();
    for cell in node.cells {
        match record(pages, &page, node.kind, cell) {
            Some(record) => found.push(record),
            None => broken += 1,
        }
    }
    Some((node.kind, found, broken))
}
