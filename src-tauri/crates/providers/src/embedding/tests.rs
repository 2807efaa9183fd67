//! What each format asks for vectors with, and what it makes of answers as servers give them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use rstest::rstest;

use super::*;
use crate::tests::access;

/// A server on this computer that answers one request with this body; gives the request as it came.
fn answering(body: String) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut some = [0; 4_096];
        while !whole(&request) {
            let read = stream.read(&mut some).unwrap();
            request.extend_from_slice(&some[..read]);
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        String::from_utf8(request).unwrap()
    });
    (url, asked)
}

fn whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    length.is_none_or(|length: usize| body.len() >= length)
}

fn record(kind: ProviderKind, base_url: String) -> ProviderRecord {
    ProviderRecord { name: "p".to_owned(), kind, base_url }
}

fn embeddings() -> Embeddings {
    Embeddings::new(PathBuf::from("/nowhere"))
}

async fn made(
    kind: ProviderKind,
    model: &str,
    answer: &str,
) -> (Result<Embedded, ProviderError>, String) {
    let (url, asked) = answering(answer.to_owned());
    let embedder = embeddings().connect(&record(kind, url), model, access(None, false)).unwrap();
    let texts = vec!["포트는 5433번".to_owned(), "The port".to_owned()];
    let made = embedder.embed(texts, Purpose::Passage).await;
    (made, asked.join().unwrap())
}

#[rstest]
// As OpenAI answers; the order is that of the index.
#[case(
    ProviderKind::Openai,
    "text-embedding-3-small",
    r#"{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0.5,-1]},
        {"object":"embedding","index":0,"embedding":[0.25,1e-3]}],"model":"text-embedding-3-small",
        "usage":{"prompt_tokens":9,"total_tokens":9}}"#,
    Some(9),
    "POST /embeddings ",
    json!({"model": "text-embedding-3-small", "input": ["포트는 5433번", "The port"], "encoding_format": "float"})
)]
// As Gemini does.
#[case(
    ProviderKind::Gemini,
    "gemini-embedding-001",
    r#"{"embeddings":[{"values":[0.25,0.001]},{"values":[0.5,-1]}]}"#,
    None,
    "POST /models/gemini-embedding-001:batchEmbedContents ",
    json!({"requests": [
        {"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "포트는 5433번"}]}, "taskType": "RETRIEVAL_DOCUMENT"},
        {"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "The port"}]}, "taskType": "RETRIEVAL_DOCUMENT"},
    ]})
)]
// As Ollama does.
#[case(
    ProviderKind::Ollama,
    "bge-m3:latest",
    r#"{"model":"bge-m3:latest","embeddings":[[0.25,0.001],[0.5,-1]],"total_duration":1,"load_duration":1,"prompt_eval_count":8}"#,
    Some(8),
    "POST /api/embed ",
    json!({"model": "bge-m3:latest", "input": ["포트는 5433번", "The port"], "truncate": true})
)]
#[tokio::test]
async fn vectors_are_asked_for_in_the_servers_own_format(
    #[case] kind: ProviderKind,
    #[case] model: &str,
    #[case] answer: &str,
    #[case] tokens: Option<u64>,
    #[case] begins: &str,
    #[case] body: Value,
) {
    let (made, asked) = made(kind, model, answer).await;
    let vectors = vec![vec![0.25, 0.001], vec![0.5, -1.0]];
    assert_eq!(made.unwrap(), Embedded { vectors, tokens });
    assert!(asked.starts_with(begins), "{asked}");
    let (_, sent) = asked.split_once("\r\n\r\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(sent).unwrap(), body);
}

#[rstest]
#[case::one_too_few(r#"{"embeddings":[[1,2]]}"#)]
#[case::of_two_lengths(r#"{"embeddings":[[1,2],[1]]}"#)]
#[case::empty(r#"{"embeddings":[[],[]]}"#)]
#[case::no_number(r#"{"embeddings":[[1,2],[1,null]]}"#)]
#[case::too_large(r#"{"embeddings":[[1,2],[1,1e60]]}"#)]
#[case::nothing("{}")]
#[case::no_json("<html>")]
#[tokio::test]
async fn what_are_no_vectors_is_not_believed(#[case] answer: &str) {
    let (made, _) = made(ProviderKind::Ollama, "m", answer).await;
    assert!(matches!(made, Err(ProviderError::Malformed { .. })), "{made:?}");
}

#[rstest]
#[case(
    Form::Openai,
    json!({"data": [{"id": "gpt-4o"}, {"id": "text-embedding-3-large"}, {"id": "text-embedding-3-small"}]}),
    &["text-embedding-3-large", "text-embedding-3-small"]
)]
#[case(Form::Openai, json!({"data": [{"id": "mine", "type": "embeddings"}, {"id": "x", "type": "llm"}]}), &["mine"])]
#[case(Form::Openai, json!({"data": [{"id": "mine"}]}), &["mine"])]
#[case(Form::Openai, json!({"error": "none"}), &[])]
#[case(Form::Ollama, json!({"models": [{"model": "bge-m3:latest"}, {"model": "llama3:8b"}]}), &["bge-m3:latest"])]
#[case(
    Form::Gemini,
    json!({"models": [
        {"name": "models/gemini-3-pro", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent", "asyncBatchEmbedContent"]},
    ]}),
    &["gemini-embedding-001"]
)]
fn models_that_make_vectors_are_told_from_others(
    #[case] form: Form,
    #[case] list: Value,
    #[case] expected: &[&str],
) {
    assert_eq!(form.listed(&list), expected);
}

#[tokio::test]
async fn what_stays_here_is_asked_nowhere_else() {
    let away = record(ProviderKind::Openai, "https://example.com/v1".to_owned());
    let kept = access(None, true);
    let refused = embeddings().connect(&away, "m", kept.clone()).err();
    assert!(matches!(refused, Some(ProviderError::NotLocal { .. })), "{refused:?}");
    let refused = embeddings().listed(&away, kept).await.unwrap_err();
    assert!(matches!(refused, ProviderError::NotLocal { .. }), "{refused:?}");
    assert!(!embeddings().is_home(&away));
    assert!(embeddings().is_home(&record(ProviderKind::Ollama, "http://127.0.0.1:11434".into())));
    assert!(!embeddings().is_home(&record(ProviderKind::Ollama, "no address".into())));
}

#[test]
fn a_format_without_vectors_says_so() {
    for kind in [ProviderKind::Anthropic, ProviderKind::Offline] {
        let refused =
            embeddings().connect(&record(kind, String::new()), "m", access(None, false)).err();
        assert!(matches!(refused, Some(ProviderError::ModelNotFound { .. })), "{refused:?}");
    }
}
