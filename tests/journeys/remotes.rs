//! Checkpoints beyond one computer: on a folder and on a real S3 server.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rstest::rstest;
use siltstone_app::App;
use siltstone_contract::{
    AddRemote, CancelCarrying, Carried, Code, ListEgress, PlanRestore, PullCheckpoints,
    PushCheckpoints, ReachProject, RemoteRef, RestoreParts, RunRestore, SetSync,
};
use siltstone_engine::checkpoint::remote::{
    Carried as Carrying, RemoteBlobs, RemoteError, RemotePlace, Remotes, SyncRule,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, ProjectId};
use siltstone_engine::keys::Place;
use siltstone_engine::ports::Access;
use siltstone_engine::project::Trust;
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Settings;
use siltstone_providers::Connections;
use siltstone_test_servers::{Server, s3};
use tempfile::TempDir;

use crate::checkpoints::{create, disk, stores};
use crate::kept::Kept;
use crate::world::{Journey, app_reaching, buckets, write};

pub const CANARY: &str = "canary-4711-in-plain-text";
pub const PASSPHRASE: &str = "correct horse battery";

pub fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

fn folder(path: &Path) -> RemotePlace {
    RemotePlace::Folder { path: path.display().to_string() }
}

fn bucket(server: &Server) -> RemotePlace {
    RemotePlace::S3 {
        endpoint: server.address().to_owned(),
        region: "us-east-1".into(),
        bucket: "checkpoints".into(),
        prefix: "of/ada".into(),
        access_key_id: "ada".into(),
    }
}

fn joining(at: RemotePlace, passphrase: &str) -> AddRemote {
    AddRemote {
        name: "elsewhere".into(),
        at,
        credentials: Some(secret("its-secret-key")),
        passphrase: secret(passphrase),
        key_place: Place::Session,
    }
}

async fn push(app: &App, project_id: ProjectId) -> Carried {
    let request = PushCheckpoints { remote: "elsewhere".into(), project_id, carry_id: "1".into() };
    app.checkpoint_push(request, Arc::new(|_| ())).await.unwrap()
}

async fn pull(app: &App, project_id: ProjectId) -> Carried {
    let (remote, carry_id) = ("elsewhere".into(), "1".into());
    let request = PullCheckpoints { remote, project_id, ids: Vec::new(), carry_id };
    app.checkpoint_pull(request, Arc::new(|_| ())).await.unwrap()
}

pub async fn restore(app: &App, id: CheckpointId) {
    let parts = RestoreParts { chat: false, files: true, memory: false, context: false };
    let plan = app.checkpoint_plan(PlanRestore { id, parts }).await.unwrap();
    let run = RunRestore { plan_id: plan.plan_id, choices: Vec::new() };
    let done = app.checkpoint_restore(run).await.unwrap();
    assert_eq!(done.failed, []);
}

/// A project with a conversation, and two checkpoints of it.
pub async fn worked() -> (Journey, ProjectId, ConversationId, Vec<CheckpointId>) {
    let journey = Journey::offline();
    fs::write(journey.project.path().join("large.bin"), noise(5, 300_000)).unwrap();
    write(&journey.project, &format!("src/{CANARY}.rs"), CANARY);
    let project = journey.open(Trust::Trusted).await;
    let conversation = journey.conversation(Some(project)).await;
    journey.ask(conversation, &format!("What is {CANARY}?")).await;
    let first = create(&journey.app, project, Some(conversation), Some("one")).await;
    write(&journey.project, "docs/setup.md", "# Setup\n\nAnother port.\n");
    journey.ask(conversation, "And now?").await;
    let second = create(&journey.app, project, Some(conversation), Some(CANARY)).await;
    (journey, project, conversation, vec![first.id, second.id])
}

/// An empty folder, opened on a computer of its own.
pub async fn elsewhere() -> (Journey, ProjectId, TempDir) {
    let journey = Journey::offline();
    let empty = TempDir::new().unwrap();
    let project = journey.open_at(empty.path()).await;
    (journey, project, empty)
}

