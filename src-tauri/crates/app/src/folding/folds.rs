//! What holds of a conversation's summaries on its shown path, and by which numbers they are made and told.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use siltstone_contract::{DefaultModel, Failure};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Message, Role};
use siltstone_engine::ports::{Standing, Stores};
use siltstone_engine::prompt;
use siltstone_engine::provider::DEFAULT_WINDOW;
use siltstone_engine::summary::{
    Distance, Newest, Overlay, Policy, Record, SummarySettings, Terms, distance, language_of,
    next_turns, shape, turns,
};
use siltstone_engine::tokens::{Calibration, estimate};
use siltstone_engine::turn::{Turn, Usage};

use crate::core::failure::Outcome;
use crate::folding::FoldingService;

/// Messages read at a time.
const BATCH: u64 = 64;

/// How far back messages are recent: what was folded of them is not recalled at once.
const RECENT: u64 = 24;

/// The summaries of a conversation that what holds is told by, with the places of its shown path that they end at.
#[derive(Clone)]
pub(crate) struct Folds {
    pub(crate) settings: SummarySettings,
    /// What stays whole, and when the rest is folded.
    pub(crate) newest: Newest,
    pub(crate) records: Vec<Arc<Record>>,
    pub(crate) calibration: Calibration,
    ends: HashMap<u64, MessageId>,
}

impl FoldingService {
    /// Reads the summaries and nothing of the messages.
    pub(crate) fn folds(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        choice: &DefaultModel,
    ) -> Result<Folds, Failure> {
        let settings = stores.records.settings().or_failure()?.summary;
        let settings = settings.overridden_by(|name| std::env::var(name).ok());
        let mut settings = conversation.folding.over(&settings);
        let window = self.models.known_model(choice).map(|model| model.window());
        let newest = Newest::of(&settings, window.unwrap_or(DEFAULT_WINDOW));
        if let Some(window) = window.filter(|_| !settings.strict) {
            // What waits to be summarised must have room until it is.
            settings.threshold = settings.threshold.min(prompt::budget_of(window) / 2);
        }
        let Standing { records, ends } = stores.summaries.standing(conversation.id).or_failure()?;
        Ok(Folds {
            settings,
            newest,
            records,
            calibration: stores
                .summaries
                .calibration(&choice.provider, &choice.model)
                .or_failure()?,
            ends: ends.into_iter().collect(),
        })
    }
}

impl FoldingService {
    /// Learns from what a provider counted of what was estimated in a request.
    pub(crate) fn learn(&self, stores: &Stores, turn: &Turn, usage: &Usage) -> Result<(), Failure> {
        let Some(manifest) = stores.transcripts.manifest(turn.id).or_failure()? else {
            return Ok(());
        };
        let (provider, model) = (&turn.provider, &turn.model);
        let known = stores.summaries.calibration(provider, model).or_failure()?;
        let rest = usage.input_tokens.saturating_sub(manifest.counted);
        let known = known.observe(manifest.estimated, rest);
        stores.summaries.put_calibration(provider, model, &known).or_failure()
    }
}

/// The version of the next summary like this one.
pub(crate) fn next_version(stores: &Stores, record: &Record) -> Result<u32, Failure> {
    let Record { conversation_id, policy, level, coverage, .. } = record;
    stores.summaries.next_version(*conversation_id, *policy, *level, coverage.start).or_failure()
}

fn last_place(record: &Record) -> u64 {
    record.coverage.end().saturating_sub(1)
}

