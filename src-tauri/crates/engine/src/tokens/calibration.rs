//! What a provider's own counts teach about our estimates.

use serde::{Deserialize, Serialize};

/// What one more observation leaves of the weight of those before it.
const MEMORY: f64 = 0.8;
/// An observation counts as at most this much more, or less, than was expected: a reply with a picture, or a provider
/// that counts what we did not send, must not spoil the estimates after it.
const STEP: f64 = 1.5;
/// Tokens that speak for an unchanged estimate at first.
const DOUBT: f64 = 50.0;

/// A model's correction: the moving average of counted over estimated tokens, long texts weighing more than short ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    counted: f64,
    estimated: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { counted: DOUBT, estimated: DOUBT }
    }
}

impl Calibration {
    /// By what an estimate is multiplied.
    pub fn factor(&self) -> f64 {
        let factor = self.counted / self.estimated;
        if factor.is_finite() && factor > 0.0 { factor } else { 1.0 }
    }

    /// An estimate, corrected.
    pub fn correct(&self, estimated: u64) -> u64 {
        // Tokens of a text in memory are far below 2^53.
        (estimated as f64 * self.factor()).round() as u64
    }

    /// Learns from a text of `estimated` tokens, uncorrected, that the provider counted.
    #[must_use]
    pub fn observe(self, estimated: u64, counted: u64) -> Self {
        if estimated == 0 || counted == 0 {
            return self;
        }
        let estimated = estimated as f64;
        let expected = estimated * self.factor();
        let counted = (counted as f64).clamp(expected / STEP, expected * STEP);
        Self {
            counted: self.counted * MEMORY + counted,
            estimated: self.estimated * MEMORY + estimated,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::tokens::{Encoding, estimate};

    const ENGLISH: &str = include_str!("../../../../../docs/architecture.md");
    const KOREAN: &str = include_str!("../../../../../ui/src/shared/i18n/ko/later/chat.json");
    const CODE: &str = include_str!("../ports.rs");

    /// The count of a public encoding stands for the usage that a provider reports; `cl100k` costs Korean a third more
    /// than the estimate expects. Every request carries the text of those before it.
    #[rstest]
    fn twenty_replies_are_estimated_within_three_per_cent(
        #[values(ENGLISH, KOREAN, CODE)] text: &str,
        #[values(Encoding::O200k, Encoding::Cl100k)] provider: Encoding,
    ) {
        let chars: Vec<char> = text.chars().collect();
        let mut calibration = Calibration::default();
        let (mut estimated, mut counted) = (0, 0);
        let mut errors = Vec::new();
        for reply in chars.chunks(chars.len().div_ceil(20)) {
            let reply: String = reply.iter().collect();
            estimated += estimate(&reply);
            counted += provider.count(&reply).unwrap();
            errors.push((calibration.correct(estimated) as f64 / counted as f64 - 1.0).abs());
            calibration = calibration.observe(estimated, counted);
        }
        errors.sort_by(f64::total_cmp);
        assert!(errors[10] <= 0.03, "{errors:?}");
    }

    #[test]
    fn one_odd_report_moves_the_correction_little_and_is_forgotten() {
        let steady = (0..20).fold(Calibration::default(), |known, _| known.observe(1_000, 1_300));
        assert!((steady.factor() - 1.3).abs() < 0.01);
        let odd = steady.observe(1_000, 1_000_000);
        assert!(odd.factor() < 1.3 * 1.12, "{}", odd.factor());
        let after = (0..10).fold(odd, |known, _| known.observe(1_000, 1_300));
        assert!((after.factor() - 1.3).abs() < 0.02, "{}", after.factor());
    }

    #[test]
    fn twice_the_tokens_are_learned_in_five_replies() {
        let known = (0..5).fold(Calibration::default(), |known, _| known.observe(1_000, 2_000));
        assert!((known.factor() / 2.0 - 1.0).abs() < 0.04, "{}", known.factor());
        let kept = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Calibration>(&kept).unwrap(), known);
    }

    proptest! {
        #[test]
        fn no_report_makes_the_correction_useless(
            reports in proptest::collection::vec((any::<u32>(), any::<u64>()), 0..40),
        ) {
            let mut known = Calibration::default();
            for (estimated, counted) in reports {
                let before = known.factor();
                known = known.observe(u64::from(estimated), counted);
                let step = known.factor() / before;
                prop_assert!(((1.0 - 1e-9) / STEP..=STEP * (1.0 + 1e-9)).contains(&step), "{}", step);
            }
        }
    }
}
