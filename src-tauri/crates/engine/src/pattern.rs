//! Patterns over what people write in Korean and English. The ledger, recall and the session's proposals compile theirs here.
//!
//! `\b` is the edge of a Latin word: Korean puts its particles right behind one (`TBD로`), which is no edge between letters. It
//! is also the only edge that the automata of [`regex`] can find in a text with letters beyond ASCII; with the usual one they
//! give way to a machine that takes some twenty times as long (the library's notes on performance, on word boundaries).

use regex::{Error, Regex, RegexSet};

/// One pattern.
pub(crate) fn pattern(text: &str) -> Result<Regex, Error> {
    Regex::new(&latin(text))
}

/// Several that are looked for at once.
pub(crate) fn patterns<'a>(texts: impl Iterator<Item = &'a str>) -> Result<RegexSet, Error> {
    RegexSet::new(texts.map(latin))
}

fn latin(text: &str) -> String {
    text.replace(r"\b", r"(?-u:\b)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_does_not_hide_the_word_before_it() {
        let found = pattern(r"\bTBD\b").unwrap();
        assert!(found.is_match("포트는 TBD로 둔다"));
        assert!(!found.is_match("포트는 TBDs로 둔다"));
        let set = patterns([r"\d ?ms\b", r"초"].into_iter()).unwrap();
        assert_eq!(set.matches("120ms로").iter().collect::<Vec<_>>(), [0]);
    }
}
