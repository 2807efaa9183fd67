//! The first start, in both languages.

use crate::support::{Page, Window};

#[test]
fn the_first_start_speaks_the_systems_language() {
    for language in ["en", "ko"] {
        let window = Window::first(language);
        eprintln!("{}", window.text());
        window.shoot(&format!("story-start-{language}"));
        assert_eq!(window.axe(), Vec::<String>::new(), "axe on the start screen, {language}");
    }
}