/// Bytes that no compression makes smaller.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Everything that a place gives to whoever may read it.
async fn everything(of: &Journey, at: &RemotePlace) -> Vec<(String, Vec<u8>)> {
    let outbox = siltstone_engine::egress::Outbox {
        log: stores(of).egress,
        clock: Arc::new(siltstone_app::SystemClock),
        provider: "a stranger".into(),
        turn_id: None,
        on_pause: None,
    };
    let network = Settings::default().network();
    let access = Access { key: None, this_computer_only: true, network, outbox };
    let blobs = buckets().connect(at, Some(&secret("its-secret-key")), access).unwrap();
    let mut found = Vec::new();
    for name in blobs.list("").await.unwrap() {
        let bytes = blobs.get(&name).await.unwrap();
        found.push((name, bytes));
    }
    found
}

/// What a person who works on two computers does, on any remote.
async fn carried_over(at: RemotePlace) {
    let (here, project, conversation, ids) = worked().await;
    here.app.remote_add(joining(at.clone(), PASSPHRASE)).await.unwrap();
    let pushed = push(&here.app, project).await;
    assert_eq!((&pushed.done, pushed.known, &pushed.left_out), (&ids, 0, &vec![]));
    // Nothing is sent twice.
    assert_eq!(
        push(&here.app, project).await,
        Carried { done: vec![], known: 2, bytes: 0, ..pushed }
    );

    // Nobody can read there what was in a file, its name, a tag or a message.
    let kept = everything(&here, &at).await;
    assert!(kept.len() >= 5, "{kept:?}");
    for (name, bytes) in &kept {
        assert!(!name.contains(CANARY), "{name}");
        let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!found, "{name} tells what is in it");
    }

    // Another computer needs the passphrase.
    let (there, other, root) = elsewhere().await;
    let wrong = there.app.remote_add(joining(at.clone(), "not the passphrase")).await;
    assert_eq!(wrong.unwrap_err().code, Code::WrongPassphrase);
    there.app.remote_add(joining(at, PASSPHRASE)).await.unwrap();
    // A tag that is taken here.
    create(&there.app, other, None, Some("one")).await;
    let listed =
        there.app.remote_checkpoints(RemoteRef { name: "elsewhere".into() }).await.unwrap();
    let seen: Vec<_> = listed.iter().map(|it| (it.item.tag.as_deref(), it.here)).collect();
    assert_eq!(seen, [(Some(CANARY), false), (Some("one"), false)]);
    assert_eq!(pull(&there.app, other).await.done, ids);
    assert_eq!(pull(&there.app, other).await.known, 2);
    let rows = stores(&there).checkpoints;
    assert_eq!(rows.checkpoint(ids[0]).unwrap().tag.as_deref(), Some("one (2)"));
    assert_eq!(rows.checkpoint(ids[1]).unwrap().parent, Some(ids[0]));

    // Byte for byte, with the conversation.
    restore(&there.app, ids[1]).await;
    let captured = |files: Vec<(String, Vec<u8>)>| {
        files.into_iter().filter(|(name, _)| name != ".env").collect::<Vec<_>>()
    };
    assert_eq!(captured(disk(root.path())), captured(disk(here.project.path())));
    assert_eq!(there.said(conversation).await, here.said(conversation).await);

    // Both go on; neither loses what the other said.
    there.ask(conversation, "Said there").await;
    let later = create(&there.app, other, Some(conversation), None).await;
    assert_eq!(push(&there.app, other).await.known, 2);
    here.ask(conversation, "Said here").await;
    let before = here.said(conversation).await;
    let joined = pull(&here.app, project).await;
    assert!(joined.done.contains(&later.id), "{joined:?}");
    assert_eq!(here.said(conversation).await, before);
    let all = stores(&here).transcripts.all_messages(conversation).unwrap();
    assert!(["Said here", "Said there"].iter().all(|text| all.iter().any(|it| it.text() == *text)));
}

