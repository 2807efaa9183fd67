//! Who looks at another program is told by the desktop: that a call waits for an answer, and that a long reply is done
//! (ui.md, section 6, approvals). Who looks at the window, or wants no word, is not.

use serde_json::json;

use crate::support::elsewhere::Elsewhere;
use crate::support::{Start, Window, folder, scripted, slow_reply, wait};

/// Words of a reply that takes longer than the twenty seconds after which a reply is a long one.
const WORDS: usize = 900;

/// What is said in one language: what makes the model change a file, what it says then, and what it is asked at length.
struct Words {
    language: &'static str,
    change: &'static str,
    changed: &'static str,
    /// Where a long reply is waited for: what is said of it does not depend on the language.
    count: Option<&'static str>,
}

const EN: Words = Words {
    language: "en",
    change: "Move the service to port 5434.",
    changed: "It listens on 5434 now.",
    count: Some("Please count."),
};

const KO: Words = Words {
    language: "ko",
    change: "서비스를 5434번 포트로 옮겨 주세요.",
    changed: "이제 5434번에서 들어요.",
    count: None,
};

/// Sends what is written, without looking at the window.
#[track_caller]
fn send_unseen(window: &Window, elsewhere: &Elsewhere, text: &str) {
    elsewhere.turn_back_to(window);
    let turns = window.turns().len();
    window.composer().type_text(text);
    elsewhere.turn_from(window);
    window.control("button", "chat:composer.send").click();
    wait("the question", || (window.turns().len() > turns).then_some(()));
}

fn story(words: &Words) {
    let Words { language, change, changed, count } = *words;
    let project = folder::project();
    let project = project.path();
    let edit = json!({ "path": "README.md", "old": "5433", "new": "5434" });
    let mut fixtures = vec![
        json!({
            "match": { "userMessage": change, "hasToolResult": false },
            "response": {
                "content": "…",
                "toolCalls": [{ "name": "edit_file", "arguments": edit.to_string() }],
            },
        }),
        json!({
            "match": { "userMessage": change, "hasToolResult": true },
            "response": { "content": changed },
        }),
    ];
    fixtures.extend(count.map(|count| slow_reply(count, WORDS)));
    let server = scripted(&fixtures);
    let start = Start::new(language).argument(project);
    start.silt().open_project(project);
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let window = start.window();
    let elsewhere = Elsewhere::open();

    // What waits is told at once, by what it is about; what is answered quickly is not worth a word.
    send_unseen(&window, &elsewhere, change);
    let waits = window.phrase("tools:needed", &[("about", "README.md")]);
    assert_eq!(elsewhere.notice(), (change.to_owned(), waits));
    window.answers("once");
    assert!(window.finished().text().contains(changed));
    assert!(elsewhere.is_quiet(), "a short reply is not told");

    // A long reply is told when it is done, by its first words.
    if let Some(count) = count {
        send_unseen(&window, &elsewhere, count);
        let (title, body) = elsewhere.notice();
        assert_eq!(title, change, "the conversation is named by its first question");
        assert!(body.starts_with("word0001 word0002") && body.ends_with('…'), "{body}");
        let whole = window.finished().text();
        assert!(whole.contains(&format!("word{WORDS:04}")), "told at its end");
    }

    // Who wants no word gets none.
    elsewhere.turn_back_to(&window);
    let switch = window.settings("general").the("switch", &window.word("settings:general.notify"));
    window.turn(&switch);
    window.dismiss();
    window.new_conversation();
    folder::write(project, "README.md", "The service listens on port 5433.\n");
    send_unseen(&window, &elsewhere, change);
    window.answers("once");
    window.finished();
    assert!(elsewhere.is_quiet(), "it was switched off");
}

#[test]
fn who_looks_away_is_told() {
    story(&EN);
}

#[test]
fn who_looks_away_is_told_in_korean() {
    story(&KO);
}
