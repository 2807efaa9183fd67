//! Tool calls and their results, which go together or not at all: a provider refuses one without the other.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;

use crate::message::{Message, Part};

/// Neighbouring messages that go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Their places.
    pub(crate) places: Range<usize>,
    /// Whether a result among them answers a call that is not at hand.
    pub(crate) orphaned: bool,
}

/// All messages in groups, oldest first: from a call to its last result, and what was said between them. Two looks at
/// every message, however the pairs lie.
pub(crate) fn groups<M: Borrow<Message>>(messages: &[M]) -> Vec<Group> {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let mut start = place;
        let mut orphaned = false;
        for part in &message.borrow().parts {
            match part {
                // Some servers number the calls of every turn anew: a result answers the latest call of its id.
                Part::ToolCall { id, .. } => {
                    calls.insert(id, place);
                }
                Part::ToolResult { call_id, .. } => match calls.get(call_id.as_str()) {
                    Some(call) => start = start.min(*call),
                    None => orphaned = true,
                },
                _ => {}
            }
        }
        while let Some(before) = groups.pop_if(|before| before.places.end > start) {
            start = start.min(before.places.start);
            orphaned |= before.orphaned;
        }
        groups.push(Group { places: start..place + 1, orphaned });
    }
    groups
}

/// Place of the group that holds a message.
pub(super) fn holder(groups: &[Group], place: usize) -> usize {
    groups.partition_point(|group| group.places.end <= place)
}
