//! Sealing: XChaCha20-Poly1305 for what checkpoints hold, age for what is under a passphrase. Library calls, and how
//! they are put together.
//!
//! The key is an age identity, so that a person can open what a passphrase wraps with the `age` program too. Keys for
//! sealing and for masking are derived from it, each for its purpose alone. Sealed bytes are a random nonce and the
//! box; what they are about is authenticated with them. Called through the engine's [`Sealer`].

use age::secrecy::{ExposeSecret, SecretString};
use age::{DecryptError, scrypt, x25519};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use siltstone_engine::checkpoint::{ObjectId, SealError, SealKey, Sealer};
use siltstone_engine::secret::Secret;
use zeroize::{Zeroize, Zeroizing};

const NONCE: usize = 24;

/// What the derived keys are for, as BLAKE3 asks for it.
const SEALING: &str = "siltstone 2026-11 checkpoint sealing";
const MASKING: &str = "siltstone 2026-11 checkpoint masking";

/// scrypt with 2^17 rounds and 128 MiB takes some tenths of a second; what asks for much more is not ours.
const WORK: u8 = 17;
const MOST_WORK: u8 = 20;

/// Letters and digits that are not taken for one another (Crockford's base 32), five bits each.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A passphrase has this many of them, 120 bits, in groups of four.
const PASSPHRASE: usize = 24;
const GROUP: usize = 4;

/// The only [`Sealer`]; it keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seals;

impl Sealer for Seals {
    fn new_key(&self) -> Result<SealKey, SealError> {
        let identity = x25519::Identity::generate().to_string();
        Ok(SealKey::new(Secret::new(identity.expose_secret().to_owned())))
    }

    fn new_passphrase(&self) -> Result<Secret, SealError> {
        let mut bytes = random::<PASSPHRASE>()?;
        let mut text = String::with_capacity(PASSPHRASE + PASSPHRASE / GROUP);
        for (at, byte) in bytes.iter().enumerate() {
            if at > 0 && at % GROUP == 0 {
                text.push('-');
            }
            text.push(char::from(LETTERS[usize::from(byte % 32)]));
        }
        bytes.zeroize();
        Ok(Secret::new(text))
    }

    fn seal(&self, key: &SealKey, about: &[u8], bytes: &[u8]) -> Result<Vec<u8>, SealError> {
        let nonce = random::<NONCE>()?;
        let boxed = cipher(key)
            .encrypt(&XNonce::from(nonce), Payload { msg: bytes, aad: about })
            .map_err(|_| unknown(&"too many bytes"))?;
        Ok([nonce.as_slice(), &boxed].concat())
    }

    fn open(&self, key: &SealKey, about: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (nonce, boxed) =
            sealed.split_first_chunk::<NONCE>().ok_or_else(|| unknown(&"it is cut off"))?;
        cipher(key)
            .decrypt(&XNonce::from(*nonce), Payload { msg: boxed, aad: about })
            .map_err(|_| SealError::Refused)
    }

    fn mask(&self, key: &SealKey, id: ObjectId) -> ObjectId {
        let masked = blake3::keyed_hash(&derived(key, MASKING), id.as_bytes());
        ObjectId::from_bytes(*masked.as_bytes())
    }

    fn wrap(&self, key: &SealKey, passphrase: &Secret) -> Result<Vec<u8>, SealError> {
        self.lock_file(passphrase, key.secret().expose().as_bytes())
    }

    fn unwrap(&self, wrapped: &[u8], passphrase: &Secret) -> Result<SealKey, SealError> {
        let text = String::from_utf8(self.unlock_file(passphrase, wrapped)?);
        let text = Secret::new(text.map_err(|_| unknown(&"it holds no key"))?);
        match text.expose().parse::<x25519::Identity>() {
            Ok(_) => Ok(SealKey::new(text)),
            Err(error) => Err(unknown(&error)),
        }
    }

    fn lock_file(&self, passphrase: &Secret, bytes: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut recipient = scrypt::Recipient::new(of(passphrase));
        recipient.set_work_factor(WORK);
        age::encrypt(&recipient, bytes).map_err(|error| unknown(&error))
    }

    fn unlock_file(&self, passphrase: &Secret, locked: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut identity = scrypt::Identity::new(of(passphrase));
        identity.set_max_work_factor(MOST_WORK);
        age::decrypt(&identity, locked).map_err(|error| match error {
            DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
                SealError::WrongPassphrase
            }
            // The head or a part of the content is not what was written.
            DecryptError::InvalidMac | DecryptError::Io(_) => SealError::Refused,
            other => unknown(&other),
        })
    }
}

/// A passphrase in the library's wrapper, which wipes it too.
fn of(passphrase: &Secret) -> SecretString {
    SecretString::from(passphrase.expose().to_owned())
}

fn derived(key: &SealKey, purpose: &str) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(blake3::derive_key(purpose, key.secret().expose().as_bytes()))
}

fn cipher(key: &SealKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&*derived(key, SEALING)).into())
}

fn random<const N: usize>() -> Result<[u8; N], SealError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| SealError::NoRandom { detail: error.to_string() })?;
    Ok(bytes)
}

fn unknown(why: &dyn std::fmt::Display) -> SealError {
    SealError::Unknown { detail: why.to_string() }
}
