//! Lines of session and runtime memory (behaviour.md, Memory): added, removed, taken back, moved into a file.

use siltstone_contract::{
    AddMemory, Failure, KeepMemory, LineRef, MemoryAnswer, MemoryAt, MemoryCommand, MoveLine,
    Saved, Topic,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, MemoryLineId, MessageId};
use siltstone_engine::link;
use siltstone_engine::memory::{
    LineKind, MemoryDocument, MemoryLayer, MemoryLine, VersionOrigin, slash,
};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::FolderError;
use siltstone_engine::project::{Project, Trust, is_never_sent};
use siltstone_engine::section::{MENTION, PASSAGE, message_of};
use siltstone_engine::tool::mcp;

use super::Reach;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::memory::MemoryService;

/// Longest line, in bytes.
const LONGEST: usize = 16 * 1024;

/// How often a file that others write at the same moment is tried.
const TRIES: usize = 5;

/// As much of a text as is kept.
pub(crate) fn keepable(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

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

    /// Keeps a tool's result or a file for a conversation: its text as it is now, as data.
    pub async fn memory_keep(&self, request: KeepMemory) -> Result<MemoryLine, Failure> {
        let KeepMemory { conversation_id, section_id } = request;
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(conversation_id).or_failure()?;
        let project = conversation.project_id.map(|id| stores.records.project(id).or_failure());
        let this = self.clone();
        let kept = blocking(move || match message_of(&section_id) {
            Some(id) => this.result_in(conversation_id, id),
            None => this.file_in(project.transpose()?, &section_id),
        });
        let (kind, text, source) = kept.await??;
        self.keep(&conversation, kind, &text, source)
    }

    /// Keeps a text for a conversation, as data, instead of what was kept of the same source or says the same.
    pub(crate) fn keep(
        &self,
        conversation: &Conversation,
        kind: LineKind,
        text: &str,
        source: String,
    ) -> Result<MemoryLine, Failure> {
        self.keep_whole(conversation, kind, keepable(text), source)
    }

    /// The same for a text that is known to be no longer than it may be.
    pub(crate) fn keep_whole(
        &self,
        conversation: &Conversation,
        kind: LineKind,
        text: &str,
        source: String,
    ) -> Result<MemoryLine, Failure> {
        for line in self.kept_of(conversation, kind)? {
            if line.source.as_ref() == Some(&source) || line.text == text {
                self.remove_line(line)?;
            }
        }
        self.put_line(MemoryLine {
            id: MemoryLineId::new(self.core.now()),
            project_id: conversation.project_id,
            conversation_id: Some(conversation.id),
            kind,
            text: text.to_owned(),
            source: Some(source),
            created_at: self.core.now(),
            removed_at: None,
        })
    }

    /// What is kept of a kind for a conversation.
    pub(crate) fn kept_of(
        &self,
        conversation: &Conversation,
        kind: LineKind,
    ) -> Result<Vec<MemoryLine>, Failure> {
        let memory = self.core.stores()?.memory;
        let mut lines =
            memory.lines(conversation.project_id, Some(conversation.id)).or_failure()?;
        lines.retain(|it| it.kind == kind && it.conversation_id.is_some());
        Ok(lines)
    }

    /// What a tool answered, and whether a server was behind it.
    fn result_in(
        &self,
        conversation: ConversationId,
        id: MessageId,
    ) -> Result<(LineKind, String, String), Failure> {
        let stores = self.core.stores()?;
        let result = stores.transcripts.message(id).or_failure()?.message;
        let texts = result.parts.iter().filter_map(|part| match part {
            Part::ToolResult { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        if result.conversation_id != conversation || text.trim().is_empty() {
            return Err(bad_request("no result of a tool in this conversation"));
        }
        // It stands behind its call, with other results of the same reply between them.
        let mut above = result.parent_id;
        let mut caller = None;
        while let Some(id) = above {
            let message = stores.transcripts.message(id).or_failure()?.message;
            if message.role != Role::Tool {
                caller = Some(message).filter(|it| it.calls_for(&result));
                break;
            }
            above = message.parent_id;
        }
        let by_server = caller.is_some_and(|caller| {
            caller
                .parts
                .iter()
                .any(|part| matches!(part, Part::ToolCall { name, .. } if mcp::is_of_server(name)))
        });
        let kind = if by_server { LineKind::Mcp } else { LineKind::ToolResult };
        Ok((kind, text, link::to_message(id)))
    }

    /// A file of the project that a section shows, as it is now.
    fn file_in(
        &self,
        project: Option<Project>,
        section: &str,
    ) -> Result<(LineKind, String, String), Failure> {
        let place = section.strip_prefix(MENTION).or_else(|| section.strip_prefix(PASSAGE));
        let (Some(project), Some(place)) = (project, place) else {
            return Err(bad_request("the section is neither a tool's result nor a file"));
        };
        if project.trust == Trust::Untrusted {
            return Err(conflict("the folder is not trusted"));
        }
        let read = |path: &str| match is_never_sent(path.rsplit('/').next().unwrap_or(path)) {
            true => Err(FolderError::Excluded { path: path.to_owned() }),
            false => self.privacy.text_to_send(&project, path),
        };
        let short = place.rsplit_once(':').map_or(place, |(path, _)| path);
        let (path, text) = match read(place) {
            Ok(text) => (place, text),
            Err(_) => (short, read(short).or_failure()?),
        };
        Ok((LineKind::File, text, path.to_owned()))
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
