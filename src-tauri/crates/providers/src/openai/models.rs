//! The list of models, as the servers that speak this format give it, and Anthropic's.

use reqwest::Url;
use serde_json::Value;
use siltstone_engine::provider::{ModelInfo, ProviderError};

use crate::http::Door;
use crate::{remote, windows};

/// A list of models and who keeps it.
pub(crate) struct ModelList {
    pub models: Vec<ModelInfo>,
    /// Whom the server names as owner of its models; tells one product from another.
    pub owner: Option<String>,
}

/// Fetches the list at `url`. At `home` a name says how much a model holds; elsewhere anything may have that name.
pub(crate) async fn fetch(
    door: &Door,
    url: Url,
    home: &str,
) -> Result<Vec<ModelInfo>, ProviderError> {
    let mut models = read(&remote::fetch(door, &url).await?)?.models;
    if door.is_at(home) {
        for model in &mut models {
            model.context_window = model.context_window.or_else(|| windows::known(&model.id));
        }
    }
    Ok(models)
}

/// Reads the answer to `GET models`.
pub(crate) fn read(answer: &Value) -> Result<ModelList, ProviderError> {
    // Ollama says `null` when nothing is installed yet.
    let nothing = answer["object"] == "list" && answer["data"].is_null();
    let entries: &[Value] = match answer["data"].as_array().or_else(|| answer.as_array()) {
        Some(entries) => entries,
        None if nothing => &[],
        None => return Err(ProviderError::Malformed { detail: "no list of models".to_owned() }),
    };
    let models = entries
        .iter()
        .filter_map(|entry| {
            let named = ModelInfo::named(entry["id"].as_str()?);
            Some(ModelInfo { context_window: window(entry), ..named })
        })
        .collect();
    let owner = entries.iter().find_map(|entry| entry["owned_by"].as_str()).map(str::to_owned);
    Ok(ModelList { models, owner })
}

/// The window the server really runs with comes before the one the model was trained for.
fn window(entry: &Value) -> Option<u64> {
    const PLACES: [&str; 8] = [
        "/meta/n_ctx",
        "/loaded_context_length",
        "/max_model_len",
        "/context_length",
        "/context_window",
        "/max_context_length",
        "/max_input_tokens",
        "/meta/n_ctx_train",
    ];
    PLACES.iter().find_map(|place| entry.pointer(place)?.as_u64()).filter(|window| *window > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ModelList, ProviderError> {
        super::read(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn every_shape_of_list_is_read_and_nothing_else() {
        let llama = read(
            r#"{"data":[{"id":"g.gguf","owned_by":"llamacpp","meta":{"n_ctx":8192,"n_ctx_train":32768}}]}"#,
        )
        .unwrap();
        assert_eq!(llama.owner.as_deref(), Some("llamacpp"));
        assert_eq!(llama.models[0].context_window, Some(8_192));
        let ollama = read(r#"{"object":"list","data":[{"id":"a"},{"name":"no id"}]}"#).unwrap();
        assert_eq!(ollama.models.len(), 1);
        assert_eq!(ollama.models[0].context_window, None);
        assert_eq!(read(r#"[{"id":"a","max_model_len":4096}]"#).unwrap().models.len(), 1);
        assert!(read(r#"{"object":"list","data":null}"#).unwrap().models.is_empty());
        for other in ["7", "{}", r#"{"data":"x"}"#] {
            assert!(matches!(read(other), Err(ProviderError::Malformed { .. })), "{other}");
        }
    }
}
