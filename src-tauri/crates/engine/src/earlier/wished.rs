//! What the person wishes of earlier messages, summaries and key sentences, and the newest exchanges, which stand whole
//! as if they were pinned.
//!
//! A pinned message has its room before a policy chooses, and one that is left out takes none: neither weighs anything
//! while it chooses, so what it chooses is what it would choose of the others. Afterwards pinned messages stand whole
//! where they belong by time, and those that are left out are taken away, a tool's result together with its call.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::{Beside, Earlier};
use crate::compaction::cost;
use crate::compaction::pairs::groups;
use crate::ids::MessageId;
use crate::message::{Message, Part, Role};
use crate::section::{EXTRACT, LeftOut, LeftOutWhy, id_of_message, id_of_summary};
use crate::summary::{Overlay, Raw, Terms};
use crate::wish::Wishes;

/// Those of the pinned messages that fit, the newest first to be considered; what belongs together goes together or not
/// at all. `pinned` stands by time.
pub fn fitting(pinned: &[Arc<Message>], room: u64) -> Vec<Arc<Message>> {
    let mut left = room;
    let mut fit = Vec::new();
    for group in groups(pinned).into_iter().rev().filter(|group| !group.orphaned) {
        let messages = &pinned[group.places];
        if let Some(less) = left.checked_sub(messages.iter().map(|it| cost(it)).sum()) {
            left = less;
            fit.extend(messages.iter().rev().cloned());
        }
    }
    fit.reverse();
    fit
}

/// Pinned messages and the newest exchanges together, by time; those of the newest that the person does not want are left
/// to the policy, a tool's call together with its result.
pub fn with_newest(
    pinned: &[Arc<Message>],
    newest: &[Arc<Message>],
    wishes: &Wishes,
) -> Vec<Arc<Message>> {
    let mut all = pinned.to_vec();
    for group in groups(newest) {
        let group = &newest[group.places];
        if !group.iter().any(|message| wishes.leaves_out_message(message.id)) {
            all.extend(group.iter().cloned());
        }
    }
    all.sort_by_key(|message| message.index);
    all.dedup_by_key(|message| message.id);
    all
}

/// The messages that go with the one at `place`: a tool's call and its results; `None` when they are not all at hand.
pub fn together(messages: &[Arc<Message>], place: usize) -> Option<Range<usize>> {
    let uses_tools = |part: &Part| matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. });
    if !messages.get(place)?.parts.iter().any(uses_tools) {
        return Some(place..place + 1);
    }
    let group = groups(messages).into_iter().find(|group| group.places.contains(&place))?;
    (!group.orphaned).then_some(group.places)
}

/// The wishes about the messages of one request.
pub(super) struct Wished<'a> {
    wishes: &'a Wishes,
    /// The newest exchanges, what the person does not want among them.
    newest: &'a [Arc<Message>],
    /// Those that have their room.
    pinned: Vec<Arc<Message>>,
    /// Those by their ids.
    ids: HashSet<MessageId>,
    /// Those that were read and are to be left out, as they are.
    unwanted: RefCell<Vec<Arc<Message>>>,
    /// Whether the newest question was passed on the way back: what came since is what is being asked.
    asked: Cell<bool>,
    /// Whether key sentences would have gone.
    silenced: Cell<bool>,
}

impl<'a> Wished<'a> {
    pub(super) fn of(beside: &Beside<'a>, room: u64) -> Self {
        let pinned = fitting(&with_newest(beside.pinned, beside.newest, beside.wishes), room);
        Self {
            wishes: beside.wishes,
            newest: beside.newest,
            ids: pinned.iter().map(|message| message.id).collect(),
            pinned,
            unwanted: RefCell::default(),
            asked: Cell::new(beside.question.is_some()),
            silenced: Cell::default(),
        }
    }

