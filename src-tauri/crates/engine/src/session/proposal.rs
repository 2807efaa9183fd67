//! Decisions and changes of the plan in what was said. They are proposals: nothing changes before the person says so.
//!
//! A decision is found by the words it is told in, without a model. A model that wants to change the plan writes a block
//! of code in the language `siltstone`, which holds a change as [`WorkflowChange`] reads it, a list of them, or
//! `{"changes": […]}`.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::density::{Sentence, sentences};
use crate::message::Role;
use crate::pattern::pattern;
use crate::workflow::{DecisionOrigin, DecisionSource, WorkflowChange};

/// Proposals of one message; more would only bury each other.
const MOST: usize = 20;

/// Characters of a sentence that tells a decision.
const MOST_CHARS: usize = 300;

/// The language of a block that proposes changes.
const LANGUAGE: &str = "siltstone";

/// A change that somebody proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Proposal {
    /// The change, ready to be made.
    pub change: WorkflowChange,
    /// Where its words begin in the message's text, in bytes.
    pub start: u32,
    /// Where they end.
    pub end: u32,
}

/// Words that tell a decision.
const TOLD: &str = r"(?ix)
    \b(?:we|i)(?:['’]ve|\ have)?(?:\ now|\ finally|\ just|\ all|\ both)?\ (?:decided|agreed|settled)\b
    | \b(?:it\ (?:is|was|has\ been)|it['’]s)\ (?:decided|agreed|settled)\b
    | \blet['’]?s\ (?:go|stick)\ with\b
    | \b(?:we|i)(?:['’]ll|\ will|['’]re\ going\ to|\ are\ going\ to)\ (?:go|stick)\ with\b
    | \b(?:we['’]re|we\ are|i['’]m|i\ am)\ going\ with\b
    | ^\W*(?:final\ )?decision\s*:
    | ^\W*결정(?:\ ?사항)?\s*:
    | 기로\ ?(?:했|하였|하자|합시다|합니다|해요|하죠|한다|결정|정했|합의|함)
    | (?:결정|확정|합의)(?:을\ |를\ )?\ ?(?:했|하였|됐|되었|함|됨)
    | (?:으로|로)\ (?:가자|가죠|갑시다|가기로|정했|정하자)
";

/// Words before it that take it back.
const DOUBTED_BEFORE: &str = r"(?i)\b(?:if|whether|unless|suppose|imagine|when|once|until|before|not|never|had)\b|만약|혹시|아직";

/// Endings of a Korean verb that take it back, and denials.
const DOUBTED_AFTER: &str =
    r"^\w{0,2}(?:다면|으면|면|는지|을지|을까|던|나요|니까\?)|^[^.!]{0,12}(?:않|못|아니|아냐)";

static WORDS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    Some([pattern(TOLD).ok()?, pattern(DOUBTED_BEFORE).ok()?, pattern(DOUBTED_AFTER).ok()?])
});

/// What a message proposes, in its order. Only a reply's blocks count: nobody else speaks for a model.
pub fn proposals(text: &str, role: Role, source: Option<DecisionSource>) -> Vec<Proposal> {
    let mut found = Vec::new();
    let mut at = 0;
    for sentence in sentences(text) {
        let Some(start) = text[at..].find(sentence.text).map(|place| at + place) else {
            continue;
        };
        at = start + sentence.text.len();
        let changes = if sentence.code {
            if role == Role::Assistant { block(sentence.text, source) } else { Vec::new() }
        } else if is_quoted(text, start) {
            Vec::new()
        } else {
            decision(&sentence, source).into_iter().collect()
        };
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (start, end) = (place(start), place(at));
        found.extend(changes.into_iter().map(|change| Proposal { change, start, end }));
    }
    found.truncate(MOST);
    found
}

/// Whether the line is a quotation.
fn is_quoted(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..].trim_start().starts_with('>')
}

fn decision(sentence: &Sentence<'_>, source: Option<DecisionSource>) -> Option<WorkflowChange> {
    let text = plain(sentence.text);
    if text.ends_with(['?', '？']) || text.chars().count() > MOST_CHARS {
        return None;
    }
    let [told, before, after] = WORDS.as_ref()?;
    let words = told.find(text)?;
    if before.is_match(&text[..words.start()])
        || after.is_match(&text[words.end()..])
        || is_within_quotes(text, words.start())
    {
        return None;
    }
    let origin = DecisionOrigin::Found;
    Some(WorkflowChange::AddDecision { text: text.to_owned(), source, origin })
}

/// The sentence without the mark of a list and the emphasis around it.
fn plain(text: &str) -> &str {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text =
        if number.len() < text.len() { number.strip_prefix(". ").unwrap_or(text) } else { text };
    text.trim_start_matches(['-', '*', '+', '•', ' ']).trim_end_matches(['*', ' '])
}

/// Whether somebody else's words, or code, stand at this place of a sentence.
fn is_within_quotes(text: &str, at: usize) -> bool {
    let odd = |mark: char| text[..at].matches(mark).count() % 2 == 1 && text[at..].contains(mark);
    let open = |(begin, end): (char, char)| {
        let last = text[..at].rfind(begin);
        last.is_some_and(|last| !text[last..at].contains(end))
    };
    ['"', '`'].into_iter().any(odd) || [('“', '”'), ('「', '」'), ('‘', '’')].into_iter().any(open)
}

fn block(code: &str, source: Option<DecisionSource>) -> Vec<WorkflowChange> {
    let mut lines = code.lines();
    let info = lines.next().unwrap_or_default();
    if info.trim_start_matches(['`', '~', ' ']).trim() != LANGUAGE {
        return Vec::new();
    }
    let body: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with(['`', '~'])).collect();
    let list = match serde_json::from_str(&body.join("\n")) {
        Ok(Value::Array(list)) => list,
        Ok(Value::Object(mut fields)) => match fields.remove("changes") {
            Some(Value::Array(list)) => list,
            _ => vec![Value::Object(fields)],
        },
        _ => return Vec::new(),
    };
    let changes = list.into_iter().filter_map(|item| serde_json::from_value(item).ok());
    changes.map(|change| attributed(change, source)).collect()
}

/// A model says neither where nor by whom something was decided.
fn attributed(change: WorkflowChange, source: Option<DecisionSource>) -> WorkflowChange {
    match change {
        WorkflowChange::AddDecision { text, .. } => {
            WorkflowChange::AddDecision { text, source, origin: DecisionOrigin::Accepted }
        }
        other => other,
    }
}
