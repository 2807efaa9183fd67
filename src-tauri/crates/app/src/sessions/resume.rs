//! The card of a new day, and going on from it. Made of one row and one page of messages; no model is asked.

use siltstone_contract::{Failure, ProjectRef, ResumeCard, ResumeLine};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::Role;
use siltstone_engine::ports::Stores;
use siltstone_engine::session::{LAST_DECISIONS, SessionRecord};
use siltstone_engine::workflow::TaskStatus;
use siltstone_engine::{link, title};

use super::place::newest_conversation;
use crate::core::failure::Outcome;
use crate::sessions::SessionService;

/// Messages that are looked at for the last question.
const LAST_MESSAGES: u64 = 8;

impl SessionService {
    /// Where the work in a project stopped; `None` while there is nothing to go on with.
    pub async fn session_resume(&self, request: ProjectRef) -> Result<Option<ResumeCard>, Failure> {
        let stores = self.core.stores()?;
        let Some(record) = stores.sessions.session(request.id).or_failure()? else {
            return Ok(None);
        };
        let (context, workflow) = (&record.context, &record.workflow);
        if context.stats.dialog_turns == 0
            && workflow.plans.is_empty()
            && workflow.decisions.is_empty()
        {
            return Ok(None);
        }
        let plan = workflow.current_plan();
        let tasks = || plan.iter().flat_map(|plan| &plan.tasks);
        let decisions = workflow.decisions.iter().rev().map(|decision| ResumeLine {
            text: decision.text.clone(),
            link: decision.source.map(|source| link::to_message(source.message_id)),
        });
        Ok(Some(ResumeCard {
            doing: doing(&stores, &record),
            summary: context.conversation.running_summary.clone(),
            decisions: decisions.take(LAST_DECISIONS).collect(),
            open_files: context.memory.open_files.iter().rev().cloned().collect(),
            plan: plan.map(|plan| plan.title.clone()),
            task: workflow.current_task().map(|task| task.title.clone()),
            tasks_done: tasks().filter(|task| task.status == TaskStatus::Done).count() as u64,
            tasks: tasks().filter(|task| task.status != TaskStatus::Archived).count() as u64,
            conversation_id: last_conversation(&stores, &record),
            last_message_at: context.conversation.recent_window.last().map(|last| last.ts.clone()),
            dialog_turns: context.stats.dialog_turns,
        }))
    }
}

/// The conversation that was worked in last, unless what was registered last came with the project's files.
pub(crate) fn last_conversation(stores: &Stores, record: &SessionRecord) -> Option<ConversationId> {
    let found = record.conversation_id.and_then(|id| stores.transcripts.conversation(id).ok());
    match found {
        Some(found) if found.deleted_at.is_none() => Some(found.id),
        _ => newest_conversation(stores, record.project_id, None).ok().flatten().map(|it| it.id),
    }
}

/// The last question, in a few words.
fn doing(stores: &Stores, record: &SessionRecord) -> Option<ResumeLine> {
    let said = last_conversation(stores, record).and_then(|id| {
        let page = stores.transcripts.page(id, None, LAST_MESSAGES).ok()?;
        let mut messages = page.messages.into_iter().map(|found| found.message);
        let asked = messages.rfind(|message| message.role == Role::User)?;
        let link = Some(link::to_message(asked.id));
        Some(ResumeLine { text: title::derive(&asked.text()), link })
    });
    said.or_else(|| {
        let window = &record.context.conversation.recent_window;
        let asked = window.iter().rev().find(|message| message.role == "user")?;
        Some(ResumeLine { text: title::derive(&asked.content), link: None })
    })
}
