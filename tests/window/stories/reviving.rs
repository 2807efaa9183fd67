//! The process that draws the page is killed (safety.md, R22): the program goes on, draws the page with another one, and
//! nothing that was said is lost. SILTSTONE_KILLS says how often.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::support::{Start, Window, wait};

/// What draws a page in WebKitGTK.
const DRAWER: &str = "WebKitWebProcess";

/// The processes that draw the window's page.
fn drawers(window: &Window) -> Vec<u32> {
    let mark = format!("SILTSTONE_DATA_DIR={}", window.data().display()).into_bytes();
    let is_one = |pid: &u32| {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        std::fs::read_link(folder.join("exe")).is_ok_and(|path| path.ends_with(DRAWER))
            && environment.split(|byte| *byte == 0).any(|entry| entry == mark)
    };
    let entries = std::fs::read_dir("/proc").expect("Linux has /proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(is_one).collect()
}

#[test]
fn a_page_whose_process_is_killed_is_drawn_again_and_the_program_goes_on() {
    let kills = std::env::var("SILTSTONE_KILLS").ok().and_then(|kills| kills.parse().ok());
    let mut window = Start::new("en").window();
    window.just_talk();
    window.ask("Where does the heron stand?");
    let answers = window.replies();
    let programs = window.programs();
    for kill in 1..=kills.unwrap_or(3) {
        let before = drawers(&window);
        assert!(!before.is_empty(), "something draws the page");
        for pid in &before {
            let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
            assert!(killed.expect("kill is installed").success());
        }
        wait(&format!("another process to draw the page, kill {kill}"), || {
            drawers(&window).iter().any(|pid| !before.contains(pid)).then_some(())
        });
        assert_eq!(window.programs(), programs, "the program itself goes on");
        // One that ends again at once would be taken for one that ends always.
        std::thread::sleep(Duration::from_millis(1_500));
    }
    // The driver lost its page with the process; the person's next start shows the same.
    window.close();
    window.reopen();
    window.open_conversation("Where does the heron stand?");
    assert_eq!(window.replies(), answers);
}
