//! What the keyring crate does not tell of a Secret Service: whether it is there and open, without a dialog.

use secret_service::EncryptionType;
use secret_service::Error;
use secret_service::blocking::SecretService;
use siltstone_engine::ports::SecretError;

/// What a keyring is called that is made because there was none.
const FIRST: &str = "Login";

/// The alias of the keyring that keys go to.
const DEFAULT: &str = "default";

/// Fails when there is no service, or when the keyring that keys go to is closed or was never made.
pub(crate) fn check_open() -> Result<(), SecretError> {
    let service = connect()?;
    match service.get_collection_by_alias(DEFAULT) {
        Ok(keyring) if keyring.is_locked().map_err(|error| of(&error))? => Err(SecretError::Locked),
        Ok(_) => Ok(()),
        Err(Error::NoResult) => Err(SecretError::Locked),
        Err(error) => Err(of(&error)),
    }
}

/// Lets the service ask the person for the password: of the keyring, or for a new one where there never was one.
pub(crate) fn unlock() -> Result<(), SecretError> {
    let service = connect()?;
    match service.get_collection_by_alias(DEFAULT) {
        Ok(keyring) => keyring.unlock().map_err(|error| of(&error))?,
        Err(Error::NoResult) => {
            service.create_collection(FIRST, DEFAULT).map_err(|error| of(&error))?;
        }
        Err(error) => return Err(of(&error)),
    }
    check_open()
}

fn connect() -> Result<SecretService<'static>, SecretError> {
    SecretService::connect(EncryptionType::Dh)
        .map_err(|error| SecretError::Absent { detail: error.to_string() })
}

fn of(error: &Error) -> SecretError {
    match error {
        Error::Locked | Error::Prompt | Error::PromptDisconnected => SecretError::Locked,
        Error::Unavailable => SecretError::Absent { detail: error.to_string() },
        other => SecretError::Io { detail: other.to_string() },
    }
}
