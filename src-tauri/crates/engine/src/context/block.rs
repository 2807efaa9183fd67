//! The text of a context block: a line for each key, and nothing a value, a key or a body says can look like another
//! line of ours.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::store::ContextSnapshot;

/// Shortest fence.
const MIN_FENCE: usize = 3;

/// `key: value`, a line each; a value of several lines stands beneath its key between fences. Empty values say nothing
/// and are left out.
pub(super) fn lines_of(entries: &ContextSnapshot) -> String {
    let lines: Vec<String> =
        entries.iter().filter(|(_, value)| !value.is_empty()).map(line_of).collect();
    lines.join("\n")
}

fn line_of((key, value): (&String, &String)) -> String {
    let key = spelled(key);
    if value.contains(breaks_line) {
        let fence = "`".repeat(longest_run_of_backticks(value).max(MIN_FENCE - 1) + 1);
        format!("{key}:\n{fence}\n{value}\n{fence}")
    } else {
        format!("{key}: {value}")
    }
}

/// Everything some reader takes for the end of a line.
fn breaks_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A key that is no plain word is written as a JSON string, so that it ends where it ends.
fn spelled(key: &str) -> Cow<'_, str> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if key.starts_with(|c: char| c.is_alphanumeric() || c == '_') && key.chars().all(inside) {
        return Cow::Borrowed(key);
    }
    let mut quoted = String::new();
    for c in serde_json::Value::from(key).to_string().chars() {
        if breaks_line(c) {
            // JSON itself lets these stand.
            quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            quoted.push(c);
        }
    }
    Cow::Owned(quoted)
}

/// The body with a backslash before every line that reads like one of these headings.
pub(super) fn without_headings(body: &str, headings: &[&str]) -> String {
    let folded: Vec<String> = headings.iter().map(|heading| letters_of(heading)).collect();
    body.split_inclusive(breaks_line)
        .map(|line| {
            let marked = line.nfkc().take_while(|c| !c.is_alphanumeric()).any(|c| c == '#');
            if marked && folded.contains(&letters_of(line)) {
                let (blank, rest) = line.split_at(line.len() - line.trim_start().len());
                format!("{blank}\\{rest}")
            } else {
                line.to_owned()
            }
        })
        .collect()
}

/// What is left of a heading for a hasty reader.
fn letters_of(line: &str) -> String {
    line.nfkc().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
