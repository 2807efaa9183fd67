//! Whatever is to be read is read whole: in the narrowest window and with the largest letters, in both languages.

use crate::support::{PAGES, Page, Start, Window, folder, wait};

/// Texts that are wider than their place.
const CUT: &str = include_str!("../support/fitting.js");

/// The narrowest window, in pixels of the screen.
const NARROWEST: u32 = 900;

/// What an answer says that has something of everything.
const ANSWER: &str = "The service listens on port 5433, because 5432 is taken by the old server. Never break the public \
     API. See src/api/refresh_token_rotation_controller.rs and run `cargo test -p refresh-token-rotation`. ";

impl Window {
    /// Nothing is cut off on what is shown, once it has come to rest.
    #[track_caller]
    pub(crate) fn fits(&self, screen: &str) {
        self.still();
        let cut = self.browser().run_async(CUT, vec![]);
        assert_eq!(cut, serde_json::json!([]), "cut off on {screen}");
    }

    /// The same, and everybody can use it.
    #[track_caller]
    fn is_well_made(&self, screen: &str) {
        self.fits(screen);
        assert_eq!(self.axe(), Vec::<String>::new(), "axe on {screen}");
    }

    /// Makes everything larger until the window is as wide as this in its own pixels.
    #[track_caller]
    fn magnify(&self, width: u64) {
        let now = || self.browser().run("return innerWidth", vec![]).as_u64().expect("a width");
        while now() > width {
            let before = now();
            self.keys("Control+=");
            wait("larger letters", || (now() < before).then_some(()));
        }
        assert_eq!(now(), width);
    }

    /// What is there before a project is.
    #[track_caller]
    fn fits_at_the_start(&self, size: &str, look: fn(&Self, &str)) {
        let at = |screen: &str| look(self, &format!("{screen}, {size}"));
        self.control("button", "start:talk");
        at("the first screen");
        self.ways_to_connect();
        at("the ways to connect");
    }

    #[track_caller]
    fn fits_everywhere(&self, size: &str, look: fn(&Self, &str)) {
        let at = |screen: &str| look(self, &format!("{screen}, {size}"));
        self.composer();
        at("a conversation");
        self.keys("Control+i");
        self.control("complementary", "context:label");
        at("the request");
        self.keys("Control+Shift+s");
        self.control("combobox", "summaries:policy");
        at("the summaries");
        self.keys("Control+Shift+s");
        self.gone("complementary", &self.word("context:label"));
        self.keys("Control+f");
        self.control("textbox", "talk:find.field");
        at("what is looked for");
        self.keys("Escape");
        self.keys("Control+m");
        self.control("tab", "memory:edit.diff");
        at("memory");
        self.keys("Control+m");
        self.composer();
        self.keys("Control+Shift+h");
        self.control("heading", "rail:checkpoints");
        at("the checkpoints");
        self.keys("Control+Shift+h");
        self.composer();
        self.keys("Control+t");
        self.control("region", "today:stopped.title");
        at("the Today page");
        self.keys("Control+t");
        self.composer();
        self.keys("Control+k");
        self.control("combobox", "palette:title");
        at("the palette");
        self.dismiss();
        self.keys("Control+Shift+f");
        self.control("searchbox", "search:field");
        at("the search");
        self.dismiss();
        self.keys("Control+Shift+a");
        self.control("heading", "vault:title");
        at("sessions of agents");
        self.keys("Control+Shift+a");
        self.composer();
    }

    /// Every page of the settings, with all the parts that are on it, and the keys.
    #[track_caller]
    fn fits_in_dialogs(&self, size: &str, look: fn(&Self, &str)) {
        let at = |screen: &str| look(self, &format!("{screen}, {size}"));
        for (page, parts) in PAGES {
            self.settings(parts[0]);
            at(&format!("the settings of {page}"));
        }
        self.dismiss();
        self.keys("Control+/");
        self.control("dialog", "shell:keys.title");
        at("the keys");
        self.dismiss();
    }
}

fn nothing_is_cut_off(language: &'static str) {
    let project = folder::project();
    let start = Start::new(language);
    let window = start.window();
    window.resize(NARROWEST, 700);
    let usual = format!("{NARROWEST} pixels wide");
    window.fits_at_the_start(&usual, Window::is_well_made);
    let larger = format!("{usual}, at 150 %");
    window.magnify(600);
    window.fits_at_the_start(&larger, Window::fits);
    window.keys("Control+0");
    window.start_again(project.path());
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    window.resize(NARROWEST, 700);
    let sheet = window.the("dialog", &name);
    window.fits(&format!("what a folder brings, {usual}"));
    sheet.the("button", &window.word("drop:trust")).click();
    window.composer();
    window.ask(ANSWER);
    window.fits_everywhere(&usual, Window::is_well_made);
    window.fits_in_dialogs(&usual, Window::is_well_made);
    window.magnify(600);
    window.fits_everywhere(&larger, Window::fits);
    window.fits_in_dialogs(&larger, Window::is_well_made);
}

#[test]
fn nothing_is_cut_off_in_english() {
    nothing_is_cut_off("en");
}

#[test]
fn nothing_is_cut_off_in_korean() {
    nothing_is_cut_off("ko");
}
