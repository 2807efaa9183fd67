//! What a step of a plan is asked with, in the person's language: the message that stands in the conversation.

use super::evaluation::EvaluatedCriterion;
use super::in_language;
use crate::summary::filled;
use crate::workflow::Task;

const STEP: [&str; 2] =
    [include_str!("../../prompts/en/step.md"), include_str!("../../prompts/ko/step.md")];
const DONE: [&str; 2] =
    [include_str!("../../prompts/en/step-done.md"), include_str!("../../prompts/ko/step-done.md")];
const MISSING: [&str; 2] = [
    include_str!("../../prompts/en/step-missing.md"),
    include_str!("../../prompts/ko/step-missing.md"),
];
const AGAIN: [&str; 2] = [
    include_str!("../../prompts/en/step-again.md"),
    include_str!("../../prompts/ko/step-again.md"),
];

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSoFar<'a> {
    /// It was not asked for.
    New,
    /// It was begun and not finished.
    Begun,
    /// It was judged; what is not met is missing.
    Judged(&'a [EvaluatedCriterion]),
}

/// The message that asks for a task of a plan.
pub fn step_text(plan: &str, task: &Task, so_far: StepSoFar<'_>, language: &str) -> String {
    let text = |texts| in_language(texts, language).trim_end();
    let listed = |heading: &str, items: &mut dyn Iterator<Item = String>| {
        items.fold(heading.to_owned(), |list, item| format!("{list}\n- {item}"))
    };
    let mut parts = vec![filled(text(STEP), &[("plan", plan), ("title", &task.title)])];
    parts.push(task.notes.trim().to_owned());
    if !task.acceptance.is_empty() {
        parts.push(listed(text(DONE), &mut task.acceptance.iter().cloned()));
    }
    parts.push(match so_far {
        StepSoFar::New => String::new(),
        StepSoFar::Begun => text(AGAIN).to_owned(),
        StepSoFar::Judged(criteria) => {
            let missing = criteria.iter().filter(|criterion| !criterion.met);
            let mut items = missing.map(|it| match it.why.as_str() {
                "" => it.text.clone(),
                why => format!("{}: {why}", it.text),
            });
            listed(text(MISSING), &mut items)
        }
    });
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}
