//! From the first start to an answer, by hand and counted: how often the mouse has to be pressed.

use siltstone_test_servers::guarded::Guarded;

use crate::support::{Keyring, Page, Start, Window};

const KEY: &str = "sk-first-Nd4Vq8Jw2Ls6Xb9T";

impl Window {
    /// Counts presses of the mouse from now on.
    fn count_clicks(&self) {
        let script = "window.clicks = 0; \
             addEventListener('click', (event) => event.isTrusted && event.detail > 0 && window.clicks++, true)";
        self.browser().run(script, vec![]);
    }

    fn clicks(&self) -> u64 {
        self.browser().run("return window.clicks", vec![]).as_u64().expect("a number")
    }
}

/// Whose key it is, is told by its address here; a maker's own key is known by how it begins and saves the second press.
fn with_a_key(language: &'static str) {
    let (keyring, server) = (Keyring::open(), Guarded::by(KEY).expect("a port to listen at"));
    let window = Start::new(language).with(&keyring).window();
    window.control("button", "start:connect");
    window.count_clicks();
    window.control("button", "start:connect").click();
    window.control("button", "keys:connect.elsewhere").click();
    window.control("textbox", "keys:connect.url").type_text(server.base_url());
    window.control("textbox", "keys:connect.optionalKey").type_text(KEY);
    window.keys("Enter");
    window.control("button", "keys:connect.start").click();
    window.composer();
    let answer = window.ask("Is it open?");
    assert!(!answer.is_empty());
    let clicks = window.clicks();
    assert!(clicks <= 3, "{clicks} presses from the first start to an answer");
}

#[test]
fn a_key_leads_to_an_answer_with_three_presses_in_english() {
    with_a_key("en");
}

#[test]
fn a_key_leads_to_an_answer_with_three_presses_in_korean() {
    with_a_key("ko");
}
