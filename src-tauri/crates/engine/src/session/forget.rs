//! Taking a conversation's words out of a session: it was put into the trash, or is deleted for ever.
//!
//! What is of the window goes by the ids of its messages; what came without ids goes where it says the same. A running
//! summary is put together of sentences, so one that shares words with the conversation is made anew of what stays.
//! More goes than had to, where in doubt. Deliberately absent: decisions, which are the person's, and files.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use super::file::{ContextFile, WindowMessage};
use super::register::{Leaving, as_kept, extractive};
use crate::density::sentences;
use crate::ids::{ConversationId, MessageId};
use crate::message::Message;
use crate::prose;
use crate::summary::{fit, language_of, running_limit};

/// Words that stand together in two texts only where one has them from the other.
const TOGETHER: usize = 3;

/// What a conversation said.
#[derive(Clone, Debug)]
pub struct Words {
    conversation_id: String,
    messages: HashSet<MessageId>,
    texts: Vec<String>,
    /// Its words alone, and those that stand together; made when they are asked for first.
    runs: OnceLock<HashSet<u64>>,
}

/// What stays in the place of a running summary that has to go.
#[derive(Clone, Copy, Debug)]
pub struct Forgotten<'a> {
    /// What goes.
    pub words: &'a Words,
    /// Messages of other conversations that a summary may be made of, oldest first.
    pub stays: &'a [WindowMessage],
}

impl Words {
    /// Everything that was said in a conversation, on all its branches.
    pub fn of(conversation_id: ConversationId, messages: &[Message]) -> Self {
        Self {
            conversation_id: conversation_id.to_string(),
            messages: messages.iter().map(|message| message.id).collect(),
            texts: messages
                .iter()
                .map(|message| as_kept(&message.text()))
                .filter(|text| !text.is_empty())
                .collect(),
            runs: OnceLock::new(),
        }
    }

    /// Whether a message is one of these.
    pub fn has(&self, message: MessageId) -> bool {
        self.messages.contains(&message)
    }

    /// Whether a text that shows these messages has words of it; by its own words where it does not say what it shows.
    pub fn tell(&self, messages: &[MessageId], text: &str) -> bool {
        match messages {
            [] => self.are_in(text),
            messages => messages.iter().any(|id| self.has(*id)),
        }
    }

    /// Whether a text has words of it: three that stand together, or a sentence that has fewer.
    pub fn are_in(&self, text: &str) -> bool {
        let said = self.runs.get_or_init(|| {
            // A summary has links as their text and rows of tables as clauses.
            let clean = self.texts.iter().map(|text| words(&prose::text(text)));
            let texts = self.texts.iter().map(|text| words(text)).chain(clean);
            texts.flat_map(|said| (1..=TOGETHER).flat_map(move |of| runs(&said, of))).collect()
        });
        sentences(text).iter().any(|sentence| {
            let words = words(sentence.text);
            runs(&words, TOGETHER.min(words.len())).iter().any(|run| said.contains(run))
        })
    }

    fn has_said(&self, message: &WindowMessage) -> bool {
        if let Some(id) = &message.conversation_id {
            return *id == self.conversation_id;
        }
        let content = message.content.trim();
        let begin = content.strip_suffix('…').filter(|begin| !begin.is_empty());
        self.texts
            .iter()
            .any(|text| text == content || begin.is_some_and(|begin| text.starts_with(begin)))
    }
}

/// The words of a text as they are compared.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// So many words that stand together, at every place.
fn runs(words: &[String], length: usize) -> Vec<u64> {
    let hash = |run: &[String]| {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        hasher.finish()
    };
    if length == 0 { Vec::new() } else { words.windows(length).map(hash).collect() }
}

/// The session without these words; `None` where it has none of them.
pub fn forget(file: &ContextFile, gone: Forgotten<'_>) -> Option<ContextFile> {
    let Forgotten { words, stays } = gone;
    let mut next = file.clone();
    let conversation = &mut next.conversation;
    conversation.recent_window.retain(|message| !words.has_said(message));
    if conversation.recent_window.len() < file.conversation.recent_window.len() {
        // What others put beside the messages may be made of them.
        conversation.vector_cache = None;
    }
    if words.are_in(&conversation.running_summary) {
        conversation.running_summary = summary_of(stays, &conversation.recent_window);
        conversation.vector_cache = None;
    }
    (next != *file).then_some(next)
}

/// A summary of what stays and is not in the window anyway.
fn summary_of(stays: &[WindowMessage], window: &[WindowMessage]) -> String {
    let in_window = |message: &&WindowMessage| {
        window.iter().any(|there| there.message_id == message.message_id)
    };
    let messages: Vec<WindowMessage> =
        stays.iter().filter(|message| !in_window(message)).cloned().collect();
    if messages.is_empty() {
        return String::new();
    }
    let language = language_of(&messages[messages.len() - 1].content);
    let limit = usize::try_from(running_limit(language)).unwrap_or(usize::MAX);
    let made = extractive(&Leaving { previous: "", messages: &messages, limit });
    fit(&made, limit).to_owned()
}

impl WindowMessage {
    /// A message of a conversation as a session keeps it.
    pub fn of(message: &Message) -> Self {
        Self {
            role: super::register::name_of(message.role).to_owned(),
            content: as_kept(&message.text()),
            ts: message.created_at.to_string(),
            message_id: Some(message.id.to_string()),
            conversation_id: Some(message.conversation_id.to_string()),
            ..Self::default()
        }
    }
}
