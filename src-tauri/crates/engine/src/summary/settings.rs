//! Which policy summarises, and its numbers: the Rolling design (settings), the Segments design (compression rate), the Running design (limits).

use serde::{Deserialize, Serialize};

use crate::recall::RecallSettings;

/// How the earlier part of a conversation is told to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "SummaryPolicy"))]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// One summary, renewed when enough has gathered after it (behaviour.md, Rolling).
    #[default]
    Rolling,
    /// One summary for every three turns (behaviour.md, Segments).
    Segments,
    /// One short summary of everything that has left a small window (behaviour.md, Running).
    Running,
    /// No summary: the newest messages that fit (behaviour.md, Compaction).
    Window,
    /// No summary: the most important messages, by time (behaviour.md, Compaction).
    Importance,
    /// Key information of what does not fit, made for one request (behaviour.md, Compaction).
    Summarise,
    /// No summary: everything, cut only by the model's window.
    None,
}

/// Characters of a summary for each character it stands for: 0.1 to 0.5 by 0.05 (behaviour.md, Segments).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(as = "f64"))]
#[serde(from = "f64", into = "f64")]
pub struct Rate {
    percent: u8,
}

impl Rate {
    /// `int(original_chars * rate)`, in the arithmetic of the design: a float's product, cut off.
    pub fn target(self, original_chars: u64) -> u64 {
        // Lengths of texts are far below 2^53, and the product is neither negative nor larger.
        (original_chars as f64 * f64::from(self)) as u64
    }
}

impl Default for Rate {
    fn default() -> Self {
        Self { percent: 30 }
    }
}

impl From<Rate> for f64 {
    fn from(rate: Rate) -> Self {
        Self::from(rate.percent) / 100.0
    }
}

impl From<f64> for Rate {
    /// The nearest step; what is no number is the default.
    fn from(rate: f64) -> Self {
        if rate.is_nan() {
            return Self::default();
        }
        // Between 2 and 10 after the clamp.
        let steps = (rate.clamp(0.1, 0.5) * 20.0).round() as u8;
        Self { percent: steps * 5 }
    }
}

/// The numbers of the policies. A field that is missing in the stored form takes its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct SummarySettings {
    /// Off: a request is the bare message.
    pub enabled: bool,
    /// Policy of conversations that chose none.
    pub policy: Policy,
    /// Whether the person was shown what may stand for earlier messages: `None` before a fold was due that nobody chose the
    /// policy of, then whether they chose, or let it be.
    pub asked: Option<bool>,
    /// Whether a summary is due by the numbers here, as the designs write it, and not by a share of the model's window;
    /// `None` says so where the person changed the numbers of the policy.
    pub by_numbers: Option<bool>,
    /// Rolling: a summary is due when more tokens than this are not summarised.
    pub threshold: u64,
    /// Rolling: how many messages after the summary a strict request has. Otherwise more of them than the design's six stay
    /// whole.
    pub recent_messages: u32,
    /// Segments: how long a summary is; a change counts from the next one.
    pub rate: Rate,
    /// Exactly as the designs write it, with what they lose.
    pub strict: bool,
    /// Running: tokens of the window of recent messages.
    pub window_keep: u64,
    /// Running: tokens of summary and recent messages together.
    pub token_limit: u64,
    /// The model that summarises; `None` takes the provider's cheapest.
    pub model: Option<String>,
    /// Seconds after which a summary has failed.
    pub timeout_s: u32,
    /// Percent of a summary's tokens that kept facts may have beside it; constraints and decisions go in any case.
    pub kept_facts_share: u32,
    /// Passages of earlier messages beside what is told of them.
    pub recall: RecallSettings,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            policy: Policy::default(),
            asked: None,
            by_numbers: None,
            threshold: 8_000,
            recent_messages: 6,
            rate: Rate::default(),
            strict: false,
            window_keep: 800,
            token_limit: 4_096,
            model: None,
            timeout_s: 60,
            kept_facts_share: 20,
            recall: RecallSettings::default(),
        }
    }
}

impl SummarySettings {
    /// The same with every number inside its limits.
    pub fn within_limits(mut self) -> Self {
        self.threshold = self.threshold.clamp(100, 1_000_000);
        self.recent_messages = self.recent_messages.clamp(1, 100);
        self.window_keep = self.window_keep.clamp(100, 100_000);
        self.token_limit = self.token_limit.clamp(self.window_keep, 1_000_000);
        self.timeout_s = self.timeout_s.clamp(5, 600);
        self.kept_facts_share = self.kept_facts_share.min(50);
        self.recall = self.recall.within_limits();
        self
    }

