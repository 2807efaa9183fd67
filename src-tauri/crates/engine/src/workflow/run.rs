//! A plan that is carried out: which task was asked for, where, and why it goes no further.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{DecisionSource, Task, TaskStatus, Workflow, WorkflowChange, WorkflowError};
use crate::tasks::{EvaluatedCriterion, ExecutionTree};

/// A plan whose tasks are asked for one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PlanRun {
    /// The plan.
    pub plan_id: String,
    /// The task that was asked for last.
    pub task_id: String,
    /// The message that asks for it.
    pub asked: DecisionSource,
    /// Where it stands.
    #[serde(flatten)]
    pub state: PlanRunState,
}

/// Where a plan that is carried out stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PlanRunState {
    /// The answer is on its way.
    Asked,
    /// A model is asked whether the answer did what the task demands.
    Judging,
    /// It waits for the person.
    Waiting {
        /// Why.
        why: WaitingWhy,
    },
}

/// Why a plan waits for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum WaitingWhy {
    /// Not every criterion of the task is met.
    NotMet {
        /// The verdict.
        criteria: Vec<EvaluatedCriterion>,
    },
    /// The person stopped it.
    Stopped,
    /// The program ended, or another computer carries it out.
    Interrupted,
    /// The answer failed or came to a limit.
    Failed {
        /// The stable code.
        code: String,
    },
    /// Nobody could be asked for a verdict.
    NotJudged {
        /// The stable code.
        code: String,
    },
    /// The tasks that are left wait for others.
    Blocked,
}

impl Workflow {
    /// The same with a plan of these steps, which is worked on from now on.
    pub fn with_tree(&self, tree: &ExecutionTree, now: Timestamp) -> Result<Self, WorkflowError> {
        let add = WorkflowChange::AddPlan { title: tree.title.clone(), description: String::new() };
        let mut next = self.apply(&add, now)?;
        let plan = next.plans.last().map(|plan| plan.id.clone());
        let mut ids: Vec<String> = Vec::new();
        for step in &tree.steps {
            let before = step.after.iter().filter_map(|place| ids.get(*place as usize)).cloned();
            let add = WorkflowChange::AddTask {
                plan_id: plan.clone(),
                title: step.title.clone(),
                notes: step.notes.clone(),
                acceptance: step.acceptance.clone(),
                depends_on: before.collect(),
            };
            next = next.apply(&add, now)?;
            let added = plan.as_deref().and_then(|plan| next.plan(plan)?.tasks.last());
            ids.extend(added.map(|task| task.id.clone()));
        }
        next.apply(&WorkflowChange::SwitchPlan { id: plan }, now)
    }

    /// The first task of a plan that can be worked on: the one that was begun, else one that waits for no other.
    pub fn ready(&self, plan: &str) -> Option<&Task> {
        let tasks = || self.plan(plan).into_iter().flat_map(|plan| &plan.tasks);
        let of = |status| {
            tasks().find(move |task| task.status == status && self.blockers(task).is_empty())
        };
        of(TaskStatus::Doing).or_else(|| of(TaskStatus::Todo))
    }

    /// Whether nothing of a plan is left to do.
    pub fn is_done(&self, plan: &str) -> bool {
        let left = |task: &Task| matches!(task.status, TaskStatus::Todo | TaskStatus::Doing);
        !self.plan(plan).is_some_and(|plan| plan.tasks.iter().any(left))
    }

    /// The same with a plan carried out so far, or none. A task remembers the message that asked for it.
    pub fn carried(&self, run: Option<PlanRun>) -> Self {
        let mut next = self.clone();
        if let Some(run) = &run {
            let mut tasks = next.plans.iter_mut().flat_map(|plan| &mut plan.tasks);
            if let Some(task) = tasks.find(|task| task.id == run.task_id) {
                task.asked = Some(run.asked);
            }
        }
        next.run = run;
        next.revision = self.revision.saturating_add(1);
        next
    }

    /// A plan that is not worked on any more is not carried out.
    pub(super) fn keep_run_of_current(&mut self) {
        let current = self.current_plan_id.as_deref();
        self.run.take_if(|run| Some(run.plan_id.as_str()) != current);
    }
}

