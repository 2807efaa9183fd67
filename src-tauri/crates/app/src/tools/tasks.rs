//! Work that a model is asked for beside answers: a plan, and whether a task is done.

use siltstone_contract::{CreateTree, Evaluation, ExecutionTree, Failure, RunTree, Sent, TurnRef};

use super::panel::missing;
use crate::App;

impl App {
    /// Asks a model for a plan of what is to be done.
    pub async fn tree_create(&self, _: CreateTree) -> Result<ExecutionTree, Failure> {
        missing()
    }

    /// Carries a plan out.
    pub async fn tree_run(&self, _: RunTree) -> Result<Sent, Failure> {
        missing()
    }

    /// Asks a model whether an answer did what its task demands.
    pub async fn turn_evaluate(&self, _: TurnRef) -> Result<Evaluation, Failure> {
        missing()
    }
}
