//! The program under test: its window, its data folder, and the ways it starts and ends.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use super::browser::{Browser, LOG};
use super::found::Found;
use super::keyring::Keyring;
use super::page::Page;
use super::silt::Silt;
use super::{PRESS_AGAIN, built, desktop, root, wait, words};

/// What the window manager shows above the window.
pub(crate) const TITLE: &str = "Siltstone";

/// Lets each answer of the program reach the page up to half a second late, by chance of a seed: what a slow machine shows
/// once in a hundred runs is seen at once. `LATE=seed scripts/window.sh` asks for it.
const LATE: &str = "
    const ask = window.fetch;
    let state = arguments[0];
    const below = (most) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return (state / 2 ** 32) * most;
    };
    window.fetch = async (...what) => {
        const answer = await ask.call(window, ...what);
        await new Promise((done) => setTimeout(done, below(500)));
        return answer;
    };";

/// How a program is to be started.
pub(crate) struct Start {
    language: &'static str,
    arguments: Vec<String>,
    environment: HashMap<OsString, OsString>,
    home: TempDir,
}

impl Start {
    /// A machine that speaks a language (`ko` or `en`), where the program was never started.
    pub(crate) fn new(language: &'static str) -> Self {
        let home = tempfile::tempdir().expect("a folder for the program's data");
        let mut start = Self { language, arguments: Vec::new(), environment: HashMap::new(), home };
        // LANGUAGE alone: the locale itself need not be generated on the machine that tests.
        start = start.set("LANG", "C.UTF-8").set("LANGUAGE", language);
        let data = start.data();
        start = start.set("SILTSTONE_DATA_DIR", data);
        // The size of the window and the webview's own files stay out of the other stories too.
        for name in ["CONFIG", "DATA", "CACHE", "STATE"] {
            let folder = start.home.path().join(name.to_lowercase());
            start = start.set(&format!("XDG_{name}_HOME"), folder);
        }
        start
    }

    /// Adds a variable to the program's environment.
    pub(crate) fn set(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// In a session with this keyring.
    pub(crate) fn with(self, keyring: &Keyring) -> Self {
        self.set("DBUS_SESSION_BUS_ADDRESS", keyring.address())
    }

    /// In a session without a bus, so without a keyring.
    pub(crate) fn without_keyring(self) -> Self {
        self.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    }

    /// A program of the desktop with the environment that the program under test has.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.envs(&self.environment).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// The folder of the machine's settings.
    pub(crate) fn config(&self) -> PathBuf {
        self.home.path().join("config")
    }

    /// Adds an argument, such as a folder to open.
    pub(crate) fn argument(mut self, argument: &Path) -> Self {
        self.arguments.push(argument.display().to_string());
        self
    }

    /// The data folder, to prepare before the start.
    pub(crate) fn data(&self) -> PathBuf {
        self.home.path().join("data-folder")
    }

    /// What the program says on standard error.
    fn log(&self) -> PathBuf {
        self.home.path().join(LOG)
    }

    /// The command line over the same data.
    pub(crate) fn silt(&self) -> Silt {
        Silt::over(self.data())
    }

    /// Starts the program and waits for its window.
    #[track_caller]
    pub(crate) fn window(self) -> Window {
        let browser = open(&self);
        let window = Window { start: self, browser: Some(browser) };
        window.settled();
        window
    }
}

/// The program's window.
pub(crate) struct Window {
    start: Start,
    browser: Option<Browser>,
}

impl Page for Window {
    fn browser(&self) -> &Browser {
        self.browser.as_ref().expect("the program runs")
    }
}

impl Window {
    /// The window of a program that is started with nothing but a language.
    #[track_caller]
    pub(crate) fn first(language: &'static str) -> Self {
        Start::new(language).window()
    }

    /// The interface's words in the language it speaks.
    #[track_caller]
    pub(crate) fn word(&self, key: &str) -> String {
        words::word(self.start.language, key)
    }

