//! How a package gets to the program's place: by the system's own programs, or as one file.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rstest::rstest;
use siltstone_engine::update::{Installed, InstalledAs, UpdateError, Updates};
use siltstone_test_servers::packages::{Answer, FEED, Maker};
use siltstone_updates::Place;
use tempfile::TempDir;

use super::{Copy, OLD};

/// A package of Debian's kind that says so of itself.
fn deb(name: &str, version: &str) -> Vec<u8> {
    let dir = TempDir::new().unwrap();
    let tree = dir.path().join("tree");
    fs::create_dir_all(tree.join("DEBIAN")).unwrap();
    let control = format!(
        "Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Nobody <nobody@example.invalid>\nDescription: For a test\n"
    );
    fs::write(tree.join("DEBIAN/control"), control).unwrap();
    let file = dir.path().join("it.deb");
    let built = Command::new("dpkg-deb").arg("--build").arg(&tree).arg(&file).output().unwrap();
    assert!(built.status.success(), "{built:?}");
    fs::read(file).unwrap()
}

/// In the place of the program that asks for a password: notes what it was to run, and ends so.
fn asking(dir: &Path, ends: i32) -> PathBuf {
    let script = dir.join("asks");
    let noted = dir.join("ran");
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >'{}'\necho 'it says no' >&2\nexit {ends}\n",
        noted.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

/// A copy as which something was fetched.
async fn fetched(installed: InstalledAs, asks: Option<PathBuf>, bytes: &[u8]) -> (Maker, Copy) {
    let maker = Maker::start().unwrap();
    let copy = Copy::placed(installed, asks);
    maker.name_in(&copy.named()).unwrap();
    let kind = if installed == InstalledAs::Deb { "deb" } else { "rpm" };
    maker.publish("0.2.0", kind, &format!("Siltstone_0.2.0.{kind}"), bytes).unwrap();
    copy.look().await.unwrap();
    copy.get().await.unwrap();
    (maker, copy)
}

#[rstest]
#[case(InstalledAs::Deb, "/usr/bin/dpkg\n-i\n")]
#[case(InstalledAs::Rpm, "/usr/bin/rpm\n-U\n")]
#[tokio::test]
async fn the_systems_program_is_run_as_root_after_a_question(
    #[case] installed: InstalledAs,
    #[case] by: &str,
) {
    let dir = TempDir::new().unwrap();
    let asks = asking(dir.path(), 0);
    let (_maker, copy) = fetched(installed, Some(asks), &deb("siltstone", "0.2.0")).await;
    let package = copy.packages.kept().unwrap().unwrap().package.unwrap();
    assert_eq!(copy.install(), Ok(Installed::Done));
    assert_eq!(fs::read_to_string(dir.path().join("ran")).unwrap(), format!("{by}{package}\n"));
}

#[tokio::test]
async fn where_nothing_asks_the_command_is_shown() {
    let dir = TempDir::new().unwrap();
    for asks in [None, Some(asking(dir.path(), 127))] {
        let (_maker, copy) = fetched(InstalledAs::Rpm, asks, b"any").await;
        let package = copy.packages.kept().unwrap().unwrap().package.unwrap();
        let command = format!("sudo /usr/bin/rpm -U {package}");
        assert_eq!(copy.install(), Ok(Installed::ByCommand { command }));
        assert!(Path::new(&package).exists(), "it is there for the command");
    }
}

#[tokio::test]
async fn what_the_system_refuses_is_said() {
    let dir = TempDir::new().unwrap();
    for (ends, why) in [(126, "the password was not given"), (1, "it says no")] {
        let asks = asking(dir.path(), ends);
        let (_maker, copy) = fetched(InstalledAs::Rpm, Some(asks), b"any").await;
        let refused = copy.install().unwrap_err();
        assert!(
            matches!(&refused, UpdateError::NotInstalled { detail } if detail.contains(why)),
            "{refused}"
        );
        assert!(copy.packages.kept().unwrap().unwrap().package.is_some());
    }
}

#[rstest]
#[case(deb("siltstone", "0.1.9"), "what was signed is siltstone 0.1.9")]
#[case(deb("sandstone", "0.2.0"), "what was signed is sandstone 0.2.0")]
#[case(b"no package".to_vec(), "the system cannot read the package")]
#[tokio::test]
async fn a_deb_that_is_another_one_is_not_kept(#[case] bytes: Vec<u8>, #[case] why: &str) {
    let maker = Maker::start().unwrap();
    let copy = Copy::placed(InstalledAs::Deb, None);
    maker.name_in(&copy.named()).unwrap();
    maker.publish("0.2.0", "deb", "Siltstone_0.2.0_amd64.deb", &bytes).unwrap();
    let refused = copy.update().await.unwrap_err().to_string();
    assert!(refused.contains(why), "{refused}");
    assert_eq!(copy.files(), ["offer.json"]);
}

#[tokio::test]
async fn the_new_file_may_be_run_by_whom_the_old_one_was_read() {
    let maker = Maker::start().unwrap();
    let copy = Copy::of(&maker);
    let program = copy.dir.path().join("Siltstone.AppImage");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o640)).unwrap();
    maker.publish("0.2.0", "appimage", "Siltstone.AppImage", b"new").unwrap();
    assert_eq!(copy.update().await, Ok(Installed::Done));
    assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o750);
    // And again, with one from before.
    maker.publish("0.3.0", "appimage", "Siltstone.AppImage", b"newer").unwrap();
    assert_eq!(copy.update().await, Ok(Installed::Done));
    assert_eq!(copy.program(), b"newer");
    assert_eq!(fs::read(copy.dir.path().join("Siltstone.AppImage.previous")).unwrap(), b"new");
}

