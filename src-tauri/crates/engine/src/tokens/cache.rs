//! Exact counts of texts that come again with every key press.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Count, Counter, Encoding};
use crate::fingerprint::Fingerprint;

/// Texts that are remembered before all are forgotten.
const TEXTS: usize = 16_384;

/// Exact counts of texts, so that of a request only what changed is counted again.
#[derive(Debug, Default)]
pub struct Cache(Mutex<HashMap<(Encoding, Fingerprint), Count>>);

impl Cache {
    /// Counts a text, if that was not done before.
    pub fn count(&self, encoding: Encoding, text: &str) -> Count {
        let key = (encoding, Fingerprint::of(text));
        if let Some(count) = self.known().get(&key) {
            return *count;
        }
        let count = Counter::Exact(encoding).count(text);
        let mut known = self.known();
        if known.len() >= TEXTS {
            known.clear();
        }
        known.insert(key, count);
        count
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Encoding, Fingerprint), Count>> {
        // A map is whole after every statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_request_only_the_changed_text_is_counted_again() {
        let cache = Cache::default();
        let rules = "Never break the API. ".repeat(50);
        let mut draft = String::new();
        for letter in "수박 주스".chars() {
            draft.push(letter);
            let before = cache.known().len();
            let counts = [&rules, &draft].map(|text| cache.count(Encoding::O200k, text));
            let anew = [&rules, &draft].map(|text| Counter::Exact(Encoding::O200k).count(text));
            assert_eq!(counts, anew);
            let first = draft.chars().count() == 1;
            assert_eq!(cache.known().len() - before, if first { 2 } else { 1 });
        }
        assert_ne!(cache.count(Encoding::Cl100k, &draft), cache.count(Encoding::O200k, &draft));
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let cache = Cache::default();
        (0..TEXTS + 10).for_each(|n| _ = cache.count(Encoding::O200k, &n.to_string()));
        assert!(cache.known().len() <= TEXTS);
    }
}
