//! A text file's bytes, kept while its text is changed: encoding, mark and line ends stay, and so does every byte
//! outside of what is replaced. Called when a change is planned and when it is carried out.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::text;

/// A text file, understood.
pub(super) struct Written<'a> {
    bytes: &'a [u8],
    encoding: &'static Encoding,
    /// Bytes of its mark.
    mark: usize,
    /// As it is written.
    raw: String,
    /// With `\n` at the end of every line.
    pub text: String,
    /// Where in `text` a `\n` stands that is written as `\r\n`.
    pairs: Vec<usize>,
}

/// A text that cannot be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unwritable {
    /// The encoding that lacks some of its letters.
    pub encoding: &'static str,
}

impl<'a> Written<'a> {
    /// `None` if it is not text.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let (encoding, is_marked) = text::encoding_of(bytes);
        if encoding == UTF_8 && std::str::from_utf8(bytes).is_err() {
            return None;
        }
        let raw = text::decode(bytes.to_vec())?;
        let mark = match (is_marked, encoding == UTF_8) {
            (false, _) => 0,
            (true, true) => 3,
            (true, false) => 2,
        };
        let mut pairs = Vec::new();
        let mut text = String::with_capacity(raw.len());
        for line in raw.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(line) => {
                    text.push_str(line);
                    pairs.push(text.len());
                    text.push('\n');
                }
                None => text.push_str(line),
            }
        }
        Some(Self { bytes, encoding, mark, raw, text, pairs })
    }

    /// The bytes with another text in the place of each of these ranges of `text`, which are in order.
    pub(super) fn replaced(
        &self,
        ranges: &[Range<usize>],
        new: &str,
    ) -> Result<Vec<u8>, Unwritable> {
        let raw = |at: usize| at + self.pairs.partition_point(|pair| *pair < at);
        let bounds: Vec<usize> =
            ranges.iter().flat_map(|range| [raw(range.start), raw(range.end)]).collect();
        let bounds = self.offsets(&bounds).ok_or(self.unwritable())?;
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut from = 0;
        for (range, bound) in ranges.iter().zip(bounds.chunks_exact(2)) {
            let &[start, end] = bound else { continue };
            bytes.extend_from_slice(self.bytes.get(from..start).unwrap_or_default());
            bytes.extend(self.encode(new, self.is_paired(range))?);
            from = end;
        }
        bytes.extend_from_slice(self.bytes.get(from..).unwrap_or_default());
        Ok(bytes)
    }

    /// The bytes of another text in place of all of it.
    pub(super) fn with(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        let mut bytes = self.bytes[..self.mark].to_vec();
        bytes.extend(self.encode(text, self.is_paired(&(0..self.text.len())))?);
        Ok(bytes)
    }

    /// Whether lines of a range end with `\r\n`; where none ends there, whether most of the file do.
    fn is_paired(&self, range: &Range<usize>) -> bool {
        let of = |range: &Range<usize>| {
            let text = self.text.get(range.clone()).unwrap_or_default();
            let pairs = self.pairs.partition_point(|pair| *pair < range.end)
                - self.pairs.partition_point(|pair| *pair < range.start);
            (pairs, text.bytes().filter(|byte| *byte == b'\n').count())
        };
        let (pairs, lines) = match of(range) {
            (_, 0) => of(&(0..self.text.len())),
            found => found,
        };
        pairs * 2 > lines
    }

    /// Where these offsets of `raw`, which are in order, stand in the bytes.
    fn offsets(&self, wanted: &[usize]) -> Option<Vec<usize>> {
        if self.encoding == UTF_8 {
            return Some(wanted.iter().map(|at| at + self.mark).collect());
        }
        let mut offsets = Vec::with_capacity(wanted.len());
        if self.encoding == UTF_16LE || self.encoding == UTF_16BE {
            let (mut from, mut at) = (0, self.mark);
            for &to in wanted {
                at += 2 * self.raw.get(from..to)?.encode_utf16().count();
                from = to;
                offsets.push(at);
            }
            return Some(offsets);
        }
        // Some encodings have two codes for one letter, so the way back goes letter by letter.
        let mut decoder = self.encoding.new_decoder_without_bom_handling();
        let mut letter = String::with_capacity(16);
        let mut length = 0;
        let mut wanted = wanted.iter().copied().peekable();
        for at in 0..=self.bytes.len() {
            while wanted.next_if_eq(&length).is_some() {
                offsets.push(at);
            }
            let Some(byte) = self.bytes.get(at..=at) else { break };
            letter.clear();
            let _ = decoder.decode_to_string_without_replacement(byte, &mut letter, false);
            length += letter.len();
        }
        wanted.peek().is_none().then_some(offsets)
    }

    fn encode(&self, text: &str, is_paired: bool) -> Result<Vec<u8>, Unwritable> {
        let text = text.replace("\r\n", "\n");
        let text = if is_paired { text.replace('\n', "\r\n") } else { text };
        if self.encoding == UTF_16LE {
            return Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let (bytes, _, is_lossy) = self.encoding.encode(&text);
        if is_lossy { Err(self.unwritable()) } else { Ok(bytes.into_owned()) }
    }

    fn unwritable(&self) -> Unwritable {
        Unwritable { encoding: self.encoding.name() }
    }
}

