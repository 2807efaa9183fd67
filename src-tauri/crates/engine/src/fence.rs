//! Code fences that what stands between them cannot close, and quotations in them.

/// Backticks, at least three and more than any run of them inside `text`.
pub fn around(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(3.max(longest + 1))
}

/// A text between fences, under what it is.
pub fn fenced(what: &str, text: &str) -> String {
    let fence = around(text);
    format!("{what}:\n{fence}\n{text}\n{fence}")
}

/// The same with where it is from.
pub fn quoted(what: &str, source: &str, text: &str) -> String {
    fenced(&format!("{what}, {}", on_one_line(source)), text)
}

/// A name on one line, whatever its owner put into it.
pub fn on_one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
