//! MCP servers.

use siltstone_contract::{
    Failure, McpFound, McpItem, McpRef, McpTested, ProjectRef, SetMcp, SetMcpSecret, ToolsAt,
    TrustMcp,
};

use super::panel::missing;
use crate::App;

impl App {
    /// MCP servers at a place.
    pub async fn mcp_list(&self, _: ToolsAt) -> Result<Vec<McpItem>, Failure> {
        Ok(Vec::new())
    }

    /// Adds a server or changes it; a changed one has to be trusted again.
    pub async fn mcp_set(&self, _: SetMcp) -> Result<McpItem, Failure> {
        missing()
    }

    /// Removes a server and its secrets.
    pub async fn mcp_remove(&self, _: McpRef) -> Result<(), Failure> {
        missing()
    }

    /// Keeps a secret of a server with the keys.
    pub async fn mcp_secret(&self, _: SetMcpSecret) -> Result<McpItem, Failure> {
        missing()
    }

    /// Trusts a server as it was shown.
    pub async fn mcp_trust(&self, _: TrustMcp) -> Result<McpItem, Failure> {
        missing()
    }

    /// Starts or reaches a server and asks what it offers.
    pub async fn mcp_test(&self, _: McpRef) -> Result<McpTested, Failure> {
        missing()
    }

    /// Servers that a trusted project's files name.
    pub async fn mcp_found(&self, _: ProjectRef) -> Result<Vec<McpFound>, Failure> {
        Ok(Vec::new())
    }
}
