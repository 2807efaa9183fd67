//! Keeping up with what is said and done (behaviour.md, Sessions).
//!
//! A message joins the window; those that leave it because newer ones have filled it are merged into the running
//! summary, each once. (The design's slice by 800 messages where it means tokens, and its second merge of every reply,
//! are faults; a reply weighs double in what is kept instead.)

use jiff::Timestamp;

use super::file::{ContextFile, WindowMessage};
use crate::ids::{ConversationId, MessageId};
use crate::message::Role;
use crate::privacy::Redactor;
use crate::prose::{self, Material};
use crate::summary::{cut, fit, language_of, running_limit};
use crate::workflow::Workflow;

/// Tokens of the window (behaviour.md, Sessions).
pub const WINDOW_KEEP: u64 = 800;

/// Decisions that a session remembers; all of them are in the workflow.
pub const LAST_DECISIONS: usize = 5;

/// Characters of a message that are kept: more than a hydrated prompt ever shows of one.
const MESSAGE_CHARS: usize = 16 * 1024;

/// Weight, in what is kept, of what the assistant said.
const ASSISTANT: f64 = 2.0;

/// A message that is registered.
#[derive(Clone, Copy, Debug)]
pub struct Registered<'a> {
    /// Its id.
    pub id: MessageId,
    /// The conversation it is said in.
    pub conversation_id: ConversationId,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: &'a str,
    /// Whether more was to come.
    pub interrupted: bool,
}

/// Messages that leave the window.
#[derive(Clone, Copy, Debug)]
pub struct Leaving<'a> {
    /// The running summary so far.
    pub previous: &'a str,
    /// The messages, oldest first.
    pub messages: &'a [WindowMessage],
    /// Most characters of the new summary.
    pub limit: usize,
}

/// How a message is registered.
#[derive(Clone, Copy)]
pub struct Registering<'a> {
    /// The language of the conversation, `ko` or `en`.
    pub language: &'a str,
    /// Tokens of the window.
    pub window_keep: u64,
    /// Tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
    /// Makes one summary of what there was and what leaves: [`extractive`], or what a model wrote.
    pub summarise: &'a dyn Fn(&Leaving<'_>) -> String,
}

/// The session with one more message, without its secrets (behaviour.md, Sessions).
pub fn register_message(
    file: &ContextFile,
    said: Registered<'_>,
    now: Timestamp,
    with: &Registering<'_>,
) -> ContextFile {
    let mut next = file.clone();
    let Registered { id, conversation_id, role, content, interrupted } = said;
    let content = as_kept(content);
    if content.is_empty() {
        return next;
    }
    next.stats.total_tokens = next.stats.total_tokens.saturating_add((with.count)(&content));
    next.stats.dialog_turns += u64::from(role == Role::User);
    next.updated_at = now.to_string();
    let message = WindowMessage {
        role: name_of(role).to_owned(),
        content: shortened(content),
        ts: now.to_string(),
        interrupted,
        message_id: Some(id.to_string()),
        conversation_id: Some(conversation_id.to_string()),
        ..WindowMessage::default()
    };
    let conversation = &mut next.conversation;
    conversation.recent_window.push(message);
    let start = window_start(&conversation.recent_window, with);
    if start > 0 {
        let limit = usize::try_from(running_limit(with.language)).unwrap_or(usize::MAX);
        let messages: Vec<WindowMessage> = conversation.recent_window.drain(..start).collect();
        let previous = &conversation.running_summary;
        let summary = (with.summarise)(&Leaving { previous, messages: &messages, limit });
        conversation.running_summary = fit(&summary, limit).to_owned();
    }
    next
}

/// A message as a session keeps it: without its secrets.
pub(super) fn as_kept(content: &str) -> String {
    Redactor::always().redact(content.trim()).text.into_owned()
}

fn shortened(content: String) -> String {
    match cut(&content, MESSAGE_CHARS) {
        begin if begin.len() < content.len() => format!("{begin}…"),
        _ => content,
    }
}

/// Where the window begins: as many of the newest messages as fit, and the newest in any case.
fn window_start(messages: &[WindowMessage], with: &Registering<'_>) -> usize {
    let mut tokens = 0;
    let older = messages.iter().enumerate().rev().find(|(place, message)| {
        tokens += (with.count)(&message.content);
        tokens > with.window_keep && place + 1 < messages.len()
    });
    older.map_or(0, |(place, _)| place + 1)
}

/// The densest sentences of the summary so far and of what leaves, as clean prose (the Sessions design, section 5: key phrases
/// that are put together again).
pub fn extractive(leaving: &Leaving<'_>) -> String {
    let mut material = Material::new();
    material.add(prose::blocks(leaving.previous), 1.0);
    for message in leaving.messages {
        match message.role == name_of(Role::Assistant) {
            true => material.add(prose::blocks_of_reply(&message.content), ASSISTANT),
            false => material.add(prose::blocks(&message.content), 1.0),
        }
    }
    let chars = |text: &str| text.chars().count() as u64;
    let chosen = material.choose(leaving.limit as u64, |weight, _| weight, chars);
    match chosen.is_empty() {
        // No sentence is short enough: the beginning says more than nothing.
        true => material.beginning(leaving.limit),
        false => chosen.into_iter().map(|(line, _)| line).collect::<Vec<_>>().join("\n"),
    }
}

pub(super) fn name_of(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// What the work is done with.
#[derive(Clone, Copy, Debug)]
pub struct Workplace<'a> {
    /// The plans and decisions.
    pub workflow: &'a Workflow,
    /// Files that were worked with last, as paths in the project.
    pub open_files: &'a [String],
    /// Where the work is done.
    pub working_directory: &'a str,
}

/// The session that knows the plan, the last decisions and the open files of now.
pub fn remember(file: &ContextFile, place: &Workplace<'_>, now: Timestamp) -> ContextFile {
    let mut next = file.clone();
    let decisions = &place.workflow.decisions;
    let last = &decisions[decisions.len().saturating_sub(LAST_DECISIONS)..];
    let clean = |text: &str| Redactor::always().redact(text).text.into_owned();
    next.memory.active_plan_id = place.workflow.current_plan_id.clone();
    next.memory.active_task_id = place.workflow.current_task_id.clone();
    next.memory.last_decisions = last.iter().map(|decision| clean(&decision.text)).collect();
    next.memory.open_files = place.open_files.to_vec();
    place.working_directory.clone_into(&mut next.memory.working_directory);
    if next.memory != file.memory {
        next.updated_at = now.to_string();
    }
    next
}

/// The session after another plan or task is worked on (behaviour.md, Sessions). The running summary stays, or begins
/// anew with what the plan says of itself.
pub fn plan_switched(
    file: &ContextFile,
    workflow: &Workflow,
    reset: bool,
    now: Timestamp,
) -> ContextFile {
    let mut next = file.clone();
    next.memory.active_plan_id = workflow.current_plan_id.clone();
    next.memory.active_task_id = workflow.current_task_id.clone();
    next.updated_at = now.to_string();
    if reset {
        let plan = workflow.current_plan();
        let text = plan.map_or("", |plan| match plan.description.trim() {
            "" => &plan.title,
            description => description,
        });
        let text = Redactor::always().redact(text).text;
        let limit = usize::try_from(running_limit(language_of(&text))).unwrap_or(usize::MAX);
        next.conversation.running_summary = fit(&text, limit).to_owned();
    }
    next
}
