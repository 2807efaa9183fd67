//! Which model of a provider summarises: the makers' small ones, by name.

/// Words that name a maker's small models, the most fitting first.
const SMALL: [&str; 5] = ["haiku", "mini", "nano", "flash-lite", "flash"];

/// The newest small model of the same family among those a provider offers; else the conversation's own.
pub fn cheapest<'a>(offered: impl Iterator<Item = &'a str> + Clone, own: &'a str) -> &'a str {
    let small = |word: &str| {
        let fits = |name: &&str| family(name) == family(own) && is_edition_of(name, word);
        offered.clone().filter(fits).max()
    };
    SMALL.iter().find_map(|word| small(word)).unwrap_or(own)
}

/// What a name begins with, up to its version: `gpt`, `claude`, `google/gemini`.
fn family(name: &str) -> &str {
    name.split(['-', ':']).next().unwrap_or(name).trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Whether nothing but an edition follows the word: `-latest`, `-4-5-20251001`, and not `-tts`.
fn is_edition_of(name: &str, word: &str) -> bool {
    let Some((_, rest)) = name.split_once(&format!("-{word}")) else { return false };
    let edition = |part: &str| {
        matches!(part, "latest" | "preview" | "exp")
            || part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|rest| rest.split('-').all(edition))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const OPENAI: &str = "gpt-5.1 gpt-5-mini gpt-5-nano gpt-4o-mini gpt-4o-mini-tts o4-mini gpt-4o";
    const ANTHROPIC: &str =
        "claude-opus-4-5 claude-3-5-haiku-20241022 claude-haiku-4-5-20251001 claude-sonnet-4-5";
    const GEMINI: &str = "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-image \
         gemini-2.5-flash-lite gemini-2.5-flash-lite-preview-09-2025";

    #[rstest]
    #[case(OPENAI, "gpt-5.1", "gpt-5-mini")]
    #[case(OPENAI, "o3", "o4-mini")]
    #[case(ANTHROPIC, "claude-opus-4-5", "claude-haiku-4-5-20251001")]
    #[case(GEMINI, "gemini-2.5-pro", "gemini-2.5-flash-lite-preview-09-2025")]
    #[case(
        "google/gemini-3-flash openai/gpt-5-mini",
        "google/gemini-3-pro",
        "google/gemini-3-flash"
    )]
    #[case("gemini-2.5-flash-image gemini-2.5-pro", "gemini-2.5-pro", "gemini-2.5-pro")]
    #[case("llama-4-scout gpt-5-mini", "llama-4-scout", "llama-4-scout")]
    #[case("", "anything", "anything")]
    fn the_makers_small_model_summarises(
        #[case] offered: &str,
        #[case] own: &str,
        #[case] chosen: &str,
    ) {
        assert_eq!(cheapest(offered.split(' '), own), chosen);
    }
}
