//! Recorded streams, however their bytes are cut.

use rstest::rstest;
use siltstone_engine::message::Role;
use siltstone_engine::provider::FinishReason;
use siltstone_engine::section::{Reason, Section, SectionKind};
use siltstone_engine::turn::Usage;

use super::*;

pub(super) fn section(kind: SectionKind, role: Role, source: &str, text: &str) -> Section {
    Section {
        id: String::new(),
        kind,
        role,
        source: source.to_owned(),
        link: None,
        text: text.to_owned(),
        parts: Vec::new(),
        tokens: 7,
        exact: false,
        reason: Reason::Base,
        pinned: false,
        messages: Vec::new(),
    }
}

pub(super) fn request(sections: Vec<Section>) -> ModelRequest {
    ModelRequest {
        model: "m".to_owned(),
        sections,
        max_output_tokens: None,
        temperature: None,
        language: "en".to_owned(),
    }
}

/// As llama.cpp's server sent it.
const LLAMA: &str = r#"data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1795303052,"id":"chatcmpl-a","model":"g.gguf","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":" 파리"}}],"created":1795303052,"id":"chatcmpl-a","model":"g.gguf","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":", 🗼."}}],"created":1795303052,"id":"chatcmpl-a","model":"g.gguf","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":"length","index":0,"delta":{}}],"created":1795303053,"id":"chatcmpl-a","model":"g.gguf","object":"chat.completion.chunk"}

data: {"choices":[],"created":1795303053,"id":"chatcmpl-a","model":"g.gguf","object":"chat.completion.chunk","usage":{"completion_tokens":40,"prompt_tokens":19,"total_tokens":59},"timings":{"predicted_n":40}}

data: [DONE]

"#;

/// Comments, events without data, thoughts, line ends of another system, and neither usage nor `[DONE]`.
const THOUGHTS: &str = ": keep-alive\r\n\r\nevent: ping\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"흠…\"}}]}\r\n\r\n: \r\n\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\" 그래.\",\"content\":\"예\"}}]}\r\n\r\ndata: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}\r\n\r\n";

/// Two calls in shreds, the second without an id; arguments that come late.
const CALLS: &str = r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}},{"index":1,"function":{"name":"list","arguments":"{}"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"가\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;

async fn read(pieces: Vec<&[u8]>) -> Vec<Result<Chunk, ProviderError>> {
    let pieces: Vec<_> =
        pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let reply =
        Reply::new(&request(vec![section(SectionKind::Draft, Role::User, "composer", "hi")]));
    let events = http::events_in(stream::iter(pieces)).boxed();
    chunks(events, reply).collect().await
}

fn text(said: &str) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Text(said.to_owned()))
}

#[tokio::test]
async fn recorded_streams_are_read() {
    let usage = |input_tokens, output_tokens, exact| {
        Ok(Chunk::Usage(Usage { input_tokens, output_tokens, exact }))
    };
    assert_eq!(
        read(vec![LLAMA.as_bytes()]).await,
        [
            text(" 파리"),
            text(", 🗼."),
            usage(19, 40, true),
            Ok(Chunk::Finished(FinishReason::Length)),
        ]
    );
    let thoughts = read(vec![THOUGHTS.as_bytes()]).await;
    assert_eq!(
        thoughts[..3],
        [
            Ok(Chunk::Reasoning("흠…".to_owned())),
            Ok(Chunk::Reasoning(" 그래.".to_owned())),
            text("예"),
        ]
    );
    // Nothing was counted: our own estimate, and it is marked as one.
    assert!(
        matches!(
            thoughts[3..],
            [
                Ok(Chunk::Usage(Usage { input_tokens: 7, output_tokens: 3.., exact: false })),
                Ok(Chunk::Finished(FinishReason::Stop)),
            ]
        ),
        "{thoughts:?}"
    );
    let call = |id: &str, name: &str, arguments: &str| {
        Ok(Chunk::ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        })
    };
    assert_eq!(
        read(vec![CALLS.as_bytes()]).await,
        [
            call("a", "read", r#"{"path":"가"}"#),
            call("call_1", "list", "{}"),
            usage(7, 0, false),
            Ok(Chunk::Finished(FinishReason::ToolCalls)),
        ]
    );
}

#[rstest]
#[tokio::test]
async fn every_cut_of_the_bytes_gives_the_same_chunks(
    #[values(LLAMA, THOUGHTS, CALLS)] recorded: &str,
) {
    let bytes = recorded.as_bytes();
    let whole = read(vec![bytes]).await;
    for at in 0..=bytes.len() {
        let (before, after) = bytes.split_at(at);
        assert_eq!(read(vec![before, after]).await, whole, "cut at {at}");
    }
    assert_eq!(read(bytes.chunks(1).collect()).await, whole);
}

#[rstest]
#[tokio::test]
async fn a_stream_that_ends_early_is_cut_and_keeps_what_came(
    #[values(LLAMA, THOUGHTS, CALLS)] recorded: &str,
) {
    let bytes = recorded.as_bytes();
    let whole = read(vec![bytes]).await;
    let finish = recorded.rfind("\"finish_reason\":\"").unwrap();
    let mut cuts = 0;
    for at in 0..bytes.len() {
        let mut came = read(vec![&bytes[..at]]).await;
        let last = came.pop().unwrap();
        if matches!(last, Ok(Chunk::Finished(_))) {
            assert!(at > finish, "finished at {at}");
            continue;
        }
        assert!(matches!(last, Err(ProviderError::Cut { .. })), "{last:?}");
        assert_eq!(came, whole[..came.len()], "cut at {at}");
        assert!(!came.iter().any(|chunk| matches!(chunk, Ok(Chunk::ToolCall { .. }))));
        cuts += 1;
    }
    assert!(cuts >= finish);
}

#[rstest]
#[case::error_object(
    "data: {\"error\":{\"message\":\"slot unavailable\",\"code\":503}}\n\n",
    "provider_trouble"
)]
#[case::error_sentence("data: {\"error\":\"out of memory\"}\n\n", "provider_trouble")]
#[case::overflow(
    "data: {\"error\":{\"message\":\"the context size was exceeded\",\"code\":500}}\n\n",
    "context_overflow"
)]
#[case::garbage("data: {\"choices\":[\n\n", "provider_malformed")]
#[case::deep(
    "data: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n\n",
    "provider_malformed"
)]
#[case::not_utf8_is_done("data: [DONE]\n\n", "reply_cut")]
#[case::finish_that_is_none(
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\ndata: [DONE]\n\n",
    "reply_cut"
)]
#[tokio::test]
async fn trouble_inside_a_stream_ends_it_with_its_name(#[case] then: &str, #[case] code: &str) {
    let recorded = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"a\"}}}}]}}\n\n{then}data: {{\"choices\":[{{\"delta\":{{\"content\":\"b\"}}}}]}}\n\n"
    );
    let came = read(vec![recorded.as_bytes()]).await;
    assert_eq!(came[0], text("a"));
    assert_eq!(came.len(), 2, "{came:?}");
    assert_eq!(came[1].as_ref().unwrap_err().code(), code, "{came:?}");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_all_the_same() {
    let whole = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let events = stream::iter([Ok(whole.to_owned())]);
    let came: Vec<_> = chunks(events, Reply::new(&request(Vec::new()))).collect().await;
    assert_eq!(came[0], text("all"));
    assert_eq!(came.last(), Some(&Ok(Chunk::Finished(FinishReason::Stop))));
}
