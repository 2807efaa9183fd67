//! A session as it was understood.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Agent;
use super::tree;
use crate::message::{Part, Role};
use crate::turn::Usage;

/// How often each kind of record stands in a file, by the name that the agent gives it.
pub type Tally = BTreeMap<String, u64>;

/// What a file of an agent says. Entries stand in the order in which they were written; which follows which says
/// [`Entry::parent`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// The agent's own id; the file's name where it gives none.
    pub id: String,
    /// The session that began this one, where an agent worked for another.
    pub parent: Option<String>,
    /// What the person or the agent calls it, else the first question made short; may be empty.
    pub title: String,
    /// The folder in which it worked.
    pub folder: Option<String>,
    /// The branch of git there, as it was first said.
    pub git_branch: Option<String>,
    /// What was said.
    pub entries: Vec<Entry>,
    /// The last entry of the path that the agent would go on with.
    pub leaf: Option<usize>,
    /// Tokens by what they were counted for, so that a count that stands twice counts once, in this file or another.
    pub counted: BTreeMap<String, Usage>,
    /// Records that say nothing of the conversation.
    pub beside: Tally,
    /// Records of kinds that are not known here.
    pub unknown: Tally,
    /// Lines that could not be read, or that are not what their kind says.
    pub unreadable: u64,
    /// Whether the last line is cut off, as it is while an agent writes it.
    pub is_cut: bool,
    /// Bytes of pictures by their hash, where they were asked for and are not too many.
    pub pictures: BTreeMap<String, Vec<u8>>,
    /// Texts of which only the beginning is here, and entries that are not: what is understood is bounded, what is kept
    /// is not.
    pub shortened: u64,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The agent's own id of it; its number where it has none.
    pub key: String,
    /// The entry before it. Never one that comes after it on any path: there are no circles.
    pub parent: Option<usize>,
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: EntryKind,
    /// What was said, called and answered. Pictures have the hash of their bytes, which stand in the file alone.
    pub parts: Vec<Part>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// Whether it belongs to another conversation that was written into the same file, as a subagent's once was.
    pub aside: bool,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryKind {
    /// Said by the person, the model or a tool.
    Said,
    /// Put there by the agent: surroundings, rules, reminders, what a command of its own said.
    Context,
    /// A compaction; its text is the summary that stands for what was before.
    Fold(Fold),
}

/// What an agent says of a compaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fold {
    /// Whether it came by itself; `None` where nobody says.
    pub automatic: Option<bool>,
    /// Tokens of the context before it, as the agent counted them.
    pub before: Option<u64>,
    /// Tokens of the context after it.
    pub after: Option<u64>,
    /// Texts of messages that went on word for word.
    pub carried: Vec<String>,
}

/// What a list says of a session, without what was said in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "VaultFacts"))]
pub struct SessionFacts {
    /// Whose it is.
    pub agent: Agent,
    /// The agent's own id.
    pub id: String,
    /// The session that began it.
    pub parent: Option<String>,
    /// What it is called; may be empty.
    pub title: String,
    /// The folder in which it worked.
    pub folder: Option<String>,
    /// The branch of git there.
    pub git_branch: Option<String>,
    /// The models that answered, in the order in which they did first.
    pub models: Vec<String>,
    /// When something was said first.
    pub started_at: Option<Timestamp>,
    /// When something was said last.
    pub ended_at: Option<Timestamp>,
    /// Questions of the person, on all branches.
    pub turns: u64,
    /// Calls of tools.
    pub calls: u64,
    /// Ends of branches; 1 for a session that never forked.
    pub branches: u64,
    /// Compactions.
    pub folds: u64,
    /// Tokens, each counted once.
    pub usage: Usage,
    /// Records of kinds that are not known here.
    pub unknown: Tally,
    /// Lines that could not be read.
    pub unreadable: u64,
}

impl Session {
    /// From the first entry to this one.
    pub fn path_to(&self, leaf: usize) -> Vec<usize> {
        tree::path_to(&self.entries, leaf)
    }

    /// The path that the agent would go on with; empty where nothing was said.
    pub fn path(&self) -> Vec<usize> {
        self.leaf.map(|leaf| self.path_to(leaf)).unwrap_or_default()
    }

    /// Entries that nothing follows, of the conversation itself.
    pub fn leaves(&self) -> Vec<usize> {
        tree::leaves(&self.entries)
    }

    /// Makes every parent come before on its path, and finds the leaf unless one is given: the last entry that nothing
    /// follows. Whoever reads a file calls it once, at the end.
    pub fn settle(&mut self) {
        tree::cut_circles(&mut self.entries);
        if self.leaf.is_none() {
            self.leaf = self.leaves().last().copied();
        }
    }

    /// All tokens of the file.
    pub fn usage(&self) -> Usage {
        let exact = Usage { exact: true, ..Usage::default() };
        self.counted.values().fold(exact, |sum, usage| sum.plus(*usage))
    }

    /// What a list says of it.
    pub fn facts(&self, agent: Agent) -> SessionFacts {
        let said = |role: Role| {
            let said = self.entries.iter().filter(move |entry| entry.kind == EntryKind::Said);
            said.filter(move |entry| entry.role == role && !entry.aside)
        };
        let mut models: Vec<String> = Vec::new();
        for model in self.entries.iter().filter_map(|entry| entry.model.as_ref()) {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
        let calls = self.entries.iter().flat_map(|entry| &entry.parts);
        let calls = calls.filter(|part| matches!(part, Part::ToolCall { .. })).count();
        let folds = self.entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Fold(_)));
        SessionFacts {
            agent,
            id: self.id.clone(),
            parent: self.parent.clone(),
            title: self.title.clone(),
            folder: self.folder.clone(),
            git_branch: self.git_branch.clone(),
            models,
            started_at: self.entries.iter().filter_map(|entry| entry.at).min(),
            ended_at: self.entries.iter().filter_map(|entry| entry.at).max(),
            turns: said(Role::User).count() as u64,
            calls: calls as u64,
            branches: self.leaves().len() as u64,
            folds: folds.count() as u64,
            usage: self.usage(),
            unknown: self.unknown.clone(),
            unreadable: self.unreadable,
        }
    }
}
