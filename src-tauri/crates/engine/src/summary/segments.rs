//! Segments: one summary for every three completed turns (behaviour.md, Segments), and what keeps their number bounded.
//!
//! The design summarises turns 1-3 when turn 4 opens, 4-6 when turn 7 opens, and so on. Here a segment is made as soon
//! as its third turn closes, so that the next question seldom waits; it enters the history when that question comes,
//! and a rate changed in between discards it. Where a share of the model's window says when, segments of three turns are
//! made until what is left is what stays whole. A segment that failed is made at the next occasion, its turns stay whole
//! until then. When the summaries outgrow their share of the budget, the oldest are merged into one of a higher level.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::Timestamp;

use super::draft::{Draft, Length, Plan};
use super::due::{Moment, Terms};
use super::overlay::Overlay;
use super::record::Record;
use super::settings::{Policy, Rate};
use super::shape::Told;
use super::text::Text;
use super::turns::turns;
use crate::ids::SummaryId;
use crate::message::Message;
use crate::tokens::{MESSAGE_OVERHEAD, estimate};

/// How long a question waits for a segment that is due or being made; then its turns are sent whole.
pub const TURN_WAIT: Duration = Duration::from_secs(10);

/// Turns of a segment (behaviour.md, Segments).
const TURNS: u32 = 3;

/// Summaries may have one in so many of the budget's tokens before the oldest are merged.
const SHARE: u64 = 4;

/// While more segments wait to be made, summaries may have so many times their share: what is merged every time anew is
/// told in fewer words every time.
const MOST_SHARES: u64 = 4;

/// When a segment is summarised, by the number of the turn that opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentPolicy {
    turns: u32,
}

impl SegmentPolicy {
    /// A policy of segments of so many turns; the Segments design has three.
    pub fn of_turns(turns: u32) -> Self {
        Self { turns: turns.max(1) }
    }

    /// The turns to summarise when this turn opens (behaviour.md, Segments).
    pub fn due(self, turn: u32) -> Option<RangeInclusive<u32>> {
        let closed = turn.saturating_sub(1);
        (closed > 0 && closed.is_multiple_of(self.turns)).then(|| turn - self.turns..=closed)
    }
}

pub(super) fn due(
    moment: Moment,
    overlay: &Overlay<'_>,
    rest: &[Message],
    terms: &Terms<'_>,
    now: Timestamp,
) -> Option<Draft> {
    if terms.settings.strict && moment != Moment::TurnOpens {
        return None;
    }
    let segment = || {
        let messages = match terms.newest.due {
            None => segment(overlay, rest),
            Some(due) => segment_of_share(overlay, rest, terms, due),
        };
        let rate = terms.settings.rate;
        let plan = Plan {
            policy: Policy::Segments,
            previous: &[],
            messages: messages?,
            first_index: overlay.end(),
            turns_before: overlay.turns(),
            prompt: Text::Segment,
            message_limit: None,
            length: &|original| Length::Near(rate.target(original)),
        };
        Draft::new(&plan, overlay, terms, now)
    };
    let merge = |shares| merge(overlay, terms, shares, now);
    match moment {
        Moment::TurnOpens => segment(),
        Moment::TurnClosed => segment().or_else(|| merge(1)),
        Moment::OneMade => merge(MOST_SHARES).or_else(segment).or_else(|| merge(1)),
    }
}

/// The oldest turns that are not summarised, when the count of those says that it is time.
fn segment<'a>(overlay: &Overlay<'_>, rest: &'a [Message]) -> Option<&'a [Message]> {
    let views = turns(rest, overlay.turns());
    let closed = views.iter().filter(|turn| turn.number.is_some()).count();
    SegmentPolicy::of_turns(TURNS).due(u32::try_from(closed + 1).ok()?)?;
    let count = next_turns(overlay);
    let length: usize = views.iter().take(count).map(|turn| turn.messages.len()).sum();
    (closed >= count).then(|| &rest[..length])
}

