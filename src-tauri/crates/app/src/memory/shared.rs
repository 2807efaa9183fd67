//! The files of other agents, as memory is kept in them (`engine::memory::share`): what of memory goes there, and their
//! texts before and after. `agents` decides when.

use std::path::Path;

use siltstone_contract::{Code, Failure, Saved, Topic};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::share::Shared;
use siltstone_engine::memory::{
    Expanded, Injection, LineKind, MemoryDocument, MemoryLayer, SaveError, Share, ShareFile,
    VersionOrigin,
};
use siltstone_engine::project::Project;

use super::Rules;
use super::agreed::Judged;
use crate::core::failure::{Outcome, conflict};
use crate::memory::MemoryService;

/// A file that memory may be kept in, as it is.
pub(crate) struct Sharing {
    pub(crate) document: MemoryDocument,
    /// As the person chose it.
    pub(crate) how: Option<Share>,
    /// Whether what somebody else wrote there waits for the person's answer.
    pub(crate) waits: bool,
}

impl Sharing {
    /// What it says; `None` where there is no file.
    pub(crate) fn text(&self) -> Option<&str> {
        self.document.hash.as_ref().map(|_| self.document.text.as_str())
    }
}

impl MemoryService {
    /// Projects of which memory is kept in files of agents.
    pub(crate) fn sharing(&self) -> Result<Vec<ProjectId>, Failure> {
        self.core.stores()?.memory.sharing().or_failure()
    }

    /// The file as it is.
    pub(crate) fn share_of(&self, project: &Project, file: ShareFile) -> Result<Sharing, Failure> {
        let rules = self.share_rules(project, file)?;
        let linked = self.names_of(project, file.path())?;
        let to = ShareFile::ALL.into_iter().take_while(|it| *it != file);
        if let Some(to) = to.map(ShareFile::path).find(|to| linked.iter().any(|it| it == to)) {
            let path = file.path();
            return Err(Failure::new(
                Code::Conflict,
                format!("{path} is {to} under another name; memory is kept there"),
            ));
        }
        let document = self.core.world.memory.open(&rules.at(Some(project)), file.path());
        let document = document.or_failure()?;
        let records = self.file_records(Some(project))?;
        let record = records.into_iter().find(|record| record.path == file.path());
        let how = record.and_then(|record| record.choice.share);
        let waits = match (&document.hash, self.is_memory(project, file)?) {
            (Some(hash), true) => self.waits(project, file, hash, &document.text)?,
            _ => false,
        };
        Ok(Sharing { document, how, waits })
    }

    /// Whether a file says something outside of the block that was not agreed to.
    fn waits(
        &self,
        project: &Project,
        file: ShareFile,
        hash: &str,
        text: &str,
    ) -> Result<bool, Failure> {
        let own = |text: &str| file.take_out(text).unwrap_or(None).unwrap_or_default();
        Ok(match self.agreement(project)?.judge(self, file.path(), hash, text) {
            Judged::Same => false,
            Judged::Instead { text: agreed, .. } => own(&agreed) != own(text),
            Judged::New => true,
        })
    }

