//! Tools: what is offered, what was remembered, what waits for the person, and servers.

mod inbox;
mod mcp;
mod panel;
mod tasks;
