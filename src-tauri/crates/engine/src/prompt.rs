//! Composing: from what is known to the ordered list of sections that is sent.
//!
//! Our instructions, then the person's for the conversation, the tools, memory, the persistent context, the plan and what
//! a session goes on from, summaries, earlier messages, files that the message names, passages of files and of what was
//! said, the volatile context, the draft, and the calls that were answered since: what changes least comes first, so a
//! provider's prompt cache keeps it. It goes in two steps. A [`Frame`] is everything but the earlier conversation; what
//! [`crate::earlier`] chooses for the room it leaves makes it a [`Request`], and [`Frame::recall`] adds passages in
//! between. What does not fit is listed in `left_out`. All of it is weighed on one [`Scale`], so a request that fits while
//! it is composed fits when it is sent.

mod recalled;
mod sections;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::compaction::{self, Block};
use crate::earlier::{Earlier, fitting};
use crate::ids::MessageId;
use crate::memory::{InjectedWhy, MemoryLayer};
use crate::mention::Mention;
use crate::message::{Message, Part, Role};
use crate::passage::Passage;
use crate::provider::ModelInfo;
use crate::section::{LeftOut, LeftOutWhy, RULES, Reason, Request, Section, SectionKind};
use crate::summary::{Policy, Raw, Told, single_message, system_prompt};
use crate::tokens::{Calibration, Count, MESSAGE_OVERHEAD, Scale};
use crate::tool::Call;
use crate::wish::Wishes;

pub use recalled::{Recall, Whence, headed, of_source};
use sections::{
    ask_section, conversation_instructions, extract_section, has_content, instructions,
    memory_sections, mention_section, passage_section, persistent_section, raw_section, section,
    summary_section, volatile_section, without_untaken,
};
pub use sections::{server_section, tool_line, tools_section};

/// Our own texts in all languages, so that a sent one can be shown again.
pub const OWN_TEXTS: [&str; 4] = [
    include_str!("../prompts/en/instructions.md"),
    include_str!("../prompts/ko/instructions.md"),
    include_str!("../prompts/en/continue.md"),
    include_str!("../prompts/ko/continue.md"),
];

/// Share of the window that is kept free for the reply.
const REPLY_SHARE: u64 = 4;

/// Share of the sections that tools are given, as their tokens are estimated.
const TOOLS_SHARE: u64 = 4;

/// Share that they may have at most, as they weigh.
const TOOLS_MOST: u64 = 2;

/// Share of the sections that what was called and answered leaves to everything else before it is shortened.
const STEPS_LEAVE: u64 = 4;

/// What goes of a trusted memory file, or of the lines that were added to a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryText {
    /// Path as in [`crate::memory::MemoryFile`], or what the lines are.
    pub path: String,
    /// Its text, its rules included.
    pub text: String,
    /// Its layer.
    pub layer: MemoryLayer,
    /// Why it goes.
    pub why: InjectedWhy,
    /// Its rules, which go even where the rest has no room.
    pub must: Option<String>,
}

/// What is asked at the end of the request.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A new message, still in the composer or just made durable.
    Draft {
        /// Its id once it is durable.
        id: Option<MessageId>,
        /// What it says.
        parts: Vec<Part>,
    },
    /// Go on where the last reply stopped.
    Continue,
}

/// Everything a request is composed from.
#[derive(Clone)]
pub struct Ingredients<'a> {
    /// Language of our own instructions, `ko` or `en`.
    pub language: &'a str,
    /// The person's instructions for this conversation; empty for none.
    pub instructions: &'a str,
    /// Trusted memory files, root first.
    pub memory: &'a [MemoryText],
    /// The tools that are offered, and what servers want models to be told: see [`tools_section`] and [`server_section`].
    pub tools: &'a [Section],
    /// The composed block of the persistent context.
    pub persistent: Option<&'a str>,
    /// The plan that is worked on, and where the last session stopped when this conversation goes on from there.
    pub session: &'a [Section],
    /// The composed block of the volatile context.
    pub volatile: Option<&'a str>,
    /// What was not taken in and why, found before composing.
    pub already_left_out: &'a [LeftOut],
    /// The files that the message names, with the text of the lines that are meant.
    pub mentions: &'a [Mention<String>],
    /// Passages found for the question, best first.
    pub passages: &'a [Passage],
    /// What the person wants of single sections.
    pub wishes: &'a Wishes,
    /// Earlier messages that have their room first, the pinned ones and the last exchanges: by time, each with all that it
    /// cannot go without.
    pub pinned: &'a [Arc<Message>],
    /// What is asked.
    pub ask: &'a Ask,
    /// What was called and answered since, oldest first.
    pub steps: &'a [Arc<Message>],
    /// The model that is asked.
    pub model: &'a ModelInfo,
    /// How texts weigh for it.
    pub scale: Scale<'a>,
}

