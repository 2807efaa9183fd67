//! One way of writing for many: letter case, quotation marks, blanks, thousands and Markdown off; keys, and whether a
//! normalised text holds one.

use super::Category;

/// A text as keys are written: lower case, plain quotation marks, one blank for many, no commas within figures, no
/// marks of Markdown around words.
pub(super) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let c = match c {
            '`' | '*' => continue,
            ',' if before.is_ascii_digit() && are_thousands(&text[at + 1..]) => continue,
            '“' | '”' | '„' | '「' | '」' | '『' | '』' => '"',
            '‘' | '’' => '\'',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c == ' ' && before == ' ' {
            continue;
        }
        out.extend(c.to_lowercase());
        before = c;
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether three digits follow, and no fourth.
fn are_thousands(rest: &str) -> bool {
    rest.bytes().take(4).take_while(u8::is_ascii_digit).count() == 3
}

/// The key of an entry: normalised, with what only surrounds it off.
pub(crate) fn key(category: Category, text: &str) -> String {
    let normal = normal(text);
    match category {
        Category::Number => figure(&normal),
        Category::Version => normal.trim_start_matches('v').to_owned(),
        Category::Path => normal.trim_start_matches("./").trim_end_matches('/').to_owned(),
        Category::Quote => normal.trim_matches(['"', '\'']).to_owned(),
        _ => normal.trim_end_matches(['.', '!', ',', ';', ':', '。', '！', '?', '？']).to_owned(),
    }
}

/// Units without which a figure says something else.
const UNITS: [&str; 45] = [
    "%",
    "퍼센트",
    "ns",
    "us",
    "µs",
    "ms",
    "s",
    "sec",
    "seconds",
    "초",
    "밀리초",
    "min",
    "minutes",
    "분",
    "h",
    "hours",
    "시간",
    "days",
    "일",
    "b",
    "bytes",
    "kb",
    "kib",
    "mb",
    "mib",
    "gb",
    "gib",
    "tb",
    "바이트",
    "메가",
    "기가",
    "px",
    "rem",
    "hz",
    "mhz",
    "ghz",
    "원",
    "달러",
    "usd",
    "krw",
    "rps",
    "qps",
    "fps",
    "k",
    "m",
];

/// Whether a word is one of them, in small letters.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(&word)
}

/// The value of a figure, and its unit where there is one. Nouns are off: `port 5433` and `5433` are the same.
fn figure(normal: &str) -> String {
    let value = |c: char| c.is_ascii_digit();
    let Some(start) = normal.find(value) else { return normal.to_owned() };
    let rest = &normal[start..];
    let end = rest
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_digit() || *c == '.'))
        .map_or(rest.len(), |(at, _)| at);
    let digits = rest[..end].trim_end_matches('.');
    let unit = rest[end..].trim_start();
    let sign = if normal[..start].ends_with(['$', '€', '₩']) { &normal[..start] } else { "" };
    match is_unit(unit) {
        true => format!("{sign}{digits}{unit}"),
        false => format!("{sign}{digits}"),
    }
}

/// Whether a normalised text holds a key as a word of its own. In Korean, particles follow without a blank.
pub(super) fn holds(text: &str, key: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !key.is_empty()
        && text.match_indices(key).any(|(at, _)| {
            let opens = !key.starts_with(letter) || !text[..at].ends_with(letter);
            let closes = !key.ends_with(letter) || !text[at + key.len()..].starts_with(letter);
            opens && closes
        })
}
