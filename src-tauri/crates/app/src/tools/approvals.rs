//! Calls that wait for the person: shown as they are, answered once, remembered where the person says so.
//!
//! They wait in the process that carries the turn out, without any time-out. An answer names the hash of what was shown,
//! so nothing else can be agreed to; a turn that is stopped takes its question back.

use std::collections::HashMap;
use std::sync::Mutex;

use siltstone_contract::{
    AnswerApproval, Approval, ApprovalAnswer, ConversationRef, Failure, Topic,
};
use siltstone_engine::ids::{ConversationId, ProjectId, RuleId};
use siltstone_engine::tool::approval::{Rule, Scope, Verdict, hash_of, is_pattern};
use tokio::sync::oneshot;

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::locked;
use crate::tools::ToolService;

/// Calls that wait in this process.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<HashMap<ConversationId, Vec<Question>>>);

/// A call that waits, with what a remembered answer is bound to.
struct Question {
    approval: Approval,
    bound: Bound,
    answer: oneshot::Sender<ApprovalAnswer>,
}

/// What a remembered answer is bound to.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// The project; `None` outside of projects.
    pub(crate) project: Option<ProjectId>,
    /// The tool as it describes itself.
    pub(crate) fingerprint: String,
    /// Tool, fingerprint and arguments.
    pub(crate) hash: String,
}

impl Waiting {
    fn put(
        &self,
        id: ConversationId,
        approval: Approval,
        bound: Bound,
    ) -> oneshot::Receiver<ApprovalAnswer> {
        let (answer, answered) = oneshot::channel();
        locked(&self.0).entry(id).or_default().push(Question { approval, bound, answer });
        answered
    }

    fn remove(&self, id: ConversationId, hash: &str) {
        let mut all = locked(&self.0);
        if let Some(questions) = all.get_mut(&id) {
            questions.retain(|question| question.approval.hash != hash);
            if questions.is_empty() {
                all.remove(&id);
            }
        }
    }

    fn of(&self, id: ConversationId) -> Vec<Approval> {
        let all = locked(&self.0);
        all.get(&id).into_iter().flatten().map(|question| question.approval.clone()).collect()
    }

    fn bound(&self, id: ConversationId, call: &str, hash: &str) -> Result<Bound, Failure> {
        let all = locked(&self.0);
        let mut waiting = all.get(&id).into_iter().flatten();
        let question = waiting.find(|question| question.approval.call_id == call);
        let question = question.ok_or_else(|| conflict("the call does not wait any more"))?;
        if question.approval.hash != hash {
            return Err(conflict("the call is not the one that was shown"));
        }
        Ok(question.bound.clone())
    }

    fn tell(&self, id: ConversationId, hash: &str, answer: ApprovalAnswer) -> Result<(), Failure> {
        let mut all = locked(&self.0);
        let waiting = all.get_mut(&id);
        let place = waiting.as_ref().and_then(|questions| {
            questions.iter().position(|question| question.approval.hash == hash)
        });
        let Some((questions, place)) = waiting.zip(place) else {
            return Err(conflict("the call does not wait any more"));
        };
        let question = questions.remove(place);
        question.answer.send(answer).map_err(|_| conflict("the call does not wait any more"))
    }
}

impl ToolService {
    /// Calls of a conversation that wait for the person; only this process can answer them.
    pub async fn approval_list(&self, request: ConversationRef) -> Result<Vec<Approval>, Failure> {
        Ok(self.waiting.of(request.id))
    }

    /// Answers one. What is to be remembered is, before anything is carried out.
    pub async fn approval_answer(&self, request: AnswerApproval) -> Result<(), Failure> {
        let AnswerApproval { conversation_id, call_id, hash, answer } = request;
        let bound = self.waiting.bound(conversation_id, &call_id, &hash)?;
        let of_call = |it: &Approval| it.hash == hash;
        let shown = self.waiting.of(conversation_id).into_iter().find(of_call);
        let shown = shown.ok_or_else(|| conflict("the call does not wait any more"))?;
        let kept = match &answer {
            ApprovalAnswer::Once | ApprovalAnswer::No { .. } => None,
            ApprovalAnswer::AlwaysTool => Some((Scope::Tool, Verdict::Allow)),
            ApprovalAnswer::AlwaysPattern { pattern } if !is_pattern(pattern) => {
                return Err(bad_request("this is no pattern of paths"));
            }
            ApprovalAnswer::AlwaysPattern { pattern } => {
                Some((Scope::Paths { pattern: pattern.clone() }, Verdict::Allow))
            }
            ApprovalAnswer::AlwaysExactly => {
                let scope = match shown.command {
                    Some(line) => Scope::Command { line },
                    None => Scope::Exactly { hash: bound.hash },
                };
                Some((scope, Verdict::Allow))
            }
            ApprovalAnswer::Never => Some((Scope::Tool, Verdict::Deny)),
        };
        if let Some((scope, verdict)) = kept {
            let rule = Rule {
                id: RuleId::new(self.core.now()),
                project_id: bound.project,
                tool: shown.tool,
                fingerprint: bound.fingerprint,
                scope,
                verdict,
                created_at: self.core.now(),
            };
            self.core.stores()?.tools.put_rule(&rule).or_failure()?;
        }
        self.waiting.tell(conversation_id, &hash, answer)?;
        self.core.changed([Topic::Tools]);
        Ok(())
    }

    /// Shows a call to the person, until what this gives is dropped.
    pub(crate) fn show_call(
        &self,
        id: ConversationId,
        approval: Approval,
        bound: Bound,
    ) -> Shown<'_> {
        let hash = approval.hash.clone();
        let answered = self.waiting.put(id, approval, bound);
        self.core.changed([Topic::Tools, Topic::Conversation { id }, Topic::Conversations]);
        Shown { this: self, id, hash, answered }
    }
}

/// A question that is shown until this is dropped.
pub(crate) struct Shown<'a> {
    this: &'a ToolService,
    id: ConversationId,
    hash: String,
    answered: oneshot::Receiver<ApprovalAnswer>,
}

impl Shown<'_> {
    /// The person's answer.
    pub(crate) async fn answer(mut self) -> Option<ApprovalAnswer> {
        (&mut self.answered).await.ok()
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.this.waiting.remove(self.id, &self.hash);
        let id = self.id;
        self.this.core.changed([Topic::Tools, Topic::Conversation { id }, Topic::Conversations]);
    }
}

/// The approval with the hash over everything it shows.
pub(crate) fn sealed(approval: Approval) -> Approval {
    let shown = serde_json::to_string(&approval).unwrap_or_default();
    Approval { hash: hash_of(&[&shown]), ..approval }
}
