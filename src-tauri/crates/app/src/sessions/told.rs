//! What of a session goes into requests: the plan and the task that are worked on into all of a project, and where the
//! work stopped into a new conversation that took it ([`super::place`]), once.
//!
//! Under `strict` every conversation is told where the work stood at its beginning, and once more in a new process, as
//! the design writes it. What a conversation was told is kept, so that the sections stay the same from request to request
//! and a sent one can be shown again.

use siltstone_contract::{Failure, Hydrated, ProjectRef};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::Stores;
use siltstone_engine::project::Project;
use siltstone_engine::section::Section;
use siltstone_engine::session::{
    Hydrating, SessionRecord, TOKEN_LIMIT, hydrate, hydrate_prompt, plan_sections,
};
use siltstone_engine::turn::Turn;

use crate::core::failure::Outcome;
use crate::core::locked;
use crate::sessions::SessionService;

/// Sections that follow the plan from request to request, and are not kept.
const LIVE: [&str; 2] = ["session:plan", "session:task"];

/// The section of the project's name.
const PROJECT: &str = "session:project";

/// The section of what was said last.
const DIALOG: &str = "session:dialog";

impl SessionService {
    /// What a new conversation of a project is told first, as the design writes it.
    pub async fn session_hydrate(&self, request: ProjectRef) -> Result<Hydrated, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let record = self.session_of(&stores, &project)?;
        Ok(Hydrated { lines: hydrate_prompt(&self.hydrating(&record, &self.core.language())) })
    }

    /// What goes into a request of this conversation, without being in anybody's way.
    pub(crate) fn session_sections(
        &self,
        stores: &Stores,
        conversation: &Conversation,
    ) -> Vec<Section> {
        let sections = || -> Result<Vec<Section>, Failure> {
            let Some(project) = conversation.project_id else { return Ok(Vec::new()) };
            let record = stores.sessions.session(project).or_failure()?;
            let plan = record.as_ref().map(|it| plan_sections(&it.workflow, &self.core.language()));
            let mut sections = plan.unwrap_or_default();
            let told = match record {
                Some(record) if self.is_strict(stores)? => {
                    match self.was_told(stores, conversation.id)? {
                        Some(told) => told,
                        None => self.to_tell(&record, conversation),
                    }
                }
                _ => self.taken_place(stores, conversation)?,
            };
            // As the design writes it: the project stands before its plan and task.
            let (project, rest): (Vec<_>, Vec<_>) =
                told.into_iter().partition(|it| it.id == PROJECT);
            sections.splice(0..0, project);
            sections.extend(rest);
            Ok(sections)
        };
        sections().unwrap_or_else(|failure| {
            tracing::warn!(%failure, "reading the session");
            Vec::new()
        })
    }

    /// A turn begins: what its conversation is told stays what it is told. Under `strict` it is told where the work
    /// stands, unless it was told here already or began fresh.
    pub(super) fn tell_session(
        &self,
        stores: &Stores,
        project: &Project,
        conversation: &Conversation,
        turn: &Turn,
    ) -> Result<(), Failure> {
        if !self.is_strict(stores)? {
            return self.keep_place(stores, conversation, turn);
        }
        if self.was_told(stores, conversation.id)?.is_some() {
            return Ok(());
        }
        if let Some(record) = stores.sessions.session(project.id).or_failure()? {
            let told = self.to_tell(&record, conversation);
            if !told.is_empty() {
                stores.sessions.put_told(conversation.id, &told).or_failure()?;
            }
        }
        locked(&self.state.asked).insert(conversation.id);
        Ok(())
    }

    /// Whether the forms of the designs hold to the letter.
    pub(super) fn is_strict(&self, stores: &Stores) -> Result<bool, Failure> {
        let settings = stores.records.settings().or_failure()?.summary;
        Ok(settings.overridden_by(|name| std::env::var(name).ok()).strict)
    }

    /// What a conversation was told; `None` where it is told again.
    fn was_told(
        &self,
        stores: &Stores,
        id: ConversationId,
    ) -> Result<Option<Vec<Section>>, Failure> {
        let told = stores.sessions.told(id).or_failure()?;
        let here = locked(&self.state.asked).contains(&id);
        Ok(match told {
            // It began fresh, and stays so.
            Some(told) if told.is_empty() => Some(told),
            told if here => Some(told.unwrap_or_default()),
            _ => None,
        })
    }

    /// Where the work stands, without the messages of the conversation itself.
    fn to_tell(&self, record: &SessionRecord, conversation: &Conversation) -> Vec<Section> {
        let mut record = record.clone();
        let own = conversation.id.to_string();
        let said = &mut record.context.conversation;
        said.recent_window.retain(|message| message.conversation_id.as_ref() != Some(&own));
        self.hydrated(&record, TOKEN_LIMIT)
    }

    /// What a session tells beside the plan; nothing where there is only its name.
    pub(super) fn hydrated(&self, record: &SessionRecord, limit: u64) -> Vec<Section> {
        let said = &record.context.conversation;
        let nothing = said.recent_window.is_empty()
            && said.running_summary.is_empty()
            && record.context.memory.last_decisions.is_empty();
        if nothing {
            return Vec::new();
        }
        let language = self.core.language();
        let from = Hydrating { limit, ..self.hydrating(record, &language) };
        let mut sections = hydrate(&from);
        sections.retain(|section| !LIVE.contains(&section.id.as_str()));
        let ids = said.recent_window.iter().filter_map(|it| it.message_id.as_ref()?.parse().ok());
        if let Some(dialog) = sections.iter_mut().find(|section| section.id == DIALOG) {
            dialog.messages = ids.collect();
        }
        sections
    }

    fn hydrating<'a>(&self, record: &'a SessionRecord, language: &'a str) -> Hydrating<'a> {
        let (workflow, context) = (&record.workflow, &record.context);
        Hydrating { language, workflow, context, limit: TOKEN_LIMIT }
    }
}
