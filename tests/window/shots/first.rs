//! Pictures of the first minutes: a question and what it would send, the three steps through the sample, a home folder that
//! is dropped, and all that a reply changed.

use std::path::Path;

use serde_json::{Value, json};

use super::{Shooter, for_two};
use crate::support::{Page, Start, Window, folder, scripted, wait};

#[test]
#[ignore = "pictures, by make shots"]
fn first_minutes_in_two() {
    for_two(first_minutes);
}

fn first_minutes(language: &'static str, theme: &str) {
    // What would come of the person's own home is none of the pictures.
    let home = tempfile::Builder::new().prefix("ada-").tempdir().expect("a home folder");
    folder::fill(home.path());
    let window = Start::new(language).set("HOME", home.path()).window();
    let shooter = Shooter::of(&window, language, theme);
    let asked = "Which port does the service listen on? 어느 포트를 써요?";
    window.control("textbox", "start:ask.label").type_text(asked);
    let mini = window.control("region", "start:mini.title");
    let tokens = window.word("start:mini.tokens").replace("{{tokens}}", "").trim().to_owned();
    wait("what it would send", || mini.text().contains(&tokens).then_some(()));
    shooter.take_in_all_widths("start-asked");

    window.start_again(home.path());
    window.reads(&window.word("drop:warning.home"));
    shooter.take_in_all_widths("drop-home");
    window.dismiss();

    window.control("button", "start:sample.title").click();
    wait("the sample", || (!window.turns().is_empty()).then_some(()));
    let tour = window.control("region", "talk:tour.label");
    for (n, step) in ["receipt", "fold", "line"].into_iter().enumerate() {
        if n > 0 {
            tour.the("button", &window.word("talk:tour.next")).click();
        }
        window.reads(&window.word(&format!("talk:tour.{step}")));
        // It comes once its reply has rested in sight.
        let receipt = window.word("context:line.receipt");
        let asked_with = receipt.split("{{").next().expect("words before the parts");
        window.like("button", asked_with);
        shooter.take_in_all_widths(&format!("tour-{}", n + 1));
    }
}

const SAID: &str =
    "Let refresh tokens live for sixty days, and note it. 60일로 바꾸고 적어 주세요.";

/// So long that what is changed at both ends stands apart.
fn sessions() -> String {
    let rows = (1..=40).map(|n| format!("pub const SLOT_{n}: u32 = {n};\n"));
    let rows: String = rows.collect();
    format!(
        "pub const LIFETIME_DAYS: u32 = 30;\n\n{rows}\npub fn lives() -> u32 {{\n    LIFETIME_DAYS\n}}\n"
    )
}

#[test]
#[ignore = "pictures, by make shots"]
fn a_review_in_two() {
    let call =
        |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments.to_string() });
    let edit = |old: &str, new: &str| {
        call("edit_file", json!({ "path": "src/session.rs", "old": old, "new": new }))
    };
    let calls = json!([
        edit("LIFETIME_DAYS: u32 = 30", "LIFETIME_DAYS: u32 = 60"),
        edit("-> u32 {\n    LIFETIME_DAYS", "-> u32 {\n    // 예순 날\n    LIFETIME_DAYS.max(1)"),
        call(
            "write_file",
            json!({ "path": "docs/tokens.md", "text": "# Tokens\n\n60일 동안 씁니다.\n" })
        ),
    ]);
    let server = scripted(&[
        json!({
            "match": { "userMessage": SAID, "hasToolResult": false },
            "response": { "content": "I will see to it. 해 볼게요.", "toolCalls": calls },
        }),
        json!({ "match": {}, "response": { "content": "Sixty days it is. 이제 60일이에요." } }),
    ]);
    for_two(|language, theme| reviewed(&server.base_url(), language, theme));
}

fn reviewed(base_url: &str, language: &'static str, theme: &str) {
    let project = folder::project();
    folder::write(project.path(), "src/session.rs", &sessions());
    let start = Start::new(language).argument(project.path());
    start.silt().open_project(project.path());
    start.silt().connect("scripted", base_url, "gpt-4o");
    let window = start.window();
    window.composer();
    let shooter = Shooter::of(&window, language, theme);
    window.say(SAID);
    answer_all(&window, project.path());
    window.finished();
    window.control("group", "changes:label");
    shooter.take_in_all_widths("changed");
    window.control("button", "changes:review").click();
    let dialog = window.the("dialog", &window.word("changes:title"));
    // The pieces of a file each have a box of their own.
    wait("every piece", || (dialog.every("checkbox").len() >= 4).then_some(()));
    shooter.take_in_all_widths("review");
    // The first piece of the second file, which comes after what stands for the whole of each.
    dialog.every("checkbox")[2].click();
    shooter.take_in_all_widths("review-piece");
}

/// Says yes to all that waits, until the last file is there.
fn answer_all(window: &Window, project: &Path) {
    for path in ["src/session.rs", "src/session.rs", "docs/tokens.md"] {
        wait(&format!("a question about {path}"), || window.shows(path).then_some(()));
        window.answers("once");
    }
    wait("the last file", || project.join("docs/tokens.md").is_file().then_some(()));
}
