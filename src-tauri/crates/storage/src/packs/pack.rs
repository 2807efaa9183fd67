//! One pack: a header, then records one after another. A record names its object, so a pack can be read without any
//! index. In a sealed pack each record is the box of a whole plain one: outside stand a mask of the object's name and a
//! length, and nothing of what it is.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};

use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;

use super::folder::Packs;
use super::lock::Seal;
use crate::fault::{damaged, io};

/// How a pack begins: a name and the form.
const PLAIN: &[u8; 8] = b"SILTPK\0\x01";
const SEALED: &[u8; 8] = b"SILTPK\0\x02";

/// Bytes of a pack before its first record.
pub(crate) const START: u64 = PLAIN.len() as u64;

/// Bytes of a record before its object.
const HEADER: usize = 42;

/// Largest object; what says that it is larger is damaged.
pub(crate) const MAX_OBJECT: u32 = 1 << 30;

/// Most that a record grows by being sealed: its head, and what the box adds.
pub(crate) const GROWTH: u32 = 128;

/// Fast, and about half of the size of source text.
const LEVEL: i32 = 1;

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file's content, a tree, or a part of a context.
    Object = 0,
    /// What rows are made of again when the database is lost, as JSON: of a checkpoint, or of a file that is kept.
    Record = 1,
}

/// A record without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    kind: Kind,
    /// The object, or its mask when the record is sealed.
    id: ObjectId,
    /// Bytes of the object.
    size: u32,
    /// Bytes in the pack, equal to `size` when they are not compressed.
    stored: u32,
    form: Form,
}

/// How an object's bytes stand in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Raw = 0,
    Zipped = 1,
    Sealed = 2,
}

/// An object as a pack gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    pub(crate) id: ObjectId,
    pub(crate) bytes: Vec<u8>,
}

/// How a pack begins.
pub(crate) fn start(sealed: bool) -> &'static [u8; 8] {
    if sealed { SEALED } else { PLAIN }
}

