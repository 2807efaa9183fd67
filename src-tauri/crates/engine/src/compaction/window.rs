//! The sliding window (behaviour.md, Compaction): the newest messages that fit.

use super::{Overflow, Selection, block, newest_question, pairs, total};
use crate::message::Message;

/// The newest messages that fit in `budget`, back to the first that does not: without a hole, with whole tool pairs, and
/// with all that was said since the newest question, which has to fit. The window ends where a tool's result lacks its
/// call.
///
/// `strict`: the design's loop, which passes over what does not fit and goes on with older messages, and counts a
/// message's own tokens alone.
pub fn window(messages: &[Message], budget: u64, strict: bool) -> Result<Selection, Overflow> {
    if strict {
        return Ok(as_written(messages, budget));
    }
    let groups = pairs::groups(messages);
    let holder = pairs::holder(&groups, newest_question(messages));
    let mut start = groups.get(holder).map_or(messages.len(), |group| group.places.start);
    let mut tokens = total(&messages[start..]);
    if tokens > budget {
        return Err(Overflow::of(messages[start..].iter().map(block).collect(), budget));
    }
    for group in groups[..holder.min(groups.len())].iter().rev() {
        let more = total(&messages[group.places.clone()]);
        if group.orphaned || tokens + more > budget {
            break;
        }
        tokens += more;
        start = group.places.start;
    }
    Ok(Selection { kept: (start..messages.len()).collect(), tokens })
}

fn as_written(messages: &[Message], max_tokens: u64) -> Selection {
    let mut selection = Selection::default();
    for (place, message) in messages.iter().enumerate().rev() {
        if selection.tokens + message.tokens <= max_tokens {
            selection.kept.push(place);
            selection.tokens += message.tokens;
        }
    }
    selection.kept.reverse();
    selection
}
