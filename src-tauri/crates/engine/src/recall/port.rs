//! What recall asks of its world: the messages that may answer a question, out of everything that was said.

use jiff::Timestamp;

use crate::ids::{ConversationId, MessageId, ProjectId};
use crate::message::Role;
use crate::ports::StoreError;
use crate::search::{Filter, FoundEverywhere, Phrase};

/// Where passages may come from: a conversation, and the others of its project where one is named; of a project alone,
/// all of its conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The conversation that is asked in; `None` for who asks from outside.
    pub conversation_id: Option<ConversationId>,
    /// The project, for all conversations of it.
    pub project_id: Option<ProjectId>,
}

/// A message that may answer, or one that stands beside such a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The message.
    pub message_id: MessageId,
    /// The one before it on its branch.
    pub parent_id: Option<MessageId>,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// Its place among all messages: later ones are higher.
    pub seq: i64,
    /// Its place on its branch.
    pub index: u64,
    /// Who said it.
    pub role: Role,
    /// What was said, or what a tool answered.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Whether the index named it; otherwise it is here as a neighbour.
    pub named: bool,
    /// Whether it stands on the shown path of its conversation.
    pub shown: bool,
}

/// What the index says to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// By conversation and place, each once.
    pub messages: Vec<Candidate>,
    /// Messages within the scope.
    pub all: u64,
    /// How many of them have each phrase that was asked for, in its order; of what very many have, about how many.
    pub having: Vec<u64>,
}

/// The index over everything: messages, summaries, decisions, memory, project files, notes of checkpoints. Implemented
/// by storage. What is deleted or in the trash is found by nothing.
pub trait Finder: Send + Sync {
    /// At most `limit` messages of the scope that have any of the phrases, those with the rarest first. Each that stands on
    /// the shown path of its conversation comes with the messages right before and after it there. What has a place among
    /// all messages that stands in `named` is taken in as well, if it is of the scope.
    fn candidates(
        &self,
        asked: &[Phrase],
        named: &[i64],
        scope: Scope,
        limit: u32,
    ) -> Result<Candidates, StoreError>;

    /// The newest messages of a conversation, at most `limit`, in which the person says what holds
    /// [from then on](super::is_standing).
    fn standing(&self, of: ConversationId, limit: u32) -> Result<Vec<MessageId>, StoreError>;

    /// The best matches of what was typed, at most `limit` of each kind.
    fn find_everywhere(
        &self,
        typed: &str,
        filter: &Filter,
        limit: u32,
    ) -> Result<FoundEverywhere, StoreError>;

    /// Makes what is missing of the index over the database, or all of it anew. `go_on` hears how many messages are
    /// left, and stops it with `false`. Searches go on meanwhile, and what is not indexed then is still found by them;
    /// `candidates` lacks it until it is.
    fn make_index(&self, anew: bool, go_on: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError>;
}
