//! Figures with their nouns and units.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Pattern;
use crate::ledger::normal::is_unit;

static FIGURE: Pattern = LazyLock::new(|| Regex::new(r"[0-9][0-9,]*(?:\.[0-9]+)?").ok());

/// Nouns that a figure follows.
static NOUN_BEFORE: Pattern = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|[^\p{L}])((?:ports?|lines?|status|exit(?: code| status)|code|issues?|PR|MR|step|pages?|rows?|level|chapter|section|phase|HTTP|error code|shard|pod|build|ticket|포트|줄|코드|종료 코드|상태 코드|이슈|단계|페이지)(?: |: )#?|[#$€₩])$",
    )
    .ok()
});

/// Units and counters, with or without a blank before them.
static UNIT_AFTER: Pattern = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:",
        r"\s?(?:%|퍼센트|밀리초|바이트|메가바이트|기가바이트|토큰|페이지|개월|시간|번째|가지|만 ?원|억 ?원|달러|천만|만|천|백만|억)(?: ?(?:건|개|명|원|줄|행|회|토큰))?",
        r"|\s?(?:개|명|건|번|줄|초|분|일|주|년|원|배|회|대|장|권|자|쪽|점|도|층|행|열|차|종|곳|통|살|컷|팀|코어|기가|메가|픽셀|킬로)",
        r"|\s?(?:ns|us|µs|ms|sec|secs|min|mins|hrs?|kB|KB|KiB|MB|MiB|GB|GiB|TB|TiB|Mbps|Gbps|px|rem|em|pt|kHz|MHz|GHz|Hz|rps|qps|fps|KRW|USD|dpi|kWh|mA|°C)",
        r"|[smhdkKMBx]| s",
        r")",
    ))
    .ok()
});

static WORD_AFTER: Pattern =
    LazyLock::new(|| Regex::new(r"^[ -]([a-z]{2,20}(?:-[a-z]{2,20})?)").ok());

/// Words after a figure that are not its noun.
const NO_NOUNS: [&str; 76] = [
    "and", "or", "of", "in", "to", "is", "are", "was", "were", "be", "for", "on", "at", "by",
    "with", "the", "an", "as", "if", "then", "than", "so", "but", "per", "from", "that", "which",
    "when", "while", "after", "before", "until", "since", "it", "we", "you", "not", "no", "again",
    "now", "still", "because", "will", "would", "should", "can", "has", "have", "had", "did",
    "does", "only", "too", "instead", "once", "every", "even", "also", "all", "each", "both",
    "more", "less", "about", "around", "over", "under", "out", "up", "down", "into", "this",
    "these", "there", "just", "via",
];

/// The figures of a text, each with the noun or the unit beside it.
pub(super) fn figures(text: &str) -> Vec<Range<usize>> {
    let Some(pattern) = FIGURE.as_ref() else { return Vec::new() };
    pattern.find_iter(text).filter_map(|it| figure(text, it.range())).collect()
}

fn figure(text: &str, digits: Range<usize>) -> Option<Range<usize>> {
    let digits = digits.start..digits.start + text[digits].trim_end_matches(',').len();
    let (before, after) = (&text[..digits.start], &text[digits.end..]);
    if is_inside_a_word(before) || is_list_number(before, &text[digits.clone()], after) {
        return None;
    }
    let end = digits.end + unit(after)?;
    Some(noun(text, digits.start)..end)
}

/// Whether a figure came with no noun, no unit and nothing else, but for marks of Markdown.
pub(in crate::ledger) fn is_bare(figure: &str) -> bool {
    !figure.contains(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.' | '`' | '*')))
}

/// Whether a figure says of itself not what it is of: it is bare, or has a unit alone.
pub(super) fn is_measure(figure: &str) -> bool {
    let unit = figure.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, ',' | '.' | '$' | '€' | '₩')
    });
    let unit = unit.trim_start();
    unit.is_empty() || unit.len() < figure.len() && is_unit(&unit.to_lowercase())
}

/// `utf-8`, `sha256`, `1.2.3`, `gpt-4o`: no figures of their own.
fn is_inside_a_word(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        Some('-' | '.' | '_' | '/' | ':') => back.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        Some(c) => c.is_ascii_alphanumeric(),
        None => false,
    }
}

/// What counts the points of a list, at the beginning of a line or, where a summary has the list in one line, of a
/// sentence; the first point may follow the colon that announces them.
fn is_list_number(before: &str, digits: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let line = line.trim_end_matches(['>', ' ', '#', '*']);
    let announced = line.ends_with(':') && digits == "1";
    let begins = before.ends_with(' ') && (line.ends_with(['.', '!', '?']) || announced);
    (line.is_empty() || begins) && (after.starts_with(". ") || after.starts_with(") "))
}

/// Length of the unit or the noun after a figure; `None` where it goes on as a word or a longer number.
fn unit(after: &str) -> Option<usize> {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if let Some(found) = UNIT_AFTER.as_ref()?.find(after)
        && !goes_on(&after[found.end()..])
    {
        return Some(found.end());
    }
    if goes_on(after) || after.starts_with(['.', '/', ':']) && goes_on(&after[1..]) {
        return None;
    }
    let word = WORD_AFTER.as_ref()?.captures(after).and_then(|it| it.get(1));
    // `id=962060 took=837ms`: what follows is called by another word.
    let names = |word: &regex::Match<'_>| after[word.end()..].starts_with('=');
    let noun = word.filter(|word| !NO_NOUNS.contains(&word.as_str()) && !names(word));
    Some(noun.map_or(0, |noun| noun.end()))
}

/// Where the noun before a figure begins.
fn noun(text: &str, start: usize) -> usize {
    // Nouns are short; a longer look back would cost the square of a text without blanks.
    let mut from = start.saturating_sub(24);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let found = NOUN_BEFORE.as_ref().and_then(|it| it.captures(&text[from..start]));
    found.and_then(|it| it.get(1)).map_or(start, |noun| from + noun.start())
}
