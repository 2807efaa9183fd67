//! Every wire format against streams as servers sent them: however their bytes are cut, wherever they end, and with
//! trouble inside them. `recorded.jsonl` holds what aimock, llmock and a model behind llama.cpp's server really sent;
//! `faults.json` what a broken one might.

mod bodies;
mod calling;
mod pairing;
mod recorded;
mod sealed;

use std::sync::Arc;

use rstest::rstest;
use serde::Deserialize;
use siltstone_engine::message::{Part, Role, Seal, SealForm};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::{Chunk, FinishReason, ModelRequest, ProviderError};
use siltstone_engine::secret::Secret;
use siltstone_engine::section::{Reason, Section, SectionKind};
use siltstone_engine::settings::Network;
use siltstone_engine::turn::Usage;
use siltstone_test_servers::noted::Noted;

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use crate::http::{self, Door, Gate, Limits};
use crate::remote::{self, Framing, Wire};
use crate::reply::Reply;
use crate::{anthropic::Anthropic, gemini::Gemini, ollama::Ollama, openai::OpenAi};

pub(crate) fn section(kind: SectionKind, role: Role, source: &str, text: &str) -> Section {
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
        turns: None,
        redacted: Vec::new(),
    }
}

pub(crate) fn request(sections: Vec<Section>) -> ModelRequest {
    ModelRequest::of("m", sections, "en")
}

pub(crate) fn image(hash: &str, media_type: &str) -> Part {
    let [hash, media_type, name] = [hash, media_type, hash].map(str::to_owned);
    Part::Image { hash, media_type, name, tokens: 7 }
}

pub(crate) fn thought_by(model: &str, text: &str, signature: &str) -> Part {
    let [text, model, data] = [text, model, signature].map(str::to_owned);
    Part::Reasoning { text, seal: Some(Seal { model, form: SealForm::Signature, data }) }
}

pub(crate) fn access(key: Option<&str>, this_computer_only: bool) -> Access {
    let key = key.map(|key| Secret::new(key.to_owned()));
    let outbox = Arc::<Noted>::default().outbox();
    Access { key, this_computer_only, network: Network::default(), outbox }
}

pub(crate) fn door(wire: &dyn Wire, base_url: &str) -> Door {
    let gate = Gate::new(Limits::default());
    gate.door(base_url, access(None, false), wire.key_header(), wire.headers()).unwrap()
}

fn wire(name: &str) -> &'static dyn Wire {
    match name {
        "openai" => &OpenAi,
        "anthropic" => &Anthropic,
        "gemini" => &Gemini,
        "ollama" => &Ollama,
        other => panic!("no wire {other}"),
    }
}

type Came = Vec<Result<Chunk, ProviderError>>;

async fn read(wire: &'static dyn Wire, pieces: Vec<&[u8]>) -> Came {
    let pieces: Vec<_> =
        pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let reply =
        Reply::new(&request(vec![section(SectionKind::Draft, Role::User, "composer", "hi")]));
    let pieces = stream::iter(pieces);
    match wire.framing() {
        Framing::Events => {
            remote::chunks(wire, http::answer::events_in(pieces).boxed(), reply).collect().await
        }
        Framing::Lines => {
            remote::chunks(wire, http::answer::lines_in(pieces).boxed(), reply).collect().await
        }
    }
}

fn text(said: &str) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Text(said.to_owned()))
}

fn text_of(came: &Came) -> String {
    came.iter()
        .filter_map(|chunk| match chunk {
            Ok(Chunk::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn thought(said: &str) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Reasoning(said.to_owned()))
}

fn call(id: &str, name: &str, arguments: &str) -> Result<Chunk, ProviderError> {
    let [id, name, arguments] = [id, name, arguments].map(str::to_owned);
    Ok(Chunk::ToolCall { id, name, arguments, seal: None })
}

fn seal(form: SealForm, data: &str) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Seal(form, data.to_owned()))
}

fn usage(input_tokens: u64, output_tokens: u64, exact: bool) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Usage(Usage { input_tokens, output_tokens, exact, ..Usage::default() }))
}

