//! Stories told by the real window: the built program, driven through WebKitWebDriver on a virtual screen.
//!
//! `scripts/window.sh` runs them. Each story has a desktop session of its own and starts a program of its own over a data
//! folder of its own; nothing is shared, so two run at a time. `walk` and `shots` leave pictures under `target/shots/`, `soak`
//! works for an hour.

#[cfg(test)]
mod shots;
#[cfg(test)]
mod soak;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod support;
#[cfg(test)]
mod walk;
