//! A database that cannot be opened: named, left as it is, and mended only as the person says.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use siltstone_contract::{
    Code, DataState, ListConversations, PageConversation, RestoreBackup, RunSalvage,
};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::Holds;
use siltstone_storage::Store;
use siltstone_test_servers::until::until;

use crate::scripted::{Scripted, Step};
use crate::world::{Journey, app_on};

async fn titles(app: &siltstone_app::App) -> Vec<String> {
    let all = ListConversations { project_id: None, trashed: false };
    let found = app.conversation_list(all).await.unwrap();
    found.into_iter().map(|conversation| conversation.title).collect()
}

/// Lets an app go, and waits until nothing that it began in the background works in its data folder any more.
async fn left(app: siltstone_app::App, data: &Path) {
    drop(app);
    let owners = data.join("owners");
    until("it to be gone", async || fs::read_dir(&owners).unwrap().next().is_none()).await;
}

#[tokio::test]
async fn a_damaged_database_is_kept_and_a_backup_or_an_empty_one_takes_its_place() {
    let model = Scripted::new([vec![Step::Say("sand"), Step::Finish]]);
    let journey = Journey::with(Arc::new(model));
    let id = journey.conversation(None).await;
    journey.ask(id, "What is silt?").await;
    let Journey { app, data, project: _project } = journey;
    left(app, data.path()).await;
    let store = Store::open(data.path(), Timestamp::now()).unwrap();
    let backup = store.backup_now(Timestamp::now()).unwrap();
    drop(store);

    let file = data.path().join("siltstone.db");
    let broken = vec![7_u8; 40_000];
    fs::write(&file, &broken).unwrap();
    let app = app_on(data.path(), Arc::new(Scripted::default()));
    let DataState::Damaged { .. } = app.app_info(()).await.unwrap().data else {
        panic!("a broken file is not opened");
    };
    assert_eq!(app.settings_get(()).await.unwrap_err().code, Code::Damaged);
    assert_eq!(fs::read(&file).unwrap(), broken, "left as it is");

    let name = backup.file_name().unwrap().to_string_lossy().into_owned();
    let backups = app.backup_list(()).await.unwrap();
    let listed = backups.iter().find(|backup| backup.name == name).unwrap();
    assert_eq!(listed.holds, Some(Holds { conversations: 1, messages: 2 }));
    app.backup_restore(RestoreBackup { name: name.clone() }).await.unwrap();
    assert_eq!(titles(&app).await, ["What is silt?"]);
    left(app, data.path()).await;

    fs::write(&file, &broken).unwrap();
    let app = app_on(data.path(), Arc::new(Scripted::default()));
    app.data_start_anew(()).await.unwrap();
    assert!(titles(&app).await.is_empty());
    assert!(!Store::backups(data.path()).unwrap().is_empty(), "backups stay");
}

#[tokio::test]
async fn what_can_be_read_of_a_damaged_database_takes_its_place_while_the_program_runs() {
    let model = Scripted::new([vec![Step::Say("sand"), Step::Finish]]);
    let journey = Journey::with(Arc::new(model));
    let id = journey.conversation(None).await;
    journey.ask(id, "What is silt?").await;
    let none = RunSalvage::default();
    assert_eq!(journey.app.salvage_run(none.clone()).await.unwrap_err().code, Code::Conflict);
    assert_eq!(journey.app.salvage_plan(()).await.unwrap_err().code, Code::Conflict);
    let Journey { app, data, project: _project } = journey;
    left(app, data.path()).await;

    // The header and the list of tables are gone; what was said stands on other pages.
    let file = data.path().join("siltstone.db");
    let mut broken = fs::read(&file).unwrap();
    broken[..4096].fill(0);
    fs::write(&file, &broken).unwrap();
    let app = app_on(data.path(), Arc::new(Scripted::default()));
    assert_eq!(app.settings_get(()).await.unwrap_err().code, Code::Damaged);
    let plan = app.salvage_plan(()).await.unwrap();
    assert_eq!(plan.alone.holds, Holds { conversations: 1, messages: 2 });
    assert_eq!(fs::read(&file).unwrap(), broken, "a plan changes nothing");
    let made = app.salvage_run(none).await.unwrap();
    assert_eq!((made.lost_messages, made.holds), (0, plan.alone.holds));
    assert_eq!(titles(&app).await, ["What is silt?"]);
    let kept = Path::new(made.kept.as_ref().unwrap()).join("siltstone.db");
    assert_eq!(fs::read(kept).unwrap(), broken);
}

/// safety.md, R12: one row of a database that opens reads wrong. The rest is used, it is told, and salvaged on the spot.
#[tokio::test]
async fn a_message_that_cannot_be_read_is_told_and_salvaged_while_the_rest_is_used() {
    let model = Scripted::new([
        vec![Step::Say("sand"), Step::Finish],
        vec![Step::Say("finer"), Step::Finish],
    ]);
    let journey = Journey::with(Arc::new(model));
    let (hurt, sound) = (journey.conversation(None).await, journey.conversation(None).await);
    journey.ask(hurt, "What is silt?").await;
    journey.ask(sound, "And clay?").await;
    let backup = journey.app.backup_create(()).await.unwrap();
    let Journey { app, data, project } = journey;
    left(app, data.path()).await;

    let file = data.path().join("siltstone.db");
    let mut bytes = fs::read(&file).unwrap();
    let text = br#""text":"What is silt?"#;
    let found = bytes.windows(text.len()).position(|at| at == text).unwrap();
    // As one bit of it is another one: it is no JSON any more.
    let parts = bytes[..found].iter().rposition(|byte| *byte == b'[').unwrap();
    bytes[parts] ^= 1;
    fs::write(&file, &bytes).unwrap();

    let app = app_on(data.path(), Arc::new(Scripted::default()));
    let journey = Journey { app, data, project };
    let app = &journey.app;
    assert_eq!(app.app_info(()).await.unwrap().data, DataState::Open, "nobody has met it");
    let page = |id| PageConversation { id, start: Some(0), limit: 200 };
    assert_eq!(app.conversation_page(page(hurt)).await.unwrap_err().code, Code::Damaged);
    let state = app.app_info(()).await.unwrap().data;
    assert!(matches!(state, DataState::PartlyDamaged { .. }), "{state:?}");
    assert_eq!(journey.said(sound).await, ["And clay?", "finer"]);

    // A backup would bring it back; salvage with it does as well, and keeps what was said since.
    let plan = app.salvage_plan(()).await.unwrap();
    assert_eq!((plan.alone.lost_messages, plan.alone.touched_count), (1, 1));
    let made = app.salvage_run(RunSalvage { backup: Some(backup.name.clone()) }).await.unwrap();
    assert_eq!(made.lost_messages, plan.with_backup.unwrap().lost_messages);
    assert_eq!(app.app_info(()).await.unwrap().data, DataState::Open);
    let said = journey.said(hurt).await;
    assert_eq!(said.last().map(String::as_str), Some("sand"));
    assert_eq!(journey.said(sound).await, ["And clay?", "finer"]);
    let again = app.salvage_run(RunSalvage::default()).await.unwrap_err();
    assert_eq!(again.code, Code::Conflict, "it needs no repair");
    // And a backup is gone back to as ever.
    app.backup_restore(RestoreBackup { name: backup.name }).await.unwrap();
    assert_eq!(journey.said(hurt).await, ["What is silt?", "sand"]);
}
