//! A plan that a model makes, or the person edits: steps, in an order that can be followed.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::{TaskFault, in_language, json_in};
use crate::summary::{filled, fit};

/// Most steps of a plan.
pub const MOST_STEPS: usize = 40;

/// Most characters of a title, of notes and of a criterion, and most criteria of a step.
const TITLE_CHARS: usize = 200;
const NOTES_CHARS: usize = 4_000;
const CRITERION_CHARS: usize = 500;
const MOST_CRITERIA: usize = 12;

const BODY: [&str; 2] = [
    include_str!("../../prompts/en/create-tree.md"),
    include_str!("../../prompts/ko/create-tree.md"),
];

const FORM: &str = "{\"title\": \"…\", \"steps\": [{\"title\": \"…\", \"notes\": \"…\", \
     \"acceptance\": [\"…\"], \"after\": []}]}";

/// A plan that a model made, for the person to edit before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ExecutionTree {
    /// What is to be done, in a few words.
    pub title: String,
    /// Its steps, in an order that can be followed.
    pub steps: Vec<TreeStep>,
}

/// A step of such a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TreeStep {
    /// What is to be done.
    pub title: String,
    /// How, where that is not plain.
    #[serde(default)]
    pub notes: String,
    /// What must be true when it is done.
    #[serde(default)]
    pub acceptance: Vec<String>,
    /// Places of the steps it waits for, from 0; all of them earlier ones.
    #[serde(default)]
    pub after: Vec<u32>,
}

impl ExecutionTree {
    /// The same without blanks around and doubles in it, or why it is no plan.
    pub fn checked(mut self) -> Result<Self, TaskFault> {
        self.title = self.title.trim().to_owned();
        if self.title.is_empty() {
            return Err(TaskFault::Empty);
        }
        if !(1..=MOST_STEPS).contains(&self.steps.len()) {
            return Err(TaskFault::Steps { count: self.steps.len() });
        }
        for (place, step) in self.steps.iter_mut().enumerate() {
            step.title = step.title.trim().to_owned();
            step.notes = step.notes.trim().to_owned();
            step.acceptance = step.acceptance.iter().map(|it| it.trim().to_owned()).collect();
            step.acceptance.retain(|criterion| !criterion.is_empty());
            step.after.sort_unstable();
            step.after.dedup();
            if step.title.is_empty() {
                return Err(TaskFault::Untitled { step: place });
            }
            let too_long = step.title.chars().count() > TITLE_CHARS
                || step.notes.chars().count() > NOTES_CHARS
                || step.acceptance.len() > MOST_CRITERIA
                || step.acceptance.iter().any(|it| it.chars().count() > CRITERION_CHARS);
            if too_long {
                return Err(TaskFault::TooLong { step: place });
            }
            let late = step.after.iter().find(|after| **after as usize >= place);
            if let Some(after) = late {
                return Err(TaskFault::Order { step: place, after: *after });
            }
        }
        Ok(self)
    }
}

/// What a model is asked for a plan with.
pub fn tree_body(goal: &str, language: &str) -> String {
    let most = MOST_STEPS.to_string();
    let values = [("most", most.as_str()), ("form", FORM), ("goal", goal.trim())];
    filled(in_language(BODY, language), &values)
}

/// What its answer is to be.
pub fn tree_schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "title": {"type": "string"},
                        "notes": {"type": "string"},
                        "acceptance": texts,
                        "after": {"type": "array", "items": {"type": "integer"}},
                    },
                    "required": ["title", "notes", "acceptance", "after"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["title", "steps"],
        "additionalProperties": false,
    })
}

/// The plan of an answer. What is written at too great a length is cut.
pub fn tree_of(answer: &str, goal: &str) -> Result<ExecutionTree, TaskFault> {
    #[derive(Deserialize)]
    struct Answer {
        #[serde(default)]
        title: Option<String>,
        steps: Vec<Step>,
    }
    #[derive(Deserialize)]
    struct Step {
        title: String,
        #[serde(default)]
        notes: Option<String>,
        #[serde(default, deserialize_with = "one_or_many")]
        acceptance: Vec<String>,
        #[serde(default)]
        after: Option<Vec<u32>>,
    }
    fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Many(Vec<String>),
            One(String),
            None(()),
        }
        Ok(match Said::deserialize(from)? {
            Said::Many(many) => many,
            Said::One(one) => vec![one],
            Said::None(()) => Vec::new(),
        })
    }
    let Answer { title, steps } = json_in(answer)?;
    let cut = |text: &str, limit| fit(text, limit).to_owned();
    let step = |step: Step| TreeStep {
        title: cut(&step.title, TITLE_CHARS),
        notes: cut(step.notes.as_deref().unwrap_or_default(), NOTES_CHARS),
        acceptance: {
            let criteria = step.acceptance.iter().map(|it| cut(it, CRITERION_CHARS));
            criteria.filter(|it| !it.is_empty()).take(MOST_CRITERIA).collect()
        },
        after: step.after.unwrap_or_default(),
    };
    let title = title.filter(|title| !title.trim().is_empty());
    let title = cut(title.as_deref().unwrap_or(goal), TITLE_CHARS);
    ExecutionTree { title, steps: steps.into_iter().map(step).collect() }.checked()
}
