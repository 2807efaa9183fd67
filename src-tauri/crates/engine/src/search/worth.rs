//! A text that is held against a query: whether it says what an index without positions could only guess, and what
//! that is worth.
//!
//! An index that keeps no positions knows that a text has the tokens of a phrase, not that they stand together. Here
//! the text itself is asked. Storage calls it for the few hundred that may be shown.

use std::cell::OnceCell;

use unicode_normalization::{UnicodeNormalization, is_nfkc};

use super::query::{Phrase, Query, Term};
use super::tokenise::{IndexText, first_tokens, index_text, is_cjk, is_plain, is_word};

/// How soon more of the same word counts for less, and how much a long text has to say more.
const SATURATION: f64 = 1.2;
const LENGTH_COUNTS: f64 = 0.5;

/// What a word is worth that only begins like the one that was typed, and one that was found without its particle.
const BEGINNING: f64 = 0.6;
const STEM: f64 = 0.5;

/// What words are worth at most for standing together, and after how many bytes between them half of it.
const TOGETHER: f64 = 0.8;
const APART: f64 = 24.0;

/// Characters in which the words of a phrase follow its first one.
const AHEAD: usize = 1_000;

/// Places of one word that are looked at.
const PLACES: usize = 64;

/// A text, ready to be looked through.
pub struct Searched<'t> {
    text: &'t str,
    folded: String,
    tokens: OnceCell<IndexText>,
}

/// Where a word stands in the folded text, and what it counts there.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    counts: f64,
}

impl<'t> Searched<'t> {
    /// A text as it was written.
    pub fn new(text: &'t str) -> Self {
        let folded = if text.chars().all(is_plain) {
            text.to_ascii_lowercase()
        } else if is_nfkc(text) {
            text.to_lowercase()
        } else {
            text.nfkc().flat_map(char::to_lowercase).collect()
        };
        Self { text, folded, tokens: OnceCell::new() }
    }

    /// How much there is of it.
    pub fn length(&self) -> usize {
        self.folded.len()
    }

    /// How often a phrase stands in it.
    pub fn count(&self, phrase: &Phrase) -> usize {
        match phrase.stretch() {
            Some(stretch) => self.folded.matches(stretch.as_str()).count(),
            None if phrase.tokens.len() > 1 => {
                self.together(phrase).count() + self.in_names(phrase)
            }
            None => {
                let tokens = self.tokens();
                standing(&tokens.body, phrase) + standing(&tokens.parts, phrase)
            }
        }
    }

    fn tokens(&self) -> &IndexText {
        self.tokens.get_or_init(|| index_text(self.text))
    }

    /// Where tokens of several runs stand together. Only what follows their first one is parted into tokens.
    fn together<'a>(&'a self, phrase: &'a Phrase) -> impl Iterator<Item = usize> + 'a {
        let first = phrase.tokens.first().map_or("", String::as_str);
        let begins = move |at: &usize| {
            let before = self.folded[..*at].chars().next_back();
            first.starts_with(is_cjk) || before.is_none_or(|c| !is_word(c) || is_cjk(c))
        };
        let places = self.folded.match_indices(first).map(|(at, _)| at).filter(begins);
        places.filter(|at| {
            let rest = &self.folded[*at..];
            let end = rest.char_indices().nth(AHEAD).map_or(rest.len(), |(end, _)| end);
            let tokens = first_tokens(&rest[..end], phrase.tokens.len());
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            is_phrase(&tokens, phrase)
        })
    }

    /// How often the tokens are parts of one name that follow each other: `use effect` of `useEffect`.
    fn in_names(&self, phrase: &Phrase) -> usize {
        let may = ["", "_"].iter().any(|glue| self.folded.contains(&phrase.tokens.join(glue)));
        if may { standing(&self.tokens().parts, phrase) } else { 0 }
    }

    /// Whether a phrase stands in it.
    pub fn has(&self, phrase: &Phrase) -> bool {
        match phrase.stretch() {
            Some(stretch) => self.folded.contains(stretch.as_str()),
            None if phrase.tokens.len() > 1 && self.together(phrase).next().is_some() => true,
            None => self.count(phrase) > 0,
        }
    }

    /// Whether it has every word of a query.
    pub fn meets(&self, query: &Query) -> bool {
        query.terms.iter().all(|term| term.alternatives.iter().any(|phrase| self.has(phrase)))
    }

    /// What a text that meets the query is worth to it: how often each word stands there, for how long the text is
    /// beside a `usual` one, and how close together they are. `rarity` has a weight a word.
    pub fn worth(&self, query: &Query, rarity: &[f64], usual: f64) -> f64 {
        let long = self.length() as f64 / usual.max(1.0);
        let damping = SATURATION * (1.0 - LENGTH_COUNTS + LENGTH_COUNTS * long);
        let mut all: Vec<(usize, Place)> = Vec::new();
        let (mut worth, mut weights) = (0.0, 0.0);
        for (number, term) in query.terms.iter().enumerate() {
            let weight = rarity.get(number).copied().unwrap_or(1.0);
            let places = self.places(term);
            // A part of an identifier is met by the index alone.
            let often = places.iter().map(|place| place.counts).sum::<f64>().max(STEM);
            worth += weight * often * (SATURATION + 1.0) / (often + damping);
            weights += weight;
            all.extend(places.into_iter().map(|place| (number, place)));
        }
        if query.terms.len() > 1
            && let Some(between) = closest(&mut all, query.terms.len())
        {
            worth += weights * TOGETHER * APART / (APART + between as f64);
        }
        worth
    }

