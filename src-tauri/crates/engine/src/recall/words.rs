//! From text to terms: stems of Latin words and parts of identifiers, pairs of Hangul syllables, and three looser ways in
//! which two texts may mean the same word.
//!
//! *Beginnings* of Korean words bring conjugated verbs together (`고쳤어`, `고치는`), *sounds* bring a loanword to its
//! original (`타우리`, `Tauri`), and [`alike`](super::alike) words mean the same in both languages. A question is read
//! without the words that only say that something is asked.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::alike;
use crate::search::{Run, pairs, parts, runs, stem, token, without_frame};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Endings of Korean questions, with which a word says that something is asked, not what.
const ASKING: [&str; 30] = [
    "했더라",
    "했어",
    "했지",
    "하지",
    "하기로",
    "기로",
    "라고",
    "뭐였",
    "뭐라",
    "무엇",
    "어떻게",
    "어떤",
    "언제",
    "어디",
    "얼마",
    "누구",
    "누가",
    "몇",
    "왜",
    "이야",
    "였어",
    "였지",
    "됐어",
    "됐지",
    "있어",
    "있지",
    "뭔",
    "뭘",
    "뭐",
    "정했",
];

/// The terms of a text, by the way in which they may be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    /// Stems, parts of identifiers and pairs of syllables, in order.
    pub plain: Vec<String>,
    /// How Korean words begin.
    pub beginnings: Vec<String>,
    /// How words sound.
    pub sounds: Vec<String>,
}

/// The terms of what was said.
pub(super) fn terms(text: &str) -> Terms {
    let mut found = Terms::default();
    for run in runs(text) {
        read(&run, &mut found);
    }
    found
}

/// The terms of a question, each once, and those of words that mean the same as its own.
pub(super) fn asked(question: &str) -> (Terms, Vec<String>) {
    let runs = runs(question);
    let telling: Vec<Run> = runs.iter().filter_map(without_frame).filter(|it| !asks(it)).collect();
    let chosen = if telling.is_empty() { &runs } else { &telling };
    let mut found = Terms::default();
    let mut others = Vec::new();
    for run in chosen {
        read(run, &mut found);
        for word in alike::of(&same(run)) {
            others.extend(terms(word).plain);
        }
    }
    for list in [&mut found.plain, &mut found.beginnings, &mut found.sounds, &mut others] {
        let mut seen = HashSet::new();
        list.retain(|term| seen.insert(term.clone()));
    }
    others.retain(|term| !found.plain.contains(term));
    (found, others)
}

/// A word of a question, with all the terms by which it may be met.
pub(super) struct Word {
    /// As written; pairs of syllables of a Korean one.
    pub plain: Vec<String>,
    /// How it begins or sounds.
    pub loose: Vec<String>,
    /// Words that mean the same.
    pub same: Vec<String>,
    /// What the index over everything is asked for.
    pub tokens: Vec<String>,
}

/// The words that tell what a question is about, each once; none where it only says that something is asked.
pub(super) fn telling(question: &str) -> Vec<Word> {
    let mut seen = HashSet::new();
    let runs = runs(question).into_iter();
    let telling = runs.filter_map(|run| without_frame(&run)).filter(|run| !asks(run));
    telling
        .filter(|run| seen.insert(token(&run.text)))
        .map(|run| {
            let mut found = Terms::default();
            read(&run, &mut found);
            let same = same(&run);
            let same = alike::of(&same).flat_map(|word| terms(word).plain).collect();
            let loose = found.beginnings.into_iter().chain(found.sounds).collect();
            let tokens = match run.cjk {
                true => pairs(&run.text).collect(),
                false => vec![token(&run.text)],
            };
            Word { plain: found.plain, loose, same, tokens }
        })
        .collect()
}

fn asks(run: &Run) -> bool {
    run.cjk && ASKING.iter().any(|ending| run.text.starts_with(ending))
}

/// A word in the form in which it is compared with words that mean the same.
fn same(run: &Run) -> String {
    if run.cjk { run.text.clone() } else { stemmed(&token(&run.text)) }
}

fn read(run: &Run, found: &mut Terms) {
    if !run.cjk {
        let word = token(&run.text);
        found.plain.extend(parts(&run.text).into_iter().map(|part| stemmed(&token(part))));
        found.sounds.extend(sound(&word));
        found.plain.push(stemmed(&word));
        return;
    }
    if run.text.chars().nth(1).is_none() {
        found.plain.push(run.text.clone());
    }
    found.plain.extend(pairs(&run.text));
    found.beginnings.extend(beginning(&run.text));
    found.sounds.extend(korean_sound(stem(&run.text).unwrap_or(&run.text)));
}

