//! The first start, in both languages.

use crate::support::{Page, Window};

#[test]
fn the_first_start_speaks_the_systems_language() {
    for language in ["en", "ko"] {
        let window = Window::first(language);
        window.reads(&window.word("start:drop"));
        window.control("button", "start:open");
        let shown = window.browser().run("return document.documentElement.lang", vec![]);
        assert_eq!(shown, language);
        window.shoot(&format!("story-start-{language}"));
        assert_eq!(window.axe(), Vec::<String>::new(), "axe on the start screen, {language}");
    }
}
