//! `silt plan`, `silt task` and `silt decision`. Places are counted from 1 where they are typed.

use serde_json::json;
use siltstone_contract::{ChangeWorkflow, ProjectRef, WorkflowCommand};
use siltstone_engine::workflow::{
    Decision as Decided, DecisionOrigin, Plan as Planned, Task as Step, Workflow, WorkflowChange,
};

use super::session::project;
use crate::args::{Decision, Plan, Task};
use crate::host::Host;
use crate::out::Stop;

pub async fn plan(host: &Host, command: Plan) -> Result<(), Stop> {
    let mut begins_anew = false;
    let change = match command {
        Plan::List => None,
        Plan::Add { title, description } => {
            Some(WorkflowChange::AddPlan { title: title.join(" "), description })
        }
        Plan::Edit { id, title, description } => {
            Some(WorkflowChange::EditPlan { id: counted("plan", id), title, description })
        }
        Plan::Move { id, to } => {
            Some(WorkflowChange::MovePlan { id: counted("plan", id), to: place(to) })
        }
        Plan::Switch { id, reset } => {
            begins_anew = reset;
            Some(WorkflowChange::SwitchPlan { id: Some(counted("plan", id)) })
        }
        Plan::Finish { id } => Some(WorkflowChange::FinishPlan { id: counted("plan", id) }),
        Plan::Archive { id } => Some(WorkflowChange::ArchivePlan { id: counted("plan", id) }),
    };
    plans(host, &changed(host, change, begins_anew).await?)
}

fn plans(host: &Host, workflow: &Workflow) -> Result<(), Stop> {
    if host.out.json {
        let Workflow { current_plan_id, plans, .. } = workflow;
        return host.out.value(&json!({"current_plan_id": current_plan_id, "plans": plans}));
    }
    host.out.empty(&workflow.plans, "No plans yet.", "아직 계획이 없습니다.");
    workflow.plans.iter().try_for_each(|plan| {
        let now = if workflow.current_plan_id.as_ref() == Some(&plan.id) { ">" } else { " " };
        let Planned { id, title, status, tasks, .. } = plan;
        let (lang, state) = (host.out.lang, host.out.lang.term(status));
        let tasks = lang.count("{} task(s)", "할 일 {}개", tasks.len());
        host.out.line(&format!("{now} {id}  {state}  {title}  ({tasks})"))
    })
}

pub async fn task(host: &Host, command: Task) -> Result<(), Stop> {
    let change = match command {
        Task::List => None,
        Task::Add { title, plan } => Some(WorkflowChange::AddTask {
            plan_id: plan.map(|id| counted("plan", id)),
            title: title.join(" "),
            notes: String::new(),
            acceptance: Vec::new(),
            depends_on: Vec::new(),
        }),
        Task::Edit { id, title, notes, accept, after } => Some(WorkflowChange::EditTask {
            id: counted("task", id),
            title,
            notes,
            acceptance: accept,
            depends_on: after.map(|ids| ids.into_iter().map(|id| counted("task", id)).collect()),
        }),
        Task::Move { id, to } => {
            Some(WorkflowChange::MoveTask { id: counted("task", id), to: place(to) })
        }
        Task::Start { id } => Some(WorkflowChange::StartTask { id: counted("task", id) }),
        Task::Finish { id } => Some(WorkflowChange::FinishTask { id: counted("task", id) }),
        Task::Archive { id } => Some(WorkflowChange::ArchiveTask { id: counted("task", id) }),
    };
    tasks(host, &changed(host, change, false).await?)
}

fn tasks(host: &Host, workflow: &Workflow) -> Result<(), Stop> {
    let plan = workflow.current_plan();
    let tasks: Vec<&Step> = plan.iter().flat_map(|plan| &plan.tasks).collect();
    if host.out.json {
        let task = &workflow.current_task_id;
        return host.out.value(&json!({"current_task_id": task, "tasks": tasks}));
    }
    host.out.empty(&tasks, "No tasks yet.", "아직 할 일이 없습니다.");
    tasks.iter().try_for_each(|task| {
        let now = if workflow.current_task_id.as_ref() == Some(&task.id) { ">" } else { " " };
        host.out.line(&format!(
            "{now} {}  {}  {}",
            task.id,
            host.out.lang.term(&task.status),
            task.title
        ))
    })
}

pub async fn decision(host: &Host, command: Decision) -> Result<(), Stop> {
    let change = match command {
        Decision::List => None,
        Decision::Add { text } => {
            let (text, origin) = (text.join(" "), DecisionOrigin::Person);
            Some(WorkflowChange::AddDecision { text, source: None, origin })
        }
        Decision::Remove { id } => {
            Some(WorkflowChange::RemoveDecision { id: counted("decision", id) })
        }
    };
    decisions(host, &changed(host, change, false).await?)
}

fn decisions(host: &Host, workflow: &Workflow) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"decisions": workflow.decisions}));
    }
    host.out.empty(&workflow.decisions, "Nothing was decided yet.", "아직 결정이 없습니다.");
    workflow.decisions.iter().try_for_each(|decision| {
        let Decided { id, text, .. } = decision;
        host.out.line(&format!("{id}  {text}"))
    })
}

/// `/plan …`, `/task …` or `/decide …`, typed as a message.
pub(super) async fn typed(host: &Host, text: String) -> Result<(), Stop> {
    let project_id = project(host).await?;
    let show = match text.split_whitespace().next() {
        Some("/plan") => plans,
        Some("/task") => tasks,
        _ => decisions,
    };
    let request = WorkflowCommand { project_id, text };
    show(host, &host.app.workflow_command(request).await?)
}

async fn changed(
    host: &Host,
    change: Option<WorkflowChange>,
    reset: bool,
) -> Result<Workflow, Stop> {
    let project_id = project(host).await?;
    Ok(match change {
        None => host.app.workflow_get(ProjectRef { id: project_id }).await?,
        Some(change) => {
            host.app.workflow_change(ChangeWorkflow { project_id, change, reset }).await?
        }
    })
}

/// The id of a plan, a task or a decision: a number alone counts, as in `task_001`.
fn counted(what: &str, typed: String) -> String {
    match typed.parse::<u32>() {
        Ok(number) => format!("{what}_{number:03}"),
        Err(_) => typed,
    }
}

fn place(typed: u32) -> u32 {
    typed.saturating_sub(1)
}
