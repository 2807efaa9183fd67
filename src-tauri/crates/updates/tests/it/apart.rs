//! What ends a process, or takes the room from one: a download in a process of its own, which is this program again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use siltstone_engine::ports::Access;
use siltstone_engine::settings::Network;
use siltstone_engine::update::{Installed, InstalledAs, Updates};
use siltstone_test_servers::noted::Noted;
use siltstone_test_servers::packages::{Answer, Maker};
use siltstone_test_servers::until::until;
use siltstone_updates::Place;

use super::{Copy, FILE, OLD, new_program, packages_at};

/// What is said where there is no room.
#[cfg(unix)]
const FULL: &str = "no room for the download: it needs 1200000 bytes";

/// Tells the process of its own where it works.
const AT: &str = "SILTSTONE_UPDATES_TEST";

/// What it does there: fetches, and writes down how that ended.
#[tokio::test]
async fn a_process_of_its_own() {
    let Some(dir) = env::var_os(AT).map(PathBuf::from) else { return };
    let program = dir.join("Siltstone.AppImage");
    let installed = InstalledAs::Appimage;
    let packages = packages_at(&dir, Place { installed, program, asks: None });
    let log: Arc<Noted> = Arc::default();
    let (network, outbox) = (Network::default(), log.outbox());
    let access = Access { key: None, this_computer_only: false, network, outbox };
    let kept = packages.kept().unwrap().unwrap();
    let signer = packages.signer().unwrap();
    let got = packages.fetch(&signer, &kept.offer, access, &|_, _| {}).await;
    let said = got.map_or_else(|error| error.to_string(), |()| "done".to_owned());
    fs::write(dir.join("said"), said).unwrap();
}

/// This program with that test alone, begun by other words.
fn child(by: &[&str], dir: &Path) -> Command {
    let this = env::current_exe().unwrap();
    let mut command = match by {
        [] => Command::new(&this),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(&this);
            command
        }
    };
    command.args(["--exact", "it::apart::a_process_of_its_own", "--quiet"]);
    command.env(AT, dir).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

#[tokio::test]
async fn killed_in_the_middle_the_next_look_cleans_up_and_works() {
    let maker = Maker::start().unwrap();
    let bytes = new_program();
    maker.publish("0.2.0", "appimage", FILE, &bytes).unwrap();
    maker.put(&format!("/{FILE}"), Answer::Trickle(bytes[..500_000].to_vec(), bytes.len()));
    let copy = Copy::of(&maker);
    copy.look().await.unwrap();
    let mut child = child(&[], copy.dir.path()).spawn().unwrap();
    let part = copy.dir.path().join("updates").join(format!("{FILE}.part"));
    let is_begun = async || fs::metadata(&part).is_ok_and(|it| it.len() == 500_000);
    until("a part of the package", is_begun).await;
    // On Unix with SIGKILL: it cleans nothing up.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(part.exists());
    assert!(!copy.dir.path().join("said").exists());
    assert_eq!(copy.program(), OLD);
    assert_eq!(copy.packages.kept().unwrap().unwrap().package, None);

    copy.look().await.unwrap();
    assert_eq!(copy.files(), ["offer.json"]);
    maker.put(&format!("/{FILE}"), Answer::Whole(bytes.clone()));
    assert_eq!(copy.update().await, Ok(Installed::Done));
    assert_eq!(copy.program(), bytes);
}

/// Fetches where there is no room, and says how that ended.
#[cfg(unix)]
async fn without_room(by: impl FnOnce(&Path) -> Vec<String>) -> (Copy, String) {
    let maker = Maker::start().unwrap();
    maker.publish("0.2.0", "appimage", FILE, &new_program()).unwrap();
    let copy = Copy::of(&maker);
    copy.look().await.unwrap();
    let by = by(&copy.dir.path().join("updates"));
    let by: Vec<&str> = by.iter().map(String::as_str).collect();
    assert!(child(&by, copy.dir.path()).status().unwrap().success());
    let said = fs::read_to_string(copy.dir.path().join("said")).unwrap();
    (copy, said)
}

#[cfg(unix)]
#[tokio::test]
async fn where_no_file_may_be_as_long_it_says_how_much_is_needed() {
    // No file of more than 128 KiB, and an error instead of a signal.
    let limit = r#"trap "" XFSZ; ulimit -f 256; exec "$@""#;
    let (copy, said) =
        without_room(|_| ["sh", "-c", limit, "sh"].map(str::to_owned).to_vec()).await;
    assert_eq!(said, FULL);
    assert_eq!(copy.files(), ["offer.json"]);
    assert_eq!(copy.program(), OLD);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn on_a_full_disk_it_says_how_much_is_needed() {
    let own = ["unshare", "--user", "--map-root-user", "--mount"];
    let may = Command::new(own[0]).args(&own[1..]).arg("true").stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        // A system that lets nobody mount; the limit above is what is left there.
        return;
    }
    let (copy, said) = without_room(|folder| {
        // The offer goes along onto the small disk, which nobody else sees.
        let mount = format!(
            r#"cp "{0}/offer.json" "{0}/../held" && mount -t tmpfs -o size=128k none "{0}" && cp "{0}/../held" "{0}/offer.json" && exec "$@""#,
            folder.display()
        );
        let words = own.map(str::to_owned);
        words.into_iter().chain(["sh", "-c", &mount, "sh"].map(str::to_owned)).collect()
    })
    .await;
    assert_eq!(said, FULL);
    assert_eq!(copy.files(), ["offer.json"]);
    assert_eq!(copy.program(), OLD);
}
