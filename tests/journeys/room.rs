//! Checkpoints while the disk is nearly full: those that nobody asked for wait, and nothing else does.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use siltstone_app::World;
use siltstone_contract::{CheckpointList, ListCheckpoints, OpenProject, Topic};
use siltstone_engine::checkpoint::CheckpointReason;
use siltstone_engine::message::MessageStatus;
use siltstone_engine::project::Trust;
use siltstone_providers::Connections;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;

use crate::ahead::Ahead;
use crate::checkpoints::create;
use crate::remotes::restore;
use crate::trouble::Small;
use crate::world::{Journey, started, world, write};

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_nearly_full_stops_automatic_checkpoints_alone_and_only_so_long() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let data = journey.data.path();
    let folder = DataDir::new(data.to_path_buf(), Arc::new(Seals));
    let disk = Arc::new(Small { folder, low: AtomicBool::new(false) });
    let clock = Arc::new(Ahead::default());
    let offline = Connections::new().with_offline_pace(Duration::from_millis(1));
    let world = world(data, Arc::new(offline), Arc::default());
    let app = started(World { data: disk.clone(), clock: clock.clone(), ..world }, data);
    let path = journey.project.path().display().to_string();
    app.project_open(OpenProject { path, trust: None, this_computer_only: None, seen: Vec::new() })
        .await
        .unwrap();
    let watching = tokio::spawn(app.watch_other_processes());
    let list = || async {
        let request = ListCheckpoints { project_id: project, before: None, limit: 100 };
        app.checkpoint_list(request).await.unwrap()
    };
    // The paused time goes on only while nothing is captured.
    let half_an_hour_later = || async {
        clock.0.fetch_add(31, SeqCst);
        tokio::time::sleep(Duration::from_secs(130)).await;
        list().await
    };
    let reasons = |list: &CheckpointList| -> Vec<CheckpointReason> {
        list.items.iter().map(|item| item.reason.clone()).collect()
    };
    let first = half_an_hour_later().await;
    assert_eq!((reasons(&first), first.disk_low), (vec![CheckpointReason::Interval], false));

    disk.low.store(true, SeqCst);
    write(&journey.project, "docs/setup.md", "written while there is no room\n");
    let mut changes = app.subscribe();
    let low = half_an_hour_later().await;
    assert_eq!((reasons(&low), low.disk_low), (vec![CheckpointReason::Interval], true));
    let mut told = false;
    while let Ok(news) = changes.try_recv() {
        told |= news.topics.contains(&Topic::Checkpoints);
    }
    assert!(told, "the notice comes by itself");

    let journey = Journey { app: app.clone(), ..journey };
    let conversation = journey.conversation(Some(project)).await;
    let reply = journey.ask(conversation, "Which port?").await;
    assert_eq!(reply.status, MessageStatus::Complete);
    create(&app, project, Some(conversation), None).await;
    restore(&app, first.items[0].id).await;
    let text = fs::read_to_string(journey.project.path().join("docs/setup.md")).unwrap();
    assert!(text.contains("port 5433"), "{text}");
    let of = first.items[0].id;
    let by_hand = [CheckpointReason::BeforeRestore { of }, CheckpointReason::Manual];
    let both = [&by_hand[..], &[CheckpointReason::Interval]].concat();
    assert_eq!(reasons(&half_an_hour_later().await), both);

    disk.low.store(false, SeqCst);
    let again = half_an_hour_later().await;
    assert_eq!((again.items[0].reason.clone(), again.items.len()), (CheckpointReason::Interval, 4));
    assert!(!again.disk_low);
    watching.abort();
}
