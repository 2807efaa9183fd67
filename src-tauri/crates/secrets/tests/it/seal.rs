//! Sealing with the real libraries: what was sealed opens with the same key and for the same purpose, and not otherwise.

use std::collections::HashSet;

use siltstone_engine::checkpoint::{ObjectId, SealError, SealKey, Sealer};
use siltstone_engine::secret::Secret;
use siltstone_secrets::Seals;

const TEXT: &[u8] = "무엇이든, whatever it is".as_bytes();

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

#[test]
fn what_is_sealed_opens_with_its_key_for_what_it_is_about() {
    let key = Seals.new_key().unwrap();
    let sealed = Seals.seal(&key, b"here", TEXT).unwrap();
    assert_eq!(Seals.open(&key, b"here", &sealed).unwrap(), TEXT);
    let kept = SealKey::new(secret(key.secret().expose()));
    assert_eq!(Seals.open(&kept, b"here", &sealed).unwrap(), TEXT, "after it was kept as text");
    assert_ne!(Seals.seal(&key, b"here", TEXT).unwrap(), sealed, "never the same twice");
    assert!(!sealed.windows(8).any(|found| found == &TEXT[..8]));

    let other = Seals.new_key().unwrap();
    assert_eq!(Seals.open(&other, b"here", &sealed), Err(SealError::Refused));
    assert_eq!(Seals.open(&key, b"there", &sealed), Err(SealError::Refused));
    for bit in 0..sealed.len() * 8 {
        let mut bad = sealed.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Seals.open(&key, b"here", &bad), Err(SealError::Refused), "bit {bit}");
    }
    for length in 0..sealed.len() {
        assert!(Seals.open(&key, b"here", &sealed[..length]).is_err(), "{length} bytes of it");
    }
}

#[test]
fn a_mask_is_of_one_id_and_one_key() {
    let (key, other) = (Seals.new_key().unwrap(), Seals.new_key().unwrap());
    let (one, two) = (ObjectId::of(b"one"), ObjectId::of(b"two"));
    let masks = [(&key, one), (&key, two), (&other, one)].map(|(key, id)| Seals.mask(key, id));
    assert_eq!(Seals.mask(&key, one), masks[0]);
    assert_eq!(HashSet::from(masks).len(), 3);
    assert!(!masks.contains(&one));
}

#[test]
fn a_passphrase_brings_the_key_back() {
    let key = Seals.new_key().unwrap();
    let passphrase = Seals.new_passphrase().unwrap();
    assert_ne!(passphrase.expose(), Seals.new_passphrase().unwrap().expose());
    let letters = passphrase.expose().split('-').map(str::len).collect::<Vec<_>>();
    assert_eq!(letters, [4; 6], "24 letters of five bits: {}", passphrase.expose());

    let wrapped = Seals.wrap(&key, &passphrase).unwrap();
    assert!(wrapped.starts_with(b"age-encryption.org/v1\n"), "the age program opens it too");
    let back = Seals.unwrap(&wrapped, &passphrase).unwrap();
    assert_eq!(back.secret().expose(), key.secret().expose());
    let wrong = Seals.unwrap(&wrapped, &secret("something else")).unwrap_err();
    assert_eq!(wrong, SealError::WrongPassphrase);
    let shown = format!("{key:?} {back:?}");
    assert!(!shown.contains("AGE-SECRET"), "{shown}");

    let file = Seals.lock_file(&passphrase, TEXT).unwrap();
    assert_eq!(Seals.unlock_file(&passphrase, &file).unwrap(), TEXT);
    let no_key = Seals.unwrap(&file, &passphrase).unwrap_err();
    assert!(matches!(no_key, SealError::Unknown { .. }), "a file is no key: {no_key}");
    let mut bad = file.clone();
    *bad.last_mut().unwrap() ^= 1;
    assert_eq!(Seals.unlock_file(&passphrase, &bad), Err(SealError::Refused));
    assert!(Seals.unlock_file(&passphrase, &file[..file.len() - 1]).is_err());
}

#[test]
fn a_file_that_asks_for_too_much_work_is_not_tried() {
    let passphrase = secret("a passphrase");
    let file = Seals.lock_file(&passphrase, TEXT).unwrap();
    let end = file.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0;
    let head = String::from_utf8(file[..end].to_vec()).unwrap();
    let costly = head.strip_suffix(" 17").unwrap().to_owned() + " 40";
    let hostile = [costly.as_bytes(), &file[end..]].concat();
    let refused = Seals.unlock_file(&passphrase, &hostile).unwrap_err();
    assert!(matches!(refused, SealError::Unknown { .. }), "{refused}");
}
