//! Decoding: from a file's bytes to text. Called after a file is opened.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EUC_KR, Encoding, UTF_8};

/// The text of these bytes without a byte order mark, or `None` if they are not text.
///
/// UTF-8 where the bytes allow it, UTF-16 where they say so, else the most likely of the older encodings.
pub fn decode(bytes: Vec<u8>) -> Option<String> {
    if let Some((encoding, mark)) = Encoding::for_bom(&bytes)
        && encoding != UTF_8
    {
        return whole(encoding, &bytes[mark..]);
    }
    // No text holds a zero byte in any of the remaining encodings; almost every other file does.
    if bytes.contains(&0) {
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(match text.strip_prefix('\u{FEFF}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }),
        Err(error) => {
            let bytes = error.into_bytes();
            whole(likely(&bytes), &bytes)
        }
    }
}

/// The encoding that `decode` takes for these bytes, and whether they begin with its mark.
pub fn encoding_of(bytes: &[u8]) -> (&'static Encoding, bool) {
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) => (encoding, true),
        None if std::str::from_utf8(bytes).is_ok() => (UTF_8, false),
        None => (likely(bytes), false),
    }
}

/// The most likely of the older encodings.
fn likely(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    // A few Hangul syllables in CP949 look like letters of many alphabets; letters of those hardly ever come in pairs
    // that are all Hangul.
    let hangul = |text: String| text.chars().all(|c| c.is_ascii() || matches!(c, '가'..='힣'));
    if guess.is_single_byte() && whole(EUC_KR, bytes).is_some_and(hangul) {
        return EUC_KR;
    }
    guess
}

/// The text if every byte of it is valid in this encoding and none is a zero.
fn whole(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .filter(|text| !text.contains('\0'))
        .map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use rstest::rstest;

    const KOREAN: &str =
        "# 오로라 API\n\n포트는 5433번이고, 갱신 경로는 절대로 바꾸지 않습니다. 펲시\n";

    #[rstest]
    #[case(EUC_KR, KOREAN)]
    #[case(EUC_KR, "# notes\n똠방각하\n")]
    #[case(EUC_KR, "한글")]
    #[case(WINDOWS_1251, "Настройки лежат здесь.")]
    #[case(WINDOWS_1252, "Le café n'est pas fermé. Déjà vu.\n")]
    #[case(SHIFT_JIS, "設定ファイルを読み込みます。ポートは五千です。\n")]
    fn older_encodings_are_recognised(#[case] encoding: &'static Encoding, #[case] text: &str) {
        let (bytes, _, lossy) = encoding.encode(text);
        assert!(!lossy);
        assert!(String::from_utf8(bytes.to_vec()).is_err());
        assert_eq!(decode(bytes.into_owned()).as_deref(), Some(text));
    }

    #[rstest]
    #[case(KOREAN.as_bytes().to_vec(), Some(KOREAN))]
    #[case([b"\xEF\xBB\xBF", KOREAN.as_bytes()].concat(), Some(KOREAN))]
    #[case(utf16(KOREAN, u16::to_le_bytes), Some(KOREAN))]
    #[case(utf16(KOREAN, u16::to_be_bytes), Some(KOREAN))]
    #[case(Vec::new(), Some(""))]
    #[case(b"\x7FELF\x02\x01\x01\0\0".to_vec(), None)]
    #[case(b"\xFF\xFE\x00\xD8".to_vec(), None)]
    fn unicode_is_read_and_what_is_not_text_is_not(
        #[case] bytes: Vec<u8>,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(decode(bytes).as_deref(), expected);
    }

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(order).collect()
    }
}
