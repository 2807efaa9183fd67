//! Titles as names of files, and as one line.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Longest name of a file in graphemes, without its ending.
const MAX_GRAPHEMES: usize = 80;
/// Longest name in bytes: file systems stop at 255, and a Hangul grapheme has three or more.
const MAX_BYTES: usize = 200;
/// Longest title that an import takes over, in graphemes.
const MAX_TITLE: usize = 200;

/// Names that Windows keeps for devices, with any ending.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name for a file that every system takes: no separators, control or direction marks, no device name, not hidden.
pub fn file_name(title: &str, ending: &str) -> String {
    let spaced: String = title
        .nfc()
        .map(|c| match c {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => ' ',
            c => c,
        })
        .collect();
    let line = one_line(&spaced);
    let mut name = String::new();
    for grapheme in
        line.trim_start_matches(['.', ' ', '-', '~']).graphemes(true).take(MAX_GRAPHEMES)
    {
        if name.len() + grapheme.len() > MAX_BYTES {
            break;
        }
        name.push_str(grapheme);
    }
    let name = name.trim_end_matches(['.', ' ']);
    if name.is_empty() {
        format!("conversation.{ending}")
    } else if is_reserved(name) {
        format!("_{name}.{ending}")
    } else {
        format!("{name}.{ending}")
    }
}

/// The same without line breaks, control and direction marks and doubled blanks, not too long.
pub(super) fn one_line(title: &str) -> String {
    let visible: String = title
        .chars()
        .filter(|c| !is_direction_mark(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    words.graphemes(true).take(MAX_TITLE).collect()
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
    };
    RESERVED.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("포트는 어디에 있나요?", "포트는 어디에 있나요.md")]
    #[case("../../etc/passwd", "etc passwd.md")]
    #[case("C:\\Windows\\System32", "C Windows System32.md")]
    #[case("a\u{202E}gpj.exe\n\0", "agpj.exe.md")]
    #[case("nul", "_nul.md")]
    #[case("COM3.log", "_COM3.log.md")]
    #[case("computer", "computer.md")]
    #[case(" . . ", "conversation.md")]
    #[case("", "conversation.md")]
    #[case("-rf", "rf.md")]
    fn names_are_safe_on_every_system(#[case] title: &str, #[case] name: &str) {
        assert_eq!(file_name(title, "md"), name);
    }

    #[test]
    fn long_names_end_at_a_grapheme_within_the_limits() {
        let latin = file_name(&"e\u{301}".repeat(500), "json");
        assert_eq!(latin.graphemes(true).count(), MAX_GRAPHEMES + 5);
        let jamo = file_name(&"한글 이름".repeat(80), "jsonl");
        assert!(jamo.len() <= MAX_BYTES + 6, "{}", jamo.len());
        assert!(jamo.trim_end_matches(".jsonl").chars().all(|c| "한글 이름".contains(c)));
    }
}
