//! Semantic summary (behaviour.md, Compaction): when, of what, and what must not get lost on the way.
//!
//! The design's interface has three parts. [`should_summarise`] is its trigger and [`key_information`] what it preserves;
//! its `summarize` is [`extractive`] without a model. [`missing`] finds what a model's summary lost of it.

use std::collections::{HashMap, HashSet};

use crate::density::{Sentence, sentences};
use crate::ids::MessageId;
use crate::message::{Message, Part};
pub use crate::prose::KeyKind;
use crate::prose::{self, Block, KEY, Said, choose, kind};
use crate::search::telling_words;

/// A sentence that a summary has to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// Place of the message that says it.
    pub message: usize,
    /// Why it matters.
    pub kind: KeyKind,
    /// The sentence, word for word.
    pub text: String,
}

/// Whether a summary is due: `tokens` are over `limit`.
pub fn should_summarise(tokens: u64, limit: u64) -> bool {
    tokens > limit
}

/// The sentences of these messages that a summary has to keep, in order: what was demanded, what was settled and what
/// went wrong. A failed tool's answer counts by its first line.
pub fn key_information(messages: &[Message]) -> Vec<KeyInfo> {
    let mut found = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let text = message.text();
        let said = sentences(&text).into_iter().filter_map(|said| Some((kind(&said)?, said.text)));
        let failed = failures(message).map(|text| (KeyKind::Error, text));
        let info =
            |(kind, text): (_, &str)| KeyInfo { message: place, kind, text: text.to_owned() };
        found.extend(said.chain(failed).map(info));
    }
    found
}

/// What failed tools answered, by its first line.
fn failures(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult { text, is_error: true, .. } => text.trim().lines().next(),
        _ => None,
    })
}

/// A summary of at most `limit` tokens, as `count` finds them: sentences of the messages as clean prose, in their order,
/// key information and then the densest first.
pub fn extractive(messages: &[Message], limit: u64, count: impl Fn(&str) -> u64) -> String {
    Readings::default().extractive(messages, limit, count)
}

/// How messages read, for [`extractive`] summaries that follow each other: of one that follows a new message, only that
/// one is read.
#[derive(Debug, Default)]
pub struct Readings {
    of: HashMap<MessageId, Read>,
    round: u64,
}

/// Rounds after which a message that nobody asked for is forgotten: a request asks twice.
const ROUNDS: u64 = 4;

/// A message as it was read.
#[derive(Debug)]
struct Read {
    parts: Vec<Part>,
    said: Vec<Said>,
    round: u64,
}

impl Read {
    fn of(message: &Message) -> Self {
        let weight = |said: &Sentence<'_>| if kind(said).is_some() { KEY } else { 1.0 };
        let failed = failures(message).map(prose::plain);
        let failed = failed.map(|text| Block { text, head: false, under: None });
        let failed = failed.map(|block| Said::of(&block, |_| KEY));
        let said = prose::blocks_of(message).into_iter();
        let said = said.map(|block| Said::of(&block, weight));
        Self { parts: message.parts.clone(), said: said.chain(failed).collect(), round: 0 }
    }
}

impl Readings {
    /// The same as [`extractive`].
    pub fn extractive(
        &mut self,
        messages: &[Message],
        limit: u64,
        count: impl Fn(&str) -> u64,
    ) -> String {
        self.read(messages);
        let read = messages.iter().filter_map(|message| self.of.get(&message.id));
        let lines = choose(read.map(|read| read.said.as_slice()), limit, &mut |text| count(text));
        lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
    }

    /// Reads what is not read yet; how many messages that were.
    fn read(&mut self, messages: &[Message]) -> usize {
        self.round += 1;
        let mut anew = 0;
        for message in messages {
            let known = self.of.get_mut(&message.id).filter(|known| known.parts == message.parts);
            match known {
                Some(known) => known.round = self.round,
                None => {
                    anew += 1;
                    let read = Read { round: self.round, ..Read::of(message) };
                    self.of.insert(message.id, read);
                }
            }
        }
        let oldest = self.round.saturating_sub(ROUNDS);
        self.of.retain(|_, known| known.round >= oldest);
        anew
    }
}

/// Key information that a model's summary has lost: less than half of its telling words are there.
pub fn missing<'a>(summary: &str, key: &'a [KeyInfo]) -> Vec<&'a KeyInfo> {
    let kept: HashSet<String> = telling_words(summary).collect();
    key.iter()
        .filter(|info| {
            let words: Vec<String> = telling_words(&info.text).collect();
            let there = words.iter().filter(|word| kept.contains(*word)).count();
            there * 2 < words.len()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::ids::ConversationId;
    use crate::message::{MessageStatus, Role};

    fn message(text: &str) -> Message {
        let now = Timestamp::UNIX_EPOCH;
        Message {
            id: MessageId::new(now),
            conversation_id: ConversationId::new(now),
            parent_id: None,
            turn_id: None,
            index: 0,
            role: Role::User,
            parts: vec![Part::Text { text: text.to_owned() }],
            status: MessageStatus::Complete,
            model: None,
            tokens: 9,
            created_at: now,
        }
    }

    /// The same count wherever it is asked.
    fn count(text: &str) -> u64 {
        text.chars().count() as u64
    }

    #[test]
    fn after_a_new_message_only_that_one_is_read_and_the_summary_is_the_same() {
        let texts = [
            "Port 5433 must stay. It was 5432!",
            "왜요?",
            "반드시 백업해요.\n```\nlet a = 1;\n```",
        ];
        let mut messages: Vec<Message> =
            (0..30).map(|at| message(&format!("{} {at}.", texts[at % 3]))).collect();
        let mut readings = Readings::default();
        assert_eq!(readings.read(&messages), 30);
        for round in 0..5 {
            messages.remove(0);
            messages.push(message(&format!("Then {round} failed. We decided on {round}.")));
            let said = readings.extractive(&messages, 300, count);
            assert_eq!(said, extractive(&messages, 300, count));
            assert_eq!(readings.read(&messages), 0);
        }
        messages.push(message("One more."));
        assert_eq!(readings.read(&messages), 1);
        messages[3].parts = vec![Part::Text { text: "It is [redacted: password] now.".into() }];
        assert_eq!(readings.read(&messages), 1, "what reads otherwise is read again");
        assert_eq!(readings.extractive(&messages, 300, count), extractive(&messages, 300, count));
        for _ in 0..=ROUNDS {
            readings.read(&messages[..1]);
        }
        assert_eq!(readings.of.len(), 1, "what nobody asks for is forgotten");
    }
}
