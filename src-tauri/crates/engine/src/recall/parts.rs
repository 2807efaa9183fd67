//! Which parts of a message are sent for it, as a request's manifest keeps them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::cut::told;

/// Characters of a text, from 0, the end not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Stretch {
    /// The first.
    pub from: u32,
    /// Behind the last.
    pub to: u32,
}

/// Stretches of a text, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(from = "Written")]
pub struct Parts(Vec<Stretch>);

/// Older manifests have a single one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    One(Stretch),
    Many(Vec<Stretch>),
}

impl From<Written> for Parts {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::One(stretch) => vec![stretch],
            Written::Many(stretches) => stretches,
        })
    }
}

impl Parts {
    /// These ranges of a text's bytes; `None` where nothing is missing.
    pub fn of(text: &str, ranges: &[Range<usize>]) -> Option<Self> {
        let mut at = 0;
        let mut whole = true;
        for range in ranges {
            whole &= text[at..range.start].trim().is_empty();
            at = range.end;
        }
        if whole && text[at..].trim().is_empty() {
            return None;
        }
        let place = |at: usize| u32::try_from(text[..at].chars().count()).unwrap_or(u32::MAX);
        let stretch = |it: &Range<usize>| Stretch { from: place(it.start), to: place(it.end) };
        Some(Self(ranges.iter().map(stretch).collect()))
    }

    /// What they are of a text, marked where something stands before, between or behind them.
    pub fn told(&self, text: &str) -> String {
        let place = |at: u32| text.char_indices().nth(at as usize).map_or(text.len(), |(at, _)| at);
        let ranges: Vec<Range<usize>> =
            self.0.iter().map(|it| place(it.from)..place(it.to.max(it.from))).collect();
        told(text, &ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_of_before_there_were_several_is_read() {
        let old: Parts = serde_json::from_str(r#"{"from":3,"to":5}"#).unwrap();
        assert_eq!(old.told("하나 둘은 셋"), "[…] 둘은 […]");
        let new: Parts = serde_json::from_str(&serde_json::to_string(&old).unwrap()).unwrap();
        assert_eq!(new, old);
    }

    #[test]
    fn what_is_whole_has_no_parts() {
        let text = "하나.\n\n둘.\n";
        assert_eq!(Parts::of(text, &[0..7, 9..13]), None);
        let parts = Parts::of(text, std::slice::from_ref(&(9..13))).unwrap();
        assert_eq!(parts.told(text), "[…] 둘.");
    }
}
