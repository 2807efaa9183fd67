//! Files of a project, for tools: looking, planning a change, carrying it out.

use siltstone_engine::ports::Folder;
use siltstone_engine::tool::{Answer, FileCall, FileChange, FileTools, ToolError};

use crate::Folders;

impl FileTools for Folders {
    fn look(
        &self,
        _: Folder<'_>,
        _: &FileCall,
        _: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError> {
        Err(ToolError::Stopped)
    }

    fn plan(&self, _: Folder<'_>, _: &FileCall) -> Result<FileChange, ToolError> {
        Err(ToolError::Stopped)
    }

    fn change(&self, _: Folder<'_>, _: &FileCall, _: &FileChange) -> Result<Answer, ToolError> {
        Err(ToolError::Stopped)
    }
}
