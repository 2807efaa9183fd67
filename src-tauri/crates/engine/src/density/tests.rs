//! What is chosen, and the laws that hold for every choice.

use std::cell::Cell;

use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// What is chosen of texts, each with what its sentences weigh, and what is left of the limit.
fn weighed<'a>(
    texts: &[(&'a str, f64)],
    limit: u64,
    mut cost: impl FnMut(&str) -> u64,
) -> (Vec<Excerpt<'a>>, u64) {
    let read: Vec<Vec<Piece<&str>>> = texts.iter().map(|(text, _)| pieces(text)).collect();
    let units = read.iter().zip(texts).enumerate().flat_map(|(source, (read, (_, weight)))| {
        read.iter().map(move |Piece { text, code, reading }| Unit {
            excerpt: Excerpt { source, text, code: *code },
            reading,
            weight: *weight,
        })
    });
    let units: Vec<Unit<'_, '_>> = units.collect();
    choose(&units, limit, &mut cost)
}

fn extract<'a>(
    texts: &[&'a str],
    limit: u64,
    cost: impl FnMut(&str) -> u64,
) -> (Vec<Excerpt<'a>>, u64) {
    let texts: Vec<(&str, f64)> = texts.iter().map(|text| (*text, 1.0)).collect();
    weighed(&texts, limit, cost)
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

fn chosen<'a>(texts: &[&'a str], limit: u64) -> Vec<&'a str> {
    extract(texts, limit, chars).0.iter().map(|excerpt| excerpt.text).collect()
}

#[rstest]
#[case::english(
    "Hello there, how nice to see you again! The refresh token lives 30 minutes in session.rs. Shall we go on? Well, that \
     is really good to hear.",
    "The refresh token lives 30 minutes in session.rs."
)]
#[case::korean(
    "안녕하세요, 오늘도 잘 부탁드려요! 갱신 토큰은 session.rs에서 30분 동안 유지돼요. 그러면 계속 진행해 볼까요? 네, 정말 좋은 \
     생각인 것 같아요.",
    "갱신 토큰은 session.rs에서 30분 동안 유지돼요."
)]
fn the_sentence_with_the_facts_is_chosen_before_small_talk(
    #[case] text: &str,
    #[case] expected: &str,
) {
    assert_eq!(chosen(&[text], chars(expected)), [expected]);
}

#[test]
fn a_question_weighs_less_than_the_same_words_as_a_statement() {
    let texts = ["Does Redis run on port 6379?", "Does Redis run on port 6379.", "Well."];
    assert_eq!(chosen(&texts, 29), ["Does Redis run on port 6379."]);
    let asked = densities(&texts);
    assert!((asked[0] / asked[1] - QUESTION).abs() < 1e-9, "{asked:?}");
}

#[test]
fn weight_tips_the_scale_between_sources() {
    let texts = ["Postgres keeps the orders.", "Redis caches the session."];
    let weigh =
        |first, second| weighed(&[(texts[0], first), (texts[1], second)], 27, chars).0[0].source;
    assert_eq!((weigh(2.0, 1.0), weigh(1.0, 2.0)), (0, 1));
}

#[test]
fn a_code_block_is_taken_whole_or_not_at_all() {
    let text = "Use it so:\n```rust\nlet key = Account::new(\"a\");\n```\nDone.";
    let (whole, _) = extract(&[text], 1_000, chars);
    assert_eq!(joined(&whole), text);
    let (part, _) = extract(&[text], 30, chars);
    assert!(part.iter().all(|excerpt| !excerpt.code), "{part:?}");
}

#[test]
fn the_same_sentence_is_taken_once_and_texts_of_nothing_are_worth_nothing() {
    assert_eq!(chosen(&["Port 8080 it is.", "Port 8080 it is."], 1_000).len(), 1);
    assert_eq!(densities(&["", "..."]), [0.0, 0.0]);
    assert!(densities(&[]).is_empty());
}

#[rstest]
#[case(100)]
#[case(1_000)]
fn every_sentence_is_priced_once(#[case] count: usize) {
    let text: String = (0..count).map(|n| format!("Step {n} of Build{n} took {n} s. ")).collect();
    let asked = Cell::new(0);
    extract(&[&text], 500, |sentence| {
        asked.set(asked.get() + 1);
        chars(sentence)
    });
    assert_eq!(asked.get(), count);
}

proptest! {
    #[test]
    fn an_extract_fits_stands_in_order_and_is_never_rewritten(
        texts in proptest::collection::vec("([a-z]{1,6}|[가-힣]{1,4}|[0-9]{1,3}|[A-Z][a-z]{2}|[.!?\n] ?|```\n| ){0,30}", 0..6),
        limit in 0u64..120,
        by_tokens in any::<bool>(),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let cost = if by_tokens { tokens::estimate } else { chars };
        let (found, left) = extract(&texts, limit, cost);
        prop_assert!(cost(&joined(&found)) <= limit);
        let spent: u64 = found.iter().map(|excerpt| cost(excerpt.text) + 1).sum();
        prop_assert_eq!(left + spent, limit + 1);
        let mut places = Vec::new();
        for excerpt in &found {
            // A slice of its source, so it cannot have been rewritten.
            let source = texts[excerpt.source].as_bytes().as_ptr_range();
            let slice = excerpt.text.as_bytes().as_ptr_range();
            prop_assert!(source.start <= slice.start && slice.end <= source.end);
            places.push((excerpt.source, slice.start));
        }
        prop_assert!(places.is_sorted());
    }
}
