//! Keys by their names.

use fantoccini::key::Key;

/// The key that a chord calls so: one with a name, or the one of a character.
#[track_caller]
pub(super) fn named(name: &str) -> char {
    let key = match name {
        "Control" => Key::Control,
        "Shift" => Key::Shift,
        "Alt" => Key::Alt,
        "Enter" => Key::Enter,
        "Escape" => Key::Escape,
        "Tab" => Key::Tab,
        "Delete" => Key::Delete,
        "Left" => Key::Left,
        "Right" => Key::Right,
        "Up" => Key::Up,
        "Down" => Key::Down,
        "Home" => Key::Home,
        "End" => Key::End,
        "F6" => Key::F6,
        other => {
            return other
                .chars()
                .next()
                .expect("a chord names its keys: Control++ is Control+Plus");
        }
    };
    char::from(key)
}
