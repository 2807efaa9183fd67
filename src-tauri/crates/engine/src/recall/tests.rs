use jiff::civil::{Date, date};
use proptest::prelude::*;
use rstest::rstest;

use super::trial::{Conversation, Data, Strategy, Trial};
use super::*;
use crate::message::Role;
use crate::tokens::{Counter, Encoding};

/// Speaker, day and text.
type Line = (&'static str, i8, &'static str);

const CHAT: [Line; 8] = [
    ("user", 2, "서버 포트를 몇 번으로 둘까?"),
    ("assistant", 2, "5433번이 비어 있어요."),
    ("user", 2, "가져오기화면에서 오류가 났어. 깃허브에 올려 둘게."),
    ("assistant", 2, "The importer fails on empty rows; skip them in readRows."),
    ("user", 9, "Lunch was great today."),
    ("assistant", 9, "Glad to hear it!"),
    ("user", 9, "Backups: keep 7 of them."),
    ("assistant", 9, "Noted, seven copies, at 03:00 each night."),
];

fn on(day: i8) -> Option<Date> {
    Some(date(2026, 3, day))
}

fn best(question: &str, model: &Model) -> usize {
    let (mut index, reads) = (Index::default(), Reads::default());
    for (speaker, day, text) in CHAT {
        let role = if speaker == "user" { Role::User } else { Role::Assistant };
        index.push(
            &Said { speaker, role: Some(role), text, on: on(day), session: day as u32 },
            &reads,
        );
    }
    let asked = Asked { text: question, today: on(9), meant: &[] };
    index.rank(&asked, model)[0].place
}

#[rstest]
#[case::answer_beside_its_question("서버 포트는 몇 번이었지?", &[0, 1])]
#[case::two_syllables_in_a_longer_word("화면 오류", &[2])]
#[case::a_loanword_and_its_original("What goes to GitHub?", &[2])]
#[case::part_of_an_identifier("which rows are empty", &[3])]
#[case::the_other_language("백업은 몇 개 둬?", &[6, 7])]
fn shipped_weights_find(#[case] question: &str, #[case] expected: &[usize]) {
    let found = best(question, Model::shipped());
    assert!(expected.contains(&found), "{question}: {}", CHAT[found].2);
}

#[rstest]
#[case::hangul('가', 11_172)]
#[case::kana('ぁ', 80)]
#[case::han('一', 20_000)]
#[case::latin('a', 26)]
fn what_is_asked_for_grows_as_the_question_does(#[case] first: char, #[case] many: u32) {
    let asked = |length: u32| {
        let letters = (0..length).map(|at| u32::from(first) + (at * at + at / 7) % many);
        let run: String = letters.filter_map(char::from_u32).collect();
        let asked: usize =
            crate::search::question(&run).iter().map(|phrase| phrase.tokens.len()).sum();
        let words: usize = words::telling(&run).iter().map(|word| word.plain.len()).sum();
        asked + words
    };
    // The run itself, its pairs, and what it is compared by: as many as it has letters each.
    for length in [5_000, 10_000, 20_000] {
        assert!(asked(length) <= 3 * length as usize, "{} for {length}", asked(length));
    }
}

#[test]
fn of_a_long_text_the_beginning_and_the_end_are_looked_for() {
    let pasted: String = (0..3_000).filter_map(|at| char::from_u32(0xAC00 + at * 3)).collect();
    let phrases = phrases(&format!("Which harbour? {pasted} Which lighthouse?"));
    let asks = |word: &str| phrases.iter().any(|phrase| phrase.tokens == [word]);
    assert!(phrases.len() <= 1_024 && asks("harbour") && asks("lighthouse"));
}

#[rstest]
#[case::words(include_str!("weights.json"), Model::shipped())]
#[case::meaning(include_str!("weights_meant.json"), Model::with_meaning())]
fn a_shipped_file_names_every_feature_and_no_other(#[case] file: &str, #[case] read: &Model) {
    let file: serde_json::Value = serde_json::from_str(file).unwrap();
    let read = serde_json::to_value(read).unwrap();
    let mut known: Vec<&str> = Feature::ALL.iter().map(|it| it.name()).collect();
    known.sort_unstable();
    for of in ["weights", "at_length"] {
        let mut names: Vec<&str> =
            file[of].as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, known);
        assert_eq!(read[of].as_object().unwrap().len(), known.len());
    }
}

