//! `make bench-recall`: how much of what answers a question stands in the context that each way of telling a
//! conversation builds, on the project's own chats and, where a file is named, on others.
//!
//! On the own chats every question is ranked with weights that never saw its chat. A piece of evidence counts when four
//! fifths of its runs of four words stand in the text, or, of a long message, of the stretch that answers; intervals are 95 % bootstraps over questions. `train` makes the
//! weights that are shipped, of all chats; the same chats always give the same weights.

mod chats;
mod meaning;
mod scoring;
mod training;

use std::fmt::Write;
use std::time::{Duration, Instant};

use siltstone_engine::recall::Model;
use siltstone_engine::recall::trial::{Data, Question, Strategy, Trial};

use crate::Outcome;
pub use meaning::table as with_meaning;
use scoring::{Interval, kept, key, mean};

/// Tokens of a context.
const BUDGETS: [u64; 5] = [512, 1024, 2048, 4096, 8192];

/// Own chats are a few thousand tokens long, so large budgets would hold all of them.
const OWN_BUDGETS: [u64; 3] = [256, 512, 1024];

/// A conversation, its questions, and the weights they are ranked with.
struct Case<'a> {
    trial: Trial,
    model: Model,
    questions: Vec<&'a Question>,
}

/// What a strategy made of the questions.
struct Scored {
    strategy: Strategy,
    /// For each budget the share of evidence kept, a question each.
    kept: Vec<Vec<f64>>,
    times: Vec<Duration>,
}

/// The weights of all own chats as the file that is shipped.
pub fn train() -> Outcome<String> {
    let data = chats::own()?;
    let examples = training::examples(&data);
    let all: Vec<_> = examples.iter().collect();
    Ok(serde_json::to_string_pretty(&training::fit(&all))? + "\n")
}

/// The tables.
pub fn tables(other: Option<&str>) -> Outcome<String> {
    let own = chats::own()?;
    let mut text = String::new();
    let unseen = training::unseen(&own);
    for (title, of) in
        [("Korean chats", Some("ko-")), ("English chats", Some("en-")), ("all own chats", None)]
    {
        let cases = cases(
            &own,
            |id| of.is_none_or(|of| id.starts_with(of)),
            |id| unseen.iter().find(|it| it.0 == id).map(|it| it.1.clone()).unwrap_or_default(),
        );
        let title = format!("{title}, weights without the asked chat");
        text.push_str(&table(&title, &cases, &OWN_BUDGETS, of.is_none())?);
    }
    if let Some(file) = other {
        let data: Data = serde_json::from_slice(&std::fs::read(file)?)?;
        let cases = cases(&data, |_| true, |_| Model::shipped().clone());
        text.push_str(&table(file, &cases, &BUDGETS, true)?);
    }
    Ok(text)
}

fn cases<'a>(
    data: &'a Data,
    chosen: impl Fn(&str) -> bool,
    model: impl Fn(&str) -> Model,
) -> Vec<Case<'a>> {
    let chats = data.conversations.iter().filter(|chat| chosen(&chat.id));
    let case = |chat: &siltstone_engine::recall::trial::Conversation| {
        let asked = data.questions.iter().filter(|it| it.conversation == chat.id);
        // Questions that are meant to have no answer have none to keep.
        let questions =
            asked.filter(|it| !it.evidence.is_empty() && it.category != "adversarial").collect();
        Case { trial: Trial::of(chat), model: model(&chat.id), questions }
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
            Interval::of(&among_five(it.strategy, cases)).to_string()
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
        let pairs = among_five(Strategy::Recall, cases);
        let pairs = pairs.iter().zip(among_five(Strategy::Bm25, cases)).map(|(a, b)| a - b);
        writeln!(text, " {} | | |", Interval::of(&pairs.collect::<Vec<f64>>()).signed())?;
    }
    let bytes: usize = cases.iter().map(|case| case.trial.index.size()).sum();
    let texts = cases
        .iter()
        .flat_map(|case| (0..case.trial.index.messages()).map(|at| case.trial.text(at)));
    let said: usize = texts.map(str::len).sum();
    writeln!(text, "\nIndex: {bytes} bytes for {said} bytes of text.")?;
    Ok(text)
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
            for question in &case.questions {
                let started = Instant::now();
                let text = match &once {
                    Some(text) => text,
                    None => {
                        let made =
                            case.trial.context(strategy, &question.question, *budget, &case.model);
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

/// The share of evidence among the five best messages, a question each.
fn among_five(strategy: Strategy, cases: &[Case<'_>]) -> Vec<f64> {
    let mut shares = Vec::new();
    for case in cases {
        for question in &case.questions {
            let mut best: Vec<usize> = match strategy {
                Strategy::Recall => {
                    let ranked = case.trial.ranked(&question.question, &case.model);
                    case.trial.messages_of(&ranked)
                }
                _ => {
                    let mut found = case.trial.index.bm25(&question.question);
                    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
                    found.into_iter().map(|(message, _)| message).collect()
                }
            };
            best.truncate(5);
            let evidence = question.evidence.iter().filter_map(|id| case.trial.place(id));
            let found: Vec<f64> =
                evidence.map(|place| f64::from(u8::from(best.contains(&place)))).collect();
            shares.push(mean(&found));
        }
    }
    shares
}
