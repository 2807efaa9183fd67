//! What is said in a project's conversations is registered in its session: the question before the model is asked, the
//! answer once it is durable (behaviour.md, Sessions). An answer that was stopped or cut off is registered as such, also
//! where its process died. Proposals that both make wait for the person, until the next question of their conversation.

use siltstone_contract::{Failure, Topic};
use siltstone_engine::ids::{MessageId, ProjectId, ProposalId};
use siltstone_engine::message::{Message, MessageStatus};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::session::{
    ProposalRecord, ProposalState, Registered, Registering, WINDOW_KEEP, extractive, proposals,
    register_message,
};
use siltstone_engine::summary::language_of;
use siltstone_engine::tokens::Encoding;
use siltstone_engine::turn::Turn;
use siltstone_engine::workflow::DecisionSource;

use super::OPEN_FILES;
use crate::core::failure::Outcome;
use crate::core::{blocking, locked};
use crate::sessions::SessionService;

impl SessionService {
    /// A turn begins: its conversation is told of the session if it was not, and a new question is registered.
    pub(crate) async fn session_asked(&self, turn: &Turn) {
        self.session_hears(turn, turn.user_message_id, true).await;
    }

    /// A turn was completed, or stopped on the way: its reply is registered.
    pub(crate) async fn session_answered(&self, turn: &Turn) {
        self.session_hears(turn, turn.reply_id, false).await;
    }

    /// A turn failed before anything was answered: its question is not where the work stands.
    pub(crate) async fn session_failed(&self, turn: &Turn) {
        let (this, turn) = (self.clone(), turn.clone());
        let gone = blocking(move || this.unregister(&turn)).await;
        if let Err(failure) = gone.and_then(|gone| gone) {
            tracing::warn!(%failure, "keeping the session");
        }
    }

    fn unregister(&self, turn: &Turn) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let Some(project) = conversation.project_id else { return Ok(()) };
        let project = stores.records.project(project).or_failure()?;
        let question = turn.user_message_id.to_string();
        self.change_session(&project, |record| {
            let window = &mut record.context.conversation.recent_window;
            window.retain(|message| message.message_id.as_ref() != Some(&question));
            Ok(())
        })
    }

    async fn session_hears(&self, turn: &Turn, message: MessageId, begins: bool) {
        let (this, turn) = (self.clone(), turn.clone());
        let heard = blocking(move || this.hear(&turn, message, begins)).await;
        if let Err(failure) = heard.and_then(|heard| heard) {
            tracing::warn!(%failure, "keeping the session");
        }
    }

    fn hear(&self, turn: &Turn, message: MessageId, begins: bool) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let Some(project) = conversation.project_id else { return Ok(()) };
        let project = stores.records.project(project).or_failure()?;
        self.hear_cut_off(&stores);
        if begins {
            self.tell_session(&stores, &project, &conversation, turn)?;
        }
        let message = stores.transcripts.message(message).or_failure()?.message;
        // A question that is asked again was registered when it was new.
        if message.turn_id != Some(turn.id) {
            return Ok(());
        }
        match message.status {
            MessageStatus::Complete => {
                self.register(&project, &message)?;
                if begins {
                    self.pass_by(&stores, project.id, &message)?;
                }
                self.find_proposals(&stores, &project, &message)
            }
            MessageStatus::Interrupted => self.register(&project, &message),
            MessageStatus::Streaming | MessageStatus::Failed => Ok(()),
        }
    }

    /// Registers replies whose process died, before anything that was said after them.
    pub(super) fn hear_cut_off(&self, stores: &Stores) {
        for turn in std::mem::take(&mut *locked(&self.core.left_open)) {
            let heard = || -> Result<(), Failure> {
                let turn = stores.transcripts.turn(turn).or_failure()?;
                let conversation =
                    stores.transcripts.conversation(turn.conversation_id).or_failure()?;
                let Some(project) = conversation.project_id else { return Ok(()) };
                if conversation.deleted_at.is_some() {
                    return Ok(());
                }
                let project = stores.records.project(project).or_failure()?;
                let reply = stores.transcripts.message(turn.reply_id).or_failure()?.message;
                self.register(&project, &reply)
            };
            if let Err(failure) = heard() {
                tracing::warn!(%failure, "keeping the reply of a process that died");
            }
        }
    }

    fn register(&self, project: &Project, message: &Message) -> Result<(), Failure> {
        let text = message.text();
        let opened = locked(&self.state.opened).remove(&project.id).unwrap_or_default();
        let at_hand = self.models.counting.at_hand(Some(Encoding::O200k));
        let with = Registering {
            language: language_of(&text),
            window_keep: WINDOW_KEEP,
            count: &|text| self.models.counting.count(at_hand, text).tokens,
            summarise: &extractive,
        };
        let said = Registered {
            id: message.id,
            conversation_id: message.conversation_id,
            role: message.role,
            content: &text,
            interrupted: message.status == MessageStatus::Interrupted,
        };
        self.change_session(project, |record| {
            record.context = register_message(&record.context, said, self.core.now(), &with);
            record.conversation_id = Some(message.conversation_id);
            record.message_id = Some(message.id);
            let open = &mut record.context.memory.open_files;
            open.retain(|path| !opened.contains(path));
            for path in &opened {
                open.retain(|known| known != path);
                open.push(path.clone());
            }
            open.drain(..open.len().saturating_sub(OPEN_FILES));
            Ok(())
        })
    }

    /// Whoever asks on has passed by what was proposed before in the conversation: it waits no longer.
    fn pass_by(
        &self,
        stores: &Stores,
        project: ProjectId,
        question: &Message,
    ) -> Result<(), Failure> {
        let open = stores.sessions.proposals(project).or_failure()?;
        let mut passed = open.iter().filter(|it| it.conversation_id == question.conversation_id);
        let any = passed.clone().next().is_some();
        // One that the person answers at this moment is settled already.
        passed.try_for_each(|it| {
            match stores.sessions.settle_proposal(it.id, ProposalState::Dismissed) {
                Err(StoreError::Conflict { .. }) => Ok(()),
                settled => settled.or_failure(),
            }
        })?;
        if any {
            self.core.changed([Topic::Sessions]);
        }
        Ok(())
    }

    fn find_proposals(
        &self,
        stores: &Stores,
        project: &Project,
        message: &Message,
    ) -> Result<(), Failure> {
        let mut added = false;
        let text = message.text();
        let source =
            DecisionSource { conversation_id: message.conversation_id, message_id: message.id };
        for found in proposals(&text, message.role, Some(source)) {
            let record = ProposalRecord {
                id: ProposalId::new(self.core.now()),
                project_id: project.id,
                conversation_id: message.conversation_id,
                message_id: message.id,
                change: found.change,
                start: found.start,
                end: found.end,
                state: ProposalState::Open,
                at: self.core.now(),
            };
            added |= stores.sessions.propose(&record).or_failure()?;
        }
        if added {
            self.core.changed([Topic::Sessions]);
        }
        Ok(())
    }
}
