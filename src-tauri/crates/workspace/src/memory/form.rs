//! How a text file is written on disk, kept aside while its text is edited. Called when a document is opened and saved.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::text;

/// What an editor does not show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
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
    pub(super) fn of(bytes: &[u8]) -> Option<(Self, String)> {
        let (encoding, mark) = text::encoding_of(bytes);
        let text = text::decode(bytes.to_vec())?;
        if text.is_empty() {
            return Some((Self { encoding, mark, ..Self::default() }, text));
        }
        let pairs = text.matches("\r\n").count();
        // Where both are found, the ending of most lines becomes that of all when the text is changed.
        let crlf = pairs * 2 > text.matches('\n').count();
        let form = Self { encoding, mark, crlf, ends: text.ends_with('\n') };
        Some((form, text.replace("\r\n", "\n")))
    }

    /// The bytes of a text; `None` where the encoding has no such characters.
    pub(super) fn bytes(self, text: &str) -> Option<Vec<u8>> {
        let mut text = text.replace("\r\n", "\n");
        if self.ends && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        } else if !self.ends && text.ends_with('\n') {
            text.pop();
        }
        if self.crlf {
            text = text.replace('\n', "\r\n");
        }
        if self.mark {
            text.insert(0, '\u{FEFF}');
        }
        if self.encoding == UTF_16LE {
            return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let (bytes, _, lossy) = self.encoding.encode(&text);
        (!lossy).then(|| bytes.into_owned())
    }

    /// What the encoding is called.
    pub(super) fn encoding(self) -> &'static str {
        self.encoding.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::EUC_KR;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case(b"a\r\nb\r\n", "a\nB", b"a\r\nB\r\n")]
    #[case(b"a\nb", "a\nb\nc\n", b"a\nb\nc")]
    #[case(b"\xEF\xBB\xBFa\n", "b\n", b"\xEF\xBB\xBFb\n")]
    #[case(b"\xFF\xFEa\0\r\0\n\0", "b\n", b"\xFF\xFEb\0\r\0\n\0")]
    #[case(b"", "a", b"a\n")]
    fn what_an_editor_does_not_show_stays(
        #[case] before: &[u8],
        #[case] text: &str,
        #[case] after: &[u8],
    ) {
        let (form, _) = Form::of(before).unwrap();
        assert_eq!(form.bytes(text).unwrap(), after);
    }

    #[test]
    fn an_older_encoding_is_kept_or_refused() {
        let (bytes, _, _) = EUC_KR.encode("규칙: 절대로 바꾸지 않습니다.\n");
        let (form, text) = Form::of(&bytes).unwrap();
        assert_eq!(form.bytes(&text).unwrap(), bytes.as_ref());
        assert_eq!(form.bytes("규칙 🙂\n"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn an_unchanged_text_is_written_as_it_was(
            lines in proptest::collection::vec("[a-z가-힣 ]{0,12}", 0..8),
            (crlf, ends, mark) in any::<(bool, bool, bool)>(),
        ) {
            let ending = if crlf { "\r\n" } else { "\n" };
            let mut text = lines.join(ending);
            if ends && !text.is_empty() {
                text.push_str(ending);
            }
            if mark {
                text.insert(0, '\u{FEFF}');
            }
            let (form, shown) = Form::of(text.as_bytes()).unwrap();
            prop_assert_eq!(form.bytes(&shown).unwrap(), text.as_bytes());
        }
    }
}
