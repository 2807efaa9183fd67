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

    #[test]
    fn a_korean_word_is_shared_with_whatever_particle() {
        let asked = names("모듈을 고쳐 주세요");
        assert!(
            asked.contains("모듈") && names("세션 모듈에 있어요").contains("모듈"),
            "{asked:?}"
        );
    }
}
