use proptest::prelude::*;

use super::*;

/// What people ask for to hold from then on, a sentence or two a line; written for this test, each third before the patterns that
/// find it.
const STANDING: &str = include_str!("standing.txt");

/// What sounds like it and is a question, a story, a task or a fact.
const NOT: &str = include_str!("not.txt");

fn is_one(said: &str) -> bool {
    !standing(said).is_empty()
}

#[test]
fn what_holds_from_then_on_is_told_from_what_is_asked_once() {
    let missed: Vec<_> = STANDING.lines().filter(|said| !is_one(said)).collect();
    let wrong: Vec<_> = NOT.lines().filter(|said| is_one(said)).collect();
    assert!(missed.is_empty() && wrong.is_empty(), "{missed:#?} {wrong:#?}");
    assert!(STANDING.lines().count() > 180 && NOT.lines().count() > 150);
}

#[test]
fn only_what_was_typed_counts_and_of_a_long_text_both_ends() {
    let wanted = "From now on, answer in Korean.";
    let found = standing(&format!("Thanks. {wanted}"));
    assert_eq!((found.len(), found.first()), (1, Some(&(8..8 + wanted.len()))));
    let quoted = format!("> {wanted}\n\n```\n{wanted}\n```\n");
    assert!(!is_one(&quoted), "what is quoted or code is somebody else's");
    let paste = "The log goes on and on, line after line.\n".repeat(400);
    assert!(is_one(&format!("{wanted}\n{paste}")) && is_one(&format!("{paste}{wanted}")));
    assert!(!is_one(&format!("{paste}{wanted}\n{paste}")));
    let part = |text: &str| Part::Text { text: text.to_owned() };
    assert!(is_standing(Role::User, &[part(wanted)]));
    assert!(!is_standing(Role::Assistant, &[part(wanted)]));
    let pasted = Part::Pasted { hash: "h".into(), lines: 1, tokens: 9, text: wanted.into() };
    assert!(!is_standing(Role::User, &[part("See:"), pasted]));
}

#[test]
fn what_names_an_occasion_concerns_what_meets_it() {
    let said = [
        "Always include versions when I ask about libraries.",
        "From now on, answer in Korean.",
        "에러 설명할 때는 원인부터 말해 주세요.",
    ];
    assert_eq!(concerning("Which library parses dates?", &said), [true, true, false]);
    assert_eq!(concerning("이 에러는 왜 나요?", &said), [false, true, true]);
}

proptest! {
    #[test]
    fn every_text_is_read_and_what_is_found_lies_in_it(text in "([a-zA-Z ,.:?>`\n]|항상 |앞으로 |해줘|when I ask |always use ){0,60}") {
        let found = standing(&text);
        let mut end = 0;
        for it in &found {
            prop_assert!(it.start >= end && !text[it.clone()].trim().is_empty());
            end = it.end;
        }
        let said: Vec<&str> = found.into_iter().map(|it| &text[it]).collect();
        prop_assert_eq!(concerning(&text, &said).len(), said.len());
    }
}
