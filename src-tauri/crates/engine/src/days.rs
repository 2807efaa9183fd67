//! Days and times of day as they are written, in Korean and English: `2026-03-02`, `2 March 2026`, `3월 2일`; `10:40`, `3 pm`,
//! `오전 10시 40분`. Recall asks for the days that a question names, the ledger whether a day was said in another way. Words
//! that stand for a day beside another one (`yesterday`) are recall's alone.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::pattern::pattern;

type Pattern = LazyLock<Option<Regex>>;

/// A day, or a month where no day is said, with the year where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) year: Option<i16>,
    pub(crate) month: i16,
    pub(crate) day: Option<i16>,
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Of half a day, from 0 on.
    hour: u8,
    minute: u8,
    /// Whether it is after noon, where that is said.
    late: Option<bool>,
}

impl Clock {
    /// Whether both may be the same time: what nobody said of one is as the other says it.
    pub(crate) fn may_be(self, other: Self) -> bool {
        let half = self.late.zip(other.late).is_none_or(|(one, other)| one == other);
        (self.hour, self.minute) == (other.hour, other.minute) && half
    }
}

/// The names of months, of which three letters tell.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The same as a group of a pattern.
pub(crate) const NAMES: &str = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";

static ISO: Pattern = LazyLock::new(|| pattern(r"\b(\d{4})-(\d{1,2})-(\d{1,2})(?:\b|T)").ok());
static DAY_MONTH: Pattern = LazyLock::new(|| {
    pattern(&format!(r"(?i)\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {NAMES}\b\.?,?(?: (\d{{4}}))?"))
        .ok()
});
static MONTH_DAY: Pattern = LazyLock::new(|| {
    pattern(&format!(r"(?i)\b{NAMES}\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?")).ok()
});
static MONTH_YEAR: Pattern =
    LazyLock::new(|| pattern(&format!(r"(?i)\b{NAMES}\.?,? (\d{{4}})\b")).ok());
static KOREAN: Pattern =
    LazyLock::new(|| pattern(r"(?:(\d{4})년 ?)?(1[0-2]|0?[1-9])월(?: ?(\d{1,2})일)?").ok());

static CLOCK: Pattern =
    LazyLock::new(|| pattern(r"(?i)(?:\b|T)(\d{1,2}):(\d{2})(?::\d{2})?(?: ?([ap])m\b)?").ok());
static HOUR: Pattern = LazyLock::new(|| pattern(r"(?i)\b(\d{1,2}) ?([ap])m\b").ok());
static KOREAN_CLOCK: Pattern = LazyLock::new(|| {
    pattern(r"(?:(오전|새벽|아침|오후|저녁|낮|밤) ?)?(\d{1,2})시(?: ?(\d{1,2})분| ?(반))?").ok()
});

/// A group that no pattern has.
const NONE: usize = 9;

/// The days of a text.
pub(crate) fn written(text: &str) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    // The month and the year of a day are no month of their own.
    let orders: [(&Pattern, [usize; 3]); 5] = [
        (&ISO, [1, 2, 3]),
        (&DAY_MONTH, [3, 2, 1]),
        (&MONTH_DAY, [3, 1, 2]),
        (&MONTH_YEAR, [2, 1, NONE]),
        (&KOREAN, [1, 2, 3]),
    ];
    for (pattern, [year, month, day]) in orders {
        for it in pattern.iter().flat_map(|it| it.captures_iter(text)) {
            let Some(month) = number(&it, month).or_else(|| named(&it, month)) else { continue };
            let (year, day) = (number(&it, year), number(&it, day));
            let of_day = |known: &Written| (known.year, known.month) == (year, month);
            if day.is_some() || !found.iter().any(of_day) {
                found.push(Written { year, month, day });
            }
        }
    }
    found
}

/// The first time of day in a text.
pub(crate) fn clock(text: &str) -> Option<Clock> {
    let small =
        |found: &Captures<'_>, group| number(found, group).and_then(|it| u8::try_from(it).ok());
    let find = |pattern: &'static Pattern| pattern.as_ref()?.captures(text);
    let of = |hour: u8, minute: u8, late: Option<bool>| {
        let told = late.or((hour >= 13 || hour == 0).then_some(hour >= 13));
        (hour <= 24 && minute < 60).then_some(Clock { hour: hour % 12, minute, late: told })
    };
    let pm = |found: &Captures<'_>, group| {
        found.get(group).map(|it| it.as_str().eq_ignore_ascii_case("p"))
    };
    if let Some(it) = find(&CLOCK) {
        // `01:43` and `10:40` are of a whole day, `3:30` says nothing of which half it is.
        let of_day = it.get(1).is_some_and(|hour| hour.len() == 2);
        let hour = small(&it, 1)?;
        let late = pm(&it, 3).or(of_day.then_some((12..24).contains(&hour)));
        return of(hour, small(&it, 2)?, late);
    }
    if let Some(it) = find(&HOUR) {
        return of(small(&it, 1)?, 0, pm(&it, 2));
    }
    let it = find(&KOREAN_CLOCK)?;
    let late = it.get(1).and_then(|half| match half.as_str() {
        "오전" | "새벽" | "아침" => Some(false),
        "밤" => None,
        _ => Some(true),
    });
    let minute = small(&it, 3).unwrap_or(if it.get(4).is_some() { 30 } else { 0 });
    of(small(&it, 2)?, minute, late)
}

fn number(found: &Captures<'_>, group: usize) -> Option<i16> {
    found.get(group)?.as_str().parse().ok()
}

/// A month by its name in a group of a pattern.
pub(crate) fn named(found: &Captures<'_>, group: usize) -> Option<i16> {
    let name = found.get(group)?.as_str().get(..3)?.to_lowercase();
    MONTHS.iter().position(|it| *it == name).and_then(|at| i16::try_from(at + 1).ok())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("2026-03-02T10:40", Some(2026), 3, Some(2))]
    #[case("the week of 2 March 2026", Some(2026), 3, Some(2))]
    #[case("March 2nd", None, 3, Some(2))]
    #[case("2026년 3월 2일부터", Some(2026), 3, Some(2))]
    #[case("3월에", None, 3, None)]
    #[case("since March 2026", Some(2026), 3, None)]
    fn days_are_read(
        #[case] text: &str,
        #[case] year: Option<i16>,
        #[case] month: i16,
        #[case] day: Option<i16>,
    ) {
        assert_eq!(written(text), [Written { year, month, day }]);
    }

    #[rstest]
    #[case("10시 40분", "10:40", true)]
    #[case("오후 3시 반", "15:30", true)]
    #[case("오후 1시 43분", "01:43", false)]
    #[case("3:30", "3:30 pm", true)]
    #[case("낮 12시", "12:00", true)]
    #[case("새벽 0시", "12 am", true)]
    #[case("9시", "2026-07-09T09:00", true)]
    #[case("9시", "19:00", false)]
    #[case("9시 10분", "9시", false)]
    fn times_are_the_same(#[case] one: &str, #[case] other: &str, #[case] same: bool) {
        let [one, other] = [one, other].map(|it| clock(it).unwrap());
        assert_eq!(one.may_be(other), same, "{one:?} {other:?}");
    }

    #[test]
    fn what_is_no_time_is_none() {
        assert_eq!(["25:10", "10:75", "none"].map(clock), [None; 3]);
    }
}