    /// The newest exchanges.
    pub(super) fn newest(&self) -> &'a [Arc<Message>] {
        self.newest
    }

    /// What the pinned messages cost.
    pub(super) fn tokens(&self) -> u64 {
        self.pinned.iter().map(|message| cost(message)).sum()
    }

    /// The message as a policy weighs it; messages come newest first.
    pub(super) fn weighed(&self, message: Arc<Message>) -> Arc<Message> {
        let since_question = !self.asked.get();
        self.asked.set(!since_question || message.role == Role::User);
        if self.ids.contains(&message.id) {
            return Arc::new(Message { tokens: 0, ..Message::clone(&message) });
        }
        if since_question || !self.wishes.leaves_out_message(message.id) {
            return message;
        }
        let mut nothing = Message { tokens: 0, ..Message::clone(&message) };
        // Not even a sentence of it is quoted; calls and results stay, to be found together.
        nothing.parts.retain(|part| !matches!(part, Part::Text { .. } | Part::Pasted { .. }));
        self.unwanted.borrow_mut().push(message);
        Arc::new(nothing)
    }

    /// Whether key sentences may go.
    pub(super) fn may_quote(&self) -> bool {
        let silenced = self.wishes.leaves_out(EXTRACT);
        self.silenced.set(silenced);
        !silenced
    }

    /// Carries the wishes out on what a policy chose. Summaries stand for the messages before `end`.
    pub(super) fn carry_out(
        self,
        mut earlier: Earlier,
        overlay: &Overlay<'_>,
        end: u64,
    ) -> Earlier {
        let chosen = std::mem::take(&mut earlier.raw);
        let messages: Vec<Arc<Message>> = chosen.iter().map(|raw| raw.message.clone()).collect();
        let unwanted = self.unwanted.into_inner();
        let mut chosen = chosen.into_iter();
        for group in groups(&messages) {
            let group: Vec<Raw<_>> = chosen.by_ref().take(group.places.len()).collect();
            match without(&group, &unwanted) {
                None => earlier.raw.extend(group),
                left_out => earlier.unwanted.extend(left_out),
            }
        }
        let quoted = self
            .silenced
            .into_inner()
            .then(|| LeftOut::of(EXTRACT, "key sentences", 0, LeftOutWhy::ByYou));
        earlier.unwanted.extend(quoted);
        for message in self.pinned {
            let there = earlier.raw.iter().position(|raw| raw.message.id == message.id);
            let turn = there.and_then(|place| earlier.raw.remove(place).turn);
            let over = overlay.over(message.index).map(|record| record.id);
            if earlier.summaries.iter().any(|told| Some(told.record) == over) {
                // What stands whole needs no telling.
                earlier.told = earlier.told.saturating_sub(1);
                earlier.told_tokens = earlier.told_tokens.saturating_sub(cost(&message));
            }
            let is_told = message.index < end
                || earlier.extract.as_ref().is_some_and(|extract| extract.quotes(message.index));
            if !is_told && !messages.iter().any(|chosen| chosen.id == message.id) {
                earlier.left_out = earlier.left_out.saturating_sub(1);
            }
            let after = || earlier.raw.iter().position(|raw| raw.message.index > message.index);
            let place = there.or_else(after).unwrap_or(earlier.raw.len());
            earlier.raw.insert(place, Raw { tokens: cost(&message), message, cut: None, turn });
        }
        earlier
    }
}

/// The summaries that would be told if the person did not want the request without them.
pub(super) fn summaries(overlay: &Overlay<'_>, terms: &Terms<'_>) -> Vec<LeftOut> {
    let left_out = overlay.unwanted().map(|record| {
        let tokens = (terms.text)(&record.summary);
        LeftOut::of(id_of_summary(record.id), "summary", tokens, LeftOutWhy::ByYou)
    });
    left_out.collect()
}

/// What is left out with a group, when one of the unwanted messages is in it.
fn without(group: &[Raw<Arc<Message>>], unwanted: &[Arc<Message>]) -> Option<LeftOut> {
    let original = |raw: &Raw<Arc<Message>>| unwanted.iter().find(|it| it.id == raw.message.id);
    let first = group.iter().find_map(original)?;
    let tokens = |raw| original(raw).map_or(raw.tokens, |message| cost(message));
    let source = match group.len() {
        1 => "conversation".to_owned(),
        count => format!("conversation ({count})"),
    };
    let tokens = group.iter().map(tokens).sum();
    Some(LeftOut::of(id_of_message(first.id), source, tokens, LeftOutWhy::ByYou))
}
