//! From pages to rows: along the trees as far as they lead, then page by page what no tree leads to any more.

use std::collections::{BTreeSet, HashSet};

use rusqlite::types::Value;

use super::pages::{self, Pages, TABLE_ABOVE, TABLE_LEAF};
use super::records::{Record, records};
use super::shapes::Shape;

/// What takes the rows that are found.
pub(super) trait Sink {
    /// What goes wrong with it.
    type Error;
    /// A row of a table.
    fn row(&mut self, shape: &Shape, record: Record) -> Result<(), Self::Error>;
    /// A row that cannot be one of the table it stands in, or of any.
    fn astray(&mut self, shape: Option<&Shape>, record: Record) -> Result<(), Self::Error>;
}

/// How far a file could be read.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Pages of the file.
    pub(super) pages: u32,
    /// Pages that hold something and cannot be read.
    pub(super) unreadable: u32,
    /// Cells of pages that make no sense.
    pub(super) broken: u32,
    /// Tables of which nothing is missing.
    pub(super) whole: BTreeSet<String>,
}

struct Walk<'a, S> {
    pages: &'a mut Pages,
    shapes: &'a [Shape],
    sink: &'a mut S,
    seen: HashSet<u32>,
    unreadable: HashSet<u32>,
    /// Numbers that lead to a page of something else.
    astray: u32,
    broken: u32,
}

/// Reads every row there is.
pub(super) fn read<S: Sink>(
    pages: &mut Pages,
    shapes: &[Shape],
    sink: &mut S,
) -> Result<Reach, S::Error> {
    let (roots, indices, named) = roots(pages);
    // A name that nobody knows is one of ours that was written wrong.
    let known = |name: &String| shapes.iter().any(|shape| shape.name == *name);
    let named = named && roots.iter().all(|(name, _)| known(name) || name.starts_with("sqlite_"));
    let mut whole = named;
    let mut walk = Walk {
        pages,
        shapes,
        sink,
        seen: HashSet::from([1]),
        unreadable: HashSet::new(),
        astray: 0,
        broken: 0,
    };
    if !named {
        walk.unreadable.insert(1);
    }
    let mut reach = Reach::default();
    for shape in shapes {
        let root = roots.iter().find(|(name, _)| *name == shape.name).map(|(_, root)| *root);
        let complete = match root {
            Some(root) => walk.tree(root, Some(shape))?,
            // Not of an older schema's tables, or not to be found.
            None => named,
        };
        if complete {
            reach.whole.insert(shape.name.clone());
        }
        whole &= complete;
    }
    for root in indices {
        walk.tree(root, None)?;
    }
    if !whole {
        walk.left()?;
    }
    reach.pages = walk.pages.count();
    reach.unreadable =
        u32::try_from(walk.unreadable.len()).unwrap_or(u32::MAX).saturating_add(walk.astray);
    reach.broken = walk.broken;
    Ok(reach)
}

/// The roots of tables by their names, the roots of indices, and whether all of them could be read.
fn roots(pages: &mut Pages) -> (Vec<(String, u32)>, Vec<u32>, bool) {
    let (mut tables, mut indices, mut whole) = (Vec::new(), Vec::new(), true);
    let (mut seen, mut due) = (HashSet::new(), vec![1]);
    while let Some(number) = due.pop() {
        if !seen.insert(number) {
            whole = false;
            continue;
        }
        let beneath = pages
            .read(number)
            .and_then(|page| pages::node(number, &page))
            .filter(|node| matches!(node.kind, TABLE_LEAF | TABLE_ABOVE))
            .map(|node| node.beneath);
        let (Some(mut beneath), Some((kind, found, broken))) = (beneath, records(pages, number))
        else {
            whole = false;
            continue;
        };
        beneath.reverse();
        due.extend(beneath);
        whole &= broken == 0;
        for record in found.iter().filter(|_| kind == TABLE_LEAF) {
            whole &= listed(record, &mut tables, &mut indices);
        }
    }
    if whole {
        return (tables, indices, whole);
    }
    // The list goes on over pages that nothing may lead to any more.
    for number in 2..=pages.count() {
        let Some((TABLE_LEAF, found, _)) = records(pages, number) else { continue };
        if !seen.contains(&number) && found.iter().all(is_listing) {
            for record in &found {
                listed(record, &mut tables, &mut indices);
            }
        }
    }
    (tables, indices, whole)
}

