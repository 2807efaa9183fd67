//! `silt:` links: how text, and what a search found, point at a message, what was said in a kept session, a summary, a
//! decision, a checkpoint, or a line of a project file or of memory.
//!
//! They lead nowhere outside the window; the UI resolves them through commands that check the id or the path again.

use crate::ids::{CheckpointId, MemoryLineId, MessageId, SummaryId};
use crate::vault::SaidAt;

/// A link to a message.
pub fn to_message(id: MessageId) -> String {
    id.after("silt:message/")
}

/// A link to a summary.
pub fn to_summary(id: SummaryId) -> String {
    id.after("silt:summary/")
}

/// A link to a decision by its id; the project it is of is said beside the link.
pub fn to_decision(id: &str) -> String {
    format!("silt:decision/{id}")
}

/// A link to a checkpoint; the project it is of is said beside the link.
pub fn to_checkpoint(id: CheckpointId) -> String {
    id.after("silt:checkpoint/")
}

/// A link to what was said in a kept session of an agent.
pub fn to_session(at: &SaidAt) -> String {
    format!(
        "{}?message={}",
        to_path("session", &format!("{}/{}", at.agent.name(), at.session)),
        at.number
    )
}

/// A link to a line (counted from 1) of a file of the project; `path` is relative, with `/`.
pub fn to_file(path: &str, line: u32) -> String {
    to_line("file", path, line)
}

/// A link to a line that was added to memory and belongs to no file.
pub fn to_memory_line(id: MemoryLineId) -> String {
    id.after("silt:memory-line/")
}

/// A link to a line of a memory file, by its path as memory names it.
pub fn to_memory(path: &str, line: u32) -> String {
    to_line("memory", path, line)
}

fn to_line(what: &str, path: &str, line: u32) -> String {
    format!("{}?line={line}", to_path(what, path))
}

fn to_path(what: &str, path: &str) -> String {
    let mut link = format!("silt:{what}/");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            link.push(char::from(byte));
        } else {
            link.push_str(&format!("%{byte:02X}"));
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::Agent;

    #[test]
    fn what_agents_call_their_sessions_stays_in_its_place() {
        let at = SaidAt { agent: Agent::Codex, session: "a/b ?c".to_owned(), number: 3 };
        assert_eq!(to_session(&at), "silt:session/codex/a/b%20%3Fc?message=3");
    }

    #[test]
    fn a_path_with_spaces_brackets_and_hangul_stays_one_markdown_link() {
        let link = to_file("문서/a (1) [x].md", 7);
        assert!(link.is_ascii() && !link.contains(['(', ')', '[', ']', ' ']), "{link}");
        assert!(link.ends_with("?line=7"));
    }
}
