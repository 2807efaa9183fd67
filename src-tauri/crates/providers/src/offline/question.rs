//! What a question looks for: its words without particles and without those that every question has.
//!
//! A word is looked for in a few forms, each weaker than the one before: as written, without its Korean particle or
//! English ending, and for Korean verbs by its first two syllables.

use std::collections::HashSet;

use super::texts::{EN, KO, Texts};

/// Particles and endings that follow a Korean noun, longest first within what they share.
const PARTICLES: [&str; 46] = [
    "에서는",
    "으로는",
    "에서의",
    "이라는",
    "인가요",
    "이에요",
    "입니까",
    "입니다",
    "에게서",
    "이라도",
    "부터",
    "까지",
    "에서",
    "에게",
    "한테",
    "으로",
    "이나",
    "이랑",
    "라는",
    "라고",
    "처럼",
    "보다",
    "마다",
    "인지",
    "인가",
    "예요",
    "이야",
    "나요",
    "에는",
    "하고",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "의",
    "와",
    "과",
    "도",
    "만",
    "로",
    "랑",
    "야",
    "요",
];

/// Korean words that any question may have.
const EMPTY_KO: [&str; 58] = [
    "무엇",
    "뭐",
    "뭔",
    "무슨",
    "어떤",
    "어느",
    "어떻게",
    "어디",
    "언제",
    "왜",
    "누구",
    "누가",
    "얼마",
    "얼마나",
    "몇",
    "그",
    "저",
    "이거",
    "그거",
    "것",
    "거",
    "게",
    "수",
    "좀",
    "해줘",
    "알려줘",
    "알려주세요",
    "설명해줘",
    "설명해주세요",
    "보여줘",
    "보여주세요",
    "찾아줘",
    "찾아주세요",
    "말해줘",
    "있나요",
    "있어",
    "있어요",
    "있습니까",
    "있는",
    "있는지",
    "하나요",
    "합니까",
    "하는",
    "하는지",
    "되나요",
    "됩니까",
    "되는",
    "대해",
    "대한",
    "관해",
    "관한",
    "우리",
    "내",
    "제",
    "지금",
    "그리고",
    "이것",
    "그것",
];

/// English words that any question may have.
const EMPTY_EN: [&str; 88] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could",
    "did", "do", "does", "explain", "find", "for", "from", "give", "had", "has", "have", "he",
    "her", "here", "his", "how", "i", "if", "in", "is", "it", "its", "let", "may", "me", "might",
    "must", "my", "no", "not", "of", "on", "or", "our", "please", "shall", "she", "should", "show",
    "so", "some", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "us", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your", "am", "hi", "hello",
];

/// One way in which a word may stand in a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    text: String,
    /// Only as a word of its own: too short to mean anything inside another.
    alone: bool,
    /// How much a hit is worth, 1 for the word as written.
    pub worth: f64,
}

impl Form {
    /// Whether it stands in a line of this lower-case text with these words.
    pub(super) fn is_in(&self, lower: &str, words: &HashSet<String>) -> bool {
        if self.alone { words.contains(&self.text) } else { lower.contains(&self.text) }
    }
}

/// The words a question looks for, each in its forms.
pub(super) fn words_of(question: &str) -> Vec<Vec<Form>> {
    let mut seen = HashSet::new();
    runs(&question.to_lowercase())
        .into_iter()
        .filter(|word| !is_empty(word) && seen.insert((*word).to_owned()))
        .map(forms)
        .collect()
}

/// The words of a line, with and without their endings.
pub(super) fn words_in(lower: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    for run in runs(lower) {
        for word in run.split('_').chain([run, stem(run)]) {
            words.insert(word.to_owned());
        }
    }
    words
}

/// The language in which to answer: the question's own where it is clear, else the wanted one. Names and code in a
/// Korean sentence are Latin, so English is told by its small words.
pub(super) fn language_of(question: &str, wanted: &str) -> &'static Texts {
    let lower = question.to_lowercase();
    let words = runs(&lower);
    let korean = words.iter().filter(|word| word.starts_with(is_hangul)).count();
    let english = words.iter().filter(|word| EMPTY_EN.contains(word)).count();
    let latin = question.contains(|c: char| c.is_ascii_alphabetic());
    match (korean, latin) {
        (0, false) if wanted == "ko" => &KO,
        _ if korean > english => &KO,
        _ => &EN,
    }
}

