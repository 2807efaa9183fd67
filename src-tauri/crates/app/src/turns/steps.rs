//! Carrying a plan out: its tasks are asked for one after the other in a conversation, as messages that anyone can read.
//!
//! What was asked and why it waits stands in the project's work ([`PlanRun`]), so every host sees it and it outlives the
//! process; that it goes on by itself does not. A turn that was completed is judged by the task's acceptance, where it
//! has one; met, the task is done and the next one is asked for. Anything else waits for the person, who goes on,
//! changes the plan or ends it. What the person asks in between goes first and changes nothing here.

use siltstone_contract::{Code, Failure, ProjectRef, RunTree, Sent};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::ports::Stores;
use siltstone_engine::project::Project;
use siltstone_engine::tasks::{StepSoFar, step_text};
use siltstone_engine::turn::{Turn, TurnStatus};
use siltstone_engine::workflow::{
    DecisionSource, PlanRun, PlanRunState, Task, TaskStatus, WaitingWhy, Workflow, WorkflowChange,
};

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::locked;
use crate::turns::TurnService;

impl TurnService {
    /// Carries a plan out: it becomes the plan that is worked on, and its first task is asked for.
    pub async fn tree_run(&self, request: RunTree) -> Result<Sent, Failure> {
        let RunTree { conversation_id, tree } = request;
        let tree = tree.checked().map_err(|fault| bad_request(&fault.to_string()))?;
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(conversation_id).or_failure()?;
        let project = conversation.project_id;
        let project = project.ok_or_else(|| bad_request("a plan belongs to a project"))?;
        let project = stores.records.project(project).or_failure()?;
        let _alone = self.sessions.plans.sending.lock().await;
        if locked(&self.sessions.plans.carried).contains_key(&project.id) {
            return Err(conflict("another plan is carried out in this project; stop it first"));
        }
        self.fit_for_steps(&stores, &conversation)?;
        let workflow = self
            .sessions
            .change_work(project.clone(), false, move |work, now| work.with_tree(&tree, now))
            .await?;
        let plan = workflow.current_plan_id.ok_or_else(|| bad_request("the plan is gone"))?;
        let sent = self.ask_next(&project, conversation_id, &plan, None).await?;
        sent.ok_or_else(|| conflict("no task of the plan can be begun"))
    }

