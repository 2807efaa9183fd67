//! The port for runs and tools: which table's module does what, and in which transaction. The app crate calls it; what a
//! turn's messages are is in `turns` and `messages`.

pub(crate) mod inbox;
pub(crate) mod nodes;
pub(crate) mod outputs;
pub(crate) mod rules;
pub(crate) mod servers;

use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, InboxId, NodeId, ProjectId, RuleId, TurnId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::run::RunNode;
use siltstone_engine::section::Manifest;
use siltstone_engine::tool::approval::Rule;
use siltstone_engine::tool::mcp::McpServer;
use siltstone_engine::tool::{InboxRecord, ToolRecords};

use crate::Store;

/// What compressing or reading back said.
fn zipped(error: impl ToString) -> StoreError {
    StoreError::Io { detail: error.to_string() }
}

impl ToolRecords for Store {
    fn put_node(&self, node: &RunNode) -> Result<(), StoreError> {
        self.database.write(|db| nodes::put(db, node))
    }

    fn nodes(&self, turn: TurnId) -> Result<Vec<RunNode>, StoreError> {
        self.database.read(|db| nodes::of_turn(db, &self.owner, turn))
    }

    fn put_node_manifest(&self, node: NodeId, manifest: &Manifest) -> Result<(), StoreError> {
        let made = nodes::zip(manifest)?;
        self.database.write(|db| nodes::put_manifest(db, node, &made))
    }

    fn node_manifest(&self, node: NodeId) -> Result<Option<Manifest>, StoreError> {
        let stored = self.database.read(|db| nodes::manifest(db, node))?;
        stored.map(|stored| nodes::unzip(&stored)).transpose()
    }

    fn put_output(
        &self,
        id: ConversationId,
        text: &str,
        now: Timestamp,
    ) -> Result<String, StoreError> {
        let output = outputs::zip(text)?;
        self.database.write(|db| outputs::keep(db, id, &output, now))?;
        Ok(output.hash)
    }

    fn output(&self, id: ConversationId, hash: &str) -> Result<String, StoreError> {
        let (size, bytes) = self.database.read(|db| outputs::get(db, id, hash))?;
        outputs::unzip(size, &bytes)
    }

    fn rules(&self, project: Option<ProjectId>) -> Result<Vec<Rule>, StoreError> {
        self.database.read(|db| rules::list(db, project))
    }

    fn put_rule(&self, rule: &Rule) -> Result<(), StoreError> {
        self.database.write(|db| rules::put(db, rule))
    }

    fn remove_rule(&self, id: RuleId) -> Result<Option<Rule>, StoreError> {
        self.database.write(|db| rules::remove(db, id))
    }

    fn commands_allowed(&self, project: ProjectId) -> Result<bool, StoreError> {
        self.database.read(|db| rules::commands_allowed(db, project))
    }

    fn allow_commands(&self, project: ProjectId, allowed: bool) -> Result<(), StoreError> {
        self.database.write(|db| rules::allow_commands(db, project, allowed))
    }

    fn inbox(&self, project: Option<ProjectId>) -> Result<Vec<InboxRecord>, StoreError> {
        self.database.read(|db| inbox::list(db, project))
    }

    fn put_inbox(&self, record: &InboxRecord) -> Result<(), StoreError> {
        self.database.write(|db| inbox::put(db, record))
    }

    fn put_inbox_within(&self, record: &InboxRecord, most: u64) -> Result<bool, StoreError> {
        self.database.write(|db| inbox::put_within(db, record, most))
    }

    fn take_inbox(&self, id: InboxId) -> Result<Option<InboxRecord>, StoreError> {
        self.database.write(|db| inbox::take(db, id))
    }

    fn servers(&self, project: Option<ProjectId>) -> Result<Vec<McpServer>, StoreError> {
        self.database.read(|db| servers::list(db, project))
    }

    fn put_server(&self, server: &McpServer) -> Result<(), StoreError> {
        self.database.write(|db| servers::put(db, server))
    }

    fn remove_server(&self, project: Option<ProjectId>, name: &str) -> Result<bool, StoreError> {
        self.database.write(|db| servers::remove(db, project, name))
    }
}
