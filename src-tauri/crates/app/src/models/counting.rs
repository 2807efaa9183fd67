//! Exact counts of messages: made once for an encoding, off the path of whoever waits, and kept in their rows.
//!
//! Until they are made, and until the vocabulary is unpacked, composing goes by estimates; then the preview is told to
//! read again. Of a conversation one lot is counted at a time; what comes meanwhile is found by the next composing.
//! Key sentences are remembered beside them, because choosing those is what costs most and a key press seldom changes
//! what they are chosen from; and so is how each message reads, because a new message changes only itself.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use siltstone_contract::{Failure, Topic};
use siltstone_engine::compaction::summarise::Readings;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part};
use siltstone_engine::ports::Stores;
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::tokens::{Cache, Calibration, Count, Counter, Encoding, Scale};
use siltstone_engine::turn::Turn;

use crate::core::failure::Outcome;
use crate::core::locked;
use crate::models::ModelService;

/// Messages read at a time.
const BATCH: u64 = 64;

#[derive(Default)]
pub(crate) struct Counting {
    texts: Cache,
    unpacked: Mutex<HashSet<Encoding>>,
    busy: Mutex<HashSet<ConversationId>>,
    quoted: Mutex<Option<Quoted>>,
    readings: Mutex<Readings>,
}

/// How texts are counted.
type By = (Option<Encoding>, Calibration);

/// Key sentences, with all that they depend on.
struct Quoted {
    by: By,
    messages: Vec<Message>,
    limit: u64,
    text: String,
}

impl Counting {
    /// The encoding, if counting by it does not wait for its vocabulary.
    pub(crate) fn at_hand(&self, encoding: Option<Encoding>) -> Option<Encoding> {
        encoding.filter(|encoding| locked(&self.unpacked).contains(encoding))
    }

    /// Counts a text by this encoding, or estimates it without one.
    pub(crate) fn count(&self, encoding: Option<Encoding>, text: &str) -> Count {
        match encoding {
            Some(encoding) => self.texts.count(encoding, text),
            None => Counter::Script.count(text),
        }
    }

    /// Key sentences of messages in at most so many tokens on a scale that counts like this; those of the last time
    /// when nothing else is asked.
    pub(crate) fn extract(
        &self,
        by: By,
        messages: &[Message],
        limit: u64,
        scale: &Scale<'_>,
    ) -> String {
        if let Some(known) = &*locked(&self.quoted)
            && (known.by, known.limit) == (by, limit)
            && known.messages == messages
        {
            return known.text.clone();
        }
        let text =
            locked(&self.readings).extractive(messages, limit, |text| scale.text(text).tokens);
        let (messages, made) = (messages.to_vec(), text.clone());
        *locked(&self.quoted) = Some(Quoted { by, messages, limit, text: made });
        text
    }
}

/// Messages of the shown path before a place, newest first, as they weigh in a request; read in batches as they are asked
/// for. A reply that is still on its way belongs to no request.
pub(crate) struct Newest<'a> {
    before: u64,
    id: ConversationId,
    stores: &'a Stores,
    encoding: Option<Encoding>,
    scale: &'a Scale<'a>,
    cleaner: Cleaner<'a>,
    /// Oldest first.
    batch: Vec<(Message, Option<u64>)>,
    counted: HashSet<MessageId>,
    uncounted: Vec<Message>,
    failed: Option<Failure>,
}

impl<'a> Newest<'a> {
    pub(crate) fn before(
        before: u64,
        id: ConversationId,
        stores: &'a Stores,
        encoding: Option<Encoding>,
        scale: &'a Scale<'a>,
        cleaner: Cleaner<'a>,
    ) -> Self {
        let (batch, counted, uncounted) = Default::default();
        Self {
            before,
            id,
            stores,
            encoding,
            scale,
            cleaner,
            batch,
            counted,
            uncounted,
            failed: None,
        }
    }

    /// Which of the messages a tokenizer counted, and those that it has yet to count.
    pub(crate) fn done(self) -> Result<(HashSet<MessageId>, Vec<Message>), Failure> {
        self.failed.map_or(Ok((self.counted, self.uncounted)), Err)
    }

    fn weighed(&mut self, mut message: Message, counted: Option<u64>) -> Arc<Message> {
        let Count { tokens, exact } = self.scale.message(&message, counted);
        if exact {
            self.counted.insert(message.id);
        } else if self.encoding.is_some() && is_plain(&message) {
            self.uncounted.push(message.clone());
        }
        message.tokens = tokens;
        // Here, before anything is cut or chosen from: half a key is not recognised.
        if self.cleaner.message(&mut message) {
            self.counted.remove(&message.id);
            message.tokens = self.scale.message(&message, None).tokens;
        }
        Arc::new(message)
    }
}

