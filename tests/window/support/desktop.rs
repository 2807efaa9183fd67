//! The desktop around the window: real mouse and keys through xdotool, a drag from another window, an input method.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::{Start, root, wait};

/// A window of another program that lets a folder be dragged out of it.
pub(crate) struct DragSource {
    process: Child,
    at: (i32, i32),
    lines: Receiver<String>,
    seen: Vec<String>,
}

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
        let mut source = Self { process, at: (0, 0), lines, seen: Vec::new() };
        source.wait_for("shown");
        source.at = middle_of("Files");
        source
    }

    /// Takes the folder with the mouse.
    #[track_caller]
    pub(crate) fn take(&mut self) {
        mouse(self.at);
        xdotool(&["mousedown", "1"]);
        // A drag starts when the mouse has moved far enough with the button held.
        let mut away = 0;
        wait("the drag to start", || {
            away += 4;
            mouse((self.at.0 - away, self.at.1 - away));
            self.has_said("drag").then_some(())
        });
    }

    /// Moves what was taken over a window, in the small steps a hand makes.
    #[track_caller]
    pub(crate) fn move_over(&self, title: &str) {
        let to = middle_of(title);
        for step in 1..=12 {
            let at = |from: i32, to: i32| from + (to - from) * step / 12;
            mouse((at(self.at.0 - 40, to.0), at(self.at.1 - 40, to.1)));
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

/// What another program has copied, for as long as this value lives.
pub(crate) struct Copied {
    process: Child,
}

impl Copied {
    #[track_caller]
    pub(crate) fn text(text: &str) -> Self {
        Self::start("text", text)
    }

    #[track_caller]
    pub(crate) fn picture(path: &Path) -> Self {
        Self::start(&path.display().to_string(), "")
    }

    /// The text comes over a pipe: what a process is started with can be read by every other.
    #[track_caller]
    fn start(what: &str, input: &str) -> Self {
        let mut process = Command::new("/usr/bin/python3")
            .arg(root().join("tests/window/clipboard.py"))
            .arg(what)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 with GTK's bindings is installed");
        let mut stdin = process.stdin.take().expect("its input");
        stdin.write_all(input.as_bytes()).expect("it reads what to copy");
        drop(stdin);
        let mut said = String::new();
        let stdout = process.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut said).expect("it says when it has copied");
        assert_eq!(said, "copied\n");
        Self { process }
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // Both fail only when it ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Closes a window the way its close button does.
#[track_caller]
pub(crate) fn close_window(title: &str) {
    xdotool(&["windowactivate", "--sync", &id_of(title)]);
    xdotool(&["key", "alt+F4"]);
}

/// Closes it once more, where it is still there: a key that is pressed while the keyboard changes hands goes nowhere.
pub(crate) fn close_window_again(title: &str) {
    let found = output(&["search", "--onlyvisible", "--name", &format!("^{title}$")]);
    for id in found.lines() {
        let arguments = ["windowactivate", "--sync", id, "key", "alt+F4"];
        // It may close while it is looked for.
        let _ = Command::new("xdotool").args(arguments).stdout(Stdio::null()).status();
    }
}

/// Gives a window the keyboard.
#[track_caller]
pub(crate) fn focus_window(title: &str) {
    xdotool(&["windowactivate", "--sync", &id_of(title)]);
}

/// Makes a window this large.
#[track_caller]
pub(crate) fn resize_window(title: &str, width: u32, height: u32) {
    let id = id_of(title);
    xdotool(&["windowmove", &id, "20", "40"]);
    xdotool(&["windowsize", &id, &width.to_string(), &height.to_string()]);
}

/// A picture of a window as it is on the screen.
#[track_caller]
pub(crate) fn shoot_window(title: &str, path: &Path) -> bool {
    let import = Command::new("import").args(["-window", &id_of(title)]).arg(path).status();
    import.expect("imagemagick is installed").success()
}

/// Presses keys on the real keyboard, one after the other.
#[track_caller]
pub(crate) fn press(keys: &[&str]) {
    xdotool(&[&["key", "--delay", "60"], keys].concat());
}

/// Types text on the real keyboard, into whatever has the focus on the screen.
#[track_caller]
pub(crate) fn type_keys(text: &str) {
    xdotool(&["type", "--delay", "20", text]);
}

/// Turns the wheel up over the middle of a window, so many times.
#[track_caller]
pub(crate) fn scroll_up(title: &str, times: u32) {
    mouse(middle_of(title));
    xdotool(&["click", "--repeat", &times.to_string(), "--delay", "30", "4"]);
}

/// A picture of the whole screen, with what the page cannot show.
#[track_caller]
pub(crate) fn shoot_screen(path: &Path) {
    let status = Command::new("import").args(["-window", "root"]).arg(path).status();
    assert!(status.expect("imagemagick is installed").success(), "a picture of the screen");
}

/// ibus with its Hangul engine, typing Hangul from the first key, for programs of the same `Start`.
pub(crate) struct Hangul {
    daemon: Child,
}

impl Hangul {
    #[track_caller]
    pub(crate) fn on(start: &Start) -> Self {
        let settings = start.config().join("glib-2.0/settings");
        std::fs::create_dir_all(&settings).expect("the settings folder");
        let hangul = "[org/freedesktop/ibus/engine/hangul]\ninitial-input-mode='hangul'\n";
        std::fs::write(settings.join("keyfile"), hangul).expect("ibus's settings");
        let daemon = start.command("ibus-daemon").args(["--panel", "disable"]).spawn();
        let hangul = Self { daemon: daemon.expect("ibus is installed") };
        wait("the Hangul engine", || {
            let chosen =
                start.command("ibus").args(["engine", "hangul"]).stderr(Stdio::null()).status();
            chosen.is_ok_and(|status| status.success()).then_some(())
        });
        hangul
    }
}

impl Drop for Hangul {
    fn drop(&mut self) {
        // Both fail only when it ended by itself.
        drop(self.daemon.kill());
        drop(self.daemon.wait());
    }
}

/// The id of the window with this title, before which may stand how many calls wait.
#[track_caller]
fn id_of(title: &str) -> String {
    let pattern = format!(r"^(\([0-9]+\) )?{title}$");
    wait(&format!("a window named {title}"), || {
        let found = output(&["search", "--onlyvisible", "--name", &pattern]);
        found.lines().next_back().map(str::to_owned)
    })
}

#[track_caller]
fn middle_of(title: &str) -> (i32, i32) {
    let text = output(&["getwindowgeometry", "--shell", &id_of(title)]);
    let number = |name: &str| -> i32 {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.and_then(|number| number.parse().ok()).expect("the geometry of a window")
    };
    (number("X") + number("WIDTH") / 2, number("Y") + number("HEIGHT") / 2)
}

#[track_caller]
fn mouse((x, y): (i32, i32)) {
    // Not --sync: that waits for a move, and the pointer may be there already.
    xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
}

#[track_caller]
fn xdotool(arguments: &[&str]) {
    let status = Command::new("xdotool").args(arguments).stdout(Stdio::null()).status();
    assert!(status.expect("xdotool is installed").success(), "xdotool {arguments:?}");
}

#[track_caller]
fn output(arguments: &[&str]) -> String {
    let output = Command::new("xdotool").args(arguments).output().expect("xdotool is installed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
