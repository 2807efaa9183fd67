//! A static model: a vector for each piece of a word, and a text means their average. The vectors stay in the file and
//! are read as they are needed: a vocabulary of many languages takes half a gigabyte.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use siltstone_engine::meaning::Purpose;
use siltstone_engine::provider::ProviderError;

use super::half::half;
use super::pieces::Pieces;
use super::{Model, not_read, unreadable};

/// Bytes of the head of a file of tensors at most.
const HEAD: u64 = 16 << 20;

/// A tensor as the head of the file describes it.
#[derive(Debug, Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

/// A static model.
pub(super) struct Static {
    pieces: Pieces,
    file: Mutex<File>,
    vectors: Vectors,
    /// What a piece counts, where the file says so.
    weights: Option<Vec<f32>>,
    /// Which vector a piece has, where several share one.
    shared: Option<Vec<f32>>,
}

/// Where the vectors lie in the file.
struct Vectors {
    at: u64,
    rows: usize,
    width: usize,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Double,
    Single,
    Half,
    Byte,
    Long,
    Whole,
}

impl Form {
    fn of(name: &str) -> Result<Self, ProviderError> {
        Ok(match name {
            "F64" => Self::Double,
            "F32" => Self::Single,
            "F16" => Self::Half,
            "I8" => Self::Byte,
            "I64" => Self::Long,
            "I32" => Self::Whole,
            other => return Err(unreadable(&format!("its numbers of {other} are not known here"))),
        })
    }

    fn size(self) -> usize {
        match self {
            Self::Double | Self::Long => 8,
            Self::Single | Self::Whole => 4,
            Self::Half => 2,
            Self::Byte => 1,
        }
    }

    fn figures(self, bytes: &[u8]) -> Vec<f32> {
        match self {
            Self::Double => {
                bytes.as_chunks().0.iter().map(|it| f64::from_le_bytes(*it) as f32).collect()
            }
            Self::Single => bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect(),
            Self::Half => bytes.as_chunks().0.iter().map(|it| half(*it)).collect(),
            Self::Byte => bytes.iter().map(|it| f32::from(it.cast_signed())).collect(),
            Self::Long => {
                bytes.as_chunks().0.iter().map(|it| i64::from_le_bytes(*it) as f32).collect()
            }
            Self::Whole => {
                bytes.as_chunks().0.iter().map(|it| i32::from_le_bytes(*it) as f32).collect()
            }
        }
    }
}

impl Static {
    /// Reads the tokenizer, and of the tensors all but the vectors.
    pub(super) fn open(tokenizer: &Path, tensors: &Path) -> Result<Self, ProviderError> {
        let json = fs::read_to_string(tokenizer).map_err(|error| not_read(tokenizer, &error))?;
        let pieces = Pieces::read(&json)?;
        let mut file = File::open(tensors).map_err(|error| not_read(tensors, &error))?;
        let (heads, begin) = head(&mut file)?;
        let all = file.metadata().map_err(|error| not_read(tensors, &error))?.len();
        let place = |tensor: &Tensor| -> Result<Range<u64>, ProviderError> {
            let [from, to] = tensor.data_offsets;
            let place = begin.checked_add(from).zip(begin.checked_add(to));
            let place = place.filter(|(from, to)| from <= to && *to <= all);
            place
                .map(|(from, to)| from..to)
                .ok_or_else(|| unreadable("a tensor lies outside of it"))
        };
        let vectors = ["embeddings", "embedding.weight"].iter().find_map(|name| heads.get(*name));
        let vectors = vectors.ok_or_else(|| unreadable("it has no vectors"))?;
        let (at, form) = (place(vectors)?, Form::of(&vectors.dtype)?);
        let &[rows, width] = vectors.shape.as_slice() else {
            return Err(unreadable("its vectors are no table"));
        };
        let size = rows.checked_mul(width).and_then(|count| count.checked_mul(form.size()));
        if width == 0 || width > 8_192 || size.map(|it| it as u64) != Some(at.end - at.start) {
            return Err(unreadable("its vectors are not of the size it says"));
        }
        let vectors = Vectors { at: at.start, rows, width, form };
        let mut list = |name: &str| -> Result<Option<Vec<f32>>, ProviderError> {
            let Some(tensor) = heads.get(name) else { return Ok(None) };
            let place = place(tensor)?;
            let bytes = read(&mut file, place.start, (place.end - place.start) as usize)?;
            Ok(Some(Form::of(&tensor.dtype)?.figures(&bytes)))
        };
        let (weights, shared) = (list("weights")?, list("mapping")?);
        Ok(Self { pieces, file: Mutex::new(file), vectors, weights, shared })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, ProviderError> {
        let mut counts: HashMap<u32, u16> = HashMap::new();
        for number in self.pieces.of(text) {
            let count = counts.entry(number).or_default();
            *count = count.saturating_add(1);
        }
        let mut sum = vec![0.0; self.vectors.width];
        let mut sorted: Vec<(u32, u16)> = counts.into_iter().collect();
        // In the order of the file, and so that the same text always gives the same vector.
        sorted.sort_unstable();
        for (number, count) in sorted {
            let number = number as usize;
            let row = self
                .shared
                .as_ref()
                .map_or(Some(number), |it| it.get(number).map(|row| *row as usize));
            let Some(row) = row.filter(|row| *row < self.vectors.rows) else { continue };
            let weight =
                self.weights.as_ref().and_then(|it| it.get(number)).copied().unwrap_or(1.0);
            let weight = weight * f32::from(count);
            sum.iter_mut().zip(self.row(row)?).for_each(|(sum, it)| *sum += weight * it);
        }
        Ok(sum)
    }

    fn row(&self, row: usize) -> Result<Vec<f32>, ProviderError> {
        let Vectors { at, width, form, .. } = self.vectors;
        let size = width * form.size();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(form.figures(&read(&mut file, at + (row * size) as u64, size)?))
    }
}

impl Model for Static {
    fn vectors(&self, texts: &[String], _: Purpose) -> Result<Vec<Vec<f32>>, ProviderError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }
}

fn read(file: &mut File, at: u64, count: usize) -> Result<Vec<u8>, ProviderError> {
    let mut bytes = vec![0; count];
    let done = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
    done.map_err(|error| unreadable(&error.to_string()))?;
    Ok(bytes)
}

/// What the file holds, and where that begins.
fn head(file: &mut File) -> Result<(HashMap<String, Tensor>, u64), ProviderError> {
    let bytes = read(file, 0, 8)?;
    let length = bytes.as_chunks().0.first().map_or(0, |it| u64::from_le_bytes(*it));
    if length > HEAD {
        return Err(unreadable("its head is too long"));
    }
    let json = read(file, 8, length as usize)?;
    let all: HashMap<String, serde_json::Value> =
        serde_json::from_slice(&json).map_err(|error| unreadable(&error.to_string()))?;
    let tensors = all.into_iter().filter(|(name, _)| name != "__metadata__");
    let tensors = tensors.map(|(name, about)| Ok((name, serde_json::from_value(about)?)));
    let tensors = tensors.collect::<Result<_, serde_json::Error>>();
    Ok((tensors.map_err(|error| unreadable(&error.to_string()))?, length + 8))
}
