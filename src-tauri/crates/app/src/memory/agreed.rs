//! What the person agreed to: a trusted folder's files as they were when the answer was given, and every change that
//! was looked at since. A file that changed meanwhile goes into requests as it was, and is asked about. Passages that
//! were flagged are left out of what was agreed to, until the person lets each in by its own
//! (`docs/decisions/0009-memory.md`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use siltstone_contract::{
    AgreeMemory, AgreedFile, AllowPassage, ChangedMemory, Failure, ProjectRef, Topic,
};
use siltstone_engine::memory::{FileRecord, Finding, Flagged, flagged, hash_of, lint};
use siltstone_engine::project::{Project, Trust};

use super::{Found, Reach, is_of_project, place_of};
use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::memory::MemoryService;

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
    pub(super) fn judge(&self, this: &MemoryService, path: &str, hash: &str, text: &str) -> Judged {
        let Some(seen) = self.seen.get(path) else {
            return Judged::New;
        };
        // A file that others import too is known by its text there.
        if seen == hash || *seen == hash_of(text.as_bytes()) {
            return Judged::Same;
        }
        match self.text(this, path) {
            Some(text) => Judged::Instead { text, hash: seen.clone() },
            None => Judged::New,
        }
    }

    /// The text that was agreed to, if its version is still there.
    fn text(&self, this: &MemoryService, path: &str) -> Option<String> {
        let seen = self.seen.get(path)?;
        let memory = this.core.stores().ok()?.memory;
        let versions = memory.versions(&place_of(Some(&self.project), path), VERSIONS).ok()?;
        let version = versions.iter().find(|version| version.hash == *seen)?;
        memory.version_text(version.seq).ok()
    }
}

impl MemoryService {
    /// The person said that the folder may speak, as it was shown. What is not as it was then waits for another answer.
    pub(crate) async fn trusted_now(
        &self,
        project: &Project,
        seen: Vec<AgreedFile>,
    ) -> Result<(), Failure> {
        let (this, project) = (self.clone(), project.clone());
        blocking(move || {
            this.leave_out_all(&project, &this.memory_on_disk(Some(&project), Reach::All)?)?;
            // Once more, without what those lines would have imported.
            let found = this.memory_on_disk(Some(&project), Reach::All)?;
            this.leave_out_all(&project, &found)?;
            let mut now = hashes(&found);
            now.retain(|path, hash| {
                seen.iter().any(|it| it.path == *path && it.hash.as_ref() == Some(hash))
            });
            this.agree_to_these(&project, now)?;
            this.find_anew(&project, texts(&found).into_keys().collect())
        })
        .await?
    }

    /// Leaves every flagged passage out, also what was let in before: the question shows it so.
    fn leave_out_all(&self, project: &Project, found: &Found) -> Result<(), Failure> {
        texts(found).into_iter().try_for_each(|(path, text)| {
            self.put_record(project, &path, |record| {
                let all = flagged(&text).into_iter().map(|it| (it.passage.hash, false));
                record.choice.passages.extend(all);
            })
        })
    }

    /// What a search finds in these files is to be looked at again.
    fn find_anew(&self, project: &Project, paths: Vec<String>) -> Result<(), Failure> {
        self.core.stores()?.passages.remove_files(project.id, &paths).or_failure()
    }

    /// Lets a flagged passage of a file into requests, or leaves it out.
    pub async fn memory_allow(&self, request: AllowPassage) -> Result<(), Failure> {
        let AllowPassage { project_id, path, hash, on } = request;
        let project = self.core.stores()?.records.project(project_id).or_failure()?;
        self.put_record(&project, &path, |record| {
            record.choice.passages.insert(hash, on);
        })?;
        self.find_anew(&project, vec![path])?;
        self.core.rules_changed(&project).await;
        self.core.changed([Topic::Memory]);
        Ok(())
    }

    /// Files of a trusted project that are not what the person agreed to.
    pub async fn memory_changes(&self, request: ProjectRef) -> Result<Vec<ChangedMemory>, Failure> {
        let project = self.core.stores()?.records.project(request.id).or_failure()?;
        if project.trust == Trust::Untrusted {
            return Ok(Vec::new());
        }
        let this = self.clone();
        blocking(move || this.changes_of(&project)).await?
    }

