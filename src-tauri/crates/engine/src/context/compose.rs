//! Composing a prompt: persistent block, volatile block, body.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::block::{lines_of, without_headings};
use super::key;
use super::store::ContextScope::{App, Layer, Run, Task};
use super::store::{ContextScope, ContextSnapshot, ContextStore, PersistenceKind};

/// Headings of the persistent and the volatile block, English and Korean.
const HEADINGS: [[&str; 2]; 2] = [
    [
        include_str!("../../prompts/en/persistent-context.md"),
        include_str!("../../prompts/en/volatile-context.md"),
    ],
    [
        include_str!("../../prompts/ko/persistent-context.md"),
        include_str!("../../prompts/ko/volatile-context.md"),
    ],
];

/// What a model is asked to do in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Answer the person.
    Chat,
    /// Plan a run.
    CreateTree,
    /// Judge what a run came to.
    Evaluate,
    /// Summarise turns.
    Summarise,
    /// Name a conversation.
    Title,
}

/// The scopes a task takes, wider ones first: where two say the same key, the narrower one is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskScopes {
    /// For the persistent block.
    pub persistent: &'static [ContextScope],
    /// For the volatile block.
    pub volatile: &'static [ContextScope],
}

impl TaskKind {
    /// The one table of who sees what. A chat's body is the person's message already, so it takes no `Run`; a summary
    /// and a title are about the text in their body alone.
    pub fn scopes(self) -> TaskScopes {
        match self {
            Self::Chat => TaskScopes { persistent: &[App], volatile: &[App, Task] },
            Self::CreateTree => {
                TaskScopes { persistent: &[App, Layer, Run], volatile: &[App, Run, Task] }
            }
            Self::Evaluate => TaskScopes { persistent: &[App], volatile: &[App, Run, Task] },
            Self::Summarise | Self::Title => TaskScopes { persistent: &[], volatile: &[Task] },
        }
    }
}

/// A composed prompt; its text is what `Display` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The persistent block with its heading, unless it would be empty.
    pub persistent: Option<String>,
    /// The volatile block with its heading, unless it would be empty.
    pub volatile: Option<String>,
    /// The body, with lines marked that read like our headings.
    pub body: String,
}

impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for block in [&self.persistent, &self.volatile].into_iter().flatten() {
            write!(f, "{block}\n\n")?;
        }
        f.write_str(&self.body)
    }
}

/// Composes prompts in one language.
#[derive(Clone, Copy, Debug)]
pub struct PromptComposer<'a> {
    /// The conversation's language, `ko` or `en`.
    pub language: &'a str,
    /// Keys whose text the request carries elsewhere, such as project rules that are sections of their own.
    pub elsewhere: &'a [&'a str],
}

impl PromptComposer<'_> {
    /// Composes what this task takes of these stores, and its body.
    pub fn compose(&self, task: TaskKind, stores: &[&ContextStore], body: &str) -> Composed {
        let [en, ko] = HEADINGS;
        let [persistent, volatile] = if self.language == "ko" { ko } else { en };
        let scopes = task.scopes();
        let take = |kind, scopes| self.take(stores, kind, scopes);
        Composed {
            persistent: block(persistent, &take(PersistenceKind::Persistent, scopes.persistent)),
            volatile: block(volatile, &take(PersistenceKind::Volatile, scopes.volatile)),
            body: without_headings(body, HEADINGS.as_flattened()),
        }
    }

    fn take(
        &self,
        stores: &[&ContextStore],
        kind: PersistenceKind,
        scopes: &[ContextScope],
    ) -> ContextSnapshot {
        let mut taken = ContextSnapshot::new();
        let mut described = false;
        for scope in scopes {
            for store in stores.iter().filter(|s| s.scope() == *scope && s.kind() == kind) {
                described |= *scope == Layer && !store.snapshot().is_empty();
                let entries = store.snapshot().iter();
                taken.extend(entries.map(|(key, value)| (key.clone(), value.clone())));
            }
        }
        // The summary stands for the descriptions; beside them it would say everything twice.
        let twice = |key: &str| described && key == key::LAYER_SUMMARY;
        taken.retain(|key, _| !twice(key) && !self.elsewhere.contains(&key.as_str()));
        taken
    }
}

fn block(heading: &str, entries: &ContextSnapshot) -> Option<String> {
    let lines = lines_of(entries);
    (!lines.is_empty()).then(|| format!("{}\n{lines}", heading.trim()))
}
