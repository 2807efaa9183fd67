//! A Secret Service, as Linux desktops have one: keys go to its default keyring and are looked for in what is open.
//!
//! Nothing here makes it ask the person, except [`unlock`]. keyring-core's store for it is deliberately not used: it opens
//! whatever keyring holds a match, an old one that is still there as well, and a dialog would appear because a message
//! was sent; and what lies in two keyrings it neither reads nor replaces nor removes.

use std::collections::HashMap;

use secret_service::blocking::{Collection, Item, SecretService};
use secret_service::{EncryptionType, Error};
use siltstone_engine::keys::Account;
use siltstone_engine::ports::SecretError;
use zeroize::Zeroizing;

/// What a keyring is called that is made because there was none.
const FIRST: &str = "Login";

/// The alias of the keyring that keys go to.
const DEFAULT: &str = "default";

/// What the keys are filed under.
const SERVICE: &str = "siltstone";

/// What a key is, to other programs.
const CONTENT: &str = "application/octet-stream";

/// What a service says of a keyring that was closed in the middle of a call.
const IS_LOCKED: &str = "org.freedesktop.Secret.Error.IsLocked";

/// What a bus says of a name that nobody has and nobody can be started for.
const NOBODY: [&str; 3] = ["Error.ServiceUnknown", "Error.NameHasNoOwner", "Error.Spawn."];

/// Fails when there is no service, or when the keyring that keys go to is closed or was never made.
pub(crate) fn check_open() -> Result<(), SecretError> {
    opened(&connect()?).map(|_| ())
}

/// Lets the service ask the person for the password: of the keyring, or for a new one where there never was one.
pub(crate) fn unlock() -> Result<(), SecretError> {
    let service = connect()?;
    let asked = match service.get_collection_by_alias(DEFAULT) {
        Ok(keyring) => keyring.unlock(),
        Err(Error::NoResult) => service.create_collection(FIRST, DEFAULT).map(|_| ()),
        Err(error) => Err(error),
    };
    asked.map_err(|error| match error {
        // Whoever closes the dialog leaves the keyring as it was.
        Error::Prompt | Error::PromptDisconnected => SecretError::Locked,
        error => of(&error),
    })?;
    check_open()
}

/// The key of an account, if the default keyring has it or, failing that, another open one.
pub(crate) fn get(account: &Account) -> Result<Option<Zeroizing<Vec<u8>>>, SecretError> {
    let service = connect()?;
    let keyring = opened(&service)?;
    let found = found(&service, account)?;
    let place = found.iter().position(|item| is_in(item, &keyring)).unwrap_or(0);
    let found = found.get(place).map(Item::get_secret).transpose();
    found.map(|key| key.map(Zeroizing::new)).map_err(|error| of(&error))
}

/// Keeps the key of an account in the default keyring, instead of an earlier one.
pub(crate) fn put(account: &Account, key: &[u8]) -> Result<(), SecretError> {
    let service = connect()?;
    let keyring = opened(&service)?;
    let label = format!("keyring:{}@{SERVICE}", account.as_str());
    keyring
        .create_item(&label, attributes(account), key, true, CONTENT)
        .map(|_| ())
        .map_err(|error| of(&error))
}

/// Removes the key of an account from every keyring that is open.
pub(crate) fn remove(account: &Account) -> Result<(), SecretError> {
    let service = connect()?;
    opened(&service)?;
    let found = found(&service, account)?;
    found.iter().try_for_each(Item::delete).map_err(|error| of(&error))
}

/// The keyring that keys go to, when it is open.
fn opened<'a>(service: &'a SecretService<'_>) -> Result<Collection<'a>, SecretError> {
    match service.get_collection_by_alias(DEFAULT) {
        Ok(keyring) if keyring.is_locked().map_err(|error| of(&error))? => Err(SecretError::Locked),
        Ok(keyring) => Ok(keyring),
        Err(Error::NoResult) => Err(SecretError::Locked),
        Err(error) => Err(of(&error)),
    }
}

/// The keys of an account in all keyrings that are open.
fn found<'a>(
    service: &'a SecretService<'_>,
    account: &Account,
) -> Result<Vec<Item<'a>>, SecretError> {
    let found = service.search_items(attributes(account)).map_err(|error| of(&error))?;
    Ok(found.unlocked)
}

fn attributes(account: &Account) -> HashMap<&str, &str> {
    HashMap::from([("service", SERVICE), ("username", account.as_str())])
}

fn is_in(item: &Item<'_>, keyring: &Collection<'_>) -> bool {
    let (item, keyring) = (item.item_path.as_str(), keyring.collection_path.as_str());
    item.strip_prefix(keyring).is_some_and(|rest| rest.starts_with('/'))
}

/// Without a bus, or somebody on it to ask, there is none; one that is there and fails may answer the next time.
fn connect() -> Result<SecretService<'static>, SecretError> {
    let absent = |detail| SecretError::Absent { detail };
    let bus = zbus::blocking::Connection::session().map_err(|error| absent(error.to_string()))?;
    SecretService::connect_with_existing(EncryptionType::Dh, bus).map_err(|error| {
        let detail = error.to_string();
        match NOBODY.iter().any(|name| detail.contains(name)) {
            true => absent(detail),
            false => of(&error),
        }
    })
}

fn of(error: &Error) -> SecretError {
    let detail = error.to_string();
    match error {
        Error::Locked => SecretError::Locked,
        _ if detail.contains(IS_LOCKED) => SecretError::Locked,
        Error::Unavailable => SecretError::Absent { detail },
        Error::Zbus(_) | Error::ZbusFdo(_) | Error::Prompt | Error::PromptDisconnected => {
            SecretError::Refused { detail }
        }
        _ => SecretError::Io { detail },
    }
}
