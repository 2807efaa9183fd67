//! What of a long result a request takes.

use proptest::prelude::*;

use crate::tool::output::{Cut, KeptOutput, WHOLE_BYTES, cut, shortened};

fn kept(text: &str) -> KeptOutput {
    KeptOutput {
        hash: "f00d".repeat(16),
        bytes: text.len() as u64,
        lines: text.lines().count() as u64,
    }
}

/// Texts around and beyond the limit, of characters of every width, with lines of every length and none at all.
fn long_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("a".to_owned()),
        Just("한글 ".to_owned()),
        Just("\u{1F600}\u{FE0F}".to_owned()),
        Just("é\r\n".to_owned()),
        Just("\n".to_owned()),
        "[ -~]{1,90}\n",
    ];
    let text = (prop::collection::vec(pieces, 1..12), 1usize..6_000);
    text.prop_map(|(pieces, times)| {
        let piece = pieces.concat();
        piece.repeat(times.min(60_000 / piece.len() + 1))
    })
}

proptest! {
    #[test]
    fn head_tail_and_what_is_missing_are_the_whole(text in long_text()) {
        match cut(&text) {
            Cut::Whole => prop_assert!(text.len() <= WHOLE_BYTES),
            Cut::Parts { head, tail, missing } => {
                prop_assert!(text.len() > WHOLE_BYTES);
                prop_assert_eq!(head.len() + missing + tail.len(), text.len());
                prop_assert!(text.starts_with(head) && text.ends_with(tail));
                prop_assert!(missing > 0 && head.len() >= 3_000 && tail.len() >= 2_000);
                prop_assert!(head.len() <= 6_000 && tail.len() <= 4_000);
                // Where a line ends near, none is torn.
                let after = &text[head.len()..];
                let torn = !head.ends_with('\n') && !after.starts_with('\n');
                prop_assert!(!torn || !head.as_bytes()[3_001..].contains(&b'\n'));
            }
        }
    }

    #[test]
    fn a_shortened_text_says_how_to_read_on_and_stays_short(text in long_text()) {
        let kept = kept(&text);
        let short = shortened(&text, &kept);
        if text.len() <= WHOLE_BYTES {
            prop_assert!(short == text);
        } else {
            let handle = format!("{{\"handle\":\"{}\",\"offset\":LINE}}", kept.hash);
            prop_assert!(short.contains(&handle));
            prop_assert!(short.len() < WHOLE_BYTES, "{}", short.len());
        }
    }
}

#[test]
fn the_limit_itself_goes_whole() {
    let text = "가".repeat(WHOLE_BYTES / 3);
    assert_eq!(text.len(), WHOLE_BYTES);
    assert_eq!(cut(&text), Cut::Whole);
    let longer = format!("{text}.");
    let Cut::Parts { head, tail, missing } = cut(&longer) else {
        panic!("one byte more does not");
    };
    assert_eq!((head.len(), missing, tail.len()), (6_000, 2_001, 4_000));
}

/// A hundred million bytes without a line end, as a program may write them.
#[test]
fn a_huge_line_is_cut_at_once() {
    let text = "x".repeat(100_000_000);
    let short = shortened(&text, &kept(&text));
    assert!(
        short.contains("99990000 bytes left out of 100000000 in 1 lines"),
        "{}",
        &short[5_990..6_100]
    );
}
