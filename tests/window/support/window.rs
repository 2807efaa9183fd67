//! The program under test: its window, its data folder, and the ways it starts and ends.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::browser::Browser;
use super::page::{Found, Page};
use super::silt::Silt;
use super::{built, wait, words};

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
        let mut start =
            Self { language, arguments: Vec::new(), environment: HashMap::new(), home };
        let locale = if language == "ko" { "ko_KR.UTF-8" } else { "en_US.UTF-8" };
        start = start.set("LANG", locale).set("LC_ALL", locale).set("LANGUAGE", language);
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

    /// Adds an argument, such as a folder to open.
    pub(crate) fn argument(mut self, argument: &Path) -> Self {
        self.arguments.push(argument.display().to_string());
        self
    }

    /// The data folder, to prepare before the start.
    pub(crate) fn data(&self) -> PathBuf {
        self.home.path().join("data-folder")
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

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.start.data()
    }

    /// Starts the program once more beside the running one, and waits until it ended.
    #[track_caller]
    pub(crate) fn start_again(&self, argument: &Path) {
        let status = Command::new(built("siltstone"))
            .arg(argument)
            .envs(&self.start.environment)
            .stdin(Stdio::null())
            .status();
        assert!(status.expect("the program starts").success(), "a second start ends well");
    }

    /// Kills the program with a signal it cannot see.
    #[track_caller]
    pub(crate) fn kill(&mut self) {
        let programs = self.programs();
        assert!(!programs.is_empty(), "there is a program to kill");
        for pid in programs {
            kill(pid);
        }
        self.browser = None;
    }

    /// Closes the window as a person does, and waits until the program ended.
    #[track_caller]
    pub(crate) fn close(&mut self) {
        super::desktop::close_window("Siltstone");
        wait("the program to end", || self.programs().is_empty().then_some(()));
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
        let browser = self.browser();
        browser
            .block(browser.client().set_window_rect(0, 0, width, height))
            .expect("the window can be resized");
        wait(&format!("a width of {width}"), || {
            let now = browser.run("return innerWidth", vec![]);
            (now.as_u64() == Some(u64::from(width))).then_some(())
        });
    }

    /// Saves what the window shows, once nothing moves.
    #[track_caller]
    pub(crate) fn shoot(&self, name: &str) {
        self.still();
        self.browser().shoot(name);
    }

    /// Waits until what was asked for is drawn and no transition runs.
    #[track_caller]
    pub(crate) fn still(&self) {
        self.browser().run_async(
            "const done = arguments[arguments.length - 1];
             const moving = () => document.getAnimations().some((animation) =>
               animation.playState === 'running' &&
               Number.isFinite(animation.effect.getComputedTiming().endTime));
             const look = () => requestAnimationFrame(() => moving() ? look() : done(null));
             document.fonts.ready.then(() => requestAnimationFrame(look));",
            vec![],
        );
    }

    /// Waits for the first screen.
    #[track_caller]
    fn settled(&self) {
        wait("the first screen", || {
            let ready = self.browser().try_run(
                "return document.querySelector('main') !== null && document.body.innerText.trim() !== ''",
                vec![],
            );
            ready.is_ok_and(|ready| ready == true).then_some(())
        });
    }

    /// The running programs over this data folder.
    fn programs(&self) -> Vec<u32> {
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
        if std::thread::panicking() && self.browser.is_some() {
            // A picture of how it went wrong; the page may be gone, then there is none.
            let name = std::thread::current().name().unwrap_or("story").replace("::", "-");
            let browser = self.browser();
            let picture = browser.within(Duration::from_secs(5), browser.client().screenshot());
            if let Some(Ok(png)) = picture {
                drop(std::fs::write(super::picture(&format!("failed-{name}")), png));
            }
        }
        self.browser = None;
        for pid in self.programs() {
            kill(pid);
        }
    }
}

#[track_caller]
fn open(start: &Start) -> Browser {
    let arguments: Vec<&str> = start.arguments.iter().map(String::as_str).collect();
    Browser::start(&built("siltstone"), &arguments, &start.environment)
}

fn kill(pid: u32) {
    // It may have ended by itself in the meantime.
    drop(Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status());
}