#[tokio::test]
async fn a_folder_carries_checkpoints_from_one_computer_to_another() {
    let place = TempDir::new().unwrap();
    carried_over(folder(place.path())).await;
}

#[tokio::test]
async fn an_s3_server_carries_checkpoints_from_one_computer_to_another() {
    let server = s3().unwrap();
    carried_over(bucket(&server)).await;
}

/// The requests are written down before they leave, without what was sealed and without a signature.
#[tokio::test]
async fn what_goes_to_a_remote_is_listed_as_having_left() {
    let server = s3().unwrap();
    let (here, project, ..) = worked().await;
    here.app.remote_add(joining(bucket(&server), PASSPHRASE)).await.unwrap();
    let pushed = push(&here.app, project).await;
    let request = ListEgress { before: None, limit: 100, away_only: false };
    let left = here.app.egress_list(request).await.unwrap();
    assert!(left.iter().all(|it| it.provider == "elsewhere" && !it.body_kept), "{left:?}");
    let sent: u64 = left.iter().filter(|it| it.url.contains("/objects/")).map(|it| it.size).sum();
    assert!(sent > 0 && sent <= pushed.bytes, "{left:?}");
    for (name, bytes) in disk(here.data.path()) {
        let told = [b"Signature=".as_slice(), b"its-secret-key", PASSPHRASE.as_bytes()];
        let told = told.iter().any(|it| bytes.windows(it.len()).any(|window| window == *it));
        assert!(!told, "{name} tells what opens the remote");
    }
}

/// Remotes whose line is cut after so many blobs were written.
struct Cut {
    whole: Arc<dyn Remotes>,
    left: Arc<AtomicUsize>,
}

struct CutBlobs {
    whole: Arc<dyn RemoteBlobs>,
    left: Arc<AtomicUsize>,
}

impl Remotes for Cut {
    fn connect(
        &self,
        at: &RemotePlace,
        credentials: Option<&Secret>,
        access: Access,
    ) -> Result<Arc<dyn RemoteBlobs>, RemoteError> {
        let whole = self.whole.connect(at, credentials, access)?;
        Ok(Arc::new(CutBlobs { whole, left: self.left.clone() }))
    }
}

impl RemoteBlobs for CutBlobs {
    fn list<'a>(&'a self, prefix: &'a str) -> Carrying<'a, Vec<String>> {
        self.whole.list(prefix)
    }

    fn get<'a>(&'a self, name: &'a str) -> Carrying<'a, Vec<u8>> {
        self.whole.get(name)
    }

    fn put_if_absent<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Carrying<'a, bool> {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        match left {
            Ok(_) => self.whole.put_if_absent(name, bytes),
            Err(_) => Box::pin(async { Err(RemoteError::Unreachable { detail: "cut".into() }) }),
        }
    }
}

/// Two bundles with an index each and three records go over: cut after a bundle, a record, the other bundle, never.
#[rstest]
#[tokio::test]
async fn a_push_that_is_cut_off_anywhere_is_resumed_and_leaves_nothing_half(
    #[values(1, 3, 5, 7)] puts: usize,
) {
    let (mut here, project, _, ids) = worked().await;
    // More than one bundle holds.
    fs::write(here.project.path().join("a.bin"), noise(1, 9_000_000)).unwrap();
    fs::write(here.project.path().join("b.bin"), noise(77_777, 9_000_000)).unwrap();
    let third = create(&here.app, project, None, None).await.id;
    let left = Arc::new(AtomicUsize::new(usize::MAX));
    let cut = Arc::new(Cut { whole: buckets(), left: left.clone() });
    let providers = Arc::new(Connections::new());
    here.app = app_reaching(here.data.path(), providers, Arc::new(Kept::default()), cut);
    let place = TempDir::new().unwrap();
    here.app.remote_add(joining(folder(place.path()), PASSPHRASE)).await.unwrap();
    left.store(puts, Ordering::SeqCst);
    let (remote, carry_id) = ("elsewhere".into(), "1".into());
    let request = PushCheckpoints { remote, project_id: project, carry_id };
    let pushed = here.app.checkpoint_push(request, Arc::new(|_| ())).await;
    left.store(usize::MAX, Ordering::SeqCst);

    // What can be seen there is whole.
    let (there, other, _root) = elsewhere().await;
    there.app.remote_add(joining(folder(place.path()), PASSPHRASE)).await.unwrap();
    let before = pull(&there.app, other).await;
    assert_eq!(before.left_out, []);
    let rest = push(&here.app, project).await;
    let all: Vec<_> = before.done.iter().chain(&rest.done).copied().collect();
    assert_eq!(all, [ids[0], ids[1], third], "after {puts} blobs");
    assert_eq!(pull(&there.app, other).await.done, rest.done);
    assert_eq!(there.app.checkpoint_verify(()).await.unwrap().damaged, []);
    here.app.remote_remove(RemoteRef { name: "elsewhere".into() }).await.unwrap();
    match pushed {
        Ok(_) => assert_eq!(puts, 7),
        Err(failure) => assert_eq!((failure.code, puts < 7), (Code::RemoteUnreachable, true)),
    }
}