    /// Goes on with a plan that waits: the same task again, or the next one where that is done.
    pub async fn tree_go_on(&self, request: ProjectRef) -> Result<Sent, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let _alone = self.sessions.plans.sending.lock().await;
        let run =
            self.sessions.as_carried(&stores, project.id, self.sessions.work_of(&project)?)?.run;
        let run = run.ok_or_else(|| conflict("no plan waits in this project"))?;
        if !matches!(run.state, PlanRunState::Waiting { .. }) {
            return Err(conflict("the plan is being carried out"));
        }
        let id = run.asked.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        self.fit_for_steps(&stores, &conversation)?;
        let sent = self.ask_next(&project, id, &run.plan_id.clone(), Some(&run)).await?;
        sent.ok_or_else(|| conflict("nothing of the plan can be begun now"))
    }

    /// Carries a plan out no further; what is on its way for it is stopped. The plan stays.
    pub async fn tree_stop(&self, request: ProjectRef) -> Result<Workflow, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let _alone = self.sessions.plans.sending.lock().await;
        if let Some(asked) = self.sessions.plans.leave(project.id) {
            let id = asked.conversation_id;
            self.sessions.plans.asking.stop(id);
            let queued = stores.transcripts.queued(id).or_failure()?;
            if queued.iter().any(|waiting| waiting.id == asked.message_id) {
                stores.transcripts.dequeue(asked.message_id).or_failure()?;
                self.core.conversation_changed(id);
            }
            let open = stores.transcripts.open_turn_of(id).or_failure()?;
            if open.is_some_and(|turn| turn.user_message_id == asked.message_id) {
                self.core.live.stop(id);
            }
        }
        self.sessions.change_work(project, false, |work, _| Ok(work.carried(None))).await
    }

    /// Waits until no plan of a project is carried out here: for hosts that end when they are done.
    pub async fn plan_settled(&self, project: ProjectId) {
        loop {
            let ended = self.sessions.plans.ended.notified();
            tokio::pin!(ended);
            // Before the look, so that what ends between the two is heard.
            ended.as_mut().enable();
            if !locked(&self.sessions.plans.carried).contains_key(&project) {
                return;
            }
            ended.await;
        }
    }

    /// A message was taken out of the queue; when a plan asked with it here, the plan waits.
    pub(crate) async fn step_taken_back(&self, message: MessageId) -> Result<(), Failure> {
        let _alone = self.sessions.plans.sending.lock().await;
        let asked = |(_, asked): &(&ProjectId, &DecisionSource)| asked.message_id == message;
        let found =
            locked(&self.sessions.plans.carried).iter().find(asked).map(|(project, _)| *project);
        let Some(project) = found else { return Ok(()) };
        let project = self.core.stores()?.records.project(project).or_failure()?;
        match self.sessions.work_of(&project)?.run {
            Some(run) => self.wait(&project, &run, WaitingWhy::Stopped).await,
            None => {
                self.sessions.plans.leave(project.id);
                Ok(())
            }
        }
    }

    /// A turn ended; when a plan asked for it here, the plan goes on or waits.
    pub(super) async fn step_ended(&self, turn: &Turn) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let alone = self.sessions.plans.sending.lock().await;
        let plans = &self.sessions.plans;
        let asked_by = || plans.asked_by(turn.conversation_id, turn.user_message_id);
        let Some(project) = asked_by() else { return Ok(()) };
        let project = stores.records.project(project).or_failure()?;
        let workflow = self.sessions.work_of(&project)?;
        let run = workflow.run.clone();
        let run = run.filter(|run| run.asked.message_id == turn.user_message_id);
        let Some(run) = run else {
            // Another plan is worked on now.
            plans.leave(project.id);
            return Ok(());
        };
        let why = match (turn.status, &turn.fault) {
            (TurnStatus::Completed, None) => None,
            // Also an answer that is less than a whole one.
            (_, Some(fault)) => Some(WaitingWhy::Failed { code: fault.code.clone() }),
            (_, None) => Some(WaitingWhy::Stopped),
        };
        if let Some(why) = why {
            return self.wait(&project, &run, why).await;
        }
        let judged = workflow
            .task(&run.task_id)
            .is_some_and(|task| !task.acceptance.is_empty() && task.status == TaskStatus::Doing);
        let mut alone = Some(alone);
        if judged {
            self.set_run(&project, PlanRun { state: PlanRunState::Judging, ..run.clone() }).await?;
            // The person may stop it meanwhile.
            drop(alone.take());
            let verdict = self.evaluate(turn).await;
            alone = Some(plans.sending.lock().await);
            if asked_by() != Some(project.id) {
                return Ok(());
            }
            let why = match verdict {
                Ok(verdict) if verdict.met => None,
                Ok(verdict) => Some(WaitingWhy::NotMet { criteria: verdict.criteria }),
                Err(failure) if failure.code == Code::Cancelled => Some(WaitingWhy::Stopped),
                Err(failure) => Some(WaitingWhy::NotJudged { code: failure.code.name() }),
            };
            if let Some(why) = why {
                return self.wait(&project, &run, why).await;
            }
        }
        let task = run.task_id.clone();
        self.sessions
            .change_work(project.clone(), false, move |work, now| {
                match work.task(&task).map(|task| task.status) {
                    Some(TaskStatus::Todo | TaskStatus::Doing) => {
                        work.apply(&WorkflowChange::FinishTask { id: task.clone() }, now)
                    }
                    _ => Ok(work.clone()),
                }
            })
            .await?;
        if let Err(failure) =
            self.ask_next(&project, turn.conversation_id, &run.plan_id, None).await
        {
            let why = WaitingWhy::Failed { code: failure.code.name() };
            self.wait(&project, &run, why).await?;
        }
        drop(alone);
        Ok(())
    }

    /// Asks for the next task of a plan; `None` when there is none that can be begun. `before` is how far it came.
    async fn ask_next(
        &self,
        project: &Project,
        id: ConversationId,
        plan: &str,
        before: Option<&PlanRun>,
    ) -> Result<Option<Sent>, Failure> {
        let stores = self.core.stores()?;
        let workflow = self.sessions.work_of(project)?;
        let Some(task) = workflow.ready(plan).cloned() else {
            let blocked = !workflow.is_done(plan);
            let run = workflow.run.filter(|_| blocked).map(|run| PlanRun {
                state: PlanRunState::Waiting { why: WaitingWhy::Blocked },
                ..run
            });
            let next = move |work: &Workflow, _| Ok(work.carried(run.clone()));
            let changed = self.sessions.change_work(project.clone(), false, next).await;
            self.sessions.plans.leave(project.id);
            return changed.map(|_| None);
        };
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let title = workflow.plan(plan).map(|plan| plan.title.as_str()).unwrap_or_default();
        let text = step_text(title, &task, so_far(&task, before), &self.core.language());
        let start = WorkflowChange::StartTask { id: task.id.clone() };
        self.sessions
            .change_work(project.clone(), false, move |work, now| work.apply(&start, now))
            .await?;
        let sent =
            self.send_message(&stores, &conversation, text, Vec::new(), (None, Vec::new()))?;
        let (Sent::Asked { message_id, .. } | Sent::Queued { message_id }) = sent;
        let asked = DecisionSource { conversation_id: id, message_id };
        locked(&self.sessions.plans.carried).insert(project.id, asked);
        let (plan_id, task_id) = (plan.to_owned(), task.id);
        let run = PlanRun { plan_id, task_id, asked, state: PlanRunState::Asked };
        self.set_run(project, run).await?;
        Ok(Some(sent))
    }

    async fn wait(&self, project: &Project, run: &PlanRun, why: WaitingWhy) -> Result<(), Failure> {
        let waiting = PlanRun { state: PlanRunState::Waiting { why }, ..run.clone() };
        let set = self.set_run(project, waiting).await;
        self.sessions.plans.leave(project.id);
        set
    }

    /// Writes down how far a plan came, while it is the one that is worked on.
    async fn set_run(&self, project: &Project, run: PlanRun) -> Result<(), Failure> {
        let next = move |work: &Workflow, _| {
            let worked_on = work.current_plan_id.as_ref() == Some(&run.plan_id);
            Ok(work.carried(worked_on.then(|| run.clone())))
        };
        self.sessions.change_work(project.clone(), false, next).await.map(|_| ())
    }

    /// Refuses what the first message of a plan would be refused for, before anything is made of it.
    fn fit_for_steps(&self, stores: &Stores, conversation: &Conversation) -> Result<(), Failure> {
        if conversation.deleted_at.is_some() {
            return Err(conflict("the conversation is in the trash; restore it first"));
        }
        let choice = self.models.choice_for(conversation)?;
        if !self.models.can_be_asked(&self.models.record(&choice.provider)?)? {
            let message = format!("{} carries nothing out", choice.provider);
            return Err(Failure::new(Code::ModelNeeded, message));
        }
        self.models.within_limit(stores, &choice)
    }
}

/// How far a task is that is asked for.
fn so_far<'r>(task: &Task, before: Option<&'r PlanRun>) -> StepSoFar<'r> {
    let same = before.filter(|run| run.task_id == task.id);
    match same.map(|run| &run.state) {
        None => StepSoFar::New,
        Some(PlanRunState::Waiting { why: WaitingWhy::NotMet { criteria } }) => {
            StepSoFar::Judged(criteria)
        }
        Some(_) => StepSoFar::Begun,
    }
}
