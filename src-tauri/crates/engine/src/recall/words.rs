//! From text to terms: stems of Latin words and parts of identifiers, pairs of Hangul syllables, and three looser ways in
//! which two texts may mean the same word.
//!
//! *Beginnings* of Korean words bring conjugated verbs together (`고쳤어`, `고치는`), *sounds* bring a loanword to its
//! original (`타우리`, `Tauri`), and [`alike`](super::alike) words mean the same in both languages. A question is read
//! without the words that only say that something is asked.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::alike::{self, Form};
use crate::search::{Run, pairs, parts, runs, stem, syllable, token, without_frame};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Endings of Korean questions, with which a word says that something is asked, not what.
const ASKING: [&str; 53] = [
    "했더라",
    "했어",
    "했지",
    "했죠",
    "했나",
    "하지",
    "하죠",
    "하기로",
    "하랬",
    "하래",
    "하라",
    "했는",
    "기로",
    "라고",
    "라던",
    "라며",
    "뭐",
    "뭔",
    "뭘",
    "무엇",
    "무슨",
    "어떻게",
    "어떤",
    "어느",
    "언제",
    "어디",
    "얼마",
    "누구",
    "누가",
    "누굴",
    "몇",
    "왜",
    "이야",
    "이었",
    "이에요",
    "예요",
    "였",
    "인가",
    "인지",
    "됐",
    "되나",
    "되지",
    "되죠",
    "있어",
    "있지",
    "있나",
    "있죠",
    "정했",
    "그랬",
    "랬",
    "던가",
    "더라",
    "혹시",
];

/// How a Korean sentence ends that asks, and how one may where a word in it does.
const ENDS: [&str; 5] = ["까", "까요", "나요", "은가요", "냐"];
const OPEN_ENDS: [&str; 9] = ["지", "죠", "나", "어", "아", "해", "돼", "야", "요"];
const INTERROGATIVES: [&str; 12] =
    ["뭐", "뭘", "뭔", "무엇", "무슨", "어떻게", "어떤", "얼마", "몇", "언제", "어디", "누가"];

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

/// The terms of a question, each once.
pub(super) fn asked(question: &str) -> Terms {
    let runs = runs(question);
    let telling: Vec<Run> = runs.iter().filter_map(without_frame).filter(|it| !asks(it)).collect();
    let chosen = if telling.is_empty() { &runs } else { &telling };
    let mut found = Terms::default();
    for run in chosen {
        read(run, &mut found);
    }
    for list in [&mut found.plain, &mut found.beginnings, &mut found.sounds] {
        let mut seen = HashSet::new();
        list.retain(|term| seen.insert(term.clone()));
    }
    found
}

/// What is of the kinds that a question asks for.
pub(super) fn kinds(question: &str) -> impl Iterator<Item = Vec<&'static Form>> {
    let kinds = runs(question).into_iter().map(|run| alike::kind(&same(&run)).collect());
    kinds.filter(|kind: &Vec<_>| !kind.is_empty())
}

/// A word of a question, with all the terms by which it may be met.
pub(super) struct Word {
    /// As written; pairs of syllables of a Korean one.
    pub plain: Vec<String>,
    /// How it begins or sounds.
    pub loose: Vec<String>,
    /// Words that mean the same.
    pub same: Vec<&'static Form>,
    /// What is of the kind that it names.
    pub kin: Vec<&'static Form>,
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
            let known = same(&run);
            let same = alike::of(&known).collect();
            let kin = alike::kind(&known).collect();
            let loose = found.beginnings.into_iter().chain(found.sounds).collect();
            let tokens = match run.cjk {
                true => pairs(&run.text).collect(),
                false => vec![token(&run.text)],
            };
            Word { plain: found.plain, loose, same, kin, tokens }
        })
        .collect()
}

/// Whether a text asks something, in Korean without a mark as well.
pub(super) fn is_question(text: &str) -> bool {
    if text.contains(['?', '？']) {
        return true;
    }
    let said = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let last = said.rsplit(['.', '!', '\n']).next().unwrap_or_default();
    ENDS.iter().any(|ending| last.ends_with(ending))
        || (OPEN_ENDS.iter().any(|ending| last.ends_with(ending))
            && last.split(' ').any(|word| INTERROGATIVES.iter().any(|it| word.starts_with(it))))
}

fn asks(run: &Run) -> bool {
    run.cjk && ASKING.iter().any(|ending| run.text.starts_with(ending))
}

/// A word in the form in which it is compared with words that mean the same.
fn same(run: &Run) -> String {
    if !run.cjk {
        return stemmed(&token(&run.text));
    }
    let short = syllable(&run.text).filter(|it| alike::knows(it));
    short.unwrap_or(&run.text).to_owned()
}

/// The terms that a message has where it has a word of the files.
pub(super) fn same_terms(word: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for run in runs(word) {
        if !run.cjk {
            terms.push(stemmed(&token(&run.text)));
        } else if run.text.chars().nth(1).is_some() {
            terms.extend(pairs(&run.text));
        } else {
            terms.push(alone(&run.text));
        }
    }
    terms
}

/// The term of a word of one syllable.
fn alone(syllable: &str) -> String {
    format!("={syllable}")
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
    found.beginnings.extend(syllable(&run.text).filter(|it| alike::knows(it)).map(alone));
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
        let found = asked("가져오기 화면은 언제 고치기로 했더라?");
        assert!(found.plain.contains(&"화면".to_owned()));
        assert!(!found.plain.iter().any(|term| term == "했더" || term == "언제"), "{found:?}");
    }
}
