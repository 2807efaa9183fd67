//! What is sent, in states that nobody chose (G3): that it is what is shown, and that nothing that is gone or refused is in
//! it. One person at random, one server, and every request that leaves; an agent at
//! random, of whose work nothing goes unseen; and lines that agents propose, none of which is memory by itself.

mod canary;
mod consent;
mod derivation;
mod proposed;
mod room;
mod server;
mod shown;
mod unasked;
mod walk;
mod wire;

pub use canary::run as canary;
pub use consent::run as consent;
pub use derivation::run as derivation;
pub use proposed::run as proposed;
pub use unasked::run as unasked;
