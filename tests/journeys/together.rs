//! Two processes on one data folder: each sees what the other does.

use std::sync::Arc;
use std::time::Duration;

use siltstone_contract::{ConversationRef, SendMessage, Topic, TurnEvent};
use siltstone_test_servers::until::PATIENCE;

use crate::scripted::{Scripted, Step};
use crate::world::{Journey, app_on};

#[tokio::test]
async fn a_reply_written_by_another_process_is_followed_to_its_end() {
    let words = ["one ", "two ", "three ", "four ", "five"];
    let mut script = Vec::new();
    for word in words {
        script.extend([Step::Say(word), Step::Wait(Duration::from_millis(300))]);
    }
    script.push(Step::Finish);
    let journey = Journey::with(Arc::new(Scripted::new([script])));
    let other = app_on(journey.data.path(), Arc::new(Scripted::default()));
    let mut changes = other.subscribe();
    tokio::spawn(other.watch_other_processes());

    let id = journey.conversation(None).await;
    let request = SendMessage {
        conversation_id: id,
        text: "count".into(),
        attachments: Vec::new(),
        context: None,
        also: Vec::new(),
    };
    journey.app.send(request.clone()).await.unwrap();
    let (send, mut events) = tokio::sync::mpsc::unbounded_channel();
    other
        .turn_watch(ConversationRef { id }, Arc::new(move |event| send.send(event).unwrap()))
        .await
        .unwrap();
    let mut shown = String::new();
    while let Ok(event) = events.try_recv() {
        match event {
            TurnEvent::Started { text, .. } => shown = text,
            TurnEvent::Text { text } => shown.push_str(&text),
            TurnEvent::Reply { .. }
            | TurnEvent::Tool { .. }
            | TurnEvent::Waiting { .. }
            | TurnEvent::Output { .. } => {}
            TurnEvent::Reasoning { .. } | TurnEvent::Done { .. } => {}
        }
    }
    assert_eq!(shown, "one two three four five");
    let changed = tokio::time::timeout(PATIENCE, changes.recv()).await.unwrap().unwrap();
    assert_eq!(changed.topics, [Topic::All]);
}
