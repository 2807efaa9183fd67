//! Looking at the page and using it: things are found by role and name, as a person or a screen reader would.

use super::browser::Browser;
use super::found::{Found, find, seen};
use super::{key, root, wait};
use fantoccini::actions::{InputSource, KeyAction, KeyActions};

/// A page somebody can look at and use.
pub(crate) trait Page {
    /// The session it is shown in.
    fn browser(&self) -> &Browser;

    /// Everything with this role and name that can be seen now.
    #[track_caller]
    fn all(&self, role: &str, name: &str) -> Vec<Found<'_>> {
        find(self.browser(), role, Some(name), false, None)
    }

    /// Everything with this role whose name fits a pattern.
    #[track_caller]
    fn all_like(&self, role: &str, pattern: &str) -> Vec<Found<'_>> {
        find(self.browser(), role, Some(pattern), true, None)
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

    /// Whether a dialog or a popover lies over the page. A toast is none.
    #[track_caller]
    fn is_covered(&self) -> bool {
        let script =
            "return [...document.querySelectorAll('dialog, [role=dialog]:not([data-toast])')]
            .some((one) => one.checkVisibility({ visibilityProperty: true }))";
        self.browser().run(script, vec![]) == true
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
        let keys: Vec<char> = chord.split('+').map(key::named).collect();
        if keys.len() > 1 {
            // A list or a dialog that is on its way out has the keys for itself.
            self.still();
        }
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

    /// Waits until what was asked for is drawn and no transition runs.
    #[track_caller]
    fn still(&self) {
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

    /// Chooses an option of a list that opens, by its words.
    #[track_caller]
    fn choose_in(&self, list: &Found<'_>, option: &str) {
        self.choose_by(list, "option", || self.all("option", option).into_iter().next());
    }

    /// As `choose_in`, by a pattern.
    #[track_caller]
    fn choose_like(&self, list: &Found<'_>, option: &str) {
        self.choose_by(list, "option", || self.all_like("option", option).into_iter().next());
    }

    /// As `choose_in`, without the mouse.
    #[track_caller]
    fn choose_by_keys(&self, list: &Found<'_>, option: &str) {
        list.focus();
        self.keys("Enter");
        let wanted = self.the("option", option);
        self.still();
        self.keys("Home");
        wait(&format!("the option “{option}” under the keys"), || {
            let there = wanted.tell("return arguments[0].hasAttribute('data-highlighted')") == true;
            if !there {
                self.keys("Down");
            }
            there.then_some(())
        });
        self.keys("Enter");
        self.gone("option", option);
    }

    /// Chooses an item of a menu that opens.
    #[track_caller]
    fn choose_of_menu(&self, menu: &Found<'_>, item: &str) {
        self.choose_by(menu, "menuitem", || self.all("menuitem", item).into_iter().next());
    }

    /// Opens what a control opens, and chooses there. A mouse button that is held long, as on a busy machine, opens a
    /// list and closes it again when it is let go: that is right, and the list is opened once more.
    #[track_caller]
    fn choose_by<'a>(
        &'a self,
        opener: &Found<'_>,
        role: &str,
        mut choice: impl FnMut() -> Option<Found<'a>>,
    ) {
        let is_open = || opener.tell("return arguments[0].ariaExpanded") == "true";
        let what = format!("{role} to choose; {}", seen(self.browser()));
        let chosen = wait(&what, || {
            if !is_open() {
                opener.click();
            }
            // Open, or closed again.
            self.still();
            choice()
        });
        chosen.click();
        // What opened it may be gone with what was chosen.
        let open =
            "return [...document.querySelectorAll('[role=menu], [role=listbox]')].some((list) =>
            !list.closest('[hidden], [data-in-page]'))";
        wait("the list to close", || (self.browser().run(open, vec![]) == false).then_some(()));
    }

    /// What axe finds wrong on the page: empty when it is clean.
    #[track_caller]
    fn axe(&self) -> Vec<String> {
        self.still();
        let axe = std::fs::read_to_string(root().join("ui/node_modules/axe-core/axe.min.js"))
            .expect("the UI's packages are installed");
        // Axe reads over many pictures, and a toast may come or go by its own clock in between: while it reads, what moves
        // is at its end at once, so that no colour is measured half way.
        let script = format!(
            "const done = arguments[arguments.length - 1];
             if (!window.axe) {{ {axe} }}
             const ended = new CSSStyleSheet();
             ended.replaceSync('*, ::before, ::after {{ transition: none !important; animation: none !important }}');
             document.adoptedStyleSheets.push(ended);
             window.axe.run(document, {{ resultTypes: ['violations'] }}).then(
               (found) => found.violations.flatMap((rule) => rule.nodes.map((node) =>
                 `${{rule.id}}: ${{rule.help}}: ${{node.target.join(' ')}}: ${{node.html}}: ${{node.failureSummary}}`)),
               (error) => [`axe failed: ${{error}}`]).then((found) => {{
                 document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== ended);
                 done(found);
               }})"
        );
        let found = self.browser().run_async(&script, vec![]);
        serde_json::from_value(found).expect("axe's list of violations")
    }
}
