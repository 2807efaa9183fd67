//! Stretches of Markdown in which words are not what they seem: code is quoted, comments are not shown.

use std::ops::Range;

/// What a stretch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Between fences, with them.
    Fence,
    /// Between backticks, with them.
    Code,
    /// `<!-- … -->`.
    Comment,
}

/// The code and the comments of a text, in order. What is not closed goes on to the end.
pub(super) fn regions(text: &str) -> Vec<(Range<usize>, Region)> {
    let mut found = Vec::new();
    let (mut at, mut line_start) = (0, true);
    while at < text.len() {
        let rest = &text[at..];
        if line_start && let Some(length) = fence(rest) {
            found.push((at..at + length, Region::Fence));
            at += length;
            continue;
        }
        let (length, region) = match rest.as_bytes()[0] {
            b'`' => code(rest),
            b'<' if rest.starts_with("<!--") => {
                let end = rest.find("-->").map_or(rest.len(), |end| end + "-->".len());
                (end, Some(Region::Comment))
            }
            _ => (rest.chars().next().map_or(1, char::len_utf8), None),
        };
        found.extend(region.map(|region| (at..at + length, region)));
        at += length;
        line_start = region.is_none() && text[..at].ends_with('\n');
    }
    found
}

/// The length of the fenced block that begins with this line.
fn fence(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    let opening = first.trim_start();
    let mark = opening.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let width = run(opening, mark);
    if width < 3 || mark == '`' && opening[width..].contains('`') {
        return None;
    }
    let mut length = first.len();
    for line in lines {
        length += line.len();
        let line = line.trim();
        if run(line, mark) >= width && run(line, mark) == line.len() {
            break;
        }
    }
    Some(length)
}

/// A run of backticks, and up to the run that closes it if one does before the paragraph ends.
fn code(text: &str) -> (usize, Option<Region>) {
    let width = run(text, '`');
    let mut at = width;
    for line in text[width..].split_inclusive('\n') {
        if at > width && line.trim().is_empty() {
            break;
        }
        let mut rest = line;
        while let Some(next) = rest.find('`') {
            let closing = run(&rest[next..], '`');
            at += next + closing;
            if closing == width {
                return (at, Some(Region::Code));
            }
            rest = &rest[next + closing..];
        }
        at += rest.len();
    }
    (width, None)
}

/// How many of this ASCII mark a text begins with.
fn run(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a `b` c", &["`b`"])]
    #[case("a `` b`c `` d ` e", &["`` b`c ``"])]
    #[case("a `b\nc` d\n\n`e\n\nf`", &["`b\nc`"])]
    #[case("x\n```md\n@a\n``\n```\ny", &["```md\n@a\n``\n```\n"])]
    #[case("- x\n  ~~~\n  @a", &["  ~~~\n  @a"])]
    #[case("``` not a fence ``` `x`", &["``` not a fence ```", "`x`"])]
    #[case("가 <!-- 나\n다 --> `라` <!-- 마", &["<!-- 나\n다 -->", "`라`", "<!-- 마"])]
    fn code_and_comments_are_found(#[case] text: &str, #[case] expected: &[&str]) {
        let found: Vec<&str> = regions(text).into_iter().map(|(range, _)| &text[range]).collect();
        assert_eq!(found, expected);
    }
}
