//! The room from outside, in one program: how requests leave, one story told by every provider, and that no key is in any
//! log.

#[cfg(test)]
mod leaving;
#[cfg(test)]
mod log;
#[cfg(test)]
mod story;
