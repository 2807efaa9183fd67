//! A question in ordinary words, as phrases of which any may match: what counts is how many do and how rare they are.

use std::collections::HashSet;

use super::particle;
use super::query::Phrase;
use super::tokenise::{Run, pairs, parts, runs, token};

/// Words that say that something is asked, not what it is about.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "an",
    "and",
    "any",
    "are",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "describe",
    "did",
    "do",
    "does",
    "explain",
    "find",
    "for",
    "from",
    "give",
    "had",
    "has",
    "have",
    "he",
    "her",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "let",
    "me",
    "my",
    "no",
    "not",
    "of",
    "on",
    "or",
    "our",
    "please",
    "say",
    "says",
    "she",
    "should",
    "show",
    "so",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "us",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "가요",
    "거야",
    "것",
    "것은",
    "것이",
    "그",
    "그것",
    "그리고",
    "그런",
    "그럼",
    "나요",
    "내",
    "누가",
    "누구",
    "다시",
    "대한",
    "대해",
    "대해서",
    "되나",
    "되나요",
    "되는",
    "된",
    "뭐",
    "뭐야",
    "뭔가요",
    "몇",
    "몇번",
    "무슨",
    "무엇",
    "무엇이",
    "무엇인가요",
    "무엇인지",
    "무엇을",
    "번",
    "번이야",
    "보여줘",
    "설명",
    "설명해",
    "설명해줘",
    "수",
    "알려",
    "알려줘",
    "알려주세요",
    "어느",
    "어디",
    "어디서",
    "어디에",
    "어떤",
    "어떻게",
    "언제",
    "얼마",
    "얼마나",
    "왜",
    "우리",
    "이",
    "이것",
    "있는",
    "있나",
    "있나요",
    "있는지",
    "있어",
    "있어요",
    "저",
    "저것",
    "좀",
    "주세요",
    "지금",
    "찾아줘",
    "하나요",
    "하는",
    "하는지",
    "해",
    "해줘",
    "해주세요",
    "합니까",
    "혹시",
];

/// The phrases of a question, each once. Question words and particles are left out, unless there is nothing else.
pub fn question(asked: &str) -> Vec<Phrase> {
    let runs = runs(asked);
    let telling: Vec<Run> = runs.iter().filter_map(without_frame).collect();
    let chosen = if telling.is_empty() { &runs } else { &telling };
    let mut seen = HashSet::new();
    chosen
        .iter()
        .flat_map(phrases)
        .filter(|phrase| seen.insert((phrase.tokens.clone(), phrase.open)))
        .collect()
}

/// The words that tell what a text is about, in lower case and without particles, in order.
pub(crate) fn telling_words(text: &str) -> impl Iterator<Item = String> {
    runs(text).into_iter().filter_map(|run| Some(token(&without_frame(&run)?.text)))
}

/// What a word is about: nothing for a question word, the stem for a word with a particle.
pub(crate) fn without_frame(run: &Run) -> Option<Run> {
    if STOP_WORDS.contains(&token(&run.text).as_str()) {
        return None;
    }
    if !run.cjk {
        return Some(run.clone());
    }
    let stem = particle::stem(&run.text).unwrap_or(&run.text);
    // A single syllable begins words of all kinds.
    let telling = stem.chars().nth(1).is_some() && !STOP_WORDS.contains(&stem);
    telling.then(|| Run { cjk: true, text: stem.to_owned() })
}

/// The ways in which a text may speak of the same thing: the word, its beginning, its parts or its pairs.
fn phrases(run: &Run) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> =
        Phrase::new(std::slice::from_ref(run), false).into_iter().collect();
    let mut single = |token: String, open: bool| {
        phrases.push(Phrase { tokens: vec![token], open });
    };
    if run.cjk {
        // A compound that is written with a blank elsewhere still shares its pairs.
        pairs(&run.text).for_each(|pair| single(pair, false));
    } else {
        let word = token(&run.text);
        parts(&run.text).into_iter().for_each(|part| single(token(part), false));
        if word.chars().count() > 2 {
            // `ports` also asks for `port`, and both for what begins like it.
            let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s'));
            single(stem.unwrap_or(&word).to_owned(), true);
        }
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("포트는 몇 번이야?", "포트")]
    #[case("What port does the server use?", "port port* server server* use use*")]
    #[case("데이터베이스가 뭐야", "데이+이터+터베+베이+이스 데이 이터 터베 베이 이스")]
    #[case("what is it?", "what what* is it")]
    #[case("useEffect는?", "useeffect use effect useeffect*")]
    fn questions_become_phrases(#[case] asked: &str, #[case] expected: &str) {
        let found: Vec<String> = question(asked)
            .iter()
            .map(|phrase| {
                let open = if phrase.open { "*" } else { "" };
                format!("{}{open}", phrase.tokens.join("+"))
            })
            .collect();
        assert_eq!(found.join(" "), expected);
    }
}
