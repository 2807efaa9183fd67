//! Plans, tasks and decisions: changed by the person, by a command in the composer, or by accepting a proposal.

use siltstone_contract::{
    ChangeWorkflow, Code, Failure, ProjectRef, ProposalRef, Topic, WorkflowCommand,
};
use siltstone_engine::Timestamp;
use siltstone_engine::project::Project;
use siltstone_engine::session::{ProposalRecord, ProposalState, plan_switched};
use siltstone_engine::workflow::slash::{self, Slash};
use siltstone_engine::workflow::{Decision, Workflow, WorkflowChange, WorkflowError};

use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request};
use crate::sessions::SessionService;

impl SessionService {
    /// Plans, tasks and decisions of a project.
    pub async fn workflow_get(&self, request: ProjectRef) -> Result<Workflow, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let workflow = self.session_of(&stores, &project)?.workflow;
        self.as_carried(&stores, project.id, workflow)
    }

    /// What was decided in a project, the oldest first.
    pub(crate) fn decided(&self, project: &Project) -> Result<Vec<Decision>, Failure> {
        Ok(self.session_of(&self.core.stores()?, project)?.workflow.decisions)
    }

    /// Changes plans, tasks or decisions. Another plan makes a checkpoint.
    pub async fn workflow_change(&self, request: ChangeWorkflow) -> Result<Workflow, Failure> {
        let ChangeWorkflow { project_id, change, reset } = request;
        let project = self.core.stores()?.records.project(project_id).or_failure()?;
        self.carry_out_change(project, change, reset).await
    }

    /// Carries out `/plan …`, `/task …` or `/decide …`.
    pub async fn workflow_command(&self, request: WorkflowCommand) -> Result<Workflow, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.project_id).or_failure()?;
        let workflow = self.session_of(&stores, &project)?.workflow;
        match slash::parse(&request.text, &workflow) {
            None => Err(bad_request("no such command, or nothing that it could be about")),
            Some(Slash::Show) => Ok(workflow),
            Some(Slash::Change(change)) => self.carry_out_change(project, change, false).await,
        }
    }

    /// Proposals of a project that wait, oldest first.
    pub async fn proposal_list(&self, request: ProjectRef) -> Result<Vec<ProposalRecord>, Failure> {
        self.core.stores()?.sessions.proposals(request.id).or_failure()
    }

    /// Carries a proposal out.
    pub async fn proposal_accept(&self, request: ProposalRef) -> Result<Workflow, Failure> {
        let stores = self.core.stores()?;
        let found = stores.sessions.proposal(request.id).or_failure()?;
        let project = stores.records.project(found.project_id).or_failure()?;
        // First, so that of two clicks one counts.
        stores.sessions.settle_proposal(request.id, ProposalState::Accepted).or_failure()?;
        let done = self.carry_out_change(project, found.change, false).await;
        self.core.changed([Topic::Sessions]);
        done
    }

    /// The person does not want it.
    pub async fn proposal_dismiss(&self, request: ProposalRef) -> Result<(), Failure> {
        let settled = ProposalState::Dismissed;
        self.core.stores()?.sessions.settle_proposal(request.id, settled).or_failure()?;
        self.core.changed([Topic::Sessions]);
        Ok(())
    }

    async fn carry_out_change(
        &self,
        project: Project,
        change: WorkflowChange,
        reset: bool,
    ) -> Result<Workflow, Failure> {
        self.change_work(project, reset, move |workflow, now| workflow.apply(&change, now)).await
    }

    /// Makes the next state of a project's work. Another plan makes a checkpoint.
    pub(crate) async fn change_work(
        &self,
        project: Project,
        reset: bool,
        next: impl Fn(&Workflow, Timestamp) -> Result<Workflow, WorkflowError> + Send + 'static,
    ) -> Result<Workflow, Failure> {
        let (this, of) = (self.clone(), project.clone());
        let (workflow, switched) = blocking(move || {
            this.change_session(&of, |record| {
                let before = record.workflow.current_plan_id.clone();
                record.workflow = next(&record.workflow, this.core.now()).map_err(refused)?;
                let switched = record.workflow.current_plan_id != before;
                if switched {
                    record.context =
                        plan_switched(&record.context, &record.workflow, reset, this.core.now());
                }
                Ok((record.workflow.clone(), switched))
            })
        })
        .await??;
        if switched {
            let plan = workflow.current_plan().map(|plan| plan.title.clone());
            self.core.plan_changed(project, plan.unwrap_or_default()).await;
        }
        Ok(workflow)
    }

    /// Plans, tasks and decisions of a project as they are.
    pub(crate) fn work_of(&self, project: &Project) -> Result<Workflow, Failure> {
        Ok(self.session_of(&self.core.stores()?, project)?.workflow)
    }
}

pub(super) fn refused(error: WorkflowError) -> Failure {
    let code = match &error {
        WorkflowError::Unknown { .. } => Code::NotFound,
        WorkflowError::Empty | WorkflowError::NoPlan | WorkflowError::Cycle { .. } => {
            Code::BadRequest
        }
        WorkflowError::Blocked { .. } | WorkflowError::Archived { .. } => Code::Conflict,
    };
    Failure::new(code, error.to_string())
}
