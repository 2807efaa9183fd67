//! Working chats of the project's own, `tests/support/chats`: what summaries of chosen sentences keep of them.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::*;
use crate::Timestamp;
use crate::export;
use crate::provider::ModelInfo;
use crate::replay::Replay;
use crate::summary::{Policy, Rate, SummarySettings};

macro_rules! chats {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../../../../tests/support/chats/", $name, ".jsonl")))),*]
    };
}

const CHATS: [(&str, &str); 8] = chats!(
    "en-billing",
    "en-cluster",
    "en-survey",
    "en-sync",
    "ko-launch",
    "ko-settlement",
    "ko-thesis",
    "ko-wiki"
);

const EXPECTED: &str = include_str!("../../../../../../tests/support/chats/expected.json");

/// What a reader says of a chat.
#[derive(Deserialize)]
struct Expected {
    in_force: Vec<String>,
    replaced: Vec<String>,
}

fn messages(text: &str) -> Vec<Message> {
    export::import(text, "", Timestamp::UNIX_EPOCH).unwrap().messages
}

fn measured(name: &str, text: &str, share: f64) -> Measured {
    let path = messages(text);
    let settings = SummarySettings {
        policy: Policy::Segments,
        by_numbers: Some(true),
        rate: Rate::from(0.3),
        ..SummarySettings::default()
    };
    let model = ModelInfo::named("model");
    let language = &name[..2];
    let replayed = Replay { settings: &settings, language, model: &model }.run(&path).unwrap();
    assert!(!replayed.summaries.is_empty());
    measure(&path, &replayed.summaries, share, language)
}

#[test]
fn the_ledger_holds_what_a_reader_finds_in_force() {
    let expected: BTreeMap<String, Expected> = serde_json::from_str(EXPECTED).unwrap();
    for (name, text) in CHATS {
        let path = messages(text);
        assert!(path.len() >= 40, "{name}");
        let ledger = Ledger::of(&path);
        let find = |said: &str| {
            let mut facts = ledger.facts().iter();
            let fact =
                facts.find(|it| it.entry.category <= Category::Decision && it.entry.text == said);
            fact.map(|fact| fact.entry.in_force)
        };
        for said in &expected[name].in_force {
            assert_eq!(find(said), Some(true), "{name}: {said}");
        }
        for said in &expected[name].replaced {
            assert_eq!(find(said), Some(false), "{name}: {said}");
        }
    }
}

#[test]
fn a_fifth_of_a_summary_keeps_what_is_in_force_and_used_again() {
    for (name, text) in CHATS {
        let measured = measured(name, text, 0.2);
        assert!(measured.keeps_statements(), "{name} {:?}", measured.retention);
        assert!(measured.kept_tokens * 5 <= measured.summary_tokens, "{name} {measured:?}");
        for category in [Category::Path, Category::Command, Category::Number] {
            let rate = measured.used_again.of(category).map_or(1.0, Share::rate);
            assert!(rate >= 0.95, "{name} {category:?} {:?}", measured.used_again);
        }
        // Sentences that were chosen claim nothing that was not said.
        assert_eq!(measured.unsupported, [], "{name}");
    }
}
