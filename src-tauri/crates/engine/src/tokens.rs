//! Token estimates, by script.
//!
//! Four characters a token is true for English alone: Korean has about 1.8 characters a token, so a quarter of the
//! length underestimates it by more than half. The divisors below are the means of the o200k vocabulary over English
//! prose, Korean chat and source code. An estimate is shown as one; a provider's own count replaces it.

/// Characters a token for letters of the Latin, Greek and Cyrillic scripts.
const LETTERS: f64 = 4.6;
/// Characters a token for Hangul, Han and Kana.
const SYLLABLES: f64 = 1.7;
/// Characters a token for digits and punctuation, which tokenizers keep in small groups.
const MARKS: f64 = 2.2;
/// Characters a token for everything else (emoji, rare scripts).
const OTHER: f64 = 0.8;
/// Runs of blanks merge into the next word; only one in this many costs a token.
const BLANKS: f64 = 12.0;
/// What a provider adds around each message.
pub const MESSAGE_OVERHEAD: u64 = 4;

/// Estimated tokens of `text`; at least 1 unless it is empty. Linear in its length.
pub fn estimate(text: &str) -> u64 {
    let mut total = 0.0;
    for c in text.chars() {
        total += match c {
            ' ' | '\t' | '\n' | '\r' => 1.0 / BLANKS,
            'a'..='z' | 'A'..='Z' | '\u{00C0}'..='\u{052F}' => 1.0 / LETTERS,
            '\u{1100}'..='\u{11FF}'
            | '\u{2E80}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FAFF}' => 1.0 / SYLLABLES,
            '!'..='~' => 1.0 / MARKS,
            _ => 1.0 / OTHER,
        };
    }
    // The sum is finite and not negative, and far below 2^53 for any text that fits in memory.
    total.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_costs_more_a_character_than_english() {
        let english = "The refresh path lives in the session module and must not change.";
        let korean = "갱신 경로는 세션 모듈에 있고 절대로 바꾸면 안 됩니다.";
        let per_char = |text: &str| estimate(text) as f64 / text.chars().count() as f64;
        assert!((0.18..0.30).contains(&per_char(english)), "{}", per_char(english));
        assert!((0.42..0.70).contains(&per_char(korean)), "{}", per_char(korean));
        assert_eq!(estimate(""), 0);
    }
}
