//! What stays here: files the person excludes, folders they do not trust, and secrets that are redacted on the way
//! out. Everything of a project's folder that goes into a request or the index is read through here; what the person
//! looks at is not.

use std::path::Path;

use siltstone_contract::Failure;
use siltstone_engine::message::Message;
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{Folder, FolderError, OnProgress};
use siltstone_engine::privacy::{Cleaner, Known};
use siltstone_engine::project::{Project, Trust};

use crate::core::failure::Outcome;
use crate::core::{Core, service};

service! {
    /// What stays on this computer.
    PrivacyService {
        needs { core: Core }
        keeps {
            /// What became of texts that went without their secrets.
            redacted: Known,
        }
    }
}

impl PrivacyService {
    /// Takes secrets out of what goes, as the person wants it.
    pub(crate) fn cleaner(&self) -> Cleaner<'_> {
        let settings = self.core.stores().and_then(|stores| stores.records.settings().or_failure());
        // Where they cannot be read, the default is to redact.
        self.redacted.cleaner(&settings.unwrap_or_default().privacy)
    }

    /// The same whatever the person wants.
    pub(crate) fn strict_cleaner(&self) -> Cleaner<'_> {
        self.redacted.always()
    }

    /// Takes the secrets out of what is summarised.
    pub(crate) fn clean_all(&self, messages: &mut [Message]) {
        let cleaner = self.cleaner();
        messages.iter_mut().for_each(|message| _ = cleaner.message(message));
    }

    /// Patterns of what never goes, for every project and for this one; and the folders in it that were opened by
    /// themselves and are not trusted: the nearest answer is the one that holds.
    pub(crate) fn excluded(&self, project: Option<&Project>) -> Result<Vec<String>, Failure> {
        let mut patterns =
            self.core.stores()?.records.settings().or_failure()?.privacy.exclude_patterns;
        if let Some(project) = project {
            patterns.extend(project.exclude.iter().cloned());
            // Last, so that no pattern takes it back.
            patterns.extend(self.refused_within(&project.path)?);
            patterns.extend(self.own_data_pattern(&project.path));
        }
        Ok(patterns)
    }

    /// Patterns of the folders in this one that the person does not trust.
    pub(crate) fn refused_within(&self, root: &str) -> Result<Vec<String>, Failure> {
        let projects = self.core.stores()?.records.projects().or_failure()?;
        let refused = projects.iter().filter(|project| project.trust == Trust::Untrusted);
        Ok(refused.filter_map(|project| pattern_of(root, &project.path)).collect())
    }

    /// Where the program's own data lies, if that is in this folder. A folder in the data itself (the sample) is one
    /// as others.
    fn own_data_in(&self, root: &str) -> Option<String> {
        let own = self.core.world.files.real_path(self.core.options.data_dir.to_str()?).ok()?;
        Path::new(&own).starts_with(root).then_some(own)
    }

    /// The program's own data beneath a folder as a pattern of what is never taken in.
    pub(crate) fn own_data_pattern(&self, root: &str) -> Option<String> {
        let own = self.own_data_in(root)?;
        // All of it, where the folder is that itself.
        Some(pattern_of(root, &own).unwrap_or_else(|| "/*".to_owned()))
    }

    /// Whether a path of a project lies in the program's own data.
    pub(crate) fn is_own_data(&self, root: &str, path: &[u8]) -> bool {
        let path = Path::new(root).join(String::from_utf8_lossy(path).as_ref());
        self.own_data_in(root).is_some_and(|own| path.starts_with(own))
    }

    /// The text of a file that may go.
    pub(crate) fn text_to_send(
        &self,
        project: &Project,
        path: &str,
    ) -> Result<String, FolderError> {
        let exclude = self.patterns_of(project)?;
        let folder = Folder { root: &project.path, exclude: &exclude };
        self.core.world.files.read_text(folder, path)
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
        self.core.world.files.read_texts(folder, paths)
    }

    /// The text files of a project that may go.
    pub(crate) fn files_to_send(
        &self,
        project: &Project,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError> {
        let exclude = self.patterns_of(project)?;
        let folder = Folder { root: &project.path, exclude: &exclude };
        self.core.world.files.text_files(folder, progress)
    }

    /// Without the settings nothing is known to be allowed, so nothing is read.
    fn patterns_of(&self, project: &Project) -> Result<Vec<String>, FolderError> {
        self.excluded(Some(project)).map_err(|failure| FolderError::Io {
            path: project.path.clone(),
            detail: failure.message,
        })
    }
}

/// As a pattern of `root`, the folder at `path`, if it lies in there.
pub(crate) fn pattern_of(root: &str, path: &str) -> Option<String> {
    let inside = Path::new(path).strip_prefix(root).ok()?;
    let names: Vec<_> = inside.iter().map(|name| escaped(&name.to_string_lossy())).collect();
    (!names.is_empty()).then(|| format!("/{}", names.join("/")))
}

/// A name as a pattern that means nothing but this name.
fn escaped(name: &str) -> String {
    let mut pattern = String::new();
    for c in name.chars() {
        if matches!(c, '\\' | '*' | '?' | '[' | ']' | '{' | '}' | '!' | '#' | ' ') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_another_is_a_pattern_of_that() {
        assert_eq!(pattern_of("/desk/a", "/desk/a/b/c").as_deref(), Some("/b/c"));
        assert_eq!(pattern_of("/", "/desk").as_deref(), Some("/desk"));
        assert_eq!(pattern_of("/desk/a", "/desk/a [1]/*!"), None);
        assert_eq!(pattern_of("/desk", "/desk/a [1]/*!").as_deref(), Some("/a\\ \\[1\\]/\\*\\!"));
        for elsewhere in ["/desk/a", "/desk", "/desk/ab", "/other/a/b"] {
            assert_eq!(pattern_of("/desk/a", elsewhere), None, "{elsewhere}");
        }
    }
}
