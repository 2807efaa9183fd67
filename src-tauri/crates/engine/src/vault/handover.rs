//! A session as another agent goes on with it: what was said on its path, in a form that every agent takes.
//!
//! A model's provider refuses a history in which a call has no answer, or an answer no call, so [`handover()`] makes that
//! impossible: calls get names and ids that all of them take, and each is followed by its answer. What cannot go is
//! counted by its reason. The `vault` crate writes the form of each agent ([`super::AgentSessions::compose`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Agent;
use super::session::{Entry, EntryKind, Fold, Session};
use crate::attachment;
use crate::conversation::Conversation;
use crate::ids::MessageId;
use crate::message::{Message, Part, Role};
use crate::tokens::estimate_parts;

/// What goes to another agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handover {
    /// What was said, the oldest first. The first is the person's.
    pub steps: Vec<Step>,
    /// What stays behind.
    pub left: Left,
}

/// One thing that was said. The person's has texts and pictures, the model's texts and calls; after one with calls comes a
/// tool's with one result for each, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The person, the model or its tools.
    pub role: Role,
    /// Never empty.
    pub parts: Vec<Part>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// Whether the person asked this, and no summary or note of ours stands there for them.
    pub is_turn: bool,
}

/// How much stays behind, by its reason. Nothing of it is lost: the session is kept as it was.
pub type Left = BTreeMap<LeftReason, u64>;

/// Why something cannot go, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "VaultLeftReason"))]
#[serde(rename_all = "snake_case")]
pub enum LeftReason {
    /// Messages before the last compaction, for which its summary goes.
    Folded,
    /// Summaries, where the messages themselves go.
    Summary,
    /// Messages on other branches.
    Branch,
    /// Messages that the person left out of requests.
    Unwanted,
    /// Rules, surroundings and reminders that the agent put there: whoever goes on has its own.
    Context,
    /// Thoughts, which their provider takes back from its own model alone.
    Thought,
    /// Pictures whose bytes are not there, or are none that may be sent.
    Picture,
    /// Results of calls that are not there.
    Result,
    /// Messages of a subagent in the same file.
    Aside,
    /// Sessions of subagents.
    Subagent,
    /// Files with long results, which the agent put beside the session.
    Output,
    /// Texts of which only the beginning was understood, and records beyond what is.
    Shortened,
    /// Records of kinds that are not known here.
    Unknown,
    /// Lines that could not be read.
    Unreadable,
}

/// A session that is written for an agent.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The id that it gets there; one that no session has.
    pub id: &'a str,
    /// The folder in which it goes on.
    pub folder: &'a str,
    /// The branch of git there.
    pub git_branch: Option<&'a str>,
    /// What it is called; may be empty.
    pub title: &'a str,
    /// When something was said in it last, which some agents put into the name of its file.
    pub ended_at: Timestamp,
    /// When it is written.
    pub now: Timestamp,
    /// What was said.
    pub steps: &'a [Step],
    /// Bytes of the pictures that the steps name, by hash.
    pub pictures: &'a BTreeMap<String, Vec<u8>>,
}

/// A session in the form of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// Where it belongs below the agent's home, with `/` between names.
    pub path: String,
    /// The whole file.
    pub bytes: Vec<u8>,
    /// The command with which the agent goes on, typed in its folder.
    pub resume: String,
}

/// Why a session cannot be written for an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// The agent names folders by itself, and knows this one not yet.
    #[error("{} was never started in {folder}, and only then it has a place for its sessions", .agent.title())]
    UnknownFolder {
        /// Which agent.
        agent: Agent,
        /// Which folder.
        folder: String,
    },
    /// It keeps its sessions in a form that is not written here.
    #[error("a session cannot be written for {}", .0.title())]
    NotWritten(Agent),
}

/// What stands for an answer that never came.
const UNANSWERED: &str = "[no answer was kept]";

/// What stands before a reply whose question is not there.
const NO_BEGINNING: &str = "[what was before this is not there]";

/// Characters of a tool's name that every provider takes.
const NAME: usize = 64;

