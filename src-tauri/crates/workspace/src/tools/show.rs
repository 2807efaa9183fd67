//! Reading a file, piece by piece. A piece is never longer than what a request takes whole.

use std::io::{self, BufRead, BufReader, Read};

use cap_std::fs::{File, Metadata};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use siltstone_engine::tool::output::WHOLE_BYTES;
use siltstone_engine::tool::{Answer, ToolError};

use super::site::{Found, Site};
use super::{refused, shown, system};
use crate::read::{self, MAX_BYTES, Refused};
use crate::text;

/// Bytes of a piece, its last line not counted.
const PIECE_BYTES: usize = WHOLE_BYTES - 400;

/// Most lines of a piece where the call does not say.
const USUAL_LINES: u64 = 2_000;

/// Bytes of one line that are shown.
const LINE_BYTES: usize = 2_000;

/// Bytes by which the encoding of a file is known that is not decoded whole.
const SAMPLE_BYTES: u64 = 64 * 1024;

/// Beginnings of files that are not text, or not meant to be read as text.
const KINDS: [(&[u8], &str); 9] = [
    (b"\x89PNG\r\n\x1a\n", "a picture (image/png)"),
    (b"\xFF\xD8\xFF", "a picture (image/jpeg)"),
    (b"GIF87a", "a picture (image/gif)"),
    (b"GIF89a", "a picture (image/gif)"),
    (b"%PDF-", "a PDF (application/pdf)"),
    (b"PK\x03\x04", "an archive (application/zip)"),
    (b"\x1F\x8B", "an archive (application/gzip)"),
    (b"\x7FELF", "a program"),
    (b"SQLite format 3\0", "a database (application/vnd.sqlite3)"),
];

/// Lines of a file with their numbers.
pub(super) fn show(
    site: &Site,
    path: &str,
    offset: u64,
    limit: Option<u64>,
    go_on: &dyn Fn() -> bool,
) -> Result<Answer, ToolError> {
    let (Found::File(file, metadata), real) = site.find(path)? else {
        return Err(refused(format!("{} is a folder. List it.", shown(path))));
    };
    let mut page = Page::new(offset, limit);
    let encoding = if metadata.len() > MAX_BYTES {
        flow(file, &mut page, go_on)
    } else {
        whole(file, &metadata, &mut page)
    };
    let text = match encoding {
        Ok(encoding) => page.finish(encoding),
        Err(Unread::Kind(kind)) => {
            let (name, bytes) = (shown(path), metadata.len());
            format!("[{name} is {kind} of {bytes} bytes and not text. It is not shown.]\n")
        }
        Err(Unread::Stopped) => return Err(ToolError::Stopped),
        Err(Unread::Io(error)) => return Err(system(&shown(path), &error)),
    };
    Ok(Answer { text, touched: vec![real], ..Answer::default() })
}

/// Why there is no text.
enum Unread {
    Kind(&'static str),
    Stopped,
    Io(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What a file is that is not text.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("a picture (image/webp)");
    }
    KINDS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, kind)| *kind)
}

fn whole(file: File, metadata: &Metadata, page: &mut Page) -> Result<&'static Encoding, Unread> {
    let bytes = read::at_most(file, metadata, MAX_BYTES).map_err(|why| match why {
        Refused::Io(error) => Unread::Io(error),
        Refused::NotRegular | Refused::TooLarge { .. } => {
            Unread::Io(io::Error::other("the file grows while it is read"))
        }
    })?;
    if let Some(kind) = kind_of(&bytes) {
        return Err(Unread::Kind(kind));
    }
    let (encoding, _) = text::encoding_of(&bytes);
    let text = text::decode(bytes).ok_or(Unread::Kind("a binary file"))?;
    for line in text.lines() {
        page.add(line, line.len());
    }
    Ok(encoding)
}

