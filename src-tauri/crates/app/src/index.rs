//! Keeping a project's full-text index in step with its files: only what changed is read.

use std::collections::{HashMap, HashSet};

use siltstone_engine::passage::{self, FileStamp};
use siltstone_engine::project::Project;

use crate::projects::blocking;
use crate::{App, locked};

impl App {
    /// Brings the index of a project up to date. Failures are logged: an older index still answers.
    pub(crate) async fn refresh_index(&self, project: &Project) {
        let gate = locked(&self.0.indexing).entry(project.id).or_default().clone();
        let _alone = gate.lock().await;
        let (app, project) = (self.clone(), project.clone());
        let done = blocking(move || app.index_changes(&project)).await;
        if let Ok(Err(error)) | Err(error) = done
            .map(|done| done.map_err(|error| error.to_string()))
            .map_err(|error| error.to_string())
        {
            tracing::warn!(%error, "indexing a project");
        }
    }

    fn index_changes(
        &self,
        project: &Project,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.index_memory(Some(project));
        let passages = self.stores()?.passages;
        let known: HashMap<String, FileStamp> = passages
            .stamps(project.id)?
            .into_iter()
            .map(|stamp| (stamp.path.clone(), stamp))
            .collect();
        let found = self.files_to_send(project)?;
        for stamp in &found {
            if known.get(&stamp.path) == Some(stamp) {
                continue;
            }
            // An unreadable or binary file has no passages, and is not read again until it changes.
            let cut = match self.text_to_send(project, &stamp.path) {
                Ok(text) => passage::cut(&stamp.path, &text),
                Err(error) => {
                    tracing::debug!(%error, "not indexed");
                    Vec::new()
                }
            };
            passages.put_file(project.id, stamp, &cut)?;
        }
        let there: HashSet<&str> = found.iter().map(|stamp| stamp.path.as_str()).collect();
        let gone: Vec<String> =
            known.into_keys().filter(|path| !there.contains(path.as_str())).collect();
        if !gone.is_empty() {
            passages.remove_files(project.id, &gone)?;
        }
        Ok(())
    }
}
