//! Objects in one piece: the file a checkpoint travels in, and the bundles a remote keeps.
//!
//! A container of our own: a head, one record an object, at most one [`Manifest`], and the BLAKE3 of all of it at the
//! end. It names no path; a name inside a tree goes through [`Tree`]'s own checks. Reading verifies everything before it
//! gives anything, and bounds what comes out by what went in. Whether the whole is sealed is its caller's matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::tree::{BadTree, Leaf, Node, ObjectId, Tree};
use super::{Checkpoint, ReadTree};
use crate::conversation::Conversation;
use crate::message::Message;
use crate::summary::Record;

/// The end of the name of a checkpoint's file.
pub const EXTENSION: &str = "siltstone-checkpoint";

/// Largest file that is read, in bytes.
pub const MAX_PACKED: u64 = 1 << 30;

/// The form this program writes; an older one would be read, a newer one is refused with its number.
const FORM: u32 = 1;

const MAGIC: &[u8; 12] = b"siltstone-cp";

/// Most bytes that all objects of one piece have together.
const MAX_PLAIN: u64 = 4 << 30;

/// Most objects of one piece.
const MAX_OBJECTS: usize = 2_000_000;

/// What packs better than this is kept unpacked, so that nothing may unpack to more.
const MAX_RATIO: u64 = 200;

/// Deepest folder of a tree.
const MAX_DEPTH: usize = 256;

/// Fast; files of code shrink to about a third.
const LEVEL: i32 = 3;

/// Bytes of a record before its content: kind, length, packed length and BLAKE3.
const HEAD: usize = 1 + 8 + 8 + HASH;
const HASH: usize = 32;

const PLAIN: u8 = 0;
const ZIPPED: u8 = 1;
const MANIFEST: u8 = 2;

/// What the objects are for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The checkpoint as it was where it was made.
    pub checkpoint: Checkpoint,
    /// The name of its project there.
    pub project: String,
    /// Where its conversation stood, a [`Chat`] as JSON, an object.
    pub chat: Option<ObjectId>,
}

/// A conversation's path up to a checkpoint's message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chat {
    /// The conversation, without what is in its composer.
    pub conversation: Conversation,
    /// The path, first message first.
    pub messages: Vec<Message>,
    /// The summaries that held.
    pub summaries: Vec<Record>,
    /// Pictures and files that the messages name: their bytes, as objects, by hash.
    pub attached: BTreeMap<String, ObjectId>,
}

/// Why a piece cannot be read. Nothing of it is taken then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBundle {
    /// It is something else.
    #[error("this is no checkpoint of Siltstone's")]
    Unrecognised,
    /// A newer version wrote it.
    #[error("it has version {found} of its form, this program knows {FORM}")]
    Newer {
        /// Its version.
        found: u32,
    },
    /// It is cut off, or a bit of it changed.
    #[error("it is damaged: {detail}")]
    Damaged {
        /// What is wrong.
        detail: String,
    },
    /// It would take more than anybody's checkpoint does.
    #[error("it is larger than may be read: {detail}")]
    TooLarge {
        /// What of it.
        detail: &'static str,
    },
    /// It names an object that is not in it.
    #[error("object {id} is missing")]
    Missing {
        /// Which.
        id: ObjectId,
    },
    /// A tree of it holds a name that nothing of ours would write.
    #[error(transparent)]
    Tree(#[from] BadTree),
}

/// Puts objects together.
pub struct BundleWriter {
    bytes: Vec<u8>,
}

impl Default for BundleWriter {
    fn default() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&FORM.to_le_bytes());
        Self { bytes }
    }
}

impl BundleWriter {
    /// Adds an object.
    pub fn object(&mut self, bytes: &[u8]) {
        let zipped = zstd::bulk::compress(bytes, LEVEL).ok();
        let zipped = zipped.filter(|zipped| {
            let (packed, plain) = (zipped.len() as u64, bytes.len() as u64);
            packed < plain && plain <= packed * MAX_RATIO
        });
        match zipped {
            Some(zipped) => self.record(ZIPPED, bytes, &zipped),
            None => self.record(PLAIN, bytes, bytes),
        }
    }