/// Goes through a file that is too large to be held, and holds the lines that are wanted.
fn flow(
    mut file: File,
    page: &mut Page,
    go_on: &dyn Fn() -> bool,
) -> Result<&'static Encoding, Unread> {
    let mut sample = Vec::new();
    Read::by_ref(&mut file).take(SAMPLE_BYTES).read_to_end(&mut sample)?;
    if let Some(kind) = kind_of(&sample) {
        return Err(Unread::Kind(kind));
    }
    // A letter may have been cut in two at the end.
    let lines = sample.iter().rposition(|byte| *byte == b'\n').map_or(sample.len(), |at| at + 1);
    let (encoding, _) = text::encoding_of(&sample[..lines]);
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return Err(Unread::Kind("a text in UTF-16 that is too large to be read"));
    }
    if sample.contains(&0) {
        return Err(Unread::Kind("a binary file"));
    }
    let mut start = io::Cursor::new(sample);
    if start.get_ref().starts_with(b"\xEF\xBB\xBF") {
        start.set_position(3);
    }
    let mut input = BufReader::with_capacity(1 << 16, start.chain(file));
    let (mut line, mut length, mut pending) = (Vec::new(), 0_usize, false);
    loop {
        if !go_on() {
            return Err(Unread::Stopped);
        }
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let wanted = page.wants();
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        if wanted {
            let room = (LINE_BYTES + 8).saturating_sub(line.len()).min(part.len());
            line.extend_from_slice(&part[..room]);
        }
        length += part.len();
        pending = end.is_none();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            page.add_bytes(&line, length, encoding);
            line.clear();
            length = 0;
        }
    }
    if pending {
        page.add_bytes(&line, length, encoding);
    }
    Ok(encoding)
}

/// The lines that are shown.
struct Page {
    offset: u64,
    most: u64,
    text: String,
    /// Lines that are shown.
    shown: u64,
    /// Lines that were met.
    lines: u64,
    full: bool,
}

impl Page {
    fn new(offset: u64, limit: Option<u64>) -> Self {
        let most = limit.unwrap_or(USUAL_LINES).max(1);
        let offset = offset.max(1);
        Self { offset, most, text: String::new(), shown: 0, lines: 0, full: false }
    }

    /// Whether the next line is shown if there is room for it.
    fn wants(&self) -> bool {
        self.lines + 1 >= self.offset && self.shown < self.most && !self.full
    }

    fn add_bytes(&mut self, line: &[u8], length: usize, encoding: &'static Encoding) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let decoded = if self.wants() {
            encoding.decode_without_bom_handling(line).0
        } else {
            Default::default()
        };
        self.add(&decoded, length);
    }

    /// Takes a line, which may be longer than what is given of it.
    fn add(&mut self, line: &str, length: usize) {
        if self.wants() {
            let head = &line[..line.floor_char_boundary(LINE_BYTES)];
            let number = self.lines + 1;
            let row = if head.len() < line.len() {
                let more = length.saturating_sub(head.len());
                format!("{number:>6}\t{head} [… {more} more bytes in this line]\n")
            } else {
                format!("{number:>6}\t{head}\n")
            };
            self.full = self.shown > 0 && self.text.len() + row.len() > PIECE_BYTES;
            if !self.full {
                self.text.push_str(&row);
                self.shown += 1;
            }
        }
        self.lines += 1;
    }

    fn finish(mut self, encoding: &'static Encoding) -> String {
        let Self { offset, shown, lines, .. } = self;
        let how =
            if encoding == UTF_8 { String::new() } else { format!(", in {}", encoding.name()) };
        let last = offset.saturating_add(shown).saturating_sub(1);
        let note = if lines == 0 {
            "[the file is empty]".to_owned()
        } else if shown == 0 {
            format!("[there is no line {offset}: the file has {lines}{how}]")
        } else if last < lines {
            let next = last + 1;
            format!("[lines {offset} to {last} of {lines}{how}; read on with offset {next}]")
        } else {
            format!("[lines {offset} to {last} of {lines}{how}; the end]")
        };
        self.text.push_str(&note);
        self.text.push('\n');
        self.text
    }
}
