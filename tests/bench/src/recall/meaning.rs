//! What an embedder adds on the project's own chats: messages and questions become vectors, and what stands out as near in
//! meaning is lifted as it is for a request. The person names the folder of a model; none comes with the project.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use siltstone_engine::meaning::{Compact, Embedder, Embedders, Purpose, pieces, standing};
use siltstone_engine::recall::Ranked;
use siltstone_providers::Embeddings;

use super::scoring::{Interval, mean};
use super::{Case, cases, chats, training};
use crate::Outcome;

/// Messages that count.
const FIRST: usize = 5;

/// The strata of the questions of a language: all, those that share a term with a message that answers, the others.
#[derive(Default)]
struct Strata([Pairs; 3]);

/// A question each: the share of what answers that is among the first, by words alone and with meaning.
#[derive(Default)]
struct Pairs {
    words: Vec<f64>,
    both: Vec<f64>,
}

/// Recall@5 of the own chats with a model that lies in a folder.
pub fn table(folder: &str) -> Outcome<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measured(folder))
}

async fn measured(folder: &str) -> Outcome<String> {
    let path = Path::new(folder);
    let (parent, name) = path.parent().zip(path.file_name()).ok_or("no folder of a model")?;
    let embedder = Embeddings::new(parent.to_path_buf()).open(&name.to_string_lossy())?;
    let own = chats::own()?;
    let unseen = training::unseen(&own);
    let mut text = String::from(
        "| recall@5 | questions | words | and meaning | paired |\n|---|---:|---:|---:|---:|\n",
    );
    for (language, prefix) in [("Korean", "ko-"), ("English", "en-")] {
        let weights = |id: &str| {
            unseen.iter().find(|it| it.0 == id).map(|it| it.1.clone()).unwrap_or_default()
        };
        let mut strata = Strata::default();
        for case in &cases(&own, |id| id.starts_with(prefix), weights) {
            strata.add(case, &*embedder).await?;
        }
        for (title, Pairs { words, both }) in
            ["", ", with a shared term", ", without"].iter().zip(&strata.0)
        {
            let gains: Vec<f64> =
                both.iter().zip(words).map(|(both, words)| both - words).collect();
            let (count, words, both) = (words.len(), Interval::of(words), Interval::of(both));
            let gain = Interval::of(&gains).signed();
            writeln!(text, "| {language}{title} | {count} | {words} | {both} | {gain} |")?;
        }
    }
    Ok(text)
}

impl Strata {
    async fn add(&mut self, case: &Case<'_>, embedder: &dyn Embedder) -> Outcome<()> {
        let mut passages = Vec::new();
        for place in 0..case.trial.index.messages() {
            let parts = pieces(case.trial.text(place)).into_iter().map(str::to_owned).collect();
            passages.push(vectors(embedder, parts, Purpose::Passage).await?);
        }
        for question in &case.questions {
            let asked =
                vectors(embedder, vec![question.question.clone()], Purpose::Question).await?;
            let asked = asked.first().ok_or("a question without a direction")?;
            let nearest = passages.iter().enumerate().filter_map(|(place, parts)| {
                let near = parts.iter().filter_map(|part| asked.nearness(&part.to_bytes()));
                near.reduce(f32::max).map(|near| (place, near))
            });
            let near = standing(&nearest.collect::<Vec<_>>());
            let right: Vec<usize> =
                question.evidence.iter().filter_map(|id| case.trial.place(id)).collect();
            let share = |ranked: &[Ranked]| {
                let mut first = case.trial.messages_of(ranked);
                first.truncate(FIRST);
                mean(
                    &right
                        .iter()
                        .map(|it| f64::from(u8::from(first.contains(it))))
                        .collect::<Vec<_>>(),
                )
            };
            let words = share(&case.trial.ranked(&question.question, &case.model));
            let both = share(&case.trial.ranked_near(&question.question, &case.model, &near));
            let sharing: HashSet<usize> =
                case.trial.index.bm25(&question.question).into_iter().map(|it| it.0).collect();
            let stratum = if right.iter().any(|it| sharing.contains(it)) { 1 } else { 2 };
            for at in [0, stratum] {
                self.0[at].words.push(words);
                self.0[at].both.push(both);
            }
        }
        Ok(())
    }
}

/// The directions of some texts.
async fn vectors(
    embedder: &dyn Embedder,
    texts: Vec<String>,
    purpose: Purpose,
) -> Outcome<Vec<Compact>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let made = embedder.embed(texts, purpose).await?;
    Ok(made.vectors.iter().filter_map(|vector| Compact::of(vector)).collect())
}
