//! Pictures, PDF files and pasted texts that go with a message: what may be attached, under which name, and about how many
//! tokens it costs. What a file is decides its first bytes, never its name. The bytes themselves are kept by the store.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::message::Part;
use crate::tokens;

/// Most bytes of one picture or file.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;

/// Longest name in characters.
const NAME: usize = 200;

/// Pixels of a picture a token; providers make larger pictures smaller before their models see them.
const PIXELS_A_TOKEN: usize = 750;
/// What a picture costs at most, so made smaller.
const PICTURE_TOKENS: usize = 1_600;

/// Tokens of a page, which goes as text and as a picture.
const PAGE_TOKENS: u64 = 1_500;
/// Bytes of a page where a file does not show its pages.
const PAGE_BYTES: usize = 64 * 1024;
/// The mark of a PDF file may stand behind other bytes, but not far.
const PDF_MARK_WITHIN: usize = 1_024;

/// Bytes with what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// For example `image/png`.
    pub media_type: String,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

/// Why something cannot be attached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    /// Neither a picture nor a file that models read.
    #[error("{name} is no PNG, JPEG, GIF or WebP picture and no PDF file")]
    Unsupported {
        /// The name it came with.
        name: String,
    },
    /// Longer than [`MAX_BYTES`].
    #[error("{name} has more than {MAX_BYTES} bytes")]
    TooLarge {
        /// The name it came with.
        name: String,
    },
}

/// The part of a message that names these bytes.
pub fn part_of(name: &str, bytes: &[u8]) -> Result<Part, AttachError> {
    let name = plain_name(name);
    if bytes.len() > MAX_BYTES {
        return Err(AttachError::TooLarge { name });
    }
    let hash = blake3::hash(bytes).to_hex().to_string();
    let Some(media_type) = media_type(bytes) else {
        return Err(AttachError::Unsupported { name });
    };
    let named = media_type.to_owned();
    Ok(match media_type {
        PDF => Part::File { hash, media_type: named, name, tokens: pdf_tokens(bytes) },
        _ => Part::Image { hash, media_type: named, name, tokens: picture_tokens(bytes) },
    })
}

/// The part of a draft that names a pasted text.
pub fn pasted(text: &[u8]) -> Result<Part, AttachError> {
    let name = || String::from("the pasted text");
    if text.len() > MAX_BYTES {
        return Err(AttachError::TooLarge { name: name() });
    }
    let hash = blake3::hash(text).to_hex().to_string();
    let text = str::from_utf8(text).map_err(|_| AttachError::Unsupported { name: name() })?;
    let (lines, tokens) = (text.lines().count() as u64, tokens::estimate(text));
    Ok(Part::Pasted { hash, lines, tokens, text: String::new() })
}

/// Bytes as text for JSON.
pub fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Bytes from such text; `None` if it is none.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

const PDF: &str = "application/pdf";

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => {
            let head = bytes.get(..PDF_MARK_WITHIN).unwrap_or(bytes);
            head.windows(5).any(|window| window == b"%PDF-").then_some(PDF)
        }
    }
}

/// A picture that does not say its size is taken to be a large one.
fn picture_tokens(bytes: &[u8]) -> u64 {
    let tokens = imagesize::blob_size(bytes).map_or(PICTURE_TOKENS, |size| {
        size.width.saturating_mul(size.height).div_ceil(PIXELS_A_TOKEN)
    });
    tokens.clamp(1, PICTURE_TOKENS) as u64
}

fn pdf_tokens(bytes: &[u8]) -> u64 {
    let pages = match page_objects(bytes) {
        // The objects are compressed.
        0 => bytes.len().div_ceil(PAGE_BYTES),
        pages => pages,
    };
    PAGE_TOKENS * pages as u64
}

/// How often the bytes say `/Type /Page`, with any blanks between and nothing that makes it a longer name.
fn page_objects(bytes: &[u8]) -> usize {
    let mut pages = 0;
    let mut rest = bytes;
    while let Some(at) = rest.windows(5).position(|window| window == b"/Type") {
        rest = rest.get(at + 5..).unwrap_or_default().trim_ascii_start();
        let after = rest.strip_prefix(b"/Page");
        let is_page =
            after.is_some_and(|after| !after.first().is_some_and(u8::is_ascii_alphanumeric));
        pages += usize::from(is_page);
    }
    pages
}

/// The last piece of a path, on one line.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control()).take(NAME).collect();
    match plain.trim() {
        "" => String::from("attachment"),
        plain => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 2, 0, 0, 0]);
        bytes
    }

    #[rstest]
    #[case(&png(300, 250), "image/png", 100)]
    #[case(&png(1, 1), "image/png", 1)]
    #[case(&png(20_000, 20_000), "image/png", 1_600)]
    #[case(b"\x89PNG\r\n\x1a\n", "image/png", 1_600)]
    #[case(b"GIF89a\x2c\x01\xfa\0\0\0\0", "image/gif", 100)]
    #[case(
        b"%PDF-1.4 <</Type/Pages/Count 2>> <</Type /Page>> <</Type\n/Page/X>> <</Type /PageLabel>>",
        "application/pdf",
        3_000
    )]
    #[case(b"junk before\n%PDF-1.7 compressed", "application/pdf", 1_500)]
    fn the_first_bytes_say_what_it_is_and_what_it_costs(
        #[case] bytes: &[u8],
        #[case] expected: &str,
        #[case] cost: u64,
    ) {
        // The name lies on purpose.
        let part = part_of("C:\\x/../some\nname.txt ", bytes).unwrap();
        assert_eq!(part.attached_tokens(), cost);
        let (Part::Image { hash, media_type, name, .. }
        | Part::File { hash, media_type, name, .. }) = &part
        else {
            panic!("{part:?}")
        };
        assert_eq!((media_type.as_str(), name.as_str()), (expected, "somename.txt"));
        assert_eq!(hash.len(), 64);
        assert_eq!(matches!(part, Part::File { .. }), expected == PDF);
    }

    #[rstest]
    #[case(b"")]
    #[case(b"<svg xmlns='http://www.w3.org/2000/svg'/>")]
    #[case(b"PK\x03\x04 a document")]
    #[case(b"MZ\x90 a program")]
    fn what_models_do_not_read_is_refused(#[case] bytes: &[u8]) {
        let refused = AttachError::Unsupported { name: "picture.png".into() };
        assert_eq!(part_of("picture.png", bytes), Err(refused));
    }

    #[test]
    fn a_pasted_text_is_told_by_its_lines_and_kept_beside_the_draft() {
        let part = pasted("one\ntwo\nthree".as_bytes()).unwrap();
        assert!(
            matches!(&part, Part::Pasted { lines: 3, tokens: 1.., text, .. } if text.is_empty())
        );
        assert_eq!(part.attached_hash().map(str::len), Some(64));
        assert!(matches!(pasted(b"\xFF"), Err(AttachError::Unsupported { .. })));
        assert!(matches!(pasted(&vec![b'a'; MAX_BYTES + 1]), Err(AttachError::TooLarge { .. })));
    }

    #[test]
    fn what_is_too_large_is_refused_by_its_size() {
        let mut bytes = png(1, 1);
        bytes.resize(MAX_BYTES + 1, 0);
        assert_eq!(part_of("p", &bytes), Err(AttachError::TooLarge { name: "p".into() }));
        bytes.pop();
        assert!(part_of("p", &bytes).is_ok());
    }
}
