//! Korean particles and endings at the end of a word, so that a question about `컴포넌트는` finds `컴포넌트`.
//!
//! No dictionary: an ending is taken off when it is in the list, fits the sound before it, and leaves two syllables.
//! What it leaves is asked for beside the word as typed, never instead of it, so a wrong guess only finds more.

/// What the syllable before an ending must be like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Any,
    /// A syllable with a final consonant.
    Consonant,
    /// A syllable without one.
    Vowel,
    /// A syllable without one, or with ㄹ.
    VowelOrRieul,
}

use After::{Any, Consonant, Vowel, VowelOrRieul};

const ENDINGS: &[(&str, After)] = &[
    ("에서부터는", Any),
    ("이라고는", Consonant),
    ("입니까", Any),
    ("입니다", Any),
    ("인가요", Any),
    ("인지요", Any),
    ("이에요", Consonant),
    ("이었다", Consonant),
    ("에서는", Any),
    ("에서도", Any),
    ("에서의", Any),
    ("에게서", Any),
    ("에게는", Any),
    ("으로는", Consonant),
    ("으로도", Consonant),
    ("으로써", Consonant),
    ("으로서", Consonant),
    ("이라고", Consonant),
    ("이라는", Consonant),
    ("까지는", Any),
    ("부터는", Any),
    ("보다는", Any),
    ("만으로", Any),
    ("에서", Any),
    ("에게", Any),
    ("한테", Any),
    ("으로", Consonant),
    ("까지", Any),
    ("부터", Any),
    ("처럼", Any),
    ("보다", Any),
    ("마다", Any),
    ("조차", Any),
    ("밖에", Any),
    ("대로", Any),
    ("이나", Consonant),
    ("이랑", Consonant),
    ("이란", Consonant),
    ("이며", Consonant),
    ("이고", Consonant),
    ("이다", Consonant),
    ("이야", Consonant),
    ("인가", Any),
    ("인지", Any),
    ("하고", Any),
    ("라고", Vowel),
    ("라는", Vowel),
    ("예요", Vowel),
    ("에는", Any),
    ("에도", Any),
    ("에만", Any),
    ("로는", VowelOrRieul),
    ("로도", VowelOrRieul),
    ("로써", VowelOrRieul),
    ("로서", VowelOrRieul),
    ("만을", Any),
    ("만이", Any),
    ("들은", Any),
    ("들이", Any),
    ("들을", Any),
    ("들의", Any),
    ("은", Consonant),
    ("는", Vowel),
    ("이", Consonant),
    ("가", Vowel),
    ("을", Consonant),
    ("를", Vowel),
    ("과", Consonant),
    ("와", Vowel),
    ("의", Any),
    ("에", Any),
    ("로", VowelOrRieul),
    ("도", Any),
    ("만", Any),
    ("랑", Vowel),
    ("란", Vowel),
    ("나", Vowel),
    ("며", Vowel),
    ("야", Vowel),
    ("들", Any),
];

/// The word without its ending, if it has one and two syllables are left.
pub(crate) fn stem(word: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|(ending, after)| {
        let stem = word.strip_suffix(ending)?;
        let fits = stem.chars().nth(1).is_some() && fits(*after, stem.chars().next_back()?);
        fits.then_some(stem)
    })
}

/// The one syllable that may be a word, alone or before an ending: too little to be asked for, unless it is known.
pub(crate) fn syllable(word: &str) -> Option<&str> {
    let (end, _) = word.char_indices().nth(1).unwrap_or((word.len(), ' '));
    let (syllable, ending) = word.split_at(end);
    let before = syllable.chars().next()?;
    let alone =
        ending.is_empty() || ENDINGS.iter().any(|(it, on)| *it == ending && fits(*on, before));
    alone.then_some(syllable)
}

/// Whether a run is nothing but an ending, as behind a Latin word: `useEffect를`.
pub(super) fn is_ending(run: &str) -> bool {
    ENDINGS.iter().any(|(ending, _)| *ending == run)
}

fn fits(after: After, before: char) -> bool {
    const RIEUL: u32 = 8;
    let Some(offset) = u32::from(before).checked_sub(0xAC00).filter(|offset| *offset < 11_172)
    else {
        return false;
    };
    let last = offset % 28;
    match after {
        Any => true,
        Consonant => last != 0,
        Vowel => last == 0,
        VowelOrRieul => last == 0 || last == RIEUL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("컴포넌트는", Some("컴포넌트"))]
    #[case("포트는", Some("포트"))]
    #[case("세션에서는", Some("세션"))]
    #[case("파일로", Some("파일"))]
    #[case("토큰을", Some("토큰"))]
    #[case("토큰를", None)]
    #[case("결과", None)]
    #[case("사과는", Some("사과"))]
    #[case("나는", None)]
    fn endings_come_off_where_they_fit(#[case] word: &str, #[case] expected: Option<&str>) {
        assert_eq!(stem(word), expected);
    }
}
