//! The provider that needs no network and no model: answers by quoting what came with the question.
//!
//! Everything it may quote is in the request's sections; it reads nothing else. `question` says what is looked for,
//! `quote` finds and cuts the stretches, `answer` puts them together, `texts` holds the words around them. A quote is
//! never altered and no sentence about the project is ever made up.

mod answer;
mod question;
mod quote;
mod texts;

use std::time::Duration;

use futures_util::{StreamExt, stream};
use siltstone_engine::ports::{Asked, ModelProvider, ReplyStream};
use siltstone_engine::provider::{Chunk, FinishReason, ModelInfo, ModelRequest, OFFLINE};
use siltstone_engine::tokens;
use siltstone_engine::turn::Usage;

/// Pause between two chunks: fast enough not to bore, slow enough to be stopped.
pub(crate) const PACE: Duration = Duration::from_millis(12);

/// Words that are streamed at once.
const WORDS: usize = 3;

/// Tokens it takes in. It reads in no time; the number bounds what is fetched from the conversation for it.
const WINDOW: u64 = 32_768;

/// The offline model.
#[derive(Clone, Copy, Debug)]
pub struct Offline {
    pace: Duration,
}

impl Offline {
    /// Pauses this long before each chunk.
    pub fn with_pace(pace: Duration) -> Self {
        Self { pace }
    }
}

impl ModelProvider for Offline {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        Box::pin(async {
            Ok(vec![ModelInfo {
                context_window: Some(WINDOW),
                takes_images: Some(false),
                takes_files: Some(false),
                ..ModelInfo::named(OFFLINE)
            }])
        })
    }

    fn stream(&self, request: ModelRequest) -> ReplyStream {
        let pace = self.pace;
        let chunks = stream::once(async move {
            let text = answer::to(&request);
            let usage = Usage {
                input_tokens: request.sections.iter().map(|section| section.tokens).sum(),
                output_tokens: tokens::estimate(&text),
                ..Usage::default()
            };
            let mut chunks: Vec<Chunk> = shreds(&text).map(Chunk::Text).collect();
            chunks.push(Chunk::Usage(usage));
            chunks.push(Chunk::Finished(FinishReason::Stop));
            stream::iter(chunks)
        });
        let paced = chunks.flatten().then(move |chunk| async move {
            if matches!(chunk, Chunk::Text(_)) {
                tokio::time::sleep(pace).await;
            }
            Ok(chunk)
        });
        paced.boxed()
    }

    fn wants_passages(&self) -> bool {
        true
    }
}

/// `text` in pieces of a few words, with all its blanks.
fn shreds(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    words.chunks(WORDS).map(|words| words.concat()).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests;
