//! Sealed checkpoints (behaviour.md, Checkpoints): switched on over what exists, closed while the key's place is,
//! opened with the recovery passphrase, and switched off again.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_app::App;
use siltstone_contract::{
    AddMemory, CheckpointItem, CheckpointSealing, Code, Failure, ListCheckpoints, PlanRestore,
    RestoreParts, RunRestore, SealCheckpoints, SealEvent, SetRecovery, UnlockCheckpoints,
};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::keys::{Account, KeyringState, Place};
use siltstone_engine::message::MessageStatus;
use siltstone_engine::ports::SecretStore;
use siltstone_engine::project::Trust;
use siltstone_engine::secret::Secret;
use siltstone_providers::Connections;

use crate::checkpoints::{create, disk};
use crate::kept::Kept;
use crate::world::{Journey, app_keeping, write};

const CANARY: &str = "canary-under-the-seal";
const IN_MEMORY: &str = "canary-of-memory";

fn offline() -> Arc<Connections> {
    Arc::new(Connections::new().with_offline_pace(Duration::from_millis(1)))
}

/// The program started again, over these places for keys; it remembers nothing of the session before.
fn again(journey: &Journey, kept: &Arc<Kept>) -> App {
    kept.remove(Place::Session, &Account::from_text("checkpoint key".into())).unwrap();
    app_keeping(journey.data.path(), offline(), kept.clone())
}

async fn seal(app: &App) -> (CheckpointSealing, Vec<SealEvent>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let sink = Arc::new(move |event| seen.lock().unwrap().push(event));
    let done = app.checkpoint_seal(SealCheckpoints { place: None }, sink).await.unwrap();
    let events = events.lock().unwrap().clone();
    (done, events)
}

async fn unlock(app: &App, passphrase: Option<&str>) -> Result<CheckpointSealing, Failure> {
    let passphrase = passphrase.map(|text| Secret::new(text.to_owned()));
    app.checkpoint_unlock(UnlockCheckpoints { passphrase }).await
}

async fn list(app: &App, project_id: ProjectId) -> Vec<CheckpointItem> {
    let request = ListCheckpoints { project_id, before: None, limit: 100 };
    app.checkpoint_list(request).await.unwrap().items
}

async fn restore(app: &App, id: CheckpointId) -> Result<(), Failure> {
    let parts = RestoreParts { chat: false, files: true, memory: false, context: false };
    let plan = app.checkpoint_plan(PlanRestore { id, parts }).await?;
    let run = RunRestore { plan_id: plan.plan_id, choices: Vec::new() };
    app.checkpoint_restore(run).await.map(|_| ())
}

/// Whether what was captured of the files or of memory can be read in the packs or the database.
fn can_be_read(data: &Path) -> [bool; 2] {
    let held = disk(&data.join("checkpoints"));
    [CANARY, IN_MEMORY].map(|canary| {
        let kept = held.iter().filter(|(name, _)| !name.starts_with("stamps"));
        kept.into_iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(canary))
    })
}

