//! What an embedder adds: stretches and questions become vectors, and what stands out as near in meaning is known to the
//! ranking as it is for a request. The person names the folder of a model.
//!
//! Vectors are kept under `target/vectors/`, by what they are of, because to make those of all chats takes minutes.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use siltstone_engine::meaning::{Compact, Embedder, Embedders, Purpose, asking, standings};
use siltstone_engine::recall::trial::{Data, Question, Strategy, Trial};
use siltstone_providers::Embeddings;

use super::scoring::Interval;
use super::{Case, among_five};
use crate::Outcome;

/// Texts of which vectors are made at a time.
const LOT: usize = 64;

/// Vectors of the stretches of conversations, and of the questions about them.
pub struct Meaning {
    stretches: HashMap<String, Vec<Vec<u8>>>,
    questions: HashMap<String, Compact>,
}

impl Meaning {
    /// Reads conversations and questions with the model that lies in a folder.
    pub fn of(data: &Data, folder: &str) -> Outcome<Self> {
        let mut maker = Maker::open(Path::new(folder))?;
        let mut stretches = HashMap::new();
        for chat in &data.conversations {
            let trial = Trial::of(chat);
            let texts: Vec<&str> = trial.stretches().map(str::trim).collect();
            let made = maker.vectors(&texts, Purpose::Passage)?;
            let made = made.iter().map(|it| it.as_ref().map_or_else(Vec::new, Compact::to_bytes));
            stretches.insert(chat.id.clone(), made.collect());
        }
        let texts: Vec<&str> = data.questions.iter().map(|it| asking(&it.question)).collect();
        let made = maker.vectors(&texts, Purpose::Question)?;
        let questions = data.questions.iter().zip(made);
        let questions = questions.filter_map(|(it, made)| Some((it.id.clone(), made?))).collect();
        Ok(Self { questions, stretches })
    }

    /// How far each stretch of its conversation stands out for a question.
    pub fn meant(&self, question: &Question) -> Vec<f32> {
        let (Some(asked), Some(stretches)) =
            (self.questions.get(&question.id), self.stretches.get(&question.conversation))
        else {
            return Vec::new();
        };
        standings(asked, stretches)
    }
}

/// Makes vectors, and keeps them.
struct Maker {
    embedder: Arc<dyn Embedder>,
    runtime: tokio::runtime::Runtime,
    file: PathBuf,
    kept: HashMap<[u8; 32], Option<Compact>>,
}

impl Maker {
    fn open(folder: &Path) -> Outcome<Self> {
        let (parent, name) = folder.parent().zip(folder.file_name()).ok_or("no folder")?;
        let name = name.to_string_lossy();
        let embedder = Embeddings::new(parent.to_path_buf()).open(&name)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let file = Path::new("target/vectors").join(&*name);
        let mut kept = HashMap::new();
        // Each: what it is of, how long it is, and it.
        let bytes = fs::read(&file).unwrap_or_default();
        let mut rest = bytes.as_slice();
        while let Some((key, behind)) = rest.split_first_chunk::<32>() {
            let (size, behind) = behind.split_first_chunk::<4>().ok_or("a torn file")?;
            let (vector, behind) =
                behind.split_at_checked(u32::from_le_bytes(*size) as usize).ok_or("a torn file")?;
            let figures: Vec<f32> =
                vector.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
            kept.insert(*key, Compact::of(&figures));
            rest = behind;
        }
        Ok(Self { embedder, runtime, file, kept })
    }

    fn vectors(&mut self, texts: &[&str], purpose: Purpose) -> Outcome<Vec<Option<Compact>>> {
        let key = |text: &str| *blake3::hash(format!("{purpose:?}{text}").as_bytes()).as_bytes();
        let mut missing: Vec<&str> =
            texts.iter().copied().filter(|text| !self.kept.contains_key(&key(text))).collect();
        // Texts of one length are read together at the least cost.
        missing.sort_by_key(|text| text.len());
        missing.dedup();
        for lot in missing.chunks(LOT) {
            let parts = lot.chunks(self.embedder.at_once()).map(|part| {
                let (embedder, part) = (self.embedder.clone(), part.iter());
                let part: Vec<String> = part.map(|it| (*it).to_owned()).collect();
                self.runtime.spawn(async move { embedder.embed(part, purpose).await })
            });
            let mut out = Vec::new();
            for (part, texts) in
                parts.collect::<Vec<_>>().into_iter().zip(lot.chunks(self.embedder.at_once()))
            {
                let made = self.runtime.block_on(part)??.vectors;
                for (text, vector) in texts.iter().zip(made) {
                    out.extend(key(text));
                    out.extend((vector.len() as u32 * 4).to_le_bytes());
                    out.extend(vector.iter().flat_map(|it| it.to_le_bytes()));
                    self.kept.insert(key(text), Compact::of(&vector));
                }
            }
            fs::create_dir_all(self.file.parent().ok_or("no folder")?)?;
            fs::OpenOptions::new().create(true).append(true).open(&self.file)?.write_all(&out)?;
        }
        Ok(texts.iter().map(|text| self.kept[&key(text)].clone()).collect())
    }
}

/// Recall@5 by words alone and with meaning, paired, of the same questions in the same order.
pub fn paired(title: &str, words: &[Case<'_>], both: &[Case<'_>]) -> Outcome<String> {
    let [words, both] = [words, both].map(|cases| among_five(Strategy::Recall, cases));
    let mut text = String::new();
    for (name, which) in
        [("", None), (", with a shared term", Some(true)), (", without", Some(false))]
    {
        let chosen = |it: &&(f64, bool)| which.is_none_or(|which| it.1 == which);
        let of = |all: &[(f64, bool)]| -> Vec<f64> {
            all.iter().filter(chosen).map(|it| it.0).collect()
        };
        let (words, both) = (of(&words), of(&both));
        let gains: Vec<f64> = both.iter().zip(&words).map(|(both, words)| both - words).collect();
        if gains.is_empty() {
            continue;
        }
        let (words, gain) = (Interval::of(&words), Interval::of(&gains).signed());
        let count = both.len();
        writeln!(text, "| {title}{name} | {count} | {words} | {} | {gain} |", Interval::of(&both))?;
    }
    Ok(text)
}