/// The one section of a request that asks for work of our own, such as a summary.
pub fn task(text: &str) -> Section {
    let task = section("task", SectionKind::Draft, Role::User, "siltstone", text, Reason::Base);
    weighed(task, &Scale::estimating(Calibration::default()))
}

/// Tokens the sections may have in a window of this size.
pub fn budget_of(window: u64) -> u64 {
    window - window / REPLY_SHARE
}

/// A request without its earlier part.
#[derive(Clone)]
pub struct Frame<'a> {
    from: &'a Ingredients<'a>,
    before: Vec<Section>,
    after: Vec<Section>,
    ask: Option<Section>,
    steps: Vec<Section>,
    left_out: Vec<LeftOut>,
}

/// Gathers everything but the earlier conversation. What does not fit beside what has to go is left out; what is pinned,
/// earlier messages included, has its room before what is not.
pub fn frame<'a>(from: &'a Ingredients<'a>) -> Frame<'a> {
    let budget = budget_of(from.model.window());
    let weighed = |section| weighed(section, &from.scale);
    let mut left_out = from.already_left_out.to_vec();
    left_out.iter_mut().for_each(|left| left.tokens = from.scale.correct(left.tokens));
    let mut ask = weighed(ask_section(from.ask, from.language));
    left_out.extend(without_untaken(&mut ask, from.model, &from.scale));
    // Nothing is asked yet while the composer is empty.
    let ask = Some(ask).filter(has_content);
    let volatile = from.volatile.map(volatile_section);
    let memory = from.memory.iter().flat_map(memory_sections);
    let persistent = from.persistent.map(persistent_section);
    let session = from.session.iter().cloned();
    let mentions = from.mentions.iter().map(mention_section);
    let passages = from.passages.iter().enumerate().map(passage_section);
    // In the order in which they are admitted; they stand by what they are.
    let pieces = conversation_instructions(from.instructions).into_iter();
    let pieces = pieces.chain(from.tools.iter().cloned()).chain(volatile);
    let pieces =
        pieces.chain(memory).chain(persistent).chain(session).chain(mentions).chain(passages);
    let mut pieces: Vec<Section> = pieces.map(weighed).collect();
    let unwanted =
        pieces.extract_if(.., |piece| from.wishes.leaves_out(&piece.id) && !is_rules(piece));
    left_out.extend(unwanted.map(|piece| without(piece, LeftOutWhy::ByYou)));
    pieces.iter_mut().for_each(|piece| pin(piece, from.wishes));
    // A memory file that goes takes the place of its rules, which go in any case.
    let rules =
        pieces.iter().filter_map(|it| Some((it.id.strip_suffix(RULES)?.to_owned(), it.tokens)));
    let rules: HashMap<String, u64> = rules.collect();
    let cost = |it: &Section| it.tokens.saturating_sub(rules.get(&it.id).copied().unwrap_or(0));
    let own = weighed(instructions(from.language));
    let steps = steps::fitted(from.steps, budget - budget / STEPS_LEAVE, &from.scale);
    let mut used = own.tokens + ask.iter().chain(&steps).map(|section| section.tokens).sum::<u64>();
    let mut goes = vec![false; pieces.len()];
    let mut admit = |wanted: fn(&Section) -> bool, reserved: u64| {
        for (piece, goes) in pieces.iter().zip(&mut goes).filter(|(piece, _)| wanted(piece)) {
            let fits = used + reserved + cost(piece) <= budget && !crowds(piece, budget);
            *goes = always_goes(piece) || fits;
            used += if *goes { cost(piece) } else { 0 };
        }
        used
    };
    admit(always_goes, 0);
    admit(|piece| piece.pinned, 0);
    // Tools are few beside the window, see [`tools_room`], and whoever was in the midst of work with them cannot go on
    // without: long exchanges do not push them out.
    let used = admit(|piece| is_tools(piece) && !piece.pinned, 0);
    let pinned = fitting(from.pinned, budget.saturating_sub(used));
    let reserved = pinned.iter().map(|message| compaction::cost(message)).sum();
    admit(|piece| !piece.pinned && !always_goes(piece) && !is_tools(piece), reserved);
    let whole = pieces.iter().zip(&goes).filter(|(_, goes)| **goes).map(|(piece, _)| &piece.id);
    let whole: HashSet<String> = whole.cloned().collect();
    let (mut before, mut after) = (vec![own], Vec::new());
    for (piece, goes) in pieces.into_iter().zip(goes) {
        match goes {
            true if piece.id.strip_suffix(RULES).is_some_and(|id| whole.contains(id)) => {}
            false => left_out.push(without(piece, LeftOutWhy::NoRoom)),
            true if piece.kind <= SectionKind::Summary => before.push(piece),
            true => after.push(piece),
        }
    }
    before.sort_by_key(|piece| piece.kind);
    after.sort_by_key(|piece| piece.kind);
    Frame { from, before, after, ask, steps, left_out }
}

