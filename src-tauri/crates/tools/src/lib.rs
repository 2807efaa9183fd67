//! Programs and servers that a model may use through Siltstone: commands in a project, and MCP servers.

mod command;
mod environment;
mod mcp;

pub use command::Shell;
pub use mcp::Servers;
