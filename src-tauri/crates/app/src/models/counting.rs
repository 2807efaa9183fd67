//! Exact counts of messages: made once for an encoding, off the path of whoever waits, and kept in their rows.
//!
//! Until they are made, and until the vocabulary is unpacked, composing goes by estimates; then the preview is told to
//! read again. Of a conversation one lot is counted at a time; what comes meanwhile is found by the next composing.
//! Key sentences are remembered beside them, because choosing those is what costs most and a key press seldom changes
//! what they are chosen from; and so is how each message reads, because a new message changes only itself.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, Weak};

use siltstone_contract::{Failure, Topic};
use siltstone_engine::compaction::summarise::Readings;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part};
use siltstone_engine::ports::{Stores, Transcripts};
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::tokens::{Cache, Calibration, Count, Counter, Encoding, Scale};
use siltstone_engine::turn::Turn;

use crate::core::failure::Outcome;
use crate::core::locked;
use crate::models::ModelService;

/// Messages read at a time.
const BATCH: u64 = 64;

/// Lots that are remembered: as many messages as the largest window has, and then some.
const MOST_LOTS: usize = 256;

#[derive(Default)]
pub(crate) struct Counting {
    texts: Cache,
    unpacked: Mutex<HashSet<Encoding>>,
    busy: Mutex<HashSet<ConversationId>>,
    recent: Mutex<Recent>,
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

/// How the messages of a path are read for a request.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) counting: &'a Counting,
    pub(crate) stores: &'a Stores,
    pub(crate) id: ConversationId,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) scale: &'a Scale<'a>,
    pub(crate) cleaner: Cleaner<'a>,
    /// What was remembered of is as it was for as long as this stays the same; `None` where nothing tells.
    pub(crate) state: Option<i64>,
}

/// A message as it weighs in a request.
#[derive(Clone)]
struct Weighed {
    message: Arc<Message>,
    /// A tokenizer counted it.
    exact: bool,
    /// What a tokenizer has yet to count of it: itself, before secrets were taken out.
    uncounted: Option<Arc<Message>>,
}

/// Messages of aligned places, oldest first.
type Lot = Arc<Vec<Weighed>>;

/// Of what a path was read: of which store in which state, and how it weighs and is cleaned.
struct Of {
    store: Weak<dyn Transcripts>,
    rest: (i64, ConversationId, By, bool),
}

impl PartialEq for Of {
    fn eq(&self, other: &Self) -> bool {
        // Another store, as after a restore, may be in a state of the same number.
        self.store.ptr_eq(&other.store) && self.rest == other.rest
    }
}

/// The path that was read last, as it weighs: a request is composed at every key press, and most of it is the same.
#[derive(Default)]
struct Recent {
    of: Option<Of>,
    lots: HashMap<u64, Lot>,
}

impl<'a> Reading<'a> {
    /// Messages before a place, newest first.
    pub(crate) fn before(self, before: u64) -> Newest<'a> {
        let (lot, counted, uncounted) = Default::default();
        Newest { reading: self, before, lot, left: 0, counted, uncounted, failed: None }
    }

    /// The messages of the lot in which a place is.
    fn lot(&self, place: u64) -> Result<Lot, Failure> {
        let number = place / BATCH;
        let by = (self.encoding, self.scale.calibration());
        let of = self.state.map(|state| Of {
            store: Arc::downgrade(&self.stores.transcripts),
            rest: (state, self.id, by, self.cleaner.is_on()),
        });
        {
            let mut recent = locked(&self.counting.recent);
            if recent.of != of || recent.lots.len() >= MOST_LOTS {
                *recent = Recent::default();
            }
            if let Some(lot) = recent.lots.get(&number) {
                return Ok(lot.clone());
            }
        }
        let places = number * BATCH..(number + 1) * BATCH;
        let read = self.stores.transcripts.counted(self.id, places, self.encoding).or_failure()?;
        let whole = read.into_iter().filter(|(it, _)| it.status != MessageStatus::Streaming);
        let lot: Vec<Weighed> = whole.map(|(it, counted)| self.weighed(it, counted)).collect();
        let lot = Arc::new(lot);
        if let Some(of) = of {
            let mut recent = locked(&self.counting.recent);
            if recent.of.as_ref().is_none_or(|it| *it == of) {
                recent.of = Some(of);
                recent.lots.insert(number, lot.clone());
            }
        }
        Ok(lot)
    }

    fn weighed(&self, mut message: Message, counted: Option<u64>) -> Weighed {
        let Count { tokens, mut exact } = self.scale.message(&message, counted);
        let has_to_be = !exact && self.encoding.is_some() && is_plain(&message);
        let mut uncounted = has_to_be.then(|| Arc::new(message.clone()));
        message.tokens = tokens;
        // Here, before anything is cut or chosen from: half a key is not recognised.
        let is_changed = self.cleaner.message(&mut message);
        if is_changed {
            exact = false;
            message.tokens = self.scale.message(&message, None).tokens;
        }
        let message = Arc::new(message);
        if !is_changed {
            uncounted = uncounted.map(|_| message.clone());
        }
        Weighed { message, exact, uncounted }
    }
}

/// Messages of the shown path before a place, newest first, as they weigh in a request; read in lots as they are asked
/// for. A reply that is still on its way belongs to no request.
pub(crate) struct Newest<'a> {
    reading: Reading<'a>,
    /// Places from here on were told, or are none of it.
    before: u64,
    lot: Lot,
    /// How many of the lot are left to tell.
    left: usize,
    counted: HashSet<MessageId>,
    uncounted: Vec<Arc<Message>>,
    failed: Option<Failure>,
}

impl Newest<'_> {
    /// Which of the messages a tokenizer counted, and those that it has yet to count.
    pub(crate) fn done(self) -> Result<(HashSet<MessageId>, Vec<Arc<Message>>), Failure> {
        self.failed.map_or(Ok((self.counted, self.uncounted)), Err)
    }
}

impl Iterator for Newest<'_> {
    type Item = Arc<Message>;

    fn next(&mut self) -> Option<Arc<Message>> {
        while self.left == 0 {
            let place = self.before.checked_sub(1)?;
            self.lot = self.reading.lot(place).unwrap_or_else(|failure| {
                self.failed = Some(failure);
                Lot::default()
            });
            self.left = self.lot.partition_point(|it| it.message.index < self.before);
            // What comes next is in the lot before this one.
            self.before = if self.failed.is_some() { 0 } else { place / BATCH * BATCH };
        }
        self.left -= 1;
        let Weighed { message, exact, uncounted } = &self.lot[self.left];
        if *exact {
            self.counted.insert(message.id);
        }
        self.uncounted.extend(uncounted.clone());
        Some(message.clone())
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
        self.count_later(
            turn.conversation_id,
            encoding,
            said.map(|found| Arc::new(found.message)).collect(),
        );
    }

    /// Counts these messages of a conversation in the background.
    pub(crate) fn count_later(
        &self,
        id: ConversationId,
        encoding: Encoding,
        of: Vec<Arc<Message>>,
    ) {
        if !locked(&self.counting.busy).insert(id) {
            return;
        }
        let this = self.clone();
        tokio::task::spawn_blocking(move || {
            // An empty text unpacks the vocabulary where there is nothing else to count.
            Counter::Exact(encoding).count("");
            let exact = |message: &Arc<Message>| {
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
