//! What is offered at a place, and what waits.

use siltstone_contract::{
    AllowCommands, AnswerApproval, Approval, Code, ConversationRef, Failure, OutputText,
    ReadOutput, RuleRef, RunView, ToolPanel, ToolsAt, TurnRef,
};

use crate::App;

pub(super) fn missing<T>() -> Result<T, Failure> {
    Err(Failure::new(Code::NotFound, "not there yet"))
}

impl App {
    /// Tools at a place, and what was remembered of them.
    pub async fn tool_panel(&self, _: ToolsAt) -> Result<ToolPanel, Failure> {
        missing()
    }

    /// Says whether commands may be run in a project.
    pub async fn tool_commands(&self, _: AllowCommands) -> Result<ToolPanel, Failure> {
        missing()
    }

    /// Forgets a remembered answer.
    pub async fn tool_rule_revoke(&self, _: RuleRef) -> Result<(), Failure> {
        missing()
    }

    /// A part of a long result.
    pub async fn tool_output(&self, _: ReadOutput) -> Result<OutputText, Failure> {
        missing()
    }

    /// Calls of a conversation that wait for the person.
    pub async fn approval_list(&self, _: ConversationRef) -> Result<Vec<Approval>, Failure> {
        Ok(Vec::new())
    }

    /// Answers one.
    pub async fn approval_answer(&self, _: AnswerApproval) -> Result<(), Failure> {
        missing()
    }

    /// A turn as it was carried out.
    pub async fn run_get(&self, _: TurnRef) -> Result<RunView, Failure> {
        missing()
    }
}
