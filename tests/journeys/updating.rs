//! A newer version, from the question whether there is one to the program's place: asked by the person alone, shown before
//! it is fetched, and written down before it leaves.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use siltstone_app::{App, Options, World};
use siltstone_contract::{CancelUpdate, Code, GetUpdate, InstallUpdate, ListEgress, UpdateEvent};
use siltstone_engine::egress::EgressItem;
use siltstone_engine::update::{Installed, InstalledAs};
use siltstone_providers::Connections;
use siltstone_test_servers::packages::{Answer, FEED, Maker};
use siltstone_test_servers::until::until;
use siltstone_updates::{Packages, Place};
use tempfile::TempDir;

use crate::kept::Kept;
use crate::world::world;

const FILE: &str = "Siltstone_0.2.0_amd64.AppImage";
const OLD: &[u8] = b"the program as it is";
const NEW: &[u8] = b"the program as it will be";

/// A copy of version 0.1.0 whose updates a maker signs.
struct Copy {
    dir: TempDir,
    app: App,
}

fn copy(named: impl FnOnce(&Path)) -> Copy {
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("data");
    let program = dir.path().join("Siltstone.AppImage");
    std::fs::write(&program, OLD).unwrap();
    let file = dir.path().join("named.json");
    named(&file);
    let place = Place { installed: InstalledAs::Appimage, program, asks: None };
    let gate = Arc::new(Connections::new());
    let updates = Packages::new(gate.clone(), data.join("updates"), Some(file));
    let updates = Arc::new(updates.installed_at(place));
    let world = World { updates, ..world(&data, gate, Arc::new(Kept::default())) };
    let options = Options {
        data_dir: data,
        system_language: "en".into(),
        start_path: None,
        working_directory: None,
        version: "0.1.0".into(),
    };
    Copy { app: App::start(world, options), dir }
}

impl Copy {
    fn program(&self) -> Vec<u8> {
        std::fs::read(self.dir.path().join("Siltstone.AppImage")).unwrap()
    }

    fn part(&self) -> PathBuf {
        self.dir.path().join("data/updates").join(format!("{FILE}.part"))
    }

    async fn left(&self) -> Vec<EgressItem> {
        let request = ListEgress { before: None, limit: 10, away_only: false };
        self.app.egress_list(request).await.unwrap()
    }
}

fn get(version: &str) -> GetUpdate {
    GetUpdate { version: version.into(), work_id: "one".into() }
}

#[tokio::test]
async fn a_newer_version_is_asked_for_shown_fetched_and_installed_step_by_step() {
    let maker = Maker::start().unwrap();
    maker.publish("0.2.0", "appimage", FILE, NEW).unwrap();
    let copy = copy(|file| maker.name_in(file).unwrap());
    let app = &copy.app;

    let state = app.update_status(()).await.unwrap();
    assert_eq!(state.feed, Some(format!("{}{FEED}", maker.address())));
    assert_eq!((state.installed_as, state.update), (InstalledAs::Appimage, None));
    let too_early = app.update_get(get("0.2.0"), Arc::new(|_| {})).await.unwrap_err();
    assert_eq!(too_early.code, Code::Conflict);
    assert!(maker.asked().is_empty(), "nobody asked for it");
    assert!(copy.left().await.is_empty());

    let looked = app.update_look(()).await.unwrap();
    let update = looked.state.update.unwrap();
    assert_eq!(update.url, format!("{}/{FILE}", maker.address()));
    assert_eq!((update.version.as_str(), update.size), ("0.2.0", Some(NEW.len() as u64)));
    assert_eq!(maker.asked(), [FEED]);
    let install = InstallUpdate { version: "0.2.0".into() };
    assert_eq!(app.update_install(install.clone()).await.unwrap_err().code, Code::Conflict);

    let events: Arc<Mutex<Vec<UpdateEvent>>> = Arc::default();
    let into = events.clone();
    let sink = Arc::new(move |event| into.lock().unwrap().push(event));
    let state = app.update_get(get("0.2.0"), sink).await.unwrap();
    assert!(state.fetched);
    let last = events.lock().unwrap().last().copied().unwrap();
    assert_eq!((last.bytes, last.of), (NEW.len() as u64, Some(NEW.len() as u64)));
    assert_eq!(copy.program(), OLD);
    // What is here is not fetched again.
    app.update_get(get("0.2.0"), Arc::new(|_| {})).await.unwrap();
    assert_eq!(maker.asked(), [FEED, &format!("/{FILE}")]);

    assert_eq!(app.update_install(install).await.unwrap(), Installed::Done);
    assert_eq!(copy.program(), NEW);
    let state = app.update_status(()).await.unwrap();
    assert_eq!((state.update, state.fetched), (None, false));
    let left = copy.left().await;
    let said: Vec<_> =
        left.iter().map(|it| (it.provider.as_str(), it.method.as_str(), it.url.as_str())).collect();
    let (feed, package) =
        (format!("{}{FEED}", maker.address()), format!("{}/{FILE}", maker.address()));
    assert_eq!(said, [("updates", "GET", package.as_str()), ("updates", "GET", feed.as_str())]);
    assert!(left.iter().all(|it| it.answer.as_deref() == Some("200") && it.size == 0));
}

