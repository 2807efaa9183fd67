//! `make bench-recall`: how much of what answers a question stands in the context that each way of telling a
//! conversation builds, on the project's own chats and, where a file is named, on others.
//!
//! On the own chats every question is ranked with weights that never saw its chat. A piece of evidence counts when four
//! fifths of its runs of four words stand in the text, or, of a long message, of the stretch that answers; intervals are 95 % bootstraps over questions. `train` makes the
//! weights that are shipped, of all chats; the same chats always give the same weights. Each is done by words alone or,
//! where the folder of a model is named, with what stands out in meaning.

pub mod chats;
mod meaning;
mod scoring;
mod training;

use std::fmt::Write;
use std::time::{Duration, Instant};

use siltstone_engine::recall::Model;
use siltstone_engine::recall::trial::{Data, Question, Strategy, Trial};

use crate::Outcome;
use meaning::Meaning;
use scoring::{Interval, kept, key, mean};

/// Tokens of a context.
const BUDGETS: [u64; 5] = [512, 1024, 2048, 4096, 8192];

/// Own chats are a few thousand tokens long, so large budgets would hold all of them.
const OWN_BUDGETS: [u64; 3] = [256, 512, 1024];

/// The half of the chats of long answers by which no feature was chosen.
pub const UNLOOKED: [&str; 7] = [
    "en-airflow",
    "en-kickstarter",
    "en-payments",
    "ko-clinic-app",
    "ko-cluster",
    "ko-serial",
    "ko-thesis",
];

/// A conversation, its questions, and the weights they are ranked with.
struct Case<'a> {
    trial: Trial,
    model: Model,
    questions: Vec<Posed<'a>>,
}

/// A question, and how far each stretch stands out for it.
struct Posed<'a> {
    question: &'a Question,
    meant: Vec<f32>,
}

/// What a strategy made of the questions.
struct Scored {
    strategy: Strategy,
    /// For each budget the share of evidence kept, a question each.
    kept: Vec<Vec<f64>>,
    times: Vec<Duration>,
}

/// The weights of all own chats as the file that is shipped; with meaning, where the folder of a model is named.
pub fn train(model: Option<&str>) -> Outcome<String> {
    let data = chats::own()?;
    let meaning = model.map(|folder| Meaning::of(&data, folder)).transpose()?;
    let examples = training::examples(&data, meaning.as_ref());
    let all: Vec<_> = examples.iter().collect();
    Ok(serde_json::to_string_pretty(&training::fit(&all))? + "\n")
}

/// Some chats, by their names.
type Chosen = fn(&str) -> bool;

/// The tables.
pub fn tables(other: Option<&str>) -> Outcome<String> {
    let own = chats::own()?;
    let mut text = String::new();
    let unseen = training::unseen(&own, None);
    let chosen: [(&str, Chosen); 3] = [
        ("Korean chats", |id| id.starts_with("ko-")),
        ("English chats", |id| id.starts_with("en-")),
        ("all own chats", |_| true),
    ];
    for (title, of) in chosen {
        let cases = cases(&own, of, |id| without(&unseen, id), None);
        let title = format!("{title}, weights without the asked chat");
        text.push_str(&table(&title, &cases, &OWN_BUDGETS, title.starts_with("all"))?);
    }
    if let Some(file) = other {
        let data: Data = serde_json::from_slice(&std::fs::read(file)?)?;
        let cases = cases(&data, |_| true, |_| Model::shipped().clone(), None);
        text.push_str(&table(file, &cases, &BUDGETS, true)?);
    }
    Ok(text)
}

