//! Figures with their units: `how many seconds`, `몇 명` ask for one, and only a message that has one can answer.

use std::sync::LazyLock;

use regex::RegexSet;

use crate::pattern::patterns;

/// What a question says when it asks for a unit, and how the unit stands in an answer.
const UNITS: [(&[&str], &str); 14] = [
    (
        &[
            "percent",
            "share",
            "rate",
            "accuracy",
            "proportion",
            "퍼센트",
            "비율",
            "정확도",
            "율은",
            "률은",
            "율이",
            "률이",
        ],
        r"\d ?(?:%|퍼센트|프로|percent)",
    ),
    (
        &[
            "how much",
            "cost",
            "price",
            "budget",
            "fee",
            "pay",
            "얼마",
            "가격",
            "비용",
            "요금",
            "예산",
            "금액",
            "수수료",
        ],
        r"(?i)[$€£₩]\d|\d ?(?:만|억|천)? ?(?:원|달러|유로|euros?|dollars?|cents?|pounds?)|\d(?:만|억)",
    ),
    (
        &[
            "second",
            "latency",
            "timeout",
            "delay",
            "how fast",
            "몇 초",
            "간격",
            "지연",
            "제한 시간",
            "응답 시간",
        ],
        r"(?i)\d ?(?:초|밀리초|seconds?|ms\b|s\b)",
    ),
    (
        &["minute", "how long", "duration", "how fast", "몇 분", "걸려", "걸렸", "걸리"],
        r"(?i)\d ?(?:분|minutes?|min\b)",
    ),
    (
        &["hour", "how long", "duration", "몇 시간", "걸려", "걸렸", "걸리"],
        r"(?i)\d ?(?:시간|hours?|h\b)",
    ),
    (
        &["what time", "hour", "when", "몇 시", "언제", "시각"],
        r"(?i)(?:오전|오후|새벽|아침|저녁|밤) ?\d|\d시(?:[^간]|$)|\d:\d\d|\d ?(?:am|pm)\b",
    ),
    (
        &[
            "when",
            "what date",
            "which day",
            "deadline",
            "which month",
            "언제",
            "며칠",
            "날짜",
            "기한",
            "마감",
            "시기",
        ],
        r"(?i)\d월|\d일|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    ),
    (
        &["how many days", "how long", "며칠", "기간", "기한", "보관"],
        r"(?i)\d ?(?:일|days?)|사흘|나흘|이틀|하루",
    ),
    (
        &["week", "month", "how long", "몇 주", "몇 달", "몇 개월", "기간", "기한"],
        r"(?i)\d ?(?:주|달|개월|weeks?|months?)",
    ),
    (
        &["year", "how old", "age", "how long", "몇 년", "몇 살", "나이", "연한", "기간"],
        r"(?i)\d ?(?:년|살|years?)",
    ),
    (
        &["how many people", "몇 명", "몇 사람", "인원", "몇 분", "사람 수"],
        r"(?i)\d ?(?:명|분이|분을|people|persons?)|둘|셋|넷",
    ),
    (
        &[
            "몇 개",
            "몇 건",
            "몇 번",
            "몇 회",
            "몇 장",
            "몇 권",
            "몇 곳",
            "몇 종",
            "개수",
            "갯수",
            "건수",
            "횟수",
            "how often",
        ],
        r"(?i)\d ?(?:개|건|번|회|장|권|곳|종|마리|대|칸|times)|(?:한|두|세|네) (?:개|건|번|회|장|곳)|twice|once",
    ),
    (
        &["how big", "how large", "size", "용량", "크기"],
        r"(?i)\d ?(?:[kmgt]i?b\b|메가|기가|테라|바이트|bytes|px|pixels|pt\b|포인트)",
    ),
    (
        &[
            "how high", "how far", "how long", "length", "distance", "height", "길이", "높이",
            "거리",
        ],
        r"(?i)\d ?(?:[ckm]?m\b|metres?|meters?|kilomet|미터|킬로|센티)",
    ),
];

static SAID: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| patterns(UNITS.iter().map(|(_, pattern)| *pattern)).ok());

/// Units that a text has, a bit each.
pub(super) fn said(text: &str) -> u16 {
    let found = SAID.as_ref().map(|patterns| patterns.matches(text));
    found.iter().flatten().fold(0, |units, at| units | 1 << at)
}

/// Units that a question asks for, a bit each; `has` tells whether it has one of some cues.
pub(super) fn asked(has: impl Fn(&[&str]) -> bool) -> u16 {
    let wanted = UNITS.iter().enumerate().filter(|(_, (cues, _))| has(cues));
    wanted.fold(0, |units, (at, _)| units | 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("타임아웃은 몇 초야?", "8초로 두세요", true)]
    #[case("타임아웃은 몇 초야?", "8명이에요", false)]
    #[case("what does it cost?", "about 900 euros", true)]
    #[case("how long did it take?", "51 minutes", true)]
    #[case("how long did it take?", "51 people", false)]
    fn a_figure_answers_where_its_unit_is_asked_for(
        #[case] question: &str,
        #[case] answer: &str,
        #[case] expected: bool,
    ) {
        let wanted = asked(|cues| cues.iter().any(|cue| question.contains(cue)));
        assert_eq!(wanted & said(answer) != 0, expected, "{wanted:b} {:b}", said(answer));
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(SAID.is_some());
    }
}