/// Whether a record says where something begins.
fn is_listing(record: &Record) -> bool {
    let [Value::Text(kind), Value::Text(_), Value::Text(_), Value::Integer(_), _] =
        record.values.as_slice()
    else {
        return false;
    };
    matches!(kind.as_str(), "table" | "index" | "view" | "trigger")
}

/// Notes where a table or an index begins; whether the record says such a thing.
fn listed(record: &Record, tables: &mut Vec<(String, u32)>, indices: &mut Vec<u32>) -> bool {
    let [Value::Text(kind), Value::Text(name), _, Value::Integer(root), _] =
        record.values.as_slice()
    else {
        return false;
    };
    match (kind.as_str(), u32::try_from(*root).unwrap_or(0)) {
        (_, 0) => {}
        ("table", root) => tables.push((name.clone(), root)),
        ("index", root) => indices.push(root),
        _ => {}
    }
    is_listing(record)
}

impl<S: Sink> Walk<'_, S> {
    /// Reads the tree beneath `root` as a table, or as an index of no interest; whether nothing of it is missing.
    fn tree(&mut self, root: u32, shape: Option<&Shape>) -> Result<bool, S::Error> {
        let mut whole = true;
        let mut due = vec![root];
        while let Some(number) = due.pop() {
            if self.seen.contains(&number) {
                self.astray += 1;
                whole = false;
                continue;
            }
            let node = self.pages.read(number).and_then(|page| pages::node(number, &page));
            let Some(node) = node else {
                self.unreadable.insert(number);
                whole = false;
                continue;
            };
            let has_rowid = matches!(node.kind, TABLE_LEAF | TABLE_ABOVE);
            if shape.is_some_and(|shape| shape.has_rowid) != has_rowid {
                self.astray += 1;
                whole = false;
                continue;
            }
            let Some(shape) = shape else {
                self.seen.insert(number);
                due.extend(node.beneath);
                continue;
            };
            if node.kind == TABLE_ABOVE {
                self.seen.insert(number);
            } else {
                let Some((_, found, broken)) = records(self.pages, number) else { continue };
                let fitting = found.iter().filter(|record| shape.fits(record)).count();
                if fitting * 2 < found.len() {
                    // Another table's, to which a wrong number led.
                    self.astray += 1;
                    whole = false;
                    continue;
                }
                whole &= broken == 0 && fitting == found.len();
                self.take(number, found, broken, &[shape])?;
            }
            due.extend(node.beneath.into_iter().rev());
        }
        Ok(whole)
    }

    /// Reads the pages that no tree led to.
    fn left(&mut self) -> Result<(), S::Error> {
        let free = self.pages.free();
        for number in 2..=self.pages.count() {
            if self.seen.contains(&number) || free.contains(&number) {
                continue;
            }
            let Some((kind, found, broken)) = records(self.pages, number) else { continue };
            if kind == TABLE_ABOVE || (found.is_empty() && broken > 0) {
                continue;
            }
            let fitting = |shape: &Shape| found.iter().filter(|record| shape.fits(record)).count();
            let best = self.shapes.iter().map(fitting).max().unwrap_or(0);
            if found.iter().all(is_listing) {
                continue;
            }
            if best * 2 < found.len() {
                // Entries of an index look like anything; rows of a table were a table's.
                if kind == TABLE_LEAF {
                    self.take(number, found, broken, &[])?;
                }
                continue;
            }
            // Two tables may look alike: what is of the other is in nobody's way there.
            let alike: Vec<&Shape> =
                self.shapes.iter().filter(|shape| best > 0 && fitting(shape) == best).collect();
            self.take(number, found, broken, &alike)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        number: u32,
        found: Vec<Record>,
        broken: u32,
        shapes: &[&Shape],
    ) -> Result<(), S::Error> {
        self.seen.insert(number);
        self.unreadable.remove(&number);
        self.broken += broken;
        for record in found {
            self.seen.extend(record.beyond.iter().copied());
            let fitting: Vec<&&Shape> = shapes.iter().filter(|shape| shape.fits(&record)).collect();
            if fitting.is_empty() {
                self.sink.astray(shapes.first().copied(), record)?;
                continue;
            }
            for shape in fitting.iter().filter(|shape| shape.copied) {
                self.sink.row(shape, record.clone())?;
            }
        }
        Ok(())
    }
}