/// The tables of what the model in a folder adds.
pub fn with_meaning(folder: &str, other: Option<&str>) -> Outcome<String> {
    let own = chats::own()?;
    let meaning = Meaning::of(&own, folder)?;
    let weights = [training::unseen(&own, None), training::unseen(&own, Some(&meaning))];
    let chosen: [(&str, Chosen); 8] = [
        ("Korean", |id| id.starts_with("ko-")),
        ("English", |id| id.starts_with("en-")),
        ("Korean, short turns", |id| id.starts_with("ko-") && !chats::is_at_length(id)),
        ("English, short turns", |id| id.starts_with("en-") && !chats::is_at_length(id)),
        ("Korean, looked", |id| {
            id.starts_with("ko-") && chats::is_at_length(id) && !UNLOOKED.contains(&id)
        }),
        ("English, looked", |id| {
            id.starts_with("en-") && chats::is_at_length(id) && !UNLOOKED.contains(&id)
        }),
        ("Korean, unlooked", |id| id.starts_with("ko-") && UNLOOKED.contains(&id)),
        ("English, unlooked", |id| id.starts_with("en-") && UNLOOKED.contains(&id)),
    ];
    let mut text = String::from(
        "| recall@5 | questions | words | and meaning | paired |\n|---|---:|---:|---:|---:|\n",
    );
    for (title, of) in chosen {
        let words = cases(&own, of, |id| without(&weights[0], id), None);
        let both = cases(&own, of, |id| without(&weights[1], id), Some(&meaning));
        text.push_str(&meaning::paired(title, &words, &both)?);
    }
    let unlooked: Chosen = |id| UNLOOKED.contains(&id);
    for (title, of) in [("unlooked", unlooked), ("own", |_| true)] {
        let words = cases(&own, of, |id| without(&weights[0], id), None);
        let both = cases(&own, of, |id| without(&weights[1], id), Some(&meaning));
        text.push_str(&table(&format!("{title}, words"), &words, &BUDGETS, false)?);
        text.push_str(&table(&format!("{title}, and meaning"), &both, &BUDGETS, false)?);
    }
    if let Some(file) = other {
        let data: Data = serde_json::from_slice(&std::fs::read(file)?)?;
        let meaning = Meaning::of(&data, folder)?;
        let weights = [Model::shipped(), Model::with_meaning()];
        for (title, meaning, model) in
            [("words", None, weights[0]), ("and meaning", Some(&meaning), weights[1])]
        {
            let cases = cases(&data, |_| true, |_| model.clone(), meaning);
            text.push_str(&table(&format!("{file}, {title}"), &cases, &BUDGETS, false)?);
        }
    }
    Ok(text)
}

/// The weights that never saw a chat.
fn without(unseen: &[(String, Model)], id: &str) -> Model {
    unseen.iter().find(|it| it.0 == id).map(|it| it.1.clone()).unwrap_or_default()
}

fn cases<'a>(
    data: &'a Data,
    chosen: impl Fn(&str) -> bool,
    model: impl Fn(&str) -> Model,
    meaning: Option<&Meaning>,
) -> Vec<Case<'a>> {
    let chats = data.conversations.iter().filter(|chat| chosen(&chat.id));
    let case = |chat: &siltstone_engine::recall::trial::Conversation| {
        let asked = data.questions.iter().filter(|it| it.conversation == chat.id);
        // Questions that are meant to have no answer have none to keep.
        let answered = asked.filter(|it| !it.evidence.is_empty() && it.category != "adversarial");
        let posed = |question| Posed {
            question,
            meant: meaning.map(|it| it.meant(question)).unwrap_or_default(),
        };
        Case {
            trial: Trial::of(chat),
            model: model(&chat.id),
            questions: answered.map(posed).collect(),
        }
    };
    chats.map(case).collect()
}

