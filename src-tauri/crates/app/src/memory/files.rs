//! Memory files as they are edited: opened, saved, chosen, taken back to a version.

use std::path::Path;

use siltstone_contract::{
    ChooseMemory, Code, DraftText, Failure, MemoryFileRef, ProjectRef, RestoreMemory, SaveMemory,
    Saved, Topic, VersionRef, VersionText,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::{
    FileChoice, MemoryDocument, MemoryFile, MemoryVersion, Sameness, SaveError, VersionOrigin,
};
use siltstone_engine::project::{Project, Trust};

use super::{draft, place_of};
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request};
use crate::memory::MemoryService;

/// Versions that are listed.
const VERSIONS: u32 = 500;

impl MemoryService {
    /// A memory file for editing; one that does not exist yet is empty.
    pub async fn memory_open(&self, request: MemoryFileRef) -> Result<MemoryDocument, Failure> {
        let project = self.project_of(request.project_id)?;
        let this = self.clone();
        blocking(move || this.opened(project.as_ref(), &request.path)).await?
    }

    /// Writes a memory file, unless it is not what the editor began with.
    pub async fn memory_save(&self, request: SaveMemory) -> Result<Saved, Failure> {
        let SaveMemory { project_id, path, text, base } = request;
        self.save_memory(project_id, path, text, base, VersionOrigin::Saved).await
    }

    /// The versions of a memory file, newest first.
    pub async fn memory_versions(
        &self,
        request: MemoryFileRef,
    ) -> Result<Vec<MemoryVersion>, Failure> {
        let project = self.project_of(request.project_id)?;
        let path = place_of(project.as_ref(), &request.path);
        self.core.stores()?.memory.versions(&path, VERSIONS).or_failure()
    }

    /// What a version says.
    pub async fn memory_version(&self, request: VersionRef) -> Result<VersionText, Failure> {
        let text = self.core.stores()?.memory.version_text(request.seq).or_failure()?;
        Ok(VersionText { text })
    }

    /// Writes a version again.
    pub async fn memory_restore(&self, request: RestoreMemory) -> Result<Saved, Failure> {
        let RestoreMemory { project_id, path, seq, base } = request;
        let project = self.project_of(project_id)?;
        let memory = self.core.stores()?.memory;
        let versions =
            memory.versions(&place_of(project.as_ref(), &path), VERSIONS).or_failure()?;
        if !versions.iter().any(|version| version.seq == seq) {
            return Err(Failure::new(Code::NotFound, format!("{path} has no version {seq}")));
        }
        let text = memory.version_text(seq).or_failure()?.replace("\r\n", "\n");
        self.save_memory(project_id, path, text, base, VersionOrigin::Restored).await
    }

    /// Says whether and when a file takes part in a project's requests.
    pub async fn memory_choose(&self, request: ChooseMemory) -> Result<(), Failure> {
        let project = self.core.stores()?.records.project(request.project_id).or_failure()?;
        self.put_record(&project, &request.path, |record| {
            // What was said of passages, and of agents, is said elsewhere.
            let FileChoice { passages, share, .. } = std::mem::take(&mut record.choice);
            record.choice = FileChoice { passages, share, ..request.choice };
        })?;
        self.core.rules_changed(&project).await;
        self.core.changed([Topic::Memory]);
        Ok(())
    }

    /// A first memory file for a project, from what its folder shows. Nothing is written.
    pub async fn memory_draft(&self, request: ProjectRef) -> Result<DraftText, Failure> {
        let project = self.core.stores()?.records.project(request.id).or_failure()?;
        let (this, language) = (self.clone(), self.core.language());
        blocking(move || {
            let paths = this.privacy.files_to_send(&project, &mut |_| true).or_failure()?;
            let paths: Vec<String> = paths.into_iter().map(|file| file.path).collect();
            let read = |path: &str| this.privacy.text_to_send(&project, path).ok();
            let text = draft::draft(&project.name, &paths, &read, &language);
            let rules = this.memory_rules(Some(&project))?;
            let names = rules.settings.names.into_iter();
            let path = names.into_iter().find(|name| name.ends_with(".md"));
            let path = path.ok_or_else(|| bad_request("the settings name no memory file"))?;
            Ok(DraftText { path, text })
        })
        .await?
    }

