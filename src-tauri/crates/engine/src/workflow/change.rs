//! What can happen to a workflow. The person asks for it, or accepts what a model proposed in the same words.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    Decision, DecisionOrigin, DecisionSource, Plan, PlanStatus, Task, TaskStatus, Workflow,
    WorkflowError,
};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum WorkflowChange {
    /// Calls the project something else.
    RenameProject {
        /// The name.
        name: String,
    },
    /// Adds a plan at the end. The first one is worked on at once.
    AddPlan {
        /// In a few words.
        title: String,
        /// At length.
        #[serde(default)]
        description: String,
    },
    /// Writes a plan anew; what is `None` stays.
    EditPlan {
        /// Which.
        id: String,
        /// In a few words.
        #[serde(default)]
        title: Option<String>,
        /// At length.
        #[serde(default)]
        description: Option<String>,
    },
    /// Moves a plan to a place in the list, counted from 0.
    MovePlan {
        /// Which.
        id: String,
        /// The place.
        to: u32,
    },
    /// Works on this plan from now on; one that was done or archived comes back. `None` works on none.
    SwitchPlan {
        /// Which.
        id: Option<String>,
    },
    /// A plan is achieved.
    FinishPlan {
        /// Which.
        id: String,
    },
    /// Puts a plan out of sight.
    ArchivePlan {
        /// Which.
        id: String,
    },
    /// Adds a task at the end of a plan.
    AddTask {
        /// The plan; `None` for the one that is worked on.
        #[serde(default)]
        plan_id: Option<String>,
        /// In a few words.
        title: String,
        /// What is to be known about it.
        #[serde(default)]
        notes: String,
        /// What must hold for it to be done.
        #[serde(default)]
        acceptance: Vec<String>,
        /// The tasks that must be done before.
        #[serde(default)]
        depends_on: Vec<String>,
    },
    /// Writes a task anew; what is `None` stays.
    EditTask {
        /// Which.
        id: String,
        /// In a few words.
        #[serde(default)]
        title: Option<String>,
        /// What is to be known about it.
        #[serde(default)]
        notes: Option<String>,
        /// What must hold for it to be done.
        #[serde(default)]
        acceptance: Option<Vec<String>>,
        /// The tasks that must be done before.
        #[serde(default)]
        depends_on: Option<Vec<String>>,
    },
    /// Moves a task to a place in its plan, counted from 0.
    MoveTask {
        /// Which.
        id: String,
        /// The place.
        to: u32,
    },
    /// Works on this task, and on its plan, from now on; one that was done or archived comes back.
    StartTask {
        /// Which.
        id: String,
    },
    /// A task is done.
    FinishTask {
        /// Which.
        id: String,
    },
    /// Puts a task out of sight.
    ArchiveTask {
        /// Which.
        id: String,
    },
    /// Writes a decision down.
    AddDecision {
        /// What was decided.
        text: String,
        /// Where it was said.
        #[serde(default)]
        source: Option<DecisionSource>,
        /// How it came here.
        #[serde(default)]
        origin: DecisionOrigin,
    },
    /// Takes a decision out of the log.
    RemoveDecision {
        /// Which.
        id: String,
    },
}

impl Workflow {
    /// The next state, or why there is none.
    pub fn apply(&self, change: &WorkflowChange, now: Timestamp) -> Result<Self, WorkflowError> {
        let mut next = self.clone();
        next.make(change, now)?;
        next.keep_run_of_current();
        next.revision = self.revision.saturating_add(1);
        Ok(next)
    }

