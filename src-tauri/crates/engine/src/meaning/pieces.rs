//! What one vector stands for: a stretch of a message, as recall cuts it, ranks it and shows it.

use crate::recall::cut;

/// Stretches of a message that have vectors, at most; what stands behind them is found by its words.
const MOST: usize = 64;

/// Characters of a draft of which the meaning is looked for.
const ASKED: usize = 1_000;

/// The pieces of a text by their numbers: its first stretches; none of a text of blanks.
pub fn pieces(text: &str) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    cut(text).into_iter().take(MOST).map(|it| text[it].trim()).collect()
}

/// What of a draft asks: its end, from the beginning of a stretch on where one begins there. What stands before it is
/// often quoted.
pub fn asking(text: &str) -> &str {
    let text = text.trim();
    let Some((near, _)) = text.char_indices().rev().nth(ASKED - 1) else { return text };
    let begins = cut(text).into_iter().map(|it| it.start).find(|start| *start >= near);
    &text[begins.unwrap_or(near)..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", &[])]
    #[case(" \n ", &[])]
    #[case("  한 문장이에요. ", &["한 문장이에요."])]
    fn a_short_text_is_one_piece(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(pieces(text), expected);
    }

    #[test]
    fn the_end_of_a_long_draft_asks() {
        let quoted = "이 기록에는 별것이 없어요. ".repeat(120);
        let text = format!("{quoted}\n\n배포는 언제 했지?");
        assert!(asking(&text).ends_with("배포는 언제 했지?"));
        assert!(asking(&text).chars().count() <= ASKED);
        assert_eq!(asking(" 배포는 언제? "), "배포는 언제?");
    }

    proptest! {
        #[test]
        fn a_piece_has_the_number_of_its_stretch(text in "([가-힣a-z.]{1,12}[ \n]{1,2}){0,900}") {
            let (cut, pieces) = (cut(&text), pieces(&text));
            prop_assert!(pieces.len() <= MOST);
            for (piece, stretch) in pieces.iter().zip(cut) {
                prop_assert_eq!(*piece, text[stretch].trim());
            }
            prop_assert!(asking(&text).chars().count() <= ASKED);
        }
    }
}
