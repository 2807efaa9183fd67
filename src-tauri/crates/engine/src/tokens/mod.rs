//! Tokens: what a text costs a model.
//!
//! A model whose byte-pair encoding is public is counted exactly; any other gets an [`estimate`] by script, which a
//! [`Calibration`] corrects by what its provider reports. Whoever makes a message counts it once and keeps the number
//! in its row; composing adds rows up. The first exact count of an encoding unpacks its vocabulary (some 60 ms), so it
//! belongs off the path of a key press: counting an empty text does it. Not here: what pictures cost, and what a
//! provider adds to a request beyond [`MESSAGE_OVERHEAD`].

mod cache;
mod calibration;
mod encoding;
mod scale;
mod script;

pub use cache::Cache;
pub use calibration::Calibration;
pub use encoding::Encoding;
pub use scale::Scale;
pub use script::estimate;

use crate::message::Part;

/// What a provider adds around each message.
pub const MESSAGE_OVERHEAD: u64 = 4;

/// Estimated tokens of what is said, called and answered; pictures, files and thoughts left out.
pub fn estimate_parts(parts: &[Part]) -> u64 {
    let tokens = parts.iter().map(|part| match part {
        Part::Text { text } | Part::Pasted { text, .. } | Part::ToolResult { text, .. } => {
            estimate(text)
        }
        Part::ToolCall { name, arguments, .. } => {
            estimate(name) + estimate(arguments) + MESSAGE_OVERHEAD
        }
        _ => 0,
    });
    tokens.sum()
}

/// How many tokens, and whether a tokenizer counted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Tokens of the text alone.
    pub tokens: u64,
    /// `false` for an estimate, which is shown as one.
    pub exact: bool,
}

/// A way to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// By the model's own encoding.
    Exact(Encoding),
    /// By script.
    Script,
    /// By length alone, see [`quarter`].
    Quarter,
}

impl Counter {
    /// The best way to count for a model of this name.
    pub fn of_model(name: &str) -> Self {
        Encoding::of_model(name).map_or(Self::Script, Self::Exact)
    }

    /// Counts a text; linear in its length but for a factor of its logarithm where nothing in it parts it.
    pub fn count(self, text: &str) -> Count {
        match self {
            Self::Exact(encoding) => encoding
                .count(text)
                .map_or_else(|| Self::Script.count(text), |tokens| Count { tokens, exact: true }),
            Self::Script => Count { tokens: estimate(text), exact: false },
            Self::Quarter => Count { tokens: quarter(text), exact: false },
        }
    }
}

/// Tokens as the Rolling design counts them: a quarter of the length in UTF-16 units, rounded down. Only `strict` asks for it,
/// because it finds less than half of the tokens of Korean.
pub fn quarter(text: &str) -> u64 {
    text.encode_utf16().count() as u64 / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// behaviour.md, Rolling: one token is four letters.
    #[rstest]
    #[case("", 0)]
    #[case("안녕하세요", 1)]
    #[case(&"가".repeat(100), 25)]
    #[case(&"x".repeat(4_000), 1_000)]
    #[case(&"가".repeat(32_000), 8_000)]
    fn counts_a_quarter_of_the_length(#[case] text: &str, #[case] tokens: u64) {
        assert_eq!(Counter::Quarter.count(text), Count { tokens, exact: false });
    }

    #[test]
    fn a_model_of_unknown_encoding_gets_an_estimate_that_says_so() {
        assert_eq!(Counter::of_model("claude-sonnet-4-5"), Counter::Script);
        assert!(!Counter::of_model("gemma-3-4b-it").count("hello").exact);
        assert_eq!(Counter::of_model("gpt-4o").count("hello"), Count { tokens: 1, exact: true });
    }
}
