//! What is kept of a project's session beside its files: the truth, of which `.ai-brain` is a copy.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ContextFile;
use crate::ids::{ConversationId, MessageId, ProjectId, ProposalId};
use crate::ports::StoreError;
use crate::section::Section;
use crate::workflow::{Workflow, WorkflowChange};

/// A project's session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRecord {
    /// Its project.
    pub project_id: ProjectId,
    /// Grows with every change; orders them whatever the clocks say.
    pub revision: u64,
    /// Whether `.ai-brain` is written; `None` until the person was asked.
    pub shared: Option<bool>,
    /// The session, as in `context.json`.
    pub context: ContextFile,
    /// Plans, tasks and decisions, as in `workflow.json`.
    pub workflow: Workflow,
    /// The conversation that was worked in last.
    pub conversation_id: Option<ConversationId>,
    /// Its message that was registered last.
    pub message_id: Option<MessageId>,
}

/// What became of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    /// It waits for the person.
    Open,
    /// It was carried out.
    Accepted,
    /// The person does not want it, or asked on without it.
    Dismissed,
}

/// A change that a message proposes, which waits for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ProposalRecord {
    /// Its id.
    pub id: ProposalId,
    /// The project it is about.
    pub project_id: ProjectId,
    /// The conversation it was made in.
    pub conversation_id: ConversationId,
    /// The message that makes it.
    pub message_id: MessageId,
    /// What it proposes.
    pub change: WorkflowChange,
    /// Where its words begin in the message's text, in bytes.
    pub start: u32,
    /// Where they end.
    pub end: u32,
    /// Whether it waits.
    pub state: ProposalState,
    /// When.
    pub at: Timestamp,
}

/// Sessions, what was written of them into folders, and what waits for a click.
pub trait SessionRecords: Send + Sync {
    /// The session of a project; `None` while nothing was said in it.
    fn session(&self, project: ProjectId) -> Result<Option<SessionRecord>, StoreError>;
    /// Keeps a session if the stored one still is the revision before it; whether it did.
    fn put_session(&self, record: &SessionRecord) -> Result<bool, StoreError>;

    /// Remembers a file of `.ai-brain` before it is written, so that it is known for ours whatever happens meanwhile.
    fn intend_file(
        &self,
        project: ProjectId,
        name: &str,
        hash: &str,
        text: &str,
    ) -> Result<(), StoreError>;
    /// Whether this text was intended, or accepted; from now on it is what was there last.
    fn file_seen(&self, project: ProjectId, name: &str, hash: &str) -> Result<bool, StoreError>;
    /// When this lock of another machine was met first, by whichever process on this data folder; now, if it is new.
    fn lock_seen(
        &self,
        project: ProjectId,
        hash: &str,
        now: Timestamp,
    ) -> Result<Timestamp, StoreError>;
    /// The text that was there last as far as is known: what others changed is compared with it.
    fn file_base(&self, project: ProjectId, name: &str) -> Result<Option<String>, StoreError>;

    /// The texts that are known of a file, each with its hash.
    fn file_texts(
        &self,
        project: ProjectId,
        name: &str,
    ) -> Result<Vec<(String, String)>, StoreError>;
    /// Lets another text stand for a known file, such as one without what was deleted.
    fn put_file_text(
        &self,
        project: ProjectId,
        name: &str,
        hash: &str,
        text: &str,
    ) -> Result<(), StoreError>;

    /// Adds a proposal unless the message made the same one before; whether it did.
    fn propose(&self, proposal: &ProposalRecord) -> Result<bool, StoreError>;
    /// Proposals of a project that wait, oldest first; none of a conversation in the trash.
    fn proposals(&self, project: ProjectId) -> Result<Vec<ProposalRecord>, StoreError>;
    /// One proposal.
    fn proposal(&self, id: ProposalId) -> Result<ProposalRecord, StoreError>;
    /// Settles one that waits. Fails with `Conflict` when it does not wait any more.
    fn settle_proposal(&self, id: ProposalId, state: ProposalState) -> Result<(), StoreError>;

    /// What a conversation was told of the session when it began; `None` while it was told nothing.
    fn told(&self, conversation: ConversationId) -> Result<Option<Vec<Section>>, StoreError>;
    /// What the conversations of a project were told.
    fn told_in(
        &self,
        project: ProjectId,
    ) -> Result<Vec<(ConversationId, Vec<Section>)>, StoreError>;
    /// Keeps it.
    fn put_told(
        &self,
        conversation: ConversationId,
        sections: &[Section],
    ) -> Result<(), StoreError>;
}