/// What a newer version says of it is not known, and stops nobody from reading the rest.
pub(super) fn if_known<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PlanRun>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ConversationId, MessageId};
    use crate::tasks::TreeStep;
    use crate::workflow::PlanStatus;

    fn now() -> Timestamp {
        "2026-11-22T13:00:00Z".parse().unwrap()
    }

    fn tree() -> ExecutionTree {
        let step = |title: &str, after: &[u32]| TreeStep {
            title: title.into(),
            notes: format!("how to {title}"),
            acceptance: vec![format!("{title} is done")],
            after: after.to_vec(),
        };
        let steps = vec![step("find", &[]), step("change", &[0]), step("test", &[0, 1])];
        ExecutionTree { title: "Move the port".into(), steps }
    }

    fn run_of(work: &Workflow, task: &str) -> PlanRun {
        let asked = DecisionSource {
            conversation_id: ConversationId::new(now()),
            message_id: MessageId::new(now()),
        };
        let plan_id = work.plans[1].id.clone();
        PlanRun { plan_id, task_id: task.into(), asked, state: PlanRunState::Asked }
    }

    /// Beside a plan that is worked on, with tasks whose numbers are taken.
    fn work() -> Workflow {
        let add = |work: &Workflow, change| work.apply(&change, now()).unwrap();
        let title = || "Other".to_owned();
        let work = add(
            &Workflow::new("Flow"),
            WorkflowChange::AddPlan { title: title(), description: String::new() },
        );
        let (notes, acceptance) = (String::new(), Vec::new());
        let task = WorkflowChange::AddTask {
            plan_id: None,
            title: title(),
            notes,
            acceptance,
            depends_on: vec![],
        };
        add(&work, task).with_tree(&tree(), now()).unwrap()
    }

    #[test]
    fn a_tree_becomes_the_plan_that_is_worked_on() {
        let work = work();
        let plan = work.current_plan().unwrap();
        assert_eq!((plan.id.as_str(), plan.title.as_str()), ("plan_002", "Move the port"));
        assert_eq!((work.plans[0].status, plan.status), (PlanStatus::Open, PlanStatus::Active));
        let tasks: Vec<(&str, Vec<&str>)> = plan
            .tasks
            .iter()
            .map(|it| (it.id.as_str(), it.depends_on.iter().map(String::as_str).collect()))
            .collect();
        let expected = [
            ("task_002", vec![]),
            ("task_003", vec!["task_002"]),
            ("task_004", vec!["task_002", "task_003"]),
        ];
        assert_eq!(tasks, expected);
        assert_eq!(plan.tasks[1].notes, "how to change");
        assert_eq!(plan.tasks[1].acceptance, ["change is done"]);
    }

    #[test]
    fn the_task_that_was_begun_is_ready_before_the_first_that_waits_for_no_other() {
        let mut work = work();
        for task in ["task_002", "task_003", "task_004"] {
            assert_eq!(work.ready("plan_002").map(|it| it.id.as_str()), Some(task));
            assert!(!work.is_done("plan_002"));
            let id = task.to_owned();
            work = work.apply(&WorkflowChange::StartTask { id: id.clone() }, now()).unwrap();
            assert_eq!(work.ready("plan_002").map(|it| it.id.as_str()), Some(task));
            work = work.apply(&WorkflowChange::FinishTask { id }, now()).unwrap();
        }
        assert_eq!((work.ready("plan_002"), work.is_done("plan_002")), (None, true));
    }

    #[test]
    fn a_plan_that_is_left_is_not_carried_out_any_more_and_its_task_knows_who_asked() {
        let work = work();
        let run = run_of(&work, "task_002");
        let carried = work.carried(Some(run.clone()));
        assert_eq!(carried.revision, work.revision + 1);
        assert_eq!(carried.task("task_002").unwrap().asked, Some(run.asked));
        let edit = WorkflowChange::RenameProject { name: "Flow 2".into() };
        assert_eq!(carried.apply(&edit, now()).unwrap().run, Some(run));
        let other = WorkflowChange::SwitchPlan { id: Some("plan_001".into()) };
        assert_eq!(carried.apply(&other, now()).unwrap().run, None);
        let archived = WorkflowChange::ArchivePlan { id: "plan_002".into() };
        assert_eq!(carried.apply(&archived, now()).unwrap().run, None);
    }

    #[test]
    fn what_a_newer_version_says_of_a_run_hides_nothing_else() {
        let work = work();
        let carried = work.carried(Some(run_of(&work, "task_002")));
        let mut json = serde_json::to_value(&carried).unwrap();
        assert_eq!(serde_json::from_value::<Workflow>(json.clone()).unwrap(), carried);
        json["run"]["state"] = "dreaming".into();
        let read: Workflow = serde_json::from_value(json).unwrap();
        assert_eq!((read.run, read.plans), (None, carried.plans));
    }
}
