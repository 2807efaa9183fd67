//! What must not grow with the history: counted in rows that are read, not in time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use siltstone_app::{App, World};
use siltstone_contract::{ConversationRef, PreviewRequest};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{BranchId, ConversationId, MessageId};
use siltstone_engine::message::Role;
use siltstone_engine::ports::{DataFolder, NewMessage, Stores};
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::summary::{Policy, Status};
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use tempfile::TempDir;

use crate::counting::{Counted, history};
use crate::kept::Kept;
use crate::scripted::Scripted;
use crate::summaries::talkative;
use crate::world::{started, world};

/// Folds all there is; how many summaries there are then.
async fn fold(app: &App, id: ConversationId) -> usize {
    app.summary_run(ConversationRef { id }).await.unwrap();
    app.summaries_made(id).await.unwrap();
    let records = app.summary_list(ConversationRef { id }).await.unwrap().records;
    assert!(records.iter().all(|record| record.status == Status::Completed), "{records:?}");
    records.len()
}

/// Three more turns.
fn go_on(stores: &Stores, id: ConversationId) {
    for _ in 0..6 {
        let mut last = stores.transcripts.page(id, None, 1).unwrap().messages.remove(0).message;
        last.parent_id = Some(last.id);
        last.role = match last.index % 2 {
            0 => Role::Assistant,
            _ => Role::User,
        };
        last.id = MessageId::new(Timestamp::UNIX_EPOCH);
        let branch_if_needed = BranchId::new(Timestamp::UNIX_EPOCH);
        stores.transcripts.append_message(&NewMessage { message: last, branch_if_needed }).unwrap();
    }
}

/// A conversation of so many messages under a policy, in a folder that counts what is read of it.
async fn counted(
    dir: &TempDir,
    length: usize,
    policy: Policy,
) -> (App, Stores, ConversationId, Arc<Counted>) {
    let data = Arc::new(Counted::over(DataDir::new(dir.path().into(), Arc::new(Seals))));
    let stores = data.dir.open(Timestamp::UNIX_EPOCH).unwrap();
    let id = history(&stores, length);
    let model = Arc::new(Scripted::answering(talkative));
    let world = World { data: data.clone(), ..world(dir.path(), model, Arc::new(Kept::default())) };
    let app = started(world, dir.path());
    let record = ProviderRecord {
        name: "work".into(),
        kind: ProviderKind::Openai,
        base_url: "http://127.0.0.1:9/v1".into(),
    };
    app.provider_add(record).await.unwrap();
    let mut settings = app.settings_get(()).await.unwrap();
    settings.default_provider = "work".into();
    settings.default_model = "small".into();
    settings.summary.policy = policy;
    app.settings_set(settings).await.unwrap();
    (app, stores, id, data)
}

/// performance.md, 10: "summary trigger: O(1)", and what is folded next costs what is new in it.
#[tokio::test]
async fn the_next_fold_reads_what_is_new_however_long_the_folded_history_is() {
    let mut read = Vec::new();
    for length in [60, 600] {
        let dir = TempDir::new().unwrap();
        let (app, stores, id, data) = counted(&dir, length, Policy::Segments).await;
        let rows = &data.rows;
        let before = fold(&app, id).await;
        // The last two exchanges stay.
        assert!(before >= length / 6 - 1, "{before}");
        assert!(rows.load(Ordering::Relaxed) >= length, "rows are counted");
        go_on(&stores, id);
        rows.store(0, Ordering::Relaxed);
        assert!(fold(&app, id).await > before);
        read.push(rows.load(Ordering::Relaxed));
    }
    assert!(read[0] >= 6, "{read:?}");
    assert!(read[1] <= read[0], "{read:?}");
}

/// What holds is read, and not what was ever made: neither for a fold nor at a key press.
#[tokio::test]
async fn folds_that_were_replaced_are_read_by_nothing_but_their_list() {
    let mut read = Vec::new();
    for times in [4, 40] {
        let dir = TempDir::new().unwrap();
        let (app, stores, id, data) = counted(&dir, 12, Policy::Rolling).await;
        let mut made = 0;
        for _ in 0..times {
            go_on(&stores, id);
            let now = fold(&app, id).await;
            assert!(now > made, "{now}");
            made = now;
        }
        assert!(made >= times);
        go_on(&stores, id);
        data.folds.store(0, Ordering::Relaxed);
        app.summary_run(ConversationRef { id }).await.unwrap();
        app.summaries_made(id).await.unwrap();
        let folding = data.folds.swap(0, Ordering::Relaxed);
        let draft = PreviewRequest {
            conversation_id: id,
            draft: "And now?".into(),
            context: None,
            model: None,
        };
        app.request_preview(draft).await.unwrap();
        let typing = data.folds.load(Ordering::Relaxed);
        let records = app.summary_list(ConversationRef { id }).await.unwrap().records;
        assert_eq!(records.len(), made + 1, "one was made");
        assert!(typing > 0, "summaries are counted");
        read.push((folding, typing));
    }
    assert_eq!(read[0], read[1]);
}