#[test]
fn what_stands_out_in_meaning_is_found_without_a_word_in_common() {
    let mut texts: Vec<String> =
        (0..40).map(|at| format!("Small talk number {at} on the weather.")).collect();
    texts[8] = "Kiri hums a ballad by the stove.".to_owned();
    let trial = Trial::of(&conversation(&texts));
    let best = |meant: &[f32]| {
        let asked = trial.asked("Which melody accompanies cooking?", meant);
        let ranked = trial.ranked(&asked, Model::for_asked(&asked));
        trial.messages_of(&ranked)[0]
    };
    let mut meant = vec![0.0; texts.len()];
    assert_ne!(best(&[]), 8);
    meant[8] = 4.0;
    assert_eq!(best(&meant), 8);
    // Of two that stand out alike the one that has the words is first.
    meant[22] = 4.0;
    texts[22] = "A melody accompanies all cooking.".to_owned();
    let trial = Trial::of(&conversation(&texts));
    let asked = trial.asked("Which melody accompanies cooking?", &meant);
    let ranked = trial.ranked(&asked, Model::with_meaning());
    assert_eq!(trial.messages_of(&ranked)[0], 22);
}

#[test]
fn days_and_speakers_are_told_apart() {
    let (mut index, reads) = (Index::default(), Reads::default());
    for (speaker, day) in [("Mina", 2), ("Joon", 2), ("Mina", 20), ("Joon", 20)] {
        let text = "We talked about the harbour.";
        index.push(&Said { speaker, role: None, text, on: on(day), session: day as u32 }, &reads);
    }
    let features = |question| {
        let asked = Asked { text: question, today: on(27), meant: &[] };
        index.candidates(&asked)
    };
    let named = features("What did Joon say about the harbour?");
    let is_named: Vec<f32> = named.iter().map(|it| it.1.of(Feature::Named)).collect();
    assert_eq!(is_named, [0.0, 1.0, 0.0, 1.0]);
    let dated = features("지난주에 harbour 얘기 했나?");
    let is_on_day: Vec<f32> = dated.iter().map(|it| it.1.of(Feature::OnDay)).collect();
    assert_eq!(is_on_day, [0.0, 0.0, 1.0, 1.0]);
}

fn conversation(texts: &[String]) -> Conversation {
    let turns = texts.iter().enumerate().map(|(at, text)| {
        serde_json::json!({
            "id": at.to_string(), "session": at / 4, "date": format!("2026-03-{:02}", at / 4 + 1),
            "speaker": if at % 2 == 0 { "user" } else { "assistant" }, "text": text,
        })
    });
    let turns: Vec<_> = turns.collect();
    serde_json::from_value(serde_json::json!({"id": "c", "turns": turns})).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_context_fits_and_is_in_order(
        texts in prop::collection::vec("[a-z가-힣 .?]{1,120}", 1..30),
        budget in 1u64..400,
    ) {
        let trial = Trial::of(&conversation(&texts));
        for strategy in Strategy::ALL {
            let context = trial.context(strategy, &trial.asked(&texts[0], &[]), budget, Model::shipped());
            let used = Counter::Exact(Encoding::O200k).count(&context.text).tokens;
            prop_assert!(used <= budget, "{}: {used} of {budget}", strategy.name());
            prop_assert!(context.places.is_sorted_by(|a, b| a < b));
            for place in &context.places {
                prop_assert!(context.text.contains(&texts[*place]));
            }
        }
    }
}