#[tokio::test]
async fn a_push_is_cancelled() {
    let place = TempDir::new().unwrap();
    let (here, project, ..) = worked().await;
    here.app.remote_add(joining(folder(place.path()), PASSPHRASE)).await.unwrap();
    let (app, runtime) = (here.app.clone(), tokio::runtime::Handle::current());
    let request =
        PushCheckpoints { remote: "elsewhere".into(), project_id: project, carry_id: "x".into() };
    let cancelled = here.app.checkpoint_push(
        request,
        Arc::new(move |_| {
            let app = app.clone();
            let cancel =
                async move { app.remote_cancel(CancelCarrying { carry_id: "x".into() }).await };
            runtime.spawn(cancel);
        }),
    );
    match cancelled.await {
        Err(failure) => assert_eq!(failure.code, Code::Cancelled),
        // It was over before anybody could say so.
        Ok(pushed) => assert_eq!(pushed.done.len(), 2),
    }
}

/// behaviour.md, Checkpoints: `localOnly`.
#[tokio::test]
async fn nothing_leaves_while_the_settings_say_so() {
    let server = s3().unwrap();
    let place = TempDir::new().unwrap();
    let (here, project, ..) = worked().await;
    let s3_far = RemotePlace::S3 {
        endpoint: "https://s3.example.com".into(),
        region: "r".into(),
        bucket: "b".into(),
        prefix: String::new(),
        access_key_id: "ada".into(),
    };
    let add = async |at: RemotePlace| here.app.remote_add(joining(at, PASSPHRASE)).await;
    let set = async |change: fn(&mut Settings)| {
        let checkpoints = here.app.settings_get(()).await.unwrap().checkpoints;
        let mut settings = Settings { checkpoints, ..Settings::default() };
        change(&mut settings);
        here.app.settings_set(settings).await.unwrap();
    };

    set(|settings| settings.privacy.local_only = true).await;
    for at in [bucket(&server), folder(place.path()), s3_far.clone()] {
        assert_eq!(add(at).await.unwrap_err().code, Code::NoCloud);
    }

    // A folder and a server on this computer are no other computer.
    set(|settings| settings.this_computer_only = true).await;
    assert_eq!(add(s3_far.clone()).await.unwrap_err().code, Code::NoCloud);
    let google = RemotePlace::Gcs { bucket: "b".into(), prefix: String::new() };
    assert_eq!(add(google).await.unwrap_err().code, Code::NoCloud);
    assert!(add(folder(place.path())).await.unwrap().allowed);
    assert_eq!(push(&here.app, project).await.done.len(), 2);

    set(|settings| settings.privacy.local_only = true).await;
    assert!(!here.app.remote_list(()).await.unwrap()[0].allowed);
    let tested = here.app.remote_test(RemoteRef { name: "elsewhere".into() }).await;
    assert_eq!(tested.unwrap_err().code, Code::NoCloud);
    let remote = RemoteRef { name: "elsewhere".into() };
    assert_eq!(here.app.remote_checkpoints(remote).await.unwrap_err().code, Code::NoCloud);

    // Plain text never leaves, and what a project says holds for it.
    set(|_| ()).await;
    let plain = RemotePlace::Azure {
        endpoint: "http://192.0.2.1:10000".into(),
        account: "ada".into(),
        container: "c".into(),
        prefix: String::new(),
    };
    let mut insecure = joining(plain, PASSPHRASE);
    (insecure.name, insecure.credentials) = ("plain".into(), Some(secret("a2V5a2V5")));
    assert_eq!(here.app.remote_add(insecure).await.unwrap_err().code, Code::ProviderInsecure);
    let reach = ReachProject { id: project, this_computer_only: true };
    here.app.project_reach(reach).await.unwrap();
    assert_eq!(push(&here.app, project).await.known, 2);

    let request = ListEgress { before: None, limit: 100, away_only: false };
    assert_eq!(here.app.egress_list(request).await.unwrap(), []);
}

