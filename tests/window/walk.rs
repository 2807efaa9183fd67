//! The main job, start to end, with the model that needs no network: one picture of each step.

use crate::support::desktop::{DragSource, shoot_screen};
use crate::support::{Page, TITLE, Window, folder, picture};

#[test]
#[ignore = "pictures, by make run"]
fn the_main_job_step_by_step() {
    let project = folder::project();
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    let window = Window::first("en");
    window.reads(&window.word("start:drop"));
    window.shoot("walk-1-start");
    let mut files = DragSource::offering(project.path());
    files.take();
    files.move_over(TITLE);
    window.reads(&window.word("drop:area"));
    shoot_screen(&picture("walk-2-drag"));
    files.drop_it();
    let sheet = window.the("dialog", &name);
    let trust = sheet.the("button", &window.word("drop:trust"));
    window.shoot("walk-3-what-it-brings");
    trust.click();
    window.composer();
    window.shoot("walk-4-open");
    window.ask("Which port does the service listen on?");
    window.shoot("walk-5-answer");
    window.ask("리프레시 토큰의 수명은 며칠인가요?");
    window.shoot("walk-6-korean");
    window.finished().first("link").click();
    window.like("dialog", "운영");
    window.shoot("walk-7-source");
    window.dismiss();
    window.keys("Control+Shift+i");
    window.control("complementary", "context:label");
    window.shoot("walk-8-what-it-saw");
}
