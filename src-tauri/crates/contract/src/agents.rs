//! What agents outside ask for and leave here: programs of others, which the person told to use Siltstone's memory. None
//! of it is a command of the window.

use siltstone_engine::Date;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::message::Role;

/// Asks for what was said in a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallFor {
    /// The project.
    pub project_id: ProjectId,
    /// What is looked for.
    pub query: String,
    /// The first day of what may be found.
    pub since: Option<Date>,
}

/// What was found of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// The message.
    pub message_id: MessageId,
    /// What its conversation is called; empty where it has no title.
    pub title: String,
    /// On which day it was said.
    pub on: Date,
    /// Who said it.
    pub role: Role,
    /// The day on which otherwise was said since.
    pub otherwise: Option<Date>,
    /// What of it was found, marked where more stands before, between or behind.
    pub text: String,
}

/// Asks for a message of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFor {
    /// The project.
    pub project_id: ProjectId,
    /// The message.
    pub message_id: MessageId,
    /// The first character that is wanted, from 0.
    pub offset: u64,
}

/// A page of a message, and what stands beside that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePage {
    /// The message.
    pub message_id: MessageId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// What that is called; empty where it has no title.
    pub title: String,
    /// On which day it was said.
    pub on: Date,
    /// Who said it.
    pub role: Role,
    /// Characters of it.
    pub text: String,
    /// Where the next page begins; `None` behind the last one.
    pub next: Option<u64>,
    /// The message before it.
    pub before: Option<MessageId>,
    /// The message after it on the shown path.
    pub after: Option<MessageId>,
    /// Whether its conversation went on without it: it was said differently since, or another branch is shown.
    pub replaced: bool,
}

/// A line that an agent wants to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposeLine {
    /// The project it works in; `None` outside of any.
    pub project_id: Option<ProjectId>,
    /// What it calls itself.
    pub from: String,
    /// The line.
    pub text: String,
    /// What it rests on, in its words.
    pub why: String,
    /// Messages of the project that it rests on.
    pub evidence: Vec<MessageId>,
    /// Whether it is about all projects.
    pub for_all_projects: bool,
}

/// A line that waits for the person now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineWaits {
    /// Characters that nobody sees, which were taken out of it.
    pub hidden: u64,
}
