//! Another program that the person looks at, on a desktop that shows notifications.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::desktop::focus_window;
use super::{Page, TITLE, Window, root, wait};

/// What stands above its window.
const NAME: &str = "Elsewhere";

/// Its window, and the notifications that the desktop was asked to show.
pub(crate) struct Elsewhere {
    process: Child,
    lines: Receiver<String>,
}

impl Elsewhere {
    /// Its window opens, and takes the keyboard.
    #[track_caller]
    pub(crate) fn open() -> Self {
        // The system's own Python: GTK's bindings are a Debian package.
        let mut process = Command::new("/usr/bin/python3")
            .arg(root().join("tests/window/elsewhere.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 with GTK's bindings is installed");
        let stdout = process.stdout.take().expect("its output");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let elsewhere = Self { process, lines };
        let shown = elsewhere.line("the other program's window");
        assert_eq!(shown, "shown");
        elsewhere
    }

    /// The person turns to it, away from the window.
    #[track_caller]
    pub(crate) fn turn_from(&self, window: &Window) {
        focus_window(NAME);
        wait("the window in the background", || (!has_focus(window)).then_some(()));
    }

    /// The person turns back to the window.
    #[track_caller]
    pub(crate) fn turn_back_to(&self, window: &Window) {
        focus_window(TITLE);
        wait("the window in the foreground", || has_focus(window).then_some(()));
    }

    /// The next notification: its title and its text.
    #[track_caller]
    pub(crate) fn notice(&self) -> (String, String) {
        let line = self.line("a notification");
        serde_json::from_str(&line).expect("a title and a text")
    }

    /// Whether nothing more was shown so far.
    pub(crate) fn is_quiet(&self) -> bool {
        self.lines.try_recv().is_err()
    }

    #[track_caller]
    fn line(&self, what: &str) -> String {
        wait(what, || self.lines.try_recv().ok())
    }
}

fn has_focus(window: &Window) -> bool {
    window.browser().run("return document.hasFocus()", vec![]) == true
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // Both fail only when it ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
