//! Rolling summaries: when one is due, what it covers, and how the Rolling design writes the request.
//!
//! Each summary covers everything its predecessor did plus the messages since, so only the newest is shown. The Rolling design
//! sends the newest six messages after it and loses the ones between: here every message after the summary stays
//! whole while the budget allows, and under `strict` the six are cut as the design cuts them.

use std::borrow::Borrow;

use jiff::Timestamp;

use super::draft::{Draft, Length, Plan};
use super::due::Terms;
use super::material::label;
use super::overlay::Overlay;
use super::settings::Policy;
use super::shape::{Raw, Told};
use super::text::{Text, cut, said};
use super::turns::turns;
use crate::message::Message;
use crate::tokens::estimate;

/// Characters of a message in a request (behaviour.md, Rolling).
pub(super) const REQUEST_CHARS: usize = 2_000;

/// Characters of a message in the prompt of a summary (behaviour.md, Rolling).
pub(super) const PROMPT_CHARS: usize = 3_000;

/// A draft when more tokens than the threshold, or than the share of the window, are not summarised (the Rolling design,
/// `shouldSummarize`).
pub(super) fn due(
    overlay: &Overlay<'_>,
    rest: &[Message],
    terms: &Terms<'_>,
    now: Timestamp,
) -> Option<Draft> {
    let due = terms.newest.due.unwrap_or(terms.settings.threshold);
    if terms.waiting(overlay, rest, due) <= due {
        return None;
    }
    let rest = terms.newest.foldable(rest, |message| terms.tokens(message));
    let messages = if terms.settings.strict { rest } else { readable(overlay, rest, terms.room) };
    let previous = overlay.records();
    let plan = Plan {
        policy: Policy::Rolling,
        previous,
        messages,
        first_index: overlay.end(),
        turns_before: overlay.turns(),
        prompt: if previous.is_empty() { Text::First } else { Text::Next },
        message_limit: Some(PROMPT_CHARS),
        length: &|_| Length::Words,
    };
    (!messages.is_empty()).then(|| Draft::new(&plan, overlay, terms, now)).flatten()
}

/// The oldest completed turns that a model reads at once, at least one: a question that is being answered stays.
fn readable<'a>(overlay: &Overlay<'_>, rest: &'a [Message], room: u64) -> &'a [Message] {
    let mut tokens = 0;
    let mut end = 0;
    for turn in turns(rest, overlay.turns()) {
        let read = turn.messages.iter().map(|message| estimate(cut(&said(message), PROMPT_CHARS)));
        tokens += read.sum::<u64>();
        if turn.number.is_none() || (end > 0 && tokens > room) {
            break;
        }
        end += turn.messages.len();
    }
    &rest[..end]
}

/// What stands before the question in the one message.
const CURRENT: &str = "[CURRENT MESSAGE]\n";

/// What was asked with a message that [`single_message`] wrote.
pub fn asked_in(message: &str) -> &str {
    // In what stands before it, such a line is quoted.
    message.split_once(CURRENT).map_or(message, |(_, asked)| asked)
}

/// The whole request as one message of the user, as the Rolling design writes its cases A, B and C.
pub fn single_message<M: Borrow<Message>>(
    summaries: &[Told],
    raw: &[Raw<M>],
    draft: &str,
) -> String {
    if summaries.is_empty() && raw.is_empty() {
        return draft.to_owned();
    }
    let mut blocks = Vec::new();
    if !summaries.is_empty() {
        let told: Vec<&str> = summaries.iter().map(|told| told.text.as_str()).collect();
        blocks.push(told.join("\n"));
    }
    if !raw.is_empty() {
        let lines = raw.iter().map(|raw| {
            let message = raw.message.borrow();
            let said = said(message);
            label(message.role, raw.cut.map_or(said.as_str(), |limit| cut(&said, limit)))
        });
        let lines: Vec<String> = lines.collect();
        blocks.push(format!("[RECENT MESSAGES]\n{}", lines.join("\n")));
    }
    blocks.push(format!("{CURRENT}{draft}"));
    blocks.join("\n\n")
}
