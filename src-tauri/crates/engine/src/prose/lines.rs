//! The lines of a text as they are meant: headings, points, rows of tables, code blocks, and everything else.

use std::borrow::Cow;

use super::plain::plain;
use crate::density::Fence;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    Prose,
    /// A point of a list or a row of a table, indented so far.
    Point(usize),
    /// A whole code block.
    Code,
}

/// A line as it is meant, in plain text; what was wrapped is one.
#[derive(Debug)]
pub(super) struct Line {
    pub kind: Kind,
    pub text: String,
}

/// Letters from which on a line may have been wrapped: a shorter one was ended by whoever wrote it.
const WRAPPED: usize = 40;

/// Most letters of a bold line that stands for a heading.
const TITLE: usize = 80;

/// The text with blanks in the place of every line that is neither a quotation nor code, so that what is left stands
/// where it stood.
pub(crate) fn quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut code: Option<Fence<'_>> = None;
    for line in text.split_inclusive('\n') {
        let stays = match &code {
            Some(fence) => {
                if fence.is_closed_by(line) {
                    code = None;
                }
                true
            }
            None => {
                code = Fence::opened_by(line, 0);
                code.is_some() || unquoted(line).1
            }
        };
        let (own, end) = line.strip_suffix('\n').map_or((line, ""), |own| (own, "\n"));
        out.push_str(&if stays { Cow::from(own) } else { Cow::from(" ".repeat(own.len())) });
        out.push_str(end);
    }
    out
}

/// The lines of a text that say something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut reader = Reader::default();
    text.lines().for_each(|line| reader.read(line));
    // A code block that is still open was cut.
    reader.lines
}

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<Line>,
    /// The code block that is open, whether it is quoted, and its text so far.
    code: Option<(Fence<'a>, bool, String)>,
    /// The names of a table's columns.
    columns: Vec<String>,
    /// The row before, which names the columns if dashes follow.
    row: Vec<String>,
    /// Whether the line before may go on in the next one, as a wrapped one and as a point.
    wrapped: bool,
    in_point: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self, line: &'a str) {
        if let Some((fence, quoted, text)) = &mut self.code {
            let line = if *quoted { unquoted(line).0 } else { line };
            text.extend(["\n", line]);
            if fence.is_closed_by(line) {
                let text = std::mem::take(text);
                self.code = None;
                self.push(Kind::Code, text);
            }
            return;
        }
        let (line, quoted) = unquoted(line);
        if let Some(fence) = Fence::opened_by(line, 0) {
            self.code = Some((fence, quoted, line.trim_start().to_owned()));
            return;
        }
        let said = line.trim();
        let indent = line.len() - line.trim_start().len();
        if !said.starts_with('|') {
            self.columns.clear();
            self.row.clear();
        }
        if is_mute(said) {
            (self.wrapped, self.in_point) = (false, false);
        } else if let Some(title) = title(said) {
            self.push(Kind::Heading, plain(point(title).unwrap_or(title)));
        } else if said.starts_with('|') {
            self.table(said);
        } else if let Some(point) = point(said) {
            self.in_point = self.push(Kind::Point(indent), plain(point));
            self.wrapped = self.in_point && may_go_on(said);
        } else if self.goes_on(said, indent) {
            self.wrapped = may_go_on(said);
            if let Some(before) = self.lines.last_mut() {
                before.text.extend([" ", &plain(said)]);
            }
        } else {
            self.wrapped = self.push(Kind::Prose, plain(said)) && may_go_on(said);
        }
    }

    /// Adds a line, if it says something.
    fn push(&mut self, kind: Kind, text: String) -> bool {
        (self.wrapped, self.in_point) = (false, false);
        let says = !text.is_empty();
        if says {
            self.lines.push(Line { kind, text });
        }
        says
    }

    /// Whether a line goes on with the one before: a wrapped one in small letters, a point by being indented.
    fn goes_on(&self, said: &str, indent: usize) -> bool {
        let small = said.starts_with(|c: char| c.is_ascii_lowercase());
        self.wrapped && small || self.in_point && indent >= 2
    }

    /// A row, each cell with the name of its column: `db: port 5433, host local`.
    fn table(&mut self, said: &str) {
        let cells = said.trim_matches('|').split('|').map(str::trim);
        if said.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
            if !self.row.is_empty() {
                self.lines.pop();
            }
            self.columns = std::mem::take(&mut self.row);
            return;
        }
        let cells: Vec<String> = cells.map(plain).collect();
        let Some((name, rest)) = cells.split_first() else { return };
        let named = rest.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
        let named = named.map(|(at, cell)| match self.columns.get(at + 1) {
            Some(column) if !column.is_empty() => format!("{column} {cell}"),
            _ => cell.clone(),
        });
        let named = named.collect::<Vec<_>>().join(", ");
        let row = match (name.as_str(), named.as_str()) {
            (name, "") => name.to_owned(),
            ("", named) => named.to_owned(),
            (name, named) => format!("{name}: {named}"),
        };
        self.row = if self.push(Kind::Point(0), row) { cells } else { Vec::new() };
    }
}

/// A line without the marks of a quotation, and whether it had some.
fn unquoted(line: &str) -> (&str, bool) {
    let mut rest = line;
    while let Some(inner) = rest.trim_start().strip_prefix('>') {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    (rest, rest.len() < line.len())
}

/// Whether a line is empty, draws a rule, or says where links lead.
fn is_mute(said: &str) -> bool {
    let rule = |mark: char| said.chars().all(|c| c == mark || c == ' ');
    let definition = said.starts_with('[')
        && said.split_once("]: ").is_some_and(|(_, target)| !target.contains(' '));
    ['-', '*', '_', '='].into_iter().any(rule) || definition
}

/// What a heading says, if the line is one: behind `#`, or bold from end to end.
fn title(said: &str) -> Option<&str> {
    let marked = said.trim_start_matches('#');
    if let 1..=6 = said.len() - marked.len()
        && marked.starts_with(' ')
    {
        return Some(marked.trim_end_matches('#').trim());
    }
    let bold = said.trim_end_matches([':', '：']).strip_prefix("**")?.strip_suffix("**")?;
    let names = !bold.contains("**") && !ends_sentence(bold) && bold.chars().count() <= TITLE;
    names.then_some(bold)
}

/// What a point of a list says, if the line is one. `3. 5.` begins a date, not a list.
fn point(said: &str) -> Option<&str> {
    let digits = said.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => said.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => said[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.strip_prefix(' ')?.trim_start();
    (digits == 0 || !text.starts_with(|c: char| c.is_ascii_digit())).then_some(text)
}

fn may_go_on(said: &str) -> bool {
    said.chars().count() >= WRAPPED && !ends_sentence(said)
}

/// Whether a sentence ends where the text does.
pub(super) fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '”', '’', '」', '』']);
    text.ends_with(['.', '!', '?', '…', '。', '！', '？'])
}
