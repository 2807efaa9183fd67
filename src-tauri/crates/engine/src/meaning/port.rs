//! What meaning asks of its world: embedders, and where vectors are kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Compact;
use crate::ids::{MessageId, ProjectId};
use crate::ports::{Access, Asked, StoreError};
use crate::provider::{ProviderError, ProviderRecord};
use crate::recall::Scope;

/// What a text is to be compared with; many models want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It asks.
    Question,
    /// It may answer.
    Passage,
}

/// The vectors of some texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// One for each text, in their order, all of one length.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens that the server counted, if it did.
    pub tokens: Option<u64>,
}

/// A model that makes vectors.
pub trait Embedder: Send + Sync {
    /// How many texts may be asked for at once.
    fn at_once(&self) -> usize;
    /// Makes the vectors of texts.
    fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Asked<'_, Embedded>;
}

/// A model of this computer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LocalEmbedder {
    /// The name of its folder.
    pub name: String,
    /// Bytes of its files.
    pub bytes: u64,
    /// Whether it came with this program; the others lie in the data folder.
    pub shipped: bool,
}

/// Finds and opens embedders.
pub trait Embedders: Send + Sync {
    /// The folder where models are looked for.
    fn folder(&self) -> String;
    /// The models that lie there, and those that came with this program, by name.
    fn local(&self) -> Vec<LocalEmbedder>;
    /// Opens one of them; reads its files, which takes a moment.
    fn open(&self, name: &str) -> Result<Arc<dyn Embedder>, ProviderError>;
    /// A provider's model; fails when its address may not be used, or its format has no vectors.
    fn connect(
        &self,
        record: &ProviderRecord,
        model: &str,
        access: Access,
    ) -> Result<Arc<dyn Embedder>, ProviderError>;
    /// The models of a provider that seem to make vectors.
    fn listed(&self, record: &ProviderRecord, access: Access) -> Asked<'_, Vec<String>>;
    /// Whether the provider's address is this computer's own.
    fn is_home(&self, record: &ProviderRecord) -> bool;
}

/// A message that has no vectors yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The message.
    pub id: MessageId,
    /// Its place among all messages.
    pub seq: i64,
    /// The project of its conversation.
    pub project_id: Option<ProjectId>,
    /// What was said, and nothing that a tool answered.
    pub text: String,
}

/// The vectors of a message, in the order of its pieces, `None` of one without a direction; none for one that says nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The message.
    pub id: MessageId,
    /// Its vectors.
    pub vectors: Vec<Option<Compact>>,
}

/// The vector of a line of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedLine {
    /// The [hash](crate::memory::hash_of) of what the line says without its secrets.
    pub line: String,
    /// Its vector.
    pub vector: Compact,
}

/// A stretch of a message that [stands out](super::standing) as near to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Its message's place among all messages.
    pub seq: i64,
    /// Which of its [stretches](super::pieces), in order.
    pub stretch: u32,
    /// How far, in deviations.
    pub standing: f32,
}

/// What is kept of an embedder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorsKept {
    /// Messages that have been read.
    pub done: u64,
    /// Messages that could be: those that somebody said, outside of the trash.
    pub all: u64,
    /// Bytes of their vectors.
    pub bytes: u64,
    /// Tokens that were sent to the provider for them and for questions, since it was chosen.
    pub tokens: u64,
}

/// Where vectors are kept. They go with their message.
pub trait Vectors: Send + Sync {
    /// Messages before this place without vectors of this embedder, the newest first, out of the newest so many of all.
    /// `away`: without those of projects that stay on this computer.
    fn unread(
        &self,
        embedder: &str,
        before: i64,
        away: bool,
        newest: u32,
        limit: u32,
    ) -> Result<Vec<Unread>, StoreError>;
    /// Keeps vectors of an embedder, in place of earlier ones of the same messages, and counts the tokens they took. A
    /// message that is gone by now is passed over.
    fn keep(&self, embedder: &str, of: &[Embedding], tokens: u64) -> Result<(), StoreError>;
    /// Whether an embedder has made any.
    fn any(&self, embedder: &str) -> Result<bool, StoreError>;
    /// What is kept of an embedder; `away` as above.
    fn kept(&self, embedder: &str, away: bool) -> Result<VectorsKept, StoreError>;
    /// Tokens that were sent for an embedder, for vectors and for questions.
    fn tokens(&self, embedder: &str) -> Result<u64, StoreError>;
    /// Forgets the vectors of every embedder but this one, and with `None` all of them, with the tokens they took.
    fn forget_others(&self, embedder: Option<&str>) -> Result<(), StoreError>;
    /// At most `limit` stretches of a scope's messages whose vectors [stand out](super::standing) as near to a question's,
    /// the nearest first. What is in the trash is not among them.
    fn near(
        &self,
        embedder: &str,
        question: &Compact,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<Near>, StoreError>;
    /// The lines of a project's memory, or of the person's own, that have vectors of this embedder.
    fn lines_kept(
        &self,
        embedder: &str,
        project: Option<ProjectId>,
    ) -> Result<HashSet<String>, StoreError>;
    /// Keeps vectors of lines, in place of earlier ones.
    fn keep_lines(
        &self,
        embedder: &str,
        project: Option<ProjectId>,
        of: &[EmbeddedLine],
    ) -> Result<(), StoreError>;
    /// Forgets the vectors of lines that are not among these, whoever made them.
    fn forget_lines_but(
        &self,
        project: Option<ProjectId>,
        lines: &HashSet<String>,
    ) -> Result<(), StoreError>;
    /// The lines of a project's memory, or of the person's own, each with how near it is to a question.
    fn lines_near(
        &self,
        embedder: &str,
        question: &Compact,
        project: Option<ProjectId>,
    ) -> Result<HashMap<String, f32>, StoreError>;
}
