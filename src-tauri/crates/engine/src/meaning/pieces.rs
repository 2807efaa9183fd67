//! Cutting a message into what one vector can stand for: a few sentences each, at the ends of paragraphs or lines where
//! there are some.

/// Characters of a piece at most. Small encoders read 512 tokens, and a longer stretch means many things at once.
const LONGEST: usize = 1_000;

/// Pieces of a message at most; what stands behind them is found by its words.
const MOST: usize = 24;

/// The pieces of a text, in order; none of a text of blanks.
pub fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && found.len() < MOST {
        let (piece, more) = rest.split_at(end_of_piece(rest));
        found.push(piece.trim_end());
        rest = more.trim_start();
    }
    found
}

/// Where the first piece of a text ends, in bytes.
fn end_of_piece(text: &str) -> usize {
    let Some((limit, _)) = text.char_indices().nth(LONGEST) else {
        return text.len();
    };
    let within = &text[..limit];
    // In the second half only: a heading alone is a poor piece.
    let half = within.char_indices().nth(LONGEST / 2).map_or(0, |(at, _)| at);
    let ends = ["\n\n", "\n", ". ", "다. ", "? ", "! ", " "];
    let end_with =
        |mark: &&str| within.rfind(mark).map(|at| at + mark.len()).filter(|at| *at > half);
    ends.iter().find_map(end_with).unwrap_or(limit)
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
    fn a_long_text_is_cut_at_the_end_of_a_paragraph() {
        let (first, second) = ("가나 ".repeat(250), "다라 ".repeat(200));
        let text = format!("{first}\n\n{second}");
        assert_eq!(pieces(&text), [first.trim(), second.trim()]);
    }

    proptest! {
        #[test]
        fn pieces_are_short_and_few_and_leave_no_word_out(
            text in "([가-힣a-z.]{1,12}[ \n]{1,2}){0,900}"
        ) {
            let cut = pieces(&text);
            prop_assert!(cut.len() <= MOST);
            prop_assert!(cut.iter().all(|piece| piece.chars().count() <= LONGEST));
            if cut.len() < MOST {
                let words: Vec<&str> = cut.iter().flat_map(|it| it.split_whitespace()).collect();
                prop_assert_eq!(words, text.split_whitespace().collect::<Vec<_>>());
            }
        }
    }
}
