//! Passages of earlier messages in a request: which of them go, and how they are shown.
//!
//! They are data, labelled with the day, the speaker and the conversation, and stand behind everything that stays the
//! same from request to request. What goes word for word anyway is not said twice. What the person pinned goes before
//! everything else, what was rejected stays out, and the newest turns always keep their room. Passages of the conversation
//! itself take no more than folding it saved.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use jiff::civil::Date;

use super::sections::section;
use super::{Frame, weighed, without};
use crate::earlier::Earlier;
use crate::ids::MessageId;
use crate::link;
use crate::message::{Role, words_of};
use crate::recall::{
    Part, Parts, RecallSettings, Recollection, Share, Shares, in_order, join, offer_of,
    room_of_standing,
};
use crate::section::{LeftOut, LeftOutWhy, PassageOf, Reason, Section, SectionKind};
use crate::summary::Raw;
use crate::vault::Agent;
use crate::wish::Wishes;

/// Percent of the room for earlier messages that passages leave in any case.
const LEAVES: u64 = 40;
/// Parts of a hundred of what folding saved that passages of the conversation take at most. What was saved is partly
/// estimated, and this is how far such an estimate may be off.
const OF_SAVED: u64 = 75;
/// Rows that say what had no room.
const LISTED: usize = 8;

/// What may be recalled in a request.
#[derive(Clone, Copy, Debug)]
pub struct Recall<'a> {
    /// How the person wants it.
    pub settings: &'a RecallSettings,
    /// What is asked.
    pub asked: &'a str,
    /// What was found for it, best first, and what is pinned.
    pub passages: &'a [Recollection],
}

