//! Cline's tasks of versions before 3, and of its extension for editors before 4: `api_conversation_history.json` in a folder for
//! each, which is a list of what was sent to the model and what it answered.
//!
//! Calls are tags in the running text of a reply, and what they led to is text of the next message; newer ones have blocks
//! for both. What the person typed stands in tags, too, between what the program puts there. `ui_messages.json` beside it
//! says what was typed, and tokens and times where older versions say them nowhere else. Called by `cline`, of which this is
//! the other store.
//!
//! Deliberately absent: which messages were left out of later requests (they are counted), and what a request put in their
//! place; titles and costs, which stand in a list of all tasks.

use std::collections::HashSet;
use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{EntryKind, Session};

use crate::cline::block;
use crate::draft::{Draft, entry, first, number, short, text, timed};
use crate::lines::whole_value;

/// The file of a task that is read, and the one beside it.
pub(crate) const HISTORY: &str = "/api_conversation_history.json";
pub(crate) const BESIDE: &str = "/ui_messages.json";

/// Calls, which are tags of their names.
const CALLS: [&str; 24] = [
    "access_mcp_resource",
    "apply_patch",
    "browser_action",
    "condense",
    "execute_command",
    "focus_chain",
    "generate_explanation",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "read_file",
    "replace_in_file",
    "report_bug",
    "search_files",
    "summarize_task",
    "use_mcp_tool",
    "use_skill",
    "use_subagents",
    "web_fetch",
    "web_search",
    "write_to_file",
    "insert_content",
];

/// Calls that are what the model says, with what of them it says.
const SAID: [(&str, &str); 4] = [
    ("attempt_completion", "result"),
    ("ask_followup_question", "question"),
    ("plan_mode_respond", "response"),
    ("act_mode_respond", "response"),
];

/// Around what the person typed.
const TYPED: [&str; 4] = ["task", "feedback", "answer", "user_message"];

/// How the answer of a call that failed begins.
const FAILED: [&str; 3] = [
    "The tool execution failed",
    "Command failed with exit code",
    "The user denied this operation",
];

/// Stands before the folder in what the program tells its model of the surroundings.
const FOLDER: &str = "# Current Working Directory (";

/// The task whose folder a file lies in.
pub(crate) fn task_of(path: &str) -> Option<&str> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["tasks", task, _] => Some(task),
        _ => None,
    }
}

pub(crate) fn read(task: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let mut reading = Reading { draft, ..Reading::default() };
    reading.draft.session.id = short(task);
    let beside = reading.draft.told(BESIDE);
    let beside = beside.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    reading.beside(beside);
    match whole_value(bytes)? {
        Some(Value::Array(messages)) => reading.all(&messages),
        _ => reading.draft.unreadable(),
    }
    reading.close(beside);
    Ok(reading.draft.done())
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// What was said last.
    tip: Option<usize>,
    /// What the person typed, as the window shows it.
    typed: HashSet<String>,
    /// The call that is not answered yet.
    call: Option<String>,
    /// Whether a message said what it took.
    is_counted: bool,
}

impl Reading {
    /// What the window shows: what was typed, and what was left out.
    fn beside(&mut self, shown: &[Value]) {
        let mut left_out = String::new();
        for line in shown.iter().filter_map(Value::as_object) {
            if matches!(text(line, "say"), Some("task" | "user_feedback")) {
                let typed = text(line, "text").unwrap_or_default().trim();
                self.typed.extend((!typed.is_empty()).then(|| typed.to_owned()));
            }
            let Some(range) = line.get("conversationHistoryDeletedRange") else { continue };
            // It stands at every line from then on, and is empty where nothing was left out.
            let said = range.to_string();
            let ends = [&range[0], &range[1]].map(Value::as_u64);
            if said != left_out && ends[0] <= ends[1] {
                self.draft.beside("messages left out");
            }
            left_out = said;
        }
    }

    fn all(&mut self, messages: &[Value]) {
        for (number, message) in messages.iter().enumerate() {
            match message.as_object() {
                Some(_) if self.draft.passes_over() => {}
                Some(message) => self.message(number, message),
                None => self.draft.unreadable(),
            }
        }
    }

