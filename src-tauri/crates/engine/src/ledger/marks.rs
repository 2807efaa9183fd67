//! Marks: stretches of a text that name something exactly. Rules in an order; a rule yields to what those before it
//! took. Every pattern is bounded within a line, so that the whole is linear in the text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Category, Mark, Voice};
use crate::pattern;

mod clause;
mod figures;
mod rules;
mod shell;
mod words;

pub(super) use clause::clause;
pub(super) use figures::is_bare;
pub(super) use rules::tokens;
pub(super) use shell::exits;

/// What of a text has been taken by which kinds of marks, a bit a kind.
pub(super) struct Taken(Vec<u16>);

impl Taken {
    fn new(text: &str) -> Self {
        Self(vec![0; text.len()])
    }

    fn take(&mut self, span: Range<usize>, category: Category) {
        self.0[span].iter_mut().for_each(|byte| *byte |= bit(category));
    }

    fn is_taken(&self, span: &Range<usize>, by: &[Category]) -> bool {
        let mask = by.iter().fold(0, |mask, category| mask | bit(*category));
        self.0[span.clone()].iter().any(|byte| byte & mask != 0)
    }
}

fn bit(category: Category) -> u16 {
    1 << category as u16
}

/// The marks of a text. Names and quotes are read in what people and models write alone.
pub(super) fn marks(text: &str, voice: Voice) -> Vec<Mark> {
    let mut taken = Taken::new(text);
    let mut found = Vec::new();
    let code = shell::code(text);
    shell::commands(text, &code, &mut taken, &mut found);
    rules::apply(text, &code, voice, &mut taken, &mut found);
    found
}

/// Patterns that compile; a test holds that all do.
fn compiled<T: Copy>(patterns: &[(T, &str)]) -> Vec<(T, Regex)> {
    let compile = |(of, text): &(T, &str)| pattern::pattern(text).ok().map(|it| (*of, it));
    patterns.iter().filter_map(compile).collect()
}

pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

/// One pattern, or none where it does not compile.
type Pattern = LazyLock<Option<Regex>>;

#[cfg(test)]
pub(super) fn patterns() -> impl Iterator<Item = (Category, &'static str)> {
    rules::PATTERNS.iter().copied()
}
