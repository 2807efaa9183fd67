//! Code fences that what stands between them cannot close.

/// Backticks, at least three and more than any run of them inside `text`.
pub fn around(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(3.max(longest + 1))
}
