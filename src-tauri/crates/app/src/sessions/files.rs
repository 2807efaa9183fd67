//! `.ai-brain`: a copy of the session in the project's folder, written in the background after every change.
//!
//! Each text is noted before it is written, so a file that says anything else came from elsewhere and is not touched. The
//! folder is read before the row, so that what is written is never older than what it takes the place of.

use std::collections::hash_map::Entry;
use std::time::Duration;

use siltstone_contract::{Failure, SessionFilesState, SilentOwner, Topic};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::hash_of;
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::session::{
    BrainFile, BrainFiles, ContextFile, LockFile, Parsed, SessionError, SessionRecord, Sighting,
    Standing, Stored, overdue, parse, sighting, standing, to_bytes,
};
use siltstone_engine::workflow::Workflow;

use crate::core::failure::{Outcome, of_store};
use crate::core::{blocking, locked};
use crate::sessions::SessionService;

/// Tries against other programs that write at the same moment.
const TRIES: u32 = 100;

/// How often a host that stays says that it still writes.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// The longest that the end of a host waits for folders.
const LEAVING: Duration = Duration::from_secs(10);

/// Minutes between two copies while something changes (behaviour.md, Sessions).
const SNAPSHOT_MINUTES: i64 = 30;

/// What is noted of the wish to keep the folder out of git, beside the files that are ours.
const IGNORED: &str = ".gitignore";

/// The files that carry a session.
pub(super) const CARRIERS: [BrainFile; 2] = [BrainFile::Context, BrainFile::Workflow];

/// Why files are not written now.
enum Unwritten {
    /// As it is shown.
    State(SessionFilesState),
    /// The database.
    Failure(Failure),
    /// The folder.
    Folder(SessionError),
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<SessionError> for Unwritten {
    fn from(error: SessionError) -> Self {
        Self::Folder(error)
    }
}

impl SessionService {
    /// Writes the files of a project in the background; once more when something changes meanwhile.
    pub(crate) fn write_session(&self, project: &Project) {
        match locked(&self.state.writing).entry(project.id) {
            Entry::Occupied(mut again) => {
                again.insert(true);
                return;
            }
            Entry::Vacant(vacant) => vacant.insert(false),
        };
        let (this, project) = (self.clone(), project.clone());
        tokio::task::spawn_blocking(move || {
            loop {
                this.write_session_files(&project);
                let mut writing = locked(&this.state.writing);
                match writing.get_mut(&project.id) {
                    Some(again) if *again => *again = false,
                    _ => {
                        writing.remove(&project.id);
                        break;
                    }
                }
            }
            this.state.written.notify_waiters();
        });
    }

    /// Waits until no files of sessions are being written here.
    pub async fn sessions_settled(&self) {
        loop {
            let written = self.state.written.notified();
            tokio::pin!(written);
            // Before looking, so that the end of a write in between is not missed.
            written.as_mut().enable();
            if locked(&self.state.writing).is_empty() {
                return;
            }
            written.await;
        }
    }

    /// The host ends: what is being written is finished, and other computers may write at once. A folder that does not
    /// answer keeps nobody from ending.
    pub async fn leave_sessions(&self) {
        let this = self.clone();
        let left = async {
            self.sessions_settled().await;
            blocking(move || this.leave_folders()).await
        };
        if tokio::time::timeout(LEAVING, left).await.is_err() {
            tracing::warn!("the folder of a session does not answer");
        }
    }

    fn leave_folders(&self) {
        let projects: Vec<ProjectId> = locked(&self.state.seen).keys().copied().collect();
        let Ok(stores) = self.core.stores() else { return };
        for project in projects.into_iter().filter_map(|id| stores.records.project(id).ok()) {
            self.leave_folder(&project);
        }
    }

    fn leave_folder(&self, project: &Project) {
        let files = &self.core.world.sessions;
        let Ok(BrainFiles { lock: Some(stored), .. }) = files.read(&project.path) else { return };
        let held = lock_of(&stored).is_some_and(|lock| {
            let us = files.holder();
            (lock.host, lock.pid) == (us.host, us.pid)
        });
        if held && let Err(error) = files.remove(&project.path, BrainFile::Lock, &stored.hash) {
            tracing::debug!(%error, "letting go of a session");
        }
    }

