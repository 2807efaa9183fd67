//! A memory file with what it imports put in its place.
//!
//! Every piece keeps the file and the line that it is of. What cannot be taken in is named at its place and changes
//! nothing else. A file is taken in once, however often it is asked for, so that no ring and no fan of imports grows
//! beyond the files there are; depth, bytes and looks are bounded besides.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::clean::clean;
use super::front::{self, Front};
use super::imports::{self, ImportMark};
use super::share;
use super::{Imported, MAX_IMPORT_BYTES, MAX_IMPORT_DEPTH, MAX_IMPORTS, MemoryFile, Refusal};
use crate::tokens;

/// A memory file with its imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The file.
    pub file: MemoryFile,
    /// What it says of itself.
    pub front: Front,
    /// Its text without front matter and hidden characters, parted where another file's begins.
    pub pieces: Vec<Piece>,
    /// What it imports, and what its imports do.
    pub imports: Vec<ImportNote>,
    /// Estimated tokens of the pieces.
    pub tokens: u64,
}

/// Whole lines of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The file's path, as in [`MemoryFile`].
    pub path: String,
    /// The first line, from 1.
    pub line: u32,
    /// The lines.
    pub text: String,
}

/// What became of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportNote {
    /// The file that asks.
    pub from: String,
    /// The line in it.
    pub line: u32,
    /// What it asks for, as it is written.
    pub target: String,
    /// The file that it is.
    pub to: Option<String>,
    /// Why it was not taken in.
    pub refused: Option<Refusal>,
    /// Whether it was in already, so that it was not taken in again.
    pub again: bool,
}

/// Puts in what a file imports. `read` says what a target in a file names.
pub fn expand(
    file: &MemoryFile,
    read: &mut dyn FnMut(&str, &str) -> Result<Imported, Refusal>,
) -> Expanded {
    let mut walk = Walk {
        read,
        pieces: Vec::new(),
        notes: Vec::new(),
        taken: vec![file.path.clone()],
        looks: 0,
        bytes: 0,
    };
    let front = match file.refused {
        None => walk.file(&mut vec![file.path.clone()], &file.text),
        Some(_) => Front::default(),
    };
    let Walk { pieces, notes, .. } = walk;
    let expanded = Expanded { file: file.clone(), front, pieces, imports: notes, tokens: 0 };
    Expanded { tokens: tokens::estimate(&expanded.text()), ..expanded }
}

impl Expanded {
    /// All of it, as a model gets it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&piece.text);
        }
        text
    }

    /// Whether it has a say: it was read, and no earlier file says the same.
    pub fn counts(&self) -> bool {
        self.file.refused.is_none() && self.file.same_as.is_none()
    }
}

struct Walk<'a> {
    read: &'a mut dyn FnMut(&str, &str) -> Result<Imported, Refusal>,
    pieces: Vec<Piece>,
    notes: Vec<ImportNote>,
    taken: Vec<String>,
    looks: u32,
    bytes: u64,
}

impl Walk<'_> {
    /// Takes in a file, the last of a chain of files of which each imports the next.
    fn file(&mut self, chain: &mut Vec<String>, text: &str) -> Front {
        let path = chain.last().cloned().unwrap_or_default();
        let text = clean(text);
        let (front, body) = front::parse(&text);
        for part in own(&text, body) {
            let above = lines(&text[..part.start]);
            let (mut from, mut line) = (part.start, 1 + above);
            for mark in imports::find(&text[part.clone()]) {
                let at = part.start + mark.range.start;
                let mark = ImportMark { line: mark.line + above, ..mark };
                let Some(imported) = self.import(&path, &mark, chain) else { continue };
                let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
                let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
                // A line that only imports makes room for what it imports; any other stays.
                let only = text[start..end].trim().trim_start_matches(['-', '*', '+', ' ']);
                let keep = if only.len() == mark.target.len() + 1 { start } else { end };
                if keep > from {
                    let text = text[from..keep].to_owned();
                    self.pieces.push(Piece { path: path.clone(), line, text });
                }
                if end > from {
                    line += lines(&text[from..end]);
                    from = end;
                }
                chain.push(imported.path);
                self.file(chain, &imported.text);
                chain.pop();
            }
            if from < part.end {
                let text = text[from..part.end].to_owned();
                self.pieces.push(Piece { path: path.clone(), line, text });
            }
        }
        front
    }

    /// What is to be taken in, if anything; notes what became of it.
    fn import(&mut self, from: &str, mark: &ImportMark, chain: &[String]) -> Option<Imported> {
        if self.looks > MAX_IMPORTS {
            return None;
        }
        let found = self.look(from, mark, chain);
        let (to, refused, again) = match &found {
            Err(Refusal::Missing | Refusal::NotRegular) if !mark.names_a_file() => return None,
            Err(refused) => (None, Some(refused.clone()), false),
            Ok(imported) if chain.contains(&imported.path) => {
                (Some(imported.path.clone()), Some(Refusal::Cycle), false)
            }
            Ok(imported) => {
                (Some(imported.path.clone()), None, self.taken.contains(&imported.path))
            }
        };
        let size = found.as_ref().map_or(0, |it| it.text.len() as u64);
        let too_much = refused.is_none() && !again && self.bytes + size > MAX_IMPORT_BYTES;
        let refused =
            if too_much { Some(Refusal::TooMuch { most: MAX_IMPORT_BYTES }) } else { refused };
        let goes_in = refused.is_none() && !again;
        let (from, target) = (from.to_owned(), mark.target.clone());
        self.notes.push(ImportNote { from, line: mark.line, target, to, refused, again });
        let imported = found.ok().filter(|_| goes_in)?;
        self.bytes += size;
        self.taken.push(imported.path.clone());
        Some(imported)
    }

    fn look(
        &mut self,
        from: &str,
        mark: &ImportMark,
        chain: &[String],
    ) -> Result<Imported, Refusal> {
        if mark.is_at_home() {
            return Err(Refusal::Outside);
        }
        if mark.is_remote() {
            return Err(Refusal::Remote);
        }
        if chain.len() > MAX_IMPORT_DEPTH as usize {
            // Too deep to look whether a bare word is a file.
            let most = MAX_IMPORT_DEPTH;
            return Err(if mark.names_a_file() {
                Refusal::TooDeep { most }
            } else {
                Refusal::Missing
            });
        }
        self.looks += 1;
        if self.looks > MAX_IMPORTS {
            return Err(Refusal::TooMany { most: MAX_IMPORTS });
        }
        (self.read)(from, &mark.target)
    }
}

/// What of a text from `body` on its author wrote, and not this program for the agents that read it.
fn own(text: &str, body: usize) -> [Range<usize>; 2] {
    let block = share::block(text).ok().flatten().map(|block| block.range);
    match block.filter(|block| block.start >= body) {
        None => [body..text.len(), text.len()..text.len()],
        Some(block) => {
            let line_end = usize::from(text[block.end..].starts_with('\n'));
            [body..block.start, block.end + line_end..text.len()]
        }
    }
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}
