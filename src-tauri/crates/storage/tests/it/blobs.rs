//! Bytes of pictures and files: durable with the draft, there once, and gone with the last that names them.

use siltstone_engine::attachment;
use siltstone_engine::conversation::{ConversationPatch, QueuedMessage};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::{StoreError, Transcripts};
use siltstone_storage::Store;

use crate::it::support::{at, message, new_conversation, store};

const PICTURE: &[u8] = b"GIF89a\x2c\x01\xfa\0 marzipanregenschirm";

fn picture() -> Part {
    attachment::part_of("p.gif", PICTURE).unwrap()
}

fn hash() -> String {
    picture().attached_hash().unwrap().to_owned()
}

fn is_gone(store: &Store) -> bool {
    matches!(store.blob(&hash()), Err(StoreError::NotFound { .. }))
        && matches!(store.blob_size(&hash()), Err(StoreError::NotFound { .. }))
}

fn purge(store: &Store, id: ConversationId) {
    let trash = ConversationPatch { deleted_at: Some(Some(at(4))), ..Default::default() };
    store.update_conversation(id, &trash).unwrap();
    store.purge_conversation(id).unwrap();
}

#[test]
fn what_is_attached_is_there_once_and_after_a_restart() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    store.attach(id, &picture(), PICTURE).unwrap();
    store.attach(id, &picture(), PICTURE).unwrap();
    drop(store);
    let store = Store::open(dir.path(), at(1)).unwrap();
    assert_eq!(store.conversation(id).unwrap().draft_attachments, [picture()]);
    let blob = store.blob(&hash()).unwrap();
    assert_eq!((blob.media_type.as_str(), &*blob.bytes), ("image/gif", PICTURE));
    assert_eq!(store.blob_size(&hash()).unwrap(), PICTURE.len() as u64);
    let nobody = ConversationId::new(at(9));
    assert!(matches!(store.attach(nobody, &picture(), b"x"), Err(StoreError::NotFound { .. })));
    let text = Part::Text { text: "no bytes".into() };
    assert!(matches!(store.keep_blob(id, &text, b"x"), Err(StoreError::Conflict { .. })));
}

#[test]
fn bytes_stay_while_a_draft_a_waiting_or_a_sent_message_names_them() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    store.attach(id, &picture(), PICTURE).unwrap();
    store.detach(id, &hash()).unwrap();
    assert_eq!(store.conversation(id).unwrap().draft_attachments, []);
    assert!(is_gone(&store));

    store.attach(id, &picture(), PICTURE).unwrap();
    let waiting = QueuedMessage {
        id: MessageId::new(at(1)),
        text: "later".into(),
        attachments: vec![picture()],
    };
    store.enqueue(id, &waiting).unwrap();
    store.detach(id, &hash()).unwrap();
    assert_eq!(store.queued(id).unwrap(), std::slice::from_ref(&waiting));
    assert!(!is_gone(&store));
    store.dequeue(waiting.id).unwrap();
    assert!(is_gone(&store));

    store.attach(id, &picture(), PICTURE).unwrap();
    let mut sent = message(id, None, Role::User, "see", at(2));
    sent.message.parts.push(picture());
    store.append_message(&sent).unwrap();
    store.detach(id, &hash()).unwrap();
    assert!(!is_gone(&store));
}

#[test]
fn the_last_conversation_takes_the_bytes_with_it() {
    let (dir, store) = store();
    let [first, second] = [new_conversation(&store), new_conversation(&store)];
    store.attach(first, &picture(), PICTURE).unwrap();
    store.keep_blob(second, &picture(), PICTURE).unwrap();
    purge(&store, first);
    assert_eq!(&*store.blob(&hash()).unwrap().bytes, PICTURE);
    purge(&store, second);
    assert!(is_gone(&store));
    drop(store);
    for entry in std::fs::read_dir(dir.path()).unwrap().flatten() {
        if entry.path().is_file() {
            let bytes = std::fs::read(entry.path()).unwrap();
            let found = bytes.windows(PICTURE.len()).any(|window| window == PICTURE);
            assert!(!found, "{}", entry.path().display());
        }
    }
}
