//! Vectors from servers that speak the formats: aimock, and a real model behind llama.cpp's server.

use serde_json::json;
use siltstone_engine::meaning::{Compact, Embedder, Embedders, Purpose};
use siltstone_providers::Embeddings;
use siltstone_test_servers as servers;

use super::aimock::base_url;
use super::*;

fn embedder(kind: ProviderKind, base_url: String, noted: &Arc<Noted>) -> Arc<dyn Embedder> {
    let record = ProviderRecord { name: "p".to_owned(), kind, base_url };
    let key = Some(Secret::new(KEY.to_owned()));
    let access = Access { outbox: noted.outbox(), ..access(key, true) };
    Embeddings::new("/nowhere".into()).connect(&record, "bge-m3", access).unwrap()
}

#[tokio::test]
async fn a_server_of_the_format_makes_vectors_and_what_left_is_noted() {
    let kind = ProviderKind::Openai;
    let server = servers::aimock().unwrap();
    let fixtures = json!({"fixtures": [
        {"match": {"inputText": "포트"}, "response": {"embedding": [0.5, -1, 0.25]}},
    ]});
    server.post("/__aimock/fixtures", &fixtures.to_string()).unwrap();
    let noted = Arc::<Noted>::default();
    let embedder = embedder(kind, base_url(&server, kind), &noted);
    let texts = vec!["포트는 5433번".to_owned(), "The port is 5433.".to_owned()];
    let made = embedder.embed(texts, Purpose::Passage).await.unwrap();
    assert_eq!(made.vectors, [[0.5, -1.0, 0.25], [0.5, -1.0, 0.25]]);
    let received = server.get("/received").unwrap();
    assert!(
        received.contains("/v1/embeddings") && received.contains("포트는 5433번"),
        "{received}"
    );
}

#[tokio::test]
async fn a_real_model_tells_texts_apart_by_their_meaning() {
    let server = servers::gemma_that_embeds(2_048).unwrap();
    let noted = Arc::<Noted>::default();
    let embedder = embedder(ProviderKind::Openai, server.base_url(), &noted);
    let texts = ["The port is 5433.", "The port is 5433.", "Lunch was good."];
    let made = embedder.embed(texts.map(str::to_owned).to_vec(), Purpose::Passage).await.unwrap();
    assert_eq!((made.vectors[0].len(), made.tokens.is_some()), (640, true));
    let compact = |at: usize| Compact::of(&made.vectors[at]).unwrap();
    let near = |other| compact(0).nearness(&compact(other).to_bytes()).unwrap();
    assert!(near(1) > 0.99 && near(2) < 0.9, "{} {}", near(1), near(2));
}

#[tokio::test]
async fn a_server_without_vectors_says_so() {
    let server = servers::gemma(2_048).unwrap();
    let noted = Arc::<Noted>::default();
    let embedder = embedder(ProviderKind::Openai, server.base_url(), &noted);
    let refused = embedder.embed(vec!["text".to_owned()], Purpose::Question).await.unwrap_err();
    assert!(refused.to_string().contains("does not support embeddings"), "{refused}");
}
