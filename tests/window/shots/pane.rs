//! Pictures of the pane beside a conversation in states that others lead past: what was left out, what a reply saw beside
//! what the next message would send, a summary that is written, one that failed; and of memory without a file, and with a
//! line that looks like a key.

use serde_json::{Value, json};

use super::{Shooter, editor, for_two, staging, talk};
use crate::support::{Page, Start, Window, folder, scripted, wait};

#[test]
#[ignore = "pictures, by make shots"]
fn what_was_sent_and_left_out_in_two() {
    for_two(sent_and_left_out);
}

fn sent_and_left_out(language: &'static str, theme: &str) {
    let project = folder::project();
    let key = format!("sk-ant-api03-{}", "Qm2Xw9Lr".repeat(5));
    let rules =
        format!("# Rules\n\n- Never break the public API.\n- The key of staging is {key}.\n");
    folder::write(project.path(), "AGENTS.md", &rules);
    let start = Start::new(language).argument(project.path());
    start.silt().open_project(project.path());
    let window = start.window();
    window.composer();
    let shooter = Shooter::of(&window, language, theme);
    window.keys("Control+m");
    editor(&window);
    window.like("list", &window.word("memory:finding.label"));
    shooter.take_in_all_widths("memory-key");
    window.keys("Control+m");
    window.composer();
    let more = window.phrase("context:wish.more", &[("name", "AGENTS.md")]);
    let menu = window.the("button", &more);
    menu.click();
    window.control("menuitem", "context:wish.leaveOut");
    shooter.take("context-menu");
    window.keys("Escape");
    window.choose_of_menu(&menu, &window.word("context:wish.leaveOut"));
    window.the("button", &window.of_one("context:leftOut")).click();
    window.reads(&window.word("context:leftOutWhy.by_you"));
    shooter.take("context-left-out");
    window.ask("Which port does the service listen on?");
    window.finished().the("button", &window.word("chat:actions.saw")).click();
    window.control("button", "context:compare.with").click();
    window.control("list", "context:compare.label");
    shooter.take("context-compare");

    let row = format!("^{}$", window.phrase("rail:more", &[("title", ".*")]));
    window.choose_of_menu(&window.like("button", &row), &window.word("rail:goOn"));
    let write = window.control("button", "vault:continue.do.agent");
    wait("what goes", || {
        (write.tell("return String(arguments[0].disabled)") == "false").then_some(())
    });
    shooter.take_in_all_widths("elsewhere");
    window.dismiss();

    let bare = tempfile::Builder::new().prefix("bare-").tempdir().expect("a folder");
    folder::write(bare.path(), "README.md", "# Nothing more\n");
    window.silt().open_project(bare.path());
    window.start_again(bare.path());
    window.begins_empty();
    window.keys("Control+m");
    window.reads(&window.word("memory:layers.empty"));
    shooter.take_in_all_widths("memory-empty");
}

/// What every prompt that asks for a summary says.
const PROMPTS: [&str; 2] = ["Keep decisions", "결정과"];

const SUMMARY: &str =
    "Staging: port 5544, because 5433 is taken. 스테이징은 두 대로 돌아가고 덤프는 03:15에 떠요. ";

#[test]
#[ignore = "pictures, by make shots"]
fn summaries_on_their_way_in_two() {
    let as_said = |response: &Value, slow: bool| {
        PROMPTS.map(|prompt| {
            let said = json!({ "match": { "userMessage": prompt }, "response": response });
            let mut said = said;
            if slow {
                said["latency"] = 60.into();
                said["chunkSize"] = 4.into();
            }
            said
        })
    };
    let slow = scripted(&as_said(&json!({ "content": SUMMARY.repeat(16) }), true));
    let error = json!({ "message": "The model is overloaded.", "type": "server_error" });
    let failing = scripted(&as_said(&json!({ "status": 400, "error": error }), false));
    for_two(|language, theme| {
        on_their_way(&slow.base_url(), &failing.base_url(), language, theme);
    });
}

fn on_their_way(slow: &str, failing: &str, language: &'static str, theme: &str) {
    let start = Start::new(language);
    let silt = start.silt();
    let said: Vec<_> = staging().into_iter().chain((0..4).flat_map(|_| talk())).collect();
    silt.connect("slow", slow, "gpt-4o");
    silt.import("Rates", &said);
    let window = start.window();
    let shooter = Shooter::of(&window, language, theme);
    window.open_conversation("Rates");
    window.keys("Control+Shift+s");
    let fold = window.control("button", "summaries:foldNow");
    shooter.take("summaries-none");
    fold.click();
    wait("its first words", || window.shows("5544, because 5433 is taken").then_some(()));
    shooter.take_with_pane("summaries-writing", "Control+Shift+s");
    window.control("button", "common:cancel").click();
    window.silt().connect("failing", failing, "gpt-4o");
    let fold = window.control("button", "summaries:foldNow");
    wait("it may be folded", || {
        (fold.tell("return String(arguments[0].disabled)") == "false").then_some(())
    });
    fold.click();
    window.control("button", "summaries:retry");
    shooter.take_with_pane("summaries-failed", "Control+Shift+s");
    preview(&window, &shooter);
}

/// What the next fold would be, while it is written.
fn preview(window: &Window, shooter: &Shooter<'_>) {
    window.silt().ask(&["provider", "default", "slow", "gpt-4o"]);
    window.control("button", "summaries:preview.open").click();
    window.like("dialog", &window.word("summaries:preview.title"));
    let adopt = window.control("button", "summaries:try.adopt");
    shooter.take("summaries-preview-writing");
    wait("all of its words", || {
        (adopt.tell("return String(arguments[0].disabled)") == "false").then_some(())
    });
    shooter.take_in_all_widths("summaries-preview");
}
