//! The tree: editing and regenerating make siblings; nothing is overwritten; every path can be shown again.

use siltstone_contract::{
    ConversationRef, EditMessage, ExportConversation, ExportFormat, ImportConversation, MessageRef,
    Regenerate, RenameConversation,
};

use crate::scripted::{Scripted, Step};
use crate::world::{Journey, text};
use std::sync::Arc;

fn answers(all: &[&'static str]) -> Arc<Scripted> {
    Arc::new(Scripted::new(all.iter().map(|text| vec![Step::Say(text), Step::Finish])))
}

#[tokio::test]
async fn an_edit_makes_a_sibling_and_both_paths_stay() {
    let journey = Journey::with(answers(&["one", "two", "other two"]));
    let id = journey.conversation(None).await;
    journey.ask(id, "first").await;
    journey.ask(id, "second").await;
    let second = journey.path(id).await[2].clone();

    journey
        .app
        .edit(EditMessage {
            id: second.id,
            text: "second, better".into(),
            attachments: None,
            context: None,
        })
        .await
        .unwrap();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["first", "one", "second, better", "other two"]);
    let edited = journey.path(id).await[2].clone();
    assert_eq!((edited.siblings.position, edited.siblings.ids.len()), (1, 2));

    journey.app.branch_switch(MessageRef { id: second.id }).await.unwrap();
    assert_eq!(journey.said(id).await, ["first", "one", "second", "two"]);
    journey.app.conversation_locate(MessageRef { id: edited.id }).await.unwrap();
    assert_eq!(journey.said(id).await, ["first", "one", "second, better", "other two"]);
}

#[tokio::test]
async fn a_regenerated_reply_is_a_sibling_and_the_next_question_follows_it() {
    let journey = Journey::with(answers(&["draft", "better", "next"]));
    let id = journey.conversation(None).await;
    let draft = journey.ask(id, "question").await;
    journey.app.regenerate(Regenerate { id: draft.id, context: None, model: None }).await.unwrap();
    journey.settled(id).await;
    journey.ask(id, "go on").await;
    assert_eq!(journey.said(id).await, ["question", "better", "go on", "next"]);
    journey.app.branch_switch(MessageRef { id: draft.id }).await.unwrap();
    assert_eq!(journey.said(id).await, ["question", "draft"]);
}

#[tokio::test]
async fn an_export_with_branches_comes_back_whole() {
    let journey =
        Journey::with(answers(&["하나 `a`", "# two\n\n```rust\nfn main() {}\n```", "three"]));
    let id = journey.conversation(None).await;
    journey.ask(id, "첫 질문").await;
    let reply = journey.ask(id, "second").await;
    journey.app.regenerate(Regenerate { id: reply.id, context: None, model: None }).await.unwrap();
    journey.settled(id).await;
    journey
        .app
        .conversation_rename(RenameConversation { id, title: "이름 / name".into() })
        .await
        .unwrap();

    let there = journey.app.conversation_get(ConversationRef { id }).await.unwrap().item;
    for format in [ExportFormat::Json, ExportFormat::Markdown, ExportFormat::Jsonl] {
        let exported = journey
            .app
            .conversation_export(ExportConversation { id, format, as_is: false })
            .await
            .unwrap();
        assert!(!exported.name.contains('/'), "{}", exported.name);
        let import = ImportConversation { text: exported.text, name: "x".into(), project_id: None };
        let copy = journey.app.conversation_import(import).await.unwrap().item;
        assert_eq!(journey.said(copy.id).await, journey.said(id).await, "{format:?}");
        let siblings = journey.path(copy.id).await[3].siblings.ids.len();
        assert_eq!(siblings, if format == ExportFormat::Json { 2 } else { 1 }, "{format:?}");
        if format == ExportFormat::Json {
            assert_eq!(copy.updated_at, there.updated_at);
            let (own, copied) = (journey.path(id).await, journey.path(copy.id).await);
            assert!(own[3].recorded && !copied[3].recorded, "a turn's record stays here");
            assert!(copied[3].turn_id.is_some() && copied[3].turn_id != own[3].turn_id);
            assert_ne!(copied[1].turn_id, copied[3].turn_id);
        }
    }
}

#[tokio::test]
async fn the_trash_gives_back_and_only_the_trash_forgets() {
    let journey = Journey::with(answers(&["pebble"]));
    let id = journey.conversation(None).await;
    let reply = journey.ask(id, "stone").await;
    let it = || ConversationRef { id };
    assert!(journey.app.conversation_purge(it()).await.is_err(), "not in the trash yet");
    journey.app.conversation_delete(it()).await.unwrap();
    journey.app.conversation_restore(it()).await.unwrap();
    assert_eq!(text(&journey.path(id).await[1]), text(&reply));
    journey.app.conversation_delete(it()).await.unwrap();
    journey.app.conversation_purge(it()).await.unwrap();
    assert!(journey.app.conversation_get(it()).await.is_err());
}
