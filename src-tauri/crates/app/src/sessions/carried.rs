//! Plans that are carried out here, as far as it is not written down with the work: who asked for what.

use std::collections::HashMap;
use std::sync::Mutex;

use siltstone_contract::Failure;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::ports::Stores;
use siltstone_engine::workflow::{DecisionSource, PlanRunState, WaitingWhy, Workflow};
use tokio::sync::Notify;

use crate::core::failure::{Outcome, conflict};
use crate::core::{Begun, Stoppable, locked};
use crate::sessions::SessionService;

/// What this process asks for beside turns, and the plans that it carries out.
#[derive(Default)]
pub(crate) struct Plans {
    /// Plans and verdicts that a model is asked for, by conversation.
    pub(crate) asking: Stoppable,
    pub(crate) carried: Mutex<HashMap<ProjectId, DecisionSource>>,
    /// Held while a task is asked for, so that its turn does not end before it is known.
    pub(crate) sending: tokio::sync::Mutex<()>,
    /// Told when a plan is not carried out any more.
    pub(crate) ended: Notify,
}

impl Plans {
    /// A model is asked in a conversation, until the guard goes.
    pub(crate) fn begin_asking(&self, id: ConversationId) -> Result<Begun<'_>, Failure> {
        let begun = self.asking.begin(id);
        begun.ok_or_else(|| conflict("a model is asked in this conversation already"))
    }

    /// The project whose plan asked this here.
    pub(crate) fn asked_by(&self, id: ConversationId, message: MessageId) -> Option<ProjectId> {
        let carried = locked(&self.carried);
        let found = carried
            .iter()
            .find(|(_, asked)| asked.conversation_id == id && asked.message_id == message);
        found.map(|(project, _)| *project)
    }

    pub(crate) fn leave(&self, project: ProjectId) -> Option<DecisionSource> {
        let left = locked(&self.carried).remove(&project);
        self.ended.notify_waiters();
        left
    }
}

impl SessionService {
    /// The work as it is shown: a plan that nobody carries out any more waits.
    pub(crate) fn as_carried(
        &self,
        stores: &Stores,
        project: ProjectId,
        mut workflow: Workflow,
    ) -> Result<Workflow, Failure> {
        if let Some(run) = &mut workflow.run
            && !matches!(run.state, PlanRunState::Waiting { .. })
            && !locked(&self.plans.carried).contains_key(&project)
        {
            // Another process may be at it.
            let open = stores.transcripts.open_turn_of(run.asked.conversation_id).or_failure()?;
            if open.is_none_or(|turn| turn.user_message_id != run.asked.message_id) {
                run.state = PlanRunState::Waiting { why: WaitingWhy::Interrupted };
            }
        }
        Ok(workflow)
    }
}