    /// Writes the files now, and remembers how that ended.
    pub(super) fn write_session_files(&self, project: &Project) -> SessionFilesState {
        let state = match self.try_to_write(project) {
            Ok(state) | Err(Unwritten::State(state)) => state,
            Err(Unwritten::Failure(failure)) => {
                SessionFilesState::Refused { detail: failure.message }
            }
            Err(Unwritten::Folder(error)) => {
                SessionFilesState::Refused { detail: error.to_string() }
            }
        };
        let before = locked(&self.state.states).insert(project.id, state.clone());
        if before.as_ref() != Some(&state) {
            self.core.changed([Topic::Sessions]);
        }
        state
    }

    fn try_to_write(&self, project: &Project) -> Result<SessionFilesState, Unwritten> {
        let stores = self.core.stores()?;
        if self.session_of(&stores, project)?.shared != Some(true) {
            return Ok(SessionFilesState::Off);
        }
        let mut tries = 0;
        loop {
            match self.write_once(&stores, project) {
                Err(Unwritten::Folder(SessionError::Conflict { .. })) if tries < TRIES => {
                    tries += 1
                }
                written => return written.map(|()| SessionFilesState::Written),
            }
        }
    }

    fn write_once(&self, stores: &Stores, project: &Project) -> Result<(), Unwritten> {
        let brain = self.core.world.sessions.read(&project.path)?;
        self.hold(stores, project, &brain)?;
        let record = self.session_of(stores, project)?;
        self.write_both(stores, project, &brain, &record)?;
        // What is written is written.
        let kept_out = self.keep_out_of_git(stores, project, &brain);
        if let Err(error) = kept_out.and_then(|()| self.copy_session(project, SNAPSHOT_MINUTES)) {
            tracing::warn!(%error, "beside the files of a session");
        }
        Ok(())
    }

    /// The folder is to stay out of git, from now on or from when there is a repository.
    pub(super) fn want_out_of_git(&self, stores: &Stores, id: ProjectId) -> Result<(), Failure> {
        stores.sessions.intend_file(id, IGNORED, IGNORED, IGNORED).or_failure()
    }

    /// Adds the folder to `.gitignore` where that was wanted and was not possible yet. Once it was, what the file says is
    /// the person's.
    fn keep_out_of_git(
        &self,
        stores: &Stores,
        project: &Project,
        brain: &BrainFiles,
    ) -> Result<(), SessionError> {
        let sessions = &stores.sessions;
        let waits = || -> Result<bool, StoreError> {
            let wanted = !sessions.file_texts(project.id, IGNORED)?.is_empty();
            Ok(wanted && sessions.file_base(project.id, IGNORED)?.is_none())
        };
        let failed = |error: StoreError| SessionError::Io {
            name: IGNORED.to_owned(),
            detail: error.to_string(),
        };
        if brain.in_git.is_some() && waits().map_err(failed)? {
            self.core.world.sessions.ignore(&project.path)?;
            sessions.file_seen(project.id, IGNORED, IGNORED).map_err(failed)?;
        }
        Ok(())
    }

    /// Says that we write, unless another computer does.
    fn hold(
        &self,
        stores: &Stores,
        project: &Project,
        brain: &BrainFiles,
    ) -> Result<(), Unwritten> {
        let (seen, stands) = self.may_hold(stores, project, brain)?;
        let fresh = seen.as_ref().is_some_and(|seen| {
            self.core.now().duration_since(seen.since).unsigned_abs() < HEARTBEAT
        });
        if fresh {
            return Ok(());
        }
        self.beat(project, brain)?;
        if let Some(Sighting { lock, .. }) = seen.filter(|_| stands == Standing::Stale) {
            let LockFile { owner, host, heartbeat, .. } = lock;
            let silent = SilentOwner { owner, host, heartbeat };
            locked(&self.state.taken).insert(project.id, silent);
            self.core.changed([Topic::Sessions]);
        }
        Ok(())
    }

    /// Whether no other computer writes; the lock as it was seen first.
    fn may_hold(
        &self,
        stores: &Stores,
        project: &Project,
        brain: &BrainFiles,
    ) -> Result<(Option<Sighting>, Standing), Unwritten> {
        let (now, us) = (self.core.now(), self.core.world.sessions.holder());
        let lock = brain.lock.as_ref().and_then(lock_of);
        // Whoever is here for one command only knows by others how long a lock has stood still.
        let met = match (&lock, &brain.lock) {
            (Some(lock), Some(stored)) if lock.host != us.host => {
                Some(stores.sessions.lock_seen(project.id, &stored.hash, now).or_failure()?)
            }
            _ => None,
        };
        let seen = {
            let mut all = locked(&self.state.seen);
            let before = all.remove(&project.id);
            let seen = lock.map(|lock| sighting(lock, before, met.unwrap_or(now)));
            if let Some(seen) = &seen {
                all.insert(project.id, seen.clone());
            }
            seen
        };
        let stands = standing(seen.as_ref(), &us, now);
        match seen {
            Some(Sighting { lock, .. }) if !stands.may_write() => {
                let LockFile { owner, host, heartbeat, .. } = lock;
                Err(Unwritten::State(SessionFilesState::Held { owner, host, heartbeat }))
            }
            seen => Ok((seen, stands)),
        }
    }

