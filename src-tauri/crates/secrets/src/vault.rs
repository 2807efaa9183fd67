//! The encrypted file: keys under a passphrase, for systems without a keyring.
//!
//! `keys.vault` is a head (what it is, how costly the passphrase is to guess, salt, nonce) and a box: the accounts and
//! keys as JSON, sealed with XChaCha20-Poly1305 under a key that Argon2id makes of the passphrase. The head is sealed
//! with the box, so that nobody makes guessing cheaper. While the vault is open the process has that derived key and
//! neither the passphrase nor the keys; the file is read anew for each call, because another process may have changed
//! it. It is replaced whole, never written in place, and only its owner may read it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use siltstone_engine::keys::{Account, VaultState};
use siltstone_engine::ports::SecretError;
use siltstone_engine::secret::Secret;
use zeroize::Zeroizing;

const FILE: &str = "keys.vault";

/// Taken while the file is read and replaced, so that two processes do not undo each other.
const LOCK: &str = "keys.vault.lock";

/// What the file begins with; the last byte is the version of the form.
const MAGIC: &[u8; 16] = b"siltstone keys\0\x01";

const SALT: usize = 16;
const NONCE: usize = 24;
const HEAD: usize = MAGIC.len() + 2 * size_of::<u32>() + SALT + NONCE;

/// Argon2id: 64 MiB and three passes take some tenths of a second.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;

/// A file that asks for more than this is not ours.
const MOST_MEMORY_KIB: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 16;

type Keys = BTreeMap<String, String>;

pub(crate) struct Vault {
    dir: PathBuf,
    open: Option<Opened>,
}

/// What opens the file without the passphrase: the key, and what it was made with.
struct Opened {
    making: Making,
    key: Zeroizing<[u8; 32]>,
}

/// How a key is made of the passphrase.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Making {
    memory_kib: u32,
    passes: u32,
    salt: [u8; SALT],
}

impl Vault {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), open: None }
    }

    pub(crate) fn state(&self) -> VaultState {
        match (&self.open, self.read()) {
            (_, Ok(None)) => VaultState::Absent,
            (Some(opened), Ok(Some(file))) if opened.unseal(&file).is_ok() => VaultState::Unlocked,
            _ => VaultState::Locked,
        }
    }

    pub(crate) fn unlock(&mut self, passphrase: &Secret) -> Result<(), SecretError> {
        let lock = self.lock()?;
        let opened = match self.read()? {
            Some(file) => {
                let opened = Opened::with(making_of(&file)?, passphrase)?;
                opened.unseal(&file).map_err(|_| SecretError::WrongPassphrase)?;
                opened
            }
            None => {
                let making =
                    Making { memory_kib: MEMORY_KIB, passes: PASSES, salt: random::<SALT>()? };
                let opened = Opened::with(making, passphrase)?;
                self.write(&opened.seal(&Keys::new())?)?;
                opened
            }
        };
        drop(lock);
        self.open = Some(opened);
        Ok(())
    }

    pub(crate) fn discard(&mut self) -> Result<(), SecretError> {
        let _lock = self.lock()?;
        self.open = None;
        match fs::remove_file(self.dir.join(FILE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(io(&error)),
            _ => Ok(()),
        }
    }

    pub(crate) fn get(&self, account: &Account) -> Result<Option<Secret>, SecretError> {
        let mut keys = self.keys()?;
        let found = keys.remove(account.as_str()).map(Secret::new);
        wipe(keys);
        Ok(found)
    }

    pub(crate) fn put(&self, account: &Account, key: &Secret) -> Result<(), SecretError> {
        self.change(|keys| {
            let account = account.as_str().to_owned();
            keys.insert(account, key.expose().to_owned()).map(Secret::new);
        })
    }

    pub(crate) fn remove(&self, account: &Account) -> Result<(), SecretError> {
        self.change(|keys| {
            keys.remove(account.as_str()).map(Secret::new);
        })
    }

    fn change(&self, how: impl FnOnce(&mut Keys)) -> Result<(), SecretError> {
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        how(&mut keys);
        let sealed = self.opened()?.seal(&keys);
        wipe(keys);
        self.write(&sealed?)
    }

    fn keys(&self) -> Result<Keys, SecretError> {
        let file = self.read()?.ok_or(SecretError::VaultLocked)?;
        self.opened()?.unseal(&file)
    }

    fn opened(&self) -> Result<&Opened, SecretError> {
        self.open.as_ref().ok_or(SecretError::VaultLocked)
    }

    fn lock(&self) -> Result<File, SecretError> {
        fs::create_dir_all(&self.dir).map_err(|error| io(&error))?;
        let file = File::create(self.dir.join(LOCK)).map_err(|error| io(&error))?;
        file.lock().map_err(|error| io(&error))?;
        Ok(file)
    }

    fn read(&self) -> Result<Option<Vec<u8>>, SecretError> {
        match fs::read(self.dir.join(FILE)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io(&error)),
        }
    }

    /// Replaces the file; when it returns, the new one survives a power cut.
    fn write(&self, sealed: &[u8]) -> Result<(), SecretError> {
        // Made for the owner alone, and named only when it is whole.
        let mut file = tempfile::NamedTempFile::new_in(&self.dir).map_err(|error| io(&error))?;
        file.write_all(sealed).map_err(|error| io(&error))?;
        file.as_file().sync_all().map_err(|error| io(&error))?;
        file.persist(self.dir.join(FILE)).map_err(|error| io(&error.error))?;
        sync_dir(&self.dir)
    }
}

