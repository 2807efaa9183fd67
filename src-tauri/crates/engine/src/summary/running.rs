//! Running: one short summary of everything that has left a small window of recent messages (seed 001).
//!
//! A message leaves when the newer ones have filled the window, and is merged into the summary once. (The seed slices
//! by 800 messages where it means tokens, and counts a reply twice; both are faults.) The newest message never leaves.

use std::borrow::Borrow;

use jiff::Timestamp;

use super::draft::{Draft, Length, Plan, label};
use super::due::Terms;
use super::overlay::Overlay;
use super::quote::quote;
use super::settings::Policy;
use super::shape::Shape;
use super::text::{Text, said};
use super::turns::Backwards;
use crate::message::Message;
use crate::tokens::estimate;

/// Characters of the summary (seed 001, section 5).
pub(super) fn limit(language: &str) -> u64 {
    if language == "ko" { 400 } else { 700 }
}

pub(super) fn due(
    overlay: &Overlay<'_>,
    rest: &[Message],
    terms: &Terms<'_>,
    now: Timestamp,
) -> Option<Draft> {
    let (leaving, _) = rest.split_at(window_start(rest, terms));
    let previous = overlay.records();
    let plan = Plan {
        policy: Policy::Running,
        previous,
        messages: leaving,
        first_index: overlay.end(),
        turns_before: overlay.turns(),
        prompt: if previous.is_empty() { Text::RunningFirst } else { Text::Running },
        message_limit: None,
        length: &|_| Length::Within(limit(terms.language)),
    };
    (!leaving.is_empty()).then(|| Draft::new(&plan, overlay, terms, now)).flatten()
}

/// Where the window begins: as many of the newest messages as fit, at least one.
fn window_start(rest: &[Message], terms: &Terms<'_>) -> usize {
    let mut start = rest.len();
    let mut tokens = 0;
    let mut backwards = Backwards::default();
    for (at, message) in rest.iter().enumerate().rev() {
        tokens += terms.tokens(message);
        if tokens > terms.settings.window_keep && start < rest.len() {
            break;
        }
        if backwards.may_begin_with(message) {
            start = at;
        }
    }
    // A result without its call has nothing to stay with.
    if start == rest.len() { start.saturating_sub(1) } else { start }
}

/// What a new session is told first (seed 001, `hydrate_prompt`): facts about the project, the summary, the recent
/// messages; never more tokens than `limit`. Facts have at most half of them, the oldest messages give way.
pub fn hydrate<M: Borrow<Message>>(
    facts: &[(&str, &str)],
    shape: &Shape<M>,
    limit: u64,
) -> Vec<String> {
    let mut used = 0;
    let mut fits = |line: &str, limit: u64| {
        let tokens = estimate(line);
        let fits = used + tokens <= limit;
        used += if fits { tokens } else { 0 };
        fits
    };
    let facts = facts.iter().map(|(label, value)| format!("{label}: {}", quote(value)));
    let mut lines: Vec<String> = facts.filter(|line| fits(line, limit / 2)).collect();
    let told = shape.summaries.iter().map(|told| told.text.clone());
    lines.extend(told.chain(["RECENT DIALOG:".to_owned()]).filter(|line| fits(line, limit)));
    let messages = shape.raw.iter().rev().map(|raw| raw.message.borrow());
    let dialog = messages.map(|message| label(message.role, &said(message)));
    let mut dialog: Vec<String> = dialog.take_while(|line| fits(line, limit)).collect();
    dialog.reverse();
    lines.extend(dialog);
    lines
}
