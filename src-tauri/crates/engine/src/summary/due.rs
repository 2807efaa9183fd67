//! When a summary is due: one question for all policies, asked when a turn opens and when it closes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::newest::Newest;
use super::overlay::Overlay;
use super::record::Record;
use super::settings::{Policy, SummarySettings};
use super::{rolling, running, segments};
use crate::message::{Message, MessageStatus};

/// When it is asked whether a summary is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A question has become durable and is not sent yet. A draft of [`Policy::Segments`] is worth waiting for.
    TurnOpens,
    /// A reply has ended. What is due is made in the background.
    TurnClosed,
    /// One was made just then. Summaries that outgrew their share by far are merged before more are made, so that there never
    /// are very many of them.
    OneMade,
}

/// Something after which summaries are made, one after the other while any is due.
#[derive(Clone, Copy, Debug)]
pub struct Occasion {
    first: Moment,
    one_made: bool,
}

impl Occasion {
    /// What begins with this moment.
    pub fn of(first: Moment) -> Self {
        Self { first, one_made: false }
    }

    /// What is asked next.
    pub fn moment(&self) -> Moment {
        match (self.first, self.one_made) {
            (Moment::TurnClosed, true) => Moment::OneMade,
            (first, _) => first,
        }
    }

    /// One was made.
    pub fn made(&mut self) {
        self.one_made = true;
    }

    /// Whether others are made though nothing came of this one: a merge that goes first keeps none from being made, and is
    /// not tried again before the next occasion. Nothing is merged when a turn opens, so that is what is asked then.
    pub fn goes_on_without(&mut self, failed: &Record) -> bool {
        let went_first = self.moment() == Moment::OneMade && failed.level > 1;
        if went_first {
            *self = Self::of(Moment::TurnOpens);
        }
        went_first
    }
}

/// What the policies go by.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The numbers, with the conversation's policy and rate.
    pub settings: &'a SummarySettings,
    /// What stays whole, and when the rest is folded.
    pub newest: Newest,
    /// The language of the conversation, `ko` or `en`.
    pub language: &'a str,
    /// Tokens of a message: counted, or estimated and corrected.
    pub count: &'a dyn Fn(&Message) -> u64,
    /// Tokens of any other text.
    pub text: &'a dyn Fn(&str) -> u64,
    /// Tokens that summaries and earlier messages may have in a request.
    pub budget: u64,
    /// Tokens of material a summarising model reads at once.
    pub room: u64,
    /// Whether a model can be asked; else a summary is made of chosen sentences.
    pub connected: bool,
}

impl Terms<'_> {
    /// Tokens of a message; under `strict` the quarter of its length that the Rolling design defines.
    pub(super) fn tokens(&self, message: &Message) -> u64 {
        if self.settings.strict && self.settings.policy == Policy::Rolling {
            super::text::chars_of(message) / 4
        } else {
            (self.count)(message)
        }
    }

    /// Tokens of the messages that wait to be summarised. What the person took back waits for as much again; where all
    /// that can be folded is, nothing waits.
    pub(super) fn waiting(&self, overlay: &Overlay<'_>, rest: &[Message], due: u64) -> u64 {
        let waits = |it: &&Message| due == 0 || !overlay.is_undone(it.index);
        rest.iter().filter(waits).map(|message| self.tokens(message)).sum()
    }
}

/// What to summarise now, if anything. `rest` is every message after [`Overlay::end`], oldest first.
///
/// Nothing is due while a summary of the conversation is being made. Without a model nothing is due under `strict`
/// (behaviour.md, Rolling); else the caller makes the summary with [`Draft::extract`].
pub fn due(
    moment: Moment,
    overlay: &Overlay<'_>,
    rest: &[Message],
    terms: &Terms<'_>,
    now: Timestamp,
) -> Option<Draft> {
    let settings = terms.settings;
    if !settings.enabled || overlay.is_busy() || (settings.strict && !terms.connected) {
        return None;
    }
    let written = rest.iter().take_while(|message| message.status != MessageStatus::Streaming);
    let rest = &rest[..written.count()];
    match (settings.policy, moment) {
        (Policy::Rolling, Moment::TurnClosed | Moment::OneMade) => {
            rolling::due(overlay, rest, terms, now)
        }
        (Policy::Segments, _) => segments::due(moment, overlay, rest, terms, now),
        (Policy::Running, _) => running::due(overlay, rest, terms, now),
        _ => None,
    }
}

/// How far the next summary is, for the tick on the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FoldDistance"))]
#[serde(tag = "unit", content = "left", rename_all = "snake_case")]
pub enum Distance {
    /// So many more tokens.
    Tokens(u64),
    /// So many more turns, the open one included.
    Turns(u32),
}

/// How far the next summary is; `None` for policies that make none.
pub fn distance(overlay: &Overlay<'_>, rest: &[Message], terms: &Terms<'_>) -> Option<Distance> {
    let settings = terms.settings;
    let left = |most: u64, tokens| Some(Distance::Tokens((most + 1).saturating_sub(tokens)));
    match (settings.policy, terms.newest.due) {
        _ if !settings.enabled => None,
        (Policy::Rolling, due) => {
            let due = due.unwrap_or(settings.threshold);
            left(due, terms.waiting(overlay, rest, due.max(1)))
        }
        (Policy::Running, due) => {
            let tokens = rest.iter().map(|message| terms.tokens(message)).sum();
            left(due.unwrap_or(settings.window_keep), tokens)
        }
        (Policy::Segments, Some(due)) => left(due, terms.waiting(overlay, rest, due.max(1))),
        (Policy::Segments, None) => Some(Distance::Turns(segments::turns_left(overlay, rest))),
        _ => None,
    }
}