    fn message(&mut self, number: usize, message: &Map<String, Value>) {
        let role = match text(message, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some(other) => return self.draft.unknown(&format!("role {}", short(other))),
            None => return self.draft.unreadable(),
        };
        let at = message.get("ts").and_then(Value::as_i64);
        let key = at.map_or_else(|| number.to_string(), |at| at.to_string());
        let mut parts = Parts::default();
        match message.get("content") {
            Some(Value::String(text)) => self.told(role, &key, text, &mut parts),
            Some(Value::Array(blocks)) => {
                for it in blocks {
                    if it["type"] == "text" {
                        let told = it["text"].as_str().unwrap_or_default();
                        self.told(role, &key, told, &mut parts);
                        continue;
                    }
                    let to = if it["type"] == "tool_result" {
                        &mut parts.answers
                    } else {
                        &mut parts.said
                    };
                    to.extend(block(&mut self.draft, it, role));
                }
            }
            _ => return self.draft.unreadable(),
        }
        let tokens = message.get("metrics").and_then(|it| it.get("tokens"));
        if let Some(tokens) = tokens.filter(|_| role == Role::Assistant) {
            self.is_counted = true;
            let counts = ["prompt", "completion", "cached"].map(|key| self::number(tokens, key));
            self.count(&key, counts, 0);
        }
        let model = message.get("modelInfo").and_then(Value::as_object);
        let model = model.and_then(|model| text(model, "modelId")).map(short);
        for (role, kind, parts) in [
            (Role::Tool, EntryKind::Said, parts.answers),
            (role, EntryKind::Said, parts.said),
            (Role::User, EntryKind::Context, parts.put),
        ] {
            if parts.is_empty() {
                continue;
            }
            let mut new = entry(role, kind);
            (new.key, new.parent, new.parts) = (key.clone(), self.tip, parts);
            new.at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
            new.model = model.clone().filter(|_| role == Role::Assistant);
            self.tip = self.draft.push(new).or(self.tip);
        }
    }

    fn count(&mut self, what: &str, [input, output, cached]: [u64; 3], written: u64) {
        let usage = Usage {
            input_tokens: input,
            output_tokens: output,
            cached_input_tokens: cached,
            cache_write_tokens: written,
            exact: true,
        };
        if input > 0 || output > 0 {
            let what = format!("{} {what}", self.draft.session.id);
            self.draft.count(what, usage);
        }
    }

    fn told(&mut self, role: Role, key: &str, told: &str, parts: &mut Parts) {
        match role {
            Role::Assistant => self.reply(key, told, parts),
            _ => self.sent(told, parts),
        }
    }

    /// A text of a reply: what is said, and the call in it.
    fn reply(&mut self, key: &str, told: &str, parts: &mut Parts) {
        let Some((before, name, inside, after)) = tag_in(told) else {
            return parts.say(&mut self.draft, told);
        };
        parts.say(&mut self.draft, before);
        let said = SAID.iter().find(|(call, _)| *call == name).map(|(_, said)| *said);
        match said {
            Some(said) => {
                let said = between(inside, said).map_or(inside, |(_, said, _)| said);
                parts.say(&mut self.draft, said);
                self.call = None;
            }
            None => {
                let given = Value::Object(given(inside)).to_string();
                parts.said.push(Part::ToolCall {
                    id: key.to_owned(),
                    name: name.to_owned(),
                    arguments: self.draft.text(&given),
                    seal: None,
                });
                self.call = Some(key.to_owned());
            }
        }
        parts.say(&mut self.draft, after);
    }

    /// A text that was sent: an answer, what was typed, or what the program put there.
    fn sent(&mut self, told: &str, parts: &mut Parts) {
        if self.draft.session.folder.is_none() {
            let folder = told.split_once(FOLDER).and_then(|(_, rest)| rest.split_once(") Files"));
            first(&mut self.draft.session.folder, folder.map(|(folder, _)| folder));
        }
        if let Some((name, answer)) = answer_in(told) {
            let is_said = SAID.iter().any(|(call, _)| *call == name);
            if let Some(call) = self.call.take().filter(|_| !is_said) {
                let is_error = FAILED.iter().any(|failed| answer.starts_with(failed));
                let text = self.draft.text(answer);
                let answer = Part::ToolResult { call_id: call, text, is_error, kept: None };
                return parts.answers.push(answer);
            }
        }
        let inside = TYPED.iter().find_map(|tag| between(told, tag));
        let inside = inside.map(|(_, typed, _)| typed.trim());
        let plain = Some(told.trim()).filter(|told| self.typed.contains(*told));
        match inside.or(plain) {
            Some(typed) => parts.say(&mut self.draft, typed),
            None => {
                let text = self.draft.text(told.trim());
                parts.put.extend((!text.is_empty()).then_some(Part::Text { text }));
            }
        }
    }