    /// Whose lock was taken in this process, because its owner had gone silent.
    pub fn sessions_taken(&self) -> Vec<SilentOwner> {
        locked(&self.state.taken).values().cloned().collect()
    }

    /// How the files stand now, whatever this process knows of its last write: what would stop the next one, or what
    /// came of writing what is missing in them.
    pub(super) fn files_state(
        &self,
        stores: &Stores,
        project: &Project,
        brain: &BrainFiles,
        record: &SessionRecord,
    ) -> Result<SessionFilesState, Failure> {
        let look = || -> Result<bool, Unwritten> {
            self.may_hold(stores, project, brain)?;
            let mut whole = true;
            for file in CARRIERS {
                let hash = hash_of(&bytes_of(record, file)?);
                match stored(brain, file) {
                    Some(stored) if stored.hash == hash => {}
                    Some(stored) => {
                        whole = false;
                        if self.is_ours(stores, project, file, stored)?.is_some() {
                            // Whoever only looks puts nothing aside.
                            return Err(Unwritten::State(SessionFilesState::Foreign));
                        }
                    }
                    None => whole = false,
                }
            }
            Ok(whole)
        };
        match look() {
            Ok(true) => Ok(SessionFilesState::Written),
            Ok(false) => {
                // While somebody is at it, it stands as it stood before.
                let busy = locked(&self.state.writing).contains_key(&project.id);
                let before = locked(&self.state.states).get(&project.id).cloned();
                let known = before.filter(|_| busy);
                Ok(known.unwrap_or_else(|| self.write_session_files(project)))
            }
            Err(Unwritten::State(state)) => Ok(state),
            Err(Unwritten::Failure(failure)) => Err(failure),
            Err(Unwritten::Folder(error)) => {
                Ok(SessionFilesState::Refused { detail: error.to_string() })
            }
        }
    }

    /// What stopped the writing of sessions in this process, each with its project.
    pub fn sessions_unwritten(&self) -> Vec<(ProjectId, SessionFilesState)> {
        let states = locked(&self.state.states);
        let stopped = states.iter().filter(|(_, state)| {
            !matches!(state, SessionFilesState::Off | SessionFilesState::Written)
        });
        stopped.map(|(id, state)| (*id, state.clone())).collect()
    }

    /// Writes the lock as ours.
    pub(super) fn take_hold(&self, project: &Project) -> Result<(), SessionError> {
        let brain = self.core.world.sessions.read(&project.path)?;
        match self.beat(project, &brain) {
            Err(Unwritten::Folder(error)) => Err(error),
            _ => Ok(()),
        }
    }

    fn beat(&self, project: &Project, brain: &BrainFiles) -> Result<(), Unwritten> {
        let (now, files) = (self.core.now(), &self.core.world.sessions);
        let before = brain.lock.as_ref().and_then(lock_of);
        let lock = LockFile::next(&files.holder(), before.as_ref(), now);
        let bytes = serde_json::to_vec_pretty(&lock).map_err(|error| SessionError::Io {
            name: BrainFile::Lock.name().to_owned(),
            detail: error.to_string(),
        })?;
        let expected = brain.lock.as_ref().map(|stored| stored.hash.as_str());
        files.write(&project.path, BrainFile::Lock, &bytes, expected)?;
        locked(&self.state.seen).insert(project.id, sighting(lock, None, now));
        Ok(())
    }

