//! A folder comes into the window: dragged from another window, named at the start, or by a second start.

use std::path::Path;

use crate::support::desktop::{DragSource, shoot_screen};
use crate::support::{Page, Start, TITLE, Window, folder, picture, wait};

fn name_of(folder: &Path) -> String {
    folder.file_name().expect("a name").to_string_lossy().into_owned()
}

#[test]
fn a_folder_dragged_in_is_shown_trusted_and_opened() {
    let project = folder::project();
    let name = name_of(project.path());
    let window = Window::first("ko");
    let mut files = DragSource::offering(project.path());
    files.take();
    files.move_over(TITLE);
    window.reads(&window.word("drop:area"));
    shoot_screen(&picture("story-drop-over"));
    files.drop_it();

    let sheet = window.the("dialog", &name);
    sheet.the("button", &window.word("drop:trust"));
    for brought in ["AGENTS.md", ".env", &window.word("drop:neverSent")] {
        wait(&format!("{brought} on the sheet"), || sheet.text().contains(brought).then_some(()));
    }
    let text = sheet.text();
    assert!(!text.contains("canary"), "nothing of a file that is never sent is shown: {text}");
    window.shoot("story-drop-sheet");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the sheet");

    sheet.the("button", &window.word("drop:trust")).click();
    window.gone("dialog", &name);
    window.composer();
    assert!(window.ask("리프레시 토큰의 수명은 며칠인가요?").contains("30일"));
    let opened = window.silt().ask(&["project", "list"]).to_string();
    assert!(opened.contains(&name), "the project is kept: {opened}");
}

#[test]
fn a_folder_opened_without_its_instructions_keeps_them_out() {
    let project = folder::project();
    let name = name_of(project.path());
    let window = Start::new("en").argument(project.path()).window();
    let sheet = window.the("dialog", &name);
    sheet.the("button", &window.word("drop:openWithout")).click();
    window.composer();
    let answer = window.ask("Which port does the service listen on?");
    assert!(!answer.contains("5433"), "nothing of an untrusted folder is read: {answer}");
}

#[test]
fn a_second_start_hands_its_folder_to_the_running_window() {
    let first = folder::project();
    let second = folder::project();
    let start = Start::new("en").argument(first.path());
    start.silt().open_project(first.path());
    let window = start.window();
    window.composer();
    window.start_again(second.path());
    let sheet = window.the("dialog", &name_of(second.path()));
    sheet.the("button", &window.word("drop:trust")).click();
    wait("the second project", || {
        let opened = window.silt().ask(&["project", "list"]).to_string();
        (opened.contains(&name_of(first.path())) && opened.contains(&name_of(second.path())))
            .then_some(())
    });
}