impl Opened {
    fn with(making: Making, passphrase: &Secret) -> Result<Self, SecretError> {
        let params = Params::new(making.memory_kib, making.passes, 1, None)
            .map_err(|error| damaged(&error))?;
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.expose().as_bytes(), &making.salt, key.as_mut_slice())
            .map_err(|error| damaged(&error))?;
        Ok(Self { making, key })
    }

    fn seal(&self, keys: &Keys) -> Result<Vec<u8>, SecretError> {
        let plain =
            serde_json::to_vec(keys).map(Zeroizing::new).map_err(|error| damaged(&error))?;
        let nonce = random::<NONCE>()?;
        let mut file = Vec::with_capacity(HEAD + plain.len() + 16);
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&self.making.memory_kib.to_le_bytes());
        file.extend_from_slice(&self.making.passes.to_le_bytes());
        file.extend_from_slice(&self.making.salt);
        file.extend_from_slice(&nonce);
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), Payload { msg: &plain, aad: &file })
            .map_err(|_| damaged(&"it cannot be sealed"))?;
        file.extend_from_slice(&sealed);
        Ok(file)
    }

    /// The keys in the file; a file under another passphrase is a locked one.
    fn unseal(&self, file: &[u8]) -> Result<Keys, SecretError> {
        if making_of(file)? != self.making {
            return Err(SecretError::VaultLocked);
        }
        let (head, sealed) = file.split_at(HEAD);
        let nonce: [u8; NONCE] = array(&head[HEAD - NONCE..])?;
        let plain = self
            .cipher()
            .decrypt(&XNonce::from(nonce), Payload { msg: sealed, aad: head })
            .map(Zeroizing::new)
            .map_err(|_| SecretError::VaultLocked)?;
        serde_json::from_slice(&plain).map_err(|_| damaged(&"its content is unknown"))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.key).into())
    }
}

fn making_of(file: &[u8]) -> Result<Making, SecretError> {
    if file.len() < HEAD || !file.starts_with(MAGIC) {
        return Err(damaged(&"it is not one of ours"));
    }
    let rest = &file[MAGIC.len()..];
    let making = Making {
        memory_kib: u32::from_le_bytes(array(&rest[..4])?),
        passes: u32::from_le_bytes(array(&rest[4..8])?),
        salt: array(&rest[8..8 + SALT])?,
    };
    if making.memory_kib > MOST_MEMORY_KIB || making.passes > MOST_PASSES {
        return Err(damaged(&"it asks for too much work"));
    }
    Ok(making)
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], SecretError> {
    bytes.try_into().map_err(|_| damaged(&"it is cut off"))
}

fn random<const N: usize>() -> Result<[u8; N], SecretError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| SecretError::Io { detail: error.to_string() })?;
    Ok(bytes)
}

/// Overwrites the keys before their memory is given back.
fn wipe(keys: Keys) {
    for key in keys.into_values() {
        drop(Secret::new(key));
    }
}

#[cfg(unix)]
fn sync_dir(dir: &Path) -> Result<(), SecretError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|error| io(&error))
}

#[cfg(not(unix))]
fn sync_dir(_: &Path) -> Result<(), SecretError> {
    Ok(())
}

fn io(error: &std::io::Error) -> SecretError {
    SecretError::Io { detail: format!("{FILE}: {error}") }
}

fn damaged(why: &dyn std::fmt::Display) -> SecretError {
    SecretError::Io { detail: format!("{FILE}: {why}") }
}
