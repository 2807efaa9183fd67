//! `silt:` links: how text, and what a search found, point at a message, a summary, a decision, a checkpoint, or a line of
//! a project file or of memory.
//!
//! They lead nowhere outside the window; the UI resolves them through commands that check the id or the path again.

use crate::ids::{CheckpointId, MemoryLineId, MessageId, SummaryId};

/// A link to a message.
pub fn to_message(id: MessageId) -> String {
    format!("silt:message/{id}")
}

/// A link to a summary.
pub fn to_summary(id: SummaryId) -> String {
    format!("silt:summary/{id}")
}

/// A link to a decision by its id; the project it is of is said beside the link.
pub fn to_decision(id: &str) -> String {
    format!("silt:decision/{id}")
}

/// A link to a checkpoint; the project it is of is said beside the link.
pub fn to_checkpoint(id: CheckpointId) -> String {
    format!("silt:checkpoint/{id}")
}

/// A link to a line (counted from 1) of a file of the project; `path` is relative, with `/`.
pub fn to_file(path: &str, line: u32) -> String {
    to_line("file", path, line)
}

/// A link to a line that was added to memory and belongs to no file.
pub fn to_memory_line(id: MemoryLineId) -> String {
    format!("silt:memory-line/{id}")
}

/// A link to a line of a memory file, by its path as memory names it.
pub fn to_memory(path: &str, line: u32) -> String {
    to_line("memory", path, line)
}

fn to_line(what: &str, path: &str, line: u32) -> String {
    let mut link = format!("silt:{what}/");
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
