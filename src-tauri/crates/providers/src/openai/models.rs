//! The list of models, as the servers that speak this format give it, and Anthropic's.

use reqwest::Url;
use serde_json::Value;
use siltstone_engine::price::Price;
use siltstone_engine::provider::{ModelInfo, ProviderError};

use crate::http::Door;
use crate::remote;

/// Who LM Studio says owns its models.
pub(crate) const LM_STUDIO: &str = "organization_owner";

/// Who llama.cpp says owns its models.
pub(crate) const LLAMA_CPP: &str = "llamacpp";

/// A list of models and who keeps it.
pub(crate) struct ModelList {
    pub models: Vec<ModelInfo>,
    /// Whom the server names as owner of its models; tells one product from another.
    pub owner: Option<String>,
}

/// Fetches the list at `url`.
pub(crate) async fn fetch(door: &Door, mut url: Url) -> Result<Vec<ModelInfo>, ProviderError> {
    let list = read(&remote::fetch(door, &url).await?)?;
    if list.owner.as_deref() == Some(LM_STUDIO) {
        // Its own list knows windows and eyes. An older one has none, and is served by the common one.
        url.set_path("/api/v0/models");
        if let Ok(own) = remote::fetch(door, &url).await.and_then(|answer| read(&answer)) {
            return Ok(own.models);
        }
    }
    Ok(list.models)
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
    let models = entries.iter().filter_map(model).collect();
    let owner = entries.iter().find_map(|entry| entry["owned_by"].as_str()).map(str::to_owned);
    Ok(ModelList { models, owner })
}

/// One entry that can be talked with.
fn model(entry: &Value) -> Option<ModelInfo> {
    let id = entry["id"].as_str()?;
    if !chats(entry).unwrap_or_else(|| !is_named_otherwise(id)) {
        return None;
    }
    Some(ModelInfo {
        context_window: window(entry),
        takes_images: takes_images(entry),
        takes_files: takes_files(entry),
        takes_tools: takes_tools(entry),
        price: price(&entry["pricing"]),
        ..ModelInfo::named(id)
    })
}

/// LM Studio has a type for what only embeds, Mistral a capability for what chats, OpenRouter lists what comes out.
fn chats(entry: &Value) -> Option<bool> {
    let by_type = entry["type"].as_str().map(|kind| kind != "embeddings").filter(|chats| !chats);
    let told = entry["architecture"]["output_modalities"].as_array();
    by_type
        .or_else(|| entry["capabilities"]["completion_chat"].as_bool())
        .or_else(|| told.map(|list| list.iter().any(|one| one == "text")))
}