#[tokio::test]
async fn what_leaves_is_written_down_before_it_does() {
    let maker = Maker::start().unwrap();
    maker.put(FEED, Answer::Trickle(Vec::new(), 10));
    let copy = copy(|file| maker.name_in(file).unwrap());
    let noted = async {
        until("the question", async || !maker.asked().is_empty()).await;
        copy.left().await
    };
    let left = tokio::select! {
        looked = copy.app.update_look(()) => panic!("{looked:?}"),
        left = noted => left,
    };
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].url, format!("{}{FEED}", maker.address()));
}

#[tokio::test]
async fn with_this_computer_only_nobody_elsewhere_is_asked() {
    let maker = Maker::start().unwrap();
    let key = maker.key().unwrap();
    let copy = copy(|file| {
        let named = format!(r#"{{"feed": "https://updates.example/feed.json", "key": "{key}"}}"#);
        std::fs::write(file, named).unwrap();
    });
    let mut settings = copy.app.settings_get(()).await.unwrap();
    settings.this_computer_only = true;
    copy.app.settings_set(settings).await.unwrap();
    let refused = copy.app.update_look(()).await.unwrap_err();
    assert_eq!(refused.code, Code::ProviderNotLocal);
    assert!(copy.left().await.is_empty());
    assert_eq!(copy.program(), OLD);
}

#[tokio::test]
async fn a_download_is_cancelled_and_done_anew() {
    let maker = Maker::start().unwrap();
    maker.publish("0.2.0", "appimage", FILE, NEW).unwrap();
    let package = format!("/{FILE}");
    maker.put(&package, Answer::Trickle(NEW[..4].to_vec(), NEW.len()));
    let copy = copy(|file| maker.name_in(file).unwrap());
    copy.app.update_look(()).await.unwrap();
    let cancelling = async {
        until("a part", async || copy.part().exists()).await;
        copy.app.update_cancel(CancelUpdate { work_id: "one".into() }).await.unwrap();
    };
    let (got, ()) = tokio::join!(copy.app.update_get(get("0.2.0"), Arc::new(|_| {})), cancelling);
    assert_eq!(got.unwrap_err().code, Code::Cancelled);
    assert!(!copy.part().exists());
    maker.put(&package, Answer::Whole(NEW.to_vec()));
    assert!(copy.app.update_get(get("0.2.0"), Arc::new(|_| {})).await.unwrap().fetched);
}

#[tokio::test]
async fn why_it_stays_is_a_code_of_its_own() {
    let maker = Maker::start().unwrap();
    let package = format!("/{FILE}");
    let copy = copy(|file| maker.name_in(file).unwrap());
    let app = &copy.app;
    assert_eq!(app.update_look(()).await.unwrap_err().code, Code::UpdateUnreachable);
    maker.put(FEED, Answer::Elsewhere("https://other.example/".into()));
    assert_eq!(app.update_look(()).await.unwrap_err().code, Code::UpdateRedirected);
    maker.put(FEED, Answer::Whole(b"[]".to_vec()));
    assert_eq!(app.update_look(()).await.unwrap_err().code, Code::UpdateUnusable);
    maker.publish("0.0.9", "appimage", FILE, NEW).unwrap();
    let looked = app.update_look(()).await.unwrap();
    assert_eq!((looked.offered.as_str(), looked.state.update), ("0.0.9", None));

    maker.publish("0.2.0", "appimage", FILE, NEW).unwrap();
    app.update_look(()).await.unwrap();
    let code = async || app.update_get(get("0.2.0"), Arc::new(|_| {})).await.unwrap_err().code;
    maker.put(&package, Answer::Cut(NEW[..4].to_vec(), NEW.len()));
    assert_eq!(code().await, Code::UpdateCut);
    maker.put(&package, Answer::Whole(NEW.iter().rev().copied().collect()));
    assert_eq!(code().await, Code::UpdateUnsigned);
    let signature = maker.sign(NEW, &format!("version:0.1.5 file:{FILE}")).unwrap();
    maker.offer("0.2.0", "appimage", FILE, &signature, None);
    app.update_look(()).await.unwrap();
    assert_eq!(code().await, Code::UpdateReplayed);
    let size = Some(siltstone_engine::update::PACKAGE_BYTES);
    maker.offer("0.2.0", "appimage", FILE, &signature, size);
    app.update_look(()).await.unwrap();
    let space = {
        let refused = app.update_get(get("0.2.0"), Arc::new(|_| {})).await.unwrap_err();
        (refused.code, refused.message)
    };
    // Where the disk has room for a gigabyte, the signature is what is wrong.
    assert!(matches!(space.0, Code::UpdateReplayed | Code::DiskFull), "{space:?}");
    assert_eq!(copy.program(), OLD);
}

#[tokio::test]
async fn a_copy_that_names_nobody_offers_nothing() {
    let copy = copy(|_| {});
    let state = copy.app.update_status(()).await.unwrap();
    assert_eq!((state.feed, state.update), (None, None));
    assert_eq!(copy.app.update_look(()).await.unwrap_err().code, Code::UpdateAbsent);
    assert!(copy.left().await.is_empty());
}
