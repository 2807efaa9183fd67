//! `context.json` (behaviour.md, Sessions), and how it and `workflow.json` are read and written.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use jiff::Timestamp;

use crate::privacy::Redactor;

/// The version of the form that is written.
pub const VERSION: &str = "1.0";

/// The first part of a version that is understood.
const MAJOR: u64 = 1;

/// What a session remembers. Its times are texts: they are shown, and nothing is decided by them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct ContextFile {
    /// The version of its form.
    pub version: String,
    /// When the session began.
    pub created_at: String,
    /// When it was written last.
    pub updated_at: String,
    /// What is worked on.
    pub memory: SessionMemory,
    /// What was said.
    pub conversation: ConversationState,
    /// How much was said.
    pub stats: SessionStats,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// What is worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct SessionMemory {
    /// The plan, by its id in the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_plan_id: Option<String>,
    /// The task, by its id in the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_task_id: Option<String>,
    /// What was decided last, oldest first.
    pub last_decisions: Vec<String>,
    /// Files that were worked with last, as paths in the project.
    pub open_files: Vec<String>,
    /// Where the work is done.
    pub working_directory: String,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// What was said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "SessionConversation"))]
#[serde(default)]
pub struct ConversationState {
    /// What left the window, in a few sentences.
    pub running_summary: String,
    /// The newest messages, oldest first.
    pub recent_window: Vec<WindowMessage>,
    /// What an embedder made of messages; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub vector_cache: Option<Vec<Value>>,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// A message of the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct WindowMessage {
    /// `user`, `assistant`, `system` or `tool`.
    pub role: String,
    /// What was said.
    pub content: String,
    /// When.
    pub ts: String,
    /// A reply that was stopped or cut off: more was to come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub interrupted: bool,
    /// The message, by its id; absent where another program wrote the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub message_id: Option<String>,
    /// The conversation it was said in, so that it goes with that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub conversation_id: Option<String>,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// How much was said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct SessionStats {
    /// Questions that were asked.
    pub dialog_turns: u64,
    /// Tokens of all messages.
    pub total_tokens: u64,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

impl Default for ContextFile {
    fn default() -> Self {
        Self {
            version: VERSION.to_owned(),
            created_at: String::new(),
            updated_at: String::new(),
            memory: SessionMemory::default(),
            conversation: ConversationState::default(),
            stats: SessionStats::default(),
            rest: Map::new(),
        }
    }
}

impl ContextFile {
    /// A session that begins.
    pub fn new(now: Timestamp) -> Self {
        let now = now.to_string();
        Self { created_at: now.clone(), updated_at: now, ..Self::default() }
    }
}

/// What the bytes of a file turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed<T> {
    /// A file of a form we know. What a newer minor version adds is kept as it is.
    Known(T),
    /// A file of a newer major version, which is never written; `file` is what can be understood of it.
    Newer {
        /// Its version.
        version: String,
        /// What can be understood.
        file: Option<T>,
    },
    /// No such file: it is set aside with its bytes.
    Broken {
        /// What is wrong.
        detail: String,
    },
}

/// Reads a file. Fields that an older or hand-written one lacks are filled; a version that is a number, or is not there,
/// is written as text from then on.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Parsed<T> {
    let broken = |detail: String| Parsed::Broken { detail };
    // Editors of some systems begin a text with a mark.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return broken(error.to_string()),
    };
    let Some(fields) = value.as_object_mut() else {
        return broken("it is no JSON object".to_owned());
    };
    let version = match fields.get("version") {
        None | Some(Value::Null) => VERSION.to_owned(),
        Some(Value::String(version)) => version.clone(),
        Some(Value::Number(number)) if number.is_u64() => format!("{number}.0"),
        Some(other) => other.to_string(),
    };
    let Some(major) = version.split('.').next().and_then(|major| major.parse::<u64>().ok()) else {
        return broken(format!("{version} is no version"));
    };
    fields.insert("version".to_owned(), Value::String(version.clone()));
    match serde_json::from_value(value) {
        file if major > MAJOR => Parsed::Newer { version, file: file.ok() },
        Ok(file) => Parsed::Known(file),
        Err(error) => broken(error.to_string()),
    }
}

/// The bytes of a file, in the form of the design, without secrets.
pub fn to_bytes<T: Serialize + DeserializeOwned>(file: &T) -> serde_json::Result<Vec<u8>> {
    let mut value = serde_json::to_value(file)?;
    clean(&mut value);
    // Through the type again: a map alone would forget the order of the fields.
    let file: T = serde_json::from_value(value)?;
    let mut bytes = serde_json::to_vec_pretty(&file)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => {
            let redacted = Redactor::always().redact(text);
            if !redacted.found.is_empty() {
                *text = redacted.text.into_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
