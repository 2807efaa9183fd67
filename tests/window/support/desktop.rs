//! The desktop around the window: real mouse and keys through xdotool, a drag from another window, an input method.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::{root, wait};

/// A window of another program that lets a folder be dragged out of it.
pub(crate) struct DragSource {
    process: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

/// Where the drag source stands: a corner that the program's window leaves free.
const SOURCE: (i32, i32) = (1340, 860);

impl DragSource {
    #[track_caller]
    pub(crate) fn offering(path: &Path) -> Self {
        // The system's own Python: GTK's bindings are a Debian package.
        let mut process = Command::new("/usr/bin/python3")
            .arg(root().join("tests/window/drag_source.py"))
            .arg(path)
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
        let mut source = Self { process, lines, seen: Vec::new() };
        source.wait_for("shown");
        source
    }

    /// Takes the folder with the mouse.
    #[track_caller]
    pub(crate) fn take(&mut self) {
        mouse(SOURCE);
        xdotool(&["mousedown", "1"]);
        // A drag starts when the mouse has moved far enough with the button held.
        let mut away = 0;
        wait("the drag to start", || {
            away += 4;
            mouse((SOURCE.0 - away, SOURCE.1 - away));
            self.has_said("drag").then_some(())
        });
    }

    /// Moves what was taken, in the small steps a hand makes.
    #[track_caller]
    pub(crate) fn move_to(&self, to: (i32, i32)) {
        for step in 1..=12 {
            let at = |from: i32, to: i32| from + (to - from) * step / 12;
            mouse((at(SOURCE.0 - 40, to.0), at(SOURCE.1 - 40, to.1)));
        }
    }

    /// Lets go, and waits until the drop was taken.
    #[track_caller]
    pub(crate) fn drop_it(&mut self) {
        xdotool(&["mouseup", "1"]);
        self.wait_for("end");
    }

    #[track_caller]
    fn wait_for(&mut self, word: &str) {
        wait(&format!("the drag source to say {word}"), || self.has_said(word).then_some(()));
    }

    fn has_said(&mut self, word: &str) -> bool {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().any(|line| line == word)
    }
}

impl Drop for DragSource {
    fn drop(&mut self) {
        // Both fail only when it ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Closes a window the way its close button does.
#[track_caller]
pub(crate) fn close_window(title: &str) {
    xdotool(&["search", "--onlyvisible", "--name", title, "windowactivate", "--sync"]);
    xdotool(&["key", "alt+F4"]);
}

/// Presses keys on the real keyboard, one after the other.
#[track_caller]
pub(crate) fn press(keys: &[&str]) {
    xdotool(&[&["key", "--delay", "60"], keys].concat());
}

/// A picture of the whole screen, with what the page cannot show.
#[track_caller]
pub(crate) fn shoot_screen(name: &str) {
    let status = Command::new("import").args(["-window", "root"]).arg(super::picture(name)).status();
    assert!(status.expect("imagemagick is installed").success(), "a picture of the screen");
}

#[track_caller]
fn mouse((x, y): (i32, i32)) {
    xdotool(&["mousemove", "--sync", &x.to_string(), &y.to_string()]);
}

#[track_caller]
fn xdotool(arguments: &[&str]) {
    let status = Command::new("xdotool").args(arguments).stdout(Stdio::null()).status();
    assert!(status.expect("xdotool is installed").success(), "xdotool {arguments:?}");
}