impl Frame<'_> {
    /// Adds what is recalled beside `plain`, which is what would be sent of earlier messages without it. What fits
    /// afterwards is to be chosen anew where passages and that are too much together.
    pub fn recall(&mut self, recall: &Recall<'_>, plain: &Earlier) -> Shares {
        let wishes = self.from.wishes;
        let room = self.room();
        let sent = Sent::of(plain);
        let open: Vec<&Recollection> = recall
            .passages
            .iter()
            .filter(|it| !sent.has(it) && !it.text.trim().is_empty())
            .collect();
        self.left_out.extend(rejected(wishes, &open, |it| self.shown(it, 0, &best(it)).tokens));
        let pinned = |it: &Recollection| wishes.pins(&it.of.id());
        let free: Vec<&Recollection> = open
            .iter()
            .filter(|it| !pinned(it) && !wishes.leaves_out(&it.of.id()))
            .copied()
            .collect();
        let all_sent = plain.left_out == 0 && plain.told == 0;
        let share = Share::of(recall.settings, recall.asked, &free, all_sent);
        let keeps = newest_turn(plain).max(plain.newest_tokens).max(room * LEAVES / 100);
        let mut taking = Taking::within(room.saturating_sub(keeps));
        for it in open.iter().filter(|it| pinned(it)) {
            let made = self.shown(it, 0, &whole(it));
            if let Some(refused) = taking.take(it, made, whole(it)) {
                self.left_out.push(without(refused, LeftOutWhy::NoRoom));
            }
        }
        let unheard = self.take_standing(&free, plain, room, &mut taking);
        // Of other conversations no more goes than if nothing were folded in this one.
        let others: Vec<&Recollection> = free.iter().filter(|it| !it.own).copied().collect();
        let alone = Share::of(recall.settings, recall.asked, &others, all_sent);
        let mut of_others = Taking::within(taking.left.min(alone.within(room)));
        self.take_worthy(&others, alone.passages, &mut of_others);
        taking.others = of_others.taken.iter().map(|(_, made, _)| made.tokens).sum();
        taking.own = plain.saved.map_or(u64::MAX, |saved| saved * OF_SAVED / 100);
        taking.left = taking.left.min(share.within(room));
        let mut refused = self.take_worthy(&free, share.passages, &mut taking);
        refused.truncate(LISTED);
        refused.retain(|it| unheard.iter().all(|other| other.id != it.id));
        // Of the same message a passage may have had room after all.
        let unheard = unheard.into_iter().filter(|it| !taking.has_section(&it.id));
        self.left_out.extend(unheard.chain(refused).map(|it| without(it, LeftOutWhy::NoRoom)));
        let mut taken = taking.taken;
        taken.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        let made = taken.into_iter().map(|(_, made, _)| made);
        let recalled: Vec<Section> = made.collect();
        let tokens: u64 = recalled.iter().map(|made| made.tokens).sum();
        let at = self.after.partition_point(|it| it.kind <= SectionKind::Passage);
        self.after.splice(at..at, recalled);
        let Share { percent, why, .. } = share;
        let told: u64 = plain.summaries.iter().map(|told| told.tokens).sum();
        let quoted = plain.extract.as_ref().map_or(0, |extract| extract.tokens);
        let turns = plain.raw.iter().map(|raw| raw.tokens).sum();
        Shares { room, percent, why, recalled: tokens, summaries: told + quoted, turns }
    }

    /// Takes what the person wants from then on, where no summary says it word for word: first what concerns the question,
    /// the newest first. What had no room comes back.
    fn take_standing(
        &self,
        free: &[&Recollection],
        plain: &Earlier,
        room: u64,
        taking: &mut Taking,
    ) -> Vec<Section> {
        let mut refused = Vec::new();
        for concerns in [true, false] {
            let mut standing: Vec<_> = free
                .iter()
                .filter_map(|it| Some((*it, it.standing.as_ref()?)))
                .filter(|(it, wanted)| {
                    wanted.concerns == concerns
                        && !wanted.bytes.iter().all(|bytes| plain.says(&it.text[bytes.clone()]))
                })
                .collect();
            standing.sort_by(|(a, _), (b, _)| (b.at, &b.of).cmp(&(a.at, &a.of)));
            let left = taking.left;
            taking.left = left.min(room_of_standing(concerns, room));
            let may = taking.left;
            for (it, wanted) in standing {
                let made = self.shown(it, 0, &wanted.bytes);
                refused.extend(taking.take(it, made, wanted.bytes.clone()));
            }
            taking.left += left - may;
        }
        refused
    }

    /// Takes stretches that are worth it, of at most so many messages; what had no room comes back.
    fn take_worthy(
        &self,
        free: &[&Recollection],
        most: usize,
        taking: &mut Taking,
    ) -> Vec<Section> {
        let worthy = free.iter().flat_map(|it| it.worthy().map(|part| (*it, part)));
        let mut refused: Vec<Section> = Vec::new();
        let mut ranked: Vec<&PassageOf> = Vec::new();
        for (it, part) in in_order(worthy.map(|(it, part)| offer_of(it, part, free)).collect()) {
            let known = ranked.iter().position(|of| **of == it.of);
            if known.is_none() && ranked.len() == most {
                continue;
            }
            let rank = known.unwrap_or(ranked.len());
            if known.is_none() {
                ranked.push(&it.of);
            }
            if let Some(no_room) = self.take(it, part, rank + 1, taking)
                && !taking.has(&it.of)
                && refused.iter().all(|known| known.id != no_room.id)
            {
                refused.push(no_room);
            }
        }
        // What goes along has what room is left: where there is none, nothing is missed.
        for (at, of) in ranked.iter().enumerate() {
            let it = free.iter().find(|it| it.of == **of && taking.has(of));
            let beside = it.and_then(|it| it.beside.as_ref());
            let beside = beside.and_then(|of| free.iter().find(|other| other.of == *of));
            if let Some(beside) = beside.filter(|beside| !taking.has(&beside.of))
                && let Some(best) = beside.parts.first()
            {
                self.take(beside, best, at + 1, taking);
            }
        }
        refused.retain(|it| !taking.has_section(&it.id));
        refused
    }

    /// Takes a stretch beside what is taken of its message; gives the section back where that has no room.
    fn take(
        &self,
        it: &Recollection,
        part: &Part,
        rank: usize,
        taking: &mut Taking,
    ) -> Option<Section> {
        let mut stretches = taking.of(&it.of).map_or_else(Vec::new, <[_]>::to_vec);
        if !join(&mut stretches, part.bytes.clone()) {
            return None;
        }
        let made = self.shown(it, rank, &stretches);
        taking.take(it, made, stretches)
    }

    /// Tokens that are left for the earlier conversation.
    fn room(&self) -> u64 {
        let all = self.before.iter().chain(&self.after).chain(&self.ask).chain(&self.steps);
        self.budget().saturating_sub(all.map(|section| section.tokens).sum())
    }

    /// The section of a passage: these stretches of it, the whole message where it is pinned.
    fn shown(&self, it: &Recollection, rank: usize, stretches: &[Range<usize>]) -> Section {
        let id = it.of.id();
        let pinned = self.from.wishes.pins(&id);
        let from = match &it.of {
            PassageOf::Session(at) => Whence::Session(at.agent),
            PassageOf::Message(_) if it.own => Whence::Here,
            PassageOf::Message(_) => Whence::Conversation(&it.title),
        };
        let source = match &it.of {
            PassageOf::Session(at) => source(at.agent.title(), it.on),
            PassageOf::Message(_) => source(&it.title, it.on),
        };
        let cut = if pinned { None } else { Parts::of(&it.text, stretches) };
        let body = cut.as_ref().map_or_else(|| it.text.clone(), |cut| cut.told(&it.text));
        let rank = u32::try_from(rank).unwrap_or(u32::MAX);
        let stands = it.standing.as_ref().is_some_and(|wanted| wanted.is_within(stretches));
        let reason = match (pinned, stands) {
            (true, _) => Reason::Pinned,
            (_, true) => Reason::Standing { cut },
            _ => {
                let (worth, by_meaning, otherwise) =
                    (it.worth, it.by_meaning, it.otherwise(stretches));
                Reason::Recalled { rank, worth, by_meaning, cut, otherwise }
            }
        };
        let text = headed(self.from.language, it.role, from, it.on, reason.otherwise(), &body);
        let mut made = section(&id, SectionKind::Passage, Role::User, &source, &text, reason);
        made.link = Some(match &it.of {
            PassageOf::Message(message) => link::to_message(*message),
            PassageOf::Session(at) => link::to_session(at),
        });
        made.messages = it.of.message().into_iter().collect();
        made.pinned = pinned;
        weighed(made, &self.from.scale)
    }
}

