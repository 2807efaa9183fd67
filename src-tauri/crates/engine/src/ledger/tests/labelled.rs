//! Precision and recall on texts that were labelled by reading them, `tests/ledger/*.jsonl`. Rules are mended by two
//! thirds of them; every third one is held out and only counted.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use super::super::*;

const TEXTS: [&str; 2] = [
    include_str!("../../../tests/ledger/en.jsonl"),
    include_str!("../../../tests/ledger/ko.jsonl"),
];

#[derive(Deserialize)]
struct Labelled {
    id: String,
    role: Role,
    text: String,
    entries: Vec<Label>,
}

#[derive(Deserialize, Clone)]
struct Label {
    category: Category,
    text: String,
}

#[derive(Default, Clone, Copy)]
struct Score {
    right: u32,
    labelled: u32,
    found: u32,
}

impl Score {
    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from(self.found.max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from(self.labelled.max(1))
    }
}

/// Whether they name the same. How far an error reaches is nobody's to say: one has to hold the other.
fn same(category: Category, a: &str, b: &str) -> bool {
    match category {
        Category::Error => a.contains(b) || b.contains(a),
        _ => key(category, a) == key(category, b),
    }
}

fn score(texts: &[&Labelled], report: &mut String) -> BTreeMap<Category, Score> {
    let mut scores: BTreeMap<Category, Score> = BTreeMap::new();
    for labelled in texts {
        let voice = if labelled.role == Role::User { Voice::Person } else { Voice::Model };
        let mut found: Vec<Label> = Vec::new();
        for Mark { category, span } in scan(&labelled.text, voice) {
            let text = labelled.text[span].to_owned();
            if !found.iter().any(|it| it.category == category && same(category, &it.text, &text)) {
                found.push(Label { category, text });
            }
        }
        let holds = |all: &[Label], one: &Label| {
            all.iter()
                .any(|it| it.category == one.category && same(one.category, &it.text, &one.text))
        };
        for label in &labelled.entries {
            let score = scores.entry(label.category).or_default();
            score.labelled += 1;
            if holds(&found, label) {
                score.right += 1;
            } else {
                let _ =
                    writeln!(report, "{} missed {:?} {}", labelled.id, label.category, label.text);
            }
        }
        for it in &found {
            scores.entry(it.category).or_default().found += 1;
            if !holds(&labelled.entries, it) {
                let _ = writeln!(report, "{} extra {:?} {}", labelled.id, it.category, it.text);
            }
        }
    }
    scores
}

fn total(scores: &BTreeMap<Category, Score>) -> Score {
    scores.values().fold(Score::default(), |sum, it| Score {
        right: sum.right + it.right,
        labelled: sum.labelled + it.labelled,
        found: sum.found + it.found,
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "the report per category is what the set is for")]
fn nine_of_ten_entries_are_found_and_nine_of_ten_found_are_entries() {
    let lines = TEXTS.iter().flat_map(|text| text.lines());
    let all: Vec<Labelled> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_held = |place: &usize| place % 3 == 2;
    let part = |held: bool| -> Vec<&Labelled> {
        let places = all.iter().enumerate().filter(|(place, _)| is_held(place) == held);
        places.map(|(_, it)| it).collect()
    };
    let mut open = String::new();
    let known = score(&part(false), &mut open);
    let held = score(&part(true), &mut String::new());
    let whole = score(&all.iter().collect::<Vec<_>>(), &mut String::new());
    print!("{open}");
    println!("{:<12} {:>8} {:>9} {:>7}", "category", "labelled", "precision", "recall");
    for (category, score) in &whole {
        let (name, labelled) = (category.name(), score.labelled);
        println!("{name:<12} {labelled:>8} {:>9.3} {:>7.3}", score.precision(), score.recall());
    }
    for (name, scores) in [("mended by", &known), ("held out", &held), ("all", &whole)] {
        let sum = total(scores);
        let labelled = sum.labelled;
        println!("{name:<12} {labelled:>8} {:>9.3} {:>7.3}", sum.precision(), sum.recall());
        assert!(sum.precision() >= 0.9 && sum.recall() >= 0.9, "{name}");
    }
    assert!(total(&whole).labelled >= 300);
}
