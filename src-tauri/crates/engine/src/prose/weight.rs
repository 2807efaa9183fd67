//! What a sentence weighs beside others as dense: more where the person says it, where it demands or settles something or
//! says what went wrong, and where its writer stressed it; a block of code weighs less.
//!
//! A person who works with a model writes a tenth of what is said, and most of what holds from then on; of long answers it
//! is what they stress. The figures are those by which folds keep most of what a reader of the project's own chats put
//! down (`siltstone-bench folds-labelled`, docs/performance.md).

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::plain;
use crate::density::Sentence;
use crate::message::Role;

/// What the person said and did not ask.
const PERSON: f64 = 6.0;
/// What has to be so; and what a program says went wrong.
pub(crate) const KEY: f64 = 4.0;
/// What was settled, and what is said to have gone wrong.
const TOLD: f64 = 2.0;
/// What a model stresses.
const STRESSED: f64 = 4.0;
/// What was read, changed and run.
pub(crate) const ACT: f64 = 4.0;
/// A block of code.
const CODE: f64 = 0.3;

/// Most letters of what is stressed; more is a paragraph in bold.
const LONGEST: usize = 160;

/// Why a sentence has to be kept; where it is several, the first of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyKind {
    /// Something that has to be so, or must never be.
    Constraint,
    /// Something that was settled.
    Decision,
    /// Something that went wrong.
    Error,
}

const CONSTRAINTS: &[&str] = &[
    "must",
    "never",
    "always",
    "do not",
    "don't",
    "cannot",
    "only if",
    "required",
    "반드시",
    "절대",
    "항상",
    "하지 마",
    "하면 안",
    "금지",
    "해야",
    "필수",
    "꼭",
];
const DECISIONS: &[&str] = &[
    "decided",
    "decision",
    "agreed",
    "we will",
    "we'll",
    "let's",
    "instead of",
    "going with",
    "결정",
    "정했",
    "합의",
    "하기로",
    "대신",
    "확정",
];
const ERRORS: &[&str] = &[
    "error",
    "failed",
    "fails",
    "panic",
    "exception",
    "오류",
    "에러",
    "실패",
    "예외",
    "안 돼",
    "안 됩",
];

/// Finds all of these in one go, and says what each is a sign of.
static SIGNS: LazyLock<Option<(AhoCorasick, Vec<KeyKind>)>> = LazyLock::new(|| {
    let all = [
        (KeyKind::Constraint, CONSTRAINTS),
        (KeyKind::Decision, DECISIONS),
        (KeyKind::Error, ERRORS),
    ];
    let signs = all.iter().flat_map(|(kind, words)| words.iter().map(|word| (*word, *kind)));
    let (words, kinds): (Vec<&str>, Vec<KeyKind>) = signs.unzip();
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
    Some((automaton, kinds))
});

/// What the sentences of a text weigh.
#[derive(Clone, Debug)]
pub(crate) struct Weight {
    role: Option<Role>,
    stressed: Vec<String>,
}

impl Weight {
    /// Of what somebody said, as it was written; nobody, if it is of a summary.
    pub fn of(role: Option<Role>, text: &str) -> Self {
        let stressed = match role {
            Some(Role::Assistant) => text.lines().flat_map(stressed).map(plain),
            _ => return Self { role, stressed: Vec::new() },
        };
        // Nothing but an id or a mark in bold says nothing, and every sentence would have it.
        let stressed = stressed.filter(|it| !it.is_empty()).collect();
        Self { role, stressed }
    }

    /// What a sentence of it weighs, in plain text.
    pub fn of_sentence(&self, said: &Sentence<'_>) -> f64 {
        if said.code {
            return CODE;
        }
        let kind = match kind(said) {
            Some(KeyKind::Constraint) => KEY,
            Some(KeyKind::Decision | KeyKind::Error) => TOLD,
            None => 1.0,
        };
        let is_stressed = || self.stressed.iter().any(|it| said.text.contains(it.as_str()));
        match self.role {
            Some(Role::User) if !asks(said.text) => PERSON * kind,
            Some(Role::Assistant) if is_stressed() => STRESSED * kind,
            _ => kind,
        }
    }
}

/// What of a line is in bold.
fn stressed(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split("**").enumerate().filter(|(at, _)| at % 2 == 1);
    parts.map(|(_, part)| part).filter(|it| (2..=LONGEST).contains(&it.chars().count()))
}

/// Why a sentence has to be kept, if it has to.
pub(crate) fn kind(sentence: &Sentence<'_>) -> Option<KeyKind> {
    if sentence.code || sentence.text.ends_with(['?', '？']) {
        return None;
    }
    let (words, kinds) = SIGNS.as_ref()?;
    let found = words.find_overlapping_iter(sentence.text);
    let signs = found.filter(|found| stands_alone(sentence.text, found.range()));
    signs.map(|found| kinds[found.pattern().as_usize()]).min()
}

/// Whether a word that was found is one: an English one whole, a Korean one with whatever follows it.
fn stands_alone(text: &str, word: Range<usize>) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric();
    let inside = text[..word.start].ends_with(letter) || text[word.end..].starts_with(letter);
    !text[word].is_ascii() || !inside
}

/// Whether a sentence wants something done or answered now.
fn asks(said: &str) -> bool {
    let said = said.trim_end_matches(['.', '!', ' ', '~', 'ㅠ', 'ㅋ']);
    let lower = said.to_lowercase();
    said.ends_with(['?', '？'])
        || ["주세요", "줘", "줘요", "주실래요", "부탁해요", "부탁드려요"]
            .iter()
            .any(|it| said.ends_with(it))
        || ["please ", "can you", "could you", "would you"].iter().any(|it| lower.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const ANSWER: &str = "Use **one writer** for all. ** ** Readers wait.";

    #[rstest]
    #[case::person(Some(Role::User), "Friday is fine.", PERSON)]
    #[case::person_demands(Some(Role::User), "Never on Fridays.", PERSON * KEY)]
    #[case::person_asks(Some(Role::User), "Is Friday fine?", 1.0)]
    #[case::person_wants_something(Some(Role::User), "금요일 일정을 봐 주세요.", 1.0)]
    #[case::stressed(Some(Role::Assistant), "Use one writer for all.", STRESSED)]
    #[case::not_stressed(Some(Role::Assistant), "Readers wait.", 1.0)]
    #[case::settled(Some(Role::Assistant), "We decided on readers.", TOLD)]
    #[case::of_a_summary(None, "Use one writer for all.", 1.0)]
    fn a_sentence_weighs_by_who_says_it_and_how(
        #[case] role: Option<Role>,
        #[case] text: &str,
        #[case] expected: f64,
    ) {
        let weight = Weight::of(role, ANSWER);
        assert_eq!(weight.of_sentence(&Sentence { text, code: false }), expected);
        assert_eq!(weight.of_sentence(&Sentence { text, code: true }), CODE);
    }
}
