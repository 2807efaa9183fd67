//! One pack: a header, then records one after another. A record names its object, so a pack can be read without any
//! index.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;

use crate::fault::{damaged, io};

/// How a pack begins: a name and the version of the form.
pub(super) const MAGIC: &[u8; 8] = b"SILTPK\0\x01";

/// Bytes of a record before its object.
pub(super) const HEADER: usize = 42;

/// Largest object; what says that it is larger is damaged.
const MAX_OBJECT: u32 = 1 << 30;

/// Fast, and about half of the size of source text.
const LEVEL: i32 = 1;

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file's content, a tree, or a part of a context.
    Object = 0,
    /// The record of a checkpoint, as JSON.
    Checkpoint = 1,
}

/// A record without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) id: ObjectId,
    /// Bytes of the object.
    pub(super) size: u32,
    /// Bytes in the pack, equal to `size` when they are not compressed.
    pub(super) stored: u32,
    zipped: bool,
}

/// The bytes of a record for the end of a pack.
pub(super) fn record(kind: Kind, id: ObjectId, bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let size = u32::try_from(bytes.len()).ok().filter(|size| *size <= MAX_OBJECT);
    let too_large = || StoreError::Io { detail: format!("{} bytes are too many", bytes.len()) };
    let size = size.ok_or_else(too_large)?;
    let packed = zstd::bulk::compress(bytes, LEVEL).ok().filter(|it| it.len() < bytes.len());
    let zipped = packed.is_some();
    let stored = packed.as_deref().unwrap_or(bytes);
    let mut record = Vec::with_capacity(HEADER + stored.len());
    record.extend_from_slice(&[kind as u8, u8::from(zipped)]);
    record.extend_from_slice(&size.to_le_bytes());
    // Not larger than `size`.
    record.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    record.extend_from_slice(id.as_bytes());
    record.extend_from_slice(stored);
    Ok(record)
}

impl Header {
    fn parse(bytes: &[u8; HEADER]) -> Option<Self> {
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let kind = match bytes[0] {
            0 => Kind::Object,
            1 => Kind::Checkpoint,
            _ => return None,
        };
        let (size, stored) = (number(2)?, number(6)?);
        let id = ObjectId::from_bytes(bytes.get(10..HEADER)?.try_into().ok()?);
        let zipped = match bytes[1] {
            0 => false,
            1 => true,
            _ => return None,
        };
        (size <= MAX_OBJECT && stored <= size).then_some(Self { kind, id, size, stored, zipped })
    }

    fn open(&self, stored: &[u8]) -> Option<Vec<u8>> {
        let bytes = match self.zipped {
            true => zstd::bulk::decompress(stored, self.size as usize).ok()?,
            false => stored.to_vec(),
        };
        (ObjectId::of(&bytes) == self.id).then_some(bytes)
    }
}

/// The object at a place of a pack, and what it is. Bytes that are not what their id says are never given.
pub(super) fn read_at(
    path: &Path,
    offset: u64,
    id: ObjectId,
) -> Result<(Kind, Vec<u8>), StoreError> {
    let bad = || damaged(path, format!("object {id} at {offset} is not what was kept"));
    let mut file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => damaged(path, format!("it is missing, and object {id} with it")),
        _ => io(path, &error),
    })?;
    file.seek(SeekFrom::Start(offset)).map_err(|error| io(path, &error))?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).map_err(|_| bad())?;
    let header = Header::parse(&header).filter(|header| header.id == id).ok_or_else(bad)?;
    let mut stored = vec![0; header.stored as usize];
    file.read_exact(&mut stored).map_err(|_| bad())?;
    let bytes = header.open(&stored).ok_or_else(bad)?;
    Ok((header.kind, bytes))
}

/// Shows every whole record of a pack with its place, up to the first one that is not.
pub(super) fn scan(
    path: &Path,
    mut on_record: impl FnMut(u64, &Header, &[u8]) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let file = File::open(path).map_err(|error| io(path, &error))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut magic = [0; MAGIC.len()];
    if reader.read_exact(&mut magic).is_err() || magic != *MAGIC {
        return Err(damaged(path, "it is no pack of this version"));
    }
    let mut at = MAGIC.len() as u64;
    loop {
        let mut header = [0; HEADER];
        if reader.read_exact(&mut header).is_err() {
            return Ok(at);
        }
        let Some(header) = Header::parse(&header) else { return Ok(at) };
        let mut stored = vec![0; header.stored as usize];
        if reader.read_exact(&mut stored).is_err() {
            return Ok(at);
        }
        let Some(bytes) = header.open(&stored) else { return Ok(at) };
        on_record(at, &header, &bytes)?;
        at += HEADER as u64 + u64::from(header.stored);
    }
}