/// What is really replaced where a text takes another's place: not what both begin and end with. Given as the bytes
/// that both have in the beginning, and in the end.
pub(super) fn common(old: &str, new: &str) -> (usize, usize) {
    let start: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(a, b)| a == b)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let end = old[start..]
        .chars()
        .rev()
        .zip(new[start..].chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::EUC_KR;
    use proptest::prelude::*;

    fn edited(bytes: &[u8], old: &str, new: &str) -> Result<Vec<u8>, Unwritable> {
        let written = Written::of(bytes).unwrap();
        let at = written.text.find(old).unwrap();
        written.replaced(std::slice::from_ref(&(at..at + old.len())), new)
    }

    #[test]
    fn an_older_encoding_stays_and_says_what_it_lacks() {
        let (bytes, _, _) = EUC_KR.encode("규칙: 절대로 바꾸지 않습니다.\n똠방각하\n");
        let (after, _, _) = EUC_KR.encode("규칙: 절대로 고치지 않습니다.\n똠방각하\n");
        assert_eq!(edited(&bytes, "바꾸지", "고치지").as_deref(), Ok(&*after));
        assert_eq!(edited(&bytes, "바꾸지", "🙂"), Err(Unwritable { encoding: "EUC-KR" }));
    }

    #[test]
    fn a_new_line_ends_as_those_around_it() {
        assert_eq!(edited(b"a\r\nb\nc\r\n", "a\n", "a\nx\n").unwrap(), b"a\r\nx\r\nb\nc\r\n");
        assert_eq!(edited(b"a\r\nb\nc\r\n", "b\n", "b\nx\n").unwrap(), b"a\r\nb\nx\nc\r\n");
        let written = Written::of(b"\xEF\xBB\xBFa\r\nb\r\n").unwrap();
        assert_eq!(written.with("x\ny\n").unwrap(), b"\xEF\xBB\xBFx\r\ny\r\n");
    }

    proptest! {
        #[test]
        fn no_byte_outside_of_what_is_replaced_changes(
            before in "[가-힣a-z \n]{0,40}",
            after in "[가-힣a-z \n]{0,40}",
            old in "[A-Z][가-힣A-Z\n]{0,10}",
            new in "[가-힣a-z\n]{0,12}",
            ends in prop::collection::vec(any::<bool>(), 120),
            how in 0..5_u8,
        ) {
            // Line ends of both kinds, mixed as it comes.
            let mut kinds = ends.into_iter().cycle();
            let mut mixed = |text: &str| -> String {
                text.chars().map(|c| match c {
                    '\n' if kinds.next() == Some(true) => "\r\n".to_owned(),
                    c => c.to_string(),
                }).collect()
            };
            let (a, b, c) = (mixed(&before), mixed(&old), mixed(&after));
            let bytes_of = |text: &str| -> Vec<u8> {
                match how {
                    0 | 1 => text.as_bytes().to_vec(),
                    2 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                    3 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                    _ => EUC_KR.encode(text).0.into_owned(),
                }
            };
            let mark: &[u8] = match how {
                1 => b"\xEF\xBB\xBF", 2 => b"\xFF\xFE", 3 => b"\xFE\xFF", _ => b"",
            };
            let head = [mark, &bytes_of(&a)].concat();
            let tail = bytes_of(&c);
            let whole = [head.clone(), bytes_of(&b), tail.clone()].concat();
            let written = Written::of(&whole).unwrap();
            // Few letters may be taken for another encoding (those of 짢 are a soft hyphen's in UTF-8); which one is not
            // what is tested.
            prop_assume!(how < 4 || written.encoding == EUC_KR || whole.is_ascii());
            let at = written.text.find(&old).unwrap();
            let range = at..at + old.len();
            let changed = match written.replaced(std::slice::from_ref(&range), &new) {
                Ok(changed) => changed,
                Err(_) => return Err(TestCaseError::reject("the encoding has no such letters")),
            };
            prop_assert!(changed.starts_with(&head) && changed.ends_with(&tail));
            let middle = &changed[head.len()..changed.len() - tail.len()];
            let ended = new.replace('\n', "\r\n");
            // A file of Latin letters alone is UTF-8, whatever would have been meant by another letter.
            let is_utf8 = written.encoding == UTF_8;
            let is_one = [&*new, &*ended].iter().any(|text| match is_utf8 {
                true => text.as_bytes() == middle,
                false => bytes_of(text) == middle,
            });
            prop_assert!(is_one, "{middle:?}");
        }
    }
}
