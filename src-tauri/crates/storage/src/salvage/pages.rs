//! The pages of a database file as they are, with what its log says of them since, read without SQLite.
//!
//! SQLite stops at the first page that is wrong. Here each page stands for itself: one that cannot be read is one page
//! that cannot be read. Nothing is trusted: every number is looked at before it is followed.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::passages::with_suffix;

/// Bytes of a page. Every database of ours has pages of this size, so the header need not be believed.
pub(super) const PAGE: usize = 4096;

/// A leaf of a table with row ids.
pub(super) const TABLE_LEAF: u8 = 13;
/// A page above leaves of a table with row ids.
pub(super) const TABLE_ABOVE: u8 = 5;
/// A leaf of an index, or of a table without row ids.
pub(super) const INDEX_LEAF: u8 = 10;
/// A page above leaves of an index, which has entries of its own.
pub(super) const INDEX_ABOVE: u8 = 2;

/// Bytes of the file before the first page's own content.
const FILE_HEADER: usize = 100;

/// Most pages of the free list that one page of it names.
const FREE_MOST: u32 = 1_022;

/// A database file and its log.
pub(super) struct Pages {
    file: File,
    log: Option<File>,
    /// Pages that are newer in the log, and where they stand there.
    newer: HashMap<u32, u64>,
    count: u32,
}

impl Pages {
    /// Opens a file that is not changed while it is read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let whole = file.metadata()?.len() / PAGE as u64;
        let mut pages = Self {
            file,
            log: None,
            newer: HashMap::new(),
            count: u32::try_from(whole).unwrap_or(u32::MAX),
        };
        match File::open(with_suffix(path, "-wal")) {
            Ok(mut log) => {
                pages.newer = committed(&mut log)?;
                let last = pages.newer.keys().copied().max().unwrap_or(0);
                pages.count = pages.count.max(last);
                pages.log = Some(log);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(pages)
    }

    /// How many pages there are; the first one is number one.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The bytes of a page; `None` for one that is not there, or that the disk does not give.
    pub(super) fn read(&mut self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.count {
            return None;
        }
        let (file, at) = match (self.newer.get(&number), &mut self.log) {
            (Some(at), Some(log)) => (log, *at),
            _ => (&mut self.file, u64::from(number - 1) * PAGE as u64),
        };
        let mut bytes = vec![0; PAGE];
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The pages that hold nothing: what they say is old. Those that the header leads to, and those that any page
    /// lists that looks like one of the free list, because the header may be what is damaged.
    pub(super) fn free(&mut self) -> HashSet<u32> {
        let mut free = HashSet::new();
        for number in 2..=self.count {
            if let Some(listed) = self.read(number).and_then(|page| self.listed(&page)) {
                free.insert(number);
                free.extend(listed);
            }
        }
        free
    }

    /// What a page of the free list names; `None` if it is none.
    fn listed(&self, page: &[u8]) -> Option<Vec<u32>> {
        let (next, many) = (number_at(page, 0)?, number_at(page, 4)?);
        // A page of anything else begins with its kind, or is an overflow, whose text begins where the number stands.
        if next > self.count || many > FREE_MOST || (next == 0 && many == 0) {
            return None;
        }
        let mut seen = HashSet::new();
        let named = (0..many).map(|index| number_at(page, 8 + 4 * index as usize));
        let named: Option<Vec<u32>> = named.collect();
        named.filter(|named| {
            named.iter().all(|page| (2..=self.count).contains(page) && seen.insert(*page))
        })
    }
}

/// A page of a tree.
pub(super) struct Node {
    /// What it is.
    pub(super) kind: u8,
    /// Where its cells begin.
    pub(super) cells: Vec<usize>,
    /// The pages beneath it.
    pub(super) beneath: Vec<u32>,
}

/// A page as one of a tree; `None` if it is none. What of it cannot be is left out.
pub(super) fn node(number: u32, page: &[u8]) -> Option<Node> {
    let at = if number == 1 { FILE_HEADER } else { 0 };
    let kind = *page.get(at)?;
    let above = match kind {
        TABLE_LEAF | INDEX_LEAF => false,
        TABLE_ABOVE | INDEX_ABOVE => true,
        _ => return None,
    };
    let begins = at + if above { 12 } else { 8 };
    let many = short_at(page, at + 3)?;
    let cells: Vec<usize> = (0..many)
        .map_while(|index| short_at(page, begins + 2 * index))
        .filter(|cell| (begins..PAGE).contains(cell))
        .collect();
    let mut beneath = Vec::new();
    if above {
        beneath.extend(cells.iter().filter_map(|cell| number_at(page, *cell)));
        beneath.extend(number_at(page, at + 8));
    }
    Some(Node { kind, cells, beneath })
}

/// Two bytes.
fn short_at(bytes: &[u8], at: usize) -> Option<usize> {
    let two = bytes.get(at..)?.first_chunk::<2>()?;
    Some(usize::from(u16::from_be_bytes(*two)))
}

/// Four bytes.
pub(super) fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk::<4>()?))
}

/// Where the log has the last committed form of each page. It ends where a sum is wrong, as it does for SQLite.
fn committed(log: &mut File) -> io::Result<HashMap<u32, u64>> {
    let mut newer = HashMap::new();
    let mut header = [0; 32];
    if !filled(log, &mut header)? {
        return Ok(newer);
    }
    let said = |at| number_at(&header, at).unwrap_or(0);
    let big = match said(0) {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return Ok(newer),
    };
    let mut sum = added((0, 0), &header[..24], big);
    if said(8) as usize != PAGE || sum != (said(24), said(28)) {
        return Ok(newer);
    }
    let mut waiting = Vec::new();
    let (mut head, mut page, mut at) = ([0; 24], vec![0; PAGE], 32);
    while filled(log, &mut head)? && filled(log, &mut page)? {
        let told = |at| number_at(&head, at).unwrap_or(0);
        sum = added(added(sum, &head[..8], big), &page, big);
        if (told(8), told(12)) != (said(16), said(20)) || sum != (told(16), told(20)) {
            break;
        }
        waiting.push((told(0), at + 24));
        at += 24 + PAGE as u64;
        let size = told(4);
        if size > 0 {
            newer.extend(waiting.drain(..));
            newer.retain(|page, _| *page <= size);
        }
    }
    Ok(newer)
}

fn filled(file: &mut File, into: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(into) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The sum of SQLite's log over more bytes.
fn added(sum: (u32, u32), bytes: &[u8], big: bool) -> (u32, u32) {
    let word =
        |four: &[u8; 4]| if big { u32::from_be_bytes(*four) } else { u32::from_le_bytes(*four) };
    bytes.as_chunks::<4>().0.as_chunks::<2>().0.iter().fold(sum, |(one, two), [first, second]| {
        let one = one.wrapping_add(word(first)).wrapping_add(two);
        (one, two.wrapping_add(word(second)).wrapping_add(one))
    })
}
