//! Carrying out a turn: compose, stream, keep what came, close.
//!
//! Text is shown at most [`SHOW_EVERY`] and durable at least [`KEEP_EVERY`]; a stop is noticed at once because the
//! stream is dropped between two chunks.

use std::time::Duration;

use futures_util::StreamExt;
use siltstone_contract::{Code, Failure, TurnEvent};
use siltstone_engine::message::{MessageStatus, Part, Seal, SealForm};
use siltstone_engine::ports::{ReplyStream, Stores, TurnClosing};
use siltstone_engine::provider::{Chunk, ModelRequest, ProviderError};
use siltstone_engine::summary::Moment;
use siltstone_engine::tokens;
use siltstone_engine::turn::{Turn, TurnFault, TurnStatus, Usage};
use siltstone_engine::wish::Wishes;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::attachments::bytes_of;
use crate::failure::Outcome;
use crate::summarising::Task;

/// At most about 30 events a second.
const SHOW_EVERY: Duration = Duration::from_millis(33);

/// The longest that streamed text is not durable.
const KEEP_EVERY: Duration = Duration::from_millis(250);

/// Streamed bytes that are made durable at once.
const KEEP_BYTES: usize = 2 * 1024;

/// How a stream ended.
enum End {
    Finished,
    Stopped,
    Failed(TurnFault),
}

/// A reply as it grows: everything, what watchers have not seen, and what is not durable.
#[derive(Default)]
struct Reply {
    text: String,
    reasoning: String,
    /// Where thoughts end in `reasoning`, and what the provider wants back with them.
    seals: Vec<(usize, SealForm, String)>,
    calls: Vec<Part>,
    usage: Option<Usage>,
    shown: (usize, usize),
    kept: usize,
}

impl App {
    /// Carries the turn out to its end, then sends what waits in the queue.
    pub(crate) async fn run(&self, turn: Turn, stop: CancellationToken) {
        let mut reply = Reply::default();
        let told = self.told_of_restore(&turn).await;
        self.session_asked(&turn).await;
        let opened = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            opened = self.open_stream(&turn) => Some(opened),
        };
        let mut wishes = Wishes::default();
        let end = match opened {
            None => End::Stopped,
            Some(Ok((stream, under))) => {
                wishes = under;
                self.read(&turn, stream, &stop, &mut reply).await
            }
            Some(Err(failure)) => End::Failed(fault_of(&failure)),
        };
        let finished = matches!(end, End::Finished);
        // A request that failed is sent again, without the same.
        if finished || !reply.text.is_empty() {
            self.wishes_answered(turn.conversation_id, &wishes);
        }
        let done = self.close(&turn, reply, end);
        self.0.contexts.end_run(turn.id);
        if finished {
            self.summarise(turn.conversation_id, Task::Due(Moment::TurnClosed));
        }
        let watchers = self.0.live.end(turn.conversation_id);
        if finished {
            self.session_answered(&turn).await;
            self.told(&turn, told).await;
            self.send_next(turn.conversation_id);
        }
        watchers.tell(done);
        self.conversation_changed(turn.conversation_id);
    }

    /// Asks; says under which wishes.
    async fn open_stream(&self, turn: &Turn) -> Result<(ReplyStream, Wishes), Failure> {
        let stores = self.stores()?;
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let provider = self.connect(&turn.provider, conversation.project_id, Some(turn.id)).await?;
        let request = self.compose_turn(turn, &conversation, provider.as_ref()).await?;
        let parts = request.sections.iter().flat_map(|section| &section.parts);
        let bytes = bytes_of(&stores, parts)?;
        if let Some(name) = bytes.gone.first() {
            return Err(Failure::new(Code::AttachmentMissing, format!("{name} is gone")));
        }
        let tuning = &conversation.tuning;
        stores.transcripts.set_manifest(turn.id, &request.manifest(tuning)).or_failure()?;
        self.expect_cost(&stores, turn, request.tokens)?;
        let asked = ModelRequest::of(&turn.model, request.sections, &self.language());
        let asked = ModelRequest { attached: bytes.found, ..asked.tuned(tuning) };
        Ok((provider.stream(asked), conversation.wishes))
    }

    async fn read(
        &self,
        turn: &Turn,
        mut stream: ReplyStream,
        stop: &CancellationToken,
        reply: &mut Reply,
    ) -> End {
        let Ok(stores) = self.stores() else {
            return End::Stopped;
        };
        let mut show = tokio::time::interval(SHOW_EVERY);
        show.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut kept_at = Instant::now();
        let mut finished = false;
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
                    Some(Ok(Chunk::Finished(_))) => finished = true,
                    Some(Ok(chunk)) => reply.add(chunk),
                    Some(Err(error)) => break End::Failed(fault_of_provider(&error)),
                    None if finished => break End::Finished,
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

    fn show(&self, turn: &Turn, reply: &mut Reply) {
        let (text, reasoning) = reply.shown;
        if text < reply.text.len() || reasoning < reply.reasoning.len() {
            self.0.live.add(
                turn.conversation_id,
                &reply.text[text..],
                &reply.reasoning[reasoning..],
            );
            reply.shown = (reply.text.len(), reply.reasoning.len());
        }
    }

    /// Makes the end durable; gives what watchers are told.
    fn close(&self, turn: &Turn, reply: Reply, end: End) -> TurnEvent {
        let (status, reply_status, fault) = match end {
            End::Finished => (TurnStatus::Completed, MessageStatus::Complete, None),
            End::Stopped => (TurnStatus::Interrupted, MessageStatus::Interrupted, None),
            // What came before the fault is worth continuing; without any text the turn simply failed.
            End::Failed(fault) if reply.text.is_empty() => {
                (TurnStatus::Failed, MessageStatus::Failed, Some(fault))
            }
            End::Failed(fault) => {
                (TurnStatus::Interrupted, MessageStatus::Interrupted, Some(fault))
            }
        };
        let tokens = tokens::estimate(&reply.text);
        let answered = tokens + tokens::estimate(&reply.reasoning);
        let stored = self.stores().and_then(|stores| {
            let (usage, cost) = self.settle(&stores, turn, status, reply.usage, answered)?;
            let closing = TurnClosing {
                turn_id: turn.id,
                status,
                reply_status,
                tokens,
                usage,
                cost,
                fault: fault.clone(),
                closed_at: self.now(),
                parts: reply.into_parts(&turn.model),
            };
            stores.transcripts.close_turn(&closing).or_failure()?;
            if let Some(usage) = usage.filter(|usage| usage.exact)
                && let Err(error) = self.learn(&stores, turn, &usage)
            {
                tracing::warn!(%error, "correcting the estimates");
            }
            self.count_closed(&stores, turn);
            Ok(usage)
        });
        let (status, usage, fault) = match stored {
            Ok(usage) => (reply_status, usage, fault),
            Err(failure) => {
                tracing::error!(%failure, "closing a turn");
                (MessageStatus::Failed, None, Some(fault_of(&failure)))
            }
        };
        TurnEvent::Done { reply_id: turn.reply_id, status, usage, fault }
    }
}

