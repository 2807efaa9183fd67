//! What the makers' own servers leave unsaid of their models: how much they hold, and whether they read pictures and
//! PDF files. Used where a name means what its maker means by it: for those servers, and in Gemini's format. Whatever a
//! server says itself comes first.

use siltstone_engine::provider::ModelInfo;

/// A family of models by the beginning of their names: the window, and whether they read pictures and files.
struct Family(&'static str, u64, bool);

/// Longer names before the shorter ones they begin with.
const KNOWN: [Family; 15] = [
    Family("claude-", 200_000, true),
    Family("gpt-5-chat", 128_000, true),
    Family("gpt-5", 400_000, true),
    Family("gpt-4.1", 1_047_576, true),
    Family("gpt-4o", 128_000, true),
    Family("gpt-4-turbo", 128_000, true),
    Family("gpt-4", 8_192, false),
    Family("gpt-3.5-turbo", 16_385, false),
    Family("o1-mini", 128_000, false),
    Family("o1-preview", 128_000, false),
    Family("o1", 200_000, true),
    Family("o3-mini", 200_000, false),
    Family("o3", 200_000, true),
    Family("o4-mini", 200_000, true),
    Family("gemini-", 1_048_576, true),
];

/// `model` with what its server left unsaid.
pub(crate) fn completed(model: ModelInfo) -> ModelInfo {
    let Some(Family(_, window, sees)) = KNOWN.iter().find(|known| model.id.starts_with(known.0))
    else {
        return model;
    };
    ModelInfo {
        context_window: model.context_window.or(Some(*window)),
        takes_images: model.takes_images.or(Some(*sees)),
        takes_files: model.takes_files.or(Some(*sees)),
        ..model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts_and_only_gaps_are_filled() {
        let known = |id| {
            let model = completed(ModelInfo::named(id));
            (model.context_window, model.takes_images, model.takes_files)
        };
        assert_eq!(known("gpt-4o-mini"), (Some(128_000), Some(true), Some(true)));
        assert_eq!(known("gpt-4-0613"), (Some(8_192), Some(false), Some(false)));
        assert_eq!(known("o3-mini"), (Some(200_000), Some(false), Some(false)));
        assert_eq!(known("text-embedding-3"), (None, None, None));
        let said = ModelInfo {
            context_window: Some(1_000_000),
            takes_files: Some(false),
            ..ModelInfo::named("claude-opus-5")
        };
        assert_eq!(completed(said.clone()), ModelInfo { takes_images: Some(true), ..said });
    }
}