/// What of a session goes to another agent: its path since the last compaction that says what was before it, or with
/// `whole` all of its path. Pictures go whose bytes the session has.
pub fn handover(session: &Session, whole: bool) -> Handover {
    let mut making = Making::default();
    let left = &mut making.done.left;
    add(left, LeftReason::Unknown, session.unknown.values().sum());
    add(left, LeftReason::Unreadable, session.unreadable);
    add(left, LeftReason::Shortened, session.shortened);
    let path = session.path();
    let mut on_path = vec![false; session.entries.len()];
    path.iter().for_each(|at| on_path[*at] = true);
    let said = |entry: &Entry| entry.kind == EntryKind::Said;
    for (entry, on_path) in session.entries.iter().zip(on_path) {
        match () {
            () if !said(entry) || on_path => {}
            () if entry.aside => add(left, LeftReason::Aside, 1),
            () => add(left, LeftReason::Branch, 1),
        }
    }
    let tells = |at: &usize| {
        let entry = &session.entries[*at];
        matches!(entry.kind, EntryKind::Fold(_)) && !entry.text().trim().is_empty()
    };
    let begin = path.iter().rposition(tells).filter(|_| !whole).unwrap_or_default();
    let folded = path[..begin].iter().filter(|at| said(&session.entries[**at]));
    add(left, LeftReason::Folded, folded.count() as u64);
    for at in &path[begin..] {
        let entry = &session.entries[*at];
        match &entry.kind {
            EntryKind::Context => add(&mut making.done.left, LeftReason::Context, 1),
            EntryKind::Fold(_) if whole => add(&mut making.done.left, LeftReason::Summary, 1),
            EntryKind::Fold(fold) => making.fold(entry, fold),
            EntryKind::Said => making.said(entry, session),
        }
    }
    if making.done.steps.first().is_some_and(|step| step.role != Role::User) {
        making.done.steps.insert(0, note(NO_BEGINNING.to_owned(), None));
    }
    making.done
}

impl Handover {
    /// Questions of the person.
    pub fn turns(&self) -> u64 {
        self.steps.iter().filter(|step| step.is_turn).count() as u64
    }

    /// Calls of tools, each with its answer.
    pub fn calls(&self) -> u64 {
        self.parts().filter(|part| matches!(part, Part::ToolCall { .. })).count() as u64
    }

    /// Pictures.
    pub fn pictures(&self) -> u64 {
        self.parts().filter(|part| matches!(part, Part::Image { .. })).count() as u64
    }

    /// Tokens of all of it, estimated.
    pub fn tokens(&self) -> u64 {
        self.steps.iter().map(|step| estimate_parts(&step.parts)).sum()
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.steps.iter().flat_map(|step| &step.parts)
    }
}

/// An id in the form that agents give to sessions and messages: the same for the same text, and another for every other.
pub fn id_of(text: &str) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

impl Session {
    /// A conversation from here, as it can go on elsewhere: all of its messages, `leaf` the last one that is shown. `summary`
    /// is what is sent for all messages up to one of those that are shown, and that one's id. Of `unwanted` messages no word
    /// goes, as none does in a request: calls and results stay, to be found together.
    pub fn of_conversation(
        conversation: &Conversation,
        messages: Vec<Message>,
        leaf: Option<MessageId>,
        summary: Option<(String, MessageId)>,
        unwanted: &HashSet<MessageId>,
    ) -> Self {
        let mut session = Self {
            id: conversation.id.to_string(),
            title: conversation.title.clone(),
            ..Self::default()
        };
        let mut places: HashMap<MessageId, usize> = HashMap::new();
        for mut message in messages {
            places.insert(message.id, session.entries.len());
            if unwanted.contains(&message.id) {
                let uses_tools =
                    |it: &Part| matches!(it, Part::ToolCall { .. } | Part::ToolResult { .. });
                message.parts.retain(uses_tools);
            }
            session.entries.push(Entry {
                key: message.id.to_string(),
                parent: message.parent_id.and_then(|parent| places.get(&parent).copied()),
                role: message.role,
                kind: match message.role {
                    Role::System => EntryKind::Context,
                    _ => EntryKind::Said,
                },
                parts: message.parts,
                model: message.model,
                at: Some(message.created_at),
                aside: false,
            });
        }
        session.leaf = leaf.and_then(|leaf| places.get(&leaf).copied());
        let folded = summary.and_then(|(text, last)| Some((text, *places.get(&last)?)));
        let path = session.path();
        if let Some((text, last)) = folded
            && let Some(at) = path.iter().position(|at| *at == last)
        {
            let fold = session.entries.len();
            session.entries.push(Entry {
                key: String::new(),
                parent: Some(last),
                role: Role::User,
                kind: EntryKind::Fold(Fold::default()),
                parts: vec![Part::Text { text }],
                model: None,
                at: session.entries[last].at,
                aside: false,
            });
            match path.get(at + 1) {
                Some(next) => session.entries[*next].parent = Some(fold),
                None => session.leaf = Some(fold),
            }
        }
        session
    }

