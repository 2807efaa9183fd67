//! A picture is shown to a model that thinks about it, and asked about again, in every wire format. What arrives is what
//! was noted when it left, byte for byte, and what each format demands.

use rstest::rstest;
use serde_json::{Value, json};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{MessageStatus, Role, Seal, SealForm};
use siltstone_engine::provider::Effort;
use siltstone_test_servers as servers;

use super::aimock::{base_url, questions};
use super::*;

/// One red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// The same as it travels.
const TRAVELLING: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

fn text(said: &str) -> Part {
    Part::Text { text: said.to_owned() }
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    let now = Timestamp::now();
    Message {
        id: MessageId::new(now),
        conversation_id: ConversationId::new(now),
        parent_id: None,
        turn_id: None,
        index: 0,
        role,
        parts,
        status: MessageStatus::Complete,
        model: None,
        tokens: 7,
        created_at: now,
    }
}

/// A reply as it is kept: thoughts where their seals end them, then the words.
fn kept(heard: &Heard, model: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut thought = String::new();
    for chunk in heard {
        match chunk.as_ref().unwrap() {
            Chunk::Reasoning(more) => thought.push_str(more),
            Chunk::Seal(form, data) => {
                let (model, form, data) = (model.to_owned(), *form, data.clone());
                let seal = Some(Seal { model, form, data });
                parts.push(Part::Reasoning { text: std::mem::take(&mut thought), seal });
            }
            _ => {}
        }
    }
    parts.push(text(&text_of(heard)));
    parts
}

/// The talk of the second request, as each format has it.
fn talk_for(kind: ProviderKind) -> Value {
    let [look, red] = ["Look: which colour?", "빨강이에요."];
    let again = "Passage, docs/db.md:3:\n```\nThe port is 5433.\n```\n\nSure?";
    match kind {
        ProviderKind::Anthropic => {
            let text = |said: &str| json!({"type": "text", "text": said});
            let source = json!({"type": "base64", "media_type": "image/png", "data": TRAVELLING});
            json!([
                {"role": "user", "content": [{"type": "image", "source": source}, text(look)]},
                {"role": "assistant", "content": [
                    {"type": "redacted_thinking", "data": "암호"},
                    {"type": "thinking", "thinking": "흠, 붉다.", "signature": "EqRs=="},
                    text(red),
                ]},
                {"role": "user", "content": [text(again)]},
            ])
        }
        ProviderKind::Gemini => json!([
            {"role": "user", "parts": [
                {"inlineData": {"mimeType": "image/png", "data": TRAVELLING}},
                {"text": look},
            ]},
            {"role": "model", "parts": [{"text": red}]},
            {"role": "user", "parts": [{"text": again}]},
        ]),
        ProviderKind::Ollama => json!([
            {"role": "user", "content": look, "images": [TRAVELLING]},
            {"role": "assistant", "content": red},
            {"role": "user", "content": again},
        ]),
        _ => {
            let url = format!("data:image/png;base64,{TRAVELLING}");
            json!([
                {"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": url}},
                    {"type": "text", "text": look},
                ]},
                {"role": "assistant", "content": red},
                {"role": "user", "content": again},
            ])
        }
    }
}

#[rstest]
#[case(ProviderKind::Openai, "deepseek-r1", json!({"reasoning_effort": "low"}))]
#[case(ProviderKind::Anthropic, "claude-3-7-sonnet", json!({"thinking": {"type": "enabled", "budget_tokens": 2_048}}))]
#[case(ProviderKind::Gemini, "gemini-2.5-pro", json!({"generationConfig": {"thinkingConfig": {"includeThoughts": true, "thinkingBudget": 1_024}}}))]
#[case(ProviderKind::Ollama, "deepseek-r1", json!({"think": true}))]
#[tokio::test(flavor = "multi_thread")]
async fn what_arrives_is_what_was_noted_and_what_the_format_demands(
    #[case] kind: ProviderKind,
    #[case] model: &str,
    #[case] wish: Value,
) {
    let server = servers::aimock().unwrap();
    let no_thinker = format!("{model:?} does not support thinking");
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "which colour?"}, "response": {
            "content": "빨강이에요.", "reasoning": "흠, 붉다.", "reasoningSignature": "EqRs==", "redactedThinking": ["암호"],
        }},
        {"match": {"userMessage": "Sure?", "sequenceIndex": 0}, "response": {"content": "네."}},
        {"match": {"userMessage": "Sure?", "sequenceIndex": 1}, "response": {"error": {"message": no_thinker}, "status": 400}},
        {"match": {"userMessage": "Sure?", "sequenceIndex": 2}, "response": {"content": "네."}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let noted = Arc::<Noted>::default();
    let provider = connect_noting(kind, &base_url(&server, kind), &noted);
    let asking = |history: &[Message], parts| ModelRequest {
        effort: Some(Effort::Low),
        attached: [("red".to_owned(), PNG.into())].into(),
        ..ModelRequest::of(model, compose(history, parts), "en")
    };
    let (media_type, name) = ("image/png".to_owned(), "red.png".to_owned());
    let picture = Part::Image { hash: "red".to_owned(), media_type, name, tokens: 7 };
    let shown = vec![picture, text("Look: which colour?")];

    let heard = hear(provider.stream(asking(&[], shown.clone()))).await;
    assert_eq!(text_of(&heard), "빨강이에요.");
    let seals = |heard: &Heard| {
        let sealed = |chunk: &&Result<_, _>| matches!(chunk, Ok(Chunk::Seal(..)));
        heard.iter().filter(sealed).cloned().collect::<Vec<_>>()
    };
    // aimock tells Anthropic's seals only.
    let told = match kind {
        ProviderKind::Anthropic => {
            [(SealForm::Redacted, "암호"), (SealForm::Signature, "EqRs==")].as_slice()
        }
        _ => &[],
    };
    let told: Vec<_> =
        told.iter().map(|(form, data)| Ok(Chunk::Seal(*form, (*data).to_owned()))).collect();
    assert_eq!(seals(&heard), told);

    let history = [message(Role::Assistant, kept(&heard, model)), message(Role::User, shown)];
    let again = hear(provider.stream(asking(&history, vec![text("Sure?")]))).await;
    assert_eq!(text_of(&again), "네.");
    // Should a server refuse to think, it is asked once more without.
    let unthinking = hear(provider.stream(asking(&history, vec![text("Sure?")]))).await;
    assert_eq!(text_of(&unthinking), "네.");

    let arrived = questions(&server);
    let left = noted.left();
    assert_eq!((arrived.len(), left.len()), (4, 4));
    for ((path, head, body), (sent, _)) in arrived.iter().zip(&left) {
        assert!(sent.url.ends_with(path.as_str()), "{path} {}", sent.url);
        assert_eq!(sent.body, body.as_bytes());
        for (name, value) in &sent.headers {
            let line = format!("{name}: {}", value.replace("$KEY", KEY));
            assert!(head.contains(&line), "{line} {head:?}");
        }
    }
    let said = |at: usize| serde_json::from_str::<Value>(&arrived[at].2).unwrap();
    let talk = if kind == ProviderKind::Gemini { "contents" } else { "messages" };
    let mut turns = said(1)[talk].as_array().unwrap().clone();
    turns.retain(|turn| turn["role"] != "system");
    assert_eq!(Value::Array(turns), talk_for(kind));
    for (name, value) in wish.as_object().unwrap() {
        assert_eq!(&said(1)[name], value);
        assert_ne!(&said(3)[name], value);
    }
    assert!(!arrived[3].2.contains("thinking"), "{}", arrived[3].2);
}
