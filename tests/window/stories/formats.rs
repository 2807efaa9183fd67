//! The same message, with a picture, answered in every wire format; what arrived is, byte for byte, what the app says
//! it sent.

use std::path::Path;

use serde_json::json;
use siltstone_test_servers::PICTURE;
use siltstone_test_servers::held::{Held, MARKS};

use crate::support::desktop::Copied;
use crate::support::{Page, Start, Window, drop_on, scripted, wait};

const QUESTION: &str = "Look: 무슨 색이에요?";
const ANSWER: &str = "It is red, 빨강이에요, and nothing else: one pixel alone. ";

/// Formats as `silt` calls them, what follows the server's address, and a model.
const FORMATS: [(&str, &str, &str); 4] = [
    ("openai", "/v1", "gpt-4o"),
    ("anthropic", "/v1", "claude-3-7-sonnet"),
    ("gemini", "/v1beta", "gemini-2.5-pro"),
    ("ollama", "", "llava"),
];

/// An answer in parts, each up to a mark and the last behind it.
pub(super) fn in_parts(sentence: &str) -> String {
    let parts = MARKS.map(|mark| format!("{} {mark} ", sentence.repeat(3).trim()));
    parts.concat() + sentence.trim()
}

/// Sees that what came of a reply is drawn before any more of it comes.
#[track_caller]
pub(super) fn is_drawn_while_it_comes(window: &Window, held: &Held) {
    for mark in MARKS {
        wait(&format!("the reply up to {mark}"), || {
            window.drawn().last()?.text.contains(mark).then_some(())
        });
        held.go_on();
    }
}

/// The draft holds this file.
#[track_caller]
fn is_attached(window: &Window, name: &str) {
    let remove = window.phrase("attach:remove", &[("name", name)]);
    window.the("button", &remove);
}

#[track_caller]
fn paste_into(window: &Window, picture: &Path) {
    let _copied = Copied::picture(picture);
    window.composer().click();
    window.keys("Control+v");
}

#[test]
fn a_picture_and_a_question_are_answered_in_every_format_and_sent_as_shown() {
    let answer = in_parts(ANSWER);
    let fixture = json!({
        "match": { "userMessage": QUESTION },
        "response": { "content": answer },
        "chunkSize": 9,
    });
    let server = scripted(&[fixture]);
    let held = Held::before(server.port()).expect("a port to listen at");
    let folder = tempfile::tempdir().expect("a folder for the picture");
    let picture = folder.path().join("빨강.png");
    std::fs::write(&picture, PICTURE).expect("the picture");
    let window = Start::new("en").window();
    window.just_talk();
    for (at, (format, path, model)) in FORMATS.into_iter().enumerate() {
        let base_url = format!("{}{path}", held.address());
        let add = ["provider", "add", "--kind", format, "--name", format, "--base-url", &base_url];
        window.silt().ask(&add);
        window.silt().ask(&["provider", "default", format, model]);
        window.new_conversation();
        window.the("button", &window.phrase("talk:model.current", &[("model", model)]));
        // By both ways in, each with its own way to a name.
        if at % 2 == 0 {
            drop_on(&window, &picture);
            is_attached(&window, "빨강.png");
        } else {
            paste_into(&window, &picture);
            is_attached(&window, "image.png");
        }
        held.hold();
        window.say(QUESTION);
        is_drawn_while_it_comes(&window, &held);
        let reply = window.finished();
        assert!(reply.text().contains(answer.trim()), "{format}: {}", reply.text());
        wait("the picture, drawn", || {
            let widths =
                "return [...arguments[0].querySelectorAll('img')].map((it) => it.naturalWidth)";
            (window.turns().first()?.tell(widths) == json!([1])).then_some(())
        });

        let arrived = server.questions().expect("aimock tells what arrived").pop();
        let arrived = arrived.expect("a question");
        let listed = window.silt().ask(&["egress", "list", "--limit", "1"]);
        let seq = listed["requests"][0]["seq"].to_string();
        let shown = window.silt().ask(&["egress", "show", &seq]);
        let body = String::from_utf8(arrived.body.clone()).expect("JSON");
        assert_eq!(shown["body"], body.as_str(), "{format}");
        assert_eq!(shown["url"], format!("{}{}", held.address(), arrived.path()));
        for header in shown["headers"].as_array().expect("headers") {
            let (name, value) = (header[0].as_str(), header[1].as_str());
            assert_eq!(arrived.header(name.expect("a name")), value, "{format}");
        }

        // The same by the way a person takes, from the reply to the clipboard.
        window.finished().the("button", &window.word("chat:actions.saw")).click();
        window.control("button", "context:exactBytes.open").click();
        let request = window.control("dialog", "egress:request");
        request.the("button", &window.word("egress:copyJson")).click();
        request.the("button", &window.word("common:copied"));
        window.dismiss();
        window.composer().click();
        window.keys("Control+v");
        wait(&format!("{format}: the copied body"), || {
            (window.composer().value() == body).then_some(())
        });
        window.keys("Control+a");
        window.keys("Delete");
        if format == "anthropic" {
            window.shoot("story-picture");
            assert_eq!(window.axe(), Vec::<String>::new(), "axe on a picture in a conversation");
        }
    }
}
