//! llmock breaks answers and judges how our client takes it, in each of its formats.

use rstest::rstest;
use serde_json::{Value, json};
use siltstone_test_servers as servers;

use super::*;

#[rstest]
#[case::openai(ProviderKind::Openai, "/v1", "context_length_exceeded")]
#[case::anthropic(ProviderKind::Anthropic, "/anthropic/v1", "invalid_request_error")]
#[case::gemini(ProviderKind::Gemini, "/gemini/v1beta", "INVALID_ARGUMENT")]
#[tokio::test(flavor = "multi_thread")]
async fn llmock_finds_no_fault_with_our_client(
    #[case] kind: ProviderKind,
    #[case] path: &str,
    #[case] too_long: &str,
) {
    let server = servers::llmock().unwrap();
    let provider = connect(kind, &format!("{}{path}", server.address()));
    let models = provider.models().await.unwrap();
    assert!(models.len() > 1, "{models:?}");
    let fault = |behaviour: Value| {
        let scenario = json!({"behaviors": [behaviour]}).to_string();
        server.post("/_llmock/scenario", &scenario).unwrap();
    };
    let say = |question: &str| hear(provider.stream(request("m", question)));
    let failed = |heard: &Heard| heard.last().cloned().unwrap().unwrap_err();
    let ended = |heard: &Heard| matches!(heard.last(), Some(Ok(Chunk::Finished(_))));

    fault(json!({"type": "fail", "status": 429, "retry_after": 0.4, "times": 2}));
    assert!(ended(&say("rate limit that passes").await));
    fault(json!({"type": "fail", "status": 503, "times": 1}));
    assert!(ended(&say("busy once").await));
    fault(json!({"type": "fail", "status": 500, "times": 1}));
    assert!(ended(&say("broken once").await));
    fault(json!({"type": "fail", "status": 529, "times": 3}));
    assert!(matches!(
        failed(&say("busy for ever").await),
        ProviderError::Server { status: 529, .. }
    ));
    for (status, code) in [
        (400, "provider_refused"),
        (401, "key_refused"),
        (403, "key_refused"),
        (404, "provider_refused"),
        (402, "no_credit"),
        (413, "context_overflow"),
        (422, "provider_refused"),
        (501, "provider_trouble"),
    ] {
        fault(json!({"type": "fail", "status": status}));
        let heard = say(&format!("fails with {status}")).await;
        assert_eq!(failed(&heard).code(), code, "{heard:?}");
    }
    fault(json!({"type": "fail", "status": 429, "retry_after": 600}));
    let limited = failed(&say("rate limit that does not pass").await);
    assert_eq!(limited, ProviderError::RateLimited { retry_after: Some(600) });
    let words = "The prompt is too long: 9 tokens > 8 maximum.";
    fault(json!({"type": "fail", "status": 400, "code": too_long, "message": words}));
    assert_eq!(failed(&say("too long").await).code(), "context_overflow");

    // Broken after the first words: nothing is asked again behind the person's back, what came is kept, and the
    // person, told so, asks again.
    for (kind, code) in [
        ("truncate", "reply_cut"),
        ("disconnect", "reply_cut"),
        ("malformed", "provider_malformed"),
    ] {
        fault(json!({"type": "stream_fault", "kind": kind, "after_chunks": 5}));
        let heard = say(kind).await;
        assert_eq!(failed(&heard).code(), code, "{heard:?}");
        assert!(!text_of(&heard).is_empty(), "{kind}: {heard:?}");
        assert!(ended(&say(kind).await));
    }

    let verdict: Value = serde_json::from_str(&server.get("/_llmock/verdict").unwrap()).unwrap();
    assert_eq!(verdict["errors"], 0, "{verdict:#}");
    assert!(verdict["faults_injected"].as_u64().unwrap() >= 15, "{verdict:#}");
}
