//! Content-addressed bytes in append-only packs, and a database beside them that says where each object is.
//!
//! `packs/*.pack` hold the bytes, each object once; a pack is full at a size and never changes afterwards. Whoever puts
//! something appends to a pack, presses it onto the disk once, and then commits one transaction with the places and the
//! rows that name it: a process that dies at any instant leaves what was committed whole, and at most a tail of a pack
//! that nothing names. What rows are made of stands in the packs as well, so a lost database is made again from them.
//! Two stores are built of this, each in a folder of its own: [`crate::checkpoints`] and [`crate::vault`]. Not here: what
//! an object means, and which of them are needed.

pub(crate) mod folder;
pub(crate) mod index;
pub(crate) mod lock;
pub(crate) mod opening;
pub(crate) mod pack;
pub(crate) mod shelf;
pub(crate) mod sweep;
