//! The encrypted file, as processes that share a data folder meet it.

use std::fs;
use std::path::Path;

use siltstone_engine::keys::{Account, Place, VaultState};
use siltstone_engine::ports::{SecretError, SecretStore};
use siltstone_engine::secret::Secret;
use siltstone_secrets::Secrets;

const KEY: &str = "sk-canary-0123456789";
const PASSPHRASE: &str = "바위 아래의 모래 and silt";

#[test]
fn a_key_is_found_by_whoever_has_the_passphrase() {
    let dir = tempfile::tempdir().unwrap();
    let first = Secrets::new(dir.path());
    assert_eq!(first.vault(), VaultState::Absent);
    assert_eq!(first.put(Place::Vault, &work(), &key(KEY)), Err(SecretError::VaultLocked));
    assert!(!file(dir.path()).exists(), "nothing is made without a passphrase");

    first.unlock_vault(&key(PASSPHRASE)).unwrap();
    assert_eq!(found(&first), Ok(None));
    first.put(Place::Vault, &work(), &key(KEY)).unwrap();
    assert_eq!(found(&first), Ok(Some(KEY.into())));

    let second = Secrets::new(dir.path());
    assert_eq!(second.vault(), VaultState::Locked);
    assert_eq!(found(&second), Err(SecretError::VaultLocked));
    for wrong in ["", "바위 아래의 모래 and sil"] {
        assert_eq!(second.unlock_vault(&key(wrong)), Err(SecretError::WrongPassphrase));
        assert_eq!(second.vault(), VaultState::Locked);
    }
    second.unlock_vault(&key(PASSPHRASE)).unwrap();
    assert_eq!(found(&second), Ok(Some(KEY.into())));

    // What one process changes, the other sees.
    second.put(Place::Vault, &work(), &key("another")).unwrap();
    assert_eq!(found(&first), Ok(Some("another".into())));
    first.remove(Place::Vault, &work()).unwrap();
    assert_eq!(found(&second), Ok(None));
    second.remove(Place::Vault, &work()).unwrap();
}

#[test]
fn the_file_is_its_owners_alone_and_shows_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = Secrets::new(dir.path());
    secrets.unlock_vault(&key(PASSPHRASE)).unwrap();
    secrets.put(Place::Vault, &work(), &key(KEY)).unwrap();
    let bytes = fs::read(file(dir.path())).unwrap();
    for hidden in [KEY, "canary", "work", "example", PASSPHRASE] {
        let seen = bytes.windows(hidden.len()).any(|window| window == hidden.as_bytes());
        assert!(!seen, "{hidden}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(file(dir.path())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // The same keys are sealed differently each time.
    secrets.put(Place::Vault, &work(), &key(KEY)).unwrap();
    assert_ne!(fs::read(file(dir.path())).unwrap(), bytes);
}

#[test]
fn a_file_that_was_touched_gives_nothing_and_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = Secrets::new(dir.path());
    secrets.unlock_vault(&key(PASSPHRASE)).unwrap();
    secrets.put(Place::Vault, &work(), &key(KEY)).unwrap();
    let whole = fs::read(file(dir.path())).unwrap();
    let every_byte = (0..whole.len()).map(|at| {
        let mut touched = whole.clone();
        touched[at] ^= 1;
        touched
    });
    let every_length = (0..whole.len()).map(|length| whole[..length].to_vec());
    for touched in every_byte.chain(every_length) {
        fs::write(file(dir.path()), &touched).unwrap();
        assert!(found(&secrets).is_err());
        assert!(secrets.put(Place::Vault, &work(), &key(KEY)).is_err());
        assert_eq!(secrets.vault(), VaultState::Locked);
        assert_eq!(fs::read(file(dir.path())).unwrap(), touched);
    }
    fs::write(file(dir.path()), &whole).unwrap();
    assert_eq!(found(&secrets), Ok(Some(KEY.into())));
}

#[test]
fn a_discarded_file_is_gone_and_can_be_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = Secrets::new(dir.path());
    let other = Secrets::new(dir.path());
    for one in [&secrets, &other] {
        one.unlock_vault(&key(PASSPHRASE)).unwrap();
    }
    secrets.put(Place::Vault, &work(), &key(KEY)).unwrap();
    secrets.discard_vault().unwrap();
    assert_eq!(secrets.vault(), VaultState::Absent);
    assert_eq!(other.vault(), VaultState::Absent);
    assert_eq!(found(&other), Err(SecretError::VaultLocked));
    secrets.unlock_vault(&key("something else")).unwrap();
    assert_eq!(found(&secrets), Ok(None));
    assert_eq!(other.vault(), VaultState::Locked, "it was opened with the old passphrase");
    assert_eq!(other.put(Place::Vault, &work(), &key(KEY)), Err(SecretError::VaultLocked));
    secrets.discard_vault().unwrap();
    secrets.discard_vault().unwrap();
}

fn file(dir: &Path) -> std::path::PathBuf {
    dir.join("keys.vault")
}

fn work() -> Account {
    Account::from_text("work https://api.example".into())
}

fn key(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

fn found(secrets: &Secrets) -> Result<Option<String>, SecretError> {
    let found = secrets.get(Place::Vault, &work())?;
    Ok(found.map(|key| key.expose().to_owned()))
}
