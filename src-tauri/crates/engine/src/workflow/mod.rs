//! The work of a project: plans, their tasks, and what was decided (behaviour.md, Sessions).
//!
//! A [`Workflow`] is one state; [`Workflow::apply`] makes the next one of it or says why not, and is the only way to
//! change one. Sessions, the request and `.ai-brain/workflow.json` all show the same state. Where the design is silent
//! about the file, its form is ours (`docs/schema/workflow.schema.json`); what others add to it is kept. Deliberately
//! absent: who may change it, and where it is kept.

mod change;
mod refused;
mod run;
pub mod slash;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::{ConversationId, MessageId};

pub use change::WorkflowChange;
pub(crate) use change::next_id;
pub use refused::WorkflowError;
pub use run::{PlanRun, PlanRunState, WaitingWhy};

/// The version of the form that is written.
pub const VERSION: &str = "1.0";

/// The plans of a project, the one that is worked on, and what was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Workflow {
    /// The version of its form.
    pub version: String,
    /// Grows with every change, so that of two states of one line the newer is known without a clock.
    pub revision: u64,
    /// What the project is called.
    pub project_name: String,
    /// The plan that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub current_plan_id: Option<String>,
    /// The task that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub current_task_id: Option<String>,
    /// In the person's order.
    pub plans: Vec<Plan>,
    /// Oldest first.
    pub decisions: Vec<Decision>,
    /// The plan that is carried out, as far as it came.
    #[serde(deserialize_with = "run::if_known", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub run: Option<PlanRun>,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// Something to achieve, in tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Plan {
    /// `plan_001`.
    pub id: String,
    /// In a few words.
    pub title: String,
    /// At length; may be empty.
    pub description: String,
    /// How far it is.
    pub status: PlanStatus,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub created_at: Option<Timestamp>,
    /// In the person's order.
    pub tasks: Vec<Task>,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// How far a plan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Waits.
    #[default]
    Open,
    /// Is worked on.
    Active,
    /// Was achieved.
    Done,
    /// Is out of sight.
    Archived,
}

/// A step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Task {
    /// `task_004`, once in the project.
    pub id: String,
    /// In a few words.
    pub title: String,
    /// How far it is.
    pub status: TaskStatus,
    /// The tasks that must be done before.
    pub depends_on: Vec<String>,
    /// What was written about it; may be empty.
    pub notes: String,
    /// What must hold for it to be done.
    pub acceptance: Vec<String>,
    /// When it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub started_at: Option<Timestamp>,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub finished_at: Option<Timestamp>,
    /// The message that asked for it last, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub asked: Option<DecisionSource>,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Waits.
    #[default]
    Todo,
    /// Is worked on.
    Doing,
    /// Was done.
    Done,
    /// Is out of sight.
    Archived,
}

/// Something that was settled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Decision {
    /// `decision_001`.
    pub id: String,
    /// What.
    pub text: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub at: Option<Timestamp>,
    /// Where it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub source: Option<DecisionSource>,
    /// The plan that was worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub plan_id: Option<String>,
    /// How it came here.
    pub origin: DecisionOrigin,
    /// What others put beside it.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub rest: Map<String, Value>,
}

/// The message in which something was decided, or asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DecisionSource {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The message.
    pub message_id: MessageId,
}

/// How a decision came into the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DecisionOrigin {
    /// The person wrote it down.
    #[default]
    Person,
    /// A model proposed it, and the person accepted.
    Accepted,
    /// It was found in what was said, and the person accepted.
    Found,
}

impl Default for Workflow {
    fn default() -> Self {
        Self {
            version: VERSION.to_owned(),
            revision: 0,
            project_name: String::new(),
            current_plan_id: None,
            current_task_id: None,
            plans: Vec::new(),
            decisions: Vec::new(),
            run: None,
            rest: Map::new(),
        }
    }
}

impl Workflow {
    /// One without plans, of a project of this name.
    pub fn new(project_name: &str) -> Self {
        Self { project_name: project_name.to_owned(), ..Self::default() }
    }

    /// A plan by its id.
    pub fn plan(&self, id: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.id == id)
    }

    /// A task by its id, whatever its plan.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks().find(|task| task.id == id)
    }

    /// The plan of a task.
    pub fn plan_of(&self, task: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.tasks.iter().any(|known| known.id == task))
    }

    /// The plan that is worked on.
    pub fn current_plan(&self) -> Option<&Plan> {
        self.plan(self.current_plan_id.as_deref()?)
    }

    /// The task that is worked on.
    pub fn current_task(&self) -> Option<&Task> {
        self.task(self.current_task_id.as_deref()?)
    }

    /// Every task of every plan.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.plans.iter().flat_map(|plan| &plan.tasks)
    }

    /// Tasks that must be done before this one and are not.
    pub fn blockers(&self, task: &Task) -> Vec<String> {
        let open = |id: &&String| {
            self.task(id)
                .is_some_and(|it| matches!(it.status, TaskStatus::Todo | TaskStatus::Doing))
        };
        task.depends_on.iter().filter(open).cloned().collect()
    }
}
