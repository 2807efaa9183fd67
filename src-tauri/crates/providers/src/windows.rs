//! Windows of models whose makers' servers list them without saying how much they hold. Used for those servers alone;
//! whatever a server says itself comes first.

/// Longer names before the shorter ones they begin with.
const KNOWN: [(&str, u64); 13] = [
    ("claude-", 200_000),
    ("gpt-5-chat", 128_000),
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4", 8_192),
    ("gpt-3.5-turbo", 16_385),
    ("o1-mini", 128_000),
    ("o1-preview", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
];

/// Tokens that request and reply may have together.
pub(crate) fn known(model: &str) -> Option<u64> {
    KNOWN.iter().find(|(name, _)| model.starts_with(name)).map(|(_, window)| *window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts() {
        assert_eq!(known("gpt-4o-mini"), Some(128_000));
        assert_eq!(known("gpt-4-0613"), Some(8_192));
        assert_eq!(known("o1-mini-2024-09-12"), Some(128_000));
        assert_eq!(known("text-embedding-3"), None);
    }
}