#[tokio::test]
async fn where_the_place_cannot_be_written_the_old_one_stays() {
    let maker = Maker::start().unwrap();
    let copy = Copy::of(&maker);
    maker.publish("0.2.0", "appimage", "Siltstone.AppImage", b"new").unwrap();
    copy.look().await.unwrap();
    copy.get().await.unwrap();
    // A folder in the way of what is written first, which holds for root as well.
    fs::create_dir(copy.dir.path().join("Siltstone.AppImage.part")).unwrap();
    assert!(matches!(copy.install(), Err(UpdateError::Io { .. })));
    assert_eq!(copy.program(), OLD);
}

/// A key that Debian's minisign made, and what it signed with it as `scripts/sign.sh` asks for it.
const MADE_KEY: &str = "dW50cnVzdGVkIGNvbW1lbnQ6IG1pbmlzaWduIHB1YmxpYyBrZXkgQkJERDg3OEJGM0ZENzJENQpSV1RW\
     Y3Yzemk0ZmR1eDR3enhjZXpuUVY1c1ZqdTlFU0FQN2hvNlRRbHdyZ200K2VscXpCMHo1eAo=";
const MADE_SIGNATURE: &str = "dW50cnVzdGVkIGNvbW1lbnQ6IFNpbHRzdG9uZSAwLjIuMApSVVRWY3Yzemk0ZmR1OXlWY0JEVUtId3R4\
     SVpyU2w0U1B2bXU5eDFEOFBPMGg4RVBnVTBCdDZjWXFyZ21HSnNUV0tXcFpNNTdUaG05U3krdDVwOWs3\
     YlBlNzQ1U1IxSk5GQUE9CnRydXN0ZWQgY29tbWVudDogdmVyc2lvbjowLjIuMCBmaWxlOlNpbHRzdG9u\
     ZS0wLjIuMC0xLng4Nl82NC5ycG0KeGYrZkdCd2VGam5rSUhKeXpCQ010dVgzd0xsdm1xcG9taWhXb0FT\
     alF4T2NoY2JOMUluRk84RHZiL24vWmRwdFplNkRSa2lFbkEvZDVub09YcmxxRGc9PQo=";

#[tokio::test]
async fn what_the_program_minisign_signs_is_taken() {
    let maker = Maker::start().unwrap();
    let copy = Copy::placed(InstalledAs::Rpm, None);
    let feed = format!("{}{FEED}", maker.address());
    let named = serde_json::json!({"feed": feed, "key": MADE_KEY});
    fs::write(copy.named(), named.to_string()).unwrap();
    let file = "Siltstone-0.2.0-1.x86_64.rpm";
    maker.put(&format!("/{file}"), Answer::Whole(b"a package".to_vec()));
    maker.offer("0.2.0", "rpm", file, MADE_SIGNATURE, Some(9));
    assert!(matches!(copy.update().await, Ok(Installed::ByCommand { .. })));
}

#[test]
fn this_program_was_installed_by_nobody() {
    assert_eq!(Place::of_system().installed, InstalledAs::ByHand);
}
