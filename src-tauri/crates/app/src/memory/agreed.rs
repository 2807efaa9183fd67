//! What the person agreed to: a trusted folder's files as they were when the answer was given, and every change that
//! was looked at since. A file that changed meanwhile goes into requests as it was, and is asked about.

use std::collections::{BTreeMap, HashMap};

use siltstone_contract::{AgreeMemory, ChangedMemory, Failure, ProjectRef, Topic};
use siltstone_engine::memory::{FileRecord, hash_of, lint};
use siltstone_engine::project::{Project, Trust};

use super::{Found, Reach, is_of_project, place_of};
use crate::App;
use crate::failure::Outcome;
use crate::projects::blocking;

/// The record that says that the folder as a whole was agreed to; no file is called so.
const FOLDER: &str = "";

/// Versions in which an agreed text is looked for.
const VERSIONS: u32 = 200;

/// What was agreed to of a project.
pub(super) struct Agreement {
    pub(super) project: Project,
    /// By path, the hash of the text.
    seen: HashMap<String, String>,
}

/// What the person said to a text.
pub(super) enum Judged {
    /// Yes.
    Same,
    /// Yes to this one, which it was before.
    Instead { text: String, hash: String },
    /// Nothing yet.
    New,
}

impl Agreement {
    pub(super) fn judge(&self, app: &App, path: &str, hash: &str, text: &str) -> Judged {
        let Some(seen) = self.seen.get(path) else {
            return Judged::New;
        };
        // A file that others import too is known by its text there.
        if seen == hash || *seen == hash_of(text.as_bytes()) {
            return Judged::Same;
        }
        match self.text(app, path) {
            Some(text) => Judged::Instead { text, hash: seen.clone() },
            None => Judged::New,
        }
    }

    /// The text that was agreed to, if its version is still there.
    fn text(&self, app: &App, path: &str) -> Option<String> {
        let seen = self.seen.get(path)?;
        let memory = app.stores().ok()?.memory;
        let versions = memory.versions(&place_of(Some(&self.project), path), VERSIONS).ok()?;
        let version = versions.iter().find(|version| version.hash == *seen)?;
        memory.version_text(version.seq).ok()
    }
}

impl App {
    /// The person said that the folder may speak, as it is now.
    pub(crate) async fn trusted_now(&self, project: &Project) -> Result<(), Failure> {
        let (app, project) = (self.clone(), project.clone());
        blocking(move || app.agree_to_all(&project)).await?
    }

    /// Files of a trusted project that are not what the person agreed to.
    pub async fn memory_changes(&self, request: ProjectRef) -> Result<Vec<ChangedMemory>, Failure> {
        let project = self.stores()?.records.project(request.id).or_failure()?;
        if project.trust == Trust::Untrusted {
            return Ok(Vec::new());
        }
        let app = self.clone();
        blocking(move || app.changes_of(&project)).await?
    }

    /// Agrees to changed files as they were shown; one that changed again since stays asked about.
    pub async fn memory_agree(&self, request: AgreeMemory) -> Result<(), Failure> {
        let project = self.stores()?.records.project(request.project_id).or_failure()?;
        let (app, of) = (self.clone(), project.clone());
        let work = move || {
            let changes = app.changes_of(&of)?;
            for change in changes {
                let named = request
                    .files
                    .iter()
                    .any(|file| file.path == change.path && file.hash == change.hash);
                if named {
                    app.agree(&of, &change.path, change.hash)?;
                }
            }
            Ok(())
        };
        blocking(work).await??;
        self.rules_changed(&project).await;
        self.changed([Topic::Memory]);
        Ok(())
    }

    /// What was agreed to of a trusted project. One that was trusted before changes were asked about is agreed to as it
    /// is now.
    pub(super) fn agreement(&self, project: &Project) -> Result<Agreement, Failure> {
        let mut records = self.file_records(Some(project))?;
        if !records.iter().any(|record| record.path == FOLDER) {
            self.agree_to_all(project)?;
            records = self.file_records(Some(project))?;
        }
        let seen = records.into_iter().filter_map(|record| Some((record.path, record.seen?)));
        Ok(Agreement { project: project.clone(), seen: seen.collect() })
    }

