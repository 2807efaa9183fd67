//! Which checkpoints go: by age, by count and by size. Pinned and tagged ones, and the newest one, stay.
//!
//! What goes by itself goes by the time that was lived through, so that a clock that jumped takes nothing along.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::ids::CheckpointId;

/// The most that counts of a time in which no checkpoint was made: whether it was an absence or a clock that jumped, nobody
/// can say.
const GAP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How the age of a checkpoint is reckoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reckoning {
    /// As the calendar says: the person named the rules and sees what goes.
    Calendar,
    /// Of the time from one checkpoint to the next a week at most, and none that runs backwards.
    Lived,
}

/// The rules of a project; `None` switches one off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Retention {
    /// Older than these days.
    pub days: Option<u32>,
    /// More than these.
    pub count: Option<u32>,
    /// More than these bytes on disk.
    pub bytes: Option<u64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: Some(90), count: Some(1_000), bytes: Some(500 * 1000 * 1000) }
    }
}

/// The rule by which a checkpoint goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Too old.
    Age,
    /// Too many.
    Count,
    /// Too large together.
    Size,
}

/// A checkpoint as the rules see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aged {
    /// Which.
    pub id: CheckpointId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Pinned, tagged, or needed by a restore that was cut off.
    pub kept: bool,
    /// Bytes on disk that nothing newer needs.
    pub bytes: u64,
}

/// What goes, oldest first, each with the first rule that names it. `checkpoints` are oldest first; `total` is what all
/// of them take on disk.
pub fn overdue(
    checkpoints: &[Aged],
    rules: &Retention,
    total: u64,
    now: Timestamp,
    reckoning: Reckoning,
) -> Vec<(CheckpointId, Rule)> {
    let ages = ages(checkpoints, now, reckoning);
    let Some((_newest, older)) = checkpoints.split_last() else { return Vec::new() };
    let (mut count, mut bytes) = (checkpoints.len() as u64, total);
    let mut gone = Vec::new();
    for (checkpoint, age) in older.iter().zip(ages).filter(|(checkpoint, _)| !checkpoint.kept) {
        let old = |days: u32| age > SignedDuration::from_hours(24 * i64::from(days));
        let rule = if rules.days.is_some_and(old) {
            Rule::Age
        } else if rules.count.is_some_and(|most| count > u64::from(most)) {
            Rule::Count
        } else if rules.bytes.is_some_and(|most| bytes > most) {
            Rule::Size
        } else {
            // The rest is newer, fewer and smaller.
            break;
        };
        count -= 1;
        bytes = bytes.saturating_sub(checkpoint.bytes);
        gone.push((checkpoint.id, rule));
    }
    gone
}

fn ages(checkpoints: &[Aged], now: Timestamp, reckoning: Reckoning) -> Vec<SignedDuration> {
    let since = |at: Timestamp| now.duration_since(at);
    if reckoning == Reckoning::Calendar {
        return checkpoints.iter().map(|it| since(it.created_at)).collect();
    }
    let (mut later, mut lived) = (now, SignedDuration::ZERO);
    let mut ages: Vec<SignedDuration> = checkpoints
        .iter()
        .rev()
        .map(|it| {
            let gap = later.duration_since(it.created_at);
            later = it.created_at;
            lived = lived.saturating_add(gap.clamp(SignedDuration::ZERO, GAP));
            lived
        })
        .collect();
    ages.reverse();
    ages
}