    /// Whether it has the bytes of a picture, and they are one.
    fn has_picture(&self, hash: &str) -> bool {
        let bytes = self.pictures.get(hash);
        bytes.is_some_and(|bytes| attachment::part_of("", bytes).is_ok())
    }
}

/// Counts what stays behind.
fn add(left: &mut Left, reason: LeftReason, count: u64) {
    if count > 0 {
        *left.entry(reason).or_default() += count;
    }
}

/// A handover on its way.
#[derive(Default)]
struct Making {
    done: Handover,
    calls: u64,
    /// Where the answer of a call stands, by the id that the agent gave it: the step, and the part of it.
    answers: HashMap<String, (usize, usize)>,
}

impl Making {
    fn fold(&mut self, entry: &Entry, fold: &Fold) {
        let texts = std::iter::once(entry.text()).chain(fold.carried.iter().cloned());
        let texts = texts.filter(|text| !text.trim().is_empty());
        let parts: Vec<Part> = texts.map(|text| Part::Text { text }).collect();
        if !parts.is_empty() {
            self.done.steps.push(Step { parts, ..note(String::new(), entry.at) });
        }
    }

    fn said(&mut self, entry: &Entry, session: &Session) {
        let by_model = entry.role == Role::Assistant;
        let (mut parts, mut answers) = (Vec::new(), Vec::new());
        for part in &entry.parts {
            match part {
                Part::Text { text } | Part::Pasted { text, .. } => {
                    if !text.trim().is_empty() {
                        parts.push(Part::Text { text: text.clone() });
                    }
                }
                Part::Image { hash, .. } if !by_model && session.has_picture(hash) => {
                    parts.push(part.clone());
                }
                Part::Image { .. } | Part::File { .. } => {
                    add(&mut self.done.left, LeftReason::Picture, 1);
                }
                Part::Reasoning { .. } => add(&mut self.done.left, LeftReason::Thought, 1),
                Part::ToolCall { id, name, arguments, .. } => {
                    self.calls += 1;
                    let own = format!("call_{}", self.calls);
                    answers.push((id.clone(), own.clone()));
                    let (name, arguments) = (plain(name), arguments.clone());
                    parts.push(Part::ToolCall { id: own, name, arguments, seal: None });
                }
                Part::ToolResult { call_id, text, is_error, .. } => {
                    self.answered(call_id, text, *is_error);
                }
            }
        }
        if parts.is_empty() {
            return;
        }
        let role = if by_model { Role::Assistant } else { Role::User };
        let (model, at) = (entry.model.clone(), entry.at);
        let is_turn = entry.role == Role::User;
        self.done.steps.push(Step { role, parts, model, at, is_turn });
        if answers.is_empty() {
            return;
        }
        let step = self.done.steps.len();
        let mut parts = Vec::new();
        for (id, own) in answers {
            self.answers.insert(id, (step, parts.len()));
            let text = UNANSWERED.to_owned();
            parts.push(Part::ToolResult { call_id: own, text, is_error: true, kept: None });
        }
        self.done.steps.push(Step { role: Role::Tool, parts, model: None, at, is_turn: false });
    }

    /// Puts an answer where its call waits for it; a second one for the same call has no place.
    fn answered(&mut self, id: &str, said: &str, failed: bool) {
        let place = self.answers.remove(id);
        let part = place.and_then(|(step, at)| self.done.steps.get_mut(step)?.parts.get_mut(at));
        match part {
            Some(Part::ToolResult { text, is_error, .. }) => {
                said.clone_into(text);
                *is_error = failed;
            }
            _ => add(&mut self.done.left, LeftReason::Result, 1),
        }
    }
}

fn note(text: String, at: Option<Timestamp>) -> Step {
    let parts = vec![Part::Text { text }];
    Step { role: Role::User, parts, model: None, at, is_turn: false }
}

/// A tool's name with what every provider takes of it.
fn plain(name: &str) -> String {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
    let name: String =
        name.chars().take(NAME).map(|sign| if fits(sign) { sign } else { '_' }).collect();
    if name.is_empty() { "tool".to_owned() } else { name }
}
