//! What servers say when they refuse, in the engine's words. Shared by the wire formats that answer with JSON.
//!
//! The same trouble comes in many shapes: an `error` object with a code or a type, the same fields without the object,
//! `error` as a sentence, `detail`, or plain text. Numbers and words of the server are kept for the person to read.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use serde_json::Value;
use siltstone_engine::provider::{ModelRequest, ProviderError};

use crate::http::{Door, NoAnswer, Refusal};

/// Most characters of a server's words that are kept.
const WORDS: usize = 500;

/// What was asked, as far as a refusal may be about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The model; empty where none was asked.
    pub model: String,
    /// Whether tools were offered.
    pub tools: bool,
}

impl From<&ModelRequest> for Asked {
    fn from(request: &ModelRequest) -> Self {
        Self { model: request.model.clone(), tools: !request.tools.is_empty() }
    }
}

/// What an unanswered request means.
pub(crate) fn of(no: NoAnswer, asked: &Asked) -> ProviderError {
    match no {
        NoAnswer::Failed(error) => error,
        NoAnswer::Refused(refusal) => of_refusal(&refusal, asked),
    }
}

fn of_refusal(refusal: &Refusal, asked: &Asked) -> ProviderError {
    let body =
        serde_json::from_str(&refusal.body).unwrap_or_else(|_| Value::String(refusal.body.clone()));
    of_body(refusal.status, refusal.retry_after, &body, asked)
}

/// What an error object inside a stream means.
pub(crate) fn of_event(event: &Value, asked: &Asked) -> ProviderError {
    let error = error_of(event);
    let said = error["code"]
        .as_u64()
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    let status = said.unwrap_or_else(|| status_of(&kind_of(error)));
    of_body(status, None, event, asked)
}

/// `error` without the key, should the server have repeated it.
pub(crate) fn without_key(error: ProviderError, door: &Door) -> ProviderError {
    use ProviderError as E;
    let clean = |text| door.without_key(text);
    match error {
        E::Unreachable { url, detail } => E::Unreachable { url, detail: clean(detail) },
        E::Cut { detail } => E::Cut { detail: clean(detail) },
        E::Unauthorised { detail } => E::Unauthorised { detail: clean(detail) },
        E::NoCredit { detail } => E::NoCredit { detail: clean(detail) },
        E::ContextOverflow { detail, holds } => E::ContextOverflow { detail: clean(detail), holds },
        E::NoTools { detail } => E::NoTools { detail: clean(detail) },
        E::Server { status, detail } => E::Server { status, detail: clean(detail) },
        E::Refused { status, detail } => E::Refused { status, detail: clean(detail) },
        E::Malformed { detail } => E::Malformed { detail: clean(detail) },
        // These hold nothing that a server said; an agent is none, and has no key of ours.
        E::Agent { .. }
        | E::NotLocal { .. }
        | E::Insecure { .. }
        | E::Proxy { .. }
        | E::Certificates { .. }
        | E::NotRecorded { .. }
        | E::TimedOut { .. }
        | E::RateLimited { .. }
        | E::ModelNotFound { .. }
        | E::Withheld => error,
    }
}

fn of_body(
    status: u16,
    retry_after: Option<Duration>,
    body: &Value,
    asked: &Asked,
) -> ProviderError {
    let error = error_of(body);
    let model = &asked.model;
    let detail = words(body, error, status);
    let kind = kind_of(error);
    let is = |kinds: &[&str]| kinds.iter().any(|known| kind.contains(known));
    let said = detail.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    if is(&OVERFLOW_KINDS)
        || status == 413
        || (matches!(status, 400 | 422 | 500) && says(&OVERFLOW_PHRASES))
    {
        let detail = with_numbers(detail, error);
        return ProviderError::ContextOverflow { holds: window_in(&detail), detail };
    }
    if status == 402 || is(&CREDIT_KINDS) || (status < 500 && says(&CREDIT_PHRASES)) {
        return ProviderError::NoCredit { detail };
    }
    if asked.tools && matches!(status, 400 | 404 | 422 | 500 | 501) && refuses_tools(&said) {
        return ProviderError::NoTools { detail };
    }
    match status {
        401 | 403 => ProviderError::Unauthorised { detail },
        400 if is(&["api_key_invalid"]) => ProviderError::Unauthorised { detail },
        _ if is(&["model_not_found"]) => ProviderError::ModelNotFound { model: model.to_owned() },
        404 if says(&["model"]) => ProviderError::ModelNotFound { model: model.to_owned() },
        429 => {
            let pause = retry_after.or_else(|| pause_in(error));
            ProviderError::RateLimited { retry_after: pause.map(whole_seconds) }
        }
        408 | 500.. => ProviderError::Server { status, detail },
        _ => ProviderError::Refused { status, detail },
    }
}

const OVERFLOW_KINDS: [&str; 2] = ["exceed_context_size_error", "context_length_exceeded"];

