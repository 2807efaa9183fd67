//! Pictures of what goes on tomorrow and elsewhere: the Today page, plans, a session that came with the folder,
//! sealed checkpoints, and remotes.

use std::path::Path;

use serde_json::json;

use super::{Shooter, for_each, name_of};
use crate::support::{Keyring, Page, Start, Window, folder, scripted, wait};

const SAID: &str =
    "리프레시 토큰은 쓸 때마다 바꾸기로 했습니다. We decided to keep the public API.";

#[test]
#[ignore = "pictures, by make shots"]
fn work_that_goes_on_in_both_themes_and_languages() {
    let server = scripted(&[json!({ "match": {}, "response": { "content": SAID } })]);
    for_each(|language, theme| going_on(&server.base_url(), language, theme));
}

#[test]
#[ignore = "pictures, by make shots"]
fn sealing_and_remotes_in_both_themes_and_languages() {
    for_each(kept_elsewhere);
}

/// Plans, tasks and a decision, as the command line makes them.
fn planned(start: &Start, project: &Path) {
    let silt = start.silt();
    silt.open_project(project);
    let project = project.display().to_string();
    let ask = |arguments: &[&str]| silt.ask(&[&["--project", &project], arguments].concat());
    ask(&["plan", "add", "Rework how tokens are kept", "--description", "The public API stays."]);
    ask(&["task", "add", "Move the store to SQLite"]);
    ask(&["task", "add", "리프레시 토큰을 쓸 때마다 바꾸기"]);
    ask(&["task", "add", "Refuse a token that was used before"]);
    ask(&["task", "edit", "task_003", "--after", "task_002"]);
    ask(&["task", "finish", "task_001"]);
    ask(&["task", "start", "task_002"]);
    ask(&["plan", "add", "운영 안내서 정리"]);
    ask(&["decision", "add", "Refresh tokens live for thirty days"]);
    ask(&["session", "share"]);
}

fn going_on(base_url: &str, language: &'static str, theme: &str) {
    let project = folder::project();
    let project = project.path();
    let start = Start::new(language).argument(project);
    planned(&start, project);
    start.silt().connect("scripted", base_url, "gpt-4o");
    let mut window = start.window();
    // Something is planned already: the project opens with its page.
    window.control("main", "today:title");
    window.new_conversation();
    window.ask("How are refresh tokens rotated?");
    window.control("group", "work:proposals.title");
    Shooter::of(&window, language, theme).take("work-proposed");
    window.kill();
    window.reopen();
    {
        let shooter = Shooter::of(&window, language, theme);
        window.control("region", "today:stopped.title");
        window.control("combobox", "work:plans.current");
        shooter.take_in_all_widths("work-today");
        window.choose_in(&window.control("combobox", "work:plans.current"), "운영 안내서 정리");
        window.control("group", "work:switch.title");
        shooter.take("work-switch");
        window.keys("Control+t");
        window.new_conversation();
        let path = project.join(".ai-brain/workflow.json");
        let text = std::fs::read_to_string(&path).expect("the plans");
        std::fs::write(&path, text.replace("SQLite", "SQLite and back")).expect("the plans");
        window.ask("And what of the old ones?");
        window.control("button", "work:foreign.look");
        shooter.take_in_all_widths("work-foreign");
        window.control("button", "work:foreign.look").click();
        window.reads("SQLite and back");
        shooter.take_in_all_widths("work-foreign-files");
        window.dismiss();
    }
    drop(window);
    // The folder, on another computer.
    let window = Start::new(language).argument(project).window();
    let sheet = window.the("dialog", &name_of(project));
    sheet.the("switch", &window.word("drop:share"));
    window.shoot(&format!("work-drop-{language}"));
}

fn kept_elsewhere(language: &'static str, theme: &str) {
    let (project, elsewhere) = (folder::project(), folder::project());
    let keyring = Keyring::open();
    let start = Start::new(language).with(&keyring).argument(project.path());
    start.silt().open_project(project.path());
    let mut window = start.window();
    window.composer();
    {
        let shooter = Shooter::of(&window, language, theme);
        window.keys("Control+Shift+k");
        window.control("textbox", "checkpoints:tag.label").enter();
        wait("the dialog to close", || (!window.is_covered()).then_some(()));
        window.settings("remotes");
        window.control("button", "remotes:add.open").click();
        window.control("textbox", "remotes:add.name").type_text("NAS");
        let place = elsewhere.path().display().to_string();
        window.control("textbox", "remotes:field.path").type_text(&place);
        for field in ["remotes:add.passphrase", "remotes:add.again"] {
            window.control("textbox", field).type_text("laid down in still water");
        }
        shooter.take_in_all_widths("remotes-add");
        window.control("button", "remotes:add.do").click();
        let test = window.phrase("remotes:testOne", &[("name", "NAS")]);
        window.the("button", &test).click();
        wait("its answer", || window.all_like("status", ".").into_iter().next().map(|_| ()));
        shooter.take("remotes-tested");

        let page = window.settings("checkpoints");
        let switch = page.the("switch", &window.word("sealing:on"));
        switch.tell("arguments[0].scrollIntoView({ block: 'center' })");
        shooter.take("sealing-off");
        switch.click();
        window.control("button", "sealing:recovery.generate");
        shooter.take("sealing-recovery");
        window.control("button", "sealing:recovery.generate").click();
        window.control("button", "sealing:recovery.written");
        shooter.take_in_all_widths("sealing-recovery-made");
        window.control("button", "sealing:recovery.written").click();
        window.control("button", "sealing:recovery.another");
        shooter.take("sealing-on");
        window.dismiss();

        window.keys("Control+Shift+h");
        let elsewhere = window.control("button", "checkpoints:elsewhere");
        window.choose_of_menu(&elsewhere, &window.word("checkpoints:carry"));
        window.control("button", "remotes:carry.push").click();
        wait("what was pushed", || window.all_like("status", ".").into_iter().next().map(|_| ()));
        shooter.take_in_all_widths("remotes-carry");
        window.dismiss();
        let elsewhere = window.control("button", "checkpoints:elsewhere");
        window.choose_of_menu(&elsewhere, &window.word("checkpoints:file.importOpen"));
        window.control("dialog", "checkpoints:file.import");
        shooter.take("checkpoints-import");
        window.dismiss();
    }
    keyring.lock();
    window.close();
    window.reopen();
    locked(&window, language, theme);
}

fn locked(window: &Window, language: &'static str, theme: &str) {
    // The theme was chosen before the restart.
    let shooter = Shooter { window, mark: format!("{language}-{theme}") };
    window.composer();
    window.keys("Control+Shift+h");
    window.reads(&window.word("sealing:locked.title"));
    shooter.take_in_all_widths("sealing-locked");
}
