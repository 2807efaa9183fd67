//! Which project has a copy of its checkpoints in its own folder: one small file each, replaced whole.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;
use uuid::Uuid;

use crate::fault::{damaged, io};
use crate::files;
use crate::held::Held;

/// The folder of these files, and of the databases of copies.
const FOLDER: &str = "places";

/// How far a project is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// It has none.
    #[default]
    Here,
    /// The first one is being written; what lies in the project's folder is not whole.
    Coming,
    /// It has one.
    Copied,
    /// It has none any more; what lies in the project's folder goes.
    Leaving,
    /// The project's folder alone has what they hold, as an earlier version left it: to be brought home.
    Ours,
}

/// What is remembered of a project's copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    pub(super) state: State,
    /// The name of the folder, random and told to nobody else: by it this computer knows its own.
    pub(super) name: String,
    /// The project's root.
    pub(super) root: String,
    /// Why the copy could not be written the last time.
    #[serde(default)]
    pub(super) failed: Option<String>,
    /// Foreign folders that were taken over.
    #[serde(default)]
    pub(super) taken: Vec<String>,
}

impl Marker {
    /// A folder of its own below a root.
    pub(super) fn renewed(self, state: State, root: &str) -> Self {
        Self { state, name: Uuid::now_v7().to_string(), root: root.to_owned(), ..self }
    }
}

fn folder(dir: &Path) -> PathBuf {
    dir.join(FOLDER)
}

fn file(dir: &Path, project: ProjectId) -> PathBuf {
    folder(dir).join(format!("{project}.json"))
}

/// Held by whoever is at the copy of a project; waits for whoever is.
pub(super) fn gate(dir: &Path, project: ProjectId) -> Result<Held, StoreError> {
    let path = lock_file(dir, project)?;
    Held::alone(files::open_private(&path)?).map_err(|error| io(&path, &error))
}

/// The same, if nobody is at it.
pub(super) fn try_gate(dir: &Path, project: ProjectId) -> Result<Held, StoreError> {
    Held::try_alone(files::open_private(&lock_file(dir, project)?)?)
        .map_err(|_| StoreError::Conflict { what: "its copy is being written" })
}

fn lock_file(dir: &Path, project: ProjectId) -> Result<PathBuf, StoreError> {
    files::create_private_dir(&folder(dir))?;
    Ok(folder(dir).join(format!("{project}.lock")))
}

/// Where the database of a copy is.
pub(super) fn database_dir(dir: &Path, marker: &Marker) -> PathBuf {
    folder(dir).join(&marker.name)
}

/// What is remembered of a project.
pub(super) fn read(dir: &Path, project: ProjectId) -> Result<Marker, StoreError> {
    let path = file(dir, project);
    match fs::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| damaged(&path, error.to_string()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Marker::default()),
        Err(error) => Err(io(&path, &error)),
    }
}

/// Remembers it from now on.
pub(super) fn write(dir: &Path, project: ProjectId, marker: &Marker) -> Result<(), StoreError> {
    files::create_private_dir(&folder(dir))?;
    let bytes =
        serde_json::to_vec(marker).map_err(|error| StoreError::Io { detail: error.to_string() })?;
    files::replace(&file(dir, project), &bytes)
}

/// What is remembered of every project.
pub(super) fn all(dir: &Path) -> Result<Vec<(ProjectId, Marker)>, StoreError> {
    let path = folder(dir);
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(&path, &error)),
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let projects = names.filter_map(|name| name.strip_suffix(".json")?.parse::<ProjectId>().ok());
    let mut projects: Vec<ProjectId> = projects.collect();
    projects.sort();
    projects.into_iter().map(|project| Ok((project, read(dir, project)?))).collect()
}