/// All of a message.
fn whole(it: &Recollection) -> Vec<Range<usize>> {
    std::iter::once(0..it.text.len()).collect()
}

/// What is worth most of a message.
fn best(it: &Recollection) -> Vec<Range<usize>> {
    it.parts.first().map(|part| part.bytes.clone()).into_iter().collect()
}

/// When something was said and what it is of, what is sent for it, and which stretches of it that is.
type Taken = ((jiff::Timestamp, PassageOf), Section, Vec<Range<usize>>);

/// What is taken so far, and what room is left.
struct Taking {
    left: u64,
    /// Of it, for passages of the conversation itself and for those of others.
    own: u64,
    others: u64,
    taken: Vec<Taken>,
}

impl Taking {
    fn within(left: u64) -> Self {
        Self { left, own: left, others: left, taken: Vec::new() }
    }

    fn has_section(&self, id: &str) -> bool {
        self.taken.iter().any(|(_, taken, _)| taken.id == id)
    }

    fn has(&self, of: &PassageOf) -> bool {
        self.of(of).is_some()
    }

    /// The stretches that are taken of something.
    fn of(&self, of: &PassageOf) -> Option<&[Range<usize>]> {
        let taken = self.taken.iter().find(|((_, known), ..)| known == of);
        taken.map(|(.., stretches)| stretches.as_slice())
    }

    /// Takes a section in, in the place of what was taken of its message; gives it back where it has no room.
    fn take(
        &mut self,
        it: &Recollection,
        made: Section,
        stretches: Vec<Range<usize>>,
    ) -> Option<Section> {
        let known = self.taken.iter().position(|((_, of), ..)| *of == it.of);
        let freed = known.map_or(0, |at| self.taken[at].1.tokens);
        let side = if it.own { &mut self.own } else { &mut self.others };
        let less = |room: u64| room.saturating_add(freed).checked_sub(made.tokens);
        let (Some(left), Some(of_side)) = (less(self.left), less(*side)) else {
            return Some(made);
        };
        (self.left, *side) = (left, of_side);
        let taken = ((it.at, it.of.clone()), made, stretches);
        match known {
            Some(at) => self.taken[at] = taken,
            None => self.taken.push(taken),
        }
        None
    }
}

impl Shares {
    /// With what a request has of earlier messages: each number is the sum over its sections.
    pub fn of(self, sections: &[Section]) -> Self {
        let of = |is_it: fn(&Section) -> bool| -> u64 {
            sections.iter().filter(|it| is_it(it)).map(|it| it.tokens).sum()
        };
        Self {
            recalled: of(|it| PassageOf::named(&it.id).is_some()),
            summaries: of(|it| it.kind == SectionKind::Summary && it.reason != Reason::Resumed),
            turns: of(|it| it.kind == SectionKind::Turn),
            ..self
        }
    }
}

