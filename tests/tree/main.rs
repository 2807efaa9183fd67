//! What is committed, looked at as a tree: the drawing of the house, what it is built from, what is written by a program, what
//! is written for people, and how its tests wait. It runs with the contract's tests, whose types the written files hold.

mod architecture;
mod freshness;
mod pages;
mod services;
mod supply;
mod waiting;

use std::path::PathBuf;

/// The folder that holds all of it.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}