/// Whether a pack is sealed; `None` of what is no pack of these forms.
pub(crate) fn is_sealed(packs: &Packs, pack: &str) -> Result<Option<bool>, StoreError> {
    let mut found = [0; START as usize];
    let read = packs.open(pack).and_then(|mut file| file.read_exact(&mut found));
    match read {
        Ok(()) => Ok([false, true].into_iter().find(|sealed| *start(*sealed) == found)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(io(&packs.path(pack), &error)),
    }
}

/// The bytes of a record for the end of a pack, and the name under which it stands there.
pub(crate) fn record(
    kind: Kind,
    id: ObjectId,
    bytes: &[u8],
    seal: Option<&Seal>,
) -> Result<(ObjectId, Vec<u8>), StoreError> {
    let size = u32::try_from(bytes.len()).ok().filter(|size| *size <= MAX_OBJECT);
    let too_large = || StoreError::Io { detail: format!("{} bytes are too many", bytes.len()) };
    let size = size.ok_or_else(too_large)?;
    let zipped = zstd::bulk::compress(bytes, LEVEL).ok().filter(|it| it.len() < bytes.len());
    let form = if zipped.is_some() { Form::Zipped } else { Form::Raw };
    let stored = zipped.as_deref().unwrap_or(bytes);
    let plain = written(kind, form, size, id, stored);
    let Some(seal) = seal else { return Ok((id, plain)) };
    let mask = seal.mask(id);
    let stored = seal.seal(mask.as_bytes(), &plain)?;
    // Not larger than the largest object and what sealing adds.
    let size = stored.len() as u32;
    Ok((mask, written(Kind::Object, Form::Sealed, size, mask, &stored)))
}

fn written(kind: Kind, form: Form, size: u32, id: ObjectId, stored: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(HEADER + stored.len());
    record.extend_from_slice(&[kind as u8, form as u8]);
    record.extend_from_slice(&size.to_le_bytes());
    // Not larger than `size`.
    record.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    record.extend_from_slice(id.as_bytes());
    record.extend_from_slice(stored);
    record
}

impl Header {
    fn parse(bytes: &[u8; HEADER]) -> Option<Self> {
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let (kind, form) = match (bytes[0], bytes[1]) {
            (0, 0) => (Kind::Object, Form::Raw),
            (0, 1) => (Kind::Object, Form::Zipped),
            (0, 2) => (Kind::Object, Form::Sealed),
            (1, 0) => (Kind::Record, Form::Raw),
            (1, 1) => (Kind::Record, Form::Zipped),
            _ => return None,
        };
        let (size, stored) = (number(2)?, number(6)?);
        let id = ObjectId::from_bytes(bytes.get(10..HEADER)?.try_into().ok()?);
        let fits = match form {
            Form::Raw => size <= MAX_OBJECT && stored == size,
            Form::Zipped => size <= MAX_OBJECT && stored < size,
            Form::Sealed => size <= MAX_OBJECT + GROWTH && stored == size,
        };
        fits.then_some(Self { kind, id, size, stored, form })
    }

    /// The object; `None` when it is not what it should be.
    fn open(&self, stored: &[u8], seal: Option<&Seal>) -> Result<Option<Record>, StoreError> {
        if self.form != Form::Sealed {
            return Ok(self.unpack(stored));
        }
        let seal = seal.ok_or(StoreError::Locked)?;
        let Ok(plain) = seal.open(self.id.as_bytes(), stored) else { return Ok(None) };
        let inner = plain.split_first_chunk().and_then(|(head, rest)| {
            Self::parse(head).filter(|inner| seal.mask(inner.id) == self.id)?.unpack(rest)
        });
        Ok(inner)
    }

    fn unpack(&self, stored: &[u8]) -> Option<Record> {
        let bytes = match self.form {
            Form::Raw => stored.to_vec(),
            Form::Zipped => zstd::bulk::decompress(stored, self.size as usize).ok()?,
            Form::Sealed => return None,
        };
        let (kind, id) = (self.kind, self.id);
        (ObjectId::of(&bytes) == id).then_some(Record { kind, id, bytes })
    }
}

/// The object at a place of a pack that stands there under a name. Bytes that are not what their id says are never
/// given.
pub(crate) fn read_at(
    packs: &Packs,
    pack: &str,
    offset: u64,
    name: ObjectId,
    seal: Option<&Seal>,
) -> Result<Record, StoreError> {
    let path = packs.path(pack);
    let bad = || damaged(&path, format!("object {name} at {offset} is not what was kept"));
    let mut file = packs.open(pack).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            damaged(&path, format!("it is missing, and object {name} with it"))
        }
        _ => io(&path, &error),
    })?;
    file.seek(SeekFrom::Start(offset)).map_err(|error| io(&path, &error))?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).map_err(|_| bad())?;
    let header = Header::parse(&header).filter(|header| header.id == name).ok_or_else(bad)?;
    let stored = taken(&mut file, header.stored).ok_or_else(bad)?;
    header.open(&stored, seal)?.ok_or_else(bad)
}

/// So many bytes, if they are there: what a header says is not believed before.
fn taken(file: &mut impl Read, bytes: u32) -> Option<Vec<u8>> {
    let mut taken = Vec::new();
    file.take(u64::from(bytes)).read_to_end(&mut taken).ok()?;
    (taken.len() == bytes as usize).then_some(taken)
}

/// Where a record stands in its pack: its name there, its place, and how many bytes it takes.
pub(crate) struct Stand {
    pub(crate) name: ObjectId,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// Shows every whole record of a pack with its place, up to the first one that is not, or is larger than `most`.
pub(crate) fn scan(
    (packs, pack): (&Packs, &str),
    most: u32,
    seal: Option<&Seal>,
    mut on_record: impl FnMut(Stand, Record) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let path = packs.path(pack);
    let is_sealed = is_sealed(packs, pack)?;
    let is_sealed = is_sealed.ok_or_else(|| damaged(&path, "it is no pack of this version"));
    if is_sealed? && seal.is_none() {
        return Err(StoreError::Locked);
    }
    let file: File = packs.open(pack).map_err(|error| io(&path, &error))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    reader.seek(SeekFrom::Start(START)).map_err(|error| io(&path, &error))?;
    let mut offset = START;
    loop {
        let mut header = [0; HEADER];
        if reader.read_exact(&mut header).is_err() {
            return Ok(());
        }
        let Some(header) = Header::parse(&header) else { return Ok(()) };
        if header.size > most {
            return Ok(());
        }
        let Some(stored) = taken(&mut reader, header.stored) else { return Ok(()) };
        let Some(record) = header.open(&stored, seal)? else { return Ok(()) };
        let bytes = HEADER as u64 + u64::from(header.stored);
        on_record(Stand { name: header.id, offset, bytes }, record)?;
        offset += bytes;
    }
}
