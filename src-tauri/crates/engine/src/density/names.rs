//! What a text names: people, products, files, identifiers, figures.

use std::collections::HashSet;

use crate::search::telling_words;

/// The figures, and the words written like a name: with a capital within a sentence, as an identifier or a path, or in
/// Latin letters within Korean.
pub(crate) fn marked_words(text: &str) -> impl Iterator<Item = &str> {
    let korean = text.contains(is_hangul);
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "_-./:@'".contains(c)))
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .filter(|word| !word.is_empty())
        .enumerate()
        .filter(move |(place, word)| {
            let figure = word.starts_with(|c: char| c.is_ascii_digit());
            let inner = |c: char| c.is_ascii_uppercase() || "_/:@".contains(c);
            let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
            let is_i = *word == "I" || word.starts_with("I'");
            figure || korean || word[1..].contains(inner) || (capital && *place > 0 && !is_i)
        })
        .map(|(_, word)| word)
}

/// What two texts can share when one speaks of what the other names: marked words, and words of Korean, which has no
/// capitals. In lower case.
pub(crate) fn names(text: &str) -> HashSet<String> {
    let marked = marked_words(text).map(str::to_lowercase);
    marked.chain(telling_words(text).filter(|word| word.starts_with(is_hangul))).collect()
}

/// Whether a word is an id that no reader follows: a ULID, a UUID, or twelve and more hexadecimal digits.
pub(crate) fn is_id(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hex = |word: &str| word.bytes().all(|b| b.is_ascii_hexdigit());
    let crockford = |b: u8| b.is_ascii_alphanumeric() && !b"ILOUilou".contains(&b);
    match word.len() {
        36 => word.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && word.split('-').all(hex),
        26 if digits > 2 && word.starts_with(|c: char| c < '8') => word.bytes().all(crockford),
        length => length >= 12 && digits > 0 && digits < length && hex(word),
    }
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("The server in Seoul runs Siltstone on port 8080.", &["Seoul", "Siltstone", "8080"])]
    #[case("I think I'm done with useEffect and src/main.rs, so call refresh_token.", &["useEffect", "src/main.rs", "refresh_token"])]
    #[case("session 모듈의 로그", &["session"])]
    #[case("nothing of note here", &[])]
    fn marked_words_are_figures_and_names(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(marked_words(text).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case("01J9ZQ3V5X8K2M4N6P7R8S9T0V", true)]
    #[case("01j9zq3v5x8k2m4n6p7r8s9t0v", true)]
    #[case("550e8400-e29b-41d4-a716-446655440000", true)]
    #[case("3f2a9c1d4e5b", true)]
    #[case("3f2a9c1", false)]
    #[case("202601150930", false)]
    #[case("internationalisation", false)]
    #[case("refresh_token_of_the_day_1", false)]
    fn ids_are_told_from_words_and_figures(#[case] word: &str, #[case] expected: bool) {
        assert_eq!(is_id(word), expected);
    }

    #[test]
    fn a_korean_word_is_shared_with_whatever_particle() {
        let asked = names("모듈을 고쳐 주세요");
        assert!(
            asked.contains("모듈") && names("세션 모듈에 있어요").contains("모듈"),
            "{asked:?}"
        );
    }
}
