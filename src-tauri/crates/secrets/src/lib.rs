//! Keys, each in the place the person chose: the system's keyring, this process's memory, or an encrypted file.
//!
//! [`Secrets`] implements the engine's port. The app decides what is kept where and asks the person when a place is
//! closed; nothing here falls back to another place, and there is no place in plain text. What is shown of a key is in
//! the database, which therefore never waits for a keyring. [`Seals`] seals checkpoints; it keeps no key.

#![deny(missing_docs)]

mod keyring;
mod seal;
mod vault;

#[cfg(any(target_os = "macos", target_os = "windows"))]
mod native;
#[cfg(target_os = "linux")]
mod secret_service;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use siltstone_engine::keys::{Account, KeyringState, Place, VaultState};
use siltstone_engine::ports::{SecretError, SecretStore};
use siltstone_engine::secret::Secret;

use keyring::Keyring;
pub use seal::Seals;
use vault::Vault;

/// Asks the system to keep no copy of this process's memory should it crash, nor of those it starts: keys pass through
/// it, typed ones through the webview's too. Hosts call it before anything else.
pub fn keep_memory_private() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        // Nobody is refused to lower a limit of their own.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
}

/// The three places. Hosts make one and hand it to the app.
pub struct Secrets {
    keyring: Keyring,
    session: Mutex<HashMap<Account, Secret>>,
    vault: Mutex<Vault>,
}

impl Secrets {
    /// Places for a data folder, where the encrypted file is or would be. Touches nothing yet.
    pub fn new(data_dir: &Path) -> Self {
        Self {
            keyring: Keyring::default(),
            session: Mutex::default(),
            vault: Mutex::new(Vault::new(data_dir)),
        }
    }

    /// The same with another limit on how long the system's keyring, and the person it asks, may take.
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.keyring = Keyring::with_patience(patience);
        self
    }

    fn session(&self) -> MutexGuard<'_, HashMap<Account, Secret>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> MutexGuard<'_, Vault> {
        self.vault.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SecretStore for Secrets {
    fn keyring(&self) -> KeyringState {
        self.keyring.state()
    }

    fn unlock_keyring(&self) -> Result<(), SecretError> {
        self.keyring.unlock()
    }

    fn vault(&self) -> VaultState {
        self.opened().state()
    }

    fn unlock_vault(&self, passphrase: &Secret) -> Result<(), SecretError> {
        self.opened().unlock(passphrase)
    }

    fn discard_vault(&self) -> Result<(), SecretError> {
        self.opened().discard()
    }

    fn get(&self, place: Place, account: &Account) -> Result<Option<Secret>, SecretError> {
        match place {
            Place::Keyring => self.keyring.get(account),
            Place::Session => Ok(self.session().get(account).cloned()),
            Place::Vault => self.opened().get(account),
        }
    }

    fn put(&self, place: Place, account: &Account, key: &Secret) -> Result<(), SecretError> {
        match place {
            Place::Keyring => self.keyring.put(account, key),
            Place::Session => {
                self.session().insert(account.clone(), key.clone());
                Ok(())
            }
            Place::Vault => self.opened().put(account, key),
        }
    }

    fn remove(&self, place: Place, account: &Account) -> Result<(), SecretError> {
        match place {
            Place::Keyring => self.keyring.remove(account),
            Place::Session => {
                self.session().remove(account);
                Ok(())
            }
            Place::Vault => self.opened().remove(account),
        }
    }
}
