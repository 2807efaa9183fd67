//! Checkpoints: one is made by hand, files change outside, time is gone through and compared, a restore merges what both
//! changed, and is undone. Then all are encrypted, and the old ones go.

use std::path::Path;

use crate::support::{Keyring, Page, Start, Window, folder, wait};

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
        wait("the dialog to close", || (!self.is_covered()).then_some(()));
    }

    /// The name of the moment that is shown, once it is this one and what differs is known.
    #[track_caller]
    fn shows_moment(&self, name: &str, files: &str) {
        self.the("heading", name);
        self.the("tab", &self.phrase("checkpoints:tabs.filesCount", &[("n", files)]));
    }

    /// What the Context Bar of a moment says of the last request, and of how many blocks it is.
    #[track_caller]
    fn request_at(&self, moment: &str) -> (String, usize) {
        self.like("option", moment).click();
        self.the("region", moment);
        let bar = self.control("group", "checkpoints:request.label");
        let mut buttons = bar.every("button");
        let total = buttons.pop().expect("the way to the request");
        (total.text(), buttons.len())
    }

    /// How many checkpoints are listed.
    fn moments(&self) -> usize {
        self.all_like("option", ".").len()
    }
}

/// Whether anything of checkpoints on disk holds a text, beside the stamps of the files as they are now.
fn holds(dir: &Path, text: &str) -> bool {
    std::fs::read_dir(dir).expect("a folder").flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return !path.ends_with("stamps") && holds(&path, text);
        }
        // One that goes while it is looked at holds nothing any more.
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(text.len()).any(|it| it == text.as_bytes())
    })
}

fn on_disk(project: &Path) -> String {
    std::fs::read_to_string(project.join("config.toml")).expect("the file")
}

fn story(language: &'static str) {
    let project = folder::project();
    let project = project.path();
    folder::write(project, "config.toml", THEN);
    let keyring = Keyring::open();
    let start = Start::new(language).with(&keyring).argument(project);
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
    let merge = window.word("checkpoints:restore.merge");
    window.choose_in(&window.the("combobox", &choice), &merge);
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
    let mark = window.like("button", &format!("^{mark}, "));
    window.choose_of_menu(&mark, &window.word("checkpoints:continue"));
    wait("the conversation as it stood", || (window.drawn().last()?.place == 2).then_some(()));
    assert_eq!(on_disk(project), OUTSIDE, "no file is touched");

    // Each moment has the Context Bar of its own last request.
    window.ask("Who keeps the refresh tokens?");
    window.keys("Control+Shift+h");
    window.checkpoint("talked");
    let (later, blocks) = window.request_at("talked");
    let (then, fewer) = window.request_at("works");
    assert!(then != later && 1 < fewer && fewer < blocks, "{then}, {fewer}; {later}, {blocks}");
    let automatic = window.word("checkpoints:reason.before_restore");
    window.like("option", &automatic);
    window.shoot(&format!("story-checkpoints-automatic-{language}"));
    sealed(&window, project, language);
    cleaned(&window, language);
}

/// Encrypts what is there: how far it is can be seen, and the passphrase is shown once.
#[track_caller]
fn sealed(window: &Window, project: &Path, language: &str) {
    let checkpoints = window.data().join("checkpoints");
    let name = project.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(holds(&checkpoints, name), "nothing is sealed yet");
    window.browser().run(
        "new MutationObserver(() => {
           const bar = document.querySelector('[role=progressbar]');
           const label = document.getElementById(bar?.getAttribute('aria-labelledby') ?? '');
           if (label) document.body.dataset.progress = label.textContent;
         }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-labelledby'] })",
        vec![],
    );
    let page = window.settings("checkpoints");
    let switch = page.the("switch", &window.word("sealing:on"));
    switch.tell("arguments[0].scrollIntoView({ block: 'center' })");
    switch.click();
    window.control("button", "sealing:recovery.generate").click();
    let passphrase = window.the("", &window.word("sealing:recovery.label")).text();
    assert!(passphrase.len() >= 24, "{passphrase}");
    window.reads(&window.word("sealing:recovery.once"));
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the passphrase");
    window.shoot(&format!("story-checkpoints-passphrase-{language}"));
    window.control("button", "sealing:recovery.written").click();
    window.gone("dialog", &window.word("sealing:recovery.title"));
    let seen = window.browser().run("return document.body.dataset.progress ?? ''", vec![]);
    assert_eq!(seen, window.word("sealing:sealing"), "how far it was");
    window.control("button", "sealing:recovery.another");
    assert!(!window.shows(&passphrase), "it is shown once");
    assert!(!holds(&checkpoints, name), "nothing of them can be read on disk");
    window.shoot(&format!("story-checkpoints-sealed-{language}"));
}

/// Lets all go but those with a name and the newest.
#[track_caller]
fn cleaned(window: &Window, language: &str) {
    let count =
        window.settings("checkpoints").the("textbox", &window.word("checkpoints:page.count"));
    count.click();
    window.keys("Control+a");
    count.type_text("1");
    count.enter();
    window.dismiss();
    let before = window.moments();
    window.control("button", "checkpoints:clean.open").click();
    let gone = (before - 2).to_string();
    let does =
        window.the("button", &window.phrase("checkpoints:clean.do_other", &[("count", &gone)]));
    window.reads(&window.word("checkpoints:clean.by.count"));
    window.shoot(&format!("story-checkpoints-clean-{language}"));
    does.click();
    wait("the old ones to go", || (window.moments() == 2).then_some(()));
    window.like("option", "works");
    window.like("option", "talked");
}

#[test]
fn a_restore_merges_what_both_changed_and_is_undone() {
    story("en");
}

#[test]
fn the_same_in_korean() {
    story("ko");
}
