//! Trees: what a folder held, as content-addressed objects.
//!
//! A [`Tree`] lists one directory; a sub-directory stands in it by the id of its own tree, so two trees share what they
//! have in common and a change costs the directories above it. Names are bytes, because a file system's are.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// BLAKE3 of an object's bytes. Written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 32]);

impl ObjectId {
    /// The id of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// From its 32 bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

impl FromStr for ObjectId {
    type Err = blake3::HexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(*blake3::Hash::from_hex(text)?.as_bytes()))
    }
}

impl Serialize for ObjectId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ObjectId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <[u8; 32]>::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What stands under a name and is no directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Leaf {
    /// A regular file.
    File {
        /// Its content.
        id: ObjectId,
        /// Its size in bytes.
        size: u64,
        /// Its permission bits.
        mode: u32,
    },
    /// A symbolic link, kept as what it says and never followed.
    Link {
        /// Where it points, as it is written.
        target: Vec<u8>,
    },
}

/// One name of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// A file or a link.
    Leaf(Leaf),
    /// A directory, by its own tree.
    Dir(ObjectId),
}

/// One directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Sorted by name, each name once.
    entries: Vec<(Vec<u8>, Node)>,
}

/// An object that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("object {id} is no tree: {detail}")]
pub struct BadTree {
    /// Which.
    pub id: ObjectId,
    /// What is wrong with it.
    pub detail: String,
}

impl Tree {
    /// From entries in any order; of two under one name the later counts. Names that could leave the directory are
    /// dropped.
    pub fn new(mut entries: Vec<(Vec<u8>, Node)>) -> Self {
        entries.retain(|(name, _)| is_name(name));
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, kept| later.0 == kept.0);
        Self { entries }
    }

    /// Its names in order.
    pub fn entries(&self) -> &[(Vec<u8>, Node)] {
        &self.entries
    }

    /// What stands under a name.
    pub fn get(&self, name: &[u8]) -> Option<&Node> {
        let at = self.entries.binary_search_by(|(known, _)| known.as_slice().cmp(name)).ok()?;
        self.entries.get(at).map(|(_, node)| node)
    }

    /// The bytes that are kept, and their id.
    pub fn encode(&self) -> (ObjectId, Vec<u8>) {
        // Only a type that cannot be written fails, and this one can.
        let bytes = postcard::to_stdvec(self).unwrap_or_default();
        (ObjectId::of(&bytes), bytes)
    }

    /// A tree from the bytes under its id, which came from a disk or another computer.
    pub fn decode(id: ObjectId, bytes: &[u8]) -> Result<Self, BadTree> {
        let bad = |detail: String| BadTree { id, detail };
        let tree: Self = postcard::from_bytes(bytes).map_err(|error| bad(error.to_string()))?;
        let ordered = tree.entries.is_sorted_by(|a, b| a.0.cmp(&b.0) == Ordering::Less);
        if !ordered || !tree.entries.iter().all(|(name, _)| is_name(name)) {
            return Err(bad(String::from("its names are out of order or lead elsewhere")));
        }
        Ok(tree)
    }
}

pub(super) fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, b'/' | 0))
}

/// A path below a root with `/`, as shown: what is not Unicode is replaced.
pub fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

pub(super) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = dir.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