    pub(super) fn project_of(&self, id: Option<ProjectId>) -> Result<Option<Project>, Failure> {
        id.map(|id| self.core.stores()?.records.project(id).or_failure()).transpose()
    }

    pub(super) fn opened(
        &self,
        project: Option<&Project>,
        path: &str,
    ) -> Result<MemoryDocument, Failure> {
        let rules = self.memory_rules(project)?;
        self.core.world.memory.open(&rules.at(project), path).or_failure()
    }

    /// The program's own file of global memory, whether or not it exists.
    pub(super) fn own_global_file(&self) -> Result<String, Failure> {
        let own = self.core.world.memory.own_file();
        own.ok_or_else(|| Failure::new(Code::NotFound, "there is no folder for settings"))
    }

    async fn save_memory(
        &self,
        project_id: Option<ProjectId>,
        path: String,
        text: String,
        base: Option<String>,
        origin: VersionOrigin,
    ) -> Result<Saved, Failure> {
        let project = self.project_of(project_id)?;
        let (this, of) = (self.clone(), project.clone());
        let saved =
            blocking(move || this.saved(of.as_ref(), &path, &text, base.as_deref(), origin))
                .await??;
        if let Some(project) = project {
            self.core.rules_changed(&project).await;
        }
        Ok(saved)
    }

    /// All names of a memory file beside it, its own first.
    pub(super) fn names_of(&self, project: &Project, path: &str) -> Result<Vec<String>, Failure> {
        let (rules, dir) = (self.memory_rules(Some(project))?, path.rsplit_once('/'));
        let dirs: Vec<String> = dir.iter().map(|(dir, _)| (*dir).to_owned()).collect();
        let files = self.core.world.memory.along(&rules.at(Some(project)), &dirs).or_failure()?;
        let first = |file: &MemoryFile| match &file.same_as {
            Some(same) if same.how == Sameness::File => same.path.clone(),
            _ => file.path.clone(),
        };
        let own = files.iter().find(|file| file.path == path).map(first);
        let others = files.iter().filter(|it| it.path != path && own.as_ref() == Some(&first(it)));
        Ok([path.to_owned()].into_iter().chain(others.map(|it| it.path.clone())).collect())
    }

    /// Writes a file and keeps the version. What the person writes here the person agrees to.
    pub(super) fn saved(
        &self,
        project: Option<&Project>,
        path: &str,
        text: &str,
        base: Option<&str>,
        origin: VersionOrigin,
    ) -> Result<Saved, Failure> {
        let rules = self.memory_rules(project)?;
        let agrees = project
            .filter(|project| project.trust == Trust::Trusted && !Path::new(path).is_absolute());
        // What else changed meanwhile is not agreed to by this.
        let agreement = agrees.map(|project| self.agreement(project)).transpose()?;
        let look = self.look();
        let before = self.core.world.memory.open(&rules.at(project), path).ok();
        let document = match self.core.world.memory.save(&rules.at(project), path, text, base) {
            Ok(document) => document,
            Err(SaveError::Changed { now }) => return Ok(Saved::Changed { now }),
            Err(SaveError::ReadOnly { detail }) => {
                return Err(Failure::new(Code::FileReadOnly, format!("{path}: {detail}")));
            }
            Err(SaveError::Folder(error)) => return Err(error).or_failure(),
        };
        // What it replaces may never have been read into a request.
        let disk = before.as_ref().map(|before| before.text.clone()).unwrap_or_default();
        if let Some(MemoryDocument { text, hash: Some(hash), .. }) = before
            && base == Some(hash.as_str())
        {
            self.keep_version(project, path, &text, &hash, VersionOrigin::Disk, look);
        }
        let hash = document.hash.clone().unwrap_or_default();
        self.keep_version(project, path, &document.text, &hash, origin, self.look());
        if let (Some(project), Some(agreement)) = (agrees, agreement) {
            self.decide_on_saved(&agreement, path, &disk, &document.text)?;
            // By all its names: a link to it says the same.
            for path in self.names_of(project, path)? {
                self.agree(project, &path, Some(hash.clone()))?;
            }
        }
        self.core.changed([Topic::Memory]);
        Ok(Saved::Saved { document })
    }
}
