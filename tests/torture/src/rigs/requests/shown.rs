//! What is shown of the next request beside its sections, held against them: every number and every word of it follows from
//! the one value.

use std::collections::HashSet;

use siltstone_contract::{RequestView, SummaryPanel};
use siltstone_engine::ids::MessageId;
use siltstone_engine::link;
use siltstone_engine::prompt::budget_of;
use siltstone_engine::section::{LeftOut, LeftOutWhy, Reason, Section, SectionKind, recalled_of};
use siltstone_engine::summary::Policy;

use super::server::MODELS;

/// What a window, `silt` and a person's eyes are told of one state.
pub struct Shown<'a> {
    pub view: &'a RequestView,
    pub panel: &'a SummaryPanel,
    /// Messages of the shown path.
    pub messages: u64,
}

impl Shown<'_> {
    /// Everything that does not follow from the sections.
    pub fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut check = |is_so: bool, why: &dyn Fn() -> String| {
            if !is_so {
                wrong.push(why());
            }
        };
        let view = self.view;
        let sections = &view.sections;
        let sum: u64 = sections.iter().map(|section| section.tokens).sum();
        check(sum == view.tokens, &|| format!("{sum} tokens are summed as {}", view.tokens));
        let ids: HashSet<&str> = sections.iter().map(|section| section.id.as_str()).collect();
        check(ids.len() == sections.len(), &|| format!("an id twice: {:?}", names(sections)));
        let both: Vec<&LeftOut> = view
            .left_out
            .iter()
            // What was agreed to goes in its place.
            .filter(|left| left.why != LeftOutWhy::ChangedSinceAgreed)
            .filter(|left| left.id.as_deref().is_some_and(|id| ids.contains(id)))
            .collect();
        check(both.is_empty(), &|| format!("sent and left out: {both:?}"));
        let window = MODELS.iter().find(|(model, _)| *model == view.model);
        let budget = window.map(|(_, window)| budget_of(*window));
        check(budget == Some(view.budget), &|| format!("a budget of {}", view.budget));
        for missing in &view.missing_constraints {
            let said = sections.iter().any(|section| section.text.contains(&missing.text));
            check(!said, &|| format!("said, and told as missing: {}", missing.text));
        }
        if let Some(why) = self.place() {
            check(false, &|| why.clone());
        }
        if let Some(why) = self.shares() {
            check(false, &|| why.clone());
        }
        if let Some(why) = self.folds() {
            check(false, &|| why.clone());
        }
        if let Some(why) = self.path() {
            check(false, &|| why.clone());
        }
        wrong
    }

    /// Where the work stopped is exactly what goes of it.
    fn place(&self) -> Option<String> {
        let carried = carried(self.view);
        let Some(place) = &self.view.place else {
            let begins = self.messages == 0 && !self.panel.strict;
            return (begins && !carried.is_empty())
                .then(|| format!("carried and not shown: {:?}", names(carried)));
        };
        let sum: u64 = place.sections.iter().map(|section| section.tokens).sum();
        if sum != place.tokens {
            return Some(format!("a place of {sum} tokens says {}", place.tokens));
        }
        if !place.taken {
            return (!carried.is_empty()).then(|| "not taken, and carried".to_owned());
        }
        let text = |section: &Section| (section.id.clone(), section.text.clone(), section.tokens);
        let shown: Vec<_> = place.sections.iter().map(text).collect();
        let goes: Vec<_> = carried.into_iter().map(text).collect();
        (shown != goes).then(|| format!("the place shows {shown:?}, and {goes:?} goes"))
    }

    /// What is recalled takes what is said of it, and has room.
    fn shares(&self) -> Option<String> {
        let sections = &self.view.sections;
        let of = |which: fn(&Section) -> bool| -> u64 {
            sections.iter().filter(|it| which(it)).map(|it| it.tokens).sum()
        };
        let recalled = of(|it| recalled_of(&it.id).is_some());
        let Some(shares) = &self.view.recall else {
            return (recalled > 0).then(|| format!("{recalled} tokens are recalled unsaid"));
        };
        let summaries = of(|it| it.kind == SectionKind::Summary && it.reason != Reason::Resumed);
        let turns = of(|it| it.kind == SectionKind::Turn);
        let (said, goes) =
            ((shares.recalled, shares.summaries, shares.turns), (recalled, summaries, turns));
        if said != goes {
            return Some(format!("shares of {said:?} are {goes:?}"));
        }
        let all = recalled + summaries + turns;
        let fits = all <= shares.room || self.view.tokens > self.view.budget;
        (!fits).then(|| format!("{all} tokens in a room of {}", shares.room))
    }

    /// A summary that goes holds; there is a distance where anything is folded.
    fn folds(&self) -> Option<String> {
        let SummaryPanel { shown, distance, policy, enabled, .. } = self.panel;
        let made = matches!(policy, Policy::Rolling | Policy::Segments | Policy::Running);
        if distance.is_some() != (made && *enabled) {
            return Some(format!("under {policy:?} the next fold is {distance:?} away"));
        }
        let links: HashSet<String> = shown.iter().map(|id| link::to_summary(*id)).collect();
        let told = self.view.sections.iter().filter(|it| it.kind == SectionKind::Summary);
        let links_of = told.filter_map(|it| it.link.as_ref());
        let alien: Vec<&String> = links_of.filter(|it| !links.contains(*it)).collect();
        (!alien.is_empty()).then(|| format!("told and not held: {alien:?}"))
    }

    /// Of the shown path every message is accounted for at most once, and none is sent twice.
    fn path(&self) -> Option<String> {
        let turns = self.view.sections.iter().filter(|it| it.kind == SectionKind::Turn);
        let sent: Vec<MessageId> = turns.flat_map(|it| it.messages.iter().copied()).collect();
        let once: HashSet<&MessageId> = sent.iter().collect();
        if once.len() != sent.len() {
            return Some("a message goes twice".to_owned());
        }
        let left = |why: LeftOutWhy| -> u64 {
            let rows = self.view.left_out.iter().filter(|it| it.why == why && it.id.is_none());
            let several = rows.filter_map(|it| {
                let count = it.source.strip_prefix("conversation (")?.strip_suffix(')')?;
                count.parse::<u64>().ok()
            });
            several.sum()
        };
        let (told, left) = (left(LeftOutWhy::Summarised), left(LeftOutWhy::NoRoom));
        let all = sent.len() as u64 + left;
        (all > self.messages || told > self.messages)
            .then(|| format!("{all} and {told} of {} messages", self.messages))
    }
}

/// What goes of where the work stopped.
pub fn carried(view: &RequestView) -> Vec<&Section> {
    let resumed = |it: &&Section| it.id.starts_with("session:") && it.reason == Reason::Resumed;
    view.sections.iter().filter(resumed).collect()
}

/// The ids of sections.
pub fn names<'a>(sections: impl IntoIterator<Item = &'a Section>) -> Vec<&'a str> {
    sections.into_iter().map(|section| section.id.as_str()).collect()
}

/// What is the same of a section before it is sent and when it is: a question has its id only then.
pub fn same(section: &Section) -> Section {
    let mut same = section.clone();
    if same.kind == SectionKind::Draft {
        same.messages.clear();
        same.link = None;
    }
    same
}

/// How two lists of sections differ; nothing where they do not.
pub fn differ(shown: &[Section], sent: &[Section]) -> Option<String> {
    if names(shown) != names(sent) {
        return Some(format!("shown {:?}, sent {:?}", names(shown), names(sent)));
    }
    let differing = shown.iter().zip(sent).find(|(shown, sent)| same(shown) != same(sent));
    differing.map(|(shown, sent)| format!("shown {shown:?}, sent {sent:?}"))
}