/// behaviour.md, Checkpoints: 분산 체크포인트, 클라우드 저장 및 동기화. By rule, and with what another computer went on with shown.
#[tokio::test]
async fn checkpoints_go_by_rule_and_both_that_went_on_are_shown() {
    let place = TempDir::new().unwrap();
    let (here, project, conversation, _) = worked().await;
    here.app.remote_add(joining(folder(place.path()), PASSPHRASE)).await.unwrap();
    let rule = |app: App, sync: SyncRule| async move {
        app.remote_sync(SetSync { name: "elsewhere".into(), sync }).await.unwrap()
    };
    let sent = async |app: &App| {
        app.syncs_settled().await;
        app.remote_checkpoints(RemoteRef { name: "elsewhere".into() }).await.unwrap().len()
    };
    write(&here.project, "a.txt", "by hand");
    create(&here.app, project, Some(conversation), None).await;
    assert_eq!(sent(&here.app).await, 0);

    rule(here.app.clone(), SyncRule::AfterEach).await;
    write(&here.project, "a.txt", "after each");
    create(&here.app, project, Some(conversation), None).await;
    assert_eq!(sent(&here.app).await, 4);
    rule(here.app.clone(), SyncRule::OnClose).await;
    write(&here.project, "a.txt", "on close");
    create(&here.app, project, Some(conversation), None).await;
    assert_eq!(sent(&here.app).await, 4);
    here.app.leave_sessions().await;
    assert_eq!(sent(&here.app).await, 5);

    // Another computer takes it up, and both go on.
    let (there, theirs, _empty) = elsewhere().await;
    there.app.remote_add(joining(folder(place.path()), PASSPHRASE)).await.unwrap();
    assert_eq!(pull(&there.app, theirs).await.done.len(), 5);
    rule(there.app.clone(), SyncRule::AfterEach).await;
    rule(here.app.clone(), SyncRule::AfterEach).await;
    write(&there.project, "b.txt", "there");
    create(&there.app, theirs, None, None).await;
    assert_eq!(sent(&there.app).await, 6);
    write(&here.project, "b.txt", "here");
    create(&here.app, project, Some(conversation), None).await;
    assert_eq!(sent(&here.app).await, 7);
    let synced = here.app.remote_list(()).await.unwrap().remove(0).synced.remove(0).synced;
    assert_eq!((synced.waiting, synced.conflicts.len(), synced.failed), (1, 1, None));
    assert_eq!(pull(&here.app, project).await.done.len(), 1);

    // What keeps it from going is said, and is in nobody's way.
    let mut settings = here.app.settings_get(()).await.unwrap();
    settings.privacy.local_only = true;
    here.app.settings_set(settings).await.unwrap();
    write(&here.project, "b.txt", "gone");
    create(&here.app, project, Some(conversation), None).await;
    here.app.syncs_settled().await;
    let synced = here.app.remote_list(()).await.unwrap().remove(0).synced.remove(0).synced;
    assert!(synced.failed.is_some(), "{synced:?}");
}
