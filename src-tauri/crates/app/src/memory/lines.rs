//! Lines of session and runtime memory (seed 004, "메모리 명령어"): added, removed, taken back, moved into a file.

use siltstone_contract::{
    AddMemory, Failure, LineRef, MemoryAnswer, MemoryAt, MemoryCommand, MoveLine, Saved, Topic,
};
use siltstone_engine::ids::MemoryLineId;
use siltstone_engine::memory::{
    LineKind, MemoryDocument, MemoryLayer, MemoryLine, VersionOrigin, slash,
};
use siltstone_engine::project::Project;

use super::Reach;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::memory::MemoryService;

/// Longest line, in bytes.
const LONGEST: usize = 16 * 1024;

/// How often a file that others write at the same moment is tried.
const TRIES: usize = 5;

impl MemoryService {
    /// Remembers a line.
    pub async fn memory_add(&self, request: AddMemory) -> Result<MemoryLine, Failure> {
        let text = request.text.trim();
        if text.is_empty() || text.len() > LONGEST {
            return Err(bad_request("a line of memory has 1 to 16,384 bytes"));
        }
        let stores = self.core.stores()?;
        // A line of a conversation belongs to where the conversation does.
        let project_id = match request.conversation_id {
            Some(id) => stores.transcripts.conversation(id).or_failure()?.project_id,
            None => request.project_id,
        };
        if let Some(project) = project_id {
            stores.records.project(project).or_failure()?;
        }
        let line = MemoryLine {
            id: MemoryLineId::new(self.core.now()),
            project_id,
            conversation_id: request.conversation_id,
            kind: LineKind::Added,
            text: text.to_owned(),
            source: request.source,
            created_at: self.core.now(),
            removed_at: None,
        };
        self.put_line(line)
    }

    /// Removes a line; it can be taken back.
    pub async fn memory_remove(&self, request: LineRef) -> Result<(), Failure> {
        let line = self.core.stores()?.memory.line(request.id).or_failure()?;
        self.remove_line(line).map(|_| ())
    }

    /// Takes back the removal of a line.
    pub async fn memory_undo(&self, request: LineRef) -> Result<MemoryLine, Failure> {
        let line = self.core.stores()?.memory.line(request.id).or_failure()?;
        self.put_line(MemoryLine { removed_at: None, ..line })
    }

    /// Removes all lines of a place; gives them, so that each can be taken back.
    pub async fn memory_clear(&self, request: MemoryAt) -> Result<Vec<MemoryLine>, Failure> {
        let memory = self.core.stores()?.memory;
        let lines = memory.lines(request.project_id, request.conversation_id).or_failure()?;
        lines.into_iter().map(|line| self.remove_line(line)).collect()
    }

    /// Makes a line part of a file of the project, or of global memory; the file is made where there is none.
    pub async fn memory_move(&self, request: MoveLine) -> Result<MemoryDocument, Failure> {
        let stores = self.core.stores()?;
        let line = stores.memory.line(request.id).or_failure()?;
        let project = line.project_id.map(|id| stores.records.project(id).or_failure());
        let project = match request.to {
            MemoryLayer::Global => None,
            MemoryLayer::Project => {
                Some(project.transpose()?.ok_or_else(|| bad_request("the line has no project"))?)
            }
            _ => return Err(bad_request("a line moves to the project or to global memory")),
        };
        let (this, text) = (self.clone(), line.text.clone());
        let document = blocking(move || this.append(project.as_ref(), &text)).await??;
        self.remove_line(line)?;
        Ok(document)
    }

    /// Carries out `/memory …`.
    pub async fn memory_command(&self, request: MemoryCommand) -> Result<MemoryAnswer, Failure> {
        let MemoryCommand { project_id, conversation_id, text } = request;
        let at = MemoryAt { project_id, conversation_id, dir: None };
        let command = slash::parse(&text)
            .ok_or_else(|| bad_request("/memory add TEXT, show, refresh, clear or list"))?;
        Ok(match command {
            slash::Slash::MemoryAdd(text) => {
                let line = AddMemory { project_id, conversation_id, text, source: None };
                MemoryAnswer::Added { line: self.memory_add(line).await? }
            }
            slash::Slash::MemoryShow => {
                MemoryAnswer::Shown { effective: self.memory_effective(at).await? }
            }
            slash::Slash::MemoryList => {
                MemoryAnswer::Listed { view: self.memory_layers(at).await? }
            }
            slash::Slash::MemoryRefresh => {
                MemoryAnswer::Refreshed { view: self.memory_refresh(at).await? }
            }
            slash::Slash::MemoryClear => {
                MemoryAnswer::Cleared { lines: self.memory_clear(at).await? }
            }
        })
    }

    fn put_line(&self, line: MemoryLine) -> Result<MemoryLine, Failure> {
        self.core.stores()?.memory.put_line(&line).or_failure()?;
        self.core.changed([Topic::Memory]);
        Ok(line)
    }

    fn remove_line(&self, line: MemoryLine) -> Result<MemoryLine, Failure> {
        self.put_line(MemoryLine { removed_at: Some(self.core.now()), ..line })
    }

    /// Adds a line at the end of the first file of a layer.
    fn append(&self, project: Option<&Project>, line: &str) -> Result<MemoryDocument, Failure> {
        let path = self.first_file(project)?;
        let line = line.replace('\n', "\n  ");
        for _ in 0..TRIES {
            let now = self.opened(project, &path)?;
            let above = now.text.trim_end();
            let gap = if above.is_empty() { "" } else { "\n" };
            let text = format!("{above}{gap}- {line}\n");
            let base = now.hash.as_deref();
            if let Saved::Saved { document } =
                self.saved(project, &path, &text, base, VersionOrigin::Saved)?
            {
                return Ok(document);
            }
        }
        Err(conflict("another program keeps writing the file"))
    }

    /// The file that new lines of the project, or of global memory, go into.
    fn first_file(&self, project: Option<&Project>) -> Result<String, Failure> {
        let Some(project) = project else {
            return self.own_global_file();
        };
        let found = self.memory_on_disk(Some(project), Reach::Along(&[]))?;
        let rules = self.memory_rules(Some(project))?;
        let own = found.files.iter().map(|it| &it.file).find(|file| {
            file.layer == MemoryLayer::Project && file.refused.is_none() && file.same_as.is_none()
        });
        let first = || rules.settings.names.first().cloned();
        own.map(|file| file.path.clone())
            .or_else(first)
            .ok_or_else(|| bad_request("the settings name no memory file"))
    }
}
