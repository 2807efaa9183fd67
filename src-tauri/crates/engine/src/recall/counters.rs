//! Counters: `몇 도` asks for a figure before the same word, as in `영하 15도`, whatever is counted. Units that are known
//! beforehand stand in `units`; Korean counts with hundreds of other words, which the question itself names.

use std::sync::LazyLock;

use regex::Regex;

/// A figure or a numeral, and the first syllable of what it counts.
static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let numeral = "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|[십백천만]";
    let figure = r"\d(?: ?[십백천만억])*";
    Regex::new(&format!("(?:{figure}|(?:^|[^가-힣])(?:{numeral})) ?([가-힣])")).ok()
});

/// What a question wants counted.
static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("몇 ?([가-힣])").ok());

/// How counters begin that count the same: people, times, pages.
const SAME: [(&str, &str); 3] = [("사", "명"), ("회", "번"), ("페", "쪽")];

/// The terms of what a text counts, each once.
pub(super) fn said(text: &str) -> Vec<String> {
    found(&COUNTED, text)
}

/// The terms of what a question wants counted, each once.
pub(super) fn asked(question: &str) -> Vec<String> {
    found(&ASKED, question)
}

fn found(pattern: &LazyLock<Option<Regex>>, text: &str) -> Vec<String> {
    let hits = pattern.iter().flat_map(|pattern| pattern.captures_iter(text));
    let counters = hits.filter_map(|hit| hit.get(1)).map(|it| term(it.as_str()));
    let mut terms: Vec<String> = counters.collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn term(counter: &str) -> String {
    let same = SAME.iter().find(|(other, _)| *other == counter);
    format!("#{}", same.map_or(counter, |(_, one)| one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("제일 추울 때 몇 도야?", "겨울에는 영하 15도까지 내려가요", true)]
    #[case("제일 추울 때 몇 도야?", "겨울에는 15명이 와요", false)]
    #[case("참가자는 몇 사람이야?", "모두 58명 오셨어요", true)]
    #[case("몇 그릇 팔아야 해?", "두 달에 4백 그릇이에요", true)]
    #[case("상자는 몇 개야?", "세 개요", true)]
    #[case("상자는 몇 개야?", "새로 산 개집", false)]
    fn a_figure_answers_before_what_is_counted(
        #[case] question: &str,
        #[case] answer: &str,
        #[case] expected: bool,
    ) {
        let (wanted, counted) = (asked(question), said(answer));
        assert!(!wanted.is_empty());
        assert_eq!(wanted.iter().any(|it| counted.contains(it)), expected, "{counted:?}");
    }
}
