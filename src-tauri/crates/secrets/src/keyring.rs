//! The system's keyring: Secret Service, macOS Keychain, Windows Credential Manager.
//!
//! Its calls may hang, with a service that does not answer or a dialog nobody closes. Each runs on a thread of its own
//! and is waited for within a limit. A call that is given up goes on until the system ends it, and its outcome is
//! dropped. The connection is made anew for each call, so a keyring that comes, goes or is opened meanwhile is noticed.
//! How each system is spoken to stands in `secret_service` and `native`.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use siltstone_engine::keys::{Account, KeyringState};
use siltstone_engine::ports::SecretError;
use siltstone_engine::secret::Secret;

#[cfg(any(target_os = "macos", target_os = "windows"))]
use crate::native as system;
#[cfg(target_os = "linux")]
use crate::secret_service as system;

/// How long the system may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a person may take to answer the system's dialog.
const FOR_A_PERSON: Duration = Duration::from_secs(120);

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
        match within(self.patience, system::check_open) {
            Ok(()) => KeyringState::Unlocked,
            Err(SecretError::Locked) => KeyringState::Locked,
            Err(error) => {
                tracing::debug!(%error, "looking for the keyring");
                match error {
                    SecretError::Absent { .. } => KeyringState::Absent,
                    // It is there, and did not say how it is.
                    _ => KeyringState::Silent,
                }
            }
        }
    }

    pub(crate) fn unlock(&self) -> Result<(), SecretError> {
        within(self.for_a_person, system::unlock)
    }

    pub(crate) fn get(&self, account: &Account) -> Result<Option<Secret>, SecretError> {
        let account = account.clone();
        within(self.patience, move || {
            let Some(bytes) = system::get(&account)? else { return Ok(None) };
            let text = std::str::from_utf8(&bytes).ok().map(|text| Secret::new(text.to_owned()));
            if text.is_none() {
                tracing::warn!("what the keyring has is no text: somebody else put it there");
            }
            Ok(text)
        })
    }

    pub(crate) fn put(&self, account: &Account, key: &Secret) -> Result<(), SecretError> {
        let (account, key) = (account.clone(), key.clone());
        within(self.patience, move || system::put(&account, key.expose().as_bytes()))
    }

    pub(crate) fn remove(&self, account: &Account) -> Result<(), SecretError> {
        let account = account.clone();
        within(self.patience, move || system::remove(&account))
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