/// A model that answers at length: paragraphs of which each says something else.
fn at_length(said: &[String]) -> Vec<String> {
    let paragraph = |at: usize, text: &String| {
        format!("{text} {}", "Some more words on it, which tell little.".repeat(1 + at % 7))
    };
    let answer = |texts: &[String]| {
        let parts: Vec<String> =
            texts.iter().enumerate().map(|(at, text)| paragraph(at, text)).collect();
        parts.join("\n\n")
    };
    said.chunks(6).flat_map(|texts| [texts[0].clone(), answer(texts)]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_chosen_before_anything_has_no_room_is_chosen_with_more(
        said in prop::collection::vec("[a-z가-힣 .?]{9,120}", 6..60),
        asked in "[a-z가-힣]{2,8}( [a-z가-힣]{2,8}){1,4}",
    ) {
        let trial = Trial::of(&conversation(&at_length(&said)));
        let question = format!("{asked} {}?", said[0]);
        let mut before = Vec::new();
        for budget in (16..900).step_by(61) {
            let context = trial.context(Strategy::Recall, &trial.asked(&question, &[]), budget, Model::shipped());
            let used = Counter::Exact(Encoding::O200k).count(&context.text).tokens;
            prop_assert!(used <= budget, "{used} of {budget}");
            prop_assert!(context.certain.starts_with(&before), "at {budget}");
            for place in &context.certain {
                let (message, bytes) = trial.index.stretch(*place);
                prop_assert!(context.text.contains(&trial.text(message)[bytes]));
            }
            before = context.certain;
        }
    }
}

#[test]
fn of_a_long_answer_the_part_goes_that_is_asked_about() {
    let filler = "Nothing of this says anything that somebody could ask for later on. ".repeat(11);
    let answer = format!(
        "{filler}\n\n## Ports\nThe staging database listens on port 5544, and only the office network reaches it there.\n\n{filler}\n\n{filler}"
    );
    let texts = ["How do I set staging up?".to_owned(), answer, "Thanks!".to_owned()];
    let trial = Trial::of(&conversation(&texts));
    let asked = "Which port does the staging database listen on?";
    let context = trial.context(Strategy::Recall, &trial.asked(asked, &[]), 60, Model::shipped());
    assert!(context.text.contains("assistant: […] ## Ports\nThe staging"), "{}", context.text);
    assert!(!context.text.contains("Nothing of this"));
    assert!(!context.places.contains(&1), "it does not stand there whole");
}

#[test]
fn what_was_said_long_ago_is_before_the_model_again() {
    let mut texts: Vec<String> =
        (0..60).map(|at| format!("Small talk number {at} on the weather.")).collect();
    texts[3] = "The staging database listens on port 5544.".to_owned();
    let trial = Trial::of(&conversation(&texts));
    let ask = |strategy| {
        let asked = trial.asked("Which port is the staging database on?", &[]);
        trial.context(strategy, &asked, 100, Model::shipped()).text
    };
    assert!(ask(Strategy::Recall).contains("5544"));
    assert!(ask(Strategy::Recall).starts_with("[2026-03-01]\n"));
    assert!(!ask(Strategy::Window).contains("5544"));
}

#[test]
fn a_long_conversation_is_ranked_from_its_best_messages() {
    let (mut index, reads) = (Index::default(), Reads::default());
    let text = |place: usize| {
        if place == 17 { "the heron nests in the reeds" } else { "the mill turns in the wind" }
    };
    for place in 0..2_500 {
        let said = Said {
            speaker: "user",
            role: Some(Role::User),
            text: text(place),
            on: None,
            session: 0,
        };
        index.push(&said, &reads);
    }
    let asked = Asked { text: "where does the heron nest?", today: None, meant: &[] };
    let ranked = index.rank(&asked, Model::shipped());
    assert_eq!(ranked[0].place, 17);
    assert!(ranked.len() < 2_500);
}

#[test]
fn a_message_is_seen_beside_its_sitting_and_its_neighbours() {
    let said =
        ["the mill turns", "the heron nests in reeds", "the mill stands", "the heron sleeps"];
    let (mut index, reads) = (Index::default(), Reads::default());
    for (text, session) in said.into_iter().zip([1, 1, 1, 2]) {
        index.push(
            &Said { speaker: "user", role: Some(Role::User), text, on: None, session },
            &reads,
        );
    }
    let asked = Asked { text: "where does the heron nest?", today: None, meant: &[] };
    let found = index.candidates(&asked);
    let of = |feature| found.iter().map(|it| it.1.of(feature)).collect::<Vec<f32>>();
    assert_eq!(of(Feature::SittingBest), [0.0, 1.0, 0.0, 1.0]);
    let stands = of(Feature::Stands);
    assert_eq!([stands[0], stands[1], stands[2]], [-1.0, 1.0, -1.0]);
    assert!((0.0..1.0).contains(&stands[3]), "{stands:?}");
}

#[test]
fn nothing_asked_of_nothing_is_nothing() {
    let index = Index::default();
    assert!(
        index.rank(&Asked { text: "what?", today: None, meant: &[] }, Model::shipped()).is_empty()
    );
    assert!(serde_json::from_str::<Data>(r#"{"conversations":[],"questions":[]}"#).is_ok());
}
