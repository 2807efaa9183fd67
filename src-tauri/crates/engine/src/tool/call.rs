//! Calls, read from what a model wrote.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::path::spelled;
use super::{Effect, arguments, mcp};
use crate::workflow::WorkflowChange;

/// A call of a file tool. Paths are as the model wrote them: relative to the project's root, checked by nobody yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileCall {
    /// Lists a folder.
    List {
        /// The folder; empty for the root.
        path: String,
    },
    /// Finds files by name.
    Find {
        /// A glob pattern.
        pattern: String,
    },
    /// Searches text.
    Search {
        /// A regular expression.
        pattern: String,
        /// Where; empty for everywhere.
        path: String,
        /// In which files; empty for all.
        files: String,
        /// Whether case counts not.
        ignore_case: bool,
    },
    /// Reads a file.
    Read {
        /// Which.
        path: String,
        /// First line, from 1.
        offset: u64,
        /// Most lines; `None` for as many as are usual.
        limit: Option<u64>,
    },
    /// Replaces a text.
    Edit {
        /// In which file.
        path: String,
        /// The text as it stands there.
        old: String,
        /// What stands there then.
        new: String,
        /// Every occurrence; otherwise there must be exactly one.
        all: bool,
    },
    /// Writes a whole file.
    Write {
        /// Which.
        path: String,
        /// Its text.
        text: String,
    },
    /// Moves a file.
    Move {
        /// Which.
        from: String,
        /// Where to.
        to: String,
    },
    /// Deletes a file.
    Delete {
        /// Which.
        path: String,
    },
}

/// A command that a model wants to run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CommandCall {
    /// The line.
    pub command: String,
    /// What it is for, in the model's words.
    #[serde(default)]
    pub purpose: String,
    /// Seconds until it is ended.
    #[serde(default, deserialize_with = "whole")]
    pub seconds: Option<u64>,
}

/// A call, understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Of a file tool.
    File(FileCall),
    /// Of a command.
    Command(CommandCall),
    /// Reads on in a long result.
    ReadOutput {
        /// Its handle.
        handle: String,
        /// First line, from 1.
        offset: u64,
        /// Most lines.
        limit: Option<u64>,
    },
    /// Reads what memory says at a place.
    ReadMemory {
        /// A folder; empty for the root.
        path: String,
    },
    /// Reads a skill.
    ReadSkill {
        /// Its name.
        name: String,
        /// A file of its folder; empty for its instructions.
        file: String,
    },
    /// Proposes a line of memory.
    Remember {
        /// The line.
        text: String,
        /// What it rests on.
        why: String,
        /// Whether it is about all projects.
        for_all_projects: bool,
    },
    /// Searches earlier conversations.
    SearchConversations {
        /// The words.
        query: String,
    },
    /// Proposes a change of the plan.
    Propose {
        /// The change.
        change: WorkflowChange,
    },
    /// Of a server's tool.
    Mcp {
        /// The server's name.
        server: String,
        /// The tool's own name.
        tool: String,
        /// An object.
        arguments: Value,
    },
}

/// Why a call cannot be understood. Its `Display` is told to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No tool of this name is offered.
    #[error("There is no tool {name}. Call one of those that are described.")]
    Unknown {
        /// As it was called.
        name: String,
    },
    /// The arguments are no JSON object, or not what the tool takes.
    #[error(
        "The arguments of {name} cannot be read: {detail}. Call it again with a JSON object as its schema says."
    )]
    Arguments {
        /// The tool.
        name: String,
        /// What is wrong with them.
        detail: String,
    },
}

#[derive(Deserialize)]
struct At {
    #[serde(default)]
    path: String,
}

#[derive(Deserialize)]
struct Find {
    pattern: String,
}

#[derive(Deserialize)]
struct Search {
    pattern: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    files: String,
    #[serde(default)]
    ignore_case: bool,
}

#[derive(Deserialize)]
struct Read {
    path: String,
    #[serde(default, deserialize_with = "whole")]
    offset: Option<u64>,
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u64>,
}

#[derive(Deserialize)]
struct ReadOn {
    handle: String,
    #[serde(default, deserialize_with = "whole")]
    offset: Option<u64>,
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u64>,
}

#[derive(Deserialize)]
struct Edit {
    path: String,
    old: String,
    new: String,
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
struct Write {
    path: String,
    text: String,
}

#[derive(Deserialize)]
struct Move {
    from: String,
    to: String,
}

#[derive(Deserialize)]
struct Delete {
    path: String,
}

#[derive(Deserialize)]
struct Remember {
    text: String,
    #[serde(default)]
    why: String,
    #[serde(default)]
    for_all_projects: bool,
}

#[derive(Deserialize)]
struct Skill {
    name: String,
    #[serde(default)]
    file: String,
}

#[derive(Deserialize)]
struct Query {
    query: String,
}

/// The folder in which everything lies that a pattern can match.
fn folder_of(pattern: &str) -> &str {
    let literal = pattern.find(['*', '?', '[', '{']).map_or(pattern, |at| &pattern[..at]);
    literal.rfind('/').map_or("", |at| &pattern[..at])
}

/// A whole number, also as models write it that know only floating-point numbers and texts.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Whole(u64),
        Float(f64),
        Text(String),
    }
    let number = match Option::<Written>::deserialize(from) {
        Ok(None) => return Ok(None),
        Ok(Some(Written::Whole(number))) => Some(number),
        // Below this every whole number is one of them.
        Ok(Some(Written::Float(number)))
            if number.fract() == 0.0 && (0.0..9e15).contains(&number) =>
        {
            Some(number as u64)
        }
        Ok(Some(Written::Text(number))) => number.trim().parse().ok(),
        Ok(Some(Written::Float(_))) | Err(_) => None,
    };
    number.map(Some).ok_or_else(|| D::Error::custom("expected a whole number from 0"))
}