    fn make(&mut self, change: &WorkflowChange, now: Timestamp) -> Result<(), WorkflowError> {
        use WorkflowChange as Change;
        match change {
            Change::RenameProject { name } => self.project_name = written(name)?,
            Change::AddPlan { title, description } => self.add_plan(title, description, now)?,
            Change::EditPlan { id, title, description } => {
                let plan = self.plan_mut(id)?;
                replace(&mut plan.title, title.as_deref().map(written).transpose()?);
                replace(&mut plan.description, description.clone());
            }
            Change::MovePlan { id, to } => {
                self.plan_mut(id)?;
                put_at(&mut self.plans, |plan| plan.id == *id, *to);
            }
            Change::SwitchPlan { id } => self.switch(id.as_deref())?,
            Change::FinishPlan { id } => self.close(id, PlanStatus::Done)?,
            Change::ArchivePlan { id } => self.close(id, PlanStatus::Archived)?,
            Change::AddTask { plan_id, title, notes, acceptance, depends_on } => {
                let task = Task {
                    id: next_id("task", self.tasks().map(|task| task.id.as_str())),
                    title: written(title)?,
                    notes: notes.clone(),
                    acceptance: acceptance.clone(),
                    depends_on: depends_on.clone(),
                    ..Task::default()
                };
                let plan = plan_id.as_ref().or(self.current_plan_id.as_ref());
                let (plan, id) = (plan.ok_or(WorkflowError::NoPlan)?.clone(), task.id.clone());
                self.plan_mut(&plan)?.tasks.push(task);
                self.check_dependencies(&id)?;
            }
            Change::EditTask { id, title, notes, acceptance, depends_on } => {
                let task = self.task_mut(id)?;
                replace(&mut task.title, title.as_deref().map(written).transpose()?);
                replace(&mut task.notes, notes.clone());
                replace(&mut task.acceptance, acceptance.clone());
                replace(&mut task.depends_on, depends_on.clone());
                self.check_dependencies(id)?;
            }
            Change::MoveTask { id, to } => {
                let plan = self.plan_of(id).ok_or_else(|| unknown("task", id))?.id.clone();
                put_at(&mut self.plan_mut(&plan)?.tasks, |task| task.id == *id, *to);
            }
            Change::StartTask { id } => self.start(id, now)?,
            Change::FinishTask { id } => self.finish(id, now)?,
            Change::ArchiveTask { id } => {
                self.task_mut(id)?.status = TaskStatus::Archived;
                self.leave(id);
            }
            Change::AddDecision { text, source, origin } => self.decisions.push(Decision {
                id: next_id("decision", self.decisions.iter().map(|it| it.id.as_str())),
                text: written(text)?,
                at: Some(now),
                source: *source,
                plan_id: self.current_plan_id.clone(),
                origin: *origin,
                ..Decision::default()
            }),
            Change::RemoveDecision { id } => {
                let place = self.decisions.iter().position(|it| it.id == *id);
                self.decisions.remove(place.ok_or_else(|| unknown("decision", id))?);
            }
        }
        Ok(())
    }

    fn add_plan(
        &mut self,
        title: &str,
        description: &str,
        now: Timestamp,
    ) -> Result<(), WorkflowError> {
        let id = next_id("plan", self.plans.iter().map(|plan| plan.id.as_str()));
        self.plans.push(Plan {
            id: id.clone(),
            title: written(title)?,
            description: description.trim().to_owned(),
            created_at: Some(now),
            ..Plan::default()
        });
        if self.current_plan_id.is_none() { self.switch(Some(&id)) } else { Ok(()) }
    }

    fn switch(&mut self, to: Option<&str>) -> Result<(), WorkflowError> {
        if let Some(id) = to {
            self.plan_mut(id)?;
        }
        if self.current_plan_id.as_deref() == to {
            return Ok(());
        }
        for plan in &mut self.plans {
            if Some(plan.id.as_str()) == to {
                plan.status = PlanStatus::Active;
            } else if plan.status == PlanStatus::Active {
                plan.status = PlanStatus::Open;
            }
        }
        self.current_plan_id = to.map(str::to_owned);
        let doing = |task: &&Task| task.status == TaskStatus::Doing;
        let task = self.current_plan().and_then(|plan| plan.tasks.iter().rfind(doing));
        self.current_task_id = task.map(|task| task.id.clone());
        Ok(())
    }

    fn close(&mut self, id: &str, status: PlanStatus) -> Result<(), WorkflowError> {
        let plan = self.plan_mut(id)?;
        if plan.status == PlanStatus::Archived && status == PlanStatus::Done {
            return Err(WorkflowError::Archived { id: id.to_owned() });
        }
        plan.status = status;
        if self.current_plan_id.as_deref() == Some(id) {
            self.current_plan_id = None;
            self.current_task_id = None;
        }
        Ok(())
    }