fn always_goes(piece: &Section) -> bool {
    piece.kind == SectionKind::Instructions || is_rules(piece)
}

/// Estimated tokens that tools are given in a window of this size. Whoever offers them chooses as many as fit.
pub fn tools_room(window: u64) -> u64 {
    budget_of(window) / TOOLS_SHARE
}

/// Tools that would take the room of the conversation in a small window are not offered.
fn crowds(piece: &Section, budget: u64) -> bool {
    is_tools(piece) && piece.tokens > budget / TOOLS_MOST
}

fn is_tools(piece: &Section) -> bool {
    piece.kind == SectionKind::Tools
}

fn is_rules(piece: &Section) -> bool {
    piece.id.ends_with(RULES)
}

/// Says so of what is pinned; of what would not be there otherwise, as the reason.
fn pin(section: &mut Section, wishes: &Wishes) {
    section.pinned = wishes.pins(&section.id);
    if section.pinned
        && matches!(
            section.reason,
            Reason::Found { .. } | Reason::Recent | Reason::Important { .. }
        )
    {
        section.reason = Reason::Pinned;
    }
}

/// The section with what it weighs; what it has so far is what is attached to it.
fn weighed(section: Section, scale: &Scale<'_>) -> Section {
    let Count { tokens, exact } = scale.text(&section.text);
    let exact = exact && section.tokens == 0;
    let tokens = tokens + scale.correct(section.tokens) + MESSAGE_OVERHEAD;
    Section { tokens, exact, ..section }
}

impl Frame<'_> {
    /// Tokens that fit.
    pub fn budget(&self) -> u64 {
        budget_of(self.from.model.window())
    }

    /// What goes whatever happens, a new message left out.
    pub fn blocks(&self) -> Vec<Block> {
        let continues = self.ask.iter().filter(|_| *self.from.ask == Ask::Continue);
        let block = |section: &Section| Block {
            source: section.source.clone(),
            message: None,
            tokens: section.tokens,
        };
        let sections = self.before.iter().chain(&self.after).chain(continues).chain(&self.steps);
        sections.map(block).collect()
    }

    /// The request with its earlier part; a tokenizer counted the messages in `counted`.
    pub fn with(self, earlier: &Earlier, counted: &HashSet<MessageId>) -> Request {
        let Self { from, before: mut sections, mut after, mut ask, steps, mut left_out } = self;
        let (mut summaries, mut raws) = (earlier.summaries.as_slice(), earlier.raw.as_slice());
        match earlier.strict {
            Some(Policy::Rolling) => {
                if let Some(ask) = ask.as_mut().filter(|_| summaries.len() + raws.len() > 0) {
                    as_one_message(ask, summaries, raws, &from.scale);
                    (summaries, raws) = (&[], &[]);
                }
            }
            Some(Policy::Segments) => {
                if let Some(own) = sections.first_mut() {
                    own.text = system_prompt(summaries, "ko");
                    own.reason = Reason::AsTheSeed;
                    own.tokens = from.scale.text(&own.text).tokens + MESSAGE_OVERHEAD;
                }
                summaries = &[];
            }
            _ => {}
        }
        if earlier.strict.is_some() {
            // The designs put nothing of ours before what the person says.
            let volatile = after.extract_if(.., |piece| piece.kind == SectionKind::VolatileContext);
            sections.extend(volatile.map(|piece| Section { role: Role::System, ..piece }));
        }
        sections.extend(summaries.iter().map(|told| {
            let mut section = summary_section(told, &from.scale);
            pin(&mut section, from.wishes);
            section
        }));
        sections.extend(earlier.extract.as_ref().map(|it| extract_section(it, &from.scale)));
        for raw in raws {
            let mut section = raw_section(raw);
            section.exact = raw.cut.is_none() && counted.contains(&raw.message.id);
            if let Some(worth) = earlier.worth.get(&raw.message.id) {
                section.reason = Reason::Important { worth: *worth };
            }
            left_out.extend(without_untaken(&mut section, from.model, &from.scale));
            pin(&mut section, from.wishes);
            // A reply that failed has nothing to say.
            sections.extend(Some(section).filter(has_content));
        }
        sections.extend(after);
        sections.extend(ask);
        sections.extend(steps.into_iter().map(|step| {
            let exact = step.messages.iter().all(|id| counted.contains(id));
            Section { exact, ..step }
        }));
        name_results(&mut sections);
        left_out.extend(without_twice(&mut sections));
        let passed = earlier.passed.iter().map(|it| it.tokens).sum();
        let rest = (
            earlier.left_out.saturating_sub(earlier.passed.len() as u64),
            earlier.left_out_tokens.saturating_sub(passed),
        );
        let missing = [
            ("conversation", earlier.told, earlier.told_tokens, LeftOutWhy::Summarised),
            ("summaries", earlier.untold, earlier.untold_tokens, LeftOutWhy::NoRoom),
            ("conversation", rest.0, rest.1, LeftOutWhy::NoRoom),
        ];
        left_out.extend(earlier.unwanted.iter().chain(&earlier.passed).cloned());
        let missing = missing.into_iter().filter(|(_, count, ..)| *count > 0);
        left_out.extend(missing.map(|(what, count, tokens, why)| {
            LeftOut::new(format!("{what} ({count})"), tokens, why)
        }));
        let tokens = sections.iter().map(|section| section.tokens).sum();
        let budget = budget_of(from.model.window());
        let texts = sections.iter().filter(|section| !section.exact);
        let corrected = texts.map(|it| it.tokens.saturating_sub(MESSAGE_OVERHEAD)).sum();
        let estimated = from.scale.before_correction(corrected);
        Request { sections, left_out, tokens, budget, estimated, counted: tokens - corrected }
    }
}

