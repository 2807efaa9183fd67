//! A line of Markdown as plain text.

use crate::density::is_id;

/// How far is looked for what closes a link's text, a code span or an emphasis.
const NEAR: usize = 400;

/// How far is looked for the end of a link's address.
const ADDRESS: usize = 2_000;

/// Marks of HTML that are not read aloud.
const TAGS: [&str; 9] = [
    "<br>",
    "<br/>",
    "<br />",
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<kbd>",
    "</kbd>",
];

/// What a line says: links as their text, pictures off, emphasis off, code spans as they are. Nothing where it has no
/// word, nothing but ids, or nothing but links to something of Siltstone's own, which say where words are from.
pub(crate) fn plain(line: &str) -> String {
    let mut reader = Reader {
        line,
        at: 0,
        out: String::with_capacity(line.len()),
        said: String::new(),
        closing: Vec::new(),
    };
    while reader.at < line.len() {
        reader.step();
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if says_something(&reader.said) { words(&reader.out) } else { String::new() }
}

fn says_something(text: &str) -> bool {
    let words = text
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| word.contains(char::is_alphanumeric));
    words.into_iter().any(|word| !is_id(word))
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
    out: String,
    /// The same without links to something of Siltstone's own.
    said: String,
    /// Where emphases end that were opened, and how long their marks are.
    closing: Vec<(usize, usize)>,
}

impl<'a> Reader<'a> {
    fn step(&mut self) {
        let rest = &self.line[self.at..];
        let Some(c) = rest.chars().next() else { return };
        match c {
            '`' => {
                let run = run(rest, '`');
                let end =
                    near(&rest[run..], NEAR).find(&rest[..run]).map_or(run, |at| run + at + run);
                self.take(&rest[..end], end);
            }
            '*' => self.star(rest),
            '!' if rest[1..].starts_with('[')
                && link(&rest[1..]).is_some_and(|link| link.target.is_some()) =>
            {
                self.at += 1 + link(&rest[1..]).map_or(0, |link| link.length);
            }
            '[' => match link(rest) {
                Some(Link { text, target, length }) => {
                    let text = unescaped(text);
                    self.out.push_str(&text);
                    if !target.is_some_and(|target| target.starts_with("silt:")) {
                        self.said.push_str(&text);
                    }
                    self.at += length;
                }
                None => self.take("[", 1),
            },
            '<' => {
                let tag = TAGS.iter().find(|tag| rest.starts_with(**tag));
                let address =
                    rest.starts_with("<http").then(|| near(rest, ADDRESS).find('>')).flatten();
                match (tag, address) {
                    (Some(tag), _) => self.take(" ", tag.len()),
                    (_, Some(end)) => self.take(&rest[1..end], end + 1),
                    _ => self.take("<", 1),
                }
            }
            's' if is_own_address(rest)
                && !self.line[..self.at].ends_with(char::is_alphanumeric) =>
            {
                self.at += rest
                    .find(|c: char| c.is_whitespace() || matches!(c, ')' | ']' | '>' | ','))
                    .unwrap_or(rest.len());
            }
            c => self.take(&rest[..c.len_utf8()], c.len_utf8()),
        }
    }

    fn take(&mut self, text: &str, length: usize) {
        self.out.push_str(text);
        self.said.push_str(text);
        self.at += length;
    }

    /// Stars that open or close an emphasis are off; all others stay.
    fn star(&mut self, rest: &str) {
        let run = run(rest, '*');
        self.closing.retain(|(end, _)| *end >= self.at);
        if self.closing.contains(&(self.at, run)) {
            self.at += run;
            return;
        }
        match closing(&self.line[..self.at], rest, run) {
            Some(end) => {
                self.closing.push((self.at + end, run));
                self.at += run;
            }
            None => self.take(&rest[..run], run),
        }
    }
}

/// Where the emphasis ends that stars at the beginning of `rest` open, if they open one: `2**3` is none, nor is `*.rs`.
fn closing(before: &str, rest: &str, run: usize) -> Option<usize> {
    let inner = &rest[run..];
    let opens = run <= 3
        && !before.ends_with(|c: char| c.is_ascii_alphanumeric())
        && inner.starts_with(|c: char| !c.is_whitespace() && (run > 1 || c.is_alphanumeric()));
    let found = near(inner, NEAR).find(&rest[..run]).filter(|_| opens)?;
    let (said, after) = (&inner[..found], &inner[found + run..]);
    let closes = !said.ends_with(char::is_whitespace)
        && !after.starts_with('*')
        && (run > 1 || !after.starts_with(char::is_alphanumeric));
    (closes && !said.is_empty()).then_some(run + found)
}

struct Link<'a> {
    text: &'a str,
    target: Option<&'a str>,
    length: usize,
}

/// The link that a text begins with: `[text](target)`, `[text][name]`.
fn link(rest: &str) -> Option<Link<'_>> {
    let end = closed(rest, '[', ']', NEAR)?;
    let (text, after) = (&rest[1..end], &rest[end + 1..]);
    let (target, length) = match after.chars().next()? {
        '(' => closed(after, '(', ')', ADDRESS).map(|close| (Some(&after[1..close]), close + 1))?,
        '[' => closed(after, '[', ']', NEAR).map(|close| (None, close + 1))?,
        _ => return None,
    };
    Some(Link { text, target, length: end + 1 + length })
}

/// Where the bracket closes that a text begins with.
fn closed(rest: &str, open: char, close: char, within: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in near(rest, within).char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == open => depth += 1,
            c if c == close && depth == 1 => return Some(at),
            c if c == close => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a text begins with an address of something of Siltstone's own, `silt:message/…`.
fn is_own_address(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("silt:") else { return false };
    let kind = rest.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-');
    kind.len() < rest.len() && kind.starts_with('/')
}

/// A link's text without the signs that keep Markdown from reading it.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        out.push(if escapes { chars.next().unwrap_or(c) } else { c });
    }
    out
}

fn run(text: &str, mark: char) -> usize {
    text.find(|c| c != mark).unwrap_or(text.len())
}

/// The beginning of a text, at most so many bytes.
fn near(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
