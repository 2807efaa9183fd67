//! Retention: how much of what a stretch said is still told.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Category, Ledger, Told};

/// One kind of entry, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FoldShare"))]
pub struct Share {
    /// What kind.
    pub category: Category,
    /// So many stand in the stretch, those in force alone.
    pub in_source: u32,
    /// So many of them are told.
    pub kept: u32,
}

impl Share {
    /// The kept part, 1.0 where there was nothing to keep.
    pub fn rate(&self) -> f64 {
        if self.in_source == 0 { 1.0 } else { f64::from(self.kept) / f64::from(self.in_source) }
    }
}

/// What is left of a stretch, kind by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FoldRetention"))]
pub struct Retention {
    /// The kinds that stand in it, the weightiest first.
    pub shares: Vec<Share>,
}

impl Retention {
    /// The share of a kind, if it stands in the stretch at all.
    pub fn of(&self, category: Category) -> Option<&Share> {
        self.shares.iter().find(|share| share.category == category)
    }

    /// Counts one entry.
    pub fn count(&mut self, category: Category, kept: bool) {
        let place = self.shares.binary_search_by_key(&category, |share| share.category);
        let place = place.unwrap_or_else(|place| {
            self.shares.insert(place, Share { category, in_source: 0, kept: 0 });
            place
        });
        self.shares[place].in_source += 1;
        self.shares[place].kept += u32::from(kept);
    }

    /// Adds another stretch.
    pub fn add(&mut self, other: &Self) {
        for share in &other.shares {
            for place in 0..share.in_source {
                self.count(share.category, place < share.kept);
            }
        }
    }
}

/// What `told` keeps of the messages at these places of the ledger's path.
pub fn retention(ledger: &Ledger, covered: Range<usize>, told: &Told) -> Retention {
    let mut retention = Retention::default();
    for fact in ledger.within(covered) {
        let entry = &fact.entry;
        retention.count(entry.category, told.holds(entry.category, &entry.key));
    }
    retention
}
