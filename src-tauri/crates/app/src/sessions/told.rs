//! What of a session goes into requests: the plan and the task that are worked on into all of a project, and where the
//! work stood into conversations, once at their beginning and once more in a new process.
//!
//! What a conversation was told is kept, so that the sections stay the same from request to request and a sent one can be
//! shown again.

use siltstone_contract::{Failure, Hydrated, ProjectRef};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::Stores;
use siltstone_engine::project::Project;
use siltstone_engine::section::Section;
use siltstone_engine::session::{
    Hydrating, SessionRecord, TOKEN_LIMIT, hydrate, hydrate_prompt, plan_sections,
};

use crate::failure::Outcome;
use crate::{App, locked};

/// Messages of a conversation that are not told to it once more.
const OWN_MESSAGES: u64 = 64;

/// Sections that follow the plan from request to request, and are not kept.
const LIVE: [&str; 2] = ["session:plan", "session:task"];

impl App {
    /// What a new conversation of a project is told first, as the seed writes it.
    pub async fn session_hydrate(&self, request: ProjectRef) -> Result<Hydrated, Failure> {
        let stores = self.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let record = self.session_of(&stores, &project)?;
        Ok(Hydrated { lines: hydrate_prompt(&self.hydrating(&record, &self.language())) })
    }

    /// What goes into a request of this conversation, without being in anybody's way.
    pub(crate) fn session_sections(
        &self,
        stores: &Stores,
        conversation: &Conversation,
    ) -> Vec<Section> {
        let sections = || -> Result<Vec<Section>, Failure> {
            let Some(project) = conversation.project_id else { return Ok(Vec::new()) };
            let Some(record) = stores.sessions.session(project).or_failure()? else {
                return Ok(Vec::new());
            };
            let told = match self.was_told(stores, conversation.id)? {
                Some(told) => told,
                None => self.to_tell(stores, &record, conversation)?,
            };
            let mut sections = plan_sections(&record.workflow, &self.language());
            sections.extend(told);
            Ok(sections)
        };
        sections().unwrap_or_else(|failure| {
            tracing::warn!(%failure, "reading the session");
            Vec::new()
        })
    }

    /// Tells a conversation where the work stands, unless it was told here already or began fresh.
    pub(super) fn tell_session(
        &self,
        stores: &Stores,
        project: &Project,
        conversation: &Conversation,
    ) -> Result<(), Failure> {
        if self.was_told(stores, conversation.id)?.is_some() {
            return Ok(());
        }
        if let Some(record) = stores.sessions.session(project.id).or_failure()? {
            let told = self.to_tell(stores, &record, conversation)?;
            if !told.is_empty() {
                stores.sessions.put_told(conversation.id, &told).or_failure()?;
            }
        }
        locked(&self.0.sessions.asked).insert(conversation.id);
        Ok(())
    }

    /// What a conversation was told; `None` where it is told again.
    fn was_told(
        &self,
        stores: &Stores,
        id: ConversationId,
    ) -> Result<Option<Vec<Section>>, Failure> {
        let told = stores.sessions.told(id).or_failure()?;
        let here = locked(&self.0.sessions.asked).contains(&id);
        Ok(match told {
            // It began fresh, and stays so.
            Some(told) if told.is_empty() => Some(told),
            told if here => Some(told.unwrap_or_default()),
            _ => None,
        })
    }

    /// Where the work stands, without what the conversation itself holds.
    fn to_tell(
        &self,
        stores: &Stores,
        record: &SessionRecord,
        conversation: &Conversation,
    ) -> Result<Vec<Section>, Failure> {
        let mut record = record.clone();
        let said = &mut record.context.conversation;
        if conversation.message_count > 0 {
            let page = stores.transcripts.page(conversation.id, None, OWN_MESSAGES).or_failure()?;
            let cleaner = self.strict_cleaner();
            let own: Vec<String> = page
                .messages
                .iter()
                .map(|found| cleaner.text(found.message.text().trim()).into_owned())
                .collect();
            said.recent_window.retain(|message| !own.contains(&message.content));
            if record.conversation_id == Some(conversation.id) {
                said.running_summary.clear();
            }
        }
        let nothing = said.recent_window.is_empty()
            && said.running_summary.is_empty()
            && record.context.memory.last_decisions.is_empty();
        if nothing {
            return Ok(Vec::new());
        }
        let mut sections = hydrate(&self.hydrating(&record, &self.language()));
        sections.retain(|section| !LIVE.contains(&section.id.as_str()));
        Ok(sections)
    }

    fn hydrating<'a>(&self, record: &'a SessionRecord, language: &'a str) -> Hydrating<'a> {
        let (workflow, context) = (&record.workflow, &record.context);
        Hydrating { language, workflow, context, limit: TOKEN_LIMIT }
    }
}
