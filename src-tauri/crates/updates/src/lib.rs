//! Newer versions of the program: fetched through the one gate, verified while they come, kept, and put in the program's
//! place.
//!
//! Implements the engine's port [`Updates`]; the hosts make one [`Packages`] and hand it to the use cases, which ask it only
//! when the person does. Every request leaves through the engine's [`Web`], so that the one gate decides, writes down and
//! sends; it follows no redirect, and neither does this. A package is written beside its place, verified with the key that
//! came with the program, and has its name only then; what is cut off in between is removed at the next look. Deliberately
//! absent: asking by itself, and any way to say another key.

#![deny(missing_docs)]

mod folder;
mod place;
mod proof;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_updates;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use futures_util::StreamExt;
use siltstone_engine::checkpoint::remote::{Web, WebRequest, WebStream};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::update::{
    self, FEED_BYTES, Fetching, Installed, InstalledAs, Kept, Offer, OnBytes, PACKAGE_BYTES,
    Signer, UpdateError, Updates,
};

use folder::Folder;
use proof::Proof;

pub use place::{Place, shipped};

/// Longest file that says who signs updates.
const SIGNER_BYTES: u64 = 64 * 1024;

/// Newer versions of one copy of the program.
pub struct Packages {
    web: Arc<dyn Web>,
    folder: Folder,
    named: Option<PathBuf>,
    place: OnceLock<Place>,
}

impl Packages {
    /// With the gate that requests leave through, the folder where packages are kept, and the file that came with the
    /// program and says who signs them, if one did.
    pub fn new(web: Arc<dyn Web>, folder: PathBuf, named: Option<PathBuf>) -> Self {
        Self { web, folder: Folder::at(folder), named, place: OnceLock::new() }
    }

    /// Installed so, whatever the system says of it.
    pub fn installed_at(self, place: Place) -> Self {
        Self { place: place.into(), ..self }
    }

    fn place(&self) -> &Place {
        self.place.get_or_init(Place::of_system)
    }

    async fn open(&self, url: &str, most: u64, access: Access) -> Result<WebStream, UpdateError> {
        let request = WebRequest {
            method: "GET".to_owned(),
            url: url.to_owned(),
            headers: Vec::new(),
            secret_header: String::new(),
            body: Vec::new(),
            keep: false,
            noted: true,
            most,
        };
        let answer = self.web.open(request, access).await?;
        let location = header(&answer, "location");
        match answer.status {
            200 => Ok(answer),
            300..400 if location.is_some() => Err(update::leads_to(url, location)),
            status => Err(UpdateError::Status { url: url.to_owned(), status }),
        }
    }
}

impl Updates for Packages {
    fn installed_as(&self) -> InstalledAs {
        self.place().installed
    }

    fn computer(&self) -> String {
        let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
        format!("{os}-{}", std::env::consts::ARCH)
    }

    fn signer(&self) -> Result<Signer, UpdateError> {
        let named = self.named.as_ref().ok_or(UpdateError::Unnamed)?;
        let said = match fs::metadata(named) {
            Ok(it) if it.len() > SIGNER_BYTES => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(_) => fs::read(named),
            Err(error) => Err(error),
        };
        let misnamed = |detail: String| UpdateError::Misnamed { detail };
        let said = said.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => UpdateError::Unnamed,
            _ => misnamed(error.to_string()),
        })?;
        let signer: Signer =
            serde_json::from_slice(&said).map_err(|error| misnamed(error.to_string()))?;
        proof::key(&signer.key).map_err(misnamed)?;
        update::feed_at(&signer)?;
        Ok(signer)
    }

    fn kept(&self) -> Result<Option<Kept>, UpdateError> {
        self.folder.kept()
    }

    fn keep(&self, offer: Option<&Offer>) -> Result<(), UpdateError> {
        self.folder.keep(offer)
    }

    fn feed<'a>(&'a self, signer: &'a Signer, access: Access) -> Fetching<'a, Vec<u8>> {
        Box::pin(async move {
            self.folder.sweep();
            let url = update::feed_at(signer)?;
            let mut answer = self.open(&url, FEED_BYTES, access).await?;
            let of = length(&answer);
            let mut feed = Vec::new();
            while let Some(piece) = answer.body.next().await {
                feed.extend_from_slice(
                    &piece.map_err(|error| broken(error, feed.len() as u64, of))?,
                );
            }
            Ok(feed)
        })
    }

    fn fetch<'a>(
        &'a self,
        signer: &'a Signer,
        offer: &'a Offer,
        access: Access,
        told: OnBytes<'a>,
    ) -> Fetching<'a, ()> {
        Box::pin(async move {
            let lock = self.folder.lock()?;
            let proof = Proof::of(signer, offer)?;
            // Nothing proves the comment yet. What it says wrongly is not worth a download.
            let mut running = proof.begin()?;
            let Offer { update, .. } = offer;
            let most = update.size.unwrap_or(PACKAGE_BYTES);
            let mut answer = self.open(&update.url, PACKAGE_BYTES, access).await?;
            let of = length(&answer);
            // Where the feed says a size, what comes has exactly that.
            if of.is_some_and(|of| of > most || update.size.is_some_and(|size| size != of)) {
                let detail = format!("a package of {} bytes", of.unwrap_or_default());
                return Err(UpdateError::Unusable { detail });
            }
            let of = of.or(update.size);
            let mut part = self.folder.part(&update.file, of.unwrap_or(0))?;
            told(0, of);
            while let Some(piece) = answer.body.next().await {
                let piece = piece.map_err(|error| broken(error, part.written(), of))?;
                if part.written() + piece.len() as u64 > of.unwrap_or(most) {
                    let detail = format!("more than {} bytes came", of.unwrap_or(most));
                    return Err(UpdateError::Unusable { detail });
                }
                running.update(&piece);
                // As small as what comes at once.
                part.write(&piece)?;
                told(part.written(), of);
            }
            if let Some(of) = of.filter(|of| *of != part.written()) {
                return Err(UpdateError::Cut { got: part.written(), of });
            }
            running.end()?;
            let update = update.clone();
            let installed = self.installed_as();
            let done = tokio::task::spawn_blocking(move || {
                part.press()?;
                place::says(part.path(), installed, &update)?;
                part.named()
            });
            let done = done.await.map_err(|error| UpdateError::Io { detail: error.to_string() })?;
            drop(lock);
            done
        })
    }

    fn install(
        &self,
        signer: &Signer,
        kept: &Kept,
        installed: InstalledAs,
    ) -> Result<Installed, UpdateError> {
        let _lock = self.folder.lock()?;
        let package = kept.package.as_deref().map(Path::new);
        let package = package.ok_or_else(|| UpdateError::Io {
            detail: "the package is not there any more".to_owned(),
        })?;
        // What was verified when it came may have been changed on the disk.
        Proof::of(signer, &kept.offer)?.whole(package)?;
        place::put(self.place(), installed, package)
    }
}

/// A header of an answer, if it is text.
fn header<'a>(answer: &'a WebStream, name: &str) -> Option<&'a str> {
    let (_, value) = answer.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(value).ok()
}

fn length(answer: &WebStream) -> Option<u64> {
    header(answer, "content-length")?.trim().parse().ok()
}

/// Why no more came, where it is known how much there should have been.
fn broken(error: ProviderError, got: u64, of: Option<u64>) -> UpdateError {
    match (error, of) {
        (ProviderError::Cut { .. }, Some(of)) if got < of => UpdateError::Cut { got, of },
        (ProviderError::Malformed { detail }, _) => UpdateError::Unusable { detail },
        (error, _) => UpdateError::Gate(error),
    }
}
