//! The room from outside, in one program: each port over real folders.

#[cfg(test)]
mod brain;
#[cfg(test)]
mod folders;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tools;
