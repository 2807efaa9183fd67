//! Programs and servers that work through Siltstone: commands in a project and MCP servers, which a model may use, and agents,
//! which are asked in a model's place; and the server that other programs ask for what Siltstone knows.

mod acp;
mod command;
mod copies;
mod environment;
mod lines;
mod mcp;
mod serve;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_tools;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

pub use acp::{Programs, silt};
pub use command::Shell;
pub use copies::Beside;
pub use mcp::Servers;
pub use serve::{Answered, Listening, Served, ServedPrompt, ServedText, listen, serve};