    fn start(&mut self, id: &str, now: Timestamp) -> Result<(), WorkflowError> {
        let plan = self.plan_of(id).ok_or_else(|| unknown("task", id))?.id.clone();
        self.check_blockers(id)?;
        self.switch(Some(&plan))?;
        let task = self.task_mut(id)?;
        task.status = TaskStatus::Doing;
        task.started_at.get_or_insert(now);
        task.finished_at = None;
        self.current_task_id = Some(id.to_owned());
        Ok(())
    }

    fn finish(&mut self, id: &str, now: Timestamp) -> Result<(), WorkflowError> {
        self.check_blockers(id)?;
        let task = self.task_mut(id)?;
        if task.status == TaskStatus::Archived {
            return Err(WorkflowError::Archived { id: id.to_owned() });
        }
        task.status = TaskStatus::Done;
        task.finished_at.get_or_insert(now);
        self.leave(id);
        Ok(())
    }

    fn leave(&mut self, task: &str) {
        if self.current_task_id.as_deref() == Some(task) {
            self.current_task_id = None;
        }
    }

    fn check_blockers(&self, id: &str) -> Result<(), WorkflowError> {
        let task = self.task(id).ok_or_else(|| unknown("task", id))?;
        let by = self.blockers(task);
        if by.is_empty() { Ok(()) } else { Err(WorkflowError::Blocked { id: id.to_owned(), by }) }
    }

    /// Every task that this one waits for exists, and none of them waits for this one.
    fn check_dependencies(&self, id: &str) -> Result<(), WorkflowError> {
        let mut waiting = self.task(id).map(|task| task.depends_on.clone()).unwrap_or_default();
        if let Some(unknown_id) = waiting.iter().find(|other| self.task(other).is_none()) {
            return Err(unknown("task", unknown_id));
        }
        let mut seen: Vec<String> = Vec::new();
        while let Some(next) = waiting.pop() {
            if next == id {
                return Err(WorkflowError::Cycle { id: id.to_owned() });
            }
            if !seen.contains(&next) {
                waiting.extend(self.task(&next).into_iter().flat_map(|it| it.depends_on.clone()));
                seen.push(next);
            }
        }
        Ok(())
    }

    fn plan_mut(&mut self, id: &str) -> Result<&mut Plan, WorkflowError> {
        let found = self.plans.iter_mut().find(|plan| plan.id == id);
        found.ok_or_else(|| unknown("plan", id))
    }

    fn task_mut(&mut self, id: &str) -> Result<&mut Task, WorkflowError> {
        let mut tasks = self.plans.iter_mut().flat_map(|plan| &mut plan.tasks);
        tasks.find(|task| task.id == id).ok_or_else(|| unknown("task", id))
    }
}

/// `task_004` after `task_003`. The highest number counts, so an id is not given twice.
pub(crate) fn next_id<'a>(kind: &str, known: impl Iterator<Item = &'a str>) -> String {
    let number = |id: &str| id.strip_prefix(kind)?.strip_prefix('_')?.parse::<u32>().ok();
    let last = known.filter_map(number).max().unwrap_or(0);
    format!("{kind}_{:03}", last.saturating_add(1))
}

fn unknown(what: &'static str, id: &str) -> WorkflowError {
    WorkflowError::Unknown { what, id: id.to_owned() }
}

fn written(text: &str) -> Result<String, WorkflowError> {
    let text = text.trim();
    if text.is_empty() { Err(WorkflowError::Empty) } else { Ok(text.to_owned()) }
}

fn replace<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn put_at<T>(list: &mut Vec<T>, which: impl Fn(&T) -> bool, to: u32) {
    if let Some(place) = list.iter().position(which) {
        let item = list.remove(place);
        let to = usize::try_from(to).unwrap_or(usize::MAX).min(list.len());
        list.insert(to, item);
    }
}
