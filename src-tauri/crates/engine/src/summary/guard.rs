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

/// The rules that no section says, each once. Linear in rules and sections.
pub fn missing_constraints<'a>(
    rules: impl Iterator<Item = (String, Cow<'a, str>)>,
    sections: &[Section],
) -> Vec<MissingConstraint> {
    let mut named = HashSet::new();
    let rules: Vec<MissingConstraint> = rules
        .map(|(section, text)| MissingConstraint { text: text.trim().to_owned(), section })
        .filter(|rule| !rule.text.is_empty() && named.insert(rule.text.clone()))
        .collect();
    let Ok(finder) = AhoCorasick::new(rules.iter().map(|rule| &rule.text)) else { return rules };
    let mut said = HashSet::new();
    for section in sections {
        let found = finder.find_overlapping_iter(&section.text);
        said.extend(found.map(|found| found.pattern().as_usize()));
    }
    let rules = rules.into_iter().enumerate();
    rules.filter(|(at, _)| !said.contains(at)).map(|(_, rule)| rule).collect()
}
