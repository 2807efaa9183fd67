//! Work that a model is asked for beside answers (behaviour.md, Context stores): a plan, a verdict
//! on an answer, a title.
//!
//! Each has a body that is asked ([`tree_body`], [`evaluation_body`], [`title_body`]), what the answer is to be where a
//! provider can see to it ([`tree_schema`], [`evaluation_schema`]), and a reading of the answer that is lenient about
//! its wrapping and strict about what it says. The app composes the body with the stores of its task, asks, and asks
//! once more with the [`TaskFault`] of an answer of no use. `step` writes what a step of a plan is asked with.
//! Deliberately absent: who asks, and what becomes of a plan; that is the workflow's.

mod evaluation;
mod step;
#[cfg(test)]
mod tests;
mod title;
mod tree;

use serde::de::DeserializeOwned;

use crate::summary::filled;

pub use evaluation::{
    EvaluatedCriterion, Evaluation, evaluation_body, evaluation_of, evaluation_schema, work_text,
};
pub use step::{StepSoFar, step_text};
pub use title::{title_body, title_of};
pub use tree::{ExecutionTree, MOST_STEPS, TreeStep, tree_body, tree_of, tree_schema};

/// Why an answer, or a plan, is of no use. Its `Display` is told to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskFault {
    /// No JSON of the form.
    #[error("it is not JSON of that form ({detail})")]
    Form {
        /// What the parser said.
        detail: String,
    },
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// There are no steps, or too many.
    #[error("it has {count} steps, and 1 to {MOST_STEPS} are possible")]
    Steps {
        /// How many.
        count: usize,
    },
    /// A step has no title.
    #[error("step {step} has no title")]
    Untitled {
        /// Its place, from 0.
        step: usize,
    },
    /// A step is written at too great a length.
    #[error("step {step} is too long")]
    TooLong {
        /// Its place, from 0.
        step: usize,
    },
    /// A step waits for itself, for a later one, or for one that is not there.
    #[error("step {step} cannot come after step {after}; only earlier ones are possible")]
    Order {
        /// Its place, from 0.
        step: usize,
        /// What it names.
        after: u32,
    },
    /// Not every criterion has exactly one verdict.
    #[error("it has {found} verdicts for {expected} criteria; one for each is needed")]
    Verdicts {
        /// Criteria.
        expected: usize,
        /// Verdicts that name one of them.
        found: usize,
    },
}

/// The body, and after an answer of no use why it was.
pub fn with_fault(body: &str, fault: Option<&TaskFault>, language: &str) -> String {
    let again = [
        include_str!("../../prompts/en/task-again.md"),
        include_str!("../../prompts/ko/task-again.md"),
    ];
    match fault {
        None => body.to_owned(),
        Some(fault) => {
            let why = fault.to_string();
            format!("{body}\n\n{}", filled(in_language(again, language), &[("why", &why)]))
        }
    }
}

/// The English or the Korean one.
fn in_language(texts: [&'static str; 2], language: &str) -> &'static str {
    let [en, ko] = texts;
    if language == "ko" { ko } else { en }
}

/// The JSON of an answer, bare, in a code block or between words.
fn json_in<T: DeserializeOwned>(answer: &str) -> Result<T, TaskFault> {
    let none = || TaskFault::Form { detail: "there is no JSON object".into() };
    let (start, end) = (answer.find('{').ok_or_else(none)?, answer.rfind('}').ok_or_else(none)?);
    let json = answer.get(start..=end).ok_or_else(none)?;
    serde_json::from_str(json).map_err(|error| TaskFault::Form { detail: error.to_string() })
}
