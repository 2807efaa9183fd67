//! Keeping what is new, understanding it, and looking whether it is all there.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read};
use std::sync::Arc;

use siltstone_contract::{
    Code, Failure, ScanVault, Topic, VaultEvent, VaultScanned, VaultVerified, VerifyVault,
};
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{FileRole, KeptFile, Looked, Place, SessionFacts, VaultPass};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{VaultService, add_up, of_store};
use crate::Sink;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::{blocking, locked};

/// Files after which somebody who watches is told how far it is.
const TELLS: u64 = 50;

impl VaultService {
    /// Keeps what is new in every folder that was agreed to. Cancelled, it keeps what it has and says so.
    pub async fn vault_scan(
        &self,
        request: ScanVault,
        sink: Sink<VaultEvent>,
    ) -> Result<VaultScanned, Failure> {
        let ScanVault { work_id, paths } = request;
        let this = self.clone();
        let places = blocking(move || this.places(&paths)).await??;
        let done = self.scanned(work_id, places, sink).await;
        self.core.changed([Topic::Vault]);
        done
    }

    /// The same at these places, everywhere where none are named, and nobody is told.
    pub(super) async fn scanned(
        &self,
        work_id: String,
        places: BTreeSet<Place>,
        sink: Sink<VaultEvent>,
    ) -> Result<VaultScanned, Failure> {
        let mut before = VaultScanned::default();
        let begun = loop {
            match self.begin() {
                Ok(begun) => break Arc::new(begun),
                // What that one had looked at before this was asked for is looked at again, which is quick.
                Err(other) => before = sum(before, self.beside(&work_id, other, &sink).await),
            }
            if before.cancelled {
                return Ok(before);
            }
        };
        let cancel = begun.cancel.clone();
        let scan = move |this: &Self, cancel: CancellationToken| {
            let told = begun.clone();
            let sink: Sink<VaultEvent> = Arc::new(move |event| {
                told.tell.send_modify(|(so_far, _)| *so_far = event);
                sink(event);
            });
            let done = this.scan(&places, &cancel, &sink)?;
            begun.tell.send_modify(|(_, end)| *end = Some(done.clone()));
            Ok(done)
        };
        Ok(sum(before, self.cancellable(work_id, cancel, scan).await?))
    }

    /// Begins a scan; the one that goes on already where there is one.
    fn begin(&self) -> Result<Begun, Running> {
        let mut running = locked(&self.running);
        if let Some(other) = &*running {
            return Err(other.clone());
        }
        let (tell, seen) = watch::channel(Seen::default());
        let cancel = CancellationToken::new();
        *running = Some(Running { cancel: cancel.clone(), seen });
        Ok(Begun { vault: self.clone(), cancel, tell })
    }

    /// Waits until no scan goes on in this program, and keeps others from beginning.
    pub(super) async fn alone(&self) -> Begun {
        loop {
            match self.begin() {
                Ok(begun) => return begun,
                Err(mut other) => while other.seen.changed().await.is_ok() {},
            }
        }
    }

    /// Watches another scan to its end, and cancels it where this one is cancelled. Nothing where that one failed.
    async fn beside(&self, id: &str, mut other: Running, sink: &Sink<VaultEvent>) -> VaultScanned {
        locked(&self.core.probes).insert(id.to_owned(), other.cancel);
        while other.seen.changed().await.is_ok() {
            sink(other.seen.borrow_and_update().0);
        }
        locked(&self.core.probes).remove(id);
        other.seen.borrow().1.clone().unwrap_or_default()
    }

    /// Reads every byte that is kept.
    pub async fn vault_verify(
        &self,
        request: VerifyVault,
        sink: Sink<VaultEvent>,
    ) -> Result<VaultVerified, Failure> {
        let verify = move |this: &Self, cancel: CancellationToken| {
            let store = this.store()?;
            let files = store.files().or_failure()?;
            let mut event = VaultEvent { files: 0, of: files.len() as u64, bytes: 0 };
            let mut told = 0;
            let faults = store.verify(&mut |bytes| {
                event.bytes += bytes;
                if event.bytes - told >= TELL_BYTES {
                    told = event.bytes;
                    sink(event);
                }
                !cancel.is_cancelled()
            });
            Ok(VaultVerified {
                files: event.of,
                versions: files.iter().map(|file| u64::from(file.versions)).sum(),
                faults: faults.map_err(of_store)?,
                bytes: event.bytes,
            })
        };
        self.cancellable(request.work_id, CancellationToken::new(), verify).await
    }