    /// What older versions say of tokens and times is beside the messages alone.
    fn close(&mut self, shown: &[Value]) {
        let at = |line: &Value| line.get("ts").and_then(Value::as_i64);
        let is_counted = self.is_counted;
        let asked = |line: &&Value| line["say"] == "api_req_started" && !is_counted;
        for line in shown.iter().filter(asked) {
            let said = line["text"].as_str().and_then(|text| serde_json::from_str(text).ok());
            let Some(said @ Value::Object(_)) = said else { continue };
            let counts = ["tokensIn", "tokensOut", "cacheReads"].map(|key| number(&said, key));
            let what = at(line).unwrap_or_default().to_string();
            self.count(&what, counts, number(&said, "cacheWrites"));
        }
        let time = |line: Option<&Value>| {
            line.and_then(at).and_then(|at| Timestamp::from_millisecond(at).ok())
        };
        timed(&mut self.draft.session, [time(shown.first()), time(shown.last())]);
    }
}

/// What a message has: what is said, what the program put there, and what calls led to.
#[derive(Default)]
struct Parts {
    said: Vec<Part>,
    put: Vec<Part>,
    answers: Vec<Part>,
}

impl Parts {
    fn say(&mut self, draft: &mut Draft, told: &str) {
        let text = draft.text(told.trim());
        self.said.extend((!text.is_empty()).then_some(Part::Text { text }));
    }
}

/// The first call in a text: what stands before it, its name, what is in it, and what stands behind it.
fn tag_in(told: &str) -> Option<(&str, &'static str, &str, &str)> {
    let names = || CALLS.into_iter().chain(SAID.iter().map(|(name, _)| *name));
    for (at, _) in told.match_indices('<') {
        let begin = &told[at + 1..];
        let tag = |name: &&'static str| {
            begin.strip_prefix(*name).is_some_and(|rest| rest.starts_with('>'))
        };
        let is_line = told[..at].trim_end_matches([' ', '\t']);
        let is_line = is_line.is_empty() || is_line.ends_with('\n');
        let Some(name) = names().find(tag).filter(|_| is_line) else { continue };
        let inside = &begin[name.len() + 1..];
        // A reply that was cut off has no end of it.
        let (inside, after) = inside.rsplit_once(&format!("</{name}>")).unwrap_or((inside, ""));
        return Some((&told[..at], name, inside, after));
    }
    None
}

/// What stands before, between and behind a tag and its end.
fn between<'t>(told: &'t str, tag: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (before, rest) = told.split_once(&format!("<{tag}>"))?;
    let (inside, after) = rest.rsplit_once(&format!("</{tag}>"))?;
    Some((before, inside, after))
}

/// Values in which such tags may stand themselves.
const LONG: [&str; 4] = ["arguments", "content", "diff", "result"];

/// What a call is given: a tag for each value.
fn given(mut inside: &str) -> Map<String, Value> {
    let mut found = Map::new();
    while let Some((name, rest)) =
        inside.trim_start().strip_prefix('<').and_then(|rest| rest.split_once('>'))
    {
        let is_name =
            !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        if !is_name {
            break;
        }
        let end = format!("</{name}>");
        let parted = match LONG.contains(&name) {
            true => rest.rsplit_once(&end),
            false => rest.split_once(&end),
        };
        let (value, rest) = parted.unwrap_or((rest, ""));
        found.insert(short(name), Value::from(value.trim_matches('\n')));
        inside = rest;
    }
    found
}

/// The name of the call that a text answers, and the answer.
fn answer_in(told: &str) -> Option<(&str, &str)> {
    let (head, answer) = told.strip_prefix('[')?.split_once("] Result:")?;
    let name = head.split(' ').next()?;
    let known = CALLS.contains(&name) || SAID.iter().any(|(call, _)| *call == name);
    known.then(|| (name, answer.trim()))
}
