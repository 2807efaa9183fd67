//! What was spent: by calendar month, and on what.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::turn::Usage;

/// A calendar month as the person's clock counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Month {
    /// For example `2026-11`.
    pub name: String,
    /// Its first moment.
    pub start: Timestamp,
    /// The first moment of the next.
    pub end: Timestamp,
}

impl Month {
    /// The month that `now` is in.
    pub fn of(now: Timestamp, zone: &TimeZone) -> Self {
        let first = zone.to_datetime(now).date().first_of_month();
        // The calendar ends with the year 9999; its last month ends with it.
        let next = first.checked_add(1.month()).unwrap_or(Date::MAX);
        let begins = |date: Date, else_at| {
            date.to_zoned(zone.clone()).map_or(else_at, |zoned| zoned.timestamp())
        };
        Self {
            name: first.strftime("%Y-%m").to_string(),
            start: begins(first, Timestamp::MIN),
            end: begins(next, Timestamp::MAX),
        }
    }
}

/// A request beside turns and summaries, such as for a plan or a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// When it left.
    pub at: Timestamp,
    /// Name of the provider that was asked.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// Tokens, as far as they are known.
    pub usage: Usage,
    /// What it costs so far, in billionths of a US dollar, when the price is known.
    pub cost: Option<u64>,
}

/// What replies of one model cost together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SpentOn {
    /// Name of the provider that was asked.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// Known costs, in billionths of a US dollar.
    pub cost: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens answered.
    pub output_tokens: u64,
    /// How many replies.
    pub turns: u64,
    /// Those of them whose price is not known.
    pub unpriced_turns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_month_begins_and_ends_at_the_persons_midnight() {
        let seoul = TimeZone::posix("KST-9").unwrap();
        let november = Month::of(at("2026-10-31T15:00:00Z"), &seoul);
        assert_eq!(november.name, "2026-11");
        assert_eq!(november.start, at("2026-10-31T15:00:00Z"));
        assert_eq!(november.end, at("2026-11-30T15:00:00Z"));
        assert_eq!(Month::of(at("2026-10-31T14:59:59Z"), &seoul).name, "2026-10");
        assert_eq!(Month::of(at("2026-12-31T15:00:00Z"), &seoul).name, "2027-01");
    }

    #[test]
    fn a_month_in_which_the_clocks_change_is_an_hour_longer() {
        let new_york = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap();
        let november = Month::of(at("2026-11-15T12:00:00Z"), &new_york);
        assert_eq!(november.start, at("2026-11-01T04:00:00Z"));
        assert_eq!(november.end, at("2026-12-01T05:00:00Z"));
    }
}
