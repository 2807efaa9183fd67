//! What summarising has saved (behaviour.md, Segments).

use serde::{Deserialize, Serialize};

use super::overlay::Overlay;

/// `Summaries: 3 (9 turns); 2,400 -> 720 characters; 70 % saved`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "SummaryStatistics"))]
pub struct Statistics {
    /// Summaries that hold on the path.
    pub count: u32,
    /// Turns they stand for.
    pub turns: u32,
    /// Characters of those turns.
    pub original_chars: u64,
    /// Characters of the summaries.
    pub summary_chars: u64,
    /// What is saved, in percent; negative when the summaries are longer.
    pub saved_percent: i64,
    /// Tokens that were spent on the summaries.
    pub spent_tokens: u64,
}

impl Statistics {
    /// Of the summaries that hold on a path.
    pub fn of(overlay: &Overlay<'_>) -> Self {
        let mut all = Self::default();
        for record in overlay.records() {
            all.count += 1;
            all.turns += record.turns.map_or(0, |turns| turns.length());
            all.original_chars += record.original_chars;
            all.summary_chars += record.summary_chars;
            all.spent_tokens +=
                record.usage.map_or(0, |usage| usage.input_tokens + usage.output_tokens);
        }
        if all.original_chars > 0 {
            let kept = all.summary_chars as f64 / all.original_chars as f64;
            // A share of lengths of texts is far inside the range of both types.
            all.saved_percent = ((1.0 - kept) * 100.0).round() as i64;
        }
        all
    }
}
