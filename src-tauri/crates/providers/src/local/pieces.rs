//! Cutting texts as a `tokenizer.json` says: normalised, into words, and those into the pieces of a vocabulary.

use std::collections::HashMap;

use serde_json::Value;
use siltstone_engine::provider::ProviderError;

use super::normal::{Cut, Step, cuts, steps};
use super::unigram::Unigram;
use super::unreadable;

/// A word of more characters is not known to anybody.
const LONGEST: usize = 200;

/// A tokenizer.
pub(super) struct Pieces {
    steps: Vec<Step>,
    cuts: Vec<Cut>,
    vocabulary: Vocabulary,
}

enum Vocabulary {
    Unigram(Unigram),
    /// The longest piece first; `inside` stands before those that do not begin a word.
    Longest {
        numbers: HashMap<String, u32>,
        inside: String,
    },
}

impl Pieces {
    /// Reads a description.
    pub(super) fn read(json: &str) -> Result<Self, ProviderError> {
        let all: Value =
            serde_json::from_str(json).map_err(|error| unreadable(&error.to_string()))?;
        let model = &all["model"];
        // Older files leave the kind out.
        let listed = model["vocab"].is_array();
        let vocabulary = match model["type"].as_str() {
            Some("Unigram") => unigram(model)?,
            None if listed => unigram(model)?,
            Some("WordPiece") => longest(model)?,
            None if model["continuing_subword_prefix"].is_string() => longest(model)?,
            other => {
                let kind = other.unwrap_or("no kind");
                return Err(unreadable(&format!("its vocabulary of {kind} is not known here")));
            }
        };
        let (steps, cuts) = (steps(&all["normalizer"])?, cuts(&all["pre_tokenizer"])?);
        Ok(Self { steps, cuts, vocabulary })
    }

    /// The numbers of a text's pieces; what is not known is left out.
    pub(super) fn of(&self, text: &str) -> Vec<u32> {
        let text = self.steps.iter().fold(text.to_owned(), |text, step| step.take(text));
        let mut words = vec![text];
        for cut in &self.cuts {
            words = words.iter().flat_map(|text| cut.take(text)).collect();
        }
        words.iter().flat_map(|word| self.vocabulary.cut(word)).collect()
    }
}

impl Vocabulary {
    fn cut(&self, word: &str) -> Vec<u32> {
        match self {
            Self::Unigram(unigram) => {
                let mut cut = unigram.cut(word);
                cut.retain(|number| *number != unigram.unknown());
                cut
            }
            Self::Longest { numbers, inside } => longest_first(numbers, inside, word),
        }
    }
}

fn longest_first(numbers: &HashMap<String, u32>, inside: &str, word: &str) -> Vec<u32> {
    let mut cut = Vec::new();
    let mut rest = word;
    if word.chars().nth(LONGEST).is_some() {
        return cut;
    }
    while !rest.is_empty() {
        let before = if cut.is_empty() { "" } else { inside };
        let ends = rest.char_indices().map(|(at, it)| at + it.len_utf8()).rev();
        let known =
            |end: usize| numbers.get(&format!("{before}{}", &rest[..end])).map(|it| (end, *it));
        // A word that is not known to its end is not known at all.
        let Some((end, number)) = ends.into_iter().find_map(known) else { return Vec::new() };
        cut.push(number);
        rest = &rest[end..];
    }
    cut
}

fn unigram(model: &Value) -> Result<Vocabulary, ProviderError> {
    let entries = model["vocab"].as_array().into_iter().flatten();
    let pieces =
        entries.map(|entry| Some((entry[0].as_str()?.to_owned(), entry[1].as_f64()? as f32)));
    let pieces: Option<Vec<(String, f32)>> = pieces.collect();
    let unknown = u32::try_from(model["unk_id"].as_u64().unwrap_or(0)).ok();
    match (pieces, unknown) {
        (Some(pieces), Some(unknown)) if !pieces.is_empty() => {
            Ok(Vocabulary::Unigram(Unigram::new(pieces, unknown)))
        }
        _ => Err(unreadable("its vocabulary has no pieces with scores")),
    }
}

fn longest(model: &Value) -> Result<Vocabulary, ProviderError> {
    let entries = model["vocab"].as_object().into_iter().flatten();
    let numbers = entries.map(|(piece, number)| {
        Some((piece.clone(), number.as_u64().and_then(|number| u32::try_from(number).ok())?))
    });
    let numbers: Option<HashMap<String, u32>> = numbers.collect();
    let mut numbers = numbers
        .filter(|it| !it.is_empty())
        .ok_or_else(|| unreadable("its vocabulary has no pieces"))?;
    if let Some(unknown) = model["unk_token"].as_str() {
        numbers.remove(unknown);
    }
    let inside = model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned();
    Ok(Vocabulary::Longest { numbers, inside })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn bert() -> Pieces {
        // Without accents means decomposed, and so are syllables.
        let vocabulary = [
            "[UNK]",
            "port",
            "##s",
            "##able",
            "!",
            "\u{1111}\u{1169}",
            "##\u{1110}\u{1173}",
            "café",
            "cafe",
        ];
        let vocabulary: serde_json::Map<_, _> = vocabulary
            .iter()
            .zip(0..)
            .map(|(piece, at)| ((*piece).to_owned(), json!(at)))
            .collect();
        let json = json!({
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": vocabulary},
        });
        Pieces::read(&json.to_string()).unwrap()
    }

    fn sentence() -> Pieces {
        let vocabulary = json!([
            ["<unk>", 0.0],
            ["▁port", -1.0],
            ["▁포트", -1.0],
            ["는", -2.0],
            ["s", -3.0],
            ["▁", -4.0]
        ]);
        let json = json!({
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": "AA=="},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                {"type": "Lowercase"},
            ]},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
            "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary},
        });
        Pieces::read(&json.to_string()).unwrap()
    }

    #[rstest]
    #[case(bert(), "Ports!", &[1, 2, 4])]
    #[case(bert(), "portable  포트\n", &[1, 3, 5, 6])]
    #[case(bert(), "Café", &[8])]
    #[case(bert(), "portx", &[])]
    #[case(sentence(), "Ports   포트는", &[1, 4, 2, 3])]
    #[case(sentence(), "ＰＯＲＴ", &[1])]
    #[case(sentence(), "☃", &[5])]
    fn a_text_is_cut_as_the_file_says(
        #[case] by: Pieces,
        #[case] text: &str,
        #[case] expected: &[u32],
    ) {
        assert_eq!(by.of(text), expected);
    }

    #[rstest]
    #[case(json!({"normalizer": {"type": "Secret"}, "model": {"type": "Unigram", "vocab": [["a", 0]]}}))]
    #[case(json!({"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "Unigram", "vocab": [["a", 0]]}}))]
    #[case(json!({"model": {"type": "BPE", "vocab": {"a": 1}}}))]
    #[case(json!({"model": {"type": "Unigram", "vocab": []}}))]
    #[case(json!({"model": {"type": "WordPiece", "vocab": {"a": -1}}}))]
    #[case(json!([]))]
    fn what_is_not_known_is_refused(#[case] file: Value) {
        let refused = Pieces::read(&file.to_string()).err();
        assert!(matches!(refused, Some(ProviderError::Malformed { .. })), "{refused:?}");
    }
}
