//! How a text file is written on disk, kept aside while its text is edited. Called when a document is opened and saved.

use std::collections::{HashMap, VecDeque};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::text;

/// What an editor does not show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    encoding: &'static Encoding,
    mark: bool,
    crlf: bool,
    /// Whether the last line ends.
    ends: bool,
}

impl Default for Form {
    /// Of a new file.
    fn default() -> Self {
        Self { encoding: UTF_8, mark: false, crlf: false, ends: true }
    }
}

impl Form {
    /// The form of a file and its text with `\n`; `None` if it is not text.
    pub(crate) fn of(bytes: &[u8]) -> Option<(Self, String)> {
        let (encoding, mark) = text::encoding_of(bytes);
        let text = text::decode(bytes.to_vec())?;
        if text.is_empty() {
            return Some((Self { encoding, mark, ..Self::default() }, text));
        }
        let pairs = text.matches("\r\n").count();
        // Where both are found, a new line ends as most do.
        let crlf = pairs * 2 > text.matches('\n').count();
        let form = Self { encoding, mark, crlf, ends: text.ends_with('\n') };
        Some((form, text.replace("\r\n", "\n")))
    }

    /// The bytes of a text in place of `old`, whose text is `shown`; `None` where the encoding has no such characters.
    ///
    /// A line that was there before keeps its own bytes: its own ending, where both kinds are found, and its own codes,
    /// where an encoding has two for one letter.
    pub(crate) fn bytes(self, old: &[u8], shown: &str, text: &str) -> Option<Vec<u8>> {
        let mut text = text.replace("\r\n", "\n");
        if self.ends && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        } else if !self.ends && text.ends_with('\n') {
            text.pop();
        }
        let (mark, old) = old.split_at(if self.mark { self.encode("\u{FEFF}")?.len() } else { 0 });
        let raw = self.lines(old);
        let before: Vec<&str> = shown.split_inclusive('\n').collect();
        let after: Vec<&str> = text.split_inclusive('\n').collect();
        let equal = |(a, b): &(&&str, &&str)| a == b;
        let start = before.iter().zip(&after).take_while(equal).count();
        let ends = before[start..].iter().rev().zip(after[start..].iter().rev());
        let end = ends.take_while(equal).count();
        let mut moved: HashMap<&str, VecDeque<&[u8]>> = HashMap::new();
        let middle = start..before.len() - end;
        let bytes_of = raw.get(middle.clone()).unwrap_or_default();
        for (line, bytes) in before[middle].iter().zip(bytes_of) {
            moved.entry(line).or_default().push_back(bytes);
        }
        let mut bytes = mark.to_vec();
        for (at, line) in after.iter().enumerate() {
            let own = if at < start {
                raw.get(at).copied()
            } else if at >= after.len() - end {
                raw.get(at + before.len() - after.len()).copied()
            } else {
                moved.get_mut(line).and_then(VecDeque::pop_front)
            };
            let Some(own) = own else {
                // One that takes another's place ends as that one did.
                let other = raw.get(at).filter(|_| before.len() == after.len());
                let crlf = match other {
                    Some(other) => other.ends_with(&self.encode("\r\n")?),
                    None => self.crlf,
                };
                let ending = if crlf { "\r\n" } else { "\n" };
                bytes.extend(self.encode(&line.replace('\n', ending))?);
                continue;
            };
            bytes.extend(own);
        }
        Some(bytes)
    }

    /// The lines of a file, each with its ending.
    fn lines(self, bytes: &[u8]) -> Vec<&[u8]> {
        let end: &[u8] = match self.encoding {
            it if it == UTF_16LE => b"\n\0",
            it if it == UTF_16BE => b"\0\n",
            // In no other encoding is this byte a part of a letter.
            _ => b"\n",
        };
        let mut lines = Vec::new();
        let mut from = 0;
        for (at, unit) in bytes.chunks(end.len()).enumerate() {
            if unit == end {
                lines.push(&bytes[from..(at + 1) * end.len()]);
                from = (at + 1) * end.len();
            }
        }
        lines.extend(bytes.get(from..).filter(|last| !last.is_empty()));
        lines
    }

    fn encode(self, text: &str) -> Option<Vec<u8>> {
        if self.encoding == UTF_16LE {
            return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let (bytes, _, lossy) = self.encoding.encode(text);
        (!lossy).then(|| bytes.into_owned())
    }

    /// What the encoding is called.
    pub(crate) fn encoding(self) -> &'static str {
        self.encoding.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::EUC_KR;
    use rstest::rstest;

    fn rewritten(before: &[u8], text: &str) -> Option<Vec<u8>> {
        let (form, shown) = Form::of(before).unwrap();
        form.bytes(before, &shown, text)
    }

    #[rstest]
    #[case(b"a\r\nb\r\n", "a\nB", b"a\r\nB\r\n")]
    #[case(b"a\nb", "a\nb\nc\n", b"a\nb\nc")]
    #[case::moved(b"a\nb\r\nc\r\nd\r\n", "b\nx\ny\na\nd\n", b"b\r\nx\r\ny\r\na\nd\r\n")]
    #[case(b"\xEF\xBB\xBFa\n", "b\n", b"\xEF\xBB\xBFb\n")]
    #[case(b"\xFF\xFEa\0\r\0\n\0", "b\n", b"\xFF\xFEb\0\r\0\n\0")]
    #[case(b"", "a", b"a\n")]
    fn what_an_editor_does_not_show_stays(
        #[case] before: &[u8],
        #[case] text: &str,
        #[case] after: &[u8],
    ) {
        assert_eq!(rewritten(before, text).unwrap(), after);
    }

    #[test]
    fn an_older_encoding_is_kept_or_refused() {
        let (bytes, _, _) = EUC_KR.encode("규칙: 절대로 바꾸지 않습니다.\n");
        let changed = rewritten(&bytes, "규칙: 절대로 바꾸지 않습니다.\n꼭.\n").unwrap();
        assert_eq!(changed, [&bytes, b"\xB2\xC0.\n".as_slice()].concat());
        assert_eq!(rewritten(&bytes, "규칙 🙂\n"), None);
    }
}