/// Stretches of one script: `JWT를` is `jwt` and `를`.
fn runs(lower: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut start = None;
    let mut before = 0;
    for (at, c) in lower.char_indices() {
        let kind = match c {
            _ if is_hangul(c) => 1,
            '_' => 2,
            _ if c.is_alphanumeric() => 2,
            _ => 0,
        };
        if kind != before
            && let Some(from) = start.take()
        {
            runs.push(&lower[from..at]);
        }
        if kind != 0 && start.is_none() {
            start = Some(at);
        }
        before = kind;
    }
    runs.extend(start.map(|from| &lower[from..]));
    runs
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}')
}

fn is_empty(word: &str) -> bool {
    let word = word.trim_matches('_');
    word.is_empty()
        || EMPTY_EN.contains(&word)
        || EMPTY_KO.contains(&word)
        || EMPTY_KO.contains(&stem(word))
        || PARTICLES.contains(&word)
}

fn forms(word: &str) -> Vec<Form> {
    let hangul = word.starts_with(is_hangul);
    let enough = if hangul { 2 } else { 4 };
    let form = |text: &str, worth: f64| Form {
        text: text.to_owned(),
        alone: text.chars().count() < enough,
        worth,
    };
    let mut forms = vec![form(word, 1.0)];
    let stem = stem(word);
    if stem != word {
        forms.push(form(stem, 0.9));
    }
    if hangul && let Some((end, _)) = stem.char_indices().nth(2) {
        forms.push(form(&stem[..end], 0.5));
    }
    forms
}

/// The word without its particle or ending.
fn stem(word: &str) -> &str {
    if word.starts_with(is_hangul) {
        let found = PARTICLES
            .iter()
            .filter_map(|particle| word.strip_suffix(particle))
            .filter(|stem| !stem.is_empty())
            .min_by_key(|stem| stem.len());
        return found.unwrap_or(word);
    }
    ["ing", "ed", "es", "s"]
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|stem| stem.len() >= 4)
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("데이터베이스 포트는 몇 번인가요?", "포트: 5433", true)]
    #[case("갱신 경로를 바꾸면 안 되나요?", "절대로 바꾸지 마세요.", true)]
    #[case("refreshToken은 어디에 있어?", "fn refreshToken() {}", true)]
    #[case("JWT를 쓰나요", "the jwt lives for an hour", true)]
    #[case("What ttl do access tokens have?", "ACCESS_TTL = 900", true)]
    #[case("What is it?", "what it is", false)]
    #[case("이것은 무엇인가요?", "이것은 무엇인가요", false)]
    #[case("Is go used?", "a good category", false)]
    fn a_question_finds_its_words_in_any_form(
        #[case] question: &str,
        #[case] line: &str,
        #[case] found: bool,
    ) {
        let lower = line.to_lowercase();
        let words = words_in(&lower);
        let hit = words_of(question).iter().flatten().any(|form| form.is_in(&lower, &words));
        assert_eq!(hit, found, "{:?}", words_of(question));
    }

    #[rstest]
    #[case("포트가 뭐야?", "en", KO.opening)]
    #[case("refreshTokenPath 함수가 어디 있어?", "en", KO.opening)]
    #[case("Which port?", "ko", EN.opening)]
    #[case("What does \"갱신\" mean here?", "ko", EN.opening)]
    #[case("React useEffect cleanup 왜?", "en", KO.opening)]
    #[case("5433?", "ko", KO.opening)]
    #[case("5433?", "en", EN.opening)]
    fn the_answer_is_in_the_language_of_the_question(
        #[case] question: &str,
        #[case] wanted: &str,
        #[case] opening: &str,
    ) {
        assert_eq!(language_of(question, wanted).opening, opening);
    }
}