/// Whether a name says that a model embeds, hears, speaks, draws, ranks or judges, or is older than conversations. Their makers
/// list such models among the others and say nothing of them but the name. Whole words alone: one that is listed in vain is
/// seen, one that is missing is not.
fn is_named_otherwise(id: &str) -> bool {
    const WORDS: [&str; 17] = [
        "babbage",
        "bge",
        "dall",
        "davinci",
        "embed",
        "embedding",
        "embeddings",
        "imagen",
        "moderation",
        "realtime",
        "rerank",
        "reranker",
        "sora",
        "transcribe",
        "tts",
        "veo",
        "whisper",
    ];
    let id = id.to_lowercase();
    let mut words = id.split(|c: char| !c.is_ascii_alphanumeric());
    id.contains("gpt-image") || words.any(|word| WORDS.contains(&word))
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

/// OpenRouter and llama.cpp list what goes in, LM Studio has a type for it, Anthropic and Mistral a capability.
fn takes_images(entry: &Value) -> Option<bool> {
    let capabilities = &entry["capabilities"];
    takes(entry, "image")
        .or_else(|| match entry["type"].as_str()? {
            "vlm" => Some(true),
            "llm" => Some(false),
            _ => None,
        })
        .or_else(|| capabilities["image_input"]["supported"].as_bool())
        .or_else(|| capabilities["vision"].as_bool())
}

/// OpenRouter reads a file to the models that cannot read it themselves, so only a yes says something there; the
/// servers on this computer refuse files.
fn takes_files(entry: &Value) -> Option<bool> {
    let never =
        entry["owned_by"] == LLAMA_CPP || matches!(entry["type"].as_str(), Some("vlm" | "llm"));
    takes(entry, "file")
        .filter(|takes| *takes)
        .or_else(|| entry["capabilities"]["pdf_input"]["supported"].as_bool())
        .or_else(|| never.then_some(false))
}

/// OpenRouter lists what a request may hold, Mistral has a capability. LM Studio calls tools with models that were not
/// made for it too, so only a yes says something there.
fn takes_tools(entry: &Value) -> Option<bool> {
    let has =
        |list: &Value, what: &str| list.as_array().map(|list| list.iter().any(|one| one == what));
    let capabilities = &entry["capabilities"];
    has(&entry["supported_parameters"], "tools")
        .or_else(|| capabilities["function_calling"].as_bool())
        .or_else(|| has(capabilities, "tool_use").filter(|takes| *takes))
}

fn takes(entry: &Value, what: &str) -> Option<bool> {
    let modalities = entry["architecture"]["input_modalities"].as_array()?;
    Some(modalities.iter().any(|modality| modality == what))
}

/// OpenRouter's prices are dollars for one token, as decimal text; a router to changing models says -1.
fn price(pricing: &Value) -> Option<Price> {
    let of = |what: &str| {
        let dollars: f64 = pricing[what].as_str()?.parse().ok()?;
        // Exact: no price has more digits than an `f64`, and a cast keeps within what a price can hold.
        (dollars >= 0.0).then(|| (dollars * 1e12).round() as u64)
    };
    Some(Price {
        input: of("prompt")?,
        cached_input: of("input_cache_read"),
        cache_write: of("input_cache_write"),
        output: of("completion")?,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use rstest::rstest;
    use siltstone_test_servers::request;

    use super::*;
    use crate::openai::OpenAi;
    use crate::remote::Wire;
    use crate::tests::door;

    fn read(text: &str) -> Result<ModelList, ProviderError> {
        super::read(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn every_shape_of_list_is_read_and_nothing_else() {
        let llama = read(
            r#"{"data":[{"id":"g.gguf","owned_by":"llamacpp","meta":{"n_ctx":8192,"n_ctx_train":32768}}]}"#,
        )
        .unwrap();
        assert_eq!(llama.owner.as_deref(), Some(LLAMA_CPP));
        assert_eq!(llama.models[0].context_window, Some(8_192));
        let ollama = read(r#"{"object":"list","data":[{"id":"a"},{"name":"no id"}]}"#).unwrap();
        assert_eq!(ollama.models, [ModelInfo::named("a")]);
        assert_eq!(read(r#"[{"id":"a","max_model_len":4096}]"#).unwrap().models.len(), 1);
        assert!(read(r#"{"object":"list","data":null}"#).unwrap().models.is_empty());
        for other in ["7", "{}", r#"{"data":"x"}"#] {
            assert!(matches!(read(other), Err(ProviderError::Malformed { .. })), "{other}");
        }
    }

    #[rstest]
    #[case::openrouter(
        r#"{"architecture":{"input_modalities":["text","image","file"]}}"#,
        Some(true),
        Some(true)
    )]
    #[case::openrouter_text(r#"{"architecture":{"input_modalities":["text"]}}"#, Some(false), None)]
    #[case::llama_cpp(
        r#"{"owned_by":"llamacpp","architecture":{"input_modalities":["text","image"]}}"#,
        Some(true),
        Some(false)
    )]
    #[case::lm_studio_eyes(r#"{"type":"vlm"}"#, Some(true), Some(false))]
    #[case::lm_studio(r#"{"type":"llm"}"#, Some(false), Some(false))]
    #[case::anthropic(
        r#"{"type":"model","capabilities":{"image_input":{"supported":true},"pdf_input":{"supported":false}}}"#,
        Some(true),
        Some(false)
    )]
    #[case::mistral(r#"{"type":"base","capabilities":{"vision":true}}"#, Some(true), None)]
    #[case::silent(r#"{"owned_by":"vllm"}"#, None, None)]
    fn what_a_model_takes_is_read_where_the_server_says_it(
        #[case] said: &str,
        #[case] images: Option<bool>,
        #[case] files: Option<bool>,
    ) {
        let mut entry: Value = serde_json::from_str(said).unwrap();
        entry["id"] = "m".into();
        let info = model(&entry).unwrap();
        assert_eq!((info.takes_images, info.takes_files), (images, files));
    }

    #[rstest]
    #[case::openrouter(r#"{"supported_parameters":["max_tokens","tools"]}"#, Some(true))]
    #[case::openrouter_plain(r#"{"supported_parameters":["max_tokens"]}"#, Some(false))]
    #[case::mistral(r#"{"capabilities":{"function_calling":false}}"#, Some(false))]
    #[case::lm_studio(r#"{"type":"llm","capabilities":["tool_use"]}"#, Some(true))]
    #[case::lm_studio_silent(r#"{"type":"llm","capabilities":[]}"#, None)]
    #[case::silent(r#"{"owned_by":"vllm"}"#, None)]
    fn whether_a_model_calls_tools_is_read_where_the_server_says_it(
        #[case] said: &str,
        #[case] tools: Option<bool>,
    ) {
        let mut entry: Value = serde_json::from_str(said).unwrap();
        entry["id"] = "m".into();
        assert_eq!(model(&entry).unwrap().takes_tools, tools);
    }

    #[test]
    fn a_price_for_one_token_becomes_one_for_a_million() {
        let read = |said| price(&serde_json::from_str(said).unwrap());
        let whole = r#"{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003","input_cache_write":"0.00000375"}"#;
        let price = Price {
            input: 3_000_000,
            cached_input: Some(300_000),
            cache_write: Some(3_750_000),
            output: 15_000_000,
        };
        assert_eq!(read(whole), Some(price));
        assert_eq!(read(r#"{"prompt":"0","completion":"0"}"#), Some(Price::FREE));
        assert_eq!(read(r#"{"prompt":"-1","completion":"-1"}"#), None);
        assert_eq!(read(r#"{"prompt":"0.1"}"#), None);
        assert_eq!(read("null"), None);
    }

    #[rstest]
    #[case(r#"{"id":"gpt-4o"}"#, true)]
    #[case(r#"{"id":"text-embedding-3-large"}"#, false)]
    #[case(r#"{"id":"whisper-1"}"#, false)]
    #[case(r#"{"id":"dall-e-3"}"#, false)]
    #[case(r#"{"id":"gpt-image-1"}"#, false)]
    #[case(r#"{"id":"gpt-4o-mini-tts"}"#, false)]
    #[case(r#"{"id":"omni-moderation-latest"}"#, false)]
    #[case(r#"{"id":"davinci-002"}"#, false)]
    #[case(r#"{"id":"gemini-2.5-flash-image"}"#, true)]
    #[case(r#"{"id":"embedded-coder"}"#, true)]
    #[case::mistral(r#"{"id":"mistral-ocr","capabilities":{"completion_chat":false}}"#, false)]
    #[case::named_oddly(r#"{"id":"whisper-chat","capabilities":{"completion_chat":true}}"#, true)]
    #[case::openrouter(r#"{"id":"flux","architecture":{"output_modalities":["image"]}}"#, false)]
    #[case::draws_too(r#"{"id":"x","architecture":{"output_modalities":["image","text"]}}"#, true)]
    #[case::lm_studio(r#"{"id":"e5","type":"embeddings"}"#, false)]
    fn only_what_can_be_talked_with_is_listed(#[case] entry: &str, #[case] is_listed: bool) {
        let answer = serde_json::from_str(&format!(r#"{{"data":[{entry}]}}"#)).unwrap();
        assert_eq!(super::read(&answer).unwrap().models.len() == 1, is_listed);
    }

    #[rstest]
    #[case::new(true, Some(16_384))]
    #[case::old(false, None)]
    #[tokio::test]
    async fn lm_studio_is_asked_for_its_own_list(#[case] new: bool, #[case] window: Option<u64>) {
        const COMMON: &str = r#"{"data":[{"id":"qwen-vl","owned_by":"organization_owner"}]}"#;
        const OWN: &str = r#"{"data":[{"id":"qwen-vl","type":"vlm","loaded_context_length":16384,"max_context_length":32768},{"id":"e5","type":"embeddings"}]}"#;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            for (path, body) in [("/v1/models", COMMON), ("/api/v0/models", OWN)] {
                let (mut stream, _) = listener.accept().unwrap();
                let asked = request::read(&mut stream).head.remove(0);
                assert!(asked.starts_with(&format!("GET {path} ")), "{asked}");
                let body =
                    if new || body == COMMON { body } else { r#"{"error":"no such endpoint"}"# };
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ";
                write!(stream, "{head}{}\r\n\r\n{body}", body.len()).unwrap();
            }
        });
        let models = OpenAi.models(&door(&OpenAi, &base_url)).await.unwrap();
        server.join().unwrap();
        let own = new.then_some((true, false));
        let model = ModelInfo {
            context_window: window,
            takes_images: own.map(|(images, _)| images),
            takes_files: own.map(|(_, files)| files),
            ..ModelInfo::named("qwen-vl")
        };
        assert_eq!(models, [model]);
    }
}
