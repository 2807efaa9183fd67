//! What sealing needs of the world: one key for all checkpoints, and a passphrase that brings it back.
//!
//! Which bytes are sealed, and where the key is kept, others decide; here is only what is done to them. Losing the key
//! and the passphrase loses what is sealed, by design.

use super::ObjectId;
use crate::ports::StoreError;
use crate::secret::Secret;

/// The key that seals checkpoints, as text that can be kept where other keys are kept.
#[derive(Clone, Debug)]
pub struct SealKey(Secret);

impl SealKey {
    /// The key as it was kept.
    pub fn new(text: Secret) -> Self {
        Self(text)
    }

    /// The text itself, for whoever seals or keeps it.
    pub fn secret(&self) -> &Secret {
        &self.0
    }
}

/// How sealing and opening fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Another key sealed it, it is about something else, or a bit of it changed. Nobody can tell which.
    #[error("it was sealed with another key, or it is damaged")]
    Refused,
    /// The passphrase does not open it.
    #[error("the passphrase does not open it")]
    WrongPassphrase,
    /// It is not what it should be: no sealed bytes, no key.
    #[error("it is not sealed in a known way: {detail}")]
    Unknown {
        /// What is wrong with it.
        detail: String,
    },
    /// The system gave no random bytes.
    #[error("no random bytes: {detail}")]
    NoRandom {
        /// What the system said.
        detail: String,
    },
}

/// Seals bytes under a key, and keys and whole files under a passphrase.
pub trait Sealer: Send + Sync {
    /// A new key.
    fn new_key(&self) -> Result<SealKey, SealError>;
    /// A new passphrase of at least 100 bits that can be read aloud and typed again.
    fn new_passphrase(&self) -> Result<Secret, SealError>;

    /// Seals bytes. They open only with the same key, and only for who says what they are about.
    fn seal(&self, key: &SealKey, about: &[u8], bytes: &[u8]) -> Result<Vec<u8>, SealError>;
    /// The bytes that were sealed; a single changed bit is refused.
    fn open(&self, key: &SealKey, about: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError>;
    /// What stands for an id where nobody may learn which content it is of; the same for the same key.
    fn mask(&self, key: &SealKey, id: ObjectId) -> ObjectId;

    /// The key under a passphrase.
    fn wrap(&self, key: &SealKey, passphrase: &Secret) -> Result<Vec<u8>, SealError>;
    /// The key back.
    fn unwrap(&self, wrapped: &[u8], passphrase: &Secret) -> Result<SealKey, SealError>;
    /// A whole file under a passphrase, for other places and other programs.
    fn lock_file(&self, passphrase: &Secret, bytes: &[u8]) -> Result<Vec<u8>, SealError>;
    /// The file back.
    fn unlock_file(&self, passphrase: &Secret, locked: &[u8]) -> Result<Vec<u8>, SealError>;
}

/// How far what checkpoints hold is sealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sealed {
    /// Whether what comes is sealed. While something is left in the other form, it can still be rewritten.
    pub on: bool,
    /// Whether something is sealed, or is to be, and the key is not at hand.
    pub locked: bool,
    /// Bytes on disk that are sealed.
    pub sealed_bytes: u64,
    /// Bytes on disk that are not.
    pub plain_bytes: u64,
}

impl Sealed {
    /// Bytes that are not yet in the form in which they should be.
    pub fn left(&self) -> u64 {
        if self.on { self.plain_bytes } else { self.sealed_bytes }
    }
}

/// Sealing of what is kept. What reads or writes checkpoints while the key is not at hand fails with
/// [`StoreError::Locked`].
pub trait Sealing: Send + Sync {
    /// Whether something is sealed, or is to be, and the key is not at hand.
    fn is_locked(&self) -> Result<bool, StoreError>;
    /// How far it is.
    fn sealed(&self) -> Result<Sealed, StoreError>;
    /// Gives the key that opens what is sealed, for as long as this process runs. Another key is a conflict.
    fn unlock(&self, key: &SealKey) -> Result<(), StoreError>;
    /// From now on what comes is sealed with the key that was given, or not sealed. Rows change at once, the rest with
    /// [`Sealing::reseal`].
    fn seal(&self, on: bool) -> Result<(), StoreError>;
    /// Brings a part of what is left into the form in which it should be; what is still left afterwards. Fails with
    /// `Conflict` while a checkpoint is being made.
    fn reseal(&self) -> Result<Sealed, StoreError>;
    /// The key under a passphrase, if it was kept so.
    fn recovery(&self) -> Result<Option<Vec<u8>>, StoreError>;
    /// Keeps the key under a passphrase, or keeps it so no longer.
    fn put_recovery(&self, wrapped: Option<&[u8]>) -> Result<(), StoreError>;
}
