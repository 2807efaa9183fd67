//! Where keys are kept: [`Kept`], which may besides refuse every key although it is open, and whose encrypted file may be
//! closed by something other than a start.

use std::sync::atomic::{AtomicBool, Ordering};

use siltstone_engine::keys::{Account, KeyringState, Place, VaultState};
use siltstone_engine::ports::{SecretError, SecretStore};
use siltstone_engine::secret::Secret;

use crate::kept::Kept;

#[derive(Default)]
pub(crate) struct Secrets {
    pub kept: Kept,
    /// The keyring is open and takes no key.
    pub refuses: AtomicBool,
    /// The encrypted file is there and was not opened.
    pub vault_closed: AtomicBool,
}

impl Secrets {
    fn open(&self, place: Place) -> Result<&Kept, SecretError> {
        if matches!(place, Place::Vault) && self.vault_closed.load(Ordering::SeqCst) {
            return Err(SecretError::VaultLocked);
        }
        Ok(&self.kept)
    }
}

impl SecretStore for Secrets {
    fn keyring(&self) -> KeyringState {
        self.kept.keyring()
    }

    fn unlock_keyring(&self) -> Result<(), SecretError> {
        self.kept.unlock_keyring()
    }

    fn vault(&self) -> VaultState {
        match self.kept.vault() {
            VaultState::Unlocked if self.vault_closed.load(Ordering::SeqCst) => VaultState::Locked,
            state => state,
        }
    }

    fn unlock_vault(&self, passphrase: &Secret) -> Result<(), SecretError> {
        self.kept.unlock_vault(passphrase)?;
        self.vault_closed.store(false, Ordering::SeqCst);
        Ok(())
    }

    fn discard_vault(&self) -> Result<(), SecretError> {
        self.vault_closed.store(false, Ordering::SeqCst);
        self.kept.discard_vault()
    }

    fn get(&self, place: Place, account: &Account) -> Result<Option<Secret>, SecretError> {
        self.open(place)?.get(place, account)
    }

    fn put(&self, place: Place, account: &Account, key: &Secret) -> Result<(), SecretError> {
        if matches!(place, Place::Keyring) && self.refuses.load(Ordering::SeqCst) {
            return Err(SecretError::Refused { detail: "the keyring takes no key".into() });
        }
        self.open(place)?.put(place, account, key)
    }

    fn remove(&self, place: Place, account: &Account) -> Result<(), SecretError> {
        self.open(place)?.remove(place, account)
    }
}
