//! The first start, in both languages and themes: what this is for can be told from this one picture.

use crate::support::{Page, Window};

#[test]
fn the_first_start_speaks_the_systems_language() {
    for language in ["en", "ko"] {
        let window = Window::first(language);
        window.reads(&window.word("start:drop"));
        window.control("button", "start:open");
        let shown = window.browser().run("return document.documentElement.lang", vec![]);
        assert_eq!(shown, language);
        for theme in ["light", "dark"] {
            window.choose("theme", theme);
            window.dismiss();
            window.resize(1280, 820);
            window.is_sound("start", &format!("{language}-{theme}"));
        }
    }
}
