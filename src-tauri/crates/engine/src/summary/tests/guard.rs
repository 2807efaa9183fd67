//! What looks for the rules of a path says what each of them, held against the request by itself, says.

use std::borrow::Cow;
use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::ledger::Ledger;
use crate::section::id_of_message;

/// What is said: demands, one of which a later one takes back, one inside another, one with a secret, and none.
const SAID: [&str; 9] = [
    "Never rename the table `orders`.",
    "Never rename the table `orders`. It is read by others.",
    "Instead of that you must rename the table `orders` now.",
    "Always run the linter before a commit.",
    "You must never log the key sk-secret anywhere.",
    "배포는 반드시 금요일 전에 해야 합니다.",
    "파일 이름은 절대 바꾸지 마세요.",
    "Thanks, that looks fine.",
    "Always write the tests first, and never skip them.",
];

fn clean(text: &str) -> Cow<'_, str> {
    match text.contains("sk-secret") {
        true => Cow::Owned(text.replace("sk-secret", "[key]")),
        false => Cow::Borrowed(text),
    }
}

proptest! {
    #[test]
    fn the_rules_of_a_path_are_missing_where_nothing_says_them(
        said in proptest::collection::vec((0..SAID.len(), 0..40_u32), 1..60),
        whole in proptest::collection::hash_set(0..60_u64, 0..8),
        end in 0..60_u64,
        request in proptest::collection::vec((0..SAID.len(), 0..40_u32), 0..5),
        others in proptest::collection::vec((0..SAID.len(), 0..40_u32), 0..3),
        most in 0..6_usize,
    ) {
        // Few say the same thing as another does, as in a long conversation.
        let text = |(at, number): &(usize, u32)| SAID[*at].replace("table", &format!("table {number}"));
        let mut chat = Chat::new(Policy::Rolling);
        let (mut ledger, mut rules) = (Ledger::default(), PathRules::default());
        for one in &said {
            chat.say(Role::User, &text(one));
            ledger.push(chat.messages.last().unwrap());
            rules.grow(&ledger, clean);
        }
        let request: Vec<String> = request.iter().map(|it| clean(&text(it)).into_owned()).collect();
        let others: Vec<String> = others.iter().map(|it| clean(&text(it)).into_owned()).collect();
        let goes = |place: &usize| *place as u64 >= end || whole.contains(&(*place as u64));
        let missing = ledger.constraints().filter(|(_, fact)| {
            let rule = clean(&fact.entry.text);
            fact.entry.in_force
                && !fact.mentions.iter().any(goes)
                && !request.iter().any(|text| text.contains(&*rule))
                && !others.iter().any(|other| *other == rule)
        });
        let all: Vec<MissingConstraint> = missing
            .map(|(_, fact)| MissingConstraint {
                text: clean(&fact.entry.text).into_owned(),
                section: id_of_message(fact.entry.message),
            })
            .collect();
        let unsaid = Unsaid { whole: &whole, end };
        let (told, more) = rules.missing_in(
            &ledger,
            &unsaid,
            request.iter().map(String::as_str),
            others.iter().map(|it| Cow::Borrowed(it.as_str())),
            most,
        );
        prop_assert_eq!(&told[..], &all[..all.len().min(most)]);
        prop_assert_eq!(told.len() + more, all.len());
        // As if it had been read at once.
        let mut anew = PathRules::new(true);
        anew.grow(&ledger, clean);
        let none = HashSet::new();
        let nothing = Unsaid { whole: &none, end: u64::MAX };
        let of = |rules: &PathRules| {
            rules.missing_in(&ledger, &nothing, std::iter::empty(), std::iter::empty(), 99)
        };
        prop_assert_eq!(of(&anew), of(&rules));
    }
}
