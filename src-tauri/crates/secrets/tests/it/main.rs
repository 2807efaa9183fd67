//! The room from outside, in one program: the system's keyring in every state, sealing, and the encrypted file.

#[cfg(test)]
mod keyring;
#[cfg(test)]
mod seal;
#[cfg(test)]
mod vault;
