//! What was called and answered since the question: all of it goes. Where it is too much, results are shortened, the oldest
//! first; where that is not enough, the long texts that calls carry, which stand in the files they were written to.

use std::sync::Arc;

use serde_json::Value;

use super::sections::raw_section;
use crate::compaction::cost;
use crate::message::{Message, Part, Role, words_of};
use crate::section::Section;
use crate::summary::Raw;
use crate::tokens::{MESSAGE_OVERHEAD, Scale, estimate_parts};

/// Characters that are left of a result that is shortened.
const LEFT_CHARS: usize = 600;

/// The steps in at most about so many tokens.
pub(super) fn fitted(steps: &[Arc<Message>], room: u64, scale: &Scale<'_>) -> Vec<Section> {
    let whole = |message: &Arc<Message>| Raw {
        tokens: cost(message),
        message: message.clone(),
        cut: None,
        turn: None,
    };
    let mut raw: Vec<Raw<Arc<Message>>> = steps.iter().map(whole).collect();
    let mut tokens: u64 = raw.iter().map(|raw| raw.tokens).sum();
    for step in &mut raw {
        if tokens <= room {
            break;
        }
        let text = words_of(&step.message.parts);
        if step.message.role == Role::Tool && text.chars().nth(LEFT_CHARS).is_some() {
            step.cut = Some(LEFT_CHARS);
            let less = scale.text(&step.text()).tokens + MESSAGE_OVERHEAD;
            tokens = tokens.saturating_sub(step.tokens.saturating_sub(less));
            step.tokens = less;
        }
    }
    for step in &mut raw {
        if tokens <= room {
            break;
        }
        if let Some(shorter) = with_short_calls(&step.message) {
            let less = scale.correct(shorter.tokens) + MESSAGE_OVERHEAD;
            tokens = tokens.saturating_sub(step.tokens.saturating_sub(less));
            (step.tokens, step.message) = (less, Arc::new(shorter));
        }
    }
    raw.iter().map(raw_section).collect()
}

/// The message with what its calls say at length cut; `None` where nothing is long.
fn with_short_calls(message: &Message) -> Option<Message> {
    let mut shorter = message.clone();
    let mut any = false;
    for part in &mut shorter.parts {
        let Part::ToolCall { arguments, .. } = part else { continue };
        let Ok(Value::Object(mut values)) = serde_json::from_str::<Value>(arguments) else {
            continue;
        };
        let mut cut = false;
        for value in values.values_mut() {
            if let Value::String(text) = value
                && let Some((end, _)) = text.char_indices().nth(LEFT_CHARS)
            {
                let left = text[end..].chars().count();
                *value = Value::String(format!("{}[… {left} characters left out]", &text[..end]));
                cut = true;
            }
        }
        if cut {
            *arguments = Value::Object(values).to_string();
            any = true;
        }
    }
    shorter.tokens = estimate_parts(&shorter.parts);
    any.then_some(shorter)
}
