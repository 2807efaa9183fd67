//! Commands.

use std::pin::Pin;

use siltstone_engine::tool::{CommandRun, Commands, OnOutput, Ran, Sandbox, ToolError};

/// The system's shell.
#[derive(Clone, Debug, Default)]
pub struct Shell;

impl Commands for Shell {
    fn sandbox(&self) -> Sandbox {
        Sandbox::None
    }

    fn run(
        &self,
        _: CommandRun,
        _: OnOutput,
    ) -> Pin<Box<dyn Future<Output = Result<Ran, ToolError>> + Send + '_>> {
        Box::pin(async { Err(ToolError::Stopped) })
    }
}