fn finished(reason: FinishReason) -> Result<Chunk, ProviderError> {
    Ok(Chunk::Finished(reason))
}

/// Thoughts, text, two calls and numbers, as each format says them.
const OPENAI: &str = concat!(
    ": keep-alive\r\n\r\nevent: ping\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"흠…\"}}]}\r\n\r\n",
    "data:{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\" 그래.\",\"content\":\"예\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"path\\\":\"}},{\"index\":1,\"function\":{\"name\":\"list\",\"arguments\":\"{}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"가\\\"}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\r\n\r\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":40}}\r\n\r\n",
    "data: [DONE]\r\n\r\n",
);

/// llama.cpp leaves `input` out; the second call has no arguments at all.
const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":19,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"흠…\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\" 그래.\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"예\"}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"read\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\":\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"가\\\"}\"}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"list\",\"input\":{}}}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":40}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

const GEMINI: &str = concat!(
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"흠…\",\"thought\":true}],\"role\":\"model\"}}],\"usageMetadata\":{\"promptTokenCount\":19}}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" 그래.\",\"thought\":true},{\"text\":\"예\"}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"a\",\"name\":\"read\",\"args\":{\"path\":\"가\"}}},{\"functionCall\":{\"name\":\"list\"}}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":19,\"candidatesTokenCount\":30,\"thoughtsTokenCount\":10}}\r\n\r\n",
);

const OLLAMA: &str = concat!(
    "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"흠…\"},\"done\":false}\n",
    "{\"message\":{\"role\":\"assistant\",\"content\":\"예\",\"thinking\":\" 그래.\"},\"done\":false}\n\n",
    "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":{\"path\":\"가\"}}}]},\"done\":false}\r\n",
    "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"list\",\"arguments\":{}}}]},\"done\":false}\n",
    "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":19,\"eval_count\":40}\n",
);

#[rstest]
#[tokio::test]
async fn every_format_says_the_same(
    #[values(("openai", OPENAI), ("anthropic", ANTHROPIC), ("gemini", GEMINI), ("ollama", OLLAMA))]
    said: (&str, &str),
) {
    let mut came = read(wire(said.0), vec![said.1.as_bytes()]).await;
    if said.0 == "openai" {
        // Some of its servers want their thoughts back without having signed them.
        assert_eq!(came.remove(3), seal(SealForm::Signature, "reasoning_content"));
    }
    assert_eq!(
        came,
        [
            thought("흠…"),
            thought(" 그래."),
            text("예"),
            call("a", "read", r#"{"path":"가"}"#),
            call("call_1", "list", "{}"),
            usage(19, 40, true),
            finished(FinishReason::ToolCalls),
        ]
    );
    recorded::survives_every_cut(wire(said.0), said.1).await;
}

#[rstest]
#[case(
    "openai",
    r#"data: {"choices":[{"index":0,"delta":{"content":"TEXT"}}]}"#,
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"
)]
#[case(
    "ollama",
    r#"{"message":{"content":"TEXT"},"done":false}"#,
    r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#
)]
#[tokio::test]
async fn thoughts_that_a_server_leaves_in_the_answer_are_none_of_it(
    #[case] format: &str,
    #[case] says: &str,
    #[case] ends: &str,
) {
    let pieces = ["\\n<thi", "nk>흠… 그래.</", "think>\\n\\n예, ", "<think>"];
    let events: Vec<String> = pieces.iter().map(|it| says.replace("TEXT", it)).collect();
    let body = [events, vec![ends.to_owned()]].concat().join("\n\n") + "\n\n";
    let came = read(wire(format), vec![body.as_bytes()]).await;
    let said = [thought("흠… 그래."), text("예, "), text("<think>")];
    assert_eq!(came[..3], said, "{came:?}");
    assert_eq!(came.last(), Some(&finished(FinishReason::Stop)));
}

