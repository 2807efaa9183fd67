//! `silt:` links: how text points at a message, a summary or a line of a project file.
//!
//! They lead nowhere outside the window; the UI resolves them through commands that check the id or the path again.

use crate::ids::{MessageId, SummaryId};

/// A link to a message.
pub fn to_message(id: MessageId) -> String {
    format!("silt:message/{id}")
}

/// A link to a summary.
pub fn to_summary(id: SummaryId) -> String {
    format!("silt:summary/{id}")
}

/// A link to a line (counted from 1) of a file of the project; `path` is relative, with `/`.
pub fn to_file(path: &str, line: u32) -> String {
    let mut link = String::from("silt:file/");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            link.push(char::from(byte));
        } else {
            link.push_str(&format!("%{byte:02X}"));
        }
    }
    link.push_str(&format!("?line={line}"));
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_brackets_and_hangul_stays_one_markdown_link() {
        let link = to_file("문서/a (1) [x].md", 7);
        assert!(link.is_ascii() && !link.contains(['(', ')', '[', ']', ' ']), "{link}");
        assert!(link.ends_with("?line=7"));
    }
}
