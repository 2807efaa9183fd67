//! Finds secrets in one go through a text: an automaton over all keywords says where a rule may hold, and only there,
//! and only as far as a secret may reach, its pattern is tried. A pattern is compiled when it is first needed.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::rules::{Begins, RULES, Rule};
use super::{Found, MARK};

/// Bytes after a keyword in which a secret lies. Longer ones are followed to their end.
const REACH: usize = 4 * 1024;

/// The same for a private key, which has lines.
const KEY_REACH: usize = 32 * 1024;

/// Bytes before a keyword that say what it is about.
const CONTEXT: usize = 256;

/// Keywords of a rule that are tried inside of what another one of them led to. More has only a text that is made to
/// take long.
const MOST_NESTED: u32 = 8;

/// Keywords of a rule that are tried in one stretch without a gap and lead to nothing, for the same reason.
const MOST_IN_VAIN: u32 = 32;

/// All rules, ready to be tried.
struct Table {
    keywords: AhoCorasick,
    /// The rule and the text of each keyword.
    of: Vec<(usize, &'static str)>,
    patterns: Vec<OnceLock<Option<Regex>>>,
}

static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
    let keywords = |(rule, of): (usize, &Rule)| of.keywords.iter().map(move |word| (rule, *word));
    let of: Vec<(usize, &'static str)> = RULES.iter().enumerate().flat_map(keywords).collect();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(of.iter().map(|(_, word)| word))
        .ok()?;
    Some(Table {
        keywords: automaton,
        of,
        patterns: RULES.iter().map(|_| OnceLock::new()).collect(),
    })
});

/// How often a rule was tried up to a place.
#[derive(Clone, Copy, Default)]
struct Tried {
    end: usize,
    times: u32,
}

impl Tried {
    /// Whether it may be tried again here.
    fn may(&mut self, at: usize, most: u32) -> bool {
        if at >= self.end {
            self.times = 0;
        }
        self.times < most
    }

    fn note(&mut self, end: usize) {
        self.times += 1;
        self.end = self.end.max(end);
    }

    /// Nothing was found, and it may have been looked for as far as the stretch goes.
    fn note_in_vain(&mut self, text: &str, word: Range<usize>) {
        if word.start >= self.end {
            let rest = text.as_bytes()[word.end..].iter().take(REACH);
            self.end = word.end + rest.take_while(|byte| is_of_a_key(**byte)).count();
        }
        self.times += 1;
    }
}

/// What a keyword led to.
struct Hit {
    rule: usize,
    range: Range<usize>,
}

/// The secrets of a text, in order, none overlapping another or a mark.
pub(super) fn secrets(text: &str) -> Vec<Found> {
    searched(text).0
}

/// The same, and what it took: patterns that were tried, and the bytes that they led to.
fn searched(text: &str) -> (Vec<Found>, usize) {
    let Some(table) = TABLE.as_ref() else { return (Vec::new(), 0) };
    let mut work = 0;
    let mut hits: Vec<Hit> = Vec::new();
    let mut led = vec![Tried::default(); RULES.len()];
    let mut in_vain = led.clone();
    for word in table.keywords.find_overlapping_iter(text) {
        let (rule, keyword) = table.of[word.pattern().as_usize()];
        if !led[rule].may(word.start(), MOST_NESTED)
            || !in_vain[rule].may(word.start(), MOST_IN_VAIN)
        {
            continue;
        }
        work += 1;
        match table.secret_at(text, rule, keyword, word.range()) {
            Some((range, holds)) => {
                work += range.end - word.start().min(range.end);
                led[rule].note(range.end);
                hits.extend(holds.then_some(Hit { rule, range }));
            }
            None => in_vain[rule].note_in_vain(text, word.range()),
        }
    }
    // At the same place the rule that says more comes first.
    hits.sort_unstable_by_key(|hit| (hit.range.start, hit.rule));
    let mut found: Vec<Found> = Vec::new();
    for Hit { rule, range } in hits {
        match found.last_mut() {
            Some(last) if range.start < last.range.end => {
                last.range.end = last.range.end.max(range.end);
            }
            _ => found.push(Found { rule: RULES[rule].name, range }),
        }
    }
    (found, work)
}

