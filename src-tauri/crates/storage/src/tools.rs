//! Runs, rules, long outputs, servers and the inbox.

use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, InboxId, NodeId, ProjectId, RuleId, TurnId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::run::RunNode;
use siltstone_engine::section::Manifest;
use siltstone_engine::tool::approval::Rule;
use siltstone_engine::tool::mcp::McpServer;
use siltstone_engine::tool::{InboxRecord, ToolRecords};

use crate::Store;

impl ToolRecords for Store {
    fn put_node(&self, _: &RunNode) -> Result<(), StoreError> {
        Ok(())
    }

    fn nodes(&self, _: TurnId) -> Result<Vec<RunNode>, StoreError> {
        Ok(Vec::new())
    }

    fn put_node_manifest(&self, _: NodeId, _: &Manifest) -> Result<(), StoreError> {
        Ok(())
    }

    fn node_manifest(&self, _: NodeId) -> Result<Option<Manifest>, StoreError> {
        Ok(None)
    }

    fn put_output(&self, _: ConversationId, _: &str, _: Timestamp) -> Result<String, StoreError> {
        Ok(String::new())
    }

    fn output(&self, _: ConversationId, _: &str) -> Result<String, StoreError> {
        Ok(String::new())
    }

    fn rules(&self, _: Option<ProjectId>) -> Result<Vec<Rule>, StoreError> {
        Ok(Vec::new())
    }

    fn put_rule(&self, _: &Rule) -> Result<(), StoreError> {
        Ok(())
    }

    fn remove_rule(&self, _: RuleId) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn commands_allowed(&self, _: ProjectId) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn allow_commands(&self, _: ProjectId, _: bool) -> Result<(), StoreError> {
        Ok(())
    }

    fn inbox(&self, _: Option<ProjectId>) -> Result<Vec<InboxRecord>, StoreError> {
        Ok(Vec::new())
    }

    fn put_inbox(&self, _: &InboxRecord) -> Result<(), StoreError> {
        Ok(())
    }

    fn take_inbox(&self, _: InboxId) -> Result<Option<InboxRecord>, StoreError> {
        Ok(None)
    }

    fn servers(&self, _: Option<ProjectId>) -> Result<Vec<McpServer>, StoreError> {
        Ok(Vec::new())
    }

    fn put_server(&self, _: &McpServer) -> Result<(), StoreError> {
        Ok(())
    }

    fn remove_server(&self, _: Option<ProjectId>, _: &str) -> Result<bool, StoreError> {
        Ok(false)
    }
}
