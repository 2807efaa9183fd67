//! Receipts: whether what a line claims stands in the texts it rests on.

use std::collections::HashSet;
use std::ops::Range;

use super::normal::{holds, key, normal};
use super::{Category, Voice, scan};
use crate::days;
use crate::density::sentences;

/// What joins two sentences of others in one.
const JOINTS: [char; 4] = [',', ';', '·', ' '];

/// What a sentence or a line may begin with before its words, and end with behind them.
const OPENING: [char; 12] = [' ', '\n', '-', '#', '>', '•', '|', '"', '\'', '(', '[', '_'];
const CLOSING: [char; 12] = ['.', ',', ';', ':', '!', '?', '…', '"', '\'', ')', ']', '|'];

/// Texts that were told, ready to be asked what they hold.
#[derive(Clone, Debug)]
pub struct Told {
    text: String,
    /// Where in it a sentence or a line of theirs ends.
    ends: Vec<usize>,
    figures: HashSet<String>,
    days: Vec<days::Written>,
    times: Vec<days::Clock>,
}

impl Told {
    /// Reads the texts once.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut told = Self {
            text: String::new(),
            ends: Vec::new(),
            figures: HashSet::new(),
            days: Vec::new(),
            times: Vec::new(),
        };
        for text in texts {
            for mark in scan(text, Voice::Model) {
                let said = &text[mark.span];
                match mark.category {
                    Category::Number => _ = told.figures.insert(key(Category::Number, said)),
                    Category::Date => {
                        told.days.extend(days::written(said));
                        told.times.extend(days::clock(said));
                    }
                    _ => {}
                }
            }
            told.read(text);
            told.text.push('\n');
        }
        told
    }

    /// Adds a text in the one way of writing, line by line.
    fn read(&mut self, text: &str) {
        let begin = self.text.len();
        let mut end = 0;
        for line in sentences(text).iter().flat_map(|sentence| sentence.text.lines()) {
            let at = line.as_ptr() as usize - text.as_ptr() as usize;
            let line_end = at + line.len();
            let line = normal(line);
            if line.is_empty() {
                continue;
            }
            // Korean is often written without a blank between sentences.
            if self.text.len() > begin && text[end..at].contains(char::is_whitespace) {
                self.text.push(' ');
            }
            self.text.push_str(&line);
            self.ends.push(self.text.len());
            end = line_end;
        }
    }

    /// Whether the texts say it: sentences, paths, names and the like in the same words, figures with the same unit, days and
    /// times in any way of writing them.
    pub fn holds(&self, category: Category, key: &str) -> bool {
        if category == Category::Number {
            return self.figures.contains(key) || (key.len() > 2 && holds(&self.text, key));
        }
        let said = |key: &str| holds(&self.text, key);
        key.is_empty()
            || said(key)
            || category == Category::Version && said(&format!("v{key}"))
            || category == Category::Date && self.has_moment(key)
    }

    /// Whether the texts say the same day and the same time of day. A year may be said elsewhere than the day.
    fn has_moment(&self, key: &str) -> bool {
        let (days, time) = (days::written(key), days::clock(key));
        let year = |year: i16| {
            self.days.iter().any(|it| it.year == Some(year)) || holds(&self.text, &year.to_string())
        };
        let has_day = |asked: &days::Written| {
            self.days.iter().any(|it| {
                let same = asked.day.is_none_or(|day| it.day == Some(day));
                let in_year =
                    asked.year.is_none_or(|of| it.year.map_or_else(|| year(of), |it| it == of));
                it.month == asked.month && same && in_year
            })
        };
        let has_time = |asked: days::Clock| self.times.iter().any(|it| asked.may_be(*it));
        !(days.is_empty() && time.is_none())
            && days.iter().all(has_day)
            && time.is_none_or(has_time)
    }

    /// The claims of a line that the texts do not hold, in bytes of the line: paths, names of code, figures, commands,
    /// quotes, addresses, versions and dates.
    pub fn unsupported(&self, line: &str) -> Vec<Range<usize>> {
        let claims = scan(line, Voice::Model).into_iter();
        let mut spans: Vec<Range<usize>> = claims
            .filter(|mark| mark.category.is_checkable())
            .filter(|mark| {
                let key = key(mark.category, &line[mark.span.clone()]);
                !self.holds(mark.category, &key) && !self.is_joined(&key)
            })
            .map(|mark| mark.span)
            .collect();
        spans.sort_by_key(|span| (span.start, span.end));
        spans.dedup();
        spans
    }

    /// Whether a claim is put together of stretches of the texts where a line joins two of theirs: what looks like a
    /// quotation may begin at the last mark of one and end at the first of another. Each stretch but the last has to reach
    /// to where a sentence or a line ends, each but the first has to begin with one.
    fn is_joined(&self, key: &str) -> bool {
        let mut rest = key;
        let mut begins = false;
        loop {
            let blanks = rest.match_indices(' ').map(|(at, _)| at);
            let parts =
                blanks.take_while(|at| self.text.contains(rest[..*at].trim_end_matches(JOINTS)));
            let Some(end) = parts.filter(|at| self.has(&rest[..*at], begins, true)).last() else {
                return false;
            };
            rest = &rest[end + 1..];
            begins = true;
            if self.has(rest, true, false) {
                return true;
            }
        }
    }

    /// Whether the texts have a stretch, from where a sentence or a line `begins`, up to where one `ends`.
    fn has(&self, stretch: &str, begins: bool, ends: bool) -> bool {
        let is_end = |at: usize| at == 0 || self.ends.binary_search(&at).is_ok();
        let stretch = if ends { stretch.trim_end_matches(JOINTS) } else { stretch };
        !stretch.is_empty()
            && self.text.match_indices(stretch).any(|(at, _)| {
                let (before, after) = (&self.text[..at], &self.text[at + stretch.len()..]);
                let point = before.trim_end_matches(OPENING);
                let number = point
                    .trim_end_matches(['.', ')'])
                    .trim_end_matches(|c: char| c.is_ascii_digit());
                let closed = self.text.len() - after.trim_start_matches(CLOSING).len();
                (!begins || is_end(point.len()) || is_end(number.trim_end().len()))
                    && (!ends || (at + stretch.len()..=closed).any(is_end))
            })
    }
}