/// The name of a rule, if there is one called so.
pub(super) fn rule_called(name: &str) -> Option<&'static str> {
    RULES.iter().map(|rule| rule.name).find(|known| *known == name)
}

impl Table {
    fn pattern(&self, rule: usize) -> Option<&Regex> {
        let made = || Regex::new(&format!("^(?:{})", RULES[rule].pattern)).ok();
        self.patterns[rule].get_or_init(made).as_ref()
    }

    /// What a keyword leads to, if the pattern matches there, and whether that is a secret.
    fn secret_at(
        &self,
        text: &str,
        rule: usize,
        keyword: &str,
        word: Range<usize>,
    ) -> Option<(Range<usize>, bool)> {
        let of = &RULES[rule];
        let begin = match of.begins {
            Begins::Word => word.start,
            _ if text[word.clone()] != *keyword => return None,
            Begins::Token => word.start,
            Begins::After { least, most, of } => {
                let before = text.as_bytes()[..word.start].iter().rev();
                let long = before.take(most).take_while(|byte| of(**byte)).count();
                (long >= least).then_some(word.start - long)?
            }
        };
        let alone = |before: char| !before.is_ascii_alphanumeric() && before != '_';
        if matches!(of.begins, Begins::Token | Begins::After { .. })
            && !text[..begin].chars().next_back().is_none_or(alone)
        {
            return None;
        }
        let reach = if of.lines { KEY_REACH } else { REACH };
        let mut rest = &text[word.end..text.floor_char_boundary(word.end + reach)];
        let cut = word.end + rest.len();
        if of.lines {
            // No key has the beginning of another one inside.
            rest = rest.find(keyword).map_or(rest, |next| &rest[..next]);
        }
        let pattern = self.pattern(rule)?;
        let whole = pattern.find(rest)?;
        // Groups are looked for where the match is: that costs far more.
        let groups = (pattern.captures_len() > 1).then(|| pattern.captures(&rest[..whole.end()]));
        let inner = groups.flatten().and_then(|all| all.iter().skip(1).flatten().next());
        let mut secret = match inner {
            Some(value) => word.end + value.start()..word.end + value.end(),
            None => begin..word.end + whole.end(),
        };
        if secret.end == cut {
            let more = text.as_bytes()[secret.end..].iter().take_while(|byte| is_of_a_key(**byte));
            secret.end += more.count();
        }
        let value = &text[secret.clone()];
        let context =
            &text[text.ceil_char_boundary(word.start.saturating_sub(CONTEXT))..word.start];
        let holds = !value.contains(MARK.0) && (of.holds)(context, value);
        Some((secret, holds))
    }
}

fn is_of_a_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-.".contains(&byte)
}

/// Rules whose pattern is none.
#[cfg(test)]
pub(super) fn unreadable_rules() -> Vec<&'static str> {
    let Some(table) = TABLE.as_ref() else { return vec!["the keywords"] };
    let unreadable = (0..RULES.len()).filter(|rule| table.pattern(*rule).is_none());
    unreadable.map(|rule| RULES[rule].name).collect()
}

/// Rules whose pattern has a group and takes more than so many bytes as an automaton.
#[cfg(test)]
pub(super) fn rules_larger_than(most: usize) -> Vec<&'static str> {
    let large = |rule: &&Rule| {
        let pattern = format!("^(?:{})", rule.pattern);
        regex::RegexBuilder::new(&pattern).size_limit(most).build().is_err()
    };
    let grouped = |rule: &usize| {
        TABLE
            .as_ref()
            .and_then(|table| table.pattern(*rule))
            .is_some_and(|it| it.captures_len() > 1)
    };
    let rules = (0..RULES.len()).filter(grouped).map(|rule| &RULES[rule]);
    rules.filter(large).map(|rule| rule.name).collect()
}

/// What it takes to look through a text.
#[cfg(test)]
pub(super) fn work(text: &str) -> usize {
    searched(text).1
}
