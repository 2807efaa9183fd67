//! What is sent, in states that nobody chose (G3): that it is what is shown, and that nothing that is gone or refused is in
//! it. One person at random, one server, and every request that leaves; and an agent at random, of whose work nothing goes unseen.

mod canary;
mod consent;
mod derivation;
mod room;
mod server;
mod shown;
mod unasked;
mod walk;
mod wire;

pub use canary::run as canary;
pub use consent::run as consent;
pub use derivation::run as derivation;
pub use unasked::run as unasked;
