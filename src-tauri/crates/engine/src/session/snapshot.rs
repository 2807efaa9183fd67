//! Copies of the files from time to time (behaviour.md, Sessions), and which of them go.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::port::BrainFile;
use crate::memory::hash_of;

/// The newest copies of a file that stay.
const NEWEST: usize = 48;

/// Of so many days on which there are copies one stays.
const DAYS: usize = 30;

/// A copy of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Of which file.
    pub file: BrainFile,
    /// Grows from copy to copy: which one is newer does not hang on a clock.
    pub number: u32,
    /// When it was made.
    pub at: Timestamp,
    /// The first 8 digits of the BLAKE3 of its bytes.
    pub hash: String,
}

impl Snapshot {
    /// What it is called in `snapshots/`: `context-000012-20261122T090000Z-0a1b2c3d.json`.
    pub fn name(&self) -> String {
        let stem = self.file.name().trim_end_matches(".json");
        let at = self.at.strftime("%Y%m%dT%H%M%SZ");
        format!("{stem}-{:06}-{at}-{}.json", self.number, self.hash)
    }

    /// Whether these bytes are what was copied.
    pub fn is_whole(&self, bytes: &[u8]) -> bool {
        hash_of(bytes).starts_with(&self.hash)
    }

    /// The copy of a name, if it is one.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(".json")?.split('-');
        let (stem, number, at, hash) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let files = [BrainFile::Context, BrainFile::Workflow];
        let file =
            files.into_iter().find(|file| file.name().strip_suffix(".json") == Some(stem))?;
        let at = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", at).ok()?;
        let snapshot = Self {
            file,
            number: number.parse().ok()?,
            at: at.to_zoned(TimeZone::UTC).ok()?.timestamp(),
            hash: hash.to_owned(),
        };
        // Nothing that would be called otherwise, such as one with a path in it.
        (snapshot.name() == name && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then_some(snapshot)
    }
}

/// The copies that go: of each file the newest 48 stay, and beyond them the newest of each of the last 30 days on which
/// there are any. What time it is now does not matter, so that a clock that jumps takes none.
pub fn overdue(snapshots: &[Snapshot]) -> Vec<Snapshot> {
    let mut newest_first: Vec<&Snapshot> = snapshots.iter().collect();
    newest_first.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.number));
    let mut of_files: [(usize, HashSet<Date>); 2] = Default::default();
    let mut gone = Vec::new();
    for snapshot in newest_first {
        let (seen, days) = &mut of_files[usize::from(snapshot.file == BrainFile::Workflow)];
        *seen += 1;
        let day = snapshot.at.to_zoned(TimeZone::UTC).date();
        let stays = days.insert(day) && days.len() <= DAYS;
        if *seen > NEWEST && !stays {
            gone.push(snapshot.clone());
        }
    }
    gone
}
