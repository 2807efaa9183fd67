//! What servers say when they refuse, in the engine's words. Shared by the wire formats that answer with JSON.
//!
//! The same trouble comes in many shapes: an `error` object with a code or a type, the same fields without the object,
//! `error` as a sentence, `detail`, or plain text. Numbers and words of the server are kept for the person to read.

use serde_json::Value;
use siltstone_engine::provider::ProviderError;

use crate::http::{NoAnswer, Refusal};

/// Most characters of a server's words that are kept.
const WORDS: usize = 500;

/// What an unanswered request for `model` means.
pub(crate) fn of(no: NoAnswer, model: &str) -> ProviderError {
    match no {
        NoAnswer::Failed(error) => error,
        NoAnswer::Refused(refusal) => of_refusal(&refusal, model),
    }
}

fn of_refusal(refusal: &Refusal, model: &str) -> ProviderError {
    let body =
        serde_json::from_str(&refusal.body).unwrap_or_else(|_| Value::String(refusal.body.clone()));
    let seconds = refusal.retry_after.map(|pause| {
        // Rounded up: a count-down must not end too early.
        pause.as_secs() + u64::from(pause.subsec_nanos() > 0)
    });
    of_body(refusal.status, seconds, &body, model)
}

/// What an error object inside a stream means.
pub(crate) fn of_event(event: &Value, model: &str) -> ProviderError {
    let status = error_of(event)["code"]
        .as_u64()
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code))
        .unwrap_or(500);
    of_body(status, None, event, model)
}

fn of_body(status: u16, retry_after: Option<u64>, body: &Value, model: &str) -> ProviderError {
    let error = error_of(body);
    let detail = words(body, error, status);
    let code = ["code", "type"]
        .iter()
        .filter_map(|field| error[*field].as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let said = detail.to_lowercase();
    let model = || model.to_owned();
    if is_overflow(status, &code, &said) {
        return ProviderError::ContextOverflow { detail: with_numbers(detail, error) };
    }
    match status {
        401 | 403 => ProviderError::Unauthorised { detail },
        _ if code.contains("model_not_found") => ProviderError::ModelNotFound { model: model() },
        404 if said.contains("model") => ProviderError::ModelNotFound { model: model() },
        429 if !code.contains("insufficient_quota") => ProviderError::RateLimited { retry_after },
        408 | 500.. => ProviderError::Server { status, detail },
        _ => ProviderError::Refused { status, detail },
    }
}

/// The object that describes the error: under `error`, or the body itself.
fn error_of(body: &Value) -> &Value {
    match body.get("error") {
        Some(error @ Value::Object(_)) => error,
        _ => body,
    }
}

fn words(body: &Value, error: &Value, status: u16) -> String {
    let found = [&error["message"], &body["error"], &body["detail"], body]
        .into_iter()
        .find_map(|said| said.as_str().filter(|said| !said.trim().is_empty()));
    match found {
        Some(said) => said.trim().chars().take(WORDS).collect(),
        None if (300..400).contains(&status) => "redirects are not followed".to_owned(),
        None => format!("status {status} without a word"),
    }
}

fn is_overflow(status: u16, code: &str, said: &str) -> bool {
    const CODES: [&str; 2] = ["exceed_context_size_error", "context_length_exceeded"];
    const PHRASES: [&str; 5] = [
        "context size",
        "context length",
        "context window",
        "prompt is too long",
        "maximum context",
    ];
    CODES.iter().any(|known| code.contains(known))
        || (matches!(status, 400 | 413 | 422 | 500)
            && PHRASES.iter().any(|phrase| said.contains(phrase)))
}

/// llama.cpp counts for us; its numbers are added unless the sentence has them already.
fn with_numbers(detail: String, error: &Value) -> String {
    match (error["n_prompt_tokens"].as_u64(), error["n_ctx"].as_u64()) {
        (Some(prompt), Some(window)) if !detail.contains(&prompt.to_string()) => {
            format!("{detail} ({prompt} > {window} tokens)")
        }
        _ => detail,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use std::time::Duration;

    use super::*;

    #[rstest]
    #[case::llama_in_openai_shape(400, r#"{"error":{"code":400,"message":"request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9007,"n_ctx":8192}}"#, "context_overflow", "9007 > 8192")]
    #[case::llama_in_plain_shape(400, r#"{"code":400,"message":"too much","type":"exceed_context_size_error","n_prompt_tokens":9007,"n_ctx":8192}"#, "context_overflow", "9007 > 8192")]
    #[case::openai_overflow(400, r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#, "context_overflow", "128000")]
    #[case::key(
        401,
        r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#,
        "key_refused",
        "Incorrect API key"
    )]
    #[case::ollama_model(
        404,
        r#"{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}"#,
        "model_not_found",
        "model m not found"
    )]
    #[case::model_by_code(
        400,
        r#"{"error":{"message":"nope","code":"model_not_found"}}"#,
        "model_not_found",
        "model m not found"
    )]
    #[case::wrong_path(404, "404 page not found", "provider_refused", "404 page not found")]
    #[case::rate(429, r#"{"error":{"message":"slow down"}}"#, "rate_limited", "rate limited")]
    #[case::quota(
        429,
        r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
        "provider_refused",
        "quota"
    )]
    #[case::loading(
        503,
        r#"{"error":{"message":"Loading model","code":503}}"#,
        "provider_trouble",
        "Loading model"
    )]
    #[case::sentence(
        500,
        r#"{"error":"llama runner process has terminated"}"#,
        "provider_trouble",
        "llama runner"
    )]
    #[case::fastapi(422, r#"{"detail":"field required"}"#, "provider_refused", "field required")]
    #[case::redirect(302, "", "provider_refused", "redirects")]
    fn a_refusal_keeps_its_meaning_and_its_words(
        #[case] status: u16,
        #[case] body: &str,
        #[case] code: &str,
        #[case] words: &str,
    ) {
        let refusal = Refusal {
            status,
            retry_after: Some(Duration::from_millis(1_500)),
            body: body.to_owned(),
        };
        let error = of_refusal(&refusal, "m");
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        if let ProviderError::RateLimited { retry_after } = error {
            assert_eq!(retry_after, Some(2));
        }
    }
}