    /// Agrees to changed files as they were shown; one that changed again since stays asked about.
    pub async fn memory_agree(&self, request: AgreeMemory) -> Result<(), Failure> {
        let project = self.core.stores()?.records.project(request.project_id).or_failure()?;
        let (this, of) = (self.clone(), project.clone());
        let work = move || {
            let changes = this.changes_of(&of)?;
            for change in changes {
                let named = request
                    .files
                    .iter()
                    .any(|file| file.path == change.path && file.hash == change.hash);
                if named {
                    if let Some(now) = &change.now {
                        this.leave_out_flagged(&of, &change.path, change.before.as_deref(), now)?;
                    }
                    this.agree(&of, &change.path, change.hash)?;
                    this.find_anew(&of, vec![change.path])?;
                }
            }
            Ok(())
        };
        blocking(work).await??;
        self.core.rules_changed(&project).await;
        self.core.changed([Topic::Memory]);
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

    /// What of a text was flagged and was neither agreed to nor decided on is left out.
    fn leave_out_flagged(
        &self,
        project: &Project,
        path: &str,
        before: Option<&str>,
        now: &str,
    ) -> Result<(), Failure> {
        let agreed = flagged(before.unwrap_or_default());
        self.decide_passages(project, path, now, &|hash| {
            let known = agreed.iter().any(|it| it.passage.hash == hash);
            (!known).then_some(false)
        })
    }

    /// Decides on the flagged passages of a text that nobody decided on; `None` leaves one undecided.
    fn decide_passages(
        &self,
        project: &Project,
        path: &str,
        text: &str,
        how: &dyn Fn(&str) -> Option<bool>,
    ) -> Result<(), Failure> {
        self.put_record(project, path, |record| {
            for Flagged { passage, .. } in flagged(text) {
                if let (Some(goes), Entry::Vacant(vacant)) =
                    (how(&passage.hash), record.choice.passages.entry(passage.hash))
                {
                    vacant.insert(goes);
                }
            }
        })
    }

    /// The person saved a file here: what they added goes, and what another program had put there and nobody agreed to
    /// is left out.
    pub(super) fn decide_on_saved(
        &self,
        agreement: &Agreement,
        path: &str,
        disk: &str,
        saved: &str,
    ) -> Result<(), Failure> {
        let agreed = flagged(&agreement.text(self, path).unwrap_or_default());
        let disk = flagged(disk);
        let is_in = |all: &[Flagged], hash: &str| all.iter().any(|it| it.passage.hash == hash);
        self.decide_passages(&agreement.project, path, saved, &|hash| {
            (!is_in(&agreed, hash)).then(|| !is_in(&disk, hash))
        })
    }

    /// The person trusts the folder as it is now.
    fn agree_to_all(&self, project: &Project) -> Result<(), Failure> {
        self.agree_to_these(project, hashes(&self.memory_on_disk(Some(project), Reach::All)?))
    }

    /// The files of a project that were agreed to.
    pub(crate) fn agreed_before(&self, project: &Project) -> Result<Vec<AgreedFile>, Failure> {
        let records = self.file_records(Some(project))?.into_iter();
        Ok(records.map(|record| AgreedFile { path: record.path, hash: record.seen }).collect())
    }

    /// These files by their hashes, and no others.
    fn agree_to_these(
        &self,
        project: &Project,
        mut now: BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        now.insert(FOLDER.to_owned(), String::new());
        let memory = self.core.stores()?.memory;
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
        self.core.stores()?.memory.put_file_record(project.id, &record).or_failure()
    }

    /// Whether a file that was read from disk, or something it imports, is not what was agreed to.
    pub(super) fn changed_paths(&self, project: &Project) -> Result<Vec<String>, Failure> {
        Ok(self.agreed_memory(Some(project), Reach::All)?.changed)
    }

    fn changes_of(&self, project: &Project) -> Result<Vec<ChangedMemory>, Failure> {
        let agreement = self.agreement(project)?;
        let records = self.file_records(Some(project))?;
        let found = self.memory_on_disk(Some(project), Reach::All)?;
        let texts = texts(&found);
        let now = hashes(&found);
        let mut changes = Vec::new();
        for (path, text) in &texts {
            let hash = now.get(path).cloned().unwrap_or_default();
            if !matches!(agreement.judge(self, path, &hash, text), Judged::Same) {
                let before = agreement.text(self, path);
                let agreed = flagged(before.as_deref().unwrap_or_default());
                let record = records.iter().find(|record| record.path == *path);
                let known = record.map(|record| &record.choice.passages);
                let findings = found_in(text, &|hash| {
                    let decided = known.and_then(|known| known.get(hash).copied());
                    decided.unwrap_or_else(|| agreed.iter().any(|it| it.passage.hash == hash))
                });
                changes.push(ChangedMemory {
                    path: path.clone(),
                    before,
                    now: Some(text.clone()),
                    hash: Some(hash),
                    findings,
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

/// What to look at in a text, with what of it would be left out.
pub(super) fn found_in(text: &str, goes: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut found = lint(text);
    for passage in found.iter_mut().filter_map(|it| it.passage.as_mut()) {
        passage.left_out = !goes(&passage.hash);
    }
    found
}

/// The texts of a project that could go into a request, its imports included, by path.
fn texts(found: &Found) -> BTreeMap<String, String> {
    let files = found.files.iter().map(|it| &it.file);
    let read = files.filter(|file| file.refused.is_none() && is_of_project(file));
    let imported = found.imported.iter().map(|(path, text)| (path.clone(), text.clone()));
    imported.chain(read.map(|file| (file.path.clone(), file.text.clone()))).collect()
}

/// All that would be agreed to.
pub(super) fn seen_in(found: &Found) -> Vec<AgreedFile> {
    let named = |(path, hash)| AgreedFile { path, hash: Some(hash) };
    hashes(found).into_iter().map(named).collect()
}

/// Their hashes.
fn hashes(found: &Found) -> BTreeMap<String, String> {
    let files = found.files.iter().map(|it| &it.file);
    let read = files.filter(|file| file.refused.is_none() && is_of_project(file));
    let of_text = |(path, text): (&String, &String)| (path.clone(), hash_of(text.as_bytes()));
    let imported = found.imported.iter().map(of_text);
    imported.chain(read.map(|file| (file.path.clone(), file.hash.clone()))).collect()
}