/// Summaries, earlier messages and the question as the one message of the Rolling design.
fn as_one_message(
    ask: &mut Section,
    summaries: &[Told],
    raws: &[Raw<Arc<Message>>],
    scale: &Scale<'_>,
) {
    let attached = ask.tokens.saturating_sub(scale.text(&ask.text).tokens);
    ask.text = single_message(summaries, raws, &ask.text);
    ask.tokens = attached + scale.text(&ask.text).tokens;
    ask.messages.extend(raws.iter().map(|raw| raw.message.id));
    if ask.reason != Reason::Continue {
        ask.reason = Reason::AsTheSeed;
    }
}

/// Says of each result which tool it is of and what that was called for.
fn name_results(sections: &mut [Section]) {
    let mut calls: HashMap<String, String> = HashMap::new();
    for section in sections {
        let mut named = None;
        for part in &section.parts {
            match part {
                // Some servers number the calls of every turn anew: a result answers the latest call of its id.
                Part::ToolCall { id, name, arguments, .. } => {
                    let about = Call::parse(name, arguments).map(|call| call.about());
                    let about = about.unwrap_or_default();
                    let source = format!("{name} {}", about.lines().next().unwrap_or_default());
                    calls.insert(id.clone(), source.trim().to_owned());
                }
                Part::ToolResult { call_id, .. } => named = calls.get(call_id).cloned(),
                _ => {}
            }
        }
        section.source = named.unwrap_or(std::mem::take(&mut section.source));
    }
}

/// Takes out what is kept of a tool's result that stands there itself, unless it is pinned.
fn without_twice(sections: &mut Vec<Section>) -> Vec<LeftOut> {
    let results =
        sections.iter().flat_map(|section| &section.parts).filter_map(|part| match part {
            Part::ToolResult { text, .. } => Some(text.trim()),
            _ => None,
        });
    let results: HashSet<String> = results.map(str::to_owned).collect();
    let is_there = |section: &mut Section| {
        is_kept(section) && !section.pinned && results.contains(section.text.trim())
    };
    let twice = sections.extract_if(.., is_there);
    twice.map(|section| without(section, LeftOutWhy::Duplicate)).collect()
}

fn is_kept(section: &Section) -> bool {
    matches!(&section.reason, Reason::Memory { why: InjectedWhy::Kept { .. }, .. })
}

fn without(section: Section, why: LeftOutWhy) -> LeftOut {
    LeftOut::of(section.id, section.source, section.tokens, why)
}

/// Our own rules, which hold in every project.
pub fn default_rules(language: &str) -> &'static str {
    let [en, ko, ..] = OWN_TEXTS;
    let text = if language == "ko" { ko } else { en };
    text.trim()
}
