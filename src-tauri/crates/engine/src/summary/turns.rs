//! Turns of a path: a question, the work between, and the answer (behaviour.md, Turns).
//!
//! A turn ends with a reply that is whole and waits for no tool. Only such turns have numbers; what an interrupted or
//! failed turn left behind belongs to the next one, as its beginning.

use crate::message::{Message, MessageStatus, Part, Role};

/// Consecutive messages that belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnView<'a> {
    /// Counted from 1; `None` while it is not completed.
    pub number: Option<u32>,
    /// Its messages, never none.
    pub messages: &'a [Message],
}

/// Parts consecutive messages into turns; `before` completed turns precede them. Only the last may be open.
pub fn turns(messages: &[Message], before: u32) -> Vec<TurnView<'_>> {
    let view = |(number, messages): (u32, _)| TurnView {
        number: <[Message]>::last(messages).is_some_and(ends_turn).then_some(number),
        messages,
    };
    (before + 1..).zip(messages.split_inclusive(ends_turn)).map(view).collect()
}

/// Whether a turn ends here: a whole reply that waits for no tool.
pub(crate) fn ends_turn(message: &Message) -> bool {
    message.role == Role::Assistant
        && message.status == MessageStatus::Complete
        && open_calls(message).next().is_none()
}

/// The calls of a message that it does not hold the result of.
fn open_calls(message: &Message) -> impl Iterator<Item = &str> {
    let answered: Vec<&str> = message.parts.iter().filter_map(answered_call).collect();
    let calls = message.parts.iter().filter_map(call);
    calls.filter(move |id| !answered.contains(id))
}

fn call(part: &Part) -> Option<&str> {
    match part {
        Part::ToolCall { id, .. } => Some(id),
        _ => None,
    }
}

fn answered_call(part: &Part) -> Option<&str> {
    match part {
        Part::ToolResult { call_id, .. } => Some(call_id),
        _ => None,
    }
}

/// Follows a path backwards and says where it may be parted without taking a result from its call.
#[derive(Debug, Default)]
pub(super) struct Backwards {
    wanted: Vec<String>,
}

impl Backwards {
    /// Goes on to the message before; whether a stretch may begin with it.
    pub(super) fn may_begin_with(&mut self, message: &Message) -> bool {
        if ends_turn(message) {
            // A result whose call is not in its turn has none.
            self.wanted.clear();
        }
        self.wanted.extend(message.parts.iter().filter_map(answered_call).map(str::to_owned));
        self.wanted.retain(|id| !message.parts.iter().filter_map(call).any(|call| call == id));
        self.wanted.is_empty()
    }
}
