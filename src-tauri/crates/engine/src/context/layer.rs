//! Described capabilities: one entry each in the Layer store, one line each in the app's `layerSummary`.

use unicode_segmentation::UnicodeSegmentation;

use super::store::{ContextScope, ContextStore, PersistenceKind};

/// Most characters a description may take in the summary.
const SUMMARY_CHARS: usize = 160;

/// What kind of capability a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// A tool a model may call.
    Tool,
    /// A provider of models.
    Provider,
}

/// A capability that describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Tool or provider.
    pub kind: LayerKind,
    /// Its name.
    pub name: String,
    /// What it says it does, in its own words.
    pub description: String,
}

impl LayerKind {
    fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Provider => "provider",
        }
    }
}

/// The Layer store: every capability with its whole description.
pub fn layer_store(layers: &[Layer]) -> ContextStore {
    let mut store = ContextStore::new(ContextScope::Layer, PersistenceKind::Persistent);
    store.put_all(layers.iter().map(|layer| {
        let key = format!("{}.{}", layer.kind.word(), layer.name);
        (key, layer.description.as_str())
    }));
    store
}

/// A line for every capability, with the first sentence of its description; `None` without any.
pub fn layer_summary(layers: &[Layer]) -> Option<String> {
    let lines: Vec<String> = layers
        .iter()
        .map(|layer| {
            let (word, name) = (layer.kind.word(), on_one_line(&layer.name));
            match on_one_line(&first_sentence(&layer.description)) {
                said if said.is_empty() => format!("- {word} {name}"),
                said => format!("- {word} {name}: {said}"),
            }
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn first_sentence(description: &str) -> String {
    let sentence = description.unicode_sentences().next().unwrap_or_default().trim();
    match sentence.char_indices().nth(SUMMARY_CHARS) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

/// A name or description must not look like the next line.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