    /// The places that paths name in the folders that were agreed to.
    fn places(&self, paths: &[String]) -> Result<BTreeSet<Place>, Failure> {
        let (homes, agents) = (self.store()?.agreed().or_failure()?, self.agents());
        let mut places = BTreeSet::new();
        for path in paths {
            let found = agents.places(&homes, path.as_ref());
            if found.is_empty() {
                return Err(bad_request(&format!("{path} is in no folder that was agreed to")));
            }
            places.extend(found);
        }
        Ok(places)
    }

    fn scan(
        &self,
        places: &BTreeSet<Place>,
        cancel: &CancellationToken,
        sink: &Sink<VaultEvent>,
    ) -> Result<VaultScanned, Failure> {
        let store = self.store()?;
        let homes = store.agreed().or_failure()?;
        if homes.is_empty() {
            return Err(conflict("nobody said yes to keeping sessions of agents yet"));
        }
        let within = |a: &Place, b: &Place| a != b && a.home == b.home && b.has(&a.path);
        let outermost =
            |it: &&Place| homes.contains(&it.home) && !places.iter().any(|other| within(it, other));
        let places: Vec<Place> = match places.is_empty() {
            true => homes.iter().cloned().map(Place::all_of).collect(),
            false => places.iter().filter(outermost).cloned().collect(),
        };
        let mut scan = Scan {
            cancel,
            sink,
            event: VaultEvent { files: 0, of: 0, bytes: 0 },
            done: VaultScanned::default(),
        };
        {
            let mut pass = store.pass().or_failure()?;
            for place in &places {
                match self.keep(&mut scan, &mut *pass, place) {
                    Err(failure) if failure.code == Code::Cancelled => scan.done.cancelled = true,
                    kept => kept?,
                }
            }
            pass.commit().or_failure()?;
        }
        if !scan.done.cancelled {
            for place in &places {
                self.understand(&mut scan, place)?;
            }
        }
        sink(scan.event);
        Ok(scan.done)
    }

    fn keep(
        &self,
        scan: &mut Scan<'_>,
        pass: &mut dyn VaultPass,
        place: &Place,
    ) -> Result<(), Failure> {
        let agents = self.agents();
        let (cancel, home) = (scan.cancel, &place.home);
        let found = match agents.files(place, &mut |_| !cancel.is_cancelled()) {
            Err(FolderError::Cancelled) => return Err(cancelled()),
            found => found.or_failure()?,
        };
        let known = pass.known(place).or_failure()?;
        scan.event.of += found.files.len() as u64;
        scan.done.files += found.files.len() as u64;
        for file in &found.files {
            scan.went_on(1, 0)?;
            if known.get(&file.path) == Some(&file.stamp) {
                continue;
            }
            let (source, stamp) = match agents.open(home, &file.path) {
                Ok(opened) => opened,
                Err(error) => {
                    scan.done.unreadable.push(error.to_string());
                    continue;
                }
            };
            let mut source = Source { source, failed: false };
            let now = self.core.now();
            let looked = pass.look(home, &file.path, stamp, &mut source, now, &mut |bytes| {
                scan.went_on(0, bytes).is_ok()
            });
            match looked {
                // What came of it before stays, and the next scan has the rest.
                Err(error) if source.failed => scan.done.unreadable.push(error.to_string()),
                looked => scan.looked(looked.map_err(of_store)?),
            }
        }
        // What lies in a folder that could not be looked through is not known to be gone.
        let hidden = |path: &str| {
            let is_above = |above: &String| path.strip_prefix(above.as_str());
            found.hides
                || found.skipped.iter().filter_map(is_above).any(|rest| rest.starts_with('/'))
        };
        let hidden = known.keys().map(String::as_str).filter(|path| hidden(path));
        let seen = found.files.iter().map(|file| file.path.as_str());
        let there: HashSet<&str> = seen.chain(hidden).collect();
        pass.there(place, &there, self.core.now()).or_failure()?;
        scan.done.skipped.extend(found.skipped);
        Ok(())
    }

