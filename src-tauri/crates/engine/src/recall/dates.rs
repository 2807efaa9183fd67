//! The days that a question speaks of, in Korean and English: `in May`, `8 May 2023`, `last week`, `3월 5일`, `지난주`,
//! `3일 전`. Read against the day of the newest message.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use regex::{Captures, Regex};

use crate::days::{self, NAMES};
use crate::pattern::pattern;

/// Days from the first to the last.
pub(super) type Days = RangeInclusive<Date>;

type Pattern = LazyLock<Option<Regex>>;

/// `May` alone may be a verb, so a month needs a word before it.
static MONTH: Pattern = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:in|during|of|since|by|until|early|late|mid|this|last)[ -]{NAMES}\b,?(?: (\d{{4}}))?"
    ))
    .ok()
});
static AGO: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)(\d{1,3}|a|one|two|three|four)? ?(days?|weeks?|months?|일|주일?|달|개월) ?(?:ago|전)",
    )
    .ok()
});

/// Words for days beside the newest: how many days before it they begin, and how many they last.
const WORDS: [(&str, i32, i32); 12] = [
    ("yesterday", 1, 1),
    ("today", 0, 1),
    ("last week", 7, 7),
    ("this week", 6, 7),
    ("어제", 1, 1),
    ("그저께", 2, 1),
    ("그제", 2, 1),
    ("오늘", 0, 1),
    ("지지난주", 14, 7),
    ("지난주", 7, 7),
    ("지난 주", 7, 7),
    ("이번 주", 6, 7),
];

/// Months before the newest message's.
const WHOLE_MONTHS: [(&str, i32); 8] = [
    ("last month", 1),
    ("this month", 0),
    ("지지난달", 2),
    ("지난달", 1),
    ("지난 달", 1),
    ("이번 달", 0),
    ("이번달", 0),
    ("저번 달", 1),
];

/// The stretches of days that a question names.
pub(super) fn asked(question: &str, today: Date) -> Vec<Days> {
    let mut found = Vec::new();
    let mut add = |days: Option<Days>| found.extend(days);
    let each =
        |pattern: &'static Pattern, text| pattern.iter().flat_map(move |it| it.captures_iter(text));
    for it in days::written(question) {
        add(day(it.year, Some(it.month), it.day, today));
    }
    for it in each(&MONTH, question) {
        add(day(number(&it, 2), days::named(&it, 1), None, today));
    }
    for it in each(&AGO, question) {
        add(ago(&it, today));
    }
    let lower = question.to_lowercase();
    if let Some((_, before, lasting)) = WORDS.iter().find(|(word, ..)| lower.contains(word)) {
        let first = today.saturating_sub(before.days());
        add(Some(first..=first.saturating_add((lasting - 1).days())));
    }
    if let Some((_, before)) = WHOLE_MONTHS.iter().find(|(word, _)| lower.contains(word)) {
        let month = today.saturating_sub(before.months());
        add(Some(month.first_of_month()..=month.last_of_month()));
    }
    found
}

/// The day of a heading such as `1:56 pm on 8 May, 2023` or `2025-03-03 10:12`.
pub(super) fn written(text: &str) -> Option<Date> {
    days::written(text).into_iter().find_map(|it| {
        let (month, day) = (i8::try_from(it.month).ok()?, i8::try_from(it.day?).ok()?);
        Date::new(it.year?, month, day).ok()
    })
}

/// A day, or a month where no day is said; without a year the newest that has begun.
fn day(year: Option<i16>, month: Option<i16>, day: Option<i16>, today: Date) -> Option<Days> {
    let month = i8::try_from(month?).ok()?;
    let in_year = |year| match day {
        Some(day) => {
            let day = Date::new(year, month, i8::try_from(day).ok()?).ok()?;
            Some(day..=day)
        }
        None => {
            let first = Date::new(year, month, 1).ok()?;
            Some(first..=first.last_of_month())
        }
    };
    match year {
        Some(year) => in_year(year),
        None => in_year(today.year())
            .filter(|days| *days.start() <= today)
            .or_else(|| in_year(today.year() - 1)),
    }
}

fn ago(found: &Captures<'_>, today: Date) -> Option<Days> {
    let count = match found.get(1).map_or("1", |it| it.as_str()) {
        "a" | "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        digits => digits.parse::<i32>().unwrap_or(1),
    };
    let unit = found.get(2)?.as_str().to_lowercase();
    let (back, slack) = match unit.chars().next()? {
        'd' | '일' => (count.days(), 1),
        'w' | '주' => (count.weeks(), 4),
        _ => (count.months(), 16),
    };
    let about = today.saturating_sub(back);
    Some(about.saturating_sub(slack.days())..=about.saturating_add(slack.days()))
}

fn number(found: &Captures<'_>, group: usize) -> Option<i16> {
    found.get(group)?.as_str().parse().ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("what did we say in May?", "2026-05-01..2026-05-31")]
    #[case("what may we say", "")]
    #[case("in December", "2025-12-01..2025-12-31")]
    #[case("on 8 May, 2023", "2023-05-08..2023-05-08")]
    #[case("since May 3rd", "2026-05-03..2026-05-03")]
    #[case("3월 5일에 뭐 했지", "2026-03-05..2026-03-05")]
    #[case("2025년 12월에", "2025-12-01..2025-12-31")]
    #[case("지난주에", "2026-06-08..2026-06-14")]
    #[case("last month", "2026-05-01..2026-05-31")]
    #[case("3일 전에", "2026-06-11..2026-06-13")]
    #[case("two weeks ago", "2026-05-28..2026-06-05")]
    fn days_are_read_in_both_languages(#[case] question: &str, #[case] expected: &str) {
        let days = asked(question, date(2026, 6, 15));
        let shown: Vec<String> =
            days.iter().map(|it| format!("{}..{}", it.start(), it.end())).collect();
        assert_eq!(shown.first().map_or("", String::as_str), expected, "{shown:?}");
    }

    #[test]
    fn a_session_is_dated_as_its_chat_writes_it() {
        assert_eq!(written("1:56 pm on 8 May, 2023"), Some(date(2023, 5, 8)));
        assert_eq!(written("2025-03-03 월 10:12"), Some(date(2025, 3, 3)));
        assert_eq!(written("yesterdayish"), None);
    }
}
