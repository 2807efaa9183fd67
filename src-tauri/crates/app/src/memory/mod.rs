//! Memory in layers (behaviour.md, Memory): files that speak to models, and lines that were added.
//!
//! Files are read here alone, for requests as for the persistent context and for whoever looks at them. `agreed` puts
//! what the person agreed to in the place of what changed since, `taken` chooses for a request, `view` shows the
//! layers, `files` opens, saves and takes versions back, `lines` keeps what was added, `draft` writes a first file,
//! `effects` lists what a folder asks programs to run, `findable` says what a search finds, `shared` reads and writes the
//! files of agents in which it is kept, `watched` hears of changes on disk. Of an untrusted folder nothing comes further than the person's eyes.

mod agreed;
mod draft;
mod effects;
mod files;
mod findable;
mod lines;
mod shared;
mod taken;
mod view;
mod watched;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use siltstone_contract::Failure;
use siltstone_engine::memory::{
    Expanded, FileRecord, MemoryFile, MemoryLayer, MemoryPlace, MemorySettings, VersionOrigin,
    expand, hash_of, without,
};
use siltstone_engine::project::{Project, Trust};
use tokio_util::sync::CancellationToken;

use crate::core::failure::Outcome;
use crate::core::{Core, locked, service};
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use agreed::{Agreement, Judged};

pub(crate) use lines::keepable;
pub(crate) use shared::Sharing;
pub(crate) use taken::{Taken, beneath, left_out};

service! {
    /// The layers of memory.
    MemoryService {
        needs { core: Core, privacy: PrivacyService, models: ModelService }
        keeps {
            state: Memory,
        }
    }
}

/// What this process keeps of memory.
#[derive(Default)]
pub(crate) struct Memory {
    /// Whether this host stays, so that watching is worth it.
    stays: AtomicBool,
    watched: Mutex<watched::Watched>,
    /// The newest version of each file, as far as this process kept or looked for it.
    versions: Mutex<HashMap<String, Newest>>,
    /// How many looks at files began.
    looks: AtomicU64,
}

/// The newest version of a file.
struct Newest {
    /// When it was kept.
    at: Look,
    hash: String,
}

/// When a look at files began, counted. What one found is no news where another version was kept since it began: nobody
/// knows which of the two read the file later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Look(u64);

