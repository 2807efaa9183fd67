//! Whatever is to be read is read whole: in the narrowest window, in both languages.

use crate::support::{PAGES, Page, Start, Window, folder};

/// Texts that are wider than their place.
const CUT: &str = include_str!("../support/fitting.js");

impl Window {
    /// Nothing is cut off on what is shown, once it has come to rest.
    #[track_caller]
    fn fits(&self, screen: &str) {
        self.still();
        let cut = self.browser().run(CUT, vec![]);
        assert_eq!(cut, serde_json::json!([]), "cut off on {screen}");
    }

    #[track_caller]
    fn fits_everywhere(&self, size: &str) {
        let at = |screen: &str| self.fits(&format!("{screen}, {size}"));
        self.composer();
        at("a conversation");
        self.keys("Control+i");
        self.control("complementary", "context:label");
        at("the request");
        self.keys("Control+i");
        self.keys("Control+m");
        self.control("tab", "memory:edit.diff");
        at("memory");
        self.keys("Control+m");
        self.composer();
        for part in PAGES.iter().flat_map(|(_, parts)| *parts) {
            self.settings(part);
            at(part);
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
    let start = Start::new(language).argument(project.path());
    start.silt().open_project(project.path());
    let window = start.window();
    window.resize(900, 700);
    window.fits_everywhere("900 pixels wide");
}

#[test]
fn nothing_is_cut_off_in_english() {
    nothing_is_cut_off("en");
}

#[test]
fn nothing_is_cut_off_in_korean() {
    nothing_is_cut_off("ko");
}
