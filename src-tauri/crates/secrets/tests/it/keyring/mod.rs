//! The system's keyring in every state a person may meet: open, locked, never made, absent, silent.
//!
//! Each story starts a bus of its own, with the real gnome-keyring or what stands in its place, and plays its parts on
//! it in new processes. The parts are the ignored tests below; outside of a story they refuse to run, because the
//! keyring they would find is a person's own.
#![cfg(target_os = "linux")]

#[path = "../../../../../../tests/support/places.rs"]
mod places;
mod session;

use std::time::Duration;

use secret_service::EncryptionType;
use secret_service::blocking::SecretService;
use siltstone_engine::keys::{Account, KeyringState, Place};
use siltstone_engine::ports::{SecretError, SecretStore};
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::secret::Secret;
use siltstone_secrets::Secrets;

use session::{INSIDE, Session};

const KEY: &str = "sk-canary-0123456789";

#[test]
fn a_key_is_kept_found_again_replaced_and_removed() {
    let session = Session::with_keyring("a password");
    session.play("part_puts");
    session.play("part_finds_again_and_replaces");
    session.play("part_finds_the_replacement_and_removes");
    session.play("part_finds_nothing");
}

#[test]
fn the_three_places_are_kept_apart() {
    Session::with_keyring("a password").play("part_keeps_places_apart");
}

#[test]
fn a_locked_keyring_gives_and_takes_nothing_and_asks_nobody() {
    let session = Session::with_keyring("a password");
    session.play("part_puts");
    session.play("part_locks");
    session.play("part_is_locked");
}

#[test]
fn a_keyring_that_was_never_made_is_locked() {
    Session::with_new_keyring().play("part_is_locked");
}

#[test]
fn a_system_without_a_keyring_says_so() {
    Session::without_keyring().play("part_is_absent");
    Session::without_bus().play("part_is_absent");
}

#[test]
fn a_keyring_that_never_answers_is_given_up() {
    Session::with_silent_keyring().play("part_is_silent");
}

#[test]
#[ignore = "a part of a story"]
fn part_keeps_places_apart() {
    places::are_kept_apart_and_given_back(&inside());
}

#[test]
#[ignore = "a part of a story"]
fn part_puts() {
    let secrets = inside();
    assert_eq!(secrets.keyring(), KeyringState::Unlocked);
    assert_eq!(found(&secrets, "https://api.example"), None);
    let here = account("https://api.example");
    secrets.put(Place::Keyring, &here, &Secret::new(KEY.into())).unwrap();
    assert_eq!(found(&secrets, "https://api.example").as_deref(), Some(KEY));
}

#[test]
#[ignore = "a part of a story"]
fn part_finds_again_and_replaces() {
    let secrets = inside();
    assert_eq!(found(&secrets, "https://api.example/v2").as_deref(), Some(KEY));
    assert_eq!(found(&secrets, "https://other.example"), None, "another origin");
    let here = account("https://api.example");
    secrets.put(Place::Keyring, &here, &Secret::new("열쇠".into())).unwrap();
    assert_eq!(found(&secrets, "https://api.example").as_deref(), Some("열쇠"));
}

#[test]
#[ignore = "a part of a story"]
fn part_finds_the_replacement_and_removes() {
    let secrets = inside();
    assert_eq!(found(&secrets, "https://api.example").as_deref(), Some("열쇠"));
    secrets.remove(Place::Keyring, &account("https://api.example")).unwrap();
    assert_eq!(found(&secrets, "https://api.example"), None);
}

#[test]
#[ignore = "a part of a story"]
fn part_finds_nothing() {
    let secrets = inside();
    assert_eq!(found(&secrets, "https://api.example"), None);
    secrets.remove(Place::Keyring, &account("https://api.example")).unwrap();
}

#[test]
#[ignore = "a part of a story"]
fn part_locks() {
    let secrets = inside();
    let service = SecretService::connect(EncryptionType::Dh).unwrap();
    service.get_default_collection().unwrap().lock().unwrap();
    assert_eq!(secrets.keyring(), KeyringState::Locked);
}

#[test]
#[ignore = "a part of a story"]
fn part_is_locked() {
    let secrets = inside();
    assert_eq!(secrets.keyring(), KeyringState::Locked);
    // A dialog would have been waited for.
    refuses(&secrets, |error| *error == SecretError::Locked);
    let unlocked = secrets.with_patience(Duration::from_millis(500)).unlock_keyring();
    assert!(matches!(unlocked, Err(SecretError::TimedOut { .. })), "{unlocked:?}");
}

#[test]
#[ignore = "a part of a story"]
fn part_is_absent() {
    let secrets = inside();
    assert_eq!(secrets.keyring(), KeyringState::Absent);
    refuses(&secrets, |error| matches!(error, SecretError::Absent { .. }));
    let unlocked = secrets.unlock_keyring();
    assert!(matches!(unlocked, Err(SecretError::Absent { .. })), "{unlocked:?}");
}

#[test]
#[ignore = "a part of a story"]
fn part_is_silent() {
    let secrets = inside().with_patience(Duration::from_millis(200));
    assert_eq!(secrets.keyring(), KeyringState::Silent);
    refuses(&secrets, |error| matches!(error, SecretError::TimedOut { .. }));
    let unlocked = secrets.unlock_keyring();
    assert!(matches!(unlocked, Err(SecretError::TimedOut { .. })), "{unlocked:?}");
}

/// Every call on the keyring fails like this, and the other places still work.
fn refuses(secrets: &Secrets, like_this: impl Fn(&SecretError) -> bool) {
    let (here, key) = (account("https://api.example"), Secret::new(KEY.into()));
    let got = secrets.get(Place::Keyring, &here).map(|_| ());
    let put = secrets.put(Place::Keyring, &here, &key);
    let removed = secrets.remove(Place::Keyring, &here);
    for outcome in [got, put, removed] {
        assert!(outcome.as_ref().is_err_and(&like_this), "{outcome:?}");
    }
    secrets.put(Place::Session, &here, &key).expect("the session keeps it");
    let kept = secrets.get(Place::Session, &here).expect("the session has it");
    assert_eq!(kept.as_ref().map(Secret::expose), Some(KEY));
}

fn inside() -> Secrets {
    let dir = std::env::var(INSIDE).expect("only a story may play its parts");
    Secrets::new(dir.as_ref()).with_patience(Duration::from_secs(20))
}

fn account(base_url: &str) -> Account {
    let (name, base_url) = ("work".to_owned(), base_url.to_owned());
    let record = ProviderRecord { name, kind: ProviderKind::Openai, base_url };
    Account::of(&record).expect("an address has an origin")
}

fn found(secrets: &Secrets, base_url: &str) -> Option<String> {
    let found = secrets.get(Place::Keyring, &account(base_url)).expect("the keyring answers");
    found.map(|key| key.expose().to_owned())
}
