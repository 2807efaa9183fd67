//! Which project keeps its checkpoints in its own folder: one small file each, replaced whole. The file is the switch
//! itself, so that it is where nothing else can be lost with it.

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

/// The folder of these files, and of the databases of such places.
const FOLDER: &str = "places";

/// How far a project is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// With everything else.
    #[default]
    Here,
    /// Still there; what lies in the project's folder is not whole.
    Coming,
    /// In the project's folder.
    Ours,
    /// With everything else again; what lies in the project's folder goes.
    Leaving,
}

/// What is remembered of a project's place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    pub(super) state: State,
    /// The name of the folder, random and told to nobody else: by it this computer knows its own.
    pub(super) name: String,
    /// The project's root.
    pub(super) root: String,
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

/// Held by whoever moves a project.
pub(super) fn gate(dir: &Path, project: ProjectId) -> Result<Held, StoreError> {
    files::create_private_dir(&folder(dir))?;
    let gate = files::open_private(&folder(dir).join(format!("{project}.lock")))?;
    Held::try_alone(gate)
        .map_err(|_| StoreError::Conflict { what: "its checkpoints are being moved" })
}

/// Where the database of a place is.
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
