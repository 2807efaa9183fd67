//! Searching the text of files for a regular expression, with ripgrep's crates.

use std::io::{self, Read};

use cap_std::fs::File;
use globset::GlobMatcher;
use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::{Lossy, UTF8};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use siltstone_engine::tool::output::WHOLE_BYTES;
use siltstone_engine::tool::{Answer, ToolError};

use super::list::{files, matcher};
use super::site::{Found, Site};
use super::{refused, shown};
use crate::read::{self, MAX_BYTES};
use crate::text;

/// Most lines that are shown.
const MAX_HITS: usize = 200;

/// Bytes of hits that are shown.
const HIT_BYTES: usize = WHOLE_BYTES - 400;

/// Characters of a line that are shown, and how many of them stand before the hit in a longer one.
const LINE_CHARS: usize = 240;
const BEFORE_CHARS: usize = 80;

/// Most memory for one line of a file that is too large to be held.
const HEAP_BYTES: usize = 16 * 1024 * 1024;

/// What an expression may take to be understood.
const PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// What is searched for.
pub(super) struct Wanted<'a> {
    pub pattern: &'a str,
    pub path: &'a str,
    pub files: &'a str,
    pub ignore_case: bool,
}

/// Lines that match, by file.
pub(super) fn search(
    site: &Site,
    wanted: &Wanted<'_>,
    max_files: u64,
    go_on: &dyn Fn() -> bool,
) -> Result<Answer, ToolError> {
    let pattern = RegexMatcherBuilder::new()
        .case_insensitive(wanted.ignore_case)
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .build(wanted.pattern)
        .map_err(|error| {
            refused(format!(
                "The pattern cannot be understood: {error}. It is matched line by line."
            ))
        })?;
    let only = match wanted.files {
        "" => None,
        files => Some(matcher(site, files)?),
    };
    let (paths, note) = places(site, wanted.path, only.as_ref(), max_files, go_on)?;
    let mut hits = Hits::new(&pattern);
    let mut searcher = SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP_BYTES))
        .build();
    for path in &paths {
        if !go_on() {
            return Err(ToolError::Stopped);
        }
        if hits.full {
            break;
        }
        // A file that is gone, or something else by now, is not there to be searched.
        let Ok((file, metadata)) = site.open_file(path) else {
            hits.unread += 1;
            continue;
        };
        let searched = if metadata.len() > MAX_BYTES {
            flow(&mut searcher, file, path, &mut hits, go_on)
        } else {
            match read::at_most(file, &metadata, MAX_BYTES) {
                Ok(bytes) => whole(&mut searcher, bytes, path, &mut hits),
                Err(_) => Err(io::Error::other("it grows while it is read")),
            }
        };
        if searched.is_err() {
            if !go_on() {
                return Err(ToolError::Stopped);
            }
            hits.unread += 1;
        }
    }
    Ok(hits.finish(note))
}

/// The files to search, in order of their paths, and what to say of those that were not looked at.
fn places(
    site: &Site,
    path: &str,
    only: Option<&GlobMatcher>,
    max_files: u64,
    go_on: &dyn Fn() -> bool,
) -> Result<(Vec<String>, &'static str), ToolError> {
    let (found, real) = site.find(path)?;
    if matches!(found, Found::File(..)) {
        return Ok((vec![real], ""));
    }
    let beneath = if real.is_empty() { real } else { real + "/" };
    let found = files(site, max_files, go_on, |path| {
        path.starts_with(&beneath) && only.is_none_or(|only| only.is_match(path))
    })?;
    let note = found.note();
    let mut paths: Vec<String> = found.files.into_iter().map(|file| file.path).collect();
    paths.sort();
    Ok((paths, note))
}

/// Searches a file as its text reads, in whatever encoding it is.
fn whole(
    searcher: &mut Searcher,
    bytes: Vec<u8>,
    path: &str,
    hits: &mut Hits<'_>,
) -> io::Result<()> {
    let Some(text) = text::decode(bytes) else { return Ok(()) };
    let pattern = hits.pattern;
    searcher.search_slice(
        pattern,
        text.as_bytes(),
        UTF8(|line, text| Ok(hits.add(path, line, text))),
    )
}

/// Searches a file that is too large to be held.
fn flow(
    searcher: &mut Searcher,
    file: File,
    path: &str,
    hits: &mut Hits<'_>,
    go_on: &dyn Fn() -> bool,
) -> io::Result<()> {
    let pattern = hits.pattern;
    let input = Asking { input: file, go_on };
    searcher.search_reader(pattern, input, Lossy(|line, text| Ok(hits.add(path, line, text))))
}

/// A file that is read as long as nobody says stop.
struct Asking<'a> {
    input: File,
    go_on: &'a dyn Fn() -> bool,
}

impl Read for Asking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !(self.go_on)() {
            return Err(io::Error::other("stopped"));
        }
        self.input.read(buffer)
    }
}

/// What was found.
struct Hits<'a> {
    pattern: &'a RegexMatcher,
    text: String,
    lines: usize,
    files: Vec<String>,
    unread: usize,
    full: bool,
}

impl<'a> Hits<'a> {
    fn new(pattern: &'a RegexMatcher) -> Self {
        Self { pattern, text: String::new(), lines: 0, files: Vec::new(), unread: 0, full: false }
    }

    /// Takes a line; `false` when there is no room for more.
    fn add(&mut self, path: &str, number: u64, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', '\r']);
        let is_new = self.files.last().is_none_or(|last| last != path);
        let heading = if is_new { format!("{}\n", shown(path)) } else { String::new() };
        let row = format!("{heading}{number:>6}\t{}\n", self.around(line));
        self.full = self.lines == MAX_HITS || self.text.len() + row.len() > HIT_BYTES;
        if self.full {
            return false;
        }
        if is_new {
            self.files.push(path.to_owned());
        }
        self.text.push_str(&row);
        self.lines += 1;
        true
    }

    /// A line, or what of a long one stands around the hit.
    fn around(&self, line: &str) -> String {
        if line.chars().count() <= LINE_CHARS {
            return line.to_owned();
        }
        let hit = self.pattern.find(line.as_bytes()).ok().flatten().map_or(0, |hit| hit.start());
        let before = line[..line.floor_char_boundary(hit)].char_indices();
        let start = before.rev().nth(BEFORE_CHARS).map_or(0, |(at, _)| at);
        let part = &line[start..];
        let end = part.char_indices().nth(LINE_CHARS).map_or(part.len(), |(at, _)| at);
        let (left, right) =
            (if start > 0 { "… " } else { "" }, if end < part.len() { " …" } else { "" });
        format!("{left}{}{right}", &part[..end])
    }

    fn finish(mut self, note: &str) -> Answer {
        let (lines, files) = (self.lines, self.files.len());
        let end = if self.full {
            format!(
                "[the first {lines} lines, in {files} files; there are more: narrow the pattern, the folder or the files]\n"
            )
        } else if lines == 0 {
            "[nothing matches; files that git ignores are not searched unless they are named]\n"
                .to_owned()
        } else {
            format!("[{lines} lines in {files} files]\n")
        };
        self.text.push_str(&end);
        if self.unread > 0 {
            self.text.push_str(&format!("[{} files could not be read]\n", self.unread));
        }
        self.text.push_str(note);
        Answer { text: self.text, touched: self.files, ..Answer::default() }
    }
}
