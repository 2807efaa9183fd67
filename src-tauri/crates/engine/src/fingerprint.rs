//! What a text is known again by within one process. What is remembered of texts that come with every key press goes by it:
//! their counts, the rules in them, how they read. It is quick and no cryptographic hash, so nothing that is stored goes by
//! it, and nothing that keeps a secret from leaving: those go by BLAKE3.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::LazyLock;

use foldhash::quality::RandomState;

/// A length in bytes and two hashes, with keys that another process does not have. That two texts are taken for each other by
/// chance is as unlikely as two random numbers of a hundred bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    hashes: [u64; 2],
    bytes: usize,
}

impl Fingerprint {
    pub(crate) fn of(text: &str) -> Self {
        static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);
        Self { hashes: KEYS.each_ref().map(|key| key.hash_one(text)), bytes: text.len() }
    }
}

impl Hash for Fingerprint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // As good as any hash of all of it.
        state.write_u64(self.hashes[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_by_all_of_it() {
        let texts =
            ["", " ", "a", "b", "ab", "ba", "포트", "포트 5433", "포트 5435"].map(str::to_owned);
        let long = (0..64).map(|at| {
            let mut text = "x".repeat(64);
            text.replace_range(at..=at, "y");
            text
        });
        let all: Vec<String> = texts.into_iter().chain(long).collect();
        for (n, one) in all.iter().enumerate() {
            for (m, other) in all.iter().enumerate() {
                assert_eq!(Fingerprint::of(one) == Fingerprint::of(other), n == m);
            }
        }
    }
}
