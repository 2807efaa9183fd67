//! How the texts of one request weigh for its model.

use super::{Calibration, Count, Counter};
use crate::message::{Message, Part, text_of};

/// Weighs the texts of one request: exactly where the model's encoding is public and at hand, else by an estimate that
/// is corrected by what its provider reported. [`MESSAGE_OVERHEAD`](super::MESSAGE_OVERHEAD) comes on top of each.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    count: &'a dyn Fn(&str) -> Count,
    calibration: Calibration,
}

impl<'a> Scale<'a> {
    /// A scale on which `count` weighs the texts; it must give the same for the same text.
    pub fn new(count: &'a dyn Fn(&str) -> Count, calibration: Calibration) -> Self {
        Self { count, calibration }
    }

    /// A scale that estimates.
    pub fn estimating(calibration: Calibration) -> Self {
        Self::new(&|text| Counter::Script.count(text), calibration)
    }

    /// By what estimates are corrected.
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// What a text weighs.
    pub fn text(&self, text: &str) -> Count {
        let count = (self.count)(text);
        match count.exact {
            true => count,
            false => Count { tokens: self.correct(count.tokens), exact: false },
        }
    }

    /// What a message weighs that has just been written: its text, and what is attached.
    pub fn parts(&self, parts: &[Part]) -> Count {
        let attached = parts.iter().map(Part::attached_tokens).sum::<u64>();
        let Count { tokens, exact } = self.text(&text_of(parts));
        Count { tokens: tokens + self.correct(attached), exact: exact && attached == 0 }
    }

    /// What an earlier message weighs, by the numbers in its row.
    pub fn message(&self, message: &Message, counted: Option<u64>) -> Count {
        match counted {
            Some(tokens) => Count { tokens, exact: true },
            None => Count { tokens: self.correct(message.tokens), exact: false },
        }
    }

    /// An estimate, corrected.
    pub fn correct(&self, estimated: u64) -> u64 {
        self.calibration.correct(estimated)
    }

    /// What estimates were before they were corrected to this.
    pub(crate) fn before_correction(&self, corrected: u64) -> u64 {
        // Tokens of a request are far below 2^53.
        (corrected as f64 / self.calibration.factor()).round() as u64
    }
}
