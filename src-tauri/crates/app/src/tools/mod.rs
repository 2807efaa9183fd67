//! Tools: what is offered, what was remembered, what waits for the person, and servers.

mod approvals;
mod carrying;
mod found;
mod inbox;
mod mcp;
mod offered;
mod panel;
mod server_secrets;
pub(crate) mod servers;

pub(crate) use approvals::{Bound, Waiting, sealed};
pub(crate) use carrying::{Place, Task};
pub(crate) use offered::{Known, Offer, Offered};
