//! The store against real SQLite files in temporary folders.

#[cfg(test)]
mod blobs;
#[cfg(test)]
mod candidates;
#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod contexts;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod egress;
#[cfg(test)]
mod files;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod notes;
#[cfg(test)]
mod passages;
#[cfg(test)]
mod places;
#[cfg(test)]
mod salvage;
#[cfg(test)]
mod sealing;
#[cfg(test)]
mod search;
#[cfg(test)]
mod spending;
#[cfg(test)]
mod steps;
#[cfg(test)]
pub(crate) mod summaries;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod turns;
#[cfg(test)]
mod vault;
#[cfg(test)]
mod vectors;
