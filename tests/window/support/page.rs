//! Looking at the page and using it: things are found by role and name, as a person or a screen reader would.

use fantoccini::actions::{InputSource, KeyAction, KeyActions, MouseActions, PointerAction};
use fantoccini::elements::{Element, ElementRef};
use fantoccini::key::Key;
use serde_json::{Value, json};

use std::time::Instant;

use super::browser::Browser;
use super::{PATIENCE, root, wait};

/// Where WebDriver puts the id of an element (the standard's own constant).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A page somebody can look at and use.
pub(crate) trait Page {
    /// The session it is shown in.
    fn browser(&self) -> &Browser;

    /// Everything with this role and name that can be seen now.
    #[track_caller]
    fn all(&self, role: &str, name: &str) -> Vec<Found<'_>> {
        find(self.browser(), role, Some(name), false, &Value::Null)
    }

    /// Everything with this role whose name fits a pattern.
    #[track_caller]
    fn all_like(&self, role: &str, pattern: &str) -> Vec<Found<'_>> {
        find(self.browser(), role, Some(pattern), true, &Value::Null)
    }

    /// Waits for the thing with this role and name.
    #[track_caller]
    fn the(&self, role: &str, name: &str) -> Found<'_> {
        wait(&format!("{role} “{name}”; {}", seen(self.browser())), || {
            self.all(role, name).into_iter().next()
        })
    }

    /// Waits for a thing with this role whose name fits a pattern.
    #[track_caller]
    fn like(&self, role: &str, pattern: &str) -> Found<'_> {
        wait(&format!("{role} like /{pattern}/; {}", seen(self.browser())), || {
            self.all_like(role, pattern).into_iter().next()
        })
    }

    /// Waits until nothing with this role and name can be seen.
    #[track_caller]
    fn gone(&self, role: &str, name: &str) {
        wait(&format!("no {role} “{name}”"), || self.all(role, name).is_empty().then_some(()));
    }

    /// Whether a text can be read anywhere on the page.
    #[track_caller]
    fn shows(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Waits until a text can be read on the page.
    #[track_caller]
    fn reads(&self, text: &str) {
        wait(&format!("the text “{text}”; {}", seen(self.browser())), || {
            self.shows(text).then_some(())
        });
    }

    /// All text on the page.
    #[track_caller]
    fn text(&self) -> String {
        let text = self.browser().run("return document.body?.innerText ?? ''", vec![]);
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Presses keys where the focus is: `keys("Control+k")`, `keys("F6")`.
    #[track_caller]
    fn keys(&self, chord: &str) {
        let keys: Vec<char> = chord.split('+').map(key).collect();
        let mut actions = KeyActions::new("keys".to_owned());
        for &value in &keys {
            actions = actions.then(KeyAction::Down { value });
        }
        for &value in keys.iter().rev() {
            actions = actions.then(KeyAction::Up { value });
        }
        let browser = self.browser();
        browser.block(browser.client().perform_actions(actions)).expect("keys can be pressed");
    }

    /// Types text where the focus is.
    #[track_caller]
    fn type_text(&self, text: &str) {
        let active = self.browser().block(self.browser().client().active_element());
        let active = active.expect("something has the focus");
        self.browser().block(active.send_keys(text)).expect("text can be typed");
    }

    /// What axe finds wrong on the page: empty when it is clean.
    #[track_caller]
    fn axe(&self) -> Vec<String> {
        let axe = std::fs::read_to_string(root().join("ui/node_modules/axe-core/axe.min.js"))
            .expect("the UI's packages are installed");
        let script = format!(
            "const done = arguments[arguments.length - 1];
             if (!window.axe) {{ {axe} }}
             window.axe.run(document, {{ resultTypes: ['violations'] }}).then(
               (found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) =>
                 `${{rule.id}}: ${{rule.help}}: ${{node.target.join(' ')}}: ${{node.failureSummary}}`))),
               (error) => done([`axe failed: ${{error}}`]))"
        );
        let found = self.browser().run_async(&script, vec![]);
        serde_json::from_value(found).expect("axe's list of violations")
    }
}

