//! What every keeper of keys does, told once: the tests of the real one and of the one in memory tell it alike.

use siltstone_engine::keys::{Account, KeyringState, Place, VaultState};
use siltstone_engine::ports::{SecretError, SecretStore};
use siltstone_engine::secret::Secret;

/// Starts with an open keyring and without an encrypted file, and leaves no key behind.
pub fn are_kept_apart_and_given_back(secrets: &dyn SecretStore) {
    assert_eq!((secrets.keyring(), secrets.vault()), (KeyringState::Unlocked, VaultState::Absent));
    let [work, play] = ["work", "play"].map(account);
    let put = |place, text: &str| secrets.put(place, &work, &Secret::new(text.to_owned()));

    assert_eq!(put(Place::Vault, "x"), Err(SecretError::VaultLocked));
    assert_eq!(found(secrets, Place::Vault, &work), Err(SecretError::VaultLocked));
    assert_eq!(secrets.remove(Place::Vault, &work), Err(SecretError::VaultLocked));
    secrets.unlock_vault(&Secret::new("right".into())).unwrap();
    assert_eq!(
        secrets.unlock_vault(&Secret::new("wrong".into())),
        Err(SecretError::WrongPassphrase)
    );
    assert_eq!(secrets.vault(), VaultState::Unlocked, "a wrong passphrase closes nothing");

    let places = [Place::Keyring, Place::Session, Place::Vault];
    for (place, text) in places.into_iter().zip(["in the keyring", "for now", "in the vault"]) {
        assert_eq!(found(secrets, place, &work), Ok(None));
        put(place, "earlier").unwrap();
        put(place, text).unwrap();
    }
    for (place, text) in places.into_iter().zip(["in the keyring", "for now", "in the vault"]) {
        assert_eq!(found(secrets, place, &work), Ok(Some(text.to_owned())));
        assert_eq!(found(secrets, place, &play), Ok(None));
        secrets.remove(place, &work).unwrap();
        secrets.remove(place, &work).unwrap();
        assert_eq!(found(secrets, place, &work), Ok(None));
    }
    secrets.discard_vault().unwrap();
    assert_eq!(secrets.vault(), VaultState::Absent);
    secrets.unlock_keyring().unwrap();
}

fn account(name: &str) -> Account {
    Account::from_text(format!("{name} https://places.example"))
}

fn found(
    secrets: &dyn SecretStore,
    place: Place,
    account: &Account,
) -> Result<Option<String>, SecretError> {
    Ok(secrets.get(place, account)?.map(|key| key.expose().to_owned()))
}
