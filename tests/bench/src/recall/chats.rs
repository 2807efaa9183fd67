//! The project's own chats with questions, `tests/recall/*.chat`.
//!
//! `# title`, `* names of the two speakers` where they are not the person and the model, `@ day` begins a sitting. `U>`
//! and `A>` begin a message that runs to the next mark; `U#label>` gives it a label. `Q> question => answer [label …]`
//! asks for the messages with these labels, or for the one before it.

use std::collections::HashMap;

use siltstone_engine::recall::trial::{Conversation, Data, Question, Turn};

use crate::Outcome;

macro_rules! chats {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../recall/", $name, ".chat")))),*]
    };
}

macro_rules! labelled {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../recall/", $name, ".kept.json")))),*]
    };
}

/// Chats in which the model answers at length, each with what has to be known after a fold of it.
pub const AT_LENGTH: [(&str, &str); 12] = labelled!(
    "en-airflow",
    "en-homelab",
    "en-kickstarter",
    "en-netcode",
    "en-payments",
    "en-thesis",
    "ko-clinic-app",
    "ko-cluster",
    "ko-greenhouse",
    "ko-serial",
    "ko-settlement",
    "ko-thesis"
);

const CHATS: [(&str, &str); 26] = chats!(
    "en-airflow",
    "en-bikes",
    "en-boat",
    "en-clinic",
    "en-game",
    "en-homelab",
    "en-kickstarter",
    "en-netcode",
    "en-payments",
    "en-sail-logger",
    "en-thesis",
    "ko-bakery",
    "ko-board",
    "ko-bookshop",
    "ko-churn",
    "ko-clinic-app",
    "ko-cluster",
    "ko-greenhouse",
    "ko-ledger-app",
    "ko-library",
    "ko-novel",
    "ko-serial",
    "ko-settlement",
    "ko-speech",
    "ko-teacher",
    "ko-thesis"
);

/// Whether a chat is one of long answers.
pub fn is_at_length(name: &str) -> bool {
    AT_LENGTH.iter().any(|it| it.0 == name)
}

/// All of them.
pub fn own() -> Outcome<Data> {
    let mut data = Data::default();
    for (name, text) in CHATS {
        read(name, text, &mut data)?;
    }
    Ok(data)
}

/// A question before the labels after it are known.
struct Marked {
    question: String,
    answer: String,
    labels: Vec<String>,
    place: usize,
}

fn read(name: &str, text: &str, data: &mut Data) -> Outcome<()> {
    let mut speakers = ["user".to_owned(), "assistant".to_owned()];
    let mut turns: Vec<Turn> = Vec::new();
    let mut labels = HashMap::new();
    let mut questions = Vec::new();
    let (mut session, mut date) = (0, String::new());
    for line in text.lines() {
        if let Some((_, said)) = marked(line, "Q") {
            questions.push(question(said, turns.len()));
        } else if let Some((of, (label, said))) =
            [("U", 0), ("A", 1)].iter().find_map(|(mark, of)| Some((*of, marked(line, mark)?)))
        {
            if let Some(label) = label {
                labels.insert(label.to_owned(), turns.len());
            }
            turns.push(Turn {
                id: format!("m{}", turns.len()),
                session,
                date: date.clone(),
                speaker: String::clone(&speakers[of]),
                text: said.to_owned(),
                image: None,
            });
        } else if let Some(day) = line.strip_prefix("@ ") {
            session += 1;
            day.clone_into(&mut date);
        } else if let Some((first, second)) =
            line.strip_prefix("* ").and_then(|it| it.split_once(", "))
        {
            speakers = [first.to_owned(), second.to_owned()];
        } else if let Some(turn) = turns.last_mut() {
            turn.text.extend(["\n", line]);
        }
    }
    for (at, it) in questions.into_iter().enumerate() {
        let place = |label: &String| labels.get(label).ok_or(format!("{name}: no label {label}"));
        let mut places = it.labels.iter().map(place).collect::<Result<Vec<&usize>, _>>()?;
        let before =
            it.place.checked_sub(1).ok_or(format!("{name}: a question before all messages"))?;
        if places.is_empty() {
            places.push(&before);
        }
        data.questions.push(Question {
            id: format!("{name}-q{at}"),
            conversation: name.to_owned(),
            question: it.question,
            answer: it.answer,
            evidence: places.into_iter().map(|place| format!("m{place}")).collect(),
            category: String::new(),
        });
    }
    data.conversations.push(Conversation { id: name.to_owned(), turns });
    Ok(())
}

/// A line that begins with a mark: its label, and what follows.
fn marked<'a>(line: &'a str, mark: &str) -> Option<(Option<&'a str>, &'a str)> {
    let rest = line.strip_prefix(mark)?;
    let (label, said) = rest.split_once('>')?;
    match label.strip_prefix('#') {
        Some(label) => (!label.contains(' ')).then(|| (Some(label), said.trim())),
        None => label.is_empty().then(|| (None, said.trim())),
    }
}

fn question(said: &str, place: usize) -> Marked {
    let (question, answer) = said.split_once(" => ").unwrap_or((said, ""));
    let labelled = answer.rsplit_once(" [");
    let labelled = labelled.and_then(|(it, labels)| Some((it, labels.strip_suffix(']')?)));
    let (answer, labels) = labelled.unwrap_or((answer, ""));
    let labels = labels.split_whitespace().map(str::to_owned).collect();
    Marked { question: question.to_owned(), answer: answer.to_owned(), labels, place }
}
