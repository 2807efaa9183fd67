//! Gemma behind llama.cpp's server: a real model, in the two formats that the server speaks.

use rstest::rstest;
use siltstone_test_servers as servers;

use super::*;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_tells_the_story(
    #[values(ProviderKind::Openai, ProviderKind::Anthropic)] kind: ProviderKind,
) {
    let server = servers::gemma(512).unwrap();
    let provider = connect(kind, &server.base_url());
    // The server has one slot: it serves the next question only once the dropped one is stopped.
    let slots = || server.get("/slots").unwrap();
    let asked = std::cell::Cell::new(0);
    let stopped =
        || asked.replace(asked.get() + 1) > 0 && slots().contains("\"is_processing\":false");
    let models = story(provider.as_ref(), "Which port?", stopped).await;
    assert_eq!(models[0].context_window, Some(512));

    let heard = hear(provider.stream(request(&models[0].id, "Which port?"))).await;
    let counted = heard.iter().find_map(|chunk| match chunk {
        Ok(Chunk::Usage(usage)) => Some(*usage),
        _ => None,
    });
    assert!(counted.is_some_and(|usage| usage.exact && usage.output_tokens <= 12), "{heard:?}");

    let long = hear(provider.stream(request(&models[0].id, &"Which port? ".repeat(400)))).await;
    let Some(Err(ProviderError::ContextOverflow { detail, holds })) = long.last() else {
        panic!("{long:?}");
    };
    assert!(detail.contains("512"), "{detail}");
    assert_eq!(*holds, Some(512));

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = nobody.local_addr().unwrap().port();
    drop(nobody);
    let ports = vec![("Nobody".to_owned(), silent), ("LM Studio".to_owned(), server.port())];
    let found =
        Connections::new().looking_at(ports).discover(access(None, true).outbox).await.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].name.as_str(), &found[0].base_url), ("llama.cpp", &server.base_url()));
    assert_eq!(found[0].kind, ProviderKind::Openai);
    assert_eq!(found[0].models, models);
}
