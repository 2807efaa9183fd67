//! Composing: from what is known to the ordered list of sections that is sent.
//!
//! Our instructions, then the person's for the conversation, memory, the persistent context, summaries, earlier
//! messages, passages, the volatile context and the draft: what changes least comes first, so a provider's prompt cache
//! keeps it. It goes in two steps. A [`Frame`] is everything but the earlier conversation; what
//! [`crate::earlier`] chooses for the room it leaves makes it a [`Request`]. What does not fit is listed in `left_out`.
//! Tokens are estimated throughout and corrected at the end by what the model's provider taught.

mod sections;
#[cfg(test)]
mod tests;

use crate::compaction::Block;
use crate::earlier::Earlier;
use crate::ids::MessageId;
use crate::message::{Part, Role};
use crate::passage::Passage;
use crate::provider::ModelInfo;
use crate::section::{LeftOut, LeftOutWhy, Reason, Request, Section, SectionKind};
use crate::tokens::Calibration;

use sections::{
    ask_section, conversation_instructions, extract_section, has_content, instructions,
    memory_section, passage_section, persistent_section, raw_section, section, summary_section,
    volatile_section, without_untaken,
};

/// Our own texts in all languages, so that a sent one can be shown again.
pub const OWN_TEXTS: [&str; 4] = [
    include_str!("../prompts/en/instructions.md"),
    include_str!("../prompts/ko/instructions.md"),
    include_str!("../prompts/en/continue.md"),
    include_str!("../prompts/ko/continue.md"),
];

/// Share of the window that is kept free for the reply.
const REPLY_SHARE: u64 = 4;

/// A trusted memory file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryText {
    /// Path relative to the project.
    pub path: String,
    /// Its text.
    pub text: String,
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
#[derive(Clone, Debug)]
pub struct Ingredients<'a> {
    /// Language of our own instructions, `ko` or `en`.
    pub language: &'a str,
    /// The person's instructions for this conversation; empty for none.
    pub instructions: &'a str,
    /// Trusted memory files, root first.
    pub memory: &'a [MemoryText],
    /// The composed block of the persistent context.
    pub persistent: Option<&'a str>,
    /// The composed block of the volatile context.
    pub volatile: Option<&'a str>,
    /// What was not taken in and why, found before composing.
    pub already_left_out: &'a [LeftOut],
    /// Passages found for the question, best first.
    pub passages: &'a [Passage],
    /// What is asked.
    pub ask: &'a Ask,
    /// The model that is asked.
    pub model: &'a ModelInfo,
    /// What its provider taught about our estimates.
    pub calibration: Calibration,
}

/// The one section of a request that asks for work of our own, such as a summary.
pub fn task(text: &str) -> Section {
    section("task", SectionKind::Draft, Role::User, "siltstone", text, Reason::Base)
}

/// Tokens the sections may have in a window of this size.
pub fn budget_of(window: u64) -> u64 {
    window - window / REPLY_SHARE
}

/// A request without its earlier part.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    from: &'a Ingredients<'a>,
    before: Vec<Section>,
    after: Vec<Section>,
    ask: Option<Section>,
    left_out: Vec<LeftOut>,
}

/// Gathers everything but the earlier conversation. What does not fit beside what has to go is left out.
pub fn frame<'a>(from: &'a Ingredients<'a>) -> Frame<'a> {
    let budget = estimated_budget(from);
    let mut left_out = from.already_left_out.to_vec();
    let mut ask = ask_section(from.ask, from.language);
    left_out.extend(without_untaken(&mut ask, from.model));
    // Nothing is asked yet while the composer is empty.
    let ask = Some(ask).filter(has_content);
    let mut before = vec![instructions(from.language)];
    before.extend(conversation_instructions(from.instructions));
    let mut used: u64 = before.iter().chain(&ask).map(|section| section.tokens).sum();
    let mut admit = |section: Section| {
        let fits = used + section.tokens <= budget;
        match fits {
            true => used += section.tokens,
            false => left_out.push(no_room(section.source.clone(), section.tokens)),
        }
        fits.then_some(section)
    };
    let volatile = from.volatile.map(volatile_section).and_then(&mut admit);
    before.extend(from.memory.iter().map(memory_section).filter_map(&mut admit));
    before.extend(from.persistent.map(persistent_section).and_then(&mut admit));
    let passages = from.passages.iter().enumerate().map(passage_section);
    let after = passages.filter_map(&mut admit).chain(volatile).collect();
    Frame { from, before, after, ask, left_out }
}

fn estimated_budget(from: &Ingredients<'_>) -> u64 {
    // A window of tokens is far below 2^53.
    (budget_of(from.model.window()) as f64 / from.calibration.factor()) as u64
}

impl Frame<'_> {
    /// Estimated tokens that fit.
    pub fn budget(&self) -> u64 {
        estimated_budget(self.from)
    }

    /// What goes whatever happens, a new message left out.
    pub fn blocks(&self) -> Vec<Block> {
        let continues = self.ask.iter().filter(|_| *self.from.ask == Ask::Continue);
        let block = |section: &Section| Block {
            source: section.source.clone(),
            message: None,
            tokens: section.tokens,
        };
        self.before.iter().chain(&self.after).chain(continues).map(block).collect()
    }

    /// The request with its earlier part.
    pub fn with(self, earlier: &Earlier) -> Request {
        let Self { from, before: mut sections, after, ask, mut left_out } = self;
        sections.extend(earlier.summaries.iter().map(summary_section));
        sections.extend(earlier.extract.as_ref().map(extract_section));
        for raw in &earlier.raw {
            let mut section = raw_section(raw);
            left_out.extend(without_untaken(&mut section, from.model));
            // A reply that failed has nothing to say.
            sections.extend(Some(section).filter(has_content));
        }
        sections.extend(after);
        sections.extend(ask);
        let missing = [
            ("conversation", earlier.told, earlier.told_tokens, LeftOutWhy::Summarised),
            ("summaries", earlier.untold, earlier.untold_tokens, LeftOutWhy::NoRoom),
            ("conversation", earlier.left_out, earlier.left_out_tokens, LeftOutWhy::NoRoom),
        ];
        let missing = missing.into_iter().filter(|(_, count, ..)| *count > 0);
        left_out.extend(missing.map(|(what, count, tokens, why)| LeftOut {
            source: format!("{what} ({count})"),
            tokens,
            why,
        }));
        let estimated = sections.iter().map(|section| section.tokens).sum();
        // Rounded down, so that the sum stays within the budget.
        let correct = |tokens: u64| (tokens as f64 * from.calibration.factor()) as u64;
        sections.iter_mut().for_each(|section| section.tokens = correct(section.tokens));
        left_out.iter_mut().for_each(|piece| piece.tokens = correct(piece.tokens));
        let tokens = sections.iter().map(|section| section.tokens).sum();
        let budget = budget_of(from.model.window());
        Request { sections, left_out, tokens, budget, estimated }
    }
}

fn no_room(source: String, tokens: u64) -> LeftOut {
    LeftOut { source, tokens, why: LeftOutWhy::NoRoom }
}

/// Our own rules, which hold in every project.
pub fn default_rules(language: &str) -> &'static str {
    let [en, ko, ..] = OWN_TEXTS;
    let text = if language == "ko" { ko } else { en };
    text.trim()
}
