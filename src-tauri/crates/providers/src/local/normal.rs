//! What a `tokenizer.json` does to a text before it is cut into pieces: the normalisers and the cuts into words that
//! models of words and sentences use. One that is not known here is an error and not left out: a model that is fed
//! otherwise than it was taught gives vectors that look right and are not.

use regex::Regex;
use serde_json::Value;
use siltstone_engine::provider::ProviderError;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::unreadable;

/// One step of normalising.
pub(super) enum Step {
    Lower,
    Compose,
    Decompose,
    /// Compatible forms, composed; also what stands for SentencePiece's own table, which is this with few exceptions.
    Compatible,
    CompatibleApart,
    WithoutAccents,
    WithoutControls,
    CjkApart,
    Trimmed,
    Before(String),
    Replaced(Regex, String),
}

/// The steps that a tokenizer describes.
pub(super) fn steps(of: &Value) -> Result<Vec<Step>, ProviderError> {
    if of.is_null() {
        return Ok(Vec::new());
    }
    let is = |name: &str, usual: bool| of[name].as_bool().unwrap_or(usual);
    Ok(match of["type"].as_str().unwrap_or_default() {
        "Sequence" => {
            let each = of["normalizers"].as_array().into_iter().flatten().map(steps);
            each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
        }
        "Lowercase" => vec![Step::Lower],
        "NFC" => vec![Step::Compose],
        "NFD" => vec![Step::Decompose],
        "NFKC" | "Precompiled" | "Nmt" => vec![Step::WithoutControls, Step::Compatible],
        "NFKD" => vec![Step::CompatibleApart],
        "StripAccents" => vec![Step::WithoutAccents],
        "Strip" => vec![Step::Trimmed],
        "Prepend" => vec![Step::Before(of["prepend"].as_str().unwrap_or_default().to_owned())],
        "Replace" => vec![replaced(&of["pattern"], &of["content"])?],
        "BertNormalizer" => {
            let lower = is("lowercase", true);
            let accents = of["strip_accents"].as_bool().unwrap_or(lower);
            let steps = [
                (is("clean_text", true), Step::WithoutControls),
                (is("handle_chinese_chars", true), Step::CjkApart),
                (accents, Step::Decompose),
                (accents, Step::WithoutAccents),
                (lower, Step::Lower),
            ];
            steps.into_iter().filter(|(wanted, _)| *wanted).map(|(_, step)| step).collect()
        }
        other => return Err(unreadable(&format!("its normaliser {other} is not known here"))),
    })
}

fn replaced(pattern: &Value, content: &Value) -> Result<Step, ProviderError> {
    let pattern = match (&pattern["String"], &pattern["Regex"]) {
        (Value::String(text), _) => regex::escape(text),
        (_, Value::String(pattern)) => pattern.clone(),
        _ => return Err(unreadable("its normaliser replaces nothing")),
    };
    let pattern = Regex::new(&pattern).map_err(|error| unreadable(&error.to_string()))?;
    Ok(Step::Replaced(pattern, content.as_str().unwrap_or_default().to_owned()))
}

impl Step {
    /// The text after this step.
    pub(super) fn take(&self, text: String) -> String {
        match self {
            Self::Lower => text.to_lowercase(),
            Self::Compose => text.nfc().collect(),
            Self::Decompose => text.nfd().collect(),
            Self::Compatible => text.nfkc().collect(),
            Self::CompatibleApart => text.nfkd().collect(),
            Self::WithoutAccents => text.chars().filter(|it| !is_combining_mark(*it)).collect(),
            Self::WithoutControls => {
                let kept = text.chars().map(|it| if it.is_whitespace() { ' ' } else { it });
                kept.filter(|it| !it.is_control() && *it != '\u{FFFD}').collect()
            }
            Self::CjkApart => {
                let apart = |it: char| {
                    let blank = is_ideograph(it).then_some(' ');
                    blank.into_iter().chain([it]).chain(blank)
                };
                text.chars().flat_map(apart).collect()
            }
            Self::Trimmed => text.trim().to_owned(),
            Self::Before(first) => format!("{first}{text}"),
            Self::Replaced(pattern, with) => {
                pattern.replace_all(&text, regex::NoExpand(with)).into_owned()
            }
        }
    }
}

