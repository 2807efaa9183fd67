//! Keys with a real Secret Service in every state a desktop may bring: open, locked, hanging, not there.

use std::collections::BTreeSet;

use siltstone_test_servers::guarded::{ANSWER, Guarded};

use crate::support::{Keyring, Page, Start, Window, wait};

const KEY: &str = "sk-story-Wk5Hn8Pc3Yd6Jt2Q";
const ANOTHER: &str = "sk-story-Mv4Gs7Bx9Lf1Zr8E";

fn guarded() -> Guarded {
    Guarded::by(KEY).expect("a port to listen at")
}

/// Asks, and sees the answer that only the right key brings.
#[track_caller]
fn is_answered(window: &Window) {
    window.say("Is it open?");
    wait("the answer", || window.replies().pop()?.contains(ANSWER).then_some(()));
    window.finished();
}

/// The different keys that arrived since the last look.
fn keys_seen(server: &Guarded) -> Vec<String> {
    let received = server.received();
    let keys = received.iter().filter_map(|request| request.header("authorization"));
    let keys: BTreeSet<String> = keys.map(str::to_owned).collect();
    keys.into_iter().collect()
}

#[test]
fn a_pasted_key_is_tested_kept_found_after_a_restart_replaced_and_removed() {
    let (keyring, server) = (Keyring::open(), guarded());
    let mut window = Start::new("en").with(&keyring).window();
    window.paste_key("keys:connect.key", "sk-ant-api03-somebody");
    window.reads(&window.phrase("keys:connect.recognised", &[("name", "Anthropic")]));
    window.paste_key("keys:connect.key", ANOTHER);
    window.reads(&window.phrase("keys:connect.recognised", &[("name", "OpenAI")]));

    window.at_address(&window.compatible(), server.base_url());
    window.control("button", "keys:connect.test").click();
    window.reads(&window.word("errors:key_refused.title"));
    window.reads(&window.word("keys:connect.nothing"));
    assert_eq!(keys_seen(&server), [format!("Bearer {ANOTHER}")]);
    window.paste_key("keys:connect.optionalKey", KEY);
    window.control("button", "keys:connect.test").click();
    window.use_tested();
    window.reads(&format!("{} · …Jt2Q", window.word("keys:kept.keyring")));
    window.just_talk();
    is_answered(&window);

    window.close();
    window.reopen();
    server.received();
    is_answered(&window);
    assert_eq!(keys_seen(&server), [format!("Bearer {KEY}")]);

    let name = server.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let of = |key: &str| window.phrase(key, &[("name", &name)]);
    server.change_key(ANOTHER);
    window.settings("models").the("button", &of("settings:models.replaceKeyOf")).click();
    window.the("textbox", &of("keys:keyOf")).type_text(ANOTHER);
    window.control("button", "keys:replaceNow").click();
    window.reads(&format!("{} · …Zr8E", window.word("keys:kept.keyring")));
    window.dismiss();
    is_answered(&window);

    window.settings("models").the("button", &of("settings:models.removeKeyOf")).click();
    let question = window.the("dialog", &of("settings:models.removeKeyConfirm"));
    question.the("button", &window.word("settings:models.removeKey")).click();
    wait("no key", || (!window.shows("…Zr8E")).then_some(()));
    window.dismiss();
    server.received();
    window.say("Still open?");
    window.fails_with("key_refused");
    assert_eq!(keys_seen(&server), Vec::<String>::new());
}

#[test]
fn with_a_locked_keyring_the_history_opens_and_the_keyring_is_unlocked_where_it_is_needed() {
    let (keyring, server) = (Keyring::open(), guarded());
    let mut window = Start::new("ko").with(&keyring).window();
    window.paste_key("keys:connect.key", KEY);
    window.at_address(&window.compatible(), server.base_url());
    window.control("button", "keys:connect.test").click();
    window.use_tested();
    window.just_talk();
    is_answered(&window);
    window.close();
    keyring.lock();
    window.reopen();
    wait("the history", || window.replies().pop()?.contains(ANSWER).then_some(()));
    server.received();
    window.say("Is it open?");
    window.fails_with("keyring_locked");
    assert_eq!(keys_seen(&server), Vec::<String>::new());
    window.shoot("story-keyring-locked");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on a locked keyring");
    window.control("button", "keys:unlockKeyring").click();
    keyring.give_password();
    wait("the answer", || window.replies().pop()?.contains(ANSWER).then_some(()));
    assert_eq!(keys_seen(&server), [format!("Bearer {KEY}")]);
}

#[test]
fn without_a_keyring_a_key_goes_into_a_file_that_its_passphrase_opens() {
    let server = guarded();
    let mut window = Start::new("ko").without_keyring().window();
    window.paste_key("keys:connect.key", KEY);
    window.at_address(&window.compatible(), server.base_url());
    window.control("button", "keys:connect.test").click();
    let place = window.control("group", "keys:place.title");
    assert!(place.text().contains(&window.word("keys:place.absent")), "{}", place.text());
    assert_eq!(keys_seen(&server), [format!("Bearer {KEY}")], "it was tested before it is kept");
    place.the("button", &window.word("keys:place.vault")).click();
    window.shoot("story-keyring-absent");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on a new passphrase");
    for field in ["keys:vault.new", "keys:vault.again"] {
        window.control("textbox", field).type_text("correct horse 건전지");
    }
    window.control("button", "keys:vault.make").click();
    window.use_tested();
    window.reads(&format!("{} · …Jt2Q", window.word("keys:kept.vault")));
    window.just_talk();
    is_answered(&window);

    window.close();
    window.reopen();
    wait("the history", || window.replies().pop()?.contains(ANSWER).then_some(()));
    window.say("열려 있어?");
    window.fails_with("vault_locked");
    window.control("button", "keys:vault.open").click();
    let passphrase = window.control("textbox", "keys:vault.passphrase");
    passphrase.type_text("wrong horse");
    passphrase.enter();
    window.reads(&window.word("keys:vault.wrong"));
    passphrase.type_text("correct horse 건전지");
    passphrase.enter();
    wait("the answer", || window.replies().pop()?.contains(ANSWER).then_some(()));
}

#[test]
fn with_a_hanging_keyring_a_key_is_for_this_session_until_the_keyring_answers_again() {
    let (keyring, server) = (Keyring::open(), guarded());
    keyring.hang();
    let mut window = Start::new("en").with(&keyring).window();
    let connect = |window: &Window| {
        window.paste_key("keys:connect.key", KEY);
        window.at_address(&window.compatible(), server.base_url());
        window.control("button", "keys:connect.test").click();
    };
    connect(&window);
    let place = window.control("group", "keys:place.title");
    assert!(place.text().contains(&window.word("keys:place.silent")), "{}", place.text());
    place.the("button", &window.word("keys:place.session")).click();
    window.use_tested();
    window.reads(&format!("{} · …Jt2Q", window.word("keys:kept.session")));
    window.just_talk();
    is_answered(&window);

    window.close();
    window.reopen();
    wait("the history", || window.replies().pop()?.contains(ANSWER).then_some(()));
    server.received();
    window.say("Is it open?");
    window.fails_with("key_refused");
    assert_eq!(keys_seen(&server), Vec::<String>::new(), "the session's key went with it");
    window.settings("models");
    connect(&window);
    window.control("group", "keys:place.title");
    // First the hand, then the keyring: one that answers again takes the question away by itself.
    window.control("button", "keys:place.retry").click();
    keyring.wake();
    window.reads(&format!("{} · …Jt2Q", window.word("keys:kept.keyring")));
}