#[tokio::test]
async fn checkpoints_are_sealed_opened_with_the_key_or_the_passphrase_and_unsealed() {
    let kept = Arc::new(Kept::default());
    let journey = Journey::keeping(offline(), kept.clone());
    let project = journey.open(Trust::Trusted).await;
    let conversation = journey.conversation(Some(project)).await;
    write(&journey.project, &format!("{CANARY}.txt"), CANARY);
    let line = AddMemory {
        project_id: Some(project),
        conversation_id: None,
        text: IN_MEMORY.into(),
        source: None,
    };
    journey.app.memory_add(line).await.unwrap();
    let before = create(&journey.app, project, None, Some("before")).await;
    assert_eq!(can_be_read(journey.data.path()), [true, true], "while nothing is sealed");

    let (sealed, events) = seal(&journey.app).await;
    assert!(sealed.on && !sealed.locked && sealed.plain_bytes == 0 && sealed.sealed_bytes > 0);
    assert_eq!((sealed.place, sealed.recovery), (Some(Place::Keyring), false));
    assert!(events.last().is_some_and(|event| event.done == event.total && event.total > 0));
    assert_eq!(can_be_read(journey.data.path()), [false, false]);
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.privacy.encrypt_checkpoints = false;
    let settings = journey.app.settings_set(settings).await.unwrap();
    assert!(settings.privacy.encrypt_checkpoints, "what is true is not changed by saying so");

    let shown = journey.app.checkpoint_recovery_set(SetRecovery { passphrase: None }).await;
    let passphrase = shown.unwrap().passphrase;
    assert!(passphrase.len() >= 24, "120 bits, five a character");
    write(&journey.project, &format!("{CANARY}.txt"), "changed");
    create(&journey.app, project, None, Some("after")).await;
    restore(&journey.app, before.id).await.unwrap();
    let file = journey.project.path().join(format!("{CANARY}.txt"));
    assert_eq!(fs::read_to_string(&file).unwrap(), CANARY);

    // The keyring is closed: everything but checkpoints goes on, and of them the list is there.
    kept.set_keyring(KeyringState::Locked);
    let app = again(&journey, &kept);
    assert!(app.checkpoint_sealing(()).await.unwrap().locked);
    let items = list(&app, project).await;
    let tags: Vec<_> = items.iter().filter_map(|item| item.tag.as_deref()).collect();
    assert_eq!((items.len(), tags), (3, vec!["after", "before"]));
    let refused = restore(&app, before.id).await.unwrap_err();
    assert_eq!(refused.code, Code::CheckpointsLocked, "{refused}");
    assert_eq!(unlock(&app, None).await.unwrap_err().code, Code::CheckpointsLocked);
    let journey = Journey { app: app.clone(), ..journey };
    let reply = journey.ask(conversation, "Which port?").await;
    assert_eq!(reply.status, MessageStatus::Complete);
    let wrong = unlock(&app, Some("not the passphrase")).await.unwrap_err();
    assert_eq!(wrong.code, Code::WrongPassphrase);
    assert!(!unlock(&app, Some(&passphrase)).await.unwrap().locked, "for this session");
    restore(&app, before.id).await.unwrap();

    // It is opened, and needs nothing more.
    let app = again(&journey, &kept);
    assert!(app.checkpoint_sealing(()).await.unwrap().locked);
    app.keyring_unlock(()).await.unwrap();
    assert!(!app.checkpoint_sealing(()).await.unwrap().locked);

    // On a computer that lost it, the passphrase brings the key back for good.
    let other = Arc::new(Kept::default());
    let app = again(&journey, &other);
    assert!(app.checkpoint_sealing(()).await.unwrap().locked);
    unlock(&app, Some(&passphrase)).await.unwrap();
    let app = again(&journey, &other);
    assert!(!app.checkpoint_sealing(()).await.unwrap().locked);

    let opened = app.checkpoint_unseal((), Arc::new(|_| {})).await.unwrap();
    assert!(!opened.on && opened.sealed_bytes == 0 && !opened.recovery && opened.place.is_none());
    assert_eq!(can_be_read(journey.data.path()), [true, true]);
    assert!(!app.settings_get(()).await.unwrap().privacy.encrypt_checkpoints);
    let app = again(&journey, &Arc::new(Kept::default()));
    restore(&app, before.id).await.unwrap();
    assert_eq!(app.checkpoint_verify(()).await.unwrap().damaged, []);
}

#[tokio::test]
async fn two_data_folders_of_one_person_keep_a_key_each() {
    let kept = Arc::new(Kept::default());
    let both = [(); 2].map(|()| Journey::keeping(offline(), kept.clone()));
    for journey in &both {
        let project = journey.open(Trust::Trusted).await;
        create(&journey.app, project, None, None).await;
        seal(&journey.app).await;
    }
    for journey in &both {
        assert!(!again(journey, &kept).checkpoint_sealing(()).await.unwrap().locked);
    }
}
