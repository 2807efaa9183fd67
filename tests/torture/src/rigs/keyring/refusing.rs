//! A Secret Service that is there, says that it is open, and refuses: to open a session, to do anything with a key, to
//! keep one, or by a dialog that is closed at once. It agrees on a key for the session without having one of its own, so it
//! can read nothing of what it is sent.

use std::collections::HashMap;

use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::fdo;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

use super::session::{SECRETS, SERVICE};
use crate::Trouble;

const KEYRING: &str = "/org/freedesktop/secrets/collection/refusing";
const SESSION: &str = "/org/freedesktop/secrets/session/one";
const DIALOG: &str = "/org/freedesktop/secrets/prompt/one";

/// Bytes in a public key of the exchange that every client speaks.
const PUBLIC: usize = 128;

/// What it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// To speak at all.
    Session,
    /// To find a key or to keep one.
    Everything,
    /// To keep one.
    Keeping,
    /// The same, by a dialog that closes itself.
    Dialog,
}

/// Serves it on the bus at this address, as long as the connection is there.
pub fn serve(address: &str, stage: Stage) -> Result<Connection, Trouble> {
    Ok(Builder::address(address)?
        .serve_at(SERVICE, Service(stage))?
        .serve_at(KEYRING, Keyring(stage))?
        .serve_at(DIALOG, Dialog)?
        .name(SECRETS)?
        .build()?)
}

struct Service(Stage);

#[zbus::interface(name = "org.freedesktop.Secret.Service")]
impl Service {
    fn open_session(
        &self,
        _algorithm: &str,
        _input: Value<'_>,
    ) -> fdo::Result<(OwnedValue, OwnedObjectPath)> {
        if self.0 == Stage::Session {
            return Err(refused());
        }
        let public = OwnedValue::try_from(Value::from(vec![7_u8; PUBLIC]));
        Ok((public.map_err(|_| refused())?, path(SESSION)?))
    }

    fn read_alias(&self, _name: &str) -> fdo::Result<OwnedObjectPath> {
        path(KEYRING)
    }

    fn search_items(
        &self,
        _attributes: HashMap<String, String>,
    ) -> fdo::Result<(Vec<OwnedObjectPath>, Vec<OwnedObjectPath>)> {
        if self.0 == Stage::Everything { Err(refused()) } else { Ok((Vec::new(), Vec::new())) }
    }
}

struct Keyring(Stage);

#[zbus::interface(name = "org.freedesktop.Secret.Collection")]
impl Keyring {
    fn create_item(
        &self,
        _properties: HashMap<String, OwnedValue>,
        _secret: (OwnedObjectPath, Vec<u8>, Vec<u8>, String),
        _replace: bool,
    ) -> fdo::Result<(OwnedObjectPath, OwnedObjectPath)> {
        if self.0 == Stage::Dialog { Ok((path("/")?, path(DIALOG)?)) } else { Err(refused()) }
    }

    #[zbus(property)]
    fn locked(&self) -> bool {
        false
    }
}

struct Dialog;

#[zbus::interface(name = "org.freedesktop.Secret.Prompt")]
impl Dialog {
    async fn prompt(
        &self,
        _window: &str,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
    ) -> fdo::Result<()> {
        Ok(Self::completed(&emitter, true, Value::from("")).await?)
    }

    #[zbus(signal)]
    async fn completed(
        emitter: &SignalEmitter<'_>,
        dismissed: bool,
        result: Value<'_>,
    ) -> zbus::Result<()>;
}

fn refused() -> fdo::Error {
    fdo::Error::AccessDenied("this keyring refuses".to_owned())
}

fn path(path: &str) -> fdo::Result<OwnedObjectPath> {
    ObjectPath::try_from(path).map(OwnedObjectPath::from).map_err(|_| refused())
}
