//! Places for keys in memory, in any state a test asks for.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use siltstone_engine::keys::{Account, KeyringState, Place, VaultState};
use siltstone_engine::ports::{SecretError, SecretStore};
use siltstone_engine::secret::Secret;

/// What opens every encrypted file that was made here.
#[derive(Default)]
struct State {
    keys: HashMap<(&'static str, Account), Secret>,
    keyring: Option<KeyringState>,
    passphrase: Option<String>,
    vault_open: bool,
}

/// As strict as the real places: a closed one gives and takes nothing.
#[derive(Default)]
pub struct Kept(Mutex<State>);

impl Kept {
    /// Opens, closes, removes or silences the keyring.
    pub fn set_keyring(&self, state: KeyringState) {
        self.state().keyring = Some(state);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn opened(&self, place: Place) -> Result<MutexGuard<'_, State>, SecretError> {
        let keyring = self.keyring();
        let state = self.state();
        match (place, keyring) {
            (Place::Session, _) | (Place::Keyring, KeyringState::Unlocked) => Ok(state),
            (Place::Vault, _) if state.vault_open => Ok(state),
            (Place::Vault, _) => Err(SecretError::VaultLocked),
            (_, KeyringState::Locked) => Err(SecretError::Locked),
            (_, KeyringState::Absent) => Err(SecretError::Absent { detail: "none".into() }),
            (_, KeyringState::Silent) => Err(SecretError::TimedOut { seconds: 5 }),
        }
    }
}

fn name(place: Place) -> &'static str {
    match place {
        Place::Keyring => "keyring",
        Place::Session => "session",
        Place::Vault => "vault",
    }
}

impl SecretStore for Kept {
    fn keyring(&self) -> KeyringState {
        self.state().keyring.unwrap_or(KeyringState::Unlocked)
    }

    fn unlock_keyring(&self) -> Result<(), SecretError> {
        match self.keyring() {
            KeyringState::Locked | KeyringState::Unlocked => {
                self.set_keyring(KeyringState::Unlocked);
                Ok(())
            }
            KeyringState::Absent => Err(SecretError::Absent { detail: "none".into() }),
            KeyringState::Silent => Err(SecretError::TimedOut { seconds: 120 }),
        }
    }

    fn vault(&self) -> VaultState {
        let state = self.state();
        match (&state.passphrase, state.vault_open) {
            (None, _) => VaultState::Absent,
            (Some(_), false) => VaultState::Locked,
            (Some(_), true) => VaultState::Unlocked,
        }
    }

    fn unlock_vault(&self, passphrase: &Secret) -> Result<(), SecretError> {
        let mut state = self.state();
        let right = state.passphrase.get_or_insert_with(|| passphrase.expose().to_owned());
        if right != passphrase.expose() {
            return Err(SecretError::WrongPassphrase);
        }
        state.vault_open = true;
        Ok(())
    }

    fn discard_vault(&self) -> Result<(), SecretError> {
        let mut state = self.state();
        state.keys.retain(|(place, _), _| *place != name(Place::Vault));
        state.passphrase = None;
        state.vault_open = false;
        Ok(())
    }

    fn get(&self, place: Place, account: &Account) -> Result<Option<Secret>, SecretError> {
        Ok(self.opened(place)?.keys.get(&(name(place), account.clone())).cloned())
    }

    fn put(&self, place: Place, account: &Account, key: &Secret) -> Result<(), SecretError> {
        self.opened(place)?.keys.insert((name(place), account.clone()), key.clone());
        Ok(())
    }

    fn remove(&self, place: Place, account: &Account) -> Result<(), SecretError> {
        self.opened(place)?.keys.remove(&(name(place), account.clone()));
        Ok(())
    }
}
