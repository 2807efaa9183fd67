//! The keyrings of macOS and Windows, through keyring-core. Both open with the person's session, and their systems ask by
//! themselves when one is closed.

use std::sync::Arc;

use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use siltstone_engine::keys::Account;
use siltstone_engine::ports::SecretError;
use zeroize::Zeroizing;

/// What the keys are filed under.
const SERVICE: &str = "siltstone";

#[cfg(target_os = "macos")]
fn store() -> Result<Arc<impl CredentialStoreApi>, SecretError> {
    apple_native_keyring_store::keychain::Store::new().map_err(|error| absent(&error))
}

#[cfg(target_os = "windows")]
fn store() -> Result<Arc<impl CredentialStoreApi>, SecretError> {
    windows_native_keyring_store::Store::new().map_err(|error| absent(&error))
}

pub(crate) fn check_open() -> Result<(), SecretError> {
    store().map(|_| ())
}

pub(crate) fn unlock() -> Result<(), SecretError> {
    check_open()
}

pub(crate) fn get(account: &Account) -> Result<Option<Zeroizing<Vec<u8>>>, SecretError> {
    match entry(account)?.get_secret() {
        Ok(key) => Ok(Some(Zeroizing::new(key))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(of(&error)),
    }
}

pub(crate) fn put(account: &Account, key: &[u8]) -> Result<(), SecretError> {
    entry(account)?.set_secret(key).map_err(|error| of(&error))
}

pub(crate) fn remove(account: &Account) -> Result<(), SecretError> {
    match entry(account)?.delete_credential() {
        Ok(()) | Err(Error::NoEntry) => Ok(()),
        Err(error) => Err(of(&error)),
    }
}

fn entry(account: &Account) -> Result<Entry, SecretError> {
    store()?.build(SERVICE, account.as_str(), None).map_err(|error| of(&error))
}

fn absent(error: &Error) -> SecretError {
    SecretError::Absent { detail: error.to_string() }
}

/// The words of these errors name accounts and causes; the variants that hold a secret's bytes do not print them.
fn of(error: &Error) -> SecretError {
    match error {
        Error::NoStorageAccess(_) => SecretError::Locked,
        other => SecretError::Refused { detail: other.to_string() },
    }
}
