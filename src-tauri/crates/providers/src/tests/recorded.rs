//! What real servers sent, cut at every byte.

use serde::Deserialize;

use super::*;

/// A stream as it came.
#[derive(Deserialize)]
struct Recorded {
    /// The server, and what it was asked.
    from: String,
    /// The wire format.
    wire: String,
    bytes: String,
}

/// Cut in two anywhere, in single bytes, or off at any point: the same chunks, the same order, no text lost.
pub(super) async fn survives_every_cut(wire: &'static dyn Wire, recorded: &str) {
    let bytes = recorded.as_bytes();
    let whole = read(wire, vec![bytes]).await;
    assert!(matches!(whole.last(), Some(Ok(Chunk::Finished(_)))), "{whole:?}");
    assert_eq!(read(wire, bytes.chunks(1).collect()).await, whole);
    let mut cuts = 0;
    for at in 0..=bytes.len() {
        let (before, after) = bytes.split_at(at);
        assert_eq!(read(wire, vec![before, after]).await, whole, "cut at {at}");
        let mut came = read(wire, vec![before]).await;
        match came.pop() {
            // Nothing but what follows the reason to finish may be missing.
            Some(Ok(Chunk::Finished(_))) => assert_eq!(text_of(&came), text_of(&whole), "at {at}"),
            Some(Err(ProviderError::Cut { .. })) => {
                assert_eq!(came, whole[..came.len()], "ended at {at}");
                let called = |chunk: &Result<_, _>| matches!(chunk, Ok(Chunk::ToolCall { .. }));
                assert!(!came.iter().any(called), "ended at {at}");
                cuts += 1;
            }
            other => panic!("ended at {at}: {other:?}"),
        }
    }
    assert!(cuts > bytes.len() / 2, "{cuts} of {} cuts were noticed", bytes.len());
}

fn recorded() -> Vec<Recorded> {
    let lines = include_str!("recorded.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_recorded_streams_survive_every_cut() {
    let recorded = recorded();
    assert!(recorded.len() >= 100);
    for name in ["openai", "anthropic", "gemini", "ollama"] {
        assert!(recorded.iter().filter(|recorded| recorded.wire == name).count() >= 15, "{name}");
    }
    let cutting = recorded.into_iter().map(|Recorded { from, wire, bytes }| {
        let cut = async move { survives_every_cut(super::wire(&wire), &bytes).await };
        (from, tokio::spawn(cut))
    });
    for (from, cut) in cutting.collect::<Vec<_>>() {
        cut.await.unwrap_or_else(|error| panic!("{from}: {error}"));
    }
}

#[tokio::test]
async fn a_real_call_is_read_and_one_that_the_limit_cut_is_none() {
    let mut read_some = 0;
    for Recorded { from, wire, bytes } in recorded() {
        let called = match from.as_str() {
            "llama.cpp, a call." => vec![("read_file", r#"{"path": "notes.txt"}"#)],
            "llama.cpp, a call that its limit cut." => Vec::new(),
            _ => continue,
        };
        let came = read(super::wire(&wire), vec![bytes.as_bytes()]).await;
        let calls = came.iter().filter_map(|chunk| match chunk {
            Ok(Chunk::ToolCall { name, arguments, .. }) => {
                Some((name.as_str(), arguments.as_str()))
            }
            _ => None,
        });
        assert_eq!(calls.collect::<Vec<_>>(), called, "{from} {wire}");
        let reason = if called.is_empty() { FinishReason::Length } else { FinishReason::ToolCalls };
        assert_eq!(came.last(), Some(&finished(reason)), "{from} {wire}");
        read_some += 1;
    }
    assert_eq!(read_some, 4);
}
