//! What agents outside get and leave: programs of others that the person told to use Siltstone's memory, which ask
//! through `silt mcp serve`. They get what is of one project and what is global, as data and without secrets; nothing of
//! a folder that is not trusted, nor of one whose conversations ask this computer alone, because where an agent sends it
//! is not ours to see. What they leave is a line in the inbox, or a checkpoint; nothing else changes for them. `clients`
//! names Siltstone in their settings, when the person asks for it, and `shared` keeps memory in the files that they read.

mod clients;
mod proposed;
mod recalled;
mod shared;

use siltstone_contract::{
    CheckpointItem, CreateCheckpoint, ExportConversation, ExportFormat, ExportedText, Failure,
    ProjectRef, ResumeCard,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::memory::{Effective, clean};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::workflow::Decision;

use crate::checkpoints::CheckpointService;
use crate::conversations::ConversationService;
use crate::core::failure::{Outcome, bad_request, conflict, of_store};
use crate::core::{Core, service};
use crate::memory::{MemoryService, beneath};
use crate::privacy::PrivacyService;
use crate::search::SearchService;
use crate::sessions::SessionService;

/// Most characters of a note that name a checkpoint; a number that tells it from others still has room.
const NOTE: usize = 90;

/// Checkpoints of one note.
const SAME_NOTE: u32 = 1_000;

service! {
    /// Memory and conversations for agents outside.
    AgentService {
        needs {
            core: Core, privacy: PrivacyService, memory: MemoryService, search: SearchService,
            sessions: SessionService, conversations: ConversationService, checkpoints:
            CheckpointService
        }
        keeps {
            /// Whether files of agents are being followed.
            tending: shared::Tending,
        }
    }
}

impl AgentService {
    /// A project in which agents may leave something.
    fn trusted(&self, id: ProjectId) -> Result<Project, Failure> {
        let project = self.core.stores()?.records.project(id).or_failure()?;
        match project.trust {
            Trust::Trusted => Ok(project),
            Trust::Untrusted => Err(conflict("the user does not trust this folder")),
        }
    }

    /// One of which they get something.
    fn served(&self, id: ProjectId) -> Result<Project, Failure> {
        let project = self.trusted(id)?;
        let settings = self.core.stores()?.records.settings().or_failure()?;
        match project.this_computer_only || settings.this_computer_only {
            true => Err(conflict("the user wants what is known here to stay on this computer")),
            false => Ok(project),
        }
    }

    /// A conversation of the project that is not in the trash; any other is not there.
    fn conversation_in(
        &self,
        stores: &Stores,
        project: ProjectId,
        id: ConversationId,
    ) -> Result<Conversation, Failure> {
        let found = stores.transcripts.conversation(id).or_failure()?;
        if found.project_id != Some(project) || found.deleted_at.is_some() {
            let (what, id) = ("conversation", id.to_string());
            return Err(of_store(StoreError::NotFound { what, id }));
        }
        Ok(found)
    }

    pub(crate) async fn rules(
        &self,
        project: Option<ProjectId>,
        path: &str,
    ) -> Result<Effective, Failure> {
        let project = project.map(|id| self.served(id)).transpose()?;
        let root = project.as_ref().map(|project| project.path.clone());
        let path = match root {
            Some(root)
                if !matches!(path.trim_end_matches('/'), "" | "." | "./.") && path != root =>
            {
                let outside = || bad_request("the path is not inside the project");
                Some(beneath(&root, path).ok_or_else(outside)?)
            }
            _ => None,
        };
        let mut effective = self.memory.effective_agreed(project, path).await?;
        let cleaner = self.privacy.strict_cleaner();
        effective.lines.iter_mut().for_each(|line| _ = cleaner.clean(&mut line.text));
        Ok(effective)
    }

    pub(crate) async fn checkpoint(
        &self,
        project: ProjectId,
        note: &str,
    ) -> Result<CheckpointItem, Failure> {
        let project_id = self.trusted(project)?.id;
        let note = self.privacy.strict_cleaner().text(&one_line(note, NOTE)).into_owned();
        if note.is_empty() {
            return Err(bad_request("say in a few words what the checkpoint is for"));
        }
        let checkpoints = self.core.stores()?.checkpoints;
        for number in 1..=SAME_NOTE {
            let tag = match number {
                1 => note.clone(),
                number => format!("{note} ({number})"),
            };
            if checkpoints.tagged(project_id, &tag).or_failure()?.is_none() {
                let request =
                    CreateCheckpoint { project_id, conversation_id: None, tag: Some(tag) };
                return self.checkpoints.checkpoint_create(request).await;
            }
        }
        Err(conflict("so many checkpoints have this note already; say another one"))
    }

    pub(crate) async fn session(
        &self,
        project: ProjectId,
        id: ConversationId,
    ) -> Result<ExportedText, Failure> {
        let project = self.readable(project)?;
        self.conversation_in(&self.core.stores()?, project.id, id)?;
        let request = ExportConversation { id, format: ExportFormat::Markdown, as_is: false };
        let mut exported = self.conversations.conversation_export(request).await?;
        self.privacy.strict_cleaner().clean(&mut exported.text);
        Ok(exported)
    }

    pub(crate) async fn decisions(&self, project: ProjectId) -> Result<Vec<Decision>, Failure> {
        let mut decisions = self.sessions.decided(&self.served(project)?)?;
        let cleaner = self.privacy.strict_cleaner();
        decisions.iter_mut().for_each(|it| _ = cleaner.clean(&mut it.text));
        Ok(decisions)
    }

    pub(crate) async fn resume(&self, project: ProjectId) -> Result<Option<ResumeCard>, Failure> {
        let id = self.readable(project)?.id;
        let mut card = self.sessions.session_resume(ProjectRef { id }).await?;
        let cleaner = self.privacy.strict_cleaner();
        if let Some(card) = &mut card {
            cleaner.clean(&mut card.summary);
            let said = card.doing.iter_mut().chain(&mut card.decisions).map(|it| &mut it.text);
            let named = card.plan.iter_mut().chain(&mut card.task);
            said.chain(named).for_each(|text| _ = cleaner.clean(text));
        }
        Ok(card)
    }

    pub(crate) async fn handoff(&self, project: ProjectId) -> Result<Vec<String>, Failure> {
        let id = self.readable(project)?.id;
        let mut lines = self.sessions.session_hydrate(ProjectRef { id }).await?.lines;
        let cleaner = self.privacy.strict_cleaner();
        lines.iter_mut().for_each(|line| _ = cleaner.clean(line));
        Ok(lines)
    }
}

/// Words of an agent in a line of their own, without what nobody sees.
fn one_line(text: &str, most: usize) -> String {
    let text = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(most).collect::<String>().trim_end().to_owned()
}