/// A Latin word without its ending; anything else as it is.
pub(super) fn stemmed(word: &str) -> String {
    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if plain { ENGLISH.stem(word).into_owned() } else { word.to_owned() }
}

/// The letters of a syllable of Hangul by number: first, middle and last.
fn letters(syllable: char) -> Option<(u32, u32, u32)> {
    let offset = u32::from(syllable).checked_sub(0xAC00).filter(|offset| *offset < 11_172)?;
    Some((offset / 588, offset % 588 / 28, offset % 28))
}

/// The first syllable of a Korean word and the first letter of its second: what conjugation leaves alone.
fn beginning(word: &str) -> Option<String> {
    let mut syllables = word.chars();
    let first = syllables.next()?;
    let (second, ..) = letters(syllables.next()?)?;
    Some(format!("^{first}{second}"))
}

/// The consonants of a Latin word, where it has enough of them to be told from others.
pub(super) fn sound(word: &str) -> Option<String> {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let mut heard = String::from("~");
    let bytes = word.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1).copied();
        let consonant = match (byte, next) {
            (b'h' | b'w' | b'y', _) | (b'g', Some(b'h')) => continue,
            // One sound, as in `-ing`.
            (b'g', None) if heard.ends_with('n') => continue,
            (b'c', Some(b'e' | b'i' | b'y' | b'h')) | (b's' | b'z' | b'j', _) => 's',
            (b'p', Some(b'h')) | (b'f' | b'p' | b'b' | b'v', _) => 'p',
            (b'c' | b'k' | b'q' | b'g' | b'x', _) => 'k',
            (b't' | b'd', _) => 't',
            (b'l', _) => 'l',
            // An `r` that no vowel follows is not heard in Korean.
            (b'r', Some(b'a' | b'e' | b'i' | b'o' | b'u' | b'y')) => 'l',
            (b'm', _) => 'm',
            (b'n', _) => 'n',
            _ => continue,
        };
        if !heard.ends_with(consonant) {
            heard.push(consonant);
        }
    }
    (heard.len() > 3).then_some(heard)
}

/// The same of a Korean word of three syllables or more, as loanwords are.
pub(super) fn korean_sound(word: &str) -> Option<String> {
    const FIRST: [char; 19] = [
        'k', 'k', 'n', 't', 't', 'l', 'm', 'p', 'p', 's', 's', ' ', 's', 's', 's', 'k', 't', 'p',
        ' ',
    ];
    word.chars().nth(2)?;
    let mut heard = String::from("~");
    let mut hear = |consonant: char| {
        if consonant != ' ' && !heard.ends_with(consonant) {
            heard.push(consonant);
        }
    };
    for syllable in word.chars() {
        let (first, _, last) = letters(syllable)?;
        hear(FIRST[first as usize]);
        hear(match last {
            1..=3 | 24 => 'k',
            4..=6 | 21 => 'n',
            7 | 19 | 20 | 22 | 23 | 25 => 't',
            8..=15 => 'l',
            16 => 'm',
            17 | 18 | 26 => 'p',
            _ => ' ',
        });
    }
    (heard.len() > 3).then_some(heard)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Deploying readPort", "deploy read port readport", "")]
    #[case("설정을 고쳤어", "설정 정을 고쳤 쳤어", "^설12 ^고14")]
    #[case("useEffect를", "use effect useeffect 를", "")]
    fn text_becomes_terms(#[case] text: &str, #[case] plain: &str, #[case] beginnings: &str) {
        let found = terms(text);
        assert_eq!(
            (found.plain.join(" "), found.beginnings.join(" ")),
            (plain.into(), beginnings.into())
        );
    }

    #[rstest]
    #[case("스벨트", "svelte")]
    #[case("깃허브", "github")]
    #[case("타임라인", "timeline")]
    #[case("데이터베이스", "database")]
    #[case("리팩토링", "refactoring")]
    fn a_loanword_sounds_like_its_original(#[case] korean: &str, #[case] english: &str) {
        assert_eq!(korean_sound(korean), sound(english), "{korean}");
        assert!(sound(english).is_some());
    }

    #[test]
    fn a_question_is_read_without_its_frame() {
        let (found, _) = asked("가져오기 화면은 언제 고치기로 했더라?");
        assert!(found.plain.contains(&"화면".to_owned()));
        assert!(!found.plain.iter().any(|term| term == "했더" || term == "언제"), "{found:?}");
    }
}