    fn places(&self, term: &Term) -> Vec<Place> {
        let mut places = Vec::new();
        for (number, needle) in term.needles.iter().enumerate() {
            let counts = if number == 0 { 1.0 } else { STEM };
            let found = self.folded.match_indices(needle.as_str()).filter_map(|(start, found)| {
                let end = start + found.len();
                self.fits(needle, start, end).map(|fit| Place { start, end, counts: counts * fit })
            });
            places.extend(found.take(PLACES));
        }
        places
    }

    /// How well a stretch is the word that was looked for; `None` where it stands inside of another.
    fn fits(&self, needle: &str, start: usize, end: usize) -> Option<f64> {
        if needle.starts_with(is_cjk) {
            return Some(1.0);
        }
        let joins = |c: char| is_word(c) && !is_cjk(c) && c != '_';
        if self.folded[..start].chars().next_back().is_some_and(joins) {
            return None;
        }
        let goes_on = self.folded[end..].chars().next().is_some_and(joins);
        Some(if goes_on { BEGINNING } else { 1.0 })
    }
}

/// The fewest bytes between one place of each word, beside the words themselves.
fn closest(places: &mut [(usize, Place)], words: usize) -> Option<usize> {
    places.sort_by_key(|(_, place)| place.start);
    let mut last: Vec<Option<Place>> = vec![None; words];
    let mut best = None;
    for (word, place) in places.iter() {
        if let Some(slot) = last.get_mut(*word) {
            *slot = Some(*place);
        }
        let Some(all) = last.iter().copied().collect::<Option<Vec<Place>>>() else { continue };
        let start = all.iter().map(|place| place.start).min().unwrap_or(0);
        let end = all.iter().map(|place| place.end).max().unwrap_or(0);
        let taken: usize = all.iter().map(|place| place.end - place.start).sum();
        let between = (end - start).saturating_sub(taken);
        best = Some(best.map_or(between, |known: usize| known.min(between)));
    }
    best
}

/// How often tokens stand one after the other in a line of them.
fn standing(line: &str, phrase: &Phrase) -> usize {
    let tokens: Vec<&str> = line.split(' ').filter(|token| !token.is_empty()).collect();
    let windows = tokens.windows(phrase.tokens.len().max(1));
    windows.filter(|window| is_phrase(window, phrase)).count()
}

fn is_phrase(tokens: &[&str], phrase: &Phrase) -> bool {
    let (Some((last, first)), Some((end, before))) =
        (tokens.split_last(), phrase.tokens.split_last())
    else {
        return false;
    };
    let ends = if phrase.open { last.starts_with(end.as_str()) } else { last == end };
    ends && first.len() == before.len() && first.iter().zip(before).all(|(it, wanted)| it == wanted)
}

impl Phrase {
    /// The stretch that a text has wherever it has the phrase, when the phrase is of one run of pairs.
    fn stretch(&self) -> Option<String> {
        let (first, rest) = self.tokens.split_first()?;
        if !first.starts_with(is_cjk) {
            return None;
        }
        let mut stretch = first.clone();
        if rest.is_empty() {
            return (self.open || first.chars().nth(1).is_some()).then_some(stretch);
        }
        for token in rest {
            let mut pair = token.chars();
            let (before, next) = (pair.next()?, pair.next()?);
            if pair.next().is_some() || !stretch.ends_with(before) {
                return None;
            }
            stretch.push(next);
        }
        // A run that begins with a lone syllable was cut from another one.
        (first.chars().count() == 2).then_some(stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn meets(text: &str, typed: &str) -> bool {
        Searched::new(text).meets(&Query::parse(typed))
    }

    #[rstest]
    #[case("이 컴포넌트를 본다", "컴포넌트는", true)]
    #[case("컴포 넌트", "컴포넌트", false)]
    #[case("가나 나다", "가나다", false)]
    #[case("가나 나다", "\"가나 나다\"", true)]
    #[case("가나나다", "\"가나 나다\"", false)]
    #[case("call useEffect here", "effect", true)]
    #[case("call useEffect here", "\"use effect\"", true)]
    #[case("useEffect를", "useEffect를", true)]
    #[case("fn main() {}", "\"fn main\"", true)]
    #[case("main fn", "\"fn main\"", false)]
    #[case("let fn_main = 1; fnmain", "\"fn main\"", true)]
    #[case("confn main", "\"fn main\"", false)]
    #[case("fn main, then fn   (maintain)", "\"fn maint", true)]
    #[case("가나다 라마", "\"나다 라마\"", true)]
    #[case("가나다라 라마", "\"나다 라마\"", false)]
    #[case("part of article", "art", true)]
    #[case("part of it", "art", false)]
    #[case("결과는 좋다", "결", true)]
    #[case("\u{1112}\u{1161}\u{11AB}글 문서", "한글", true)]
    #[case("React컴포넌트", "React컴포", true)]
    fn a_text_says_what_it_has(#[case] text: &str, #[case] typed: &str, #[case] expected: bool) {
        assert_eq!(meets(text, typed), expected);
    }

    #[rstest]
    #[case(
        "port server",
        "the port of the server",
        "the port of a harbour, and far from it a server"
    )]
    #[case("art", "the art of war", "an article of war")]
    #[case("컴포넌트는", "컴포넌트는 작다", "컴포넌트를 본다")]
    #[case("세션", "세션과 세션", "세션과 다른 것")]
    #[case(
        "token",
        "a token",
        "a token that stands in a very long line of many words about others"
    )]
    fn what_says_more_is_worth_more(
        #[case] typed: &str,
        #[case] better: &str,
        #[case] worse: &str,
    ) {
        let query = Query::parse(typed);
        let worth = |text: &str| Searched::new(text).worth(&query, &[], 40.0);
        assert!(worth(better) > worth(worse), "{} <= {}", worth(better), worth(worse));
    }
}
