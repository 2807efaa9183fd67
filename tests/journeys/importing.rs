//! Exports of other services: everything comes in once, a conversation at a time, and nothing of a file that is not whole.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};
use siltstone_app::{App, Sink};
use siltstone_contract::{
    Code, ConversationItem, ConversationRef, Failure, FileImported, ImportAll, ImportEvent,
    ImportedAll, ListConversations, Topic,
};
use siltstone_engine::Timestamp;
use siltstone_engine::message::text_of;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::world::Journey;

fn zipped(files: &[(&str, &Value)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, value) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(value.to_string().as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A conversation as ChatGPT has it: a question, and two answers of which the first is shown.
fn talk(title: &str, made: u64) -> Value {
    let said = |role: &str, text: &str| {
        json!({
            "author": {"role": role}, "create_time": made + 5, "recipient": "all",
            "content": {"content_type": "text", "parts": [text]}, "metadata": {"model_slug": "gpt-5"},
        })
    };
    json!({
        "title": title, "create_time": made, "update_time": made + 60, "current_node": "one",
        "mapping": {
            "root": {"message": null, "parent": null, "children": ["ask"]},
            "ask": {"message": said("user", &format!("{title}?")), "parent": "root", "children": ["one", "two"]},
            "one": {"message": said("assistant", "이것입니다."), "parent": "ask", "children": []},
            "two": {"message": said("assistant", "That."), "parent": "ask", "children": []},
        },
    })
}

fn talks(count: u64) -> Value {
    (0..count).map(|n| talk(&format!("Talk {n}"), 1_700_000_000 + n)).collect()
}

/// Opens a file that holds many.
async fn opened(app: &App, bytes: Vec<u8>) -> ImportAll {
    match app.import_file("export".into(), Cursor::new(bytes), None).await.unwrap() {
        FileImported::Many(all) => all,
        FileImported::One(one) => panic!("{one:?}"),
    }
}

fn deaf() -> Sink<ImportEvent> {
    Arc::new(|_| ())
}

async fn all(app: &App, bytes: Vec<u8>) -> Result<ImportedAll, Failure> {
    app.conversation_import_all(opened(app, bytes).await, deaf()).await
}

async fn listed(app: &App) -> Vec<ConversationItem> {
    let everything = ListConversations { project_id: None, trashed: false };
    app.conversation_list(everything).await.unwrap()
}

#[tokio::test]
async fn an_export_comes_in_once_with_its_days_and_branches() {
    let journey = Journey::offline();
    let app = &journey.app;
    let mut changes = app.subscribe();
    let claude = json!([
        {
            "name": "Herons", "created_at": "2025-03-01T10:00:00Z", "updated_at": "2025-03-02T10:00:00Z",
            "chat_messages": [{
                "uuid": "m", "sender": "human", "text": "Look", "created_at": "2025-03-01T10:00:01Z",
                "files": [{"file_name": "heron.jpg"}],
            }],
        },
        {"name": "Nothing", "created_at": "2025-03-01T10:00:00Z", "chat_messages": []},
        {"chat_messages": 7},
    ]);
    let bytes = zipped(&[
        ("conversations-000.json", &talks(19)),
        ("conversations-001.json", &claude),
        ("user.json", &json!({"email": "ada@example.com"})),
    ]);
    let events = Arc::new(Mutex::new(Vec::new()));
    let heard = events.clone();
    let sink: Sink<ImportEvent> = Arc::new(move |event| heard.lock().unwrap().push(event));
    let import = opened(app, bytes.clone()).await;
    let done = app.conversation_import_all(import.clone(), sink).await.unwrap();
    let latest = done.latest.clone().unwrap();
    let expected = ImportedAll {
        conversations: 20,
        messages: 19 * 3 + 1,
        empty: 1,
        unreadable: 1,
        left_out: 1,
        latest: Some(latest.clone()),
        ..ImportedAll::default()
    };
    assert_eq!(done, expected);
    let told: Vec<u64> = events.lock().unwrap().iter().map(|event| event.done).collect();
    assert_eq!(told, [0, 8, 16, 22]);
    assert!(events.lock().unwrap().iter().all(|event| event.total == 22));
    let mut broadcasts = Vec::new();
    while let Ok(changed) = changes.try_recv() {
        broadcasts.push(changed.topics);
    }
    assert_eq!(broadcasts.len(), 3, "one for a batch");
    assert!(broadcasts.iter().all(|topics| topics.contains(&Topic::Conversations)));

    assert_eq!(latest.title, "Herons");
    assert_eq!(latest.updated_at, "2025-03-02T10:00:00Z".parse::<Timestamp>().unwrap());
    let path = journey.path(latest.id).await;
    assert_eq!(text_of(&path[0].parts), "Look\n\n[heron.jpg]");
    let talk = listed(app).await.into_iter().find(|item| item.title == "Talk 3").unwrap();
    let path = journey.path(talk.id).await;
    assert_eq!(text_of(&path[1].parts), "이것입니다.");
    assert_eq!((path.len(), path[1].siblings.ids.len()), (2, 2));
    assert_eq!(path[1].model.as_deref(), Some("gpt-5"));

    // Once more: what is there stays as it is, and what went to the trash comes in again.
    app.conversation_delete(ConversationRef { id: talk.id }).await.unwrap();
    let again = all(app, bytes).await.unwrap();
    assert_eq!((again.conversations, again.already, again.messages), (1, 19, 3));
    assert_eq!(listed(app).await.len(), 20);

    // A file is imported once for each time that it is opened.
    let gone = app.conversation_import_all(import, deaf()).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}

#[tokio::test]
async fn what_is_in_stays_when_it_is_cancelled() {
    let journey = Journey::offline();
    let app = journey.app.clone();
    let import = opened(&app, zipped(&[("conversations.json", &talks(40))])).await;
    let (runtime, cancel) = (tokio::runtime::Handle::current(), import.clone());
    let sink: Sink<ImportEvent> = Arc::new(move |event: ImportEvent| {
        if event.done == 8 {
            let (app, cancel, (tell, told)) = (app.clone(), cancel.clone(), mpsc::channel());
            runtime.spawn(async move {
                tell.send(app.conversation_import_cancel(cancel).await).unwrap();
            });
            told.recv().unwrap().unwrap();
        }
    });
    let done = journey.app.conversation_import_all(import, sink).await.unwrap();
    assert!(done.cancelled);
    // The one that was begun comes in whole.
    assert_eq!((done.conversations, done.messages), (9, 27));
    assert_eq!(listed(&journey.app).await.len(), 9);

    // One that only waits is closed.
    let import = opened(&journey.app, zipped(&[("conversations.json", &talks(1))])).await;
    journey.app.conversation_import_cancel(import.clone()).await.unwrap();
    let gone = journey.app.conversation_import_all(import, deaf()).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}

#[tokio::test]
async fn nothing_comes_in_of_what_is_not_whole_or_too_much() {
    let journey = Journey::offline();
    let app = &journey.app;
    let whole = zipped(&[("conversations.json", &talks(30))]);

    // A letter that the disk changed, far behind the first conversations.
    let mut damaged = whole.clone();
    let far = damaged.len() / 2;
    damaged[far] ^= 1;
    assert_eq!(all(app, damaged).await.unwrap_err().code, Code::ImportBroken);
    // Half a download has no list of its files.
    let half = Cursor::new(whole[..whole.len() / 2].to_vec());
    let failure = app.import_file("x".into(), half, None).await.unwrap_err();
    assert_eq!(failure.code, Code::ImportBroken);
    let text = talks(30).to_string();
    let cut = text.as_bytes()[..text.len() - 100].to_vec();
    assert_eq!(all(app, cut).await.unwrap_err().code, Code::ImportBroken);

    // A small file that says it holds three gigabytes: not one byte of it is inflated.
    let mut bomb = whole.clone();
    let listed_at = bomb.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    bomb[listed_at + 24..listed_at + 28].copy_from_slice(&(3_u32 << 30).to_le_bytes());
    let failure = all(app, bomb).await.unwrap_err();
    assert_eq!(failure.code, Code::ImportUnreadable);
    assert!(failure.message.contains("too much"), "{failure}");

    // What is of nobody that is known.
    for other in [json!([]), json!([1, {"messages": []}])] {
        let failure = all(app, other.to_string().into_bytes()).await.unwrap_err();
        assert_eq!(failure.code, Code::ImportUnreadable);
    }
    let other = Cursor::new(zipped(&[("photos.json", &json!([]))]));
    let failure = app.import_file("x".into(), other, None).await.unwrap_err();
    assert_eq!(failure.code, Code::ImportUnreadable);
    assert!(listed(app).await.is_empty());

    // One conversation, as before.
    let one = Cursor::new("{\"role\":\"user\",\"content\":\"하나\"}");
    match app.import_file("said".into(), one, None).await.unwrap() {
        FileImported::One(one) => assert_eq!(one.item.title, "said"),
        FileImported::Many(all) => panic!("{all:?}"),
    }
}
