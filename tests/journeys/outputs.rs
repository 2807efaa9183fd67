//! Long results of tools, kept whole beside their conversation: carried along by JSON, without secrets where asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use siltstone_contract::{
    ConversationRef, ExportConversation, ExportFormat, ImportConversation, ReadOutput,
};
use siltstone_engine::Timestamp;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::export;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::tool::output::{KeptOutput, shortened};

use crate::world::Journey;

/// A question, a call, its long result and the answer, as JSON.
fn with_output(whole: &str) -> String {
    let now = Timestamp::UNIX_EPOCH;
    let conversation = Conversation::empty(None, now);
    let kept = KeptOutput::of(whole);
    let call = Part::ToolCall {
        id: "a".into(),
        name: "run_command".into(),
        arguments: "{\"command\":\"make\"}".into(),
        seal: None,
    };
    let result = Part::ToolResult {
        call_id: "a".into(),
        text: shortened(whole, &kept),
        is_error: false,
        kept: Some(kept.clone()),
    };
    let said = |text: &str| Part::Text { text: text.into() };
    let mut path: Vec<Message> = Vec::new();
    for (role, part) in [
        (Role::User, said("Build it")),
        (Role::Assistant, call),
        (Role::Tool, result),
        (Role::Assistant, said("Built.")),
    ] {
        path.push(Message {
            id: MessageId::new(now),
            conversation_id: conversation.id,
            parent_id: path.last().map(|last| last.id),
            turn_id: None,
            index: path.len() as u64,
            role,
            parts: vec![part],
            status: MessageStatus::Complete,
            model: None,
            tokens: 0,
            created_at: now,
        });
    }
    let bytes: Arc<[u8]> = whole.as_bytes().into();
    export::json(&conversation, &path, &[], &[], &BTreeMap::from([(kept.hash, bytes)]), false)
}

async fn import(journey: &Journey, text: String) -> ConversationId {
    let import = ImportConversation { text, name: "x.json".into(), project_id: None };
    let imported = journey.app.conversation_import(import).await.unwrap();
    assert_eq!(imported.warnings, []);
    imported.item.id
}

/// The handle of the one long result, and the whole of it.
async fn output(journey: &Journey, id: ConversationId) -> (String, String) {
    let path = journey.path(id).await;
    let Part::ToolResult { kept: Some(kept), text, .. } = &path[2].parts[0] else {
        panic!("{:?}", path[2].parts)
    };
    assert!(text.contains(&format!("\"handle\":\"{}\"", kept.hash)), "the text names its handle");
    let hash = kept.hash.clone();
    let read = ReadOutput { conversation_id: id, hash: hash.clone(), offset: 1, limit: 10_000 };
    let read = journey.app.tool_output(read).await.unwrap();
    assert_eq!(read.lines, kept.lines);
    (hash, read.text)
}

#[tokio::test]
async fn a_long_result_travels_whole_and_without_its_secrets() {
    let journey = Journey::offline();
    let drawn: String = ('0'..='9').chain('A'..='Z').collect();
    let secret = format!("ghp{}{drawn}", '_');
    let line = "한 줄의 출력이 여기 있다\n".repeat(300);
    let whole = format!("{line}token {secret}\n{line}");
    let id = import(&journey, with_output(&whole)).await;
    let (hash, text) = output(&journey, id).await;
    assert_eq!(text, whole.trim_end());

    let exported = async |as_is| {
        let export = ExportConversation { id, format: ExportFormat::Json, as_is };
        journey.app.conversation_export(export).await.unwrap().text
    };
    let same = import(&journey, exported(true).await).await;
    assert_eq!(output(&journey, same).await, (hash.clone(), text.clone()));
    let clean = import(&journey, exported(false).await).await;
    let (other, read) = output(&journey, clean).await;
    assert_ne!(other, hash);
    assert_eq!(read, text.replace(&secret, "[redacted: github-token]"));

    // Each conversation reads its own and no other's.
    let foreign = ReadOutput { conversation_id: clean, hash: hash.clone(), offset: 1, limit: 1 };
    assert!(journey.app.tool_output(foreign).await.is_err());
    journey.app.conversation_delete(ConversationRef { id }).await.unwrap();
    journey.app.conversation_purge(ConversationRef { id }).await.unwrap();
    let gone = ReadOutput { conversation_id: id, hash, offset: 1, limit: 1 };
    assert!(journey.app.tool_output(gone).await.is_err());
    assert_eq!(output(&journey, same).await.1, text, "what others keep stays");
}
