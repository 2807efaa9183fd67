//! A copy of a project's checkpoints in its own folder is chosen in the window, and none any more. What was kept can be
//! seen and restored whatever becomes of that folder, and the copy is written again.

use std::path::Path;

use crate::support::{Page, Start, Window, folder, wait};

const THEN: &str = "port = 5432\n";
const NOW: &str = "port = 5433\n";

/// The files below a folder; none where there is no folder.
fn files_in(dir: &Path) -> usize {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files_in(&entry.path()) } else { 1 }).sum()
}

/// Opens the dialog that says where they are, and turns the switch of the copy.
#[track_caller]
fn place(window: &Window) {
    window.control("button", "checkpoints:elsewhere").click();
    window.control("menuitem", "checkpoints:place.open").click();
    let switch = window.control("switch", "checkpoints:place.inProject");
    window.turn(&switch);
}

/// Opens the moment with this name and goes back to it: the plan, and the restore.
#[track_caller]
fn restore(window: &Window, name: &str) {
    window.like("option", name).click();
    window.the("heading", name);
    window.control("button", "checkpoints:restore.open").click();
    window.still();
    window.control("button", "checkpoints:restore.do").click();
}

fn story(language: &'static str) {
    let project = folder::project();
    let project = project.path();
    let on_disk = || std::fs::read_to_string(project.join("config.toml")).expect("the file");
    let own = project.join(".siltstone/checkpoints");
    folder::write(project, "config.toml", THEN);
    let start = Start::new(language).argument(project);
    start.silt().open_project(project);
    let make = |tag: &str| {
        let folder = project.display().to_string();
        start.silt().ask(&["--project", &folder, "checkpoint", "create", "--tag", tag])
    };
    make("before");
    folder::write(project, "config.toml", NOW);
    make("after");
    assert_eq!(files_in(&own), 0, "nothing is in the project until the person wants it");
    let window = start.window();
    window.composer();
    window.keys("Control+Shift+h");
    window.like("option", "before");

    place(&window);
    window.reads(".siltstone/checkpoints/");
    window.shoot(&format!("story-placing-{language}"));
    assert!(files_in(&own) > 0, "the copy is in the project's folder");
    window.dismiss();
    std::fs::remove_dir_all(project.join(".siltstone")).expect("the folder of the copy");
    restore(&window, "before");
    wait("the file as it was", || (on_disk() == THEN).then_some(()));
    wait("the copy again", || (files_in(&own) > 0).then_some(()));

    place(&window);
    wait("an empty folder of the project", || (files_in(&own) == 0).then_some(()));
    window.dismiss();
    restore(&window, "after");
    wait("the file as it was later", || (on_disk() == NOW).then_some(()));
}

#[test]
fn a_copy_of_checkpoints_goes_into_the_project_and_away() {
    story("en");
}

#[test]
fn a_copy_of_checkpoints_goes_into_the_project_and_away_in_korean() {
    story("ko");
}