impl Call {
    /// Reads a call; empty arguments are an empty object.
    pub fn parse(name: &str, arguments: &str) -> Result<Self, CallError> {
        let unreadable = |detail| CallError::Arguments { name: name.to_owned(), detail };
        let value = arguments::read(arguments).map_err(unreadable)?;
        if !value.is_object() {
            return Err(unreadable("they are not an object".to_owned()));
        }
        if let Some((server, tool)) = mcp::parts_of(name) {
            let (server, tool) = (server.to_owned(), tool.to_owned());
            return Ok(Self::Mcp { server, tool, arguments: value });
        }
        fn of<T: DeserializeOwned>(value: Value) -> Result<T, String> {
            serde_path_to_error::deserialize(value).map_err(|error| error.to_string())
        }
        let call = match name {
            "list_files" => of(value).map(|At { path }| Self::File(FileCall::List { path })),
            "find_files" => {
                of(value).map(|Find { pattern }| Self::File(FileCall::Find { pattern }))
            }
            "search_files" => of(value).map(|Search { pattern, path, files, ignore_case }| {
                Self::File(FileCall::Search { pattern, path, files, ignore_case })
            }),
            "read_file" => of(value).map(|Read { path, offset, limit }| {
                Self::File(FileCall::Read { path, offset: offset.unwrap_or(1).max(1), limit })
            }),
            "edit_file" => of(value).map(|Edit { path, old, new, all }| {
                Self::File(FileCall::Edit { path, old, new, all })
            }),
            "write_file" => {
                of(value).map(|Write { path, text }| Self::File(FileCall::Write { path, text }))
            }
            "move_file" => {
                of(value).map(|Move { from, to }| Self::File(FileCall::Move { from, to }))
            }
            "delete_file" => of(value).map(|Delete { path }| Self::File(FileCall::Delete { path })),
            "run_command" => of(value).map(Self::Command),
            "read_output" => of(value).map(|ReadOn { handle, offset, limit }| Self::ReadOutput {
                handle,
                offset: offset.unwrap_or(1).max(1),
                limit,
            }),
            "read_memory" => of(value).map(|At { path }| Self::ReadMemory { path }),
            "read_skill" => of(value).map(|Skill { name, file }| Self::ReadSkill { name, file }),
            "remember" => of(value).map(|Remember { text, why, for_all_projects }| {
                Self::Remember { text, why, for_all_projects }
            }),
            "search_conversations" => {
                of(value).map(|Query { query }| Self::SearchConversations { query })
            }
            "propose" => of(value).map(|change| Self::Propose { change }),
            _ => return Err(CallError::Unknown { name: name.to_owned() }),
        };
        call.map_err(unreadable)
    }

    /// What carrying it out does to the world. A server's word for its own tools counts for nothing.
    pub fn effect(&self) -> Effect {
        match self {
            Self::File(
                FileCall::List { .. }
                | FileCall::Find { .. }
                | FileCall::Search { .. }
                | FileCall::Read { .. },
            ) => Effect::Reads,
            Self::File(_) => Effect::Changes,
            Self::Command(_) | Self::Mcp { .. } => Effect::Runs,
            Self::ReadOutput { .. }
            | Self::ReadMemory { .. }
            | Self::ReadSkill { .. }
            | Self::SearchConversations { .. } => Effect::Reads,
            Self::Remember { .. } | Self::Propose { .. } => Effect::Proposes,
        }
    }

    /// Every path of the project that it names, [`spelled`] as rules are compared with; empty for the root.
    pub fn paths(&self) -> Vec<String> {
        let paths: Vec<&str> = match self {
            Self::File(call) => match call {
                FileCall::List { path }
                | FileCall::Search { path, .. }
                | FileCall::Read { path, .. }
                | FileCall::Edit { path, .. }
                | FileCall::Write { path, .. }
                | FileCall::Delete { path } => vec![path],
                FileCall::Move { from, to } => vec![from, to],
                FileCall::Find { pattern } => vec![folder_of(pattern)],
            },
            _ => Vec::new(),
        };
        paths.into_iter().map(spelled).collect()
    }

    /// One line that says what it is about, for rows and lists.
    pub fn about(&self) -> String {
        match self {
            Self::File(call) => match call {
                FileCall::List { path } if path.is_empty() => "/".to_owned(),
                FileCall::List { path }
                | FileCall::Read { path, .. }
                | FileCall::Edit { path, .. }
                | FileCall::Write { path, .. }
                | FileCall::Delete { path } => path.clone(),
                FileCall::Find { pattern } | FileCall::Search { pattern, .. } => pattern.clone(),
                FileCall::Move { from, to } => format!("{from} → {to}"),
            },
            Self::Command(call) => call.command.clone(),
            Self::ReadOutput { handle, .. } => handle.chars().take(12).collect(),
            Self::ReadMemory { path } => path.clone(),
            Self::ReadSkill { name, file } if file.is_empty() => name.clone(),
            Self::ReadSkill { name, file } => format!("{name}/{file}"),
            Self::Remember { text, .. } => text.clone(),
            Self::SearchConversations { query } => query.clone(),
            Self::Propose { .. } => String::new(),
            Self::Mcp { arguments, .. } => arguments.to_string(),
        }
    }
}