/// Which directories' files are read.
#[derive(Clone, Copy)]
enum Reach<'a> {
    /// From the root to each of these.
    Along(&'a [String]),
    /// All of them.
    All,
    /// The same, unless nobody waits for it any more.
    Until(&'a CancellationToken),
}

/// Memory files of a place.
#[derive(Default)]
struct Found {
    files: Vec<Expanded>,
    /// Files, and what they import, that are not what the person agreed to.
    changed: Vec<String>,
    /// Texts of the project that the files import, by path.
    imported: HashMap<String, String>,
}

/// How memory is found at a place.
#[derive(Clone, Default, PartialEq)]
struct Rules {
    settings: MemorySettings,
    exclude: Vec<String>,
}

impl Rules {
    fn at<'a>(&'a self, project: Option<&'a Project>) -> MemoryPlace<'a> {
        let root = project.map(|project| project.path.as_str());
        MemoryPlace { root, settings: &self.settings, exclude: &self.exclude }
    }
}

impl MemoryService {
    fn memory_rules(&self, project: Option<&Project>) -> Result<Rules, Failure> {
        let settings = self.core.stores()?.records.settings().or_failure()?.memory;
        Ok(Rules { settings, exclude: self.privacy.excluded(project)? })
    }

    /// Memory as it is on disk.
    fn memory_on_disk(
        &self,
        project: Option<&Project>,
        reach: Reach<'_>,
    ) -> Result<Found, Failure> {
        self.read_memory(project, reach, None)
    }

    /// Memory as far as the person agreed to it, which is what requests carry.
    fn agreed_memory(&self, project: Option<&Project>, reach: Reach<'_>) -> Result<Found, Failure> {
        let agreement = project.map(|project| self.agreement(project)).transpose()?;
        self.read_memory(project, reach, agreement.as_ref())
    }

    fn read_memory(
        &self,
        project: Option<&Project>,
        reach: Reach<'_>,
        agreement: Option<&Agreement>,
    ) -> Result<Found, Failure> {
        let rules = self.memory_rules(project)?;
        let place = rules.at(project);
        let memory = &self.core.world.memory;
        let look = self.look();
        let files = match reach {
            Reach::Along(dirs) => memory.along(&place, dirs).or_failure()?,
            Reach::All => memory.all(&place, &mut |_| true).or_failure()?,
            Reach::Until(end) => memory.all(&place, &mut |_| !end.is_cancelled()).or_failure()?,
        };
        let records = self.file_records(project)?;
        // Without what the person left out of it; what is not the project's own has nothing of that.
        let shown = |path: &str, text: &str| {
            let record = records.iter().find(|record| record.path == path);
            let known = record.map(|record| &record.choice.passages);
            match known.filter(|known| known.values().any(|goes| !goes)) {
                Some(known) => without(text, &|hash| known.get(hash) != Some(&false)),
                None => text.to_owned(),
            }
        };
        let mut found = Found::default();
        for file in files {
            let file = match agreement.filter(|_| is_of_project(&file)) {
                Some(agreement) => {
                    match self.as_agreed(agreement, file, look, &mut found.changed) {
                        Some(file) => file,
                        None => continue,
                    }
                }
                None => file,
            };
            let text = shown(&file.path, &file.text);
            let mut expanded = expand(&MemoryFile { text, ..file.clone() }, &mut |from, target| {
                let mut imported = memory.import(&place, from, target)?;
                if !Path::new(&imported.path).is_absolute() {
                    let (path, text) = (imported.path.clone(), imported.text.clone());
                    if let Some(agreement) = agreement {
                        let hash = hash_of(text.as_bytes());
                        match agreement.judge(self, &path, &hash, &text) {
                            Judged::Same => {}
                            Judged::Instead { text, .. } => {
                                found.changed.push(path.clone());
                                imported.text = text;
                            }
                            Judged::New => {
                                found.changed.push(path.clone());
                                imported.text = String::new();
                            }
                        }
                    }
                    imported.text = shown(&path, &imported.text);
                    found.imported.insert(path, text);
                }
                Ok(imported)
            });
            // Whoever looks at the file sees all of it.
            expanded.file.text = file.text;
            found.files.push(expanded);
        }
        found.changed.sort_unstable();
        found.changed.dedup();
        // What another file says may have been said by one that changed, and that goes as it was.
        for at in 0..found.files.len() {
            let same = found.files[at].file.same_as.as_ref();
            if same.is_some_and(|same| found.changed.contains(&same.path)) {
                found.files[at].file.same_as = None;
            }
        }
        if project.is_none_or(|project| project.trust == Trust::Trusted) {
            self.keep_versions(project, &found, look);
        }
        Ok(found)
    }

    /// The file as the person agreed to it; `None` for one that is new.
    fn as_agreed(
        &self,
        agreement: &Agreement,
        file: MemoryFile,
        look: Look,
        changed: &mut Vec<String>,
    ) -> Option<MemoryFile> {
        if file.refused.is_some() {
            return Some(file);
        }
        let judged = agreement.judge(self, &file.path, &file.hash, &file.text);
        if !matches!(judged, Judged::Same) {
            let MemoryFile { path, text, hash, .. } = &file;
            let project = Some(&agreement.project);
            self.keep_version(project, path, text, hash, VersionOrigin::Disk, look);
        }
        match judged {
            Judged::Same => Some(file),
            Judged::Instead { text, hash } => {
                changed.push(file.path.clone());
                Some(MemoryFile { bytes: text.len() as u64, text, hash, same_as: None, ..file })
            }
            Judged::New => {
                changed.push(file.path);
                None
            }
        }
    }

    /// Keeps a version of every file that was read, at most one a text.
    fn keep_versions(&self, project: Option<&Project>, found: &Found, look: Look) {
        let files = found.files.iter().map(|it| &it.file).filter(|file| file.refused.is_none());
        for file in files.filter(|file| !found.changed.contains(&file.path)) {
            let MemoryFile { path, text, hash, .. } = file;
            self.keep_version(project, path, text, hash, VersionOrigin::Disk, look);
        }
        for (path, text) in &found.imported {
            let hash = hash_of(text.as_bytes());
            self.keep_version(project, path, text, &hash, VersionOrigin::Disk, look);
        }
    }

    /// A look at files begins.
    fn look(&self) -> Look {
        Look(self.state.looks.fetch_add(1, Ordering::SeqCst))
    }

    /// Keeps a version of a file, unless another one was kept since that look at it began. One that cannot be kept is in nobody's way.
    fn keep_version(
        &self,
        project: Option<&Project>,
        path: &str,
        text: &str,
        hash: &str,
        origin: VersionOrigin,
        look: Look,
    ) {
        let path = place_of(project, path);
        let mut versions = locked(&self.state.versions);
        if versions.get(&path).is_some_and(|known| known.hash == hash || known.at > look) {
            return;
        }
        let kept = self.core.stores().and_then(|stores| {
            stores.memory.add_version(&path, text, hash, origin, self.core.now()).or_failure()
        });
        match kept {
            Ok(_) => drop(versions.insert(path, Newest { at: self.look(), hash: hash.to_owned() })),
            Err(failure) => tracing::warn!(%failure, "keeping a version of memory"),
        }
    }

    fn file_records(&self, project: Option<&Project>) -> Result<Vec<FileRecord>, Failure> {
        match project {
            Some(project) => self.core.stores()?.memory.file_records(project.id).or_failure(),
            None => Ok(Vec::new()),
        }
    }
}

/// Whether a file belongs to the project's folder, and not to the person.
fn is_of_project(file: &MemoryFile) -> bool {
    matches!(file.layer, MemoryLayer::Project | MemoryLayer::Directory)
}

/// Where a file lies on this computer, which is what its versions are kept by.
fn place_of(project: Option<&Project>, path: &str) -> String {
    match project {
        Some(project) if !Path::new(path).is_absolute() => format!("{}/{path}", project.path),
        _ => path.to_owned(),
    }
}