#[rstest]
#[case("openai", r#"{"choices":[{"message":{"content":null,"refusal":"all"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#)]
#[case("openai", r#"{"choices":[{"message":{"content":"all"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#)]
#[case("anthropic", r#"{"type":"message","content":[{"type":"text","text":"all"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}"#)]
#[case("gemini", r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"candidates":[{"content":{"parts":[{"text":"ll"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}]"#)]
#[case(
    "ollama",
    r#"{"message":{"content":"all"},"done":true,"prompt_eval_count":3,"eval_count":1}"#
)]
#[tokio::test]
async fn an_answer_that_is_not_streamed_is_read_all_the_same(
    #[case] name: &str,
    #[case] whole: &str,
) {
    let events = stream::iter([Ok(whole.to_owned())]);
    let reply = Reply::new(&request(Vec::new()));
    let came: Came = remote::chunks(wire(name), events, reply).collect().await;
    assert_eq!(text_of(&came), "all");
    assert_eq!(came[came.len() - 2..], [usage(3, 1, true), finished(FinishReason::Stop)]);
}

#[rstest]
#[case(
    "openai",
    "data: {\"choices\":[{\"delta\":{\"content\":\"예예예\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}\n\n"
)]
#[case(
    "gemini",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"예예예\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":0,\"candidatesTokenCount\":0}}\n\n"
)]
#[case("ollama", "{\"message\":{\"content\":\"예예예\"},\"done\":true}\n")]
#[tokio::test]
async fn what_was_not_counted_is_estimated_and_marked_so(#[case] name: &str, #[case] said: &str) {
    let came = read(wire(name), vec![said.as_bytes()]).await;
    assert_eq!(came[..2], [text("예예예"), usage(7, 3, false)]);
}

/// One broken stream.
#[derive(Deserialize)]
struct Fault {
    name: String,
    /// The formats it is told in, each with its bytes; `\u00XX` beyond ASCII stands for that byte where `raw` is set.
    said: std::collections::BTreeMap<String, Vec<String>>,
    #[serde(default)]
    raw: bool,
    /// The text that is shown.
    shown: String,
    /// How it ends: `finished`, or an error's code.
    end: String,
}

#[tokio::test]
async fn a_broken_stream_keeps_its_text_and_ends_with_its_reason() {
    let faults: Vec<Fault> = serde_json::from_str(include_str!("tests/faults.json")).unwrap();
    assert!(faults.len() > 20);
    for fault in faults {
        for (name, said) in &fault.said {
            let bytes: Vec<Vec<u8>> = said
                .iter()
                .map(|piece| match fault.raw {
                    true => piece.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
                    false => piece.as_bytes().to_vec(),
                })
                .collect();
            let came = read(wire(name), bytes.iter().map(Vec::as_slice).collect()).await;
            let which = format!("{name}: {}: {came:?}", fault.name);
            assert_eq!(text_of(&came), fault.shown, "{which}");
            let end = match came.last() {
                Some(Ok(Chunk::Finished(_))) => "finished",
                Some(Err(error)) => error.code(),
                other => panic!("{which}: {other:?}"),
            };
            assert_eq!(end, fault.end, "{which}");
            let ends = |chunk: &&Result<_, _>| matches!(chunk, Ok(Chunk::Finished(_)) | Err(_));
            assert_eq!(came.iter().filter(ends).count(), 1, "{which}");
            let called = came.iter().any(|chunk| matches!(chunk, Ok(Chunk::ToolCall { .. })));
            assert!(end == "finished" || !called, "{which}");
        }
    }
}

#[test]
fn a_segment_of_a_path_stays_one() {
    let door = door(&Gemini, "https://example.com/v1beta/");
    let asked = |model: &str| {
        let request = ModelRequest { model: model.to_owned(), ..request(Vec::new()) };
        Gemini.question(&request, &door).unwrap().0.to_string()
    };
    assert_eq!(
        asked("gemini-x"),
        "https://example.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
    );
    assert_eq!(
        asked("tunedModels/mine"),
        "https://example.com/v1beta/tunedModels/mine:streamGenerateContent?alt=sse"
    );
    for hostile in ["../../../x", "a/../../x?y#z", "//evil.example/x", "x\\..\\y", "%2e%2e/x"] {
        let whole = asked(hostile);
        assert!(whole.starts_with("https://example.com/v1beta/"), "{whole}");
        assert!(whole.ends_with(":streamGenerateContent?alt=sse"), "{whole}");
    }
}