/// The oldest three turns that may be folded, when more tokens wait than may; fewer where they are so long that no three
/// may be. Once begun, folding goes on until hardly more waits than stays whole, so that the beginning of the request
/// changes seldom.
fn segment_of_share<'a>(
    overlay: &Overlay<'_>,
    rest: &'a [Message],
    terms: &Terms<'_>,
    due: u64,
) -> Option<&'a [Message]> {
    let newest = rest.last()?;
    let goes_on = overlay.records().last().is_some_and(|it| it.created_at >= newest.created_at);
    let most = if goes_on { due.min(terms.newest.keeps) } else { due };
    if terms.waiting(overlay, rest, due) <= most {
        return None;
    }
    let foldable = terms.newest.foldable(rest, |message| terms.tokens(message));
    let views = turns(foldable, overlay.turns());
    let closed = views.iter().filter(|turn| turn.number.is_some()).count();
    let wanted = next_turns(overlay);
    if closed < wanted && (goes_on || due == 0) {
        return None;
    }
    let count = wanted.min(closed);
    let length: usize = views.iter().take(count).map(|turn| turn.messages.len()).sum();
    // As many turns as came out no shorter would do so again.
    (count > overlay.turns_kept_whole(Policy::Segments) as usize).then(|| &foldable[..length])
}

/// How many turns the next segment has: three, beside those that came out no shorter when they were summarised. A few
/// words cannot be told in fewer, and would keep all that follows from being told.
pub fn next_turns(overlay: &Overlay<'_>) -> usize {
    (overlay.turns_kept_whole(Policy::Segments) + TURNS) as usize
}

/// How many turns, the open one included, close before the next segment is made.
pub(super) fn turns_left(overlay: &Overlay<'_>, rest: &[Message]) -> u32 {
    let closed = turns(rest, overlay.turns()).iter().filter(|turn| turn.number.is_some()).count();
    TURNS - u32::try_from(closed).unwrap_or(0) % TURNS
}

/// The oldest summaries as one, once all of them have more than so many shares.
fn merge(overlay: &Overlay<'_>, terms: &Terms<'_>, shares: u64, now: Timestamp) -> Option<Draft> {
    let cost = |record: &Record| estimate(&record.summary) + MESSAGE_OVERHEAD;
    let mut tokens: u64 = overlay.folded().map(cost).sum();
    let share = terms.budget / SHARE;
    if terms.settings.strict || tokens <= share * shares {
        return None;
    }
    let (_, older) = overlay.records().split_last()?;
    let first = older.iter().position(|record| record.unfolded_at.is_none())?;
    let mut count = 0;
    for record in older[first..].iter().take_while(|record| record.unfolded_at.is_none()) {
        if count >= 2 && tokens <= share / 2 {
            break;
        }
        tokens -= cost(record);
        count += 1;
    }
    let oldest = &older[first..first + count];
    let rate = terms.settings.rate;
    let chars: u64 = oldest.iter().map(|record| record.summary_chars).sum();
    let plan = Plan {
        policy: Policy::Segments,
        previous: oldest,
        messages: &[],
        first_index: overlay.end(),
        turns_before: overlay.turns(),
        prompt: Text::Merge,
        message_limit: None,
        length: &|_| Length::Near(rate.target(chars)),
    };
    (count >= 2).then(|| Draft::new(&plan, overlay, terms, now)).flatten()
}

/// A segment that was made ahead and has not entered the history, when it was made with another rate than the one
/// that holds now. To be deleted when the rate changes and when a question comes; `messages` is the number of messages
/// on the path before that question.
pub fn to_discard(overlay: &Overlay<'_>, messages: u64, rate: Rate) -> Option<SummaryId> {
    let newest = overlay.records().last()?;
    let ahead = newest.policy == Policy::Segments
        && newest.level == 1
        && !newest.edited
        && newest.coverage.end() == messages;
    (ahead && newest.compression_rate != rate).then_some(newest.id)
}

/// The system prompt as the Segments design writes it: the first line, then all summaries.
pub fn system_prompt(summaries: &[Told], language: &str) -> String {
    let mut lines = vec![Text::System.fill(language, &[])];
    if !summaries.is_empty() {
        lines.push(String::new());
    }
    lines.extend(summaries.iter().map(|told| told.text.clone()));
    lines.join("\n")
}
