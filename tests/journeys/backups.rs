//! Backups made by the running program on a stepped clock, and gone back to while it runs (safety.md, R24).

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use siltstone_app::{App, World};
use siltstone_contract::{Code, ConversationRef, RestoreBackup};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Backup, BackupKind, Going, Holds};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::Clock;
use siltstone_storage::Store;
use tempfile::TempDir;

use crate::kept::Kept;
use crate::scripted::{Scripted, Step};
use crate::world::{Journey, Stepped, app_on, started, world};

const DAY: i64 = 24 * 60 * 60;

async fn of_kind(app: &App, kind: BackupKind) -> Vec<Backup> {
    let all = app.backup_list(()).await.unwrap();
    all.into_iter().filter(|backup| backup.kind == kind).collect()
}

async fn exists(app: &App, id: ConversationId) -> bool {
    app.conversation_get(ConversationRef { id }).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_program_that_stays_open_makes_one_a_day() {
    let (data, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let clock = Arc::new(Stepped::default());
    let model = Scripted::new([vec![Step::Say("yes"), Step::Finish]]);
    let surroundings = world(data.path(), Arc::new(model), Arc::new(Kept::default()));
    let app = started(World { clock: clock.clone(), ..surroundings }, data.path());
    let journey = Journey { app, data, project };
    let id = journey.conversation(None).await;
    journey.ask(id, "Is this kept?").await;
    let watch = tokio::spawn(journey.app.watch_other_processes());
    for day in 0..4 {
        clock.0.store(day * DAY, SeqCst);
        // The pauses of the program pass by themselves while everybody waits.
        for round in 0.. {
            let daily = of_kind(&journey.app, BackupKind::Daily).await;
            if daily.first().is_some_and(|it| it.made_at == clock.now()) {
                break;
            }
            assert!(round < 100, "no backup on day {day}");
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
    }
    let kept = of_kind(&journey.app, BackupKind::Daily).await;
    assert_eq!(kept.len(), 4);
    assert_eq!(kept[0].holds, Some(Holds { conversations: 1, messages: 2 }));
    watch.abort();
}

#[tokio::test]
async fn going_back_while_the_program_runs_keeps_what_was_there_and_can_be_undone() {
    let says = || vec![Step::Say("noted"), Step::Finish];
    let journey = Journey::with(Arc::new(Scripted::new((0..6).map(|_| says()))));
    let app = &journey.app;
    let first = journey.conversation(None).await;
    journey.ask(first, "The first question").await;
    let made = app.backup_create(()).await.unwrap();
    assert_eq!(made.kind, BackupKind::Asked);
    assert_eq!(made.holds, Some(Holds { conversations: 1, messages: 2 }));
    let second = journey.conversation(None).await;
    journey.ask(second, "A second conversation").await;
    journey.ask(first, "One more").await;

    let name = || RestoreBackup { name: made.name.clone() };
    let plan = app.backup_plan(name()).await.unwrap();
    assert_eq!(plan.present, Some(Holds { conversations: 2, messages: 6 }));
    let going = |title: &str, messages, then| Going { title: title.into(), messages, then };
    let expected =
        [going("A second conversation", 2, None), going("The first question", 4, Some(2))];
    assert_eq!((plan.going, plan.going_count, plan.back_count), (expected.into(), 2, 0));

    app.backup_restore(name()).await.unwrap();
    assert_eq!(journey.said(first).await, ["The first question", "noted"]);
    assert!(!exists(app, second).await);
    // It goes on from there, and what it says is durable.
    journey.ask(first, "From here on").await;
    let kept = of_kind(app, BackupKind::Restore).await.remove(0);
    assert_eq!(kept.holds, Some(Holds { conversations: 2, messages: 6 }));
    app.backup_restore(RestoreBackup { name: kept.name }).await.unwrap();
    assert_eq!(journey.said(first).await.len(), 4);
    assert!(exists(app, second).await);
    assert!(!journey.said(first).await.contains(&"From here on".to_owned()));
    let unknown = RestoreBackup { name: "../siltstone.db".into() };
    assert_eq!(app.backup_restore(unknown).await.unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn nothing_is_replaced_under_a_reply_or_another_process() {
    let hold = vec![Step::Say("slow"), Step::Hang];
    let journey = Journey::with(Arc::new(Scripted::new([hold])));
    let id = journey.conversation(None).await;
    let name = journey.app.backup_create(()).await.unwrap().name;
    journey.send(id, "Take your time").await;
    let refused = journey.app.backup_restore(RestoreBackup { name: name.clone() }).await;
    assert_eq!(refused.unwrap_err().code, Code::Conflict);
    journey.app.stop(ConversationRef { id }).await.unwrap();
    journey.settled(id).await;
    let said = journey.said(id).await;

    let other = Store::open(journey.data.path(), Timestamp::now()).unwrap();
    let refused = journey.app.backup_restore(RestoreBackup { name: name.clone() }).await;
    assert_eq!(refused.unwrap_err().code, Code::Busy);
    assert_eq!(journey.said(id).await, said);
    drop(other);
    journey.app.backup_restore(RestoreBackup { name }).await.unwrap();
    assert!(journey.said(id).await.is_empty());
}

#[tokio::test]
async fn a_backup_that_is_no_database_is_listed_as_such_and_refused() {
    let journey = Journey::offline();
    let id = journey.conversation(None).await;
    journey.ask(id, "Is anything lost?").await;
    let name = "siltstone-daily-2026-01-01T00-00-00Z.db";
    journey.app.backup_create(()).await.unwrap();
    std::fs::write(journey.data.path().join("backups").join(name), "nothing").unwrap();
    let broken = journey.app.backup_list(()).await.unwrap().pop().unwrap();
    assert_eq!((broken.name.as_str(), broken.holds), (name, None));
    let name = || RestoreBackup { name: name.into() };
    assert_eq!(journey.app.backup_plan(name()).await.unwrap_err().code, Code::Damaged);
    assert_eq!(journey.app.backup_restore(name()).await.unwrap_err().code, Code::Damaged);
    assert_eq!(journey.said(id).await.len(), 2);
    let reopened = app_on(journey.data.path(), Arc::new(Scripted::default()));
    assert!(exists(&reopened, id).await);
}