    /// As `word`, with what stands between braces.
    #[track_caller]
    pub(crate) fn phrase(&self, key: &str, with: &[(&str, &str)]) -> String {
        with.iter().fold(self.word(key), |text, (name, value)| {
            text.replace(&format!("{{{{{name}}}}}"), value)
        })
    }

    /// What is said of one thing.
    #[track_caller]
    pub(crate) fn of_one(&self, key: &str) -> String {
        // Korean says the same of one and of many.
        let form = if self.start.language == "ko" { "other" } else { "one" };
        self.phrase(&format!("{key}_{form}"), &[("count", "1")])
    }

    /// Says which language the window speaks from now on.
    pub(crate) fn speaks(&mut self, language: &'static str) {
        self.start.language = language;
    }

    /// The control with this role and these words.
    #[track_caller]
    pub(crate) fn control(&self, role: &str, key: &str) -> Found<'_> {
        self.the(role, &self.word(key))
    }

    /// The command line over the same data.
    pub(crate) fn silt(&self) -> Silt {
        self.start.silt()
    }

    /// A program of the desktop with the environment that the program under test has.
    pub(crate) fn beside(&self, program: &str) -> Command {
        self.start.command(program)
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.start.data()
    }

    /// Everything that this start may write to: the data folder, the webview's own, what it says, where it runs.
    pub(crate) fn home(&self) -> &Path {
        self.start.home.path()
    }

    /// Starts the program once more beside the running one, and waits until it ended.
    #[track_caller]
    pub(crate) fn start_again(&self, argument: &Path) {
        let status = Command::new(built("siltstone"))
            .arg(argument)
            .envs(&self.start.environment)
            .stdin(Stdio::null())
            .status();
        let status = status.expect("the program starts");
        assert!(status.success(), "a second start ends with {status}");
    }

    /// Kills the program with a signal it cannot see.
    #[track_caller]
    pub(crate) fn kill(&mut self) {
        assert!(!self.programs().is_empty(), "there is a program to kill");
        self.end_with("KILL");
        self.browser = None;
    }

    /// Crashes the program where it stands, and waits until it has ended.
    #[track_caller]
    pub(crate) fn crash(&mut self) {
        assert!(!self.programs().is_empty(), "there is a program to crash");
        self.end_with("ABRT");
        self.browser = None;
    }

    /// Ends the program by a signal, and waits until nothing of it is left: one that is started meanwhile would take it
    /// for running, and hand over to it.
    #[track_caller]
    fn end_with(&self, name: &str) {
        let programs = self.programs();
        for &pid in &programs {
            signal(pid, name);
        }
        wait("the program to end", || programs.iter().all(|&pid| has_ended(pid)).then_some(()));
    }

    /// Closes the window as a person does, and waits until the program ended.
    #[track_caller]
    pub(crate) fn close(&mut self) {
        let programs = self.programs();
        desktop::close_window(TITLE);
        let mut pressed = Instant::now();
        wait("the program to end", || {
            if pressed.elapsed() > PRESS_AGAIN {
                desktop::close_window_again(TITLE);
                pressed = Instant::now();
            }
            programs.iter().all(|&pid| has_ended(pid)).then_some(())
        });
        self.browser = None;
    }

    /// Starts the program again over the same data.
    #[track_caller]
    pub(crate) fn reopen(&mut self) {
        self.browser = None;
        self.browser = Some(open(&self.start));
        self.settled();
    }

    /// Makes the window this large.
    #[track_caller]
    pub(crate) fn resize(&self, width: u32, height: u32) {
        desktop::resize_window(TITLE, width, height);
        let mut asked = Instant::now();
        wait(&format!("a width of {width}"), || {
            if asked.elapsed() > PRESS_AGAIN {
                // The window manager may have been busy with the window's first place.
                desktop::resize_window(TITLE, width, height);
                asked = Instant::now();
            }
            let now = self.browser().run("return innerWidth", vec![]);
            (now.as_u64() == Some(u64::from(width))).then_some(())
        });
    }

