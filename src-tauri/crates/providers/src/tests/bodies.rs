//! What each wire format makes of pictures, files, earlier thoughts and the person's wishes.

use serde_json::{Value, json};
use siltstone_engine::provider::Effort;

use super::*;

pub(super) fn body(wire: &dyn Wire, base_url: &str, request: &ModelRequest) -> Value {
    let (_, body) = wire.question(request, &door(wire, base_url)).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// A picture, a PDF and a moving picture, and a reply that was thought about, all to the model that thought.
fn rich() -> ModelRequest {
    let pdf = Part::File {
        hash: "pdf".into(),
        media_type: "application/pdf".into(),
        name: "보고서.pdf".into(),
        tokens: 7,
    };
    let redacted = Part::Reasoning {
        text: String::new(),
        seal: Some(Seal { model: "m".into(), form: SealForm::Redacted, data: "En".into() }),
    };
    let mut asked = section(SectionKind::Turn, Role::User, "conversation", "둘을 비교해 줘");
    asked.parts = vec![pdf, image("png", "image/png")];
    let mut reply = section(SectionKind::Turn, Role::Assistant, "conversation", "같아요");
    reply.parts = vec![redacted, thought_by("m", "흠…", "Eq"), thought_by("other", "no", "no")];
    let mut again = section(SectionKind::Draft, Role::User, "composer", "이것도?");
    again.parts = vec![image("gif", "image/gif")];
    let rules = section(SectionKind::Instructions, Role::System, "siltstone", "Be exact.");
    let mut request = request(vec![rules, asked, reply, again]);
    request.language = "ko".into();
    request.attached = [("pdf", b"%PDF"), ("png", b"\x89PNG"), ("gif", b"GIF8")]
        .map(|(hash, bytes)| (hash.to_owned(), bytes.as_slice().into()))
        .into();
    request
}

const LEFT_OUT: &str = "은(는) 이 모델에 보낼 수 없어서 빠졌어요.]";

#[test]
fn anthropic_carries_blocks_and_gets_its_thoughts_back_first() {
    let image = |media_type, data| json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}});
    assert_eq!(
        body(&Anthropic, "http://127.0.0.1:1/v1", &rich()),
        json!({
            "model": "m", "max_tokens": 8192, "stream": true,
            "system": [{"type": "text", "text": "Be exact.", "cache_control": {"type": "ephemeral"}}],
            "messages": [
                {"role": "user", "content": [
                    {"type": "document", "title": "보고서.pdf", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}},
                    image("image/png", "iVBORw=="),
                    {"type": "text", "text": "둘을 비교해 줘"},
                ]},
                {"role": "assistant", "content": [
                    {"type": "redacted_thinking", "data": "En"},
                    {"type": "thinking", "thinking": "흠…", "signature": "Eq"},
                    {"type": "text", "text": "같아요"},
                ]},
                {"role": "user", "content": [image("image/gif", "R0lGOA=="), {"type": "text", "text": "이것도?"}]},
            ],
        })
    );
}

