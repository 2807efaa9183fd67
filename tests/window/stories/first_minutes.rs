//! From the first start to an answer, by hand and counted: how often the mouse has to be pressed.

use serde_json::json;
use siltstone_test_servers::guarded::Guarded;

use super::formats::{in_parts, is_drawn_while_it_comes};
use crate::support::{Keyring, Page, Start, Window, beside_ollama, scripted, wait};

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

/// One press on the server that was found, one on the field for the question.
fn with_a_found_server(name: &str, language: &'static str, question: &str, answer: &str) {
    let answer = in_parts(answer);
    let fixture = json!({
        "match": { "userMessage": question, "model": "plover:4b" },
        "response": { "content": answer },
        "chunkSize": 9,
    });
    let server = || scripted(std::slice::from_ref(&fixture));
    beside_ollama(name, server, |server, held| {
        let window = Window::first(language);
        let found = window.phrase("start:useFound", &[("name", "Ollama"), ("model", "plover.*")]);
        let found = window.like("button", &found);
        window.count_clicks();
        found.click();
        wait("who answers", || window.shows("(Ollama)").then_some(()));
        let field = window.control("textbox", "start:ask.label");
        field.click();
        field.type_text(question);
        held.hold();
        window.keys("Enter");
        is_drawn_while_it_comes(&window, held);
        let reply = window.finished().text();
        assert!(reply.contains(answer.trim()), "{reply}");
        let asked = server.questions().expect("aimock tells what arrived");
        let asked: Vec<&str> = asked.iter().map(|request| request.path()).collect();
        assert_eq!(asked.last(), Some(&"/api/chat"), "by its own format: {asked:?}");
        let clicks = window.clicks();
        assert!(clicks <= 2, "{clicks} presses from the first start to an answer");
    });
}

#[test]
fn a_server_found_here_answers_after_two_presses_in_english() {
    const NAME: &str =
        "stories::first_minutes::a_server_found_here_answers_after_two_presses_in_english";
    with_a_found_server(NAME, "en", "Is it open?", "It is open, and it stays so. ");
}

#[test]
fn a_server_found_here_answers_after_two_presses_in_korean() {
    const NAME: &str =
        "stories::first_minutes::a_server_found_here_answers_after_two_presses_in_korean";
    with_a_found_server(NAME, "ko", "열려 있어요?", "열려 있고, 계속 열려 있어요. ");
}
