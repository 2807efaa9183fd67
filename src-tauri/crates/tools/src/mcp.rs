//! MCP servers.

use std::sync::Arc;

use siltstone_engine::tool::mcp::{
    FromServer, McpAccess, McpError, McpServer, McpServers, McpSession,
};

/// Servers over input and output, and over HTTP.
#[derive(Clone, Debug, Default)]
pub struct Servers;

impl McpServers for Servers {
    fn connect(
        &self,
        server: &McpServer,
        _: McpAccess,
    ) -> FromServer<'static, Arc<dyn McpSession>> {
        let name = server.name.clone();
        Box::pin(async move { Err(McpError::Broken { name, detail: String::new() }) })
    }
}
