//! Backups of the database: why each was made, which daily ones are kept, and what going back to one would change.
//!
//! The storage adapter writes and reads the copies through [`DataFolder`]; this says what they are and how long they
//! stay. A backup holds what the person wrote, was answered and chose. Checkpoints, context files and keys are kept
//! elsewhere and are neither in a backup nor touched by one.
//!
//! [`DataFolder`]: crate::ports::DataFolder

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Days whose last daily backup is kept.
const DAYS: usize = 7;

/// Weeks, of those before the days, whose last daily backup is kept.
const WEEKS: usize = 4;

/// Backups of any other kind that are kept.
const OTHERS: usize = 5;

/// Most conversations that a plan names.
pub const NAMED: usize = 20;

/// Why a backup was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum BackupKind {
    /// The schema of this version was about to change.
    Migration {
        /// The version that it holds.
        from: u32,
    },
    /// A day had passed.
    Daily,
    /// The person asked.
    Asked,
    /// Another backup was about to take the place of what it holds.
    Restore,
}

impl BackupKind {
    /// The kind as it stands in a file name.
    pub fn label(self) -> String {
        match self {
            Self::Migration { from } => format!("v{from}"),
            Self::Daily => String::from("daily"),
            Self::Asked => String::from("asked"),
            Self::Restore => String::from("restore"),
        }
    }

    /// The kind that a file name says.
    pub fn of_label(label: &str) -> Option<Self> {
        match label {
            "daily" => Some(Self::Daily),
            "asked" => Some(Self::Asked),
            "restore" => Some(Self::Restore),
            other => Some(Self::Migration { from: other.strip_prefix('v')?.parse().ok()? }),
        }
    }
}

/// How much a database holds, without what is in the trash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Holds {
    /// Conversations.
    pub conversations: u32,
    /// Their messages, on every branch.
    pub messages: u32,
}

/// A whole copy of the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Backup {
    /// Its file name inside the backups folder.
    pub name: String,
    /// Why it was made.
    pub kind: BackupKind,
    /// When it was made.
    pub made_at: Timestamp,
    /// Its size.
    pub bytes: u64,
    /// What it holds; `None` when it cannot be read.
    pub holds: Option<Holds>,
}

/// A conversation that going back would take messages from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Going {
    /// Its title now.
    pub title: String,
    /// Messages that it has now.
    pub messages: u32,
    /// Messages that it would have; `None` when it would not be there.
    pub then: Option<u32>,
}

/// What going back to a backup would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct BackupPlan {
    /// The backup.
    pub backup: Backup,
    /// What is there now; `None` when it cannot be read.
    pub present: Option<Holds>,
    /// Conversations that would be gone or shorter, the largest loss first, and at most [`NAMED`] of them.
    pub going: Vec<Going>,
    /// Number of all of those.
    pub going_count: u32,
    /// Conversations that would be back: they are in the backup and not here, not even in the trash.
    pub back_count: u32,
}

/// The days and weeks that have their backup.
#[derive(Default)]
struct Kept {
    days: HashSet<Date>,
    weeks: HashSet<(i16, i8)>,
}

/// Places in `made` of the daily backups that stay no longer; `made` is in any order.
///
/// The last of each of the seven newest days stays, and of what is older the last of each of the four newest weeks.
/// Those from the future are judged by themselves, as if it were their time: either they were made under a wrong clock, or
/// the clock is wrong now, and nobody can say which.
pub fn spare_daily(made: &[Timestamp], now: Timestamp) -> Vec<usize> {
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(made[*place]));
    let (mut past, mut future) = (Kept::default(), Kept::default());
    order.retain(|place| {
        let Kept { days, weeks } = if made[*place] > now { &mut future } else { &mut past };
        let date = made[*place].to_zoned(TimeZone::UTC).date();
        if days.contains(&date) {
            return true;
        }
        if days.len() < DAYS {
            return !days.insert(date);
        }
        let week = date.iso_week_date();
        let week = (week.year(), week.week());
        let stays = !weeks.contains(&week) && weeks.len() < WEEKS;
        weeks.insert(week);
        !stays
    });
    order
}

/// Places in `made` of backups of any other kind that stay no longer: the newest five do.
pub fn spare_others(made: &[Timestamp]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(made[*place]));
    order.split_off(OTHERS.min(order.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    fn at(second: i64) -> Timestamp {
        // A Monday.
        Timestamp::from_second(1_760_313_600 + second).unwrap()
    }

    /// What is kept after so many days of one backup each, by the number of its day.
    fn kept_after(days: i64) -> Vec<i64> {
        let mut kept: Vec<i64> = Vec::new();
        for day in 0..days {
            kept.push(day);
            let made: Vec<Timestamp> = kept.iter().map(|day| at(day * DAY)).collect();
            let spare = spare_daily(&made, at(day * DAY));
            let mut place = 0;
            kept.retain(|_| {
                place += 1;
                !spare.contains(&(place - 1))
            });
        }
        kept
    }

    #[test]
    fn seven_days_and_the_last_of_four_weeks_before_stay() {
        assert_eq!(kept_after(7), (0..7).collect::<Vec<_>>());
        assert_eq!(kept_after(9), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(kept_after(100), [76, 83, 90, 92, 93, 94, 95, 96, 97, 98, 99]);
        for days in 40..120 {
            let kept = kept_after(days);
            assert_eq!(kept.len(), 11, "{kept:?}");
            assert_eq!(kept[4..], (days - 7..days).collect::<Vec<_>>());
            assert!(kept[0] <= days - 23, "more than three weeks back: {kept:?}");
        }
    }

    #[test]
    fn one_of_a_day_stays() {
        assert_eq!(spare_daily(&[at(0), at(60), at(30)], at(90)), [2, 0]);
    }

    /// safety.md, R15: those of a wrong clock take nobody's room, and under a wrong clock no other one goes.
    #[test]
    fn a_clock_that_jumps_takes_no_backup() {
        let mut made: Vec<Timestamp> = (0..7).map(|day| at(day * DAY)).collect();
        for jumped in [at(5000 * DAY), Timestamp::UNIX_EPOCH, at(-365 * DAY)] {
            made.push(jumped);
            assert_eq!(spare_daily(&made, jumped), Vec::<usize>::new(), "{jumped}");
        }
        assert_eq!(spare_daily(&made, at(7 * DAY)), Vec::<usize>::new());
        made.push(at(7 * DAY));
        assert_eq!(spare_daily(&made, at(7 * DAY)), Vec::<usize>::new(), "the last of its week");
    }

    #[test]
    fn five_of_the_others_stay_and_labels_are_read_back() {
        let made: Vec<Timestamp> = (0..7).map(at).collect();
        assert_eq!(spare_others(&made), [1, 0]);
        assert_eq!(spare_others(&made[..2]), Vec::<usize>::new());
        let kinds = [
            BackupKind::Migration { from: 12 },
            BackupKind::Daily,
            BackupKind::Asked,
            BackupKind::Restore,
        ];
        for kind in kinds {
            assert_eq!(BackupKind::of_label(&kind.label()), Some(kind));
        }
        assert_eq!(BackupKind::of_label("vx"), None);
    }
}
