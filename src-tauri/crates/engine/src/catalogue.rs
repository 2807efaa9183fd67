//! What is known of models by their names, wherever they are served: how much they hold, what they read, whether they call
//! tools.
//!
//! The facts are the file `catalogue/models.json`, which `make models` writes from a kept catalogue. The adapters fill with
//! them what a server leaves unsaid ([`complete`]); what a server says itself always comes first. Prices are not here but
//! in [`crate::price`]: those are dated, and announced before they hold.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::keys;
use crate::provider::ModelInfo;

/// A row of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Known {
    model: String,
    /// Tokens of a request.
    window: u64,
    images: Option<bool>,
    files: Option<bool>,
    tools: Option<bool>,
    /// Whether its maker alone serves it, so that its window is the same behind every address.
    #[serde(default)]
    hosted: bool,
}

#[derive(Default, Deserialize)]
struct Catalogue {
    models: Vec<Known>,
}

/// A test reads it; an unreadable file would only mean that nothing is known.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    serde_json::from_str(include_str!("catalogue/models.json")).unwrap_or_default()
});

/// `model`, offered at an address, with what its server left unsaid. On this computer a window is what the server was
/// started with, so there it is taken from the catalogue only for models that nobody but their maker runs.
pub fn complete(model: ModelInfo, base_url: &str) -> ModelInfo {
    let Some((known, guessed)) = known(&model.id) else { return model };
    let its_own = known.hosted || !keys::on_this_computer(base_url);
    ModelInfo {
        context_window: model.context_window.or(its_own.then_some(known.window)),
        window_guessed: model.context_window.is_none() && its_own && guessed,
        takes_images: model.takes_images.or(known.images),
        takes_files: model.takes_files.or(known.files),
        takes_tools: model.takes_tools.or(known.tools),
        ..model
    }
}

/// What is known of a model: as the longest name in the catalogue that it is, or is an edition of. Of one that came later,
/// what those of its family agree on, and the window that most of them have. With it, whether it is such a guess.
fn known(id: &str) -> Option<(Known, bool)> {
    let name = id.to_lowercase();
    // `openrouter` and its like put the maker first, a fine-tuned model its base.
    let name = name.rsplit('/').next()?;
    let name = name.strip_prefix("ft:").and_then(|tuned| tuned.split(':').next()).unwrap_or(name);
    let words: Vec<&str> = words(name).collect();
    let shared = |row: &Known| {
        self::words(&row.model).zip(&words).take_while(|(its, word)| its == *word).count()
    };
    let rows = &CATALOGUE.models;
    let whole = rows.iter().filter(|row| shared(row) == self::words(&row.model).count());
    if let Some(row) = whole.max_by_key(|row| row.model.len()) {
        return Some((row.clone(), false));
    }
    let nearest = rows.iter().map(shared).max().filter(|most| *most > 0)?;
    let family: Vec<&Known> = rows.iter().filter(|row| shared(row) == nearest).collect();
    let agreed = |of: fn(&Known) -> Option<bool>| {
        let first = of(family.first()?)?;
        family.iter().all(|row| of(row) == Some(first)).then_some(first)
    };
    let known = Known {
        model: name.to_owned(),
        window: usual(family.iter().map(|row| row.window))?,
        images: agreed(|row| row.images),
        files: agreed(|row| row.files),
        tools: agreed(|row| row.tools),
        hosted: family.iter().all(|row| row.hosted),
    };
    Some((known, true))
}

/// Name, version, size and edition: `gpt-5.4-mini`, `qwen3:8b`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '.', ':', '@'])
}

/// The figure that stands there most often; of several the smallest, so that nothing is refused for its length.
fn usual(figures: impl Iterator<Item = u64> + Clone) -> Option<u64> {
    let often = |figure: u64| figures.clone().filter(|other| *other == figure).count();
    figures.clone().max_by_key(|figure| (often(*figure), Reverse(*figure)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const AWAY: &str = "https://gateway.example/v1";
    const HERE: &str = "http://127.0.0.1:4000/v1";

    fn window(id: &str, base_url: &str) -> Option<u64> {
        complete(ModelInfo::named(id), base_url).context_window
    }

    #[test]
    fn the_catalogue_can_be_read_and_has_the_makers_people_use() {
        assert!(CATALOGUE.models.len() > 200);
        for maker in [
            "claude", "gpt", "gemini", "mistral", "deepseek", "grok", "qwen3", "solar", "exaone",
            "hcx",
        ] {
            let its = |row: &&Known| row.model.starts_with(maker);
            assert!(CATALOGUE.models.iter().filter(its).count() > 0, "{maker}");
        }
        for row in &CATALOGUE.models {
            assert!((1_000..=20_000_000).contains(&row.window), "{row:?}");
            assert_eq!(row.model, row.model.to_lowercase());
        }
    }

    #[rstest]
    #[case("claude-opus-4-1", Some(200_000))]
    #[case("claude-opus-4-1-20250805", Some(200_000))]
    #[case("claude-opus-4-9", Some(1_000_000))]
    #[case("gpt-4o", Some(128_000))]
    #[case("gpt-4o-2024-08-06", Some(128_000))]
    #[case("openai/gpt-4o", Some(128_000))]
    #[case("ft:gpt-4o-2024-08-06:team::abc", Some(128_000))]
    #[case("GPT-4o", Some(128_000))]
    #[case("gpt-4-0613", Some(8_192))]
    #[case("Qwen/Qwen3-Max-2026-01-23", window("qwen3-max", AWAY))]
    #[case("solar-pro2-250909", Some(65_536))]
    #[case("my-own-model", None)]
    #[case("", None)]
    fn a_name_is_known_behind_any_server(#[case] id: &str, #[case] expected: Option<u64>) {
        assert_eq!(window(id, AWAY), expected, "{id}");
    }

    #[test]
    fn a_model_that_is_not_listed_has_the_window_that_most_of_its_family_have() {
        assert_eq!(usual([8, 3, 9, 9, 3].into_iter()), Some(3));
        let opus = CATALOGUE.models.iter().filter(|row| row.model.starts_with("claude-opus"));
        let (later, guessed) = known("claude-opus-99").unwrap();
        assert!(guessed && !known("gpt-4o").unwrap().1);
        let completed = |id| complete(ModelInfo::named(id), AWAY);
        assert!(completed("claude-opus-99").window_assumed());
        assert!(
            !completed("gpt-4o").window_assumed() && completed("my-own-model").window_assumed()
        );
        assert_eq!(Some(later.window), usual(opus.map(|row| row.window)));
        assert_eq!(later.images, Some(true));
        assert_eq!(window("google/gemini-2.0-flash-001", AWAY), Some(1_048_576));
    }

    #[test]
    fn what_a_server_was_started_with_is_not_guessed() {
        assert_eq!(window("llama-3.1-8b-instruct", HERE), None);
        assert!(window("llama-3.1-8b-instruct", AWAY).is_some());
        assert_eq!(window("gpt-4o", HERE), Some(128_000), "a gateway on this computer");
        let here = complete(ModelInfo::named("llama-3.1-8b-instruct"), HERE);
        assert_eq!(here.takes_tools, known("llama-3.1-8b-instruct").unwrap().0.tools);
    }

    #[test]
    fn what_the_server_says_comes_first() {
        let said = ModelInfo {
            context_window: Some(16_000),
            takes_images: Some(false),
            ..ModelInfo::named("gpt-4o")
        };
        let completed = complete(said.clone(), AWAY);
        assert_eq!((completed.context_window, completed.takes_images), (Some(16_000), Some(false)));
        assert_eq!(completed.takes_tools, Some(true));
    }
}
