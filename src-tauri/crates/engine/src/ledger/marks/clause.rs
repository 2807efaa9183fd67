//! The clause of a figure: the few words beside it that say what it is of, `port 5433 for the database`.
//!
//! A figure alone says nothing to whoever reads it later. It takes along what follows with a preposition, and where it has
//! no noun of its own, what comes before it; in Korean the noun phrase before it with its particle. A clause ends at
//! punctuation, a conjunction, another figure, and after some sixty letters. It is a stretch of its text like every
//! entry; what is compared is the figure alone.

use std::ops::Range;

use super::figures::is_measure;
use super::is_hangul;
use crate::ledger::normal::is_unit;

/// Most letters of a clause.
const LETTERS: usize = 60;

/// Bytes in which they stand, with what they stop at.
const NEAR: usize = 5 * LETTERS;

/// Most words before a figure.
const WORDS: usize = 8;

/// The same in Korean, where a word takes its particle along.
const KOREAN_WORDS: usize = 3;

/// Words that tie what follows to a figure.
const TIES: [&str; 8] = ["at", "by", "for", "from", "in", "of", "on", "per"];

/// Words that neither begin nor end a clause that says something.
const LOOSE: [&str; 20] = [
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "of", "on", "per",
    "than", "the", "to", "was", "were", "with",
];

/// Words that begin another clause.
const OTHERS: [&str; 38] = [
    "and", "are", "because", "but", "can", "did", "does", "had", "has", "have", "he", "i", "if",
    "is", "it", "must", "not", "or", "she", "should", "so", "that", "then", "they", "until", "was",
    "we", "were", "when", "where", "which", "while", "who", "will", "with", "would", "you", "to",
];

/// Conjunctions before a figure; verbs are of its clause there.
const JOINING: [&str; 12] =
    ["and", "because", "but", "if", "or", "so", "that", "then", "when", "where", "which", "while"];

/// The same in Korean, and how a verb ends that closes a clause; nouns end in `고` and `면` too.
const KOREAN_JOINING: [&str; 8] =
    ["그리고", "그래서", "하지만", "그런데", "그러면", "또는", "또", "및"];
const KOREAN_CLOSING: [&str; 20] = [
    "하고", "었고", "았고", "되고", "이고", "있고", "없고", "했고", "됐고", "하며", "되며", "이며",
    "으며", "하면", "되면", "으면", "니까", "지만", "는데", "은데",
];

/// A figure with its clause.
pub(in crate::ledger) fn clause(text: &str, figure: Range<usize>) -> Range<usize> {
    let marked = with_marks(text, figure.clone());
    let letters = |span: &Range<usize>| text[span.clone()].chars().count();
    let mut wide = marked.clone();
    let said = &text[figure.clone()];
    let line = line_before(text, marked.start);
    let word = line.split_whitespace().next_back().unwrap_or_default();
    let korean = said.contains(is_hangul) || word.contains(is_hangul);
    if korean || is_measure(said) {
        wide.start -= before(line, LETTERS.saturating_sub(letters(&wide)), korean);
    }
    wide.end += after(&text[marked.end..], LETTERS.saturating_sub(letters(&wide)));
    let is_whole = |span: &Range<usize>| {
        let even = |mark: &str| text[span.clone()].matches(mark).count().is_multiple_of(2);
        even("`") && even("**") && even("*")
    };
    // Of a phrase in bold the beginning may be of the clause and the end not.
    let opened = ["**", "*", "`"].into_iter().find(|it| text[wide.clone()].starts_with(it));
    let inside = wide.start + opened.map_or(0, str::len)..wide.end;
    [wide, inside, marked].into_iter().find(is_whole).unwrap_or(figure)
}

/// A figure with the marks of Markdown around it.
fn with_marks(text: &str, figure: Range<usize>) -> Range<usize> {
    let (before, after) = (&text[..figure.start], &text[figure.end..]);
    let mut marks = ["**", "*", "`"].into_iter();
    let around = marks.find(|it| before.ends_with(it) && after.starts_with(it));
    let length = around.map_or(0, str::len);
    figure.start - length..figure.end + length
}

/// The end of the line before a place, from a whole word on.
fn line_before(text: &str, at: usize) -> &str {
    let from = text.floor_char_boundary(at.saturating_sub(NEAR));
    let near = &text[from..at];
    match near.rfind('\n') {
        Some(end) => &near[end + 1..],
        None if from == 0 => near,
        None => near.find(char::is_whitespace).map_or("", |blank| &near[blank..]),
    }
}

/// Bytes of the words before a figure that are of its clause.
fn before(line: &str, letters: usize, korean: bool) -> usize {
    let most = if korean { KOREAN_WORDS } else { WORDS };
    let mut taken = line.len();
    for count in 0..most {
        let rest = line[..taken].trim_end();
        let start = rest.rfind(char::is_whitespace).map_or(0, |at| rest.ceil_char_boundary(at + 1));
        let word = &rest[start..];
        // `timeout: 30` and `retries = 3` are clauses.
        let label = count == 0 && word.ends_with([':', '=']);
        let ends = word.ends_with(['.', ',', ';', ':', '!', '?', '…', '。', '=']) && !label;
        let mute = !word.contains(char::is_alphanumeric) && !label;
        let closes = korean && KOREAN_CLOSING.iter().any(|ending| word.ends_with(ending));
        if ends || mute || closes || is_foreign(word) || is_joining(word) {
            break;
        }
        if line[start..].chars().count() > letters {
            break;
        }
        taken = start;
    }
    // `in 94 s` says no more than `94 s`, and what follows another figure may be its unit.
    let mut phrase = &line[taken..];
    while let Some(word) = phrase.split_whitespace().next() {
        let loose = is_one_of(word, &LOOSE) || is_unit(word);
        if !loose && word.contains(char::is_alphanumeric) {
            break;
        }
        let end = phrase.find(word).map_or(0, |at| at + word.len());
        phrase = phrase[end..].trim_start();
    }
    phrase.len()
}

/// Bytes of what is tied to a figure behind it.
fn after(rest: &str, letters: usize) -> usize {
    let near = &rest[..rest.floor_char_boundary(NEAR)];
    let line = near.lines().next().unwrap_or_default();
    // Where what was taken so far ends with a word that may end it, and where the last tie began.
    let (mut end, mut tied) = (0, 0);
    let mut at = 0;
    while line[at..].starts_with(' ') {
        let from = at + 1;
        let word = line[from..].split(char::is_whitespace).next().unwrap_or_default();
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '…', ')', '"']);
        let ties = is_one_of(bare, &TIES);
        if at == 0 && !ties || bare.is_empty() || is_one_of(bare, &OTHERS) {
            break;
        }
        let reaches = line[..from + bare.len()].chars().count();
        if is_foreign(bare) || bare.starts_with(is_hangul) || reaches > letters {
            // Half of what a tie holds would say something else.
            return tied;
        }
        if ties {
            tied = end;
        }
        at = from + word.len();
        if !is_one_of(bare, &LOOSE) {
            end = from + bare.len();
        }
        if bare.len() < word.len() {
            break;
        }
    }
    end
}

/// Whether a word is no part of a figure's clause: it has a figure itself, a bracket, a quotation mark, a cell's edge.
fn is_foreign(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit() || "()[]{}<>|\"“”‘’「」『』".contains(c))
}

fn is_joining(word: &str) -> bool {
    is_one_of(word, &JOINING) || KOREAN_JOINING.contains(&word)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}