impl Folds {
    /// The summaries that hold.
    pub(crate) fn overlay(&self) -> Overlay<'_> {
        Overlay::on(&self.records, |place| self.ends.get(&place).copied())
    }

    /// Whether the shown path holds all that a summary stands for.
    pub(crate) fn is_on_path(&self, record: &Record) -> bool {
        record.coverage.lies_on(|place| self.ends.get(&place).copied())
    }

    /// Finds the places that other records of the conversation end at: a candidate, or what was made before.
    pub(crate) fn find(&mut self, stores: &Stores, records: &[Record]) -> Result<(), Failure> {
        let Some(first) = records.first() else { return Ok(()) };
        let mut places: Vec<u64> = records.iter().map(last_place).collect();
        places.sort_unstable();
        places.dedup();
        let ids = stores.transcripts.ids_at(first.conversation_id, &places).or_failure()?;
        self.ends.extend(places.into_iter().zip(ids).filter_map(|(place, id)| Some((place, id?))));
        Ok(())
    }

    /// The language that summaries are told in: that of the first one, so that its heading stays the same.
    pub(crate) fn told_in<'a>(&self, otherwise: &'a str) -> &'a str {
        let overlay = self.overlay();
        overlay.records().first().map_or(otherwise, |record| language_of(&record.summary))
    }

    /// What is sent of the summaries of a conversation, all of it, and the place of the first message that they do not stand
    /// for. The person may want none of it.
    pub(crate) fn told_whole(&self, conversation: &Conversation) -> (String, u64) {
        let overlay = self.overlay().under(&conversation.wishes);
        let end = overlay.first_raw();
        // Of what goes itself nothing is told besides.
        let overlay = overlay.opening(|record| record.coverage.start >= end);
        let told = self.under_terms(self.told_in("en"), u64::MAX, |terms| {
            shape(&overlay, std::iter::empty::<Message>(), terms).summaries
        });
        let texts: Vec<String> = told.into_iter().map(|told| told.text).collect();
        (texts.join("\n\n"), if self.summarises() { end } else { 0 })
    }

    /// Whether anything is summarised at all.
    pub(crate) fn summarises(&self) -> bool {
        let made =
            matches!(self.settings.policy, Policy::Rolling | Policy::Segments | Policy::Running);
        self.settings.enabled && made
    }

    /// Tokens of a message as its model counts them.
    pub(crate) fn count(&self, message: &Message) -> u64 {
        self.calibration.correct(message.tokens)
    }

    /// The messages after the summaries, as many as say what is due: no more than a summariser reads beyond what may
    /// wait, so a history that was never summarised is worked off in pieces.
    pub(crate) fn rest(
        &self,
        stores: &Stores,
        id: ConversationId,
        room: u64,
    ) -> Result<Vec<Message>, Failure> {
        let from = self.overlay().end();
        let numbers = self.settings.threshold.max(self.settings.window_keep);
        let waits = self.newest.due.unwrap_or(numbers).saturating_add(self.newest.keeps);
        let enough = room.saturating_add(waits);
        let mut rest: Vec<Message> = Vec::new();
        let mut tokens = 0;
        loop {
            let start = from + rest.len() as u64;
            let page = stores.transcripts.page(id, Some(start), BATCH).or_failure()?;
            rest.extend(page.messages.into_iter().map(|found| found.message));
            if from + rest.len() as u64 >= page.total {
                return Ok(rest);
            }
            tokens += rest[(start - from) as usize..].iter().map(|it| self.count(it)).sum::<u64>();
            if tokens > enough {
                return Ok(self.first_segment(rest));
            }
        }
    }

    /// The same where the next summary is of all that has gathered: also of what is not due, and of exchanges that go
    /// whole beside it.
    pub(super) fn gathered(&self) -> Self {
        let mut gathered = self.clone();
        gathered.settings.threshold = 0;
        // A segment of what is there, and not of three turns.
        gathered.newest = Newest { due: Some(1), exchanges: 0, keeps: 0 };
        gathered
    }

    /// How far the next summary is.
    pub(crate) fn distance(
        &self,
        stores: &Stores,
        id: ConversationId,
    ) -> Result<Option<Distance>, Failure> {
        let rest = match self.summarises() {
            true => self.rest(stores, id, 0)?,
            false => Vec::new(),
        };
        Ok(self.under_terms("en", 0, |terms| distance(&self.overlay(), &rest, terms)))
    }

    /// With the numbers of the conversation, and so many tokens for what is told.
    fn under_terms<T>(&self, language: &str, budget: u64, with: impl FnOnce(&Terms<'_>) -> T) -> T {
        with(&Terms {
            settings: &self.settings,
            newest: self.newest,
            language,
            count: &|message| self.count(message),
            text: &|text| self.calibration.correct(estimate(text)),
            budget,
            room: 0,
            connected: true,
        })
    }

    /// Places of recent messages that the newest fold stands for and none before it did.
    pub(crate) fn newly_folded(&self, end: u64) -> Range<u64> {
        let overlay = self.overlay();
        let newest = overlay.folded().next_back().filter(|_| self.summarises());
        let Some(coverage) = newest.map(|record| record.coverage) else { return 0..0 };
        let made = self.records.iter().filter(|it| it.is_completed() && self.is_on_path(it));
        let before = made.map(|it| it.coverage.end()).filter(|end| *end < coverage.end()).max();
        let start = before.unwrap_or(0).max(coverage.start).max(end.saturating_sub(RECENT));
        start..coverage.end().max(start)
    }

    /// The same for [`Policy::Segments`] by its own number, which goes by turns and not by what there is of them.
    pub(crate) fn first_segment(&self, mut rest: Vec<Message>) -> Vec<Message> {
        if self.settings.policy == Policy::Segments && self.newest.due.is_none() {
            let turns = turns(&rest, 0);
            let closed = turns.iter().filter(|turn| turn.number.is_some()).count();
            let next = next_turns(&self.overlay());
            if closed > next {
                rest.truncate(turns.iter().take(next).map(|turn| turn.messages.len()).sum());
            }
        }
        rest
    }
}

/// The language a conversation is held in, by what the person said; `otherwise` where that is nothing.
pub(crate) fn language_in<'a>(messages: &[Message], otherwise: &'a str) -> &'a str {
    let said = messages.iter().filter(|message| message.role == Role::User).map(Message::text);
    let text: String = said.collect();
    if text.trim().is_empty() { otherwise } else { language_of(&text) }
}
