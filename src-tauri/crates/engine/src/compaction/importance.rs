//! Importance (behaviour.md, Compaction): the messages that matter most.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Overflow, Selection, block, newest_question, pairs, total};
use crate::density;
use crate::ledger::{self, Category};
use crate::message::{Message, MessageStatus, Part, Role};

/// Messages that are kept at most.
pub const MAX_MESSAGES: usize = 50;

/// The newest message's worth.
const RECENCY: f64 = 10.0;
/// Every so many messages it halves.
const HALF_LIFE: f64 = 20.0;
const TOOL_USE: f64 = 10.0;
const ERROR: f64 = 15.0;
/// The draft names something that the message names.
const MENTION: f64 = 8.0;
/// Something was decided in it, or a rule was given: what the setting says stays longer.
const DECISION: f64 = 12.0;
/// The densest message's worth.
const DENSITY: f64 = 5.0;
/// A name that more than one message in so many has tells nothing apart.
const TELLING: usize = 4;

/// The most important messages that fit in `budget`, at most [`MAX_MESSAGES`], by time. Tool pairs count as their most
/// important message; the newest question always goes and has to fit.
///
/// `strict`: the design's sum of recency, tool use and error; no budget; pairs may part; in the order of the scores.
pub fn importance(
    messages: &[Message],
    draft: &str,
    budget: u64,
    strict: bool,
) -> Result<Selection, Overflow> {
    most_worth(messages, &scores(messages, draft, strict), budget, strict)
}

/// The same among messages whose worth is known.
pub fn most_worth(
    messages: &[Message],
    scores: &[Score],
    budget: u64,
    strict: bool,
) -> Result<Selection, Overflow> {
    if strict {
        return Ok(as_written(messages, scores));
    }
    let groups = pairs::groups(messages);
    let asked = pairs::holder(&groups, newest_question(messages));
    let best = |group: &pairs::Group| {
        scores[group.places.clone()].iter().map(Score::sum).fold(0.0, f64::max)
    };
    let mut ranked: Vec<(f64, usize)> = groups.iter().map(best).zip(0..).collect();
    // What has to go is chosen first, then by score; of equals the newer.
    ranked.sort_by(|a, b| {
        (b.1 == asked).cmp(&(a.1 == asked)).then(b.0.total_cmp(&a.0)).then(b.1.cmp(&a.1))
    });
    let mut selection = Selection::default();
    for (_, place) in ranked {
        let group = &groups[place];
        let more = total(&messages[group.places.clone()]);
        let fits = selection.tokens + more <= budget;
        if place == asked && !fits {
            let blocks = messages[group.places.clone()].iter().map(block).collect();
            return Err(Overflow::of(blocks, budget));
        }
        let room = selection.kept.len() + group.places.len() <= MAX_MESSAGES;
        if place == asked || (fits && room && !group.orphaned) {
            selection.tokens += more;
            selection.kept.extend(group.places.clone());
        }
    }
    selection.kept.sort_unstable();
    Ok(selection)
}

fn as_written(messages: &[Message], scores: &[Score]) -> Selection {
    let mut scored: Vec<(f64, usize)> = scores.iter().map(Score::sum).zip(0..).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(MAX_MESSAGES);
    let kept: Vec<usize> = scored.into_iter().map(|(_, place)| place).collect();
    let tokens = kept.iter().map(|place| messages[*place].tokens).sum();
    Selection { kept, tokens }
}

/// What a message is worth, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    recency: f64,
    tools: f64,
    error: f64,
    decision: f64,
    mention: f64,
    density: f64,
}

/// The same as it is shown, in tenths of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Worth {
    /// How new it is.
    pub recency: u32,
    /// It calls tools.
    pub tools: u32,
    /// It failed, or a tool did.
    pub error: u32,
    /// Something was decided in it.
    pub decision: u32,
    /// It names what the draft names.
    pub mention: u32,
    /// How much it says in few words.
    pub density: u32,
}

impl Worth {
    /// All of it, in tenths of a point.
    pub fn sum(&self) -> u32 {
        self.recency + self.tools + self.error + self.decision + self.mention + self.density
    }
}

impl Score {
    fn sum(&self) -> f64 {
        self.recency + self.tools + self.error + self.decision + self.mention + self.density
    }

    /// As it is shown.
    pub fn worth(&self) -> Worth {
        // No part is negative or above 15.
        let tenths = |points: f64| (points * 10.0).round() as u32;
        Worth {
            recency: tenths(self.recency),
            tools: tenths(self.tools),
            error: tenths(self.error),
            decision: tenths(self.decision),
            mention: tenths(self.mention),
            density: tenths(self.density),
        }
    }
}

/// What each message is worth; under `strict` by the design's parts alone.
pub fn scores(messages: &[Message], draft: &str, strict: bool) -> Vec<Score> {
    let plain = |(place, message): (usize, &Message)| Score {
        recency: recency(messages.len() - 1 - place),
        tools: points(calls_tools(message), TOOL_USE),
        error: points(failed(message), ERROR),
        ..Score::default()
    };
    let plain = messages.iter().enumerate().map(plain);
    if strict {
        return plain.collect();
    }
    let texts: Vec<String> = messages.iter().map(Message::text).collect();
    let densities = density::densities(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    // What was called for and answered names things as well.
    let named: Vec<String> = messages.iter().map(ledger::text_of).collect();
    let mentioned = mentioned(&named, draft);
    plain
        .enumerate()
        .map(|(place, plain)| Score {
            decision: points(decides(&messages[place]), DECISION),
            mention: points(mentioned[place], MENTION),
            density: DENSITY * densities[place],
            ..plain
        })
        .collect()
}

fn recency(age: usize) -> f64 {
    RECENCY * f64::exp2(-(age as f64) / HALF_LIFE)
}

fn calls_tools(message: &Message) -> bool {
    message.parts.iter().any(|part| matches!(part, Part::ToolCall { .. }))
}

fn failed(message: &Message) -> bool {
    message.status == MessageStatus::Failed
        || message.parts.iter().any(|part| matches!(part, Part::ToolResult { is_error: true, .. }))
}

/// What a tool answered decides nothing.
fn decides(message: &Message) -> bool {
    message.role != Role::Tool
        && ledger::entries(message).iter().any(|entry| entry.category == Category::Decision)
}

fn points(earned: bool, worth: f64) -> f64 {
    if earned { worth } else { 0.0 }
}

/// Which texts name something that the draft names, and that not every other text names as well.
fn mentioned(texts: &[String], draft: &str) -> Vec<bool> {
    let mut holders: HashMap<String, Vec<usize>> =
        density::names(draft).into_iter().map(|name| (name, Vec::new())).collect();
    for (place, text) in texts.iter().enumerate() {
        for name in density::names(text) {
            if let Some(places) = holders.get_mut(&name) {
                places.push(place);
            }
        }
    }
    let mut mentioned = vec![false; texts.len()];
    for places in holders.into_values().filter(|places| places.len() <= texts.len() / TELLING + 1) {
        for place in places {
            mentioned[place] = true;
        }
    }
    mentioned
}