/// Something that was found on the page.
pub(crate) struct Found<'a> {
    browser: &'a Browser,
    element: Element,
    raw: Value,
}

impl<'a> Found<'a> {
    /// Clicks it with the mouse, once nothing moves over it any more.
    #[track_caller]
    pub(crate) fn click(&self) {
        let seen = seen(self.browser);
        let started = Instant::now();
        // While rows are measured and moved, the driver finds an element in sight to be out of it.
        while let Err(error) = self.browser.block(self.element.click()) {
            assert!(started.elapsed() < PATIENCE, "cannot be clicked: {error:?}; {seen}");
        }
    }

    /// Moves the mouse over it.
    #[track_caller]
    pub(crate) fn hover(&self) {
        let element = self.element.clone();
        let over = PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 };
        let actions = MouseActions::new("mouse".to_owned()).then(over);
        self.browser.block(self.browser.client().perform_actions(actions)).expect("a mouse");
    }

    /// Types into it.
    #[track_caller]
    pub(crate) fn type_text(&self, text: &str) {
        self.browser.block(self.element.send_keys(text)).expect("text can be typed");
    }

    /// Presses Enter in it.
    #[track_caller]
    pub(crate) fn enter(&self) {
        self.type_text(&String::from(char::from(Key::Enter)));
    }

    /// Its text as it is shown.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        self.tell("return arguments[0].innerText").as_str().unwrap_or_default().to_owned()
    }

    /// What a field holds.
    #[track_caller]
    pub(crate) fn value(&self) -> String {
        self.tell("return arguments[0].value").as_str().unwrap_or_default().to_owned()
    }

    /// What a script says about it; it is `arguments[0]`.
    #[track_caller]
    pub(crate) fn tell(&self, script: &str) -> Value {
        self.browser.run(script, vec![self.raw.clone()])
    }

    /// Everything inside it with this role and name.
    #[track_caller]
    pub(crate) fn all(&self, role: &str, name: &str) -> Vec<Found<'a>> {
        find(self.browser, role, Some(name), false, &self.raw)
    }

    /// Everything inside it with this role.
    #[track_caller]
    pub(crate) fn every(&self, role: &str) -> Vec<Found<'a>> {
        find(self.browser, role, None, false, &self.raw)
    }

    /// Waits for the thing inside it with this role and name.
    #[track_caller]
    pub(crate) fn the(&self, role: &str, name: &str) -> Found<'a> {
        wait(&format!("{role} “{name}” inside; {}", seen(self.browser)), || {
            self.all(role, name).into_iter().next()
        })
    }
}

#[track_caller]
fn find<'a>(
    browser: &'a Browser,
    role: &str,
    name: Option<&str>,
    pattern: bool,
    within: &Value,
) -> Vec<Found<'a>> {
    let script = include_str!("page.js");
    // What was looked in may just have been drawn anew: then there is nothing in it, and the caller asks again.
    let found = browser
        .try_run(script, vec![json!(role), json!(name), json!(pattern), within.clone()])
        .unwrap_or_default();
    let found = found.as_array().cloned().unwrap_or_default();
    let element = |raw: Value| {
        let id = raw.get(ELEMENT)?.as_str()?.to_owned();
        let element = Element::from_element_id(browser.client().clone(), ElementRef::from(id));
        Some(Found { browser, element, raw })
    };
    found.into_iter().filter_map(element).collect()
}

/// What the page shows, for a story that fails.
fn seen(browser: &Browser) -> String {
    let text = browser.try_run("return document.body?.innerText ?? ''", vec![]);
    let text = text.map_or_else(|error| error, |text| text.as_str().unwrap_or_default().to_owned());
    format!("before that the page read:\n{text}\n")
}

fn key(name: &str) -> char {
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
