//! Receipts: whether what a line claims stands in the texts it rests on.

use std::collections::HashSet;
use std::ops::Range;

use super::normal::{holds, key, normal};
use super::{Category, Voice, scan};

/// Texts that were told, ready to be asked what they hold.
#[derive(Clone, Debug)]
pub struct Told {
    text: String,
    figures: HashSet<String>,
}

impl Told {
    /// Reads the texts once.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut told = Self { text: String::new(), figures: HashSet::new() };
        for text in texts {
            let figures = scan(text, Voice::Model).into_iter();
            let figures = figures.filter(|mark| mark.category == Category::Number);
            told.figures.extend(figures.map(|mark| key(Category::Number, &text[mark.span])));
            told.text.push_str(&normal(text));
            told.text.push('\n');
        }
        told
    }

    /// Whether the texts say it: sentences, paths, names and the like in the same words, figures with the same unit.
    pub fn holds(&self, category: Category, key: &str) -> bool {
        if category == Category::Number {
            return self.figures.contains(key) || (key.len() > 2 && holds(&self.text, key));
        }
        let said = |key: &str| holds(&self.text, key);
        key.is_empty() || said(key) || category == Category::Version && said(&format!("v{key}"))
    }

    /// The claims of a line that the texts do not hold, in bytes of the line: paths, names of code, figures, commands,
    /// quotes, addresses, versions and dates.
    pub fn unsupported(&self, line: &str) -> Vec<Range<usize>> {
        let claims = scan(line, Voice::Model).into_iter();
        let mut spans: Vec<Range<usize>> = claims
            .filter(|mark| mark.category.is_checkable())
            .filter(|mark| {
                !self.holds(mark.category, &key(mark.category, &line[mark.span.clone()]))
            })
            .map(|mark| mark.span)
            .collect();
        spans.sort_by_key(|span| (span.start, span.end));
        spans.dedup();
        spans
    }
}
