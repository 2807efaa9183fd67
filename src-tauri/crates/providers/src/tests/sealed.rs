//! Thoughts with what their providers want back, and what was found in a cache, read from streams.

use super::*;

const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"cache_creation_input_tokens\":4,\"cache_read_input_tokens\":6,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"암호 En\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"흠…\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Eq\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Rs==\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"예\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":5}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

const GEMINI: &str = concat!(
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"흠…\",\"thought\":true}],\"role\":\"model\"}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"예\"}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\",\"thoughtSignature\":\"EqRs==\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":19,\"cachedContentTokenCount\":6,\"candidatesTokenCount\":3,\"thoughtsTokenCount\":2}}\r\n\r\n",
);

fn cached(found: u64, written: u64) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Usage(Usage {
        input_tokens: 19,
        output_tokens: 5,
        cached_input_tokens: found,
        cache_write_tokens: written,
        exact: true,
    }))
}

#[tokio::test]
async fn anthropic_seals_each_thought_where_it_ends() {
    let said = [
        seal(SealForm::Redacted, "암호 En"),
        thought("흠…"),
        seal(SealForm::Signature, "EqRs=="),
        text("예"),
        cached(6, 4),
        finished(FinishReason::Stop),
    ];
    assert_eq!(read(&Anthropic, vec![ANTHROPIC.as_bytes()]).await, said);
    recorded::survives_every_cut(&Anthropic, ANTHROPIC).await;
    // A thought that was cut is no proof of anything.
    let signed = ANTHROPIC.find("Rs==").unwrap();
    let came = read(&Anthropic, vec![&ANTHROPIC.as_bytes()[..signed]]).await;
    let proof = |chunk: &Result<_, _>| matches!(chunk, Ok(Chunk::Seal(SealForm::Signature, _)));
    assert!(came.contains(&said[1]) && !came.iter().any(proof), "{came:?}");

    let whole = r#"{"type":"message","content":[{"type":"redacted_thinking","data":"암호 En"},{"type":"thinking","thinking":"흠…","signature":"EqRs=="},{"type":"text","text":"예"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"cache_creation_input_tokens":4,"cache_read_input_tokens":6,"output_tokens":5}}"#;
    assert_eq!(read_whole(&Anthropic, whole), said);
}

#[tokio::test]
async fn gemini_seals_with_the_last_part() {
    let said = [
        thought("흠…"),
        text("예"),
        seal(SealForm::Signature, "EqRs=="),
        cached(6, 0),
        finished(FinishReason::Stop),
    ];
    assert_eq!(read(&Gemini, vec![GEMINI.as_bytes()]).await, said);
    recorded::survives_every_cut(&Gemini, GEMINI).await;
}

#[rstest]
#[case::openai(
    r#"{"choices":[{"message":{"reasoning_content":"","reasoning":"흠…","content":"예"},"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":6,"cache_write_tokens":4}}}"#,
    4
)]
#[case::deepseek(
    r#"{"choices":[{"message":{"reasoning_content":"흠…","content":"예"},"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":5,"prompt_cache_hit_tokens":6}}"#,
    0
)]
#[case::mistral(
    r#"{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"흠…"}]},{"type":"text","text":"예"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":6}}}"#,
    0
)]
fn servers_of_openais_format_have_words_of_their_own(#[case] whole: &str, #[case] written: u64) {
    let said = [thought("흠…"), text("예"), cached(6, written), finished(FinishReason::Stop)];
    assert_eq!(read_whole(&OpenAi, whole), said);
}

/// An answer that was not streamed.
fn read_whole(wire: &dyn Wire, answer: &str) -> Came {
    let mut reply = Reply::new(&request(Vec::new()));
    reply.take(wire, answer);
    reply.ended();
    std::iter::from_fn(|| reply.next()).collect()
}