const OVERFLOW_PHRASES: [&str; 7] = [
    "context size",
    "context length",
    "context window",
    "prompt is too long",
    "maximum context",
    "maximum number of tokens",
    "too many tokens",
];

/// Whether a server that was offered tools says, in lower case, that it takes none. That a schema or a pair of call and
/// result is not right is another matter.
fn refuses_tools(said: &str) -> bool {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    says(&["tool", "function call"]) && says(&TOOLS_PHRASES) && !says(&["schema", "tool_call_id"])
}

const TOOLS_PHRASES: [&str; 14] = [
    "not support",
    "n't support",
    "unsupported",
    "that support tool",
    "not enabled",
    "not available",
    "not allowed",
    "not permitted",
    "not implemented",
    "unrecognized",
    "unknown field",
    "unknown parameter",
    "--jinja",
    "--enable-auto-tool-choice",
];

const CREDIT_KINDS: [&str; 2] = ["insufficient_quota", "billing"];

const CREDIT_PHRASES: [&str; 3] = ["credit balance", "insufficient credit", "insufficient balance"];

/// What the server calls the error, in lower case: its code, type and status, and Google's reasons.
fn kind_of(error: &Value) -> String {
    let reasons = error["details"].as_array().into_iter().flatten().map(|detail| &detail["reason"]);
    [&error["code"], &error["type"], &error["status"]]
        .into_iter()
        .chain(reasons)
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// The status an error would have had, had it come before the stream.
fn status_of(kind: &str) -> u16 {
    const STATUSES: [(&str, u16); 12] = [
        ("overloaded", 529),
        ("rate_limit", 429),
        ("resource_exhausted", 429),
        ("authentication", 401),
        ("unauthenticated", 401),
        ("invalid_api_key", 401),
        ("permission", 403),
        ("not_found", 404),
        ("request_too_large", 413),
        ("invalid_request", 400),
        ("invalid_argument", 400),
        ("unavailable", 503),
    ];
    let found = STATUSES.iter().find(|(known, _)| kind.contains(known));
    found.map_or(500, |(_, status)| *status)
}

/// Google asks for a pause in the body: `"retryDelay": "33s"`.
fn pause_in(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array()?;
    let asked = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    Duration::try_from_secs_f64(asked.strip_suffix('s')?.parse().ok()?).ok()
}

/// Rounded up: a count-down must not end too early.
fn whole_seconds(pause: Duration) -> u64 {
    pause.as_secs() + u64::from(pause.subsec_nanos() > 0)
}

/// The object that describes the error: under `error`, or the body itself. Gemini may wrap it in a list.
fn error_of(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    match body.get("error") {
        Some(error @ Value::Object(_)) => error,
        _ => body,
    }
}

fn words(body: &Value, error: &Value, status: u16) -> String {
    // What does not validate is listed, each with its place.
    let listed = body["detail"][0]["msg"].as_str().map(|said| {
        let place = body["detail"][0]["loc"].as_array().into_iter().flatten();
        let place: Vec<&str> = place.filter_map(Value::as_str).collect();
        Value::String(format!("{}: {said}", place.join(".")))
    });
    let found = [&error["message"], &body["error"], &body["detail"], body]
        .into_iter()
        .chain(&listed)
        .find_map(|said| said.as_str().filter(|said| !said.trim().is_empty()));
    match found {
        Some(said) => said.trim().chars().take(WORDS).collect(),
        None if (300..400).contains(&status) => "redirects are not followed".to_owned(),
        None => format!("status {status} without a word"),
    }
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

/// How much the model holds, in the words of a server that was asked for more: "maximum context length is 8192 tokens",
/// "214512 tokens > 200000 maximum", "tokens allowed (1048576)".
fn window_in(detail: &str) -> Option<u64> {
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)(?:maximum context length (?:is|of)|context (?:size|length|window)(?: is| of)?|>|tokens allowed) *\(?(\d[\d,]{2,})",
        )
        .ok()
    });
    let said = SAID.as_ref()?.captures(detail)?;
    said[1].replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn asked(tools: bool) -> Asked {
        Asked { model: "m".to_owned(), tools }
    }

    #[rstest]
    #[case(
        "request exceeds the available context size, try increasing it (9007 > 8192 tokens)",
        Some(8_192)
    )]
    #[case(
        "This model's maximum context length is 128000 tokens. However, you requested 130001 tokens (129001 in the messages, 1000 in the completion).",
        Some(128_000)
    )]
    #[case("prompt is too long: 214512 tokens > 200000 maximum", Some(200_000))]
    #[case(
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        Some(1_048_576)
    )]
    #[case("the request has 9,007 tokens and the context length is 8,192", Some(8_192))]
    #[case(
        "request (1203 tokens) exceeds the available context size (512 tokens), try increasing it",
        Some(512)
    )]
    #[case("too many tokens", None)]
    #[case("your 130001 tokens exceed the context window", None)]
    fn what_a_model_holds_is_read_out_of_the_refusal(
        #[case] said: &str,
        #[case] holds: Option<u64>,
    ) {
        assert_eq!(window_in(said), holds);
    }

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
        "no_credit",
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
    #[case::anthropic_key(
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        "key_refused",
        "x-api-key"
    )]
    #[case::anthropic_model(
        404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-0"}}"#,
        "model_not_found",
        "model m"
    )]
    #[case::anthropic_overflow(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"}}"#,
        "context_overflow",
        "200001"
    )]
    #[case::anthropic_credit(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
        "no_credit",
        "too low"
    )]
    #[case::anthropic_busy(
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "provider_trouble",
        "Overloaded"
    )]
    #[case::gemini_key(
        400,
        r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
        "key_refused",
        "not valid"
    )]
    #[case::gemini_model(404, r#"[{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}]"#, "model_not_found", "model m")]
    #[case::gemini_overflow(
        400,
        r#"{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}"#,
        "context_overflow",
        "(9)"
    )]
    #[case::openrouter_credit(
        402,
        r#"{"error":{"code":402,"message":"This request requires more credits"}}"#,
        "no_credit",
        "more credits"
    )]
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
        let error = of_refusal(&refusal, &asked(false));
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        if let ProviderError::RateLimited { retry_after } = error {
            assert_eq!(retry_after, Some(2));
        }
    }

    #[rstest]
    #[case::ollama(
        400,
        r#"{"error":"registry.ollama.ai/library/gemma:2b does not support tools"}"#
    )]
    #[case::llama_cpp(500, r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#)]
    #[case::vllm(400, r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError"}"#)]
    #[case::openrouter(404, r#"{"error":{"code":404,"message":"No endpoints found that support tool use. To learn more about provider routing, visit: x"}}"#)]
    #[case::openai(400, r#"{"error":{"message":"Unsupported parameter: 'tools' is not supported with this model.","type":"invalid_request_error"}}"#)]
    #[case::gemini(400, r#"[{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]"#)]
    #[case::groq(400, r#"{"error":{"message":"`tool calling` is not supported with this model","type":"invalid_request_error"}}"#)]
    #[case::fastapi(422, r#"{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}"#)]
    fn a_server_that_takes_no_tools_is_understood_only_where_they_were_offered(
        #[case] status: u16,
        #[case] body: &str,
    ) {
        let refusal = Refusal { status, retry_after: None, body: body.to_owned() };
        assert_eq!(of_refusal(&refusal, &asked(true)).code(), "no_tools");
        assert_ne!(of_refusal(&refusal, &asked(false)).code(), "no_tools");
        let event = serde_json::from_str(body).unwrap();
        let said = of_event(&event, &asked(true)).code();
        assert!(said == "no_tools" || status == 422, "{said}");
    }

    #[rstest]
    #[case::pairs(400, r#"{"error":{"message":"messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1"}}"#)]
    #[case::schema(400, r#"{"error":{"message":"tools.3.custom.input_schema: JSON schema is invalid, $ref is not supported"}}"#)]
    #[case::parsing(
        500,
        r#"{"error":"error parsing tool call: raw='{', err=unexpected end of JSON input"}"#
    )]
    #[case::busy(503, r#"{"error":{"message":"tools are not available right now"}}"#)]
    fn what_is_wrong_with_tools_is_no_refusal_of_them(#[case] status: u16, #[case] body: &str) {
        let refusal = Refusal { status, retry_after: None, body: body.to_owned() };
        assert_ne!(of_refusal(&refusal, &asked(true)).code(), "no_tools");
    }

    #[rstest]
    #[case(r#"{"error":{"type":"overloaded_error","message":"x"}}"#, "provider_trouble")]
    #[case(r#"{"error":{"type":"rate_limit_error","message":"x"}}"#, "rate_limited")]
    #[case(r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"x"}}"#, "rate_limited")]
    #[case(r#"{"error":{"type":"authentication_error","message":"x"}}"#, "key_refused")]
    #[case(r#"{"error":{"code":"insufficient_quota","message":"x"}}"#, "no_credit")]
    #[case(r#"{"error":{"message":"x"}}"#, "provider_trouble")]
    fn an_error_inside_a_stream_has_the_meaning_it_has_before_one(
        #[case] event: &str,
        #[case] code: &str,
    ) {
        let event = serde_json::from_str(event).unwrap();
        assert_eq!(of_event(&event, &asked(false)).code(), code);
    }

    #[test]
    fn the_pause_google_asks_for_is_in_the_body() {
        let body = r#"{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"retryDelay":"33.5s"}]}}"#;
        let refusal = Refusal { status: 429, retry_after: None, body: body.to_owned() };
        let error = of_refusal(&refusal, &asked(false));
        assert_eq!(error, ProviderError::RateLimited { retry_after: Some(34) });
    }
}
