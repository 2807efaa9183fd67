//! `@path` in a memory file: which of them ask for a file.
//!
//! As others read them: after a blank or at the beginning of a line, then a dot, a slash, `~/` or a letter; never in code or
//! a comment, never an address of mail, whose `@` follows a letter. Whether a bare `@word` is a file, a person or the
//! scope of a package shows when it is looked for, so [`super::expand()`] asks and stays silent where none is.

use std::ops::Range;

use super::regions::regions;

/// Longest target, in bytes.
const LONGEST: usize = 1_024;

/// What may follow a target without being part of it.
const TAIL: &[char] = &[
    '.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '\'', '"', '*', '。', '，', '、', '」', '』',
    '”', '’',
];

/// Ends of names that are meant as files even where none is.
const TEXTS: [&str; 12] = [
    ".md",
    ".mdc",
    ".mdx",
    ".markdown",
    ".txt",
    ".rst",
    ".adoc",
    ".json",
    ".yaml",
    ".yml",
    ".toml",
    ".xml",
];

/// An `@path` that may ask for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportMark {
    /// The path, as it is written.
    pub target: String,
    /// Where it stands, from the `@`, in bytes.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: u32,
}

impl ImportMark {
    /// Whether it is an address of another computer.
    pub fn is_remote(&self) -> bool {
        self.target.contains("://")
    }

    /// Whether it lies in the person's home, of which a project's files bring nothing.
    pub fn is_at_home(&self) -> bool {
        self.target.starts_with("~/")
    }

    /// Whether its form says that a file is meant: `./x`, `/x`, `x.md`; `@someone` and `@scope/package` do not.
    pub fn names_a_file(&self) -> bool {
        let lower = self.target.to_ascii_lowercase();
        self.is_at_home()
            || self.target.starts_with(['.', '/'])
            || TEXTS.iter().any(|end| lower.ends_with(end))
    }
}

/// The imports of a text, in order.
pub fn find(text: &str) -> Vec<ImportMark> {
    let mut hidden = regions(text).into_iter().map(|(range, _)| range).peekable();
    let (mut line, mut counted) = (1, 0);
    let mut marks = Vec::new();
    for (at, _) in text.match_indices('@') {
        while hidden.next_if(|range| range.end <= at).is_some() {}
        let is_hidden = hidden.peek().is_some_and(|range| range.contains(&at));
        let stands_free = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if is_hidden || !stands_free {
            continue;
        }
        let Some(target) = target(&text[at + 1..]) else { continue };
        line += count(&text[counted..at]);
        counted = at;
        let range = at..at + 1 + target.len();
        marks.push(ImportMark { target: target.to_owned(), range, line });
    }
    marks
}

fn count(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

fn target(text: &str) -> Option<&str> {
    let begins = |c: char| matches!(c, '.' | '/') || c.is_alphabetic();
    if !text.starts_with("~/") && !text.starts_with(begins) {
        return None;
    }
    let run = text.split(char::is_whitespace).next()?;
    let target = without_particle(run.trim_end_matches(TAIL)).trim_end_matches(TAIL);
    (1..=LONGEST).contains(&target.len()).then_some(target)
}

/// `docs/style.md를` is `docs/style.md`.
fn without_particle(run: &str) -> &str {
    let stem = run.trim_end_matches(|c| matches!(c, '가'..='힣'));
    let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
    let is_extension =
        |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if extension.is_some_and(is_extension) { stem } else { run }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::relative("@./style.md", &["./style.md"])]
    #[case::above("- see @../a/b.md, please", &["../a/b.md"])]
    #[case::absolute("@/src/rules.md", &["/src/rules.md"])]
    #[case::bare("(x) @docs/style.md.", &["docs/style.md"])]
    #[case::hangul("@문서/규칙.md를 따르세요", &["문서/규칙.md"])]
    #[case::hangul_name("@규칙 @문서/규칙", &["규칙", "문서/규칙"])]
    #[case::mail("kim@example.com <lee@example.com>", &[])]
    #[case::quoted("\"@a.md\" (@b.md)", &[])]
    #[case::home("@~/rules.md @~other/x.md @1.md @-x", &["~/rules.md"])]
    #[case::dots("@. @.. @... @./", &["./"])]
    #[case::code("`@a.md` and ``@b.md``\n```\n@c.md\n```\n~~~\n@d.md\n~~~\n@e.md", &["e.md"])]
    #[case::comment("<!-- @a.md\n@b.md --> @c.md", &["c.md"])]
    #[case::remote("@https://example.com/a.md", &["https://example.com/a.md"])]
    #[case::scope("use @types/node, @angular/core", &["types/node", "angular/core"])]
    fn imports_are_found(#[case] text: &str, #[case] expected: &[&str]) {
        let marks = find(text);
        let targets: Vec<&str> = marks.iter().map(|mark| mark.target.as_str()).collect();
        assert_eq!(targets, expected);
        for mark in marks {
            assert_eq!(text[mark.range], format!("@{}", mark.target));
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let lines: Vec<u32> = find("@a\n\n x @b\n@c @d").iter().map(|mark| mark.line).collect();
        assert_eq!(lines, [1, 3, 4, 4]);
    }
}
