//! Why a change of a workflow is not made.

/// Why a change is not made; the state stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowError {
    /// There is no such plan, task or decision.
    #[error("there is no {what} {id}")]
    Unknown {
        /// What was asked for.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// Nothing was written.
    #[error("the text is empty")]
    Empty,
    /// There is no plan that is worked on, and none was named.
    #[error("no plan is worked on")]
    NoPlan,
    /// Tasks would wait for each other.
    #[error("{id} would wait for itself")]
    Cycle {
        /// The task.
        id: String,
    },
    /// Other tasks come first.
    #[error("{id} waits for {}", by.join(", "))]
    Blocked {
        /// The task.
        id: String,
        /// The tasks that are not done.
        by: Vec<String>,
    },
    /// It was archived, and comes back before anything else happens to it.
    #[error("{id} is archived")]
    Archived {
        /// The plan or task.
        id: String,
    },
}
