//! What stays here: files the person excludes, and secrets that are redacted on the way out. Everything of a project's
//! folder that goes into a request or the index is read through here; what the person looks at is not.

use siltstone_contract::Failure;
use siltstone_engine::message::Message;
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{Folder, FolderError, OnProgress};
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::project::Project;

use crate::App;
use crate::failure::Outcome;

impl App {
    /// Takes secrets out of what goes, as the person wants it.
    pub(crate) fn cleaner(&self) -> Cleaner<'_> {
        let settings = self.stores().and_then(|stores| stores.records.settings().or_failure());
        // Where they cannot be read, the default is to redact.
        self.0.redacted.cleaner(&settings.unwrap_or_default().privacy)
    }

    /// The same whatever the person wants.
    pub(crate) fn strict_cleaner(&self) -> Cleaner<'_> {
        self.0.redacted.always()
    }

    /// Takes the secrets out of what is summarised.
    pub(crate) fn clean_all(&self, messages: &mut [Message]) {
        let cleaner = self.cleaner();
        messages.iter_mut().for_each(|message| _ = cleaner.message(message));
    }

    /// Patterns of what never goes, for every project and for this one.
    pub(crate) fn excluded(&self, project: Option<&Project>) -> Result<Vec<String>, Failure> {
        let mut patterns = self.stores()?.records.settings().or_failure()?.privacy.exclude_patterns;
        patterns.extend(project.iter().flat_map(|project| project.exclude.iter().cloned()));
        Ok(patterns)
    }

    /// The text of a file that may go.
    pub(crate) fn text_to_send(
        &self,
        project: &Project,
        path: &str,
    ) -> Result<String, FolderError> {
        let exclude = self.patterns_of(project)?;
        let folder = Folder { root: &project.path, exclude: &exclude };
        self.0.world.files.read_text(folder, path)
    }

    /// Whether the person excluded a file since it was read.
    pub(crate) fn is_excluded(&self, project: &Project, path: &str) -> bool {
        matches!(self.text_to_send(project, path), Err(FolderError::Excluded { .. }))
    }

    /// The texts of files that may go, in their order.
    pub(crate) fn texts_to_send(
        &self,
        project: &Project,
        paths: &[&str],
    ) -> Result<Vec<Result<String, FolderError>>, FolderError> {
        let exclude = self.patterns_of(project)?;
        let folder = Folder { root: &project.path, exclude: &exclude };
        self.0.world.files.read_texts(folder, paths)
    }

    /// The text files of a project that may go.
    pub(crate) fn files_to_send(
        &self,
        project: &Project,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError> {
        let exclude = self.patterns_of(project)?;
        let folder = Folder { root: &project.path, exclude: &exclude };
        self.0.world.files.text_files(folder, progress)
    }

    /// Without the settings nothing is known to be allowed, so nothing is read.
    fn patterns_of(&self, project: &Project) -> Result<Vec<String>, FolderError> {
        self.excluded(Some(project)).map_err(|failure| FolderError::Io {
            path: project.path.clone(),
            detail: failure.message,
        })
    }
}
