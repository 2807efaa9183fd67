//! The room from outside, in one program: commands over the system's shell, and MCP servers that are programs.

#[cfg(test)]
mod commands;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod serve;
