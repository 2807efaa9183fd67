//! One call of the model: its stream read to the end, shown at most [`SHOW_EVERY`] and durable at least [`KEEP_EVERY`]. A
//! stop is noticed at once because the stream is dropped between two chunks.

use std::time::Duration;

use futures_util::StreamExt;
use siltstone_contract::{Code, Failure};
use siltstone_engine::message::{Part, Seal, SealForm};
use siltstone_engine::ports::{ReplyStream, Stores};
use siltstone_engine::provider::{Chunk, FinishReason, ProviderError};
use siltstone_engine::turn::{Turn, TurnFault, Usage};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::End;
use crate::core::failure::{Outcome, fault, fault_of, fault_of_provider};
use crate::turns::TurnService;

/// At most about 30 events a second.
pub(super) const SHOW_EVERY: Duration = Duration::from_millis(33);

/// The longest that streamed text is not durable.
pub(super) const KEEP_EVERY: Duration = Duration::from_millis(250);

/// Streamed bytes that are made durable at once.
pub(super) const KEEP_BYTES: usize = 2 * 1024;

/// A reply as it grows: everything, what watchers have not seen, and what is not durable.
#[derive(Default)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// Where thoughts end in `reasoning`, and what the provider wants back with them.
    seals: Vec<(usize, SealForm, String)>,
    calls: Vec<Part>,
    pub(super) usage: Option<Usage>,
    /// Why the model came to its end.
    pub(super) finish: Option<FinishReason>,
    shown: (usize, usize),
    kept: usize,
}

impl TurnService {
    pub(super) async fn read(
        &self,
        turn: &Turn,
        mut stream: ReplyStream,
        stop: &CancellationToken,
        reply: &mut Reply,
    ) -> End {
        let Ok(stores) = self.core.stores() else {
            return End::Stopped;
        };
        let mut show = tokio::time::interval(SHOW_EVERY);
        show.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut kept_at = Instant::now();
        let end = loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break End::Stopped,
                _ = show.tick() => {
                    self.show(turn, reply);
                    if kept_at.elapsed() >= KEEP_EVERY || reply.unkept() >= KEEP_BYTES {
                        if let Err(failure) = keep(&stores, turn, reply) {
                            break End::Failed(fault_of(&failure));
                        }
                        kept_at = Instant::now();
                    }
                }
                chunk = stream.next() => match chunk {
                    Some(Ok(chunk)) => reply.add(chunk, &turn.model),
                    Some(Err(error)) => {
                        self.models.learn_window(turn, &error);
                        break End::Failed(fault_of_provider(&error));
                    }
                    None if reply.finish.is_some() => break End::Finished,
                    None => {
                        let cut = ProviderError::Cut { detail: "the stream ended early".into() };
                        break End::Failed(fault_of_provider(&cut));
                    }
                },
            }
        };
        self.show(turn, reply);
        end
    }

    pub(super) fn show(&self, turn: &Turn, reply: &mut Reply) {
        let (text, reasoning) = reply.shown;
        if text < reply.text.len() || reasoning < reply.reasoning.len() {
            self.core.live.add(
                turn.conversation_id,
                &reply.text[text..],
                &reply.reasoning[reasoning..],
            );
            reply.shown = (reply.text.len(), reply.reasoning.len());
        }
    }
}

impl Reply {
    pub(super) fn add(&mut self, chunk: Chunk, model: &str) {
        match chunk {
            Chunk::Text(text) => self.text.push_str(&text),
            Chunk::Reasoning(text) => self.reasoning.push_str(&text),
            Chunk::Seal(form, data) => self.seals.push((self.reasoning.len(), form, data)),
            Chunk::ToolCall { id, name, arguments, seal } => {
                let seal = seal.map(|data| Seal {
                    model: model.to_owned(),
                    form: SealForm::Signature,
                    data,
                });
                self.calls.push(Part::ToolCall { id, name, arguments, seal });
            }
            Chunk::Usage(usage) => self.usage = Some(usage),
            Chunk::Finished(reason) => self.finish = Some(reason),
        }
    }

    /// The calls, in order.
    pub(super) fn calls(&self) -> &[Part] {
        &self.calls
    }

    /// Whether nothing came that can be read.
    pub(super) fn is_silent(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether nothing came.
    pub(super) fn is_empty(&self) -> bool {
        self.is_silent() && self.calls.is_empty()
    }

    /// Why this is less than a whole answer, where the model came to its end all the same.
    pub(super) fn shortfall(&self) -> Option<TurnFault> {
        let (code, message) = match self.finish? {
            FinishReason::Length => {
                (Code::ReplyFull, "the reply has as many tokens as it may have")
            }
            FinishReason::Filtered => (Code::ReplyWithheld, "the provider withheld what was left"),
            FinishReason::Stop | FinishReason::ToolCalls if self.is_empty() => {
                (Code::ReplyEmpty, "it ended without a word")
            }
            FinishReason::Stop | FinishReason::ToolCalls => return None,
        };
        Some(fault(code, message))
    }

    pub(super) fn unkept(&self) -> usize {
        self.text.len() - self.kept
    }

    pub(super) fn parts(&self, model: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for (end, form, data) in &self.seals {
            let seal = Seal { model: model.to_owned(), form: *form, data: data.clone() };
            let text = self.reasoning[begin..*end].to_owned();
            parts.push(Part::Reasoning { text, seal: Some(seal) });
            begin = *end;
        }
        if begin < self.reasoning.len() {
            parts.push(Part::Reasoning { text: self.reasoning[begin..].to_owned(), seal: None });
        }
        if !self.text.is_empty() {
            parts.push(Part::Text { text: self.text.clone() });
        }
        parts.extend(self.calls.iter().cloned());
        parts
    }
}

pub(super) fn keep(stores: &Stores, turn: &Turn, reply: &mut Reply) -> Result<(), Failure> {
    if reply.unkept() > 0 {
        stores.transcripts.append_partial(turn.id, &reply.text[reply.kept..]).or_failure()?;
        reply.kept = reply.text.len();
    }
    Ok(())
}
