//! The constraint guard: whether every rule in force is in a request, word for word.
//!
//! Asked of every request that is composed, under every policy, after secrets were taken out of it. Rules come from
//! memory, from what folded messages said and from messages that the request leaves out. A summary takes its rules
//! along, so one is missing only where a summary had no room or is not wanted, or where nothing stands for a message;
//! then the person hears of it before anything is sent.

use std::borrow::Cow;
use std::collections::HashSet;

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};

use crate::section::Section;

/// A rule that holds and is not in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MissingConstraint {
    /// What it says.
    pub text: String,
    /// The section it would be in: `summary:…`, `memory:…`, `message:…`.
    pub section: String,
}

/// Rules to be looked for in requests, each once. To put them together takes as long as they are; to look for them takes
/// as long as the request is, however many they are.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<MissingConstraint>,
    finder: Option<AhoCorasick>,
}

impl Rules {
    /// Of rules with the sections that they would be in; of one that is said twice the first counts.
    pub fn of<'a>(rules: impl Iterator<Item = (&'a str, Cow<'a, str>)>) -> Self {
        let mut named = HashSet::new();
        let rules: Vec<MissingConstraint> = rules
            .map(|(section, text)| (section, text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty() && named.insert(text.clone()))
            .map(|(section, text)| MissingConstraint { text, section: section.to_owned() })
            .collect();
        let finder = AhoCorasick::new(rules.iter().map(|rule| &rule.text)).ok();
        Self { rules, finder }
    }

    /// Those that no section says.
    pub fn missing_in(&self, sections: &[Section]) -> Vec<MissingConstraint> {
        let Some(finder) = &self.finder else { return self.rules.clone() };
        let mut said = HashSet::new();
        for section in sections {
            let found = finder.find_overlapping_iter(&section.text);
            said.extend(found.map(|found| found.pattern().as_usize()));
        }
        let rules = self.rules.iter().enumerate();
        rules.filter(|(at, _)| !said.contains(at)).map(|(_, rule)| rule.clone()).collect()
    }
}