    /// Reads the sessions of which more is kept than was understood, or that were understood by an earlier reader.
    fn understand(&self, scan: &mut Scan<'_>, place: &Place) -> Result<(), Failure> {
        let (store, agents) = (self.store()?, self.agents());
        let reader = agents.reader();
        for file in store.files_at(place).or_failure()? {
            let beside = self.kept_beside(&file)?;
            // What is written anew beside a session makes another one of it.
            let mut seen = file.clone();
            seen.versions += beside.iter().map(|beside| beside.versions).sum::<u32>();
            seen.bytes += beside.iter().map(|beside| beside.bytes).sum::<u64>();
            if seen.understood == Some((seen.versions, seen.bytes, reader)) {
                continue;
            }
            let (role, _) = agents.role(file.home.agent, &file.path);
            if !matches!(role, FileRole::Session | FileRole::Child) {
                continue;
            }
            if scan.went_on(0, 0).is_err() {
                scan.done.cancelled = true;
                return Ok(());
            }
            let facts = self.understand_one(&file, &seen, &beside)?;
            add_up(&mut scan.done.unknown, &facts.unknown);
            scan.done.understood += 1;
        }
        Ok(())
    }
}

impl VaultService {
    /// Reads a session, and keeps what a list says of it and what is found of it, for what was `seen`.
    pub(super) fn understand_one(
        &self,
        file: &KeptFile,
        seen: &KeptFile,
        beside: &[KeptFile],
    ) -> Result<SessionFacts, Failure> {
        let session = self.read_with(file, None, beside)?;
        let facts = session.facts(file.home.agent);
        let mut said = session.said();
        let cleaner = self.privacy.cleaner();
        said.iter_mut().for_each(|it| _ = cleaner.clean(&mut it.text));
        self.store()?.put_facts(seen, self.agents().reader(), &facts, &said).or_failure()?;
        Ok(facts)
    }
}

/// How far a scan is, and what it came to.
type Seen = (VaultEvent, Option<VaultScanned>);

/// A scan that goes on, as whoever asked for another one sees it.
#[derive(Clone)]
pub(crate) struct Running {
    cancel: CancellationToken,
    seen: watch::Receiver<Seen>,
}

/// A scan that goes on, as it sees itself; no other one begins before it is dropped.
pub(super) struct Begun {
    vault: VaultService,
    cancel: CancellationToken,
    tell: watch::Sender<Seen>,
}

impl Drop for Begun {
    /// Before those who watch hear of the end, so that one of them can begin.
    fn drop(&mut self) {
        locked(&self.vault.running).take();
    }
}

/// Two scans, one after the other, as one.
fn sum(before: VaultScanned, last: VaultScanned) -> VaultScanned {
    let mut unknown = before.unknown;
    add_up(&mut unknown, &last.unknown);
    VaultScanned {
        new: before.new + last.new,
        grew: before.grew + last.grew,
        rewritten: before.rewritten + last.rewritten,
        cut: before.cut + last.cut,
        bytes: before.bytes + last.bytes,
        understood: before.understood + last.understood,
        unknown,
        ..last
    }
}

/// Bytes after which somebody who watches is told how far it is.
const TELL_BYTES: u64 = 32 << 20;

/// A file of an agent, which may fail to be read while everything of ours works.
struct Source {
    source: Box<dyn Read + Send>,
    failed: bool,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer);
        self.failed |= read.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        read
    }
}

/// A scan on its way.
struct Scan<'s> {
    cancel: &'s CancellationToken,
    sink: &'s Sink<VaultEvent>,
    event: VaultEvent,
    done: VaultScanned,
}

impl Scan<'_> {
    fn went_on(&mut self, files: u64, bytes: u64) -> Result<(), Failure> {
        let before = self.event;
        self.event.files += files;
        self.event.bytes += bytes;
        let passed = |before: u64, now: u64, step: u64| before / step != now / step;
        if passed(before.files, self.event.files, TELLS)
            || passed(before.bytes, self.event.bytes, TELL_BYTES)
        {
            (self.sink)(self.event);
        }
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    fn looked(&mut self, looked: Looked) {
        let done = &mut self.done;
        let (count, bytes) = match looked {
            Looked::Known | Looked::Forgotten => return,
            Looked::Cut => (&mut done.cut, 0),
            Looked::Grew(bytes) => (&mut done.grew, bytes),
            Looked::Rewritten(bytes) => (&mut done.rewritten, bytes),
            Looked::New(bytes) => (&mut done.new, bytes),
        };
        *count += 1;
        done.bytes += bytes;
    }
}

fn cancelled() -> Failure {
    Failure::new(Code::Cancelled, "cancelled")
}