    /// Chooses an option in the settings, and leaves them open: `choose("theme", "dark")`.
    #[track_caller]
    pub(crate) fn choose(&self, setting: &str, option: &str) {
        if self.all("dialog", &self.word("settings:title")).is_empty() {
            self.keys("Control+,");
        }
        let list = self.control("combobox", &format!("settings:general.{setting}"));
        self.choose_in(&list, &self.word(&format!("settings:general.{option}")));
    }

    /// Closes what lies over the window.
    #[track_caller]
    pub(crate) fn dismiss(&self) {
        self.still();
        self.keys("Escape");
        let mut pressed = Instant::now();
        wait("nothing over the window", || {
            let covered = self.is_covered();
            if covered && pressed.elapsed() > PRESS_AGAIN {
                self.keys("Escape");
                pressed = Instant::now();
            }
            (!covered).then_some(())
        });
    }

    /// Saves what the window shows, once nothing moves.
    #[track_caller]
    pub(crate) fn shoot(&self, name: &str) {
        self.still();
        // From the screen, not from the driver: with software rendering that never answers.
        assert!(desktop::shoot_window(TITLE, &super::picture(name)), "a picture of the window");
    }

    /// Leaves how it went wrong where `scripts/window.sh` says, or under `target/failed/`: the screen, the page's text, and
    /// what the program said. The page comes last, because its driver may be what no longer answers.
    fn leave_traces(&self) {
        let folder = std::env::var_os("SILTSTONE_FAILED");
        let folder = folder.map_or_else(|| root().join("target/failed"), PathBuf::from);
        let written = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::copy(self.start.log(), folder.join("program.log")));
        if let Err(error) = written {
            eprintln!("no log of the program: {error}");
        }
        desktop::shoot_screen(&folder.join("screen.png"));
        let text =
            self.browser.as_ref().map(|it| it.try_run("return document.body.innerText", vec![]));
        if let Some(Ok(text)) = text {
            let text = text.as_str().unwrap_or_default();
            drop(std::fs::write(folder.join("page.txt"), text));
        }
    }

    /// Waits for the first screen. What is drawn before it only says that the program starts, and hears no keys.
    #[track_caller]
    fn settled(&self) {
        wait("the first screen", || {
            let ready = self.browser().try_run(
                "const main = document.querySelector('main[data-region]');
                 return main !== null && main.innerText.trim() !== ''",
                vec![],
            );
            ready.is_ok_and(|ready| ready == true).then_some(())
        });
        if let Some(seed) = std::env::var("LATE").ok().and_then(|seed| seed.parse::<u32>().ok()) {
            self.browser().run(LATE, vec![seed.into()]);
        }
        self.still();
    }

    /// The running programs over this data folder.
    pub(crate) fn programs(&self) -> Vec<u32> {
        let program = built("siltstone");
        let mark = format!("SILTSTONE_DATA_DIR={}", self.data().display()).into_bytes();
        let is_ours = |pid: &u32| {
            let folder = PathBuf::from(format!("/proc/{pid}"));
            let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
            std::fs::read_link(folder.join("exe")).is_ok_and(|path| path == program)
                && environment.split(|byte| *byte == 0).any(|entry| entry == mark)
        };
        let entries = std::fs::read_dir("/proc").expect("Linux has /proc").flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(is_ours).collect()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.leave_traces();
        }
        if std::thread::panicking() {
            for pid in self.programs() {
                signal(pid, "KILL");
            }
        } else {
            self.end_with("KILL");
        }
        self.browser = None;
    }
}

#[track_caller]
fn open(start: &Start) -> Browser {
    let arguments: Vec<&str> = start.arguments.iter().map(String::as_str).collect();
    let program = built("siltstone");
    Browser::start(&program, &arguments, &start.environment, start.home.path())
}

/// Whether a process holds nothing any more: it is gone, or its parent alone has not heard yet that it is.
fn has_ended(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name, which stands in brackets and may hold some.
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_none_or(|state| matches!(state, 'Z' | 'X'))
}

fn signal(pid: u32, name: &str) {
    // It may have ended by itself in the meantime.
    let arguments = [format!("-{name}"), pid.to_string()];
    drop(Command::new("kill").args(arguments).stderr(Stdio::null()).status());
}