fn table(title: &str, cases: &[Case<'_>], budgets: &[u64], all: bool) -> Outcome<String> {
    let count: usize = cases.iter().map(|case| case.questions.len()).sum();
    let messages: usize = cases.iter().map(|case| case.trial.index.messages()).sum();
    let mut text = format!("\n### {title}: {count} questions, {messages} messages\n\n| |");
    budgets.iter().try_for_each(|budget| write!(text, " {budget} |"))?;
    text.push_str(" recall@5 | median | p95 |\n|---|");
    text.push_str(&"---:|".repeat(budgets.len() + 3));
    text.push('\n');
    let strategies = Strategy::ALL.iter().filter(|it| all || is_ranker(**it));
    let scored: Vec<Scored> = strategies.map(|it| score(*it, cases, budgets)).collect();
    for it in &scored {
        write!(text, "| {} |", it.strategy.name())?;
        it.kept.iter().try_for_each(|shares| write!(text, " {} |", Interval::of(shares)))?;
        let first = if is_ranker(it.strategy) {
            Interval::of(&shares(it.strategy, cases)).to_string()
        } else {
            "–".to_owned()
        };
        let mut times = it.times.clone();
        times.sort_unstable();
        let at =
            |share: f64| times[(share * (times.len() - 1) as f64) as usize].as_secs_f64() * 1e3;
        writeln!(text, " {first} | {:.2} ms | {:.2} ms |", at(0.5), at(0.95))?;
    }
    if let [recall, bm25, ..] = scored.as_slice() {
        text.push_str("| recall − bm25, paired |");
        for (ours, theirs) in recall.kept.iter().zip(&bm25.kept) {
            let differences: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
            write!(text, " {} |", Interval::of(&differences).signed())?;
        }
        let pairs = shares(Strategy::Recall, cases).into_iter();
        let pairs = pairs.zip(shares(Strategy::Bm25, cases)).map(|(a, b)| a - b);
        writeln!(text, " {} | | |", Interval::of(&pairs.collect::<Vec<f64>>()).signed())?;
    }
    Ok(text)
}

fn shares(strategy: Strategy, cases: &[Case<'_>]) -> Vec<f64> {
    among_five(strategy, cases).into_iter().map(|it| it.0).collect()
}

fn is_ranker(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::Recall | Strategy::Bm25)
}

fn score(strategy: Strategy, cases: &[Case<'_>], budgets: &[u64]) -> Scored {
    let mut scored = Scored { strategy, kept: vec![Vec::new(); budgets.len()], times: Vec::new() };
    for case in cases {
        for (at, budget) in budgets.iter().enumerate() {
            // What does not look at the question is the same for all.
            let mut once = None;
            for Posed { question, meant } in &case.questions {
                let asked = case.trial.asked(&question.question, meant);
                let started = Instant::now();
                let text = match &once {
                    Some(text) => text,
                    None => {
                        let made = case.trial.context(strategy, &asked, *budget, &case.model);
                        scored.times.push(started.elapsed());
                        once.insert(scoring::Text::of(&made.text))
                    }
                };
                let evidence = question.evidence.iter().filter_map(|id| case.trial.place(id));
                let shares: Vec<f64> = evidence
                    .map(|place| {
                        let said = case.trial.text(place);
                        let key = key(said, &question.question, &question.answer);
                        f64::from(u8::from(kept(text, key) || kept(text, said)))
                    })
                    .collect();
                scored.kept[at].push(mean(&shares));
                let looks = matches!(strategy, Strategy::Importance) || is_ranker(strategy);
                if looks {
                    once = None;
                }
            }
        }
    }
    scored
}

/// The share of evidence among the five best messages, a question each, and whether the question shares a term with any
/// of it.
fn among_five(strategy: Strategy, cases: &[Case<'_>]) -> Vec<(f64, bool)> {
    let mut shares = Vec::new();
    for case in cases {
        for Posed { question, meant } in &case.questions {
            let asked = case.trial.asked(&question.question, meant);
            let mut found = case.trial.index.bm25(&question.question);
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
            let found: Vec<usize> = found.into_iter().map(|(message, _)| message).collect();
            let mut best = match strategy {
                Strategy::Recall => case.trial.messages_of(&case.trial.ranked(&asked, &case.model)),
                _ => found.clone(),
            };
            best.truncate(5);
            let evidence: Vec<usize> =
                question.evidence.iter().filter_map(|id| case.trial.place(id)).collect();
            let share = |best: &[usize]| {
                let among = |place: &usize| f64::from(u8::from(best.contains(place)));
                mean(&evidence.iter().map(among).collect::<Vec<f64>>())
            };
            shares.push((share(&best), share(&found) > 0.0));
        }
    }
    shares
}