#[test]
fn openai_carries_data_addresses_and_no_thoughts() {
    let image = |url| json!({"type": "image_url", "image_url": {"url": url}});
    assert_eq!(
        body(&OpenAi, "http://127.0.0.1:1/v1", &rich())["messages"],
        json!([
            {"role": "system", "content": "Be exact."},
            {"role": "user", "content": [
                {"type": "file", "file": {"filename": "보고서.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
                image("data:image/png;base64,iVBORw=="),
                {"type": "text", "text": "둘을 비교해 줘"},
            ]},
            {"role": "assistant", "content": "같아요"},
            {"role": "user", "content": [image("data:image/gif;base64,R0lGOA=="), {"type": "text", "text": "이것도?"}]},
        ])
    );
}

#[test]
fn gemini_carries_inline_data_and_a_signature_on_the_part_after_the_thought() {
    let data = |mime_type, data| json!({"inlineData": {"mimeType": mime_type, "data": data}});
    assert_eq!(
        body(&Gemini, "http://127.0.0.1:1/v1beta", &rich()),
        json!({
            "systemInstruction": {"parts": [{"text": "Be exact."}]},
            "contents": [
                {"role": "user", "parts": [
                    data("application/pdf", "JVBERg=="),
                    data("image/png", "iVBORw=="),
                    {"text": "둘을 비교해 줘"},
                ]},
                {"role": "model", "parts": [{"text": "같아요", "thoughtSignature": "Eq"}]},
                {"role": "user", "parts": [{"text": format!("[첨부 파일 “gif”{LEFT_OUT}\n\n이것도?")}]},
            ],
            "generationConfig": {},
        })
    );
}

#[test]
fn ollama_carries_pictures_beside_the_text() {
    assert_eq!(
        body(&Ollama, "http://127.0.0.1:1", &rich())["messages"],
        json!([
            {"role": "system", "content": "Be exact."},
            {"role": "user", "content": format!("[첨부 파일 “보고서.pdf”{LEFT_OUT}\n\n둘을 비교해 줘"), "images": ["iVBORw=="]},
            {"role": "assistant", "content": "같아요"},
            {"role": "user", "content": format!("[첨부 파일 “gif”{LEFT_OUT}\n\n이것도?")},
        ])
    );
}

/// What a request to `model` says besides the talk, with every wish expressed.
fn wishes(
    name: &str,
    base_url: &str,
    model: &str,
    effort: Option<Effort>,
    most: Option<u32>,
) -> Value {
    let draft = section(SectionKind::Draft, Role::User, "composer", "hi");
    let asked = ModelRequest {
        model: model.into(),
        effort,
        temperature: Some(1.5),
        max_output_tokens: most,
        ..request(vec![draft])
    };
    let Value::Object(mut said) = body(wire(name), base_url, &asked) else {
        panic!("no object");
    };
    for talk in ["model", "messages", "contents", "stream", "stream_options"] {
        said.remove(talk);
    }
    Value::Object(said)
}

const NO_EFFORT: Option<Effort> = None;

#[rstest]
// Thinks not, or nobody wished it.
#[case("claude-3-5-sonnet-20241022", Some(Effort::High), Some(9_000), json!({"max_tokens": 9_000, "temperature": 1.0}))]
#[case("claude-sonnet-4-5-20250929", NO_EFFORT, None, json!({"max_tokens": 32_000, "temperature": 1.0}))]
#[case("claude-3-5-haiku-20241022", NO_EFFORT, None, json!({"max_tokens": 8_192, "temperature": 1.0}))]
// By a budget, which never takes the whole reply, and with which no temperature goes.
#[case("claude-haiku-4-5", Some(Effort::Medium), None, json!({"max_tokens": 32_000, "thinking": {"type": "enabled", "budget_tokens": 8_192}}))]
#[case("claude-sonnet-4-20250514", Some(Effort::High), Some(9_000), json!({"max_tokens": 9_000, "thinking": {"type": "enabled", "budget_tokens": 4_500}}))]
#[case("claude-opus-4-1", Some(Effort::Low), Some(2_000), json!({"max_tokens": 2_000, "temperature": 1.0}))]
#[case("claude-opus-4-1", Some(Effort::Minimal), None, json!({"max_tokens": 32_000, "temperature": 1.0}))]
#[case("gemma", Some(Effort::Low), None, json!({"max_tokens": 10_240, "thinking": {"type": "enabled", "budget_tokens": 2_048}}))]
// By itself.
#[case("claude-opus-4-6", Some(Effort::Medium), None, json!({"max_tokens": 32_000, "thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "medium"}}))]
#[case("claude-opus-4-6", Some(Effort::Minimal), None, json!({"max_tokens": 32_000, "temperature": 1.0, "output_config": {"effort": "low"}}))]
#[case("anthropic/claude-opus-4.7", NO_EFFORT, Some(9_000), json!({"max_tokens": 9_000}))]
#[case("claude-sonnet-5-5", Some(Effort::High), None, json!({"max_tokens": 32_000, "thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}}))]
#[case("claude-next", Some(Effort::Minimal), None, json!({"max_tokens": 32_000, "output_config": {"effort": "low"}}))]
fn anthropic_thinks_as_each_generation_wants_it(
    #[case] model: &str,
    #[case] effort: Option<Effort>,
    #[case] most: Option<u32>,
    #[case] said: Value,
) {
    assert_eq!(wishes("anthropic", "http://127.0.0.1:1/v1", model, effort, most), said);
}

#[rstest]
#[case("https://api.openai.com/v1", "gpt-4o", Some(Effort::High), json!({"max_completion_tokens": 9, "temperature": 1.5}))]
#[case("https://api.openai.com/v1", "gpt-5-mini", NO_EFFORT, json!({"max_completion_tokens": 9}))]
#[case("https://api.openai.com/v1", "gpt-5", Some(Effort::Minimal), json!({"max_completion_tokens": 9, "reasoning_effort": "minimal"}))]
#[case("https://api.openai.com/v1", "gpt-5.2", Some(Effort::Minimal), json!({"max_completion_tokens": 9, "temperature": 1.5, "reasoning_effort": "none"}))]
#[case("https://api.openai.com/v1", "o3", Some(Effort::Minimal), json!({"max_completion_tokens": 9, "reasoning_effort": "low"}))]
#[case("https://api.openai.com/v1", "gpt-5.1-chat-latest", Some(Effort::High), json!({"max_completion_tokens": 9, "temperature": 1.5}))]
#[case("https://openrouter.ai/api/v1", "openai/gpt-5", Some(Effort::Minimal), json!({"max_tokens": 9, "temperature": 1.5, "reasoning_effort": "minimal"}))]
#[case("http://127.0.0.1:1/v1", "gpt-oss-20b", Some(Effort::Minimal), json!({"max_tokens": 9, "temperature": 1.5, "reasoning_effort": "low"}))]
#[case("http://127.0.0.1:1/v1", "gpt-oss-20b", Some(Effort::High), json!({"max_tokens": 9, "temperature": 1.5, "reasoning_effort": "high"}))]
fn openai_is_told_an_effort_where_it_has_one(
    #[case] base_url: &str,
    #[case] model: &str,
    #[case] effort: Option<Effort>,
    #[case] said: Value,
) {
    assert_eq!(wishes("openai", base_url, model, effort, Some(9)), said);
}

#[rstest]
#[case("gemini-2.0-flash", Some(Effort::High), Value::Null)]
#[case("gemini-2.5-flash", NO_EFFORT, Value::Null)]
#[case("gemini-2.5-flash-lite", Some(Effort::Minimal), json!({"includeThoughts": false, "thinkingBudget": 0}))]
#[case("gemini-2.5-pro", Some(Effort::Minimal), json!({"includeThoughts": true, "thinkingBudget": 128}))]
#[case("gemini-2.5-pro", Some(Effort::High), json!({"includeThoughts": true, "thinkingBudget": 24_576}))]
#[case("gemini-3.1-pro-preview", Some(Effort::Minimal), json!({"includeThoughts": true, "thinkingLevel": "low"}))]
#[case("gemini-flash-latest", Some(Effort::Medium), json!({"includeThoughts": true, "thinkingLevel": "medium"}))]
#[case("tunedModels/mine", Some(Effort::High), Value::Null)]
fn gemini_is_told_a_budget_or_a_level(
    #[case] model: &str,
    #[case] effort: Option<Effort>,
    #[case] said: Value,
) {
    let mut config = json!({"maxOutputTokens": 9, "temperature": 1.5});
    if !said.is_null() {
        config["thinkingConfig"] = said;
    }
    let all = wishes("gemini", "http://127.0.0.1:1/v1beta", model, effort, Some(9));
    assert_eq!(all, json!({"generationConfig": config}));
}

#[rstest]
#[case("qwen3:8b", NO_EFFORT, Value::Null)]
#[case("qwen3:8b", Some(Effort::Minimal), json!(false))]
#[case("qwen3:8b", Some(Effort::Low), json!(true))]
#[case("openai/gpt-oss:20b", Some(Effort::Minimal), json!("low"))]
#[case("gpt-oss", Some(Effort::High), json!("high"))]
fn ollama_is_told_to_think_or_how_much(
    #[case] model: &str,
    #[case] effort: Option<Effort>,
    #[case] think: Value,
) {
    let mut said = json!({"options": {"num_ctx": 4_096, "num_predict": 9, "temperature": 1.5}});
    if !think.is_null() {
        said["think"] = think;
    }
    assert_eq!(wishes("ollama", "http://127.0.0.1:1", model, effort, Some(9)), said);
}