    /// Whether a summary is due by fixed numbers; `strict` knows nothing else.
    pub fn goes_by_numbers(&self) -> bool {
        let usual = Self::default();
        let changed = || match self.policy {
            Policy::Rolling => self.threshold != usual.threshold,
            Policy::Running => {
                (self.window_keep, self.token_limit) != (usual.window_keep, usual.token_limit)
            }
            _ => false,
        };
        self.strict || self.by_numbers.unwrap_or_else(changed)
    }

    /// Exchanges that go whole in any case: as many messages as the person wants beyond the design's number.
    pub(super) fn exchanges_kept(&self, least: usize) -> usize {
        let wanted = self.recent_messages > Self::default().recent_messages;
        match self.policy {
            Policy::Rolling if wanted => least.max(self.recent_messages.div_ceil(2) as usize),
            _ => least,
        }
    }

    /// The same from when a fold is due: the person is asked once, where they chose nothing. `None` where nothing changes.
    pub fn asking(&self) -> Option<Self> {
        let chosen = self.strict || self.policy != Policy::default();
        (self.asked.is_none() && !chosen).then(|| Self { asked: Some(false), ..self.clone() })
    }

    /// Whether passages of earlier messages are recalled.
    pub fn recalls(&self) -> bool {
        self.enabled && self.recall.on.unwrap_or(!self.strict)
    }

    /// The same with what the environment says instead (behaviour.md, Rolling). A value that cannot be read counts for
    /// nothing.
    pub fn overridden_by(mut self, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let named = |name| lookup(name).map(|value| value.trim().to_lowercase());
        match named("APP_CONTEXT_ENABLED").as_deref() {
            Some("true" | "1" | "on" | "yes") => self.enabled = true,
            Some("false" | "0" | "off" | "no") => self.enabled = false,
            _ => {}
        }
        if let Some(tokens) = named("APP_CONTEXT_THRESHOLD").and_then(|value| value.parse().ok()) {
            self.threshold = tokens;
            self.by_numbers = Some(true);
        }
        if let Some(count) = named("APP_CONTEXT_RECENT_MESSAGES").and_then(|it| it.parse().ok()) {
            self.recent_messages = count;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest] // the Segments design: summary length
    #[case(100, 0.3, 30)]
    #[case(500, 0.3, 150)]
    #[case(1_500, 0.3, 450)]
    #[case(800, 0.3, 240)]
    #[case(1_000, 0.1, 100)]
    #[case(1_000, 0.5, 500)]
    #[case(33, 0.3, 9)]
    #[case(0, 0.3, 0)]
    // 62.99… in floating point, and `int` cuts.
    #[case(180, 0.35, 62)]
    fn the_target_is_int_of_original_times_rate(
        #[case] original: u64,
        #[case] rate: f64,
        #[case] target: u64,
    ) {
        assert_eq!(Rate::from(rate).target(original), target);
    }

    #[rstest] // the Segments design: 0.1 to 0.5 by 0.05, default 0.3
    #[case("0.3", 0.3)]
    #[case("0.33", 0.35)]
    #[case("0.05", 0.1)]
    #[case("0.9", 0.5)]
    #[case("0.15", 0.15)]
    fn a_rate_is_a_step_between_its_ends(#[case] written: &str, #[case] rate: f64) {
        let read: Rate = serde_json::from_str(written).unwrap();
        assert_eq!(f64::from(read), rate);
        assert_eq!(serde_json::to_string(&read).unwrap(), rate.to_string());
        assert_eq!(f64::from(Rate::default()), 0.3);
    }

    #[rstest] // the Rolling design: settings and their environment variables
    #[case(&[], (true, 8_000, 6))]
    #[case(&[("APP_CONTEXT_ENABLED", "true"), ("APP_CONTEXT_THRESHOLD", "16000"), ("APP_CONTEXT_RECENT_MESSAGES", "8")], (true, 16_000, 8))]
    #[case(&[("APP_CONTEXT_ENABLED", "FALSE")], (false, 8_000, 6))]
    #[case(&[("APP_CONTEXT_ENABLED", "perhaps"), ("APP_CONTEXT_THRESHOLD", "-1"), ("APP_CONTEXT_RECENT_MESSAGES", "")], (true, 8_000, 6))]
    fn the_environment_overrides_settings(
        #[case] environment: &[(&str, &str)],
        #[case] expected: (bool, u64, u32),
    ) {
        let settings = SummarySettings::default().overridden_by(|name| {
            let (_, value) = environment.iter().find(|(found, _)| *found == name)?;
            Some((*value).to_owned())
        });
        assert_eq!((settings.enabled, settings.threshold, settings.recent_messages), expected);
    }
}
