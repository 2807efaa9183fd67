//! A session as a text for whoever goes on with it: what holds, what was summarised, how it began and how it ended.

use super::EntryKind;
use super::dropped::ledger_of;
use super::handover::Handover;
use super::session::Session;
use crate::ledger::{Fact, choose};
use crate::message::{Part, Role};
use crate::summary::language_of;
use crate::tokens::estimate;

/// Tokens of rules, decisions, paths and the like; rules and decisions go also beyond it.
const FACTS: u64 = 1_500;

/// Tokens of the last exchanges.
const NEWEST: u64 = 6_000;

/// Letters of one message of those.
const LONGEST: usize = 6_000;

/// The hand-over text of a session, in the language in which it was led.
pub fn as_text(session: &Session, by: &str, handover: &Handover) -> String {
    let asked: Vec<&str> =
        handover.steps.iter().filter(|step| step.is_turn).flat_map(texts).collect();
    let is_korean = language_of(&asked.join("\n")) == "ko";
    let pick = |en: &'static str, ko: &'static str| if is_korean { ko } else { en };
    let mut text = format!("# {}\n", session.title.trim());
    let days = [session.entries.first(), session.entries.last()].map(|entry| entry?.at);
    let day = |at: jiff::Timestamp| at.strftime("%Y-%m-%d").to_string();
    let about = [session.folder.clone(), session.git_branch.clone()];
    let about = about.into_iter().chain(days.map(|at| at.map(day))).flatten();
    let about: Vec<String> = std::iter::once(by.to_owned()).chain(about).collect();
    section(&mut text, pick("From", "출처"), &about.join(" · "));

    let path = session.path();
    let ledger = ledger_of(session, &path);
    let facts: Vec<Fact> =
        ledger.facts().iter().filter(|fact| fact.entry.in_force).cloned().collect();
    let chosen = choose(&facts, FACTS, if is_korean { "ko" } else { "en" }, estimate);
    let rules = pick("Rules, decisions, files and figures", "규칙, 결정, 파일, 수치");
    section(&mut text, rules, &chosen.text);

    let is_fold = |at: &&usize| matches!(session.entries[**at].kind, EntryKind::Fold(_));
    let summary = path.iter().rev().find(is_fold).map(|at| session.entries[*at].text());
    section(&mut text, pick("Summary so far", "지금까지의 요약"), &summary.unwrap_or_default());

    section(&mut text, pick("First question", "첫 질문"), &short(asked.first().unwrap_or(&"")));
    let (person, model) = (pick("Person", "사람"), pick("Model", "모델"));
    let mut newest = Vec::new();
    let mut tokens = 0;
    for step in handover.steps.iter().rev() {
        let said = texts(step).collect::<Vec<_>>().join("\n\n");
        let who = if step.role == Role::Assistant { model } else { person };
        let calls = step.parts.iter().filter_map(|part| match part {
            Part::ToolCall { name, arguments, .. } => Some(format!("\n→ {name} {arguments}")),
            _ => None,
        });
        let said = format!("{said}{}", calls.collect::<String>());
        if said.trim().is_empty() {
            continue;
        }
        let said = format!("**{who}**: {}", short(said.trim()));
        tokens += estimate(&said);
        if tokens > NEWEST && !newest.is_empty() {
            break;
        }
        newest.push(said);
    }
    newest.reverse();
    section(&mut text, pick("Now", "지금"), &newest.join("\n\n"));
    text
}

fn section(text: &mut String, heading: &str, body: &str) {
    if !body.trim().is_empty() {
        text.push_str(&format!("\n## {heading}\n\n{}\n", body.trim()));
    }
}

/// The texts of what was said; not what tools answered.
fn texts(step: &super::Step) -> impl Iterator<Item = &str> {
    step.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    })
}

/// A text, or its beginning and end.
fn short(text: &str) -> String {
    let letters = text.chars().count();
    if letters <= LONGEST {
        return text.to_owned();
    }
    let begin: String = text.chars().take(LONGEST / 2).collect();
    let end: String = text.chars().skip(letters - LONGEST / 2).collect();
    format!("{begin}\n[…]\n{end}")
}
