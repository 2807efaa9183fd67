//! The files of context stores: `context/<project or none>/<store>.json`. A change holds the lock of the folder for
//! as long as it takes, compares what is there with what its caller last saw, and puts a whole new file in its place.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use siltstone_engine::Timestamp;
use siltstone_engine::context::ContextFiles;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;

use crate::fault::io;
use crate::held::Held;
use crate::{Store, files};

const FOLDER: &str = "context";

/// The folder of what belongs to no project.
const NO_PROJECT: &str = "none";

impl ContextFiles for Store {
    fn read(&self, project: Option<ProjectId>, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        bytes_of(&self.context(project).join(name))
    }

    fn write(
        &self,
        project: Option<ProjectId>,
        name: &str,
        seen: Option<&[u8]>,
        text: &str,
    ) -> Result<(), StoreError> {
        let folder = self.context(project);
        files::create_private_dir(&folder)?;
        let place = folder.join(name);
        let _alone = while_it_is(&place, seen)?;
        files::replace(&place, text.as_bytes())
    }

    fn set_aside(
        &self,
        project: Option<ProjectId>,
        name: &str,
        seen: &[u8],
        now: Timestamp,
    ) -> Result<String, StoreError> {
        let place = self.context(project).join(name);
        let _alone = while_it_is(&place, Some(seen))?;
        let mut aside = place.with_added_extension(format!("damaged-{}", now.as_millisecond()));
        while aside.exists() {
            aside = aside.with_added_extension("again");
        }
        files::rename(&place, &aside).map_err(|error| io(&place, &error))?;
        place.parent().map_or(Ok(()), files::sync_dir)?;
        Ok(aside.display().to_string())
    }

    fn remove(&self, project: ProjectId) -> Result<(), StoreError> {
        let folder = self.context(Some(project));
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(io(&folder, &error)),
            _ => Ok(()),
        }
    }
}

impl Store {
    fn context(&self, project: Option<ProjectId>) -> PathBuf {
        let name = project.map_or_else(|| NO_PROJECT.to_owned(), |id| id.to_string());
        self.dir.join(FOLDER).join(name)
    }
}

/// The lock of the file's folder, if the file is what the caller saw.
fn while_it_is(place: &Path, seen: Option<&[u8]>) -> Result<Held, StoreError> {
    let path = place.with_file_name("lock");
    let held = Held::alone(files::open_private(&path)?).map_err(|error| io(&path, &error))?;
    match bytes_of(place)?.as_deref() == seen {
        true => Ok(held),
        false => Err(StoreError::Conflict { what: "another program changed the context" }),
    }
}

fn bytes_of(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io(path, &error)),
    }
}
