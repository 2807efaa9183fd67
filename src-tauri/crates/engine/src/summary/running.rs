//! Running: one short summary of everything that has left a small window of recent messages (behaviour.md, Running).
//!
//! A message leaves when the newer ones have filled the window, and is merged into the summary once. (The design slices
//! by 800 messages where it means tokens, and counts a reply twice; both are faults.) The newest message never leaves.
//! Where a share of the model's window says when, all leaves at once that does not stay whole.

use std::borrow::Borrow;

use jiff::Timestamp;

use super::draft::{Draft, Length, Plan};
use super::due::Terms;
use super::material::label;
use super::overlay::Overlay;
use super::quote::quote;
use super::settings::Policy;
use super::shape::Shape;
use super::text::{Text, said};
use super::turns::Backwards;
use crate::message::{Message, Role};
use crate::tokens::estimate;

/// Characters of the summary (behaviour.md, Running).
pub fn limit(language: &str) -> u64 {
    if language == "ko" { 400 } else { 700 }
}

pub(super) fn due(
    overlay: &Overlay<'_>,
    rest: &[Message],
    terms: &Terms<'_>,
    now: Timestamp,
) -> Option<Draft> {
    let leaving = match terms.newest.due {
        None => &rest[..window_start(rest, terms)],
        Some(due) if terms.waiting(overlay, rest, due) > due => {
            terms.newest.foldable(rest, |message| terms.tokens(message))
        }
        Some(_) => &[],
    };
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

/// What a new session is told, piece by piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hydrated {
    /// The facts that fit, each with its place among those that were given.
    pub facts: Vec<(usize, String)>,
    /// The summary, if it fits.
    pub summary: Option<String>,
    /// What stands above the messages, if it fits.
    pub heading: Option<String>,
    /// The newest messages that fit, oldest first; none without their heading.
    pub dialog: Vec<String>,
}

/// What a new session is told first (behaviour.md, Running): facts about the project, the summary, the recent
/// messages; never more tokens than `limit`. Facts have at most half of them, the oldest messages give way.
pub fn hydrate<M: Borrow<Message>>(
    facts: &[(&str, &str)],
    shape: &Shape<M>,
    limit: u64,
) -> Vec<String> {
    let told = shape.summaries.iter().map(|told| told.text.as_str()).collect::<Vec<_>>().join("\n");
    let told = Some(told).filter(|told| !told.is_empty());
    let messages = shape.raw.iter().rev().map(|raw| raw.message.borrow());
    let newest_first = messages.map(|message| label(message.role, &said(message)));
    let heading = "RECENT DIALOG:";
    fitting(facts, told, heading, newest_first, limit).lines()
}

impl Hydrated {
    /// All of it, one after the other.
    pub fn lines(self) -> Vec<String> {
        let facts = self.facts.into_iter().map(|(_, line)| line);
        facts.chain(self.summary).chain(self.heading).chain(self.dialog).collect()
    }
}

/// The same of what is known otherwise: a summary under its label, and who said what, the newest first.
pub fn hydrated(
    facts: &[(&str, &str)],
    told: Option<(&str, &str)>,
    heading: &str,
    newest_first: impl Iterator<Item = (Role, String)>,
    limit: u64,
) -> Hydrated {
    let told = told.map(|(label, text)| format!("{label}: {}", quote(text)));
    let newest_first = newest_first.map(|(role, text)| label(role, &quote(&text)));
    fitting(facts, told, &format!("{heading}:"), newest_first, limit)
}

fn fitting(
    facts: &[(&str, &str)],
    told: Option<String>,
    heading: &str,
    newest_first: impl Iterator<Item = String>,
    limit: u64,
) -> Hydrated {
    let mut used = 0;
    let mut fits = |line: &str, limit: u64| {
        // With the end of the line.
        let tokens = estimate(line) + 1;
        let fits = used + tokens <= limit;
        used += if fits { tokens } else { 0 };
        fits
    };
    let facts = facts.iter().map(|(label, value)| format!("{label}: {}", quote(value)));
    let facts = facts.enumerate().filter(|(_, line)| fits(line, limit / 2)).collect();
    let summary = told.filter(|line| fits(line, limit));
    let heading = fits(heading, limit).then(|| heading.to_owned());
    let mut dialog = Vec::new();
    if heading.is_some() {
        dialog.extend(newest_first.take_while(|line| fits(line, limit)));
        dialog.reverse();
    }
    Hydrated { facts, summary, heading, dialog }
}
