//! Words that mean the same, in Korean and English, and kinds of things: a question in one language finds what was said
//! in the other, a question in other words finds a little more, and one after a colour finds where one is named.
//! `alike/*.txt` has the groups of words, `kinds.txt` the kinds. Both are general knowledge, read once when first asked.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::forms::forms;
use super::reads::{Term, term_of};
use super::words::{same_terms, stemmed};

/// Groups of words.
const GROUPS: [&str; 5] = [
    include_str!("alike/general.txt"),
    include_str!("alike/verbs.txt"),
    include_str!("alike/craft.txt"),
    include_str!("alike/life.txt"),
    include_str!("alike/arts.txt"),
];

/// Kinds, and what is of them.
const KINDS: &str = include_str!("kinds.txt");

/// Words that are met together.
pub(super) struct Group {
    words: Vec<&'static str>,
    forms: OnceLock<Vec<Form>>,
}

/// A way in which a word of a group is written.
pub(super) struct Form {
    /// As written.
    pub text: String,
    /// Whether it is one of the many of a verb.
    pub of_verb: bool,
    /// The terms that a message has where it has the form, all of them.
    pub terms: Vec<String>,
    /// Their numbers.
    pub numbers: Vec<Term>,
}

/// Groups, and by which words they are found.
struct Thesaurus {
    groups: Vec<Group>,
    of: HashMap<String, Vec<u16>>,
    /// Characters of the longest word that finds a group.
    longest: usize,
}

static ALIKE: LazyLock<Thesaurus> = LazyLock::new(|| {
    Thesaurus::of(GROUPS.iter().flat_map(|file| lines(file)).map(|line| (line, line)))
});

static OF_A_KIND: LazyLock<Thesaurus> =
    LazyLock::new(|| Thesaurus::of(lines(KINDS).filter_map(|line| line.split_once(" : "))));

fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

impl Thesaurus {
    /// From lines of the words that find a group and those that are in it.
    fn of(lines: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let mut all = Self { groups: Vec::new(), of: HashMap::new(), longest: 0 };
        for (finding, words) in lines {
            let at = u16::try_from(all.groups.len()).unwrap_or(u16::MAX);
            for word in finding.split(' ') {
                for form in written(word) {
                    all.longest = all.longest.max(form.chars().count());
                    let groups = all.of.entry(form).or_default();
                    if groups.last() != Some(&at) {
                        groups.push(at);
                    }
                }
            }
            let words = words.split(' ').collect();
            all.groups.push(Group { words, forms: OnceLock::new() });
        }
        all
    }

    /// The groups that a word finds.
    fn groups(&self, word: &str) -> Vec<u16> {
        groups_in(word, self.longest, |part| self.of.get(part).map(Vec::as_slice))
    }

    fn forms(&'static self, word: &str) -> impl Iterator<Item = &'static Form> {
        self.groups(word).into_iter().flat_map(|at| self.groups[usize::from(at)].forms())
    }
}

/// The groups that a word finds. Of a Korean word every part of two syllables or more may find one, the longest first,
/// since an ending may follow and compounds are written together. No part is longer than the `longest` that is known: a
/// paste without a blank is one word, and takes as many looks as it has letters.
fn groups_in<'a>(
    word: &str,
    longest: usize,
    mut find: impl FnMut(&str) -> Option<&'a [u16]>,
) -> Vec<u16> {
    let mut found: Vec<u16> = find(word).map(<[u16]>::to_vec).unwrap_or_default();
    if !word.is_ascii() {
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let mut first = 0;
        while first + 2 < ends.len() {
            let mut next = first + 1;
            for end in first + 2..ends.len().min(first + longest + 1) {
                if let Some(groups) = find(&word[ends[first]..ends[end]]) {
                    found.extend(groups);
                    next = end;
                }
            }
            first = next;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl Group {
    fn forms(&'static self) -> &'static [Form] {
        self.forms.get_or_init(|| {
            let made = |word: &&str| {
                let of_verb = word.ends_with('-');
                let form = move |text: String| {
                    let terms = same_terms(&text);
                    let numbers = terms.iter().map(|term| term_of(term)).collect();
                    Form { terms, numbers, of_verb, text }
                };
                written(word).into_iter().map(form)
            };
            self.words.iter().flat_map(made).collect()
        })
    }
}

/// The ways in which a word of the files is written; a hyphen ends the stem of a verb.
fn written(word: &str) -> Vec<String> {
    match word.strip_suffix('-') {
        Some(stem) => forms(stem),
        None => vec![stemmed(word)],
    }
}

/// The forms of the words that mean the same as this one, itself among them.
pub(super) fn of(word: &str) -> impl Iterator<Item = &'static Form> {
    ALIKE.forms(word)
}

/// The forms of what is of the kind that this word names.
pub(super) fn kind(word: &str) -> impl Iterator<Item = &'static Form> {
    OF_A_KIND.forms(word)
}

/// Whether a word of one syllable is known, behind which a particle may stand.
pub(super) fn knows(word: &str) -> bool {
    ALIKE.of.contains_key(word) || OF_A_KIND.of.contains_key(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::native_and_chinese("삭제하기로", "지웠")]
    #[case::a_verb("바꿨더라", "변경")]
    #[case::a_compound("식비한도", "상한")]
    #[case::the_other_language("배포", "deploy")]
    fn words_mean_the_same(#[case] word: &str, #[case] other: &str) {
        assert!(of(word).any(|form| form.text == other), "{word}");
    }

    #[rstest]
    #[case("색깔로", "파란")]
    #[case("color", "teal")]
    #[case("요일에", "수요일")]
    fn a_kind_has_members(#[case] word: &str, #[case] member: &str) {
        assert!(kind(word).any(|form| form.text == stemmed(member)), "{word}");
    }

    #[rstest]
    #[case::hangul('가', 11_172)]
    #[case::kana('ぁ', 80)]
    #[case::han('一', 20_000)]
    #[case::latin('à', 23)]
    fn a_long_run_takes_as_many_looks_as_it_has_letters(#[case] first: char, #[case] many: u32) {
        let bytes = |length: u32| {
            let letters = (0..length).map(|at| u32::from(first) + at * at % many);
            let run: String = letters.filter_map(char::from_u32).collect();
            let mut bytes = 0;
            groups_in(&run, ALIKE.longest, |part| {
                bytes += part.len();
                ALIKE.of.get(part).map(Vec::as_slice)
            });
            bytes
        };
        let [short, twice, four_times] = [5_000, 10_000, 20_000].map(bytes);
        // A tenth is left for runs that meet known words.
        assert!(
            twice <= short * 22 / 10 && four_times <= short * 44 / 10,
            "{short} {twice} {four_times}"
        );
    }

    #[test]
    fn every_line_has_words_of_its_own() {
        for group in ALIKE.groups.iter().chain(&OF_A_KIND.groups) {
            assert!(group.words.len() > 1, "{:?}", group.words);
        }
        assert!(ALIKE.groups.len() > 1_900 && OF_A_KIND.groups.len() > 80);
    }
}
