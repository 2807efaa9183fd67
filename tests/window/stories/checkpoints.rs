//! Checkpoints: one is made by hand, files change outside, time is gone through and compared, a restore merges what both
//! changed, and is undone.

use std::path::Path;

use crate::support::{Page, Start, Window, folder, wait};

const THEN: &str = "port = 5432\nname = \"aurora\"\n";
const LATER: &str = "port = 5433\nname = \"aurora\"\n";
const OUTSIDE: &str = "port = 5434\nname = \"aurora\"\n";

impl Window {
    /// Makes a checkpoint with a name, or without one.
    #[track_caller]
    fn checkpoint(&self, tag: &str) {
        self.keys("Control+Shift+k");
        let field = self.control("textbox", "checkpoints:tag.label");
        if !tag.is_empty() {
            field.type_text(tag);
            wait("the name in its field", || (field.value() == tag).then_some(()));
        }
        field.enter();
        wait("the dialog to close", || self.all_like("dialog", ".").is_empty().then_some(()));
    }

    /// The name of the moment that is shown, once it is this one and what differs is known.
    #[track_caller]
    fn shows_moment(&self, name: &str, files: &str) {
        self.the("heading", name);
        self.the("tab", &self.phrase("checkpoints:tabs.filesCount", &[("n", files)]));
    }
}

fn on_disk(project: &Path) -> String {
    std::fs::read_to_string(project.join("config.toml")).expect("the file")
}

fn story(language: &'static str) {
    let project = folder::project();
    let project = project.path();
    folder::write(project, "config.toml", THEN);
    let start = Start::new(language).argument(project);
    start.silt().open_project(project);
    let window = start.window();
    window.composer();
    window.ask("Which port does the service listen on?");
    window.keys("Control+Shift+h");
    window.reads(&window.word("checkpoints:empty.title"));
    window.shoot(&format!("story-checkpoints-empty-{language}"));
    window.checkpoint("works");
    window.shows_moment("works", "0");

    // What changes outside is part of the next one.
    folder::write(project, "config.toml", LATER);
    window.checkpoint("");
    let by_hand = window.word("checkpoints:reason.manual");
    window.shows_moment(&by_hand, "0");
    folder::write(project, "config.toml", OUTSIDE);
    folder::write(project, "notes.txt", "nobody else's\n");

    // Through time by keys; what the chosen moment lacks is named.
    window.like("option", "works").click();
    window.shows_moment("works", "2");
    window.keys("Up");
    window.shows_moment(&by_hand, "2");
    window.keys("Down");
    window.shows_moment("works", "2");
    let changed = [("path", "config.toml"), ("kind", &*window.word("checkpoints:kind.modified"))];
    window.the("button", &window.phrase("checkpoints:fileLabel", &changed)).click();
    window.reads("- port = 5432");
    window.reads("+ port = 5434");
    window.reads(&window.of_one("checkpoints:notCaptured"));
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the screen");
    window.shoot(&format!("story-checkpoints-compare-{language}"));

    // The plan says what happens to each file and why; nothing happened yet.
    window.control("button", "checkpoints:restore.open").click();
    window.reads(&window.of_one("checkpoints:restore.conflicts"));
    window.reads(&window.word("checkpoints:why.changed_outside"));
    window.reads(&window.word("checkpoints:why.not_ours"));
    assert_eq!(on_disk(project), OUTSIDE);
    // Colours are what they are once the dialog is there whole.
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the plan");
    window.shoot(&format!("story-checkpoints-plan-{language}"));
    let choice = window.phrase("checkpoints:restore.choice", &[("path", "config.toml")]);
    window.the("combobox", &choice).click();
    window.control("option", "checkpoints:restore.merge").click();
    let result = window.control("textbox", "checkpoints:merge.result");
    wait("marks in the merge", || result.value().contains("<<<<<<<").then_some(()));
    window.shoot(&format!("story-checkpoints-merge-{language}"));
    window.control("button", "checkpoints:merge.take.both").click();
    window.reads(&window.word("checkpoints:merge.clean"));
    window.control("button", "checkpoints:merge.use").click();
    window.gone("textbox", &window.word("checkpoints:merge.result"));
    window.control("button", "checkpoints:restore.do").click();
    window.reads(&window.of_one("checkpoints:said.files"));
    window.shoot(&format!("story-checkpoints-restored-{language}"));
    assert_eq!(on_disk(project), "port = 5434\nport = 5432\nname = \"aurora\"\n");
    assert!(project.join("notes.txt").is_file(), "a file nobody saw made is not deleted");

    window.keys("Control+z");
    window.reads(&window.word("checkpoints:said.undone"));
    assert_eq!(on_disk(project), OUTSIDE);

    // In the conversation: a mark at the message, and on from there.
    window.keys("Control+Shift+h");
    window.ask("And what is its name?");
    wait("four messages", || (window.drawn().last()?.place == 4).then_some(()));
    let mark = window.word("checkpoints:mark");
    let mark = mark.split(',').next().expect("a name");
    window.like("button", &format!("^{mark}, ")).click();
    window.control("menuitem", "checkpoints:continue").click();
    wait("the conversation as it stood", || (window.drawn().last()?.place == 2).then_some(()));
    assert_eq!(on_disk(project), OUTSIDE, "no file is touched");
}

#[test]
fn a_restore_merges_what_both_changed_and_is_undone() {
    story("en");
}

#[test]
fn the_same_in_korean() {
    story("ko");
}