    /// Bytes so far.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The whole.
    pub fn finish(mut self, manifest: Option<&Manifest>) -> Vec<u8> {
        if let Some(manifest) = manifest {
            // Strings, numbers and lists alone: writing them to memory cannot fail.
            let json = serde_json::to_vec(manifest).unwrap_or_default();
            self.record(MANIFEST, &json, &json);
        }
        let hash = blake3::hash(&self.bytes);
        self.bytes.extend_from_slice(hash.as_bytes());
        self.bytes
    }

    fn record(&mut self, kind: u8, plain: &[u8], packed: &[u8]) {
        self.bytes.push(kind);
        self.bytes.extend_from_slice(&(plain.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(&(packed.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(ObjectId::of(plain).as_bytes());
        self.bytes.extend_from_slice(packed);
    }
}

/// A piece that was read and is whole.
pub struct Bundle<'a> {
    objects: BTreeMap<ObjectId, Packed<'a>>,
    manifest: Option<Manifest>,
}

#[derive(Clone, Copy)]
struct Packed<'a> {
    zipped: bool,
    plain: usize,
    bytes: &'a [u8],
}

impl<'a> Bundle<'a> {
    /// Reads a piece; every object in it is what its id says.
    pub fn read(bytes: &'a [u8]) -> Result<Self, BadBundle> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BadBundle::Unrecognised)?;
        let (form, rest) = rest.split_first_chunk::<4>().ok_or(BadBundle::Unrecognised)?;
        match u32::from_le_bytes(*form) {
            FORM => {}
            found => return Err(BadBundle::Newer { found }),
        }
        let (mut rest, hash) = rest.split_last_chunk::<HASH>().ok_or_else(cut_off)?;
        let whole = &bytes[..bytes.len() - HASH];
        if blake3::hash(whole).as_bytes() != hash {
            return Err(damaged("it is not what its hash says"));
        }
        let mut bundle = Self { objects: BTreeMap::new(), manifest: None };
        let mut total = 0u64;
        while !rest.is_empty() {
            rest = bundle.take_record(rest, &mut total)?;
        }
        Ok(bundle)
    }

    /// What the objects are for, if it says so.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Its objects, each unpacked when it is asked for.
    pub fn objects(&self) -> impl Iterator<Item = Result<Vec<u8>, BadBundle>> + '_ {
        self.objects.values().map(|object| object.unpack())
    }

    /// Whether it holds an object.
    pub fn has(&self, id: ObjectId) -> bool {
        self.objects.contains_key(&id)
    }

    /// An object's bytes.
    pub fn get(&self, id: ObjectId) -> Result<Vec<u8>, BadBundle> {
        self.objects.get(&id).ok_or(BadBundle::Missing { id })?.unpack()
    }

    /// A tree of it. Names that a file system or git gives a meaning of its own are refused.
    pub fn tree(&self, id: ObjectId) -> Result<Tree, BadBundle> {
        Ok(Tree::decode_foreign(id, &self.get(id)?)?)
    }

    fn take_record(&mut self, from: &'a [u8], total: &mut u64) -> Result<&'a [u8], BadBundle> {
        let (head, rest) = from.split_at_checked(HEAD).ok_or_else(cut_off)?;
        let (&kind, head) = head.split_first().ok_or_else(cut_off)?;
        let (plain, head) = head.split_first_chunk::<8>().ok_or_else(cut_off)?;
        let (packed, hash) = head.split_first_chunk::<8>().ok_or_else(cut_off)?;
        let id = ObjectId::from_bytes(hash.try_into().map_err(|_| cut_off())?);
        let (plain, packed) = (u64::from_le_bytes(*plain), u64::from_le_bytes(*packed));
        let size = usize::try_from(packed).map_err(|_| cut_off())?;
        let (bytes, rest) = rest.split_at_checked(size).ok_or_else(cut_off)?;
        *total = total.saturating_add(plain);
        if *total > MAX_PLAIN || self.objects.len() >= MAX_OBJECTS {
            return Err(BadBundle::TooLarge { detail: "its objects together" });
        }
        if plain > packed.saturating_mul(MAX_RATIO) {
            return Err(BadBundle::TooLarge { detail: "what one of its objects unpacks to" });
        }
        let plain = usize::try_from(plain).map_err(|_| cut_off())?;
        let object = Packed { zipped: kind == ZIPPED, plain, bytes };
        if ObjectId::of(&object.unpack()?) != id {
            return Err(damaged("an object is not what its hash says"));
        }
        match kind {
            PLAIN | ZIPPED => _ = self.objects.insert(id, object),
            MANIFEST if self.manifest.is_none() && rest.is_empty() => {
                let manifest = serde_json::from_slice(bytes);
                self.manifest = Some(manifest.map_err(|error| damaged(&error.to_string()))?);
            }
            _ => return Err(damaged("a record of an unknown kind")),
        }
        Ok(rest)
    }
}

impl Packed<'_> {
    fn unpack(self) -> Result<Vec<u8>, BadBundle> {
        let bytes = match self.zipped {
            true => zstd::bulk::decompress(self.bytes, self.plain)
                .map_err(|error| damaged(&error.to_string()))?,
            false => self.bytes.to_vec(),
        };
        if bytes.len() != self.plain {
            return Err(damaged("an object has another size than it says"));
        }
        Ok(bytes)
    }
}

impl Tree {
    /// A tree that came from elsewhere. Names that a file system or git gives a meaning of its own are refused.
    pub fn decode_foreign(id: ObjectId, bytes: &[u8]) -> Result<Self, BadTree> {
        let tree = Self::decode(id, bytes)?;
        match tree.entries().iter().find(|(name, _)| is_reserved(name)) {
            Some((name, _)) => {
                let detail = format!("it holds {}", String::from_utf8_lossy(name).escape_debug());
                Err(BadTree { id, detail })
            }
            None => Ok(tree),
        }
    }
}

/// Adds to `found` the objects a checkpoint needs that are not among `seen`, children before their folders; `seen` grows
/// by them.
pub fn needed<E: From<BadTree>>(
    checkpoint: &Checkpoint,
    seen: &mut BTreeSet<ObjectId>,
    found: &mut Vec<ObjectId>,
    read: ReadTree<'_, E>,
) -> Result<(), E> {
    if let Some(root) = checkpoint.files.as_ref().and_then(|files| files.tree) {
        walk(root, 0, seen, found, read)?;
    }
    let context = &checkpoint.context;
    let others = [context.memory, context.stores, context.settings].into_iter().flatten();
    found.extend(others.filter(|id| seen.insert(*id)));
    Ok(())
}

fn walk<E: From<BadTree>>(
    id: ObjectId,
    depth: usize,
    seen: &mut BTreeSet<ObjectId>,
    found: &mut Vec<ObjectId>,
    read: ReadTree<'_, E>,
) -> Result<(), E> {
    if seen.contains(&id) {
        return Ok(());
    }
    if depth >= MAX_DEPTH {
        return Err(BadTree { id, detail: String::from("its folders are too deep") }.into());
    }
    for (_, node) in read(id)?.entries() {
        match node {
            Node::Dir(inner) => walk(*inner, depth + 1, seen, found, read)?,
            Node::Leaf(Leaf::File { id, .. }) if seen.insert(*id) => found.push(*id),
            Node::Leaf(_) => {}
        }
    }
    if seen.insert(id) {
        found.push(id);
    }
    Ok(())
}

/// Names that are no file's own: git's folder, and on Windows what is a path there.
fn is_reserved(name: &[u8]) -> bool {
    let leads = cfg!(windows) && name.iter().any(|byte| matches!(byte, b'\\' | b':'));
    leads || name.eq_ignore_ascii_case(b".git")
}

fn cut_off() -> BadBundle {
    damaged("it is cut off")
}

fn damaged(detail: &str) -> BadBundle {
    BadBundle::Damaged { detail: detail.to_owned() }
}

#[cfg(test)]
mod tests;