    /// The person trusts the folder as it is now.
    pub(crate) fn agree_to_all(&self, project: &Project) -> Result<(), Failure> {
        let mut now = hashes(&self.memory_on_disk(Some(project), Reach::All)?);
        now.insert(FOLDER.to_owned(), String::new());
        let memory = self.stores()?.memory;
        for record in memory.file_records(project.id).or_failure()? {
            let seen = now.remove(&record.path);
            if record.seen != seen {
                memory.put_file_record(project.id, &FileRecord { seen, ..record }).or_failure()?;
            }
        }
        now.into_iter().try_for_each(|(path, hash)| {
            let record = FileRecord { path, seen: Some(hash), ..FileRecord::default() };
            memory.put_file_record(project.id, &record).or_failure()
        })
    }

    /// Agrees to a file with this hash, or to its being gone.
    pub(super) fn agree(
        &self,
        project: &Project,
        path: &str,
        hash: Option<String>,
    ) -> Result<(), Failure> {
        self.put_record(project, path, |record| record.seen = hash)
    }

    /// Changes what is known of a file.
    pub(super) fn put_record(
        &self,
        project: &Project,
        path: &str,
        how: impl FnOnce(&mut FileRecord),
    ) -> Result<(), Failure> {
        let known = self.file_records(Some(project))?.into_iter().find(|it| it.path == path);
        let before =
            known.unwrap_or_else(|| FileRecord { path: path.to_owned(), ..FileRecord::default() });
        let mut record = before.clone();
        how(&mut record);
        if record == before {
            return Ok(());
        }
        self.stores()?.memory.put_file_record(project.id, &record).or_failure()
    }

    /// Whether a file that was read from disk, or something it imports, is not what was agreed to.
    pub(super) fn changed_paths(&self, project: &Project) -> Result<Vec<String>, Failure> {
        Ok(self.agreed_memory(Some(project), Reach::All)?.changed)
    }

    fn changes_of(&self, project: &Project) -> Result<Vec<ChangedMemory>, Failure> {
        let agreement = self.agreement(project)?;
        let found = self.memory_on_disk(Some(project), Reach::All)?;
        let texts = texts(&found);
        let now = hashes(&found);
        let mut changes = Vec::new();
        for (path, text) in &texts {
            let hash = now.get(path).cloned().unwrap_or_default();
            if !matches!(agreement.judge(self, path, &hash, text), Judged::Same) {
                changes.push(ChangedMemory {
                    path: path.clone(),
                    before: agreement.text(self, path),
                    now: Some(text.clone()),
                    hash: Some(hash),
                    findings: lint(text),
                });
            }
        }
        let refused = |path: &str| found.files.iter().any(|it| it.file.path == path);
        for path in agreement.seen.keys() {
            if path != FOLDER && !texts.contains_key(path) && !refused(path) {
                let before = agreement.text(self, path);
                let (now, hash, findings) = (None, None, Vec::new());
                changes.push(ChangedMemory { path: path.clone(), before, now, hash, findings });
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }
}

/// The texts of a project that could go into a request, its imports included, by path.
fn texts(found: &Found) -> BTreeMap<String, String> {
    let files = found.files.iter().map(|it| &it.file);
    let read = files.filter(|file| file.refused.is_none() && is_of_project(file));
    let imported = found.imported.iter().map(|(path, text)| (path.clone(), text.clone()));
    imported.chain(read.map(|file| (file.path.clone(), file.text.clone()))).collect()
}

/// Their hashes.
fn hashes(found: &Found) -> BTreeMap<String, String> {
    let files = found.files.iter().map(|it| &it.file);
    let read = files.filter(|file| file.refused.is_none() && is_of_project(file));
    let of_text = |(path, text): (&String, &String)| (path.clone(), hash_of(text.as_bytes()));
    let imported = found.imported.iter().map(of_text);
    imported.chain(read.map(|file| (file.path.clone(), file.hash.clone()))).collect()
}
