//! What is different between two trees. Sub-trees with one id are equal and are not read, so this costs what changed.

use std::cmp::Ordering;

use super::tree::{Leaf, Node, ObjectId, Tree, join};

/// One path that is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Below the root, with `/`.
    pub path: Vec<u8>,
    /// What was there.
    pub before: Option<Leaf>,
    /// What is there.
    pub after: Option<Leaf>,
}

/// Reads a tree by its id.
pub type ReadTree<'a, E> = &'a mut dyn FnMut(ObjectId) -> Result<Tree, E>;

/// The paths that are different, in the order of their names; `None` is an empty folder.
pub fn diff<E>(
    before: Option<ObjectId>,
    after: Option<ObjectId>,
    read: ReadTree<'_, E>,
) -> Result<Vec<Change>, E> {
    let mut changes = Vec::new();
    compare(before, after, &[], read, &mut changes)?;
    Ok(changes)
}

/// What stands at a path.
pub fn leaf_at<E>(
    root: Option<ObjectId>,
    path: &[u8],
    read: ReadTree<'_, E>,
) -> Result<Option<Leaf>, E> {
    let mut at = root;
    let mut names = path.split(|byte| *byte == b'/').peekable();
    while let (Some(id), Some(name)) = (at, names.next()) {
        match (read(id)?.get(name), names.peek()) {
            (Some(Node::Leaf(leaf)), None) => return Ok(Some(leaf.clone())),
            (Some(Node::Dir(inner)), Some(_)) => at = Some(*inner),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The folders in which there is nothing, in a tree as far as it is not the same as another one.
pub fn empty_folders<E>(
    root: Option<ObjectId>,
    other: Option<ObjectId>,
    read: ReadTree<'_, E>,
) -> Result<Vec<Vec<u8>>, E> {
    let mut found = Vec::new();
    if let Some(root) = root.filter(|_| root != other) {
        find_empty(root, other, &[], read, &mut found)?;
    }
    Ok(found)
}

fn find_empty<E>(
    id: ObjectId,
    other: Option<ObjectId>,
    dir: &[u8],
    read: ReadTree<'_, E>,
    found: &mut Vec<Vec<u8>>,
) -> Result<(), E> {
    let (here, other) = (read(id)?, tree(other, read)?);
    if here.entries().is_empty() && !dir.is_empty() {
        found.push(dir.to_vec());
    }
    for (name, node) in here.entries() {
        let beside = folder(other.get(name));
        if let Some(inner) = folder(Some(node)).filter(|inner| beside != Some(*inner)) {
            find_empty(inner, beside, &join(dir, name), read, found)?;
        }
    }
    Ok(())
}

fn compare<E>(
    before: Option<ObjectId>,
    after: Option<ObjectId>,
    dir: &[u8],
    read: ReadTree<'_, E>,
    changes: &mut Vec<Change>,
) -> Result<(), E> {
    if before == after {
        return Ok(());
    }
    let (old, new) = (tree(before, read)?, tree(after, read)?);
    let (mut old, mut new) = (old.entries().iter().peekable(), new.entries().iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let was = old.next_if(|_| order != Ordering::Greater);
        let is = new.next_if(|_| order != Ordering::Less);
        let Some((name, _)) = was.or(is) else { return Ok(()) };
        let path = join(dir, name);
        let (was, is) = (was.map(|entry| &entry.1), is.map(|entry| &entry.1));
        let (before, after) = (leaf(was), leaf(is));
        if before != after {
            changes.push(Change { path: path.clone(), before, after });
        }
        compare(folder(was), folder(is), &path, read, changes)?;
    }
}

fn tree<E>(id: Option<ObjectId>, read: ReadTree<'_, E>) -> Result<Tree, E> {
    id.map_or_else(|| Ok(Tree::default()), read)
}

fn leaf(node: Option<&Node>) -> Option<Leaf> {
    match node {
        Some(Node::Leaf(leaf)) => Some(leaf.clone()),
        _ => None,
    }
}

fn folder(node: Option<&Node>) -> Option<ObjectId> {
    match node {
        Some(Node::Dir(id)) => Some(*id),
        _ => None,
    }
}
