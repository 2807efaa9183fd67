//! The system's keyring: Secret Service, macOS Keychain, Windows Credential Manager.
//!
//! Its calls may hang, with a service that does not answer or a dialog nobody closes. Each runs on a thread of its own
//! and is waited for within a limit. A call that is given up goes on until the system ends it, and its outcome is
//! dropped. The connection is made anew for each call, so a keyring that comes, goes or is opened meanwhile is noticed.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use siltstone_engine::keys::{Account, KeyringState};
use siltstone_engine::ports::SecretError;
use siltstone_engine::secret::Secret;
use zeroize::Zeroizing;

/// How long the system may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a person may take to answer the system's dialog.
const FOR_A_PERSON: Duration = Duration::from_secs(120);

/// What the keys are filed under.
const SERVICE: &str = "siltstone";

pub(crate) struct Keyring {
    patience: Duration,
    for_a_person: Duration,
}

impl Default for Keyring {
    fn default() -> Self {
        Self { patience: PATIENCE, for_a_person: FOR_A_PERSON }
    }
}

impl Keyring {
    pub(crate) fn with_patience(patience: Duration) -> Self {
        Self { patience, for_a_person: patience }
    }

    pub(crate) fn state(&self) -> KeyringState {
        match within(self.patience, check_open) {
            Ok(()) => KeyringState::Unlocked,
            Err(SecretError::Locked) => KeyringState::Locked,
            Err(SecretError::TimedOut { .. }) => KeyringState::Silent,
            Err(error) => {
                tracing::debug!(%error, "looking for the keyring");
                KeyringState::Absent
            }
        }
    }

    pub(crate) fn unlock(&self) -> Result<(), SecretError> {
        within(self.for_a_person, unlock)
    }

    pub(crate) fn get(&self, account: &Account) -> Result<Option<Secret>, SecretError> {
        let account = account.clone();
        within(self.patience, move || match entry(&account)?.get_secret().map(Zeroizing::new) {
            Ok(bytes) => String::from_utf8(bytes.to_vec())
                .map(|text| Some(Secret::new(text)))
                .map_err(|_| SecretError::Io { detail: "the kept key is not text".into() }),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(of(&error)),
        })
    }

    pub(crate) fn put(&self, account: &Account, key: &Secret) -> Result<(), SecretError> {
        let (account, key) = (account.clone(), key.clone());
        within(self.patience, move || {
            entry(&account)?.set_secret(key.expose().as_bytes()).map_err(|error| of(&error))
        })
    }

    pub(crate) fn remove(&self, account: &Account) -> Result<(), SecretError> {
        let account = account.clone();
        within(self.patience, move || match entry(&account)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(of(&error)),
        })
    }
}

/// Where a key is in an open keyring; a closed one is not asked, for it would ask the person.
fn entry(account: &Account) -> Result<Entry, SecretError> {
    check_open()?;
    store()?.build(SERVICE, account.as_str(), None).map_err(|error| of(&error))
}

#[cfg(target_os = "linux")]
use crate::secret_service::{check_open, unlock};

#[cfg(target_os = "linux")]
fn store() -> Result<Arc<impl CredentialStoreApi>, SecretError> {
    zbus_secret_service_keyring_store::Store::new().map_err(|error| absent(&error))
}

#[cfg(target_os = "macos")]
fn store() -> Result<Arc<impl CredentialStoreApi>, SecretError> {
    apple_native_keyring_store::keychain::Store::new().map_err(|error| absent(&error))
}

#[cfg(target_os = "windows")]
fn store() -> Result<Arc<impl CredentialStoreApi>, SecretError> {
    windows_native_keyring_store::Store::new().map_err(|error| absent(&error))
}

/// Both systems open their keyring with the session, and ask the person by themselves when it is closed.
#[cfg(any(target_os = "macos", target_os = "windows"))]
fn check_open() -> Result<(), SecretError> {
    store().map(|_| ())
}

#[cfg(any(target_os = "macos", target_os = "windows"))]
fn unlock() -> Result<(), SecretError> {
    check_open()
}

fn absent(error: &Error) -> SecretError {
    SecretError::Absent { detail: error.to_string() }
}

/// The words of these errors name accounts and causes; the variants that hold a secret's bytes do not print them.
fn of(error: &Error) -> SecretError {
    match error {
        Error::NoStorageAccess(_) => SecretError::Locked,
        other => SecretError::Io { detail: other.to_string() },
    }
}

/// What `work` gives, if it gives it in time.
fn within<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> Result<T, SecretError> + Send + 'static,
) -> Result<T, SecretError> {
    let (send, receive) = channel();
    let started = thread::Builder::new().name("keyring".into()).spawn(move || {
        // Nobody listens any more when it took too long.
        let _ = send.send(work());
    });
    if let Err(error) = started {
        return Err(SecretError::Io { detail: error.to_string() });
    }
    match receive.recv_timeout(patience) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => {
            Err(SecretError::TimedOut { seconds: patience.as_secs().max(1) })
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err(SecretError::Io { detail: "the call to the keyring failed".into() })
        }
    }
}