    /// What goes into a file of memory: what is of the project, and what is of none where that is wished for. What the file
    /// says itself, or takes in, is not said again. What was decided is not known here.
    pub(crate) fn shared_texts(
        &self,
        project: &Project,
        file: ShareFile,
        how: Share,
    ) -> Result<Shared, Failure> {
        let memory = self.core.stores()?.memory;
        let mut lines = Vec::new();
        for of in [how.global.then_some(None), Some(Some(project.id))].into_iter().flatten() {
            let added = memory.lines(of, None).or_failure()?.into_iter();
            lines.extend(added.filter(|it| it.kind == LineKind::Added).map(|it| it.text));
        }
        let records = self.file_records(Some(project))?;
        let found = self.found_for(Some(project), &[], &mut Vec::new())?;
        let own = found.files.iter().find(|it| it.file.path == file.path());
        let imported: Vec<&String> =
            own.iter().flat_map(|it| &it.imports).filter_map(|note| note.to.as_ref()).collect();
        let goes = |it: &&Expanded| {
            let choice = records.iter().find(|record| record.path == it.file.path);
            let choice = choice.map(|record| &record.choice);
            let injection = choice.and_then(|it| it.injection).or(it.front.injection);
            it.counts()
                && choice.is_none_or(|it| it.on)
                && injection.unwrap_or_default() == Injection::Static
                && it.front.paths.is_empty()
                && it.file.path != file.path()
                && !imported.contains(&&it.file.path)
                && match it.file.layer {
                    MemoryLayer::Global => how.global,
                    layer => layer == MemoryLayer::Project,
                }
        };
        let named = |it: &Expanded| match Path::new(&it.file.path).is_absolute() {
            // Where it lies says who the person is.
            true => "the memory of all projects".to_owned(),
            false => it.file.path.clone(),
        };
        let files = found.files.iter().filter(goes).map(|it| (named(it), it.text())).collect();
        Ok(Shared { lines, files, decided: Vec::new() })
    }

    /// Says how memory is kept in a file, or that it is not.
    pub(crate) fn choose_share(
        &self,
        project: &Project,
        file: ShareFile,
        how: Option<Share>,
    ) -> Result<(), Failure> {
        self.put_record(project, file.path(), |record| record.choice.share = how)
    }

    /// Writes such a file in the place of what has the hash `base`, or takes it away.
    pub(crate) fn write_shared(
        &self,
        project: &Project,
        file: ShareFile,
        text: Option<&str>,
        base: Option<&str>,
    ) -> Result<(), Failure> {
        let (rules, path) = (self.share_rules(project, file)?, file.path());
        let changed = || conflict("the file was changed meanwhile; look at it again");
        let failed = |error: SaveError| match error {
            SaveError::Changed { .. } => changed(),
            SaveError::ReadOnly { detail } => {
                Failure::new(Code::FileReadOnly, format!("{path}: {detail}"))
            }
            SaveError::Folder(error) => {
                Err::<(), _>(error).or_failure().err().unwrap_or_else(changed)
            }
        };
        let is_memory = self.is_memory(project, file)?;
        let place = rules.at(Some(project));
        match (text, base) {
            (Some(text), base) if is_memory => {
                match self.saved(Some(project), path, text, base, VersionOrigin::Saved)? {
                    Saved::Saved { .. } => {}
                    Saved::Changed { .. } => return Err(changed()),
                }
            }
            (Some(text), base) => {
                let written =
                    self.core.world.memory.save(&place, path, text, base).map_err(failed)?;
                let hash = written.hash.unwrap_or_default();
                let (text, origin) = (&written.text, VersionOrigin::Saved);
                self.keep_version(Some(project), path, text, &hash, origin, self.look());
            }
            (None, Some(base)) => {
                self.core.world.memory.remove(&place, path, base).map_err(failed)?;
                if is_memory {
                    self.agree(project, path, None)?;
                }
            }
            (None, None) => {}
        }
        self.core.changed([Topic::Memory]);
        Ok(())
    }

    /// Whether this program reads the file as memory too.
    fn is_memory(&self, project: &Project, file: ShareFile) -> Result<bool, Failure> {
        Ok(self.memory_rules(Some(project))?.settings.names.iter().any(|it| it == name_of(file)))
    }

    /// How memory is found where this file counts as memory.
    fn share_rules(&self, project: &Project, file: ShareFile) -> Result<Rules, Failure> {
        let mut rules = self.memory_rules(Some(project))?;
        if !self.is_memory(project, file)? {
            rules.settings.names.push(name_of(file).to_owned());
        }
        Ok(rules)
    }
}

/// The name under which the settings know the file, or the folder of rules that it is in.
fn name_of(file: ShareFile) -> &'static str {
    match file {
        ShareFile::Cursor => ".cursor/rules",
        file => file.path(),
    }
}