/// Where a passage was said, as its heading tells it.
#[derive(Clone, Copy, Debug)]
pub enum Whence<'a> {
    /// In the conversation that is asked in.
    Here,
    /// In another one of this title, which may be empty.
    Conversation(&'a str),
    /// In a session of another agent.
    Session(Agent),
}

/// A passage with its heading, which says on which later day, if any, otherwise was said.
pub fn headed(
    language: &str,
    role: Role,
    from: Whence<'_>,
    on: Date,
    otherwise: Option<Date>,
    body: &str,
) -> String {
    let heading = match language {
        "ko" => {
            let who = match role {
                Role::User => "사용자가 한 말",
                Role::Tool => "도구의 결과",
                _ => "모델이 한 말",
            };
            let place = match from {
                Whence::Here => "이 대화에서".to_owned(),
                Whence::Conversation("") => "다른 대화에서".to_owned(),
                Whence::Conversation(title) => format!("“{title}” 대화에서"),
                Whence::Session(agent) => format!("{} 세션에서", agent.title()),
            };
            let later = match otherwise {
                Some(later) if later == on => ", 같은 날 나중에는 달리 말함".to_owned(),
                Some(later) => format!(", {later}에는 달리 말함"),
                None => String::new(),
            };
            format!("[{on}, {place} {who}{later}]")
        }
        _ => {
            let later = match otherwise {
                Some(later) if later == on => "; said otherwise later that day".to_owned(),
                Some(later) => format!("; said otherwise on {later}"),
                None => String::new(),
            };
            let who = match role {
                Role::User => "Said on {} by the user",
                Role::Tool => "Found on {} by a tool",
                _ => "Said on {} by the model",
            };
            let place = match from {
                Whence::Here => "earlier in this conversation".to_owned(),
                Whence::Conversation("") => "in another conversation".to_owned(),
                Whence::Conversation(title) => format!("in “{title}”"),
                Whence::Session(agent) => format!("in a session of {}", agent.title()),
            };
            format!("[{} {place}{later}]", who.replace("{}", &on.to_string()))
        }
    };
    format!("{heading}\n{body}")
}

/// Where a passage comes from, as it is shown.
fn source(title: &str, on: Date) -> String {
    match title {
        "" => on.to_string(),
        title => format!("{title} · {on}"),
    }
}

/// The title and the day of a source.
pub fn of_source(source: &str) -> Option<(&str, Date)> {
    let (title, day) = source.rsplit_once(" · ").unwrap_or(("", source));
    Some((title, day.parse().ok()?))
}

/// What goes word for word.
struct Sent<'a> {
    plain: &'a Earlier,
    messages: HashSet<MessageId>,
    /// What they say, where a session is asked about: one that goes on here says the same.
    texts: OnceCell<HashSet<String>>,
}

impl<'a> Sent<'a> {
    fn of(plain: &'a Earlier) -> Self {
        let whole = plain.raw.iter().filter(|raw| raw.cut.is_none());
        let messages = whole.map(|raw| raw.message.id).collect();
        Self { plain, messages, texts: OnceCell::new() }
    }

    fn has(&self, it: &Recollection) -> bool {
        let texts = || {
            let whole = self.plain.raw.iter().filter(|raw| raw.cut.is_none());
            whole.map(|raw| words_of(&raw.message.parts)).collect()
        };
        match &it.of {
            PassageOf::Message(message) => self.messages.contains(message),
            PassageOf::Session(_) => self.texts.get_or_init(texts).contains(&it.text),
        }
    }
}

/// What the newest question and all that came of it weigh.
fn newest_turn(plain: &Earlier) -> u64 {
    let asked = plain.raw.iter().rposition(|raw| raw.message.role == Role::User);
    let newest = |raw: &[Raw<_>]| raw.iter().map(|raw| raw.tokens).sum();
    asked.map_or(0, |at| newest(&plain.raw[at..]))
}

/// What the person does not want, with what it would have cost where it was found.
fn rejected(
    wishes: &Wishes,
    open: &[&Recollection],
    tokens: impl Fn(&Recollection) -> u64,
) -> Vec<LeftOut> {
    let rows = wishes.rejected().map(|(id, source)| {
        let found = open.iter().find(|it| it.of.id() == id);
        LeftOut::of(id, source, found.map_or(0, |it| tokens(it)), LeftOutWhy::ByYou)
    });
    rows.collect()
}