    fn write_both(
        &self,
        stores: &Stores,
        project: &Project,
        brain: &BrainFiles,
        record: &SessionRecord,
    ) -> Result<(), Unwritten> {
        for file in CARRIERS {
            if let Some(stored) = stored(brain, file) {
                self.may_write_over(stores, project, file, stored)?;
            }
        }
        for file in CARRIERS {
            let bytes = bytes_of(record, file)?;
            let (hash, name) = (hash_of(&bytes), file.name());
            let here = stored(brain, file).map(|stored| stored.hash.as_str());
            if here == Some(hash.as_str()) {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            stores.sessions.intend_file(project.id, name, &hash, &text).or_failure()?;
            self.core.world.sessions.write(&project.path, file, &bytes, here)?;
            stores.sessions.file_seen(project.id, name, &hash).or_failure()?;
        }
        Ok(())
    }

    /// Only what is ours is written over. A file that is broken is put aside with its bytes.
    fn may_write_over(
        &self,
        stores: &Stores,
        project: &Project,
        file: BrainFile,
        stored: &Stored,
    ) -> Result<(), Unwritten> {
        let Some(detail) = self.is_ours(stores, project, file, stored)? else { return Ok(()) };
        let name = file.name();
        let aside = self.core.world.sessions.set_aside(&project.path, file, &stored.hash)?;
        tracing::warn!(name, aside, detail, "a broken file was put aside");
        // The folder is read again.
        Err(SessionError::Conflict { name: name.to_owned() }.into())
    }

    /// Whether a file is ours, or broken, and by what.
    fn is_ours(
        &self,
        stores: &Stores,
        project: &Project,
        file: BrainFile,
        stored: &Stored,
    ) -> Result<Option<String>, Unwritten> {
        if stores.sessions.file_seen(project.id, file.name(), &stored.hash).or_failure()? {
            return Ok(None);
        }
        match state_of(file, stored) {
            Parsed::Known(()) => Err(Unwritten::State(SessionFilesState::Foreign)),
            Parsed::Newer { version, .. } => {
                Err(Unwritten::State(SessionFilesState::Newer { version }))
            }
            Parsed::Broken { detail } => Ok(Some(detail)),
        }
    }

    /// Now and then while a host stays: says that it still writes, which copies what changed in half an hour.
    pub(crate) async fn tend_sessions(&self) {
        let this = self.clone();
        let tended = blocking(move || {
            let Ok(stores) = this.core.stores() else { return };
            this.hear_cut_off(&stores);
            let worked_in: Vec<ProjectId> = locked(&this.state.states).keys().copied().collect();
            for project in worked_in.into_iter().filter_map(|id| stores.records.project(id).ok()) {
                this.write_session_files(&project);
            }
        });
        if let Err(failure) = tended.await {
            tracing::warn!(%failure, "tending sessions");
        }
    }

    /// Copies files whose newest copy is so old and says something else, and lets old copies go.
    pub(super) fn copy_session(&self, project: &Project, minutes: i64) -> Result<(), SessionError> {
        let (files, now) = (&self.core.world.sessions, self.core.now());
        let (root, brain) = (project.path.as_str(), files.read(&project.path)?);
        let copies = files.snapshots(root)?;
        for file in CARRIERS {
            let newest = copies.iter().rev().find(|copy| copy.file == file);
            let due = newest.is_none_or(|it| now.duration_since(it.at).as_mins().abs() >= minutes);
            if let Some(stored) = stored(&brain, file).filter(|_| due) {
                files.put_snapshot(root, file, &stored.bytes, now)?;
            }
        }
        files.delete_snapshots(root, &overdue(&files.snapshots(root)?))
    }
}

/// A file of the folder.
pub(super) fn stored(brain: &BrainFiles, file: BrainFile) -> Option<&Stored> {
    match file {
        BrainFile::Context => brain.context.as_ref(),
        BrainFile::Workflow => brain.workflow.as_ref(),
        BrainFile::Lock => brain.lock.as_ref(),
    }
}

/// The bytes of a file as we would write it.
pub(super) fn bytes_of(record: &SessionRecord, file: BrainFile) -> Result<Vec<u8>, Failure> {
    let bytes = match file {
        BrainFile::Workflow => to_bytes(&record.workflow),
        BrainFile::Context | BrainFile::Lock => to_bytes(&record.context),
    };
    bytes.map_err(|error| of_store(StoreError::Io { detail: error.to_string() }))
}

/// Whether a file can be understood.
pub(super) fn state_of(file: BrainFile, stored: &Stored) -> Parsed<()> {
    match file {
        BrainFile::Workflow => without_content(parse::<Workflow>(&stored.bytes)),
        BrainFile::Context | BrainFile::Lock => {
            without_content(parse::<ContextFile>(&stored.bytes))
        }
    }
}

fn without_content<T>(parsed: Parsed<T>) -> Parsed<()> {
    match parsed {
        Parsed::Known(_) => Parsed::Known(()),
        Parsed::Newer { version, .. } => Parsed::Newer { version, file: None },
        Parsed::Broken { detail } => Parsed::Broken { detail },
    }
}

fn lock_of(stored: &Stored) -> Option<LockFile> {
    serde_json::from_slice(&stored.bytes).ok()
}
