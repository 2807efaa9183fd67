//! Newer versions from outside: a server that has them, or does what it should not, and the program's place, which stays as it
//! is whenever something is wrong.

mod apart;
mod faults;
mod placing;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use siltstone_engine::ports::Access;
use siltstone_engine::settings::Network;
use siltstone_engine::update::{self, Installed, InstalledAs, Told, UpdateError, Updates};
use siltstone_providers::Connections;
use siltstone_test_servers::noted::Noted;
use siltstone_test_servers::packages::Maker;
use siltstone_updates::{Packages, Place};
use tempfile::TempDir;

/// What is installed.
const OLD: &[u8] = b"the program as it is";

/// The version that is installed.
const RUNNING: &str = "0.1.0";

const FILE: &str = "Siltstone_0.2.0_amd64.AppImage";

/// What is newer: more than a piece of the network.
fn new_program() -> Vec<u8> {
    (0..300_000_u32).flat_map(|number| number.to_le_bytes()).collect()
}

/// A copy of the program that is one file, in a folder of its own.
struct Copy {
    dir: TempDir,
    log: Arc<Noted>,
    packages: Packages,
}

impl Copy {
    /// One whose updates this maker signs.
    fn of(maker: &Maker) -> Self {
        let copy = Self::placed(InstalledAs::Appimage, None);
        maker.name_in(&copy.named()).unwrap();
        copy
    }

    /// One that was installed so.
    fn placed(installed: InstalledAs, asks: Option<PathBuf>) -> Self {
        let dir = TempDir::new().unwrap();
        let program = dir.path().join("Siltstone.AppImage");
        fs::write(&program, OLD).unwrap();
        let packages = packages_at(dir.path(), Place { installed, program, asks });
        Self { dir, log: Arc::default(), packages }
    }

    fn named(&self) -> PathBuf {
        self.dir.path().join("named.json")
    }

    fn access(&self) -> Access {
        Access {
            key: None,
            this_computer_only: false,
            network: Network::default(),
            outbox: self.log.outbox(),
        }
    }

    async fn look(&self) -> Result<Told, UpdateError> {
        let packages = &self.packages;
        let feed = packages.feed(&packages.signer()?, self.access()).await?;
        let told = update::told(&feed, RUNNING, &packages.computer(), packages.installed_as())?;
        packages.keep(told.newer.as_ref())?;
        Ok(told)
    }

    async fn get(&self) -> Result<(), UpdateError> {
        let kept = self.packages.kept()?.expect("something was offered");
        self.packages.fetch(&self.packages.signer()?, &kept.offer, self.access(), &|_, _| {}).await
    }

    fn install(&self) -> Result<Installed, UpdateError> {
        let kept = self.packages.kept()?.expect("something was offered");
        let packages = &self.packages;
        packages.install(&packages.signer()?, &kept, packages.installed_as())
    }

    /// All three.
    async fn update(&self) -> Result<Installed, UpdateError> {
        self.look().await?;
        self.get().await?;
        self.install()
    }

    fn program(&self) -> Vec<u8> {
        fs::read(self.dir.path().join("Siltstone.AppImage")).unwrap()
    }

    /// The files that are kept of updates.
    fn files(&self) -> Vec<String> {
        files_in(&self.dir.path().join("updates"))
    }
}

fn packages_at(dir: &Path, place: Place) -> Packages {
    let (folder, named) = (dir.join("updates"), dir.join("named.json"));
    Packages::new(Arc::new(Connections::new()), folder, Some(named)).installed_at(place)
}

fn files_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "lock")
        .collect();
    names.sort();
    names
}
