//! Search: what a query may ask, what a hit says, and how words become the tokens of an index.
//!
//! Korean is searched by overlapping pairs of syllables, because a word stands in a text with its particles attached
//! and a tokenizer that splits at blanks finds a tenth of it. Latin words are kept whole and found by their
//! beginnings, and identifiers by their parts as well. The index itself belongs to an adapter: it stores the tokens
//! of [`index_text`], asks for the phrases of a [`Query`] or a [`question`], and shows a [`snippet`].

mod everywhere;
mod particle;
mod query;
mod question;
mod snippet;
mod tokenise;
mod worth;

pub use everywhere::{Filter, Found, FoundEverywhere, FoundGroup, FoundKind};
pub(crate) use particle::{stem, syllable};
pub use query::{Phrase, Query, Term};
pub use question::question;
pub(crate) use question::{telling_words, without_frame};
pub use snippet::{lines_before, snippet};
pub use tokenise::{IndexText, index_text};
pub(crate) use tokenise::{Run, pairs, parts, runs, token};
pub use worth::Searched;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, MessageId, ProjectId};
use crate::message::Role;

/// Where to search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SearchScope {
    /// Only conversations of this project.
    pub project_id: Option<ProjectId>,
    /// Only this conversation.
    pub conversation_id: Option<ConversationId>,
}

/// A stretch of a snippet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SnippetPart {
    /// The text.
    pub text: String,
    /// Whether it is what was searched for.
    pub hit: bool,
}

/// A message that matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SearchHit {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The conversation's title.
    pub title: String,
    /// The message.
    pub message_id: MessageId,
    /// Who said it.
    pub role: Role,
    /// The surroundings of the first match.
    pub snippet: Vec<SnippetPart>,
    /// When it was said.
    pub created_at: Timestamp,
}

/// The best matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SearchHits {
    /// Best first.
    pub hits: Vec<SearchHit>,
    /// How many messages match; a lower bound when `capped`.
    pub total: u64,
    /// Counting or ranking stopped early because the words are everywhere.
    pub capped: bool,
}
