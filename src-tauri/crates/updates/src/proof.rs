//! What proves a package: a signature of minisign's, by the key that came with the program, with a trusted comment that says
//! what is offered.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{Error, PublicKey, Signature, StreamVerifier};
use siltstone_engine::update::{self, Offer, Signer, UpdateError};

/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// A key and a signature that is by it, if it says what is offered.
pub(crate) struct Proof {
    key: PublicKey,
    signature: Signature,
}

/// A verification that goes on.
pub(crate) struct Running<'a>(StreamVerifier<'a>);

impl Proof {
    /// Of an offer. Whether the signature is by the key is known only once the whole file was seen.
    pub(crate) fn of(signer: &Signer, offer: &Offer) -> Result<Self, UpdateError> {
        let key = key(&signer.key).map_err(|detail| UpdateError::Misnamed { detail })?;
        let signature = text(&offer.signature)
            .and_then(|text| Signature::decode(&text).map_err(|error| error.to_string()))
            .map_err(|detail| UpdateError::Unsigned { detail })?;
        update::vouches(signature.trusted_comment(), &offer.update)?;
        Ok(Self { key, signature })
    }

    pub(crate) fn begin(&self) -> Result<Running<'_>, UpdateError> {
        self.key.verify_stream(&self.signature).map(Running).map_err(unsigned)
    }

    /// Verifies a whole file.
    pub(crate) fn whole(&self, path: &Path) -> Result<(), UpdateError> {
        let failed = |error: std::io::Error| UpdateError::Io { detail: error.to_string() };
        let mut running = self.begin()?;
        let mut file = File::open(path).map_err(failed)?;
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece).map_err(failed)? {
                0 => return running.end(),
                read => running.update(&piece[..read]),
            }
        }
    }
}

impl Running<'_> {
    pub(crate) fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// All of it was seen.
    pub(crate) fn end(mut self) -> Result<(), UpdateError> {
        self.0.finalize().map_err(unsigned)
    }
}

/// A public key in Tauri's form; what is wrong with it otherwise.
pub(crate) fn key(said: &str) -> Result<PublicKey, String> {
    PublicKey::decode(&text(said)?).map_err(|error| error.to_string())
}

fn text(base64: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(base64.trim()).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn unsigned(error: Error) -> UpdateError {
    let detail = match error {
        Error::UnexpectedKeyId => "it is by another key than this copy names".to_owned(),
        Error::InvalidSignature => {
            "the file, or what is said of it, was changed after it was signed".to_owned()
        }
        Error::UnsupportedLegacyMode => "it is of minisign's old form".to_owned(),
        other => other.to_string(),
    };
    UpdateError::Unsigned { detail }
}
