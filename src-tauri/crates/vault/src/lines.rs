//! Lines of JSON out of a file of any size: one at a time, and none that would take more room than it may.

use std::io::{self, BufRead, BufReader, Read};

use serde_json::{Map, Value};
use siltstone_engine::ports::StoreError;

/// Longest line that is read. Agents write pictures into lines, in base64 and sometimes twice.
pub(crate) const MAX_LINE: usize = 32 << 20;

/// Most signs of structure in a line: each value takes some thirty bytes in memory, however short it is written.
const MAX_SIGNS: usize = 2_000_000;

/// What a line is.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    /// An object.
    Record(Map<String, Value>),
    /// No object, no text, too long, or too much in it.
    Unreadable,
    /// The last line, which is not whole.
    Cut,
}

/// The lines of a file that are not empty.
pub(crate) struct Lines<'a> {
    from: BufReader<&'a mut dyn Read>,
    line: Vec<u8>,
    /// Whether reading itself found the end early: what was decompressed is cut off or damaged.
    pub(crate) is_broken: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(bytes: &'a mut dyn Read) -> Self {
        let from = BufReader::with_capacity(1 << 16, bytes);
        Self { from, line: Vec::new(), is_broken: false }
    }

    /// The next one. Fails only where what is kept cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            self.line.clear();
            let Some((is_whole, is_short)) = self.fill()? else { return Ok(None) };
            if self.line.iter().all(u8::is_ascii_whitespace) && is_short {
                continue;
            }
            let record = if is_short { record(&self.line) } else { None };
            return Ok(Some(match (record, is_whole) {
                (Some(record), _) => Line::Record(record),
                (None, true) => Line::Unreadable,
                (None, false) => Line::Cut,
            }));
        }
    }

    /// Reads up to the next end of a line: whether there was one, and whether all of the line was kept.
    fn fill(&mut self) -> io::Result<Option<(bool, bool)>> {
        let (mut any, mut is_short) = (false, true);
        loop {
            let found = match self.from.fill_buf() {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_of_store(&error) => return Err(error),
                Err(_) => {
                    self.is_broken = true;
                    return Ok(any.then_some((false, is_short)));
                }
            };
            if found.is_empty() {
                return Ok(any.then_some((false, is_short)));
            }
            any = true;
            let end = found.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(found.len());
            is_short &= self.line.len() + taken <= MAX_LINE;
            if is_short {
                self.line.extend_from_slice(&found[..taken]);
            } else {
                self.line = Vec::new();
            }
            let consumed = taken + usize::from(end.is_some());
            self.from.consume(consumed);
            if end.is_some() {
                return Ok(Some((true, is_short)));
            }
        }
    }
}

fn is_of_store(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<StoreError>())
}

/// The object that a text is.
pub(crate) fn record(text: &[u8]) -> Option<Map<String, Value>> {
    match value(text) {
        Some(Value::Object(record)) => Some(record),
        _ => None,
    }
}

fn value(text: &[u8]) -> Option<Value> {
    let signs = text.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if signs > MAX_SIGNS {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// A whole file that is one value; `None` where it is none, or longer than a line may be.
pub(crate) fn whole_value(bytes: &mut dyn Read) -> io::Result<Option<Value>> {
    Ok(whole_text(bytes)?.and_then(|text| value_of(&text)))
}

/// A text that is no longer than a line may be.
pub(crate) fn whole_text(bytes: &mut dyn Read) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    bytes.take(MAX_LINE as u64 + 1).read_to_end(&mut text)?;
    Ok((text.len() <= MAX_LINE).then_some(text))
}

/// What a text of JSON says. All of it would be lost for one letter that was cut through.
pub(crate) fn value_of(text: &[u8]) -> Option<Value> {
    value(text).or_else(|| value(&mended(text)?))
}

/// A text of JSON with a sign in the place of each half of a letter, which programs that count in halves leave behind; `None`
/// where there is none.
fn mended(text: &[u8]) -> Option<Vec<u8>> {
    let half = |at: usize| -> Option<u16> {
        let digits = text.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut mended, mut at, mut any) = (Vec::with_capacity(text.len()), 0, false);
    while let Some(byte) = text.get(at) {
        let length = match (byte, half(at)) {
            (b'\\', Some(0xD800..=0xDBFF)) if matches!(half(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            (b'\\', Some(0xD800..=0xDFFF)) => {
                mended.extend_from_slice(b"\\ufffd");
                (at, any) = (at + 6, true);
                continue;
            }
            (b'\\', _) => 2,
            _ => 1,
        };
        let end = text.len().min(at + length);
        mended.extend_from_slice(&text[at..end]);
        at = end;
    }
    any.then_some(mended)
}

/// The same where it is an object.
pub(crate) fn whole(bytes: &mut dyn Read) -> io::Result<Option<Map<String, Value>>> {
    match whole_value(bytes)? {
        Some(Value::Object(record)) => Ok(Some(record)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<Option<u64>> {
        let mut bytes = text;
        let mut lines = Lines::of(&mut bytes);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Record(record) => record["n"].as_u64(),
                Line::Unreadable => None,
                Line::Cut => Some(99),
            });
        }
        found
    }

    #[test]
    fn every_line_is_an_object_unreadable_or_the_cut_end() {
        let text = b"{\"n\":1}\n\n[1]\nnull\n{\"n\":\xff}\n  \r\n{\"n\":2}\r\n{\"n\":3}";
        assert_eq!(all(text), [Some(1), None, None, None, Some(2), Some(3)]);
        assert_eq!(all(b"{\"n\":1}\n{\"n\""), [Some(1), Some(99)]);
        assert_eq!(all(b""), []);
    }

    #[test]
    fn halves_of_letters_in_a_whole_file_cost_themselves_alone() {
        let text = br#"{"a":"\ud83d\ude00 \ud83d","b":"\\ud83d \ude00\ud83d\n"}"#;
        let said = whole(&mut &text[..]).unwrap().unwrap();
        assert_eq!(said["a"], "\u{1F600} \u{FFFD}");
        assert_eq!(said["b"], "\\ud83d \u{FFFD}\u{FFFD}\n");
        assert_eq!(whole(&mut &br#"{"a":"\ud83"#[..]).unwrap(), None);
        assert_eq!(whole(&mut &b"{\"a\":\""[..]).unwrap(), None);
    }

    #[test]
    fn a_line_that_is_too_long_or_too_full_is_passed_over_and_the_next_one_read() {
        let long = [vec![b'x'; MAX_LINE + 1], b"\n{\"n\":1}\n".to_vec()].concat();
        assert_eq!(all(&long), [None, Some(1)]);
        let full = [b"{\"n\":[".to_vec(), b"0,".repeat(MAX_SIGNS), b"0]}\n{\"n\":1}\n".to_vec()];
        assert_eq!(all(&full.concat()), [None, Some(1)]);
        let deep = [b"{\"n\":".to_vec(), b"[".repeat(100_000), b"\n{\"n\":1}\n".to_vec()].concat();
        assert_eq!(all(&deep), [None, Some(1)]);
    }
}
