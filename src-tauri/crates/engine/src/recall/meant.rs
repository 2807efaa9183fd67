//! Whether a text speaks of a word, by what recall knows of words: their stems, nouns that became verbs, words that mean
//! the same in the other language, and loanwords that sound like their original. Memory is chosen by it.

use std::collections::HashSet;

use super::alike;
use super::words::{korean_sound, sound, stemmed};
use crate::search::telling_words;

/// How a Korean noun goes on as a verb.
const VERBS: [char; 12] = ['하', '했', '한', '할', '해', '합', '되', '된', '됐', '될', '돼', '시'];
/// Letters of a sound, its mark among them, from which on words are hardly alike by chance.
const TELLING_SOUND: usize = 4;

/// The words that a text means.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meant(HashSet<String>);

impl Meant {
    /// Those of its telling words.
    pub(crate) fn by(text: &str) -> Self {
        let words = telling_words(text).flat_map(|word| {
            let own = stemmed(noun(&word));
            let same: Vec<String> = alike::of(&own).map(|form| form.text.clone()).collect();
            same.into_iter().chain(heard(&word)).chain([own])
        });
        Self(words.collect())
    }

    /// Whether a word is among them.
    pub(crate) fn has(&self, word: &str) -> bool {
        let mut forms = [stemmed(noun(word))].into_iter().chain(heard(word));
        forms.any(|form| self.0.contains(&form))
    }
}

/// A Korean noun without the verb it became part of; any other word as it is.
fn noun(word: &str) -> &str {
    let ends = word.char_indices().skip(2).find(|(_, syllable)| VERBS.contains(syllable));
    match ends {
        Some((end, _)) if !word.is_ascii() => &word[..end],
        _ => word,
    }
}

/// How a word sounds, where that tells anything; Latin and Hangul are heard alike.
fn heard(word: &str) -> Option<String> {
    let heard = if word.is_ascii() { sound(word) } else { korean_sound(noun(word)) };
    heard.filter(|heard| heard.len() > TELLING_SOUND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::stem("How do I deploy this?", "deployment", true)]
    #[case::stem("We are deploying today", "deploy", true)]
    #[case::verb("지금 배포했는데 괜찮을까?", "배포", true)]
    #[case::other_language("배포 순서가 뭐야?", "deploy", true)]
    #[case::other_language("When do we deploy?", "배포", true)]
    #[case::sound("타임라인 화면을 고쳐 줘", "timeline", true)]
    #[case::unrelated("What about the colours?", "deploy", false)]
    #[case::unrelated("글꼴을 키워 줘", "배포", false)]
    fn a_text_means_words(#[case] text: &str, #[case] word: &str, #[case] means: bool) {
        assert_eq!(Meant::by(text).has(word), means);
    }
}