fn is_ideograph(it: char) -> bool {
    matches!(it, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2FA1F}')
}

/// One way to cut a text into words.
pub(super) enum Cut {
    /// At blanks and around every punctuation mark.
    Bert,
    /// At blanks and between words and marks.
    Words,
    /// At blanks.
    Blanks,
    /// Around punctuation marks.
    Marks,
    /// Before every blank, which a mark stands for; at the beginning there is one too, if wanted.
    Marked { mark: String, first: bool },
}

/// The cuts that a tokenizer describes.
pub(super) fn cuts(of: &Value) -> Result<Vec<Cut>, ProviderError> {
    if of.is_null() {
        return Ok(Vec::new());
    }
    Ok(match of["type"].as_str().unwrap_or_default() {
        "Sequence" => {
            let each = of["pretokenizers"].as_array().into_iter().flatten().map(cuts);
            each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
        }
        "BertPreTokenizer" => vec![Cut::Bert],
        "Whitespace" => vec![Cut::Words],
        "WhitespaceSplit" => vec![Cut::Blanks],
        "Punctuation" => vec![Cut::Marks],
        "Metaspace" => {
            let first = of["prepend_scheme"].as_str().map(|scheme| scheme != "never");
            let first = first.or(of["add_prefix_space"].as_bool()).unwrap_or(true);
            let mark = of["replacement"].as_str().unwrap_or("▁").to_owned();
            vec![Cut::Marked { mark, first }]
        }
        other => {
            return Err(unreadable(&format!("its way to cut words, {other}, is not known here")));
        }
    })
}

impl Cut {
    /// The words of a text.
    pub(super) fn take(&self, text: &str) -> Vec<String> {
        match self {
            Self::Blanks => text.split_whitespace().map(str::to_owned).collect(),
            Self::Bert => text.split_whitespace().flat_map(|word| around(word, is_mark)).collect(),
            Self::Marks => around(text, is_mark),
            Self::Words => {
                let is_other =
                    |it: char| !it.is_alphanumeric() && it != '_' && !is_combining_mark(it);
                let words = text.split_whitespace();
                words.flat_map(|word| runs(word, is_other)).collect()
            }
            Self::Marked { mark, first } => {
                let mut text = text.replace(' ', mark);
                if *first && !text.starts_with(mark.as_str()) {
                    text.insert_str(0, mark);
                }
                let mut ends: Vec<usize> =
                    text.match_indices(mark.as_str()).map(|it| it.0).collect();
                ends.push(text.len());
                ends.insert(0, 0);
                let words = ends.windows(2).map(|ends| text[ends[0]..ends[1]].to_owned());
                words.filter(|word| !word.is_empty()).collect()
            }
        }
    }
}

fn is_mark(it: char) -> bool {
    it.is_ascii_punctuation() || (!it.is_alphanumeric() && !it.is_whitespace() && !it.is_ascii())
}

/// The text cut before and after every such character.
fn around(text: &str, apart: impl Fn(char) -> bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for character in text.chars() {
        match words.last_mut().filter(|_| open && !apart(character)) {
            Some(word) => word.push(character),
            None => words.push(character.to_string()),
        }
        open = !apart(character);
    }
    words
}

/// The text cut where such characters begin or end.
fn runs(text: &str, other: impl Fn(char) -> bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for character in text.chars() {
        let kind = other(character);
        match words.last_mut().filter(|_| last == Some(kind)) {
            Some(word) => word.push(character),
            None => words.push(character.to_string()),
        }
        last = Some(kind);
    }
    words
}
