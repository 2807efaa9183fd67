//! A verdict on an answer: each criterion of its task, met or not, and why.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{TaskFault, in_language, json_in};
use crate::message::{Message, Part};
use crate::summary::{filled, fit, said};
use crate::tokens::estimate;

/// Most characters of a reason.
const WHY_CHARS: usize = 500;

const BODY: [&str; 2] =
    [include_str!("../../prompts/en/evaluate.md"), include_str!("../../prompts/ko/evaluate.md")];

const FORM: &str = "{\"criteria\": [{\"number\": 1, \"met\": true, \"why\": \"…\"}]}";

/// Whether an answer did what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Evaluation {
    /// Whether every criterion is met.
    pub met: bool,
    /// Each criterion with the verdict on it.
    pub criteria: Vec<EvaluatedCriterion>,
    /// The model that judged.
    pub model: String,
}

/// A verdict on one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EvaluatedCriterion {
    /// The criterion.
    pub text: String,
    /// Whether it is met.
    pub met: bool,
    /// Why, with what it rests on.
    pub why: String,
}

/// What a model is asked for a verdict with. `question` and `work` are quoted already ([`work_text`]).
pub fn evaluation_body(criteria: &[String], question: &str, work: &str, language: &str) -> String {
    let numbered = |(place, text): (usize, &String)| {
        let on_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}. {on_one_line}", place + 1)
    };
    let criteria: Vec<String> = criteria.iter().enumerate().map(numbered).collect();
    let criteria = criteria.join("\n");
    let values = [("form", FORM), ("criteria", &criteria), ("question", question), ("work", work)];
    filled(in_language(BODY, language), &values)
}

/// What messages of a turn say to whoever judges it, in at most about so many tokens: its end, which has the answer, and
/// what there is room for of its beginning. Long results of tools are cut first.
pub fn work_text<'m>(messages: impl IntoIterator<Item = &'m Message>, room: u64) -> String {
    let shown: Vec<String> =
        messages.into_iter().map(|message| said(&results_cut(message))).collect();
    let whole = shown.iter().filter(|it| !it.is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
    let tokens = estimate(&whole).max(1);
    if tokens <= room {
        return whole;
    }
    // Tokens are spread evenly enough; a little less, so that it fits in any case.
    let keep = usize::try_from(whole.len() as u64 * room / tokens * 9 / 10).unwrap_or(usize::MAX);
    let head = &whole[..whole.floor_char_boundary(keep / 4)];
    let tail = &whole[whole.ceil_char_boundary(whole.len() - (keep - keep / 4)).min(whole.len())..];
    format!("{head}\n[…]\n{tail}")
}

/// A message whose results of tools are short.
fn results_cut(message: &Message) -> Message {
    /// Most characters of a result.
    const RESULT_CHARS: usize = 4_000;
    let mut message = message.clone();
    for part in &mut message.parts {
        if let Part::ToolResult { text, .. } = part {
            *text = fit(text, RESULT_CHARS).to_owned();
        }
    }
    message
}

/// What its answer is to be.
pub fn evaluation_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "criteria": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "number": {"type": "integer"},
                        "met": {"type": "boolean"},
                        "why": {"type": "string"},
                    },
                    "required": ["number", "met", "why"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["criteria"],
        "additionalProperties": false,
    })
}

/// The verdict of an answer on these criteria. Each needs exactly one, by its number, or by its place where none has one.
pub fn evaluation_of(
    answer: &str,
    criteria: &[String],
    model: &str,
) -> Result<Evaluation, TaskFault> {
    #[derive(Deserialize)]
    struct Answer {
        criteria: Vec<Verdict>,
    }
    #[derive(Deserialize)]
    struct Verdict {
        #[serde(default)]
        number: Option<usize>,
        met: bool,
        #[serde(default)]
        why: Option<String>,
    }
    let Answer { criteria: verdicts } = json_in(answer)?;
    let numbered = verdicts.iter().any(|verdict| verdict.number.is_some());
    let mut found: Vec<Option<EvaluatedCriterion>> = vec![None; criteria.len()];
    let mut known = 0;
    for (place, verdict) in verdicts.iter().enumerate() {
        let number = if numbered { verdict.number } else { Some(place + 1) };
        let at = number.and_then(|number| number.checked_sub(1));
        let Some((slot, text)) = at.and_then(|at| Some((found.get_mut(at)?, criteria.get(at)?)))
        else {
            continue;
        };
        let why = fit(verdict.why.as_deref().unwrap_or_default(), WHY_CHARS).to_owned();
        known += 1;
        *slot = Some(EvaluatedCriterion { text: text.clone(), met: verdict.met, why });
    }
    let all: Option<Vec<EvaluatedCriterion>> = found.into_iter().collect();
    match all {
        Some(criteria) if known == criteria.len() && verdicts.len() == criteria.len() => {
            let met = criteria.iter().all(|criterion| criterion.met);
            Ok(Evaluation { met, criteria, model: model.to_owned() })
        }
        _ => Err(TaskFault::Verdicts { expected: criteria.len(), found: verdicts.len() }),
    }
}
