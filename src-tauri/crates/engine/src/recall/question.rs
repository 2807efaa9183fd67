//! What a question says beside its words: whose words it is after, of when, and of which kind the answer must be.

use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::dates;
use super::reads::bit;
use super::{counters, shapes, units};
use crate::ledger::Category;

/// A question, and the day on which it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The words.
    pub text: &'a str,
    /// What `last week` is said against; the day of the newest message, as a rule.
    pub today: Option<Date>,
    /// How far each stretch of the index [stands out](crate::meaning::standing) as near to it in meaning; of what stands
    /// behind the last, and of all where nobody makes vectors, nothing is known.
    pub meant: &'a [f32],
}

/// What is read from it.
pub(super) struct Reading {
    /// Days it speaks of.
    pub days: Vec<RangeInclusive<Date>>,
    /// Categories of the ledger that could answer it, a bit each.
    pub wants: u16,
    /// Units of the figures that could, a bit each.
    pub units: u16,
    /// How an answer would look, a bit each.
    pub shapes: u16,
    /// It asks what holds now, after a change.
    pub newest: bool,
    /// It asks what held before a change.
    pub oldest: bool,
    /// It is after what the person said, or what the model said.
    pub mine: bool,
    pub yours: bool,
    /// It asks when something was.
    pub when: bool,
    /// It asks for a reason.
    pub why: bool,
    /// It asks how many there are of something it names.
    pub counts: bool,
}

type Cue = (&'static [&'static str], &'static [Category]);

/// Words of a question, and what answers it.
const WANTS: [Cue; 9] = [
    (
        &[
            "how many",
            "how much",
            "how long",
            "how often",
            "how big",
            "what share",
            "percent",
            "cost",
            "몇",
            "얼마",
        ],
        &[Category::Number],
    ),
    (
        &["when", "what day", "which day", "what date", "언제", "며칠", "날짜", "무슨 요일"],
        &[Category::Date],
    ),
    (&["who", "whose", "name", "누가", "누구", "이름"], &[Category::Name]),
    (
        &["where", "which file", "path", "folder", "경로", "어느 파일", "파일", "폴더"],
        &[Category::Path],
    ),
    (&["command", "how do i run", "명령"], &[Category::Command, Category::Identifier]),
    (&["version", "버전", "태그"], &[Category::Version, Category::Number]),
    (&["error", "message", "에러", "오류", "메시지"], &[Category::Error]),
    (
        &["which", "tool", "library", "function", "라이브러리", "함수", "도구", "옵션", "설정"],
        &[Category::Identifier, Category::Name],
    ),
    (
        &[
            "decide",
            "agree",
            "final",
            "rule",
            "must",
            "정했",
            "결정",
            "하기로",
            "규칙",
            "원칙",
            "조건",
        ],
        &[Category::Decision, Category::Constraint],
    ),
];

const NEWEST: [&str; 13] = [
    "now",
    "final",
    "in the end",
    "currently",
    "latest",
    "eventually",
    "지금",
    "최종",
    "결국",
    "현재",
    "이제",
    "마지막",
    "바뀐",
];
const OLDEST: [&str; 10] = [
    "at first",
    "originally",
    "first",
    "initial",
    "before",
    "used to",
    "처음",
    "원래",
    "애초",
    "맨 먼저",
];
const MINE: [&str; 9] = [" i ", " my ", " me ", "did we ", "내가", "제가", "나는", "저는", "내 "];
const YOURS: [&str; 15] = [
    " you ",
    " your ",
    "advice",
    "advise",
    "suggest",
    "recommend",
    "네가",
    "너는",
    "추천",
    "권한",
    "권했",
    "조언",
    "제안",
    "알려",
    "하라고",
];
const WHEN: [&str; 6] = ["when ", "what date", "which day", "언제", "며칠", "날짜"];
const WHY: [&str; 7] = ["why", "reason", "cause", "왜", "이유", "까닭", "원인"];

impl Reading {
    pub(super) fn of(asked: &Asked<'_>) -> Self {
        let lower: String = asked
            .text
            .chars()
            .flat_map(char::to_lowercase)
            .map(|c| if c.is_alphanumeric() { c } else { ' ' })
            .collect();
        let text = format!(" {lower} ");
        let has = |cues: &[&str]| cues.iter().any(|cue| says(&text, cue));
        let answers = WANTS.iter().filter(|(cues, _)| has(cues)).flat_map(|(_, wanted)| *wanted);
        Self {
            days: asked.today.map_or_else(Vec::new, |today| dates::asked(asked.text, today)),
            wants: answers.fold(0, |wants, category| wants | bit(*category)),
            units: units::asked(has),
            shapes: shapes::asked(has),
            newest: has(&NEWEST),
            oldest: has(&OLDEST),
            mine: has(&MINE),
            yours: has(&YOURS),
            when: has(&WHEN),
            why: has(&WHY),
            counts: !counters::asked(asked.text).is_empty(),
        }
    }

    /// How many days lie between a day and the nearest that is asked for; `None` where no day is.
    pub(super) fn distance(&self, on: Option<Date>) -> Option<i32> {
        let on = on?;
        let away = |days: &RangeInclusive<Date>| {
            let before = (*days.start() - on).get_days().max(0);
            before.max((on - *days.end()).get_days())
        };
        self.days.iter().map(away).min()
    }
}

/// Whether a cue stands at the beginning of a word.
fn says(text: &str, cue: &str) -> bool {
    if cue.is_ascii() && !cue.starts_with(' ') {
        text.match_indices(cue).any(|(at, _)| text[..at].ends_with(' '))
    } else {
        text.contains(cue)
    }
}
