//! The lines of a memory file, and what each of them is.

use super::regions::{Region, regions};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    /// With its level, from 1.
    Heading(usize),
    /// The first line of an item of a list, with its indent.
    Item(usize),
    /// With its indent.
    Text(usize),
    /// Of a fenced block, its fences included.
    Fence,
    /// It begins inside of a comment, or with one.
    Comment,
}

/// A line without its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub kind: Kind,
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut regions = regions(text).into_iter().peekable();
    let mut start = 0;
    let of = |line: &'_ str| {
        let at = start + indent(line);
        start += line.len();
        while regions.next_if(|(range, _)| range.end <= at).is_some() {}
        match regions.peek().filter(|(range, _)| range.contains(&at)) {
            Some((_, Region::Fence)) => Kind::Fence,
            Some((_, Region::Comment)) => Kind::Comment,
            _ => kind(line),
        }
    };
    let kinds: Vec<Kind> = text.split_inclusive('\n').map(of).collect();
    text.lines().zip(kinds).map(|(text, kind)| Line { text, kind }).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn kind(line: &str) -> Kind {
    let (indent, line) = (indent(line), line.trim());
    let hashes = line.len() - line.trim_start_matches('#').len();
    if line.is_empty() {
        Kind::Blank
    } else if (1..=6).contains(&hashes) && matches!(line.as_bytes().get(hashes), None | Some(b' '))
    {
        Kind::Heading(hashes)
    } else if item(line).len() < line.len() {
        Kind::Item(indent)
    } else {
        Kind::Text(indent)
    }
}

/// A line without the mark of an item of a list.
pub(super) fn item(line: &str) -> &str {
    let line = line.trim();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•']),
        1..=9 => line[digits..].strip_prefix(['.', ')']),
        _ => None,
    };
    rest.and_then(|rest| rest.strip_prefix([' ', '\t'])).map_or(line, str::trim_start)
}

/// What a heading says.
pub(super) fn heading(line: &str) -> &str {
    line.trim().trim_matches('#').trim()
}