impl Reply {
    fn add(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::Text(text) => self.text.push_str(&text),
            Chunk::Reasoning(text) => self.reasoning.push_str(&text),
            Chunk::Seal(form, data) => self.seals.push((self.reasoning.len(), form, data)),
            Chunk::ToolCall { id, name, arguments, .. } => {
                self.calls.push(Part::ToolCall { id, name, arguments, seal: None });
            }
            Chunk::Usage(usage) => self.usage = Some(usage),
            Chunk::Finished(_) => {}
        }
    }

    fn unkept(&self) -> usize {
        self.text.len() - self.kept
    }

    fn into_parts(self, model: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for (end, form, data) in self.seals {
            let seal = Seal { model: model.to_owned(), form, data };
            let text = self.reasoning[begin..end].to_owned();
            parts.push(Part::Reasoning { text, seal: Some(seal) });
            begin = end;
        }
        if begin < self.reasoning.len() {
            parts.push(Part::Reasoning { text: self.reasoning[begin..].to_owned(), seal: None });
        }
        if !self.text.is_empty() {
            parts.push(Part::Text { text: self.text });
        }
        parts.extend(self.calls);
        parts
    }
}

fn keep(stores: &Stores, turn: &Turn, reply: &mut Reply) -> Result<(), Failure> {
    if reply.unkept() > 0 {
        stores.transcripts.append_partial(turn.id, &reply.text[reply.kept..]).or_failure()?;
        reply.kept = reply.text.len();
    }
    Ok(())
}

pub(crate) fn fault_of_provider(error: &ProviderError) -> TurnFault {
    TurnFault { code: error.code().to_owned(), message: error.to_string() }
}

pub(crate) fn fault_of(failure: &Failure) -> TurnFault {
    TurnFault { code: failure.code.name(), message: failure.message.clone() }
}
