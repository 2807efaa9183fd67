//! Lines that models want to be remembered.

use siltstone_contract::{AcceptInbox, Failure, InboxItem, InboxRef, ToolsAt};
use siltstone_engine::memory::MemoryLine;

use super::panel::missing;
use crate::App;

impl App {
    /// Lines that models want to be remembered, oldest first.
    pub async fn inbox_list(&self, _: ToolsAt) -> Result<Vec<InboxItem>, Failure> {
        Ok(Vec::new())
    }

    /// Takes one into memory.
    pub async fn inbox_accept(&self, _: AcceptInbox) -> Result<MemoryLine, Failure> {
        missing()
    }

    /// Does not want one.
    pub async fn inbox_dismiss(&self, _: InboxRef) -> Result<(), Failure> {
        missing()
    }
}
