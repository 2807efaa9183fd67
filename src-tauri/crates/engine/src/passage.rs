//! Passages: quotable stretches of project files, cut so that each stands on its own and knows its lines.

use serde::{Deserialize, Serialize};

/// A stretch of whole lines of a project file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Path relative to the project, with `/`.
    pub path: String,
    /// First line, counted from 1.
    pub line: u32,
    /// The lines as they stand in the file, without the last line end.
    pub text: String,
}

/// What identifies a file's content cheaply; a different stamp means the file is read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Path relative to the project, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// Lines a passage has at most. Long enough for a function or a section, short enough to quote.
const MAX_LINES: usize = 24;

/// Bytes a passage has at most, unless its single line is longer.
const MAX_BYTES: usize = 1_600;

/// Longest line that is kept; a longer one is data (minified code, a lock file), not something to quote.
const MAX_LINE_BYTES: usize = 4_000;

/// Cuts `text` into passages: at blank lines and headings where it can, at the size limit where it must.
pub fn cut(path: &str, text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut bytes = 0;
    let mut first_line = 1;
    for (index, line) in text.lines().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let starts_section = line.starts_with('#') && !lines.is_empty();
        let full = lines.len() >= MAX_LINES || bytes + line.len() > MAX_BYTES;
        let roomy = lines.len() >= MAX_LINES / 3;
        if full || starts_section || (line.trim().is_empty() && roomy) {
            flush(path, first_line, &mut lines, &mut passages);
            bytes = 0;
        }
        if line.len() > MAX_LINE_BYTES || (lines.is_empty() && line.trim().is_empty()) {
            flush(path, first_line, &mut lines, &mut passages);
            bytes = 0;
            continue;
        }
        if lines.is_empty() {
            first_line = number;
        }
        lines.push(line);
        bytes += line.len() + 1;
    }
    flush(path, first_line, &mut lines, &mut passages);
    passages
}

fn flush(path: &str, line: u32, lines: &mut Vec<&str>, passages: &mut Vec<Passage>) {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    if !lines.is_empty() {
        passages.push(Passage { path: path.to_owned(), line, text: lines.join("\n") });
    }
    lines.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_passage_is_found_word_for_word_at_its_line() {
        let mut text =
            String::from("# Title\n\nFirst paragraph.\n\n## Port\n\nThe port is 5433.\n");
        for line in 0..100 {
            text.push_str(&format!("fn item_{line}() {{}}\n"));
        }
        text.push_str(&"x".repeat(MAX_LINE_BYTES + 1));
        let all: Vec<&str> = text.lines().collect();
        let passages = cut("src/a.md", &text);
        for passage in &passages {
            let start = passage.line as usize - 1;
            let quoted: Vec<&str> = passage.text.lines().collect();
            assert_eq!(quoted, all[start..start + quoted.len()], "at line {}", passage.line);
            assert!(quoted.len() <= MAX_LINES);
        }
        let kept: usize = passages
            .iter()
            .map(|passage| passage.text.lines().filter(|l| !l.trim().is_empty()).count())
            .sum();
        let expected =
            all.iter().filter(|l| !l.trim().is_empty() && l.len() <= MAX_LINE_BYTES).count();
        assert_eq!(kept, expected, "only blank and over-long lines are left out");
    }
}
