//! What memory says when all of it is put together (behaviour.md, Memory): every line with where it is of, those
//! that a higher layer speaks over struck with the winner named, and those that are said twice.
//!
//! A line is spoken over when a higher layer says something else under the same key (`indent: 4`, `indent = 4`), or
//! has a section under the same heading; no rule that goes into every request ever is. A nearer directory stands above
//! a farther one, a newer line above an older one. What only an understanding of the words would find is not looked
//! for. This is a view: a request carries the files whole, the higher ones later.

mod claims;

use serde::{Deserialize, Serialize};

use super::expand::{Expanded, ImportNote};
use super::lines::{self, Kind, Line};
use super::{LineKind, MemoryLayer, MemoryLine, Refusal, SameAs, must};
use crate::ids::MemoryLineId;
use crate::tokens;

use claims::{Claims, Voice};

/// All of memory, merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Effective {
    /// Every line, the lowest layer first.
    pub lines: Vec<EffectiveLine>,
    /// What each file brings.
    pub files: Vec<FileShare>,
    /// What each layer costs.
    pub tokens: Vec<LayerTokens>,
}

/// A line of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EffectiveLine {
    /// What it says.
    pub text: String,
    /// Its layer.
    pub layer: MemoryLayer,
    /// The file it is of.
    pub path: Option<String>,
    /// The added line it is of.
    pub line_id: Option<MemoryLineId>,
    /// Its number there, from 1.
    pub line: u32,
    /// What speaks over it.
    pub overridden_by: Option<Origin>,
    /// A lower line that says the same.
    pub same_as: Option<Origin>,
    /// Whether it goes into every request.
    pub must: bool,
}

/// Where a line is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Origin {
    /// Its layer.
    pub layer: MemoryLayer,
    /// Its file; `None` for an added line.
    pub path: Option<String>,
    /// Its number there, from 1.
    pub line: u32,
}

/// What a file brings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileShare {
    /// Its path.
    pub path: String,
    /// Its layer.
    pub layer: MemoryLayer,
    /// Estimated tokens with its imports.
    pub tokens: u64,
    /// An earlier file that says the same.
    pub same_as: Option<SameAs>,
    /// Why it was not read.
    pub refused: Option<Refusal>,
    /// What it imports.
    pub imports: Vec<ImportNote>,
}

/// What a layer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LayerTokens {
    /// The layer.
    pub layer: MemoryLayer,
    /// Estimated tokens.
    pub tokens: u64,
}

/// Merges the files of a place and the lines that were added. Removed lines have no say.
pub fn effective(files: &[Expanded], lines: &[MemoryLine]) -> Effective {
    let mut voices: Vec<Spoken> = files.iter().filter(|file| file.counts()).map(of_file).collect();
    // What is kept of tools and files is data, and says nothing against anybody.
    let said = lines.iter().filter(|it| it.removed_at.is_none() && it.kind == LineKind::Added);
    voices.extend(said.map(of_line));
    // Stable, so that within a layer the order stays: the root first, the oldest first.
    voices.sort_by_key(|spoken| spoken.voice.layer);
    for (order, spoken) in voices.iter_mut().enumerate() {
        spoken.voice.order = order;
    }
    let mut claims = Claims::default();
    for spoken in &voices {
        claims.hear(&spoken.voice, &spoken.lines(), |at| spoken.origin(at));
    }
    let mut merged = Vec::new();
    for spoken in &voices {
        let lines = spoken.lines();
        let must = must::marked(&lines);
        let judged = claims.judge(&spoken.voice, &lines, &must);
        for (at, (line, (overridden_by, same_as))) in lines.iter().zip(judged).enumerate() {
            let Origin { layer, path, line: number } = spoken.origin(at);
            let (text, line_id) = (line.text.to_owned(), spoken.line_id);
            let (line, must) = (number, must[at]);
            merged.push(EffectiveLine {
                text,
                layer,
                path,
                line_id,
                line,
                overridden_by,
                same_as,
                must,
            });
        }
    }
    let share = |it: &Expanded| FileShare {
        path: it.file.path.clone(),
        layer: it.file.layer,
        tokens: if it.counts() { it.tokens } else { 0 },
        same_as: it.file.same_as.clone(),
        refused: it.file.refused.clone(),
        imports: it.imports.clone(),
    };
    Effective { lines: merged, files: files.iter().map(share).collect(), tokens: by_layer(&voices) }
}

/// What one file or one added line says.
struct Spoken {
    voice: Voice,
    text: String,
    /// For each line of the text, the file it is of and its number there.
    places: Vec<(Option<String>, u32)>,
    line_id: Option<MemoryLineId>,
    tokens: u64,
}

impl Spoken {
    fn lines(&self) -> Vec<Line<'_>> {
        lines::lines(&self.text)
    }

    fn origin(&self, at: usize) -> Origin {
        let (path, line) = self.places.get(at).cloned().unwrap_or_default();
        Origin { layer: self.voice.layer, path, line }
    }
}

fn of_file(expanded: &Expanded) -> Spoken {
    let places = expanded.pieces.iter().flat_map(|piece| {
        let numbers = piece.line..;
        piece.text.lines().zip(numbers).map(|(_, line)| (Some(piece.path.clone()), line))
    });
    Spoken {
        voice: Voice { layer: expanded.file.layer, dir: expanded.file.dir.clone(), order: 0 },
        text: expanded.text(),
        places: places.collect(),
        line_id: None,
        tokens: expanded.tokens,
    }
}

fn of_line(line: &MemoryLine) -> Spoken {
    let text = super::clean(&line.text).into_owned();
    Spoken {
        voice: Voice { layer: line.layer(), dir: String::new(), order: 0 },
        places: text.lines().zip(1..).map(|(_, line)| (None, line)).collect(),
        tokens: tokens::estimate(&text),
        text,
        line_id: Some(line.id),
    }
}

fn by_layer(voices: &[Spoken]) -> Vec<LayerTokens> {
    let mut sums: Vec<LayerTokens> = Vec::new();
    for Spoken { voice, tokens, .. } in voices {
        match sums.last_mut() {
            Some(last) if last.layer == voice.layer => last.tokens += tokens,
            _ => sums.push(LayerTokens { layer: voice.layer, tokens: *tokens }),
        }
    }
    sums
}
