//! The port of file tools over real folders: what a call tells, what a change leaves on disk, and what hostile folders
//! and names do to it.

mod changing;
#[cfg(unix)]
mod hostile;
mod looking;
mod world;