impl Iterator for Newest<'_> {
    type Item = Arc<Message>;

    fn next(&mut self) -> Option<Arc<Message>> {
        loop {
            match self.batch.pop() {
                Some((message, _)) if message.status == MessageStatus::Streaming => {}
                Some((message, counted)) => return Some(self.weighed(message, counted)),
                None if self.before == 0 => return None,
                None => {
                    let places = self.before.saturating_sub(BATCH)..self.before;
                    self.before = places.start;
                    let read = self.stores.transcripts.counted(self.id, places, self.encoding);
                    self.batch = read.or_failure().unwrap_or_else(|failure| {
                        self.before = 0;
                        self.failed = Some(failure);
                        Vec::new()
                    });
                }
            }
        }
    }
}

/// Whether all that a model gets of a message is its text.
pub(crate) fn is_plain(message: &Message) -> bool {
    let plain = |part: &Part| {
        matches!(part, Part::Text { .. } | Part::Pasted { .. } | Part::Reasoning { seal: None, .. })
    };
    message.parts.iter().all(plain)
}

impl ModelService {
    /// Counts the question and the reply of a turn that has ended, where its model's encoding is public.
    pub(crate) fn count_closed(&self, stores: &Stores, turn: &Turn) {
        let Some(encoding) = Encoding::of_model(&turn.model) else { return };
        let said = [turn.user_message_id, turn.reply_id].into_iter();
        let said = said.filter_map(|id| stores.transcripts.message(id).ok());
        self.count_later(turn.conversation_id, encoding, said.map(|found| found.message).collect());
    }

    /// Counts these messages of a conversation in the background.
    pub(crate) fn count_later(&self, id: ConversationId, encoding: Encoding, of: Vec<Message>) {
        if !locked(&self.counting.busy).insert(id) {
            return;
        }
        let this = self.clone();
        tokio::task::spawn_blocking(move || {
            // An empty text unpacks the vocabulary where there is nothing else to count.
            Counter::Exact(encoding).count("");
            let exact = |message: &Message| {
                let count = Counter::Exact(encoding).count(&message.text());
                count.exact.then_some((message.id, count.tokens))
            };
            let counts: Vec<(MessageId, u64)> =
                of.iter().filter(|message| is_plain(message)).filter_map(exact).collect();
            let counting = &this.counting;
            let kept = this
                .core
                .stores()
                .and_then(|stores| stores.transcripts.put_counts(encoding, &counts).or_failure());
            let first = locked(&counting.unpacked).insert(encoding);
            locked(&counting.busy).remove(&id);
            match kept {
                Ok(()) if first || !counts.is_empty() => this.core.changed([Topic::Context]),
                Ok(()) => {}
                Err(failure) => tracing::warn!(%failure, "keeping the counts of messages"),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use siltstone_engine::Timestamp;
    use siltstone_engine::compaction::summarise::extractive;
    use siltstone_engine::message::Role;

    use super::*;

    fn message(index: u64) -> Message {
        let text = format!("Module {index} must keep port {index}5.");
        Message {
            id: MessageId::new(Timestamp::UNIX_EPOCH),
            conversation_id: ConversationId::new(Timestamp::UNIX_EPOCH),
            parent_id: None,
            turn_id: None,
            index,
            role: Role::User,
            parts: vec![Part::Text { text }],
            status: MessageStatus::Complete,
            model: None,
            tokens: 9,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn key_sentences_are_chosen_again_when_and_only_when_something_else_is_asked() {
        let counting = Counting::default();
        let asked = Cell::new(0);
        let count = |text: &str| {
            asked.set(asked.get() + 1);
            Counter::Script.count(text)
        };
        let known = Calibration::default();
        let scale = Scale::new(&count, known);
        let messages: Vec<Message> = (0..9).map(message).collect();
        let mut redacted = messages.clone();
        redacted[4].parts = vec![Part::Text { text: "It is [redacted: password].".into() }];
        let other = (Some(Encoding::O200k), known.observe(100, 120));
        let questions = [
            ((None, known), &messages[..], 40),
            ((None, known), &messages[1..], 40),
            ((None, known), &redacted, 40),
            ((None, known), &redacted, 20),
            ((other.0, known), &redacted, 20),
            ((other.0, other.1), &redacted, 20),
        ];
        for (by, messages, limit) in questions {
            asked.set(0);
            let text = counting.extract(by, messages, limit, &scale);
            assert_eq!(text, extractive(messages, limit, |text| scale.text(text).tokens));
            assert_eq!(asked.get(), 2 * messages.len(), "{by:?}, {limit}");
            assert_eq!(counting.extract(by, messages, limit, &scale), text);
            assert_eq!(asked.get(), 2 * messages.len(), "chosen once");
        }
    }
}
