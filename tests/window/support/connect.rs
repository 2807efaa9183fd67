//! Connecting models in the window: what Start and the settings' page of models both show.

use std::time::Instant;

use super::desktop::Copied;
use super::found::Found;
use super::page::Page;
use super::window::Window;
use super::{PRESS_AGAIN, wait};

/// The pages of the settings, each with its parts, as `ui/src/app/actions/navigation.ts` has them.
pub(crate) const PAGES: [(&str, &[&str]); 8] = [
    ("general", &["general"]),
    ("models", &["models", "tasks", "spending"]),
    ("tools", &["tools", "servers"]),
    ("memory", &["memory", "summaries", "recall"]),
    ("folders", &["projects", "checkpoints", "remotes"]),
    ("privacy", &["privacy", "network", "left"]),
    ("shortcuts", &["shortcuts"]),
    ("data", &["data", "about"]),
];

impl Window {
    /// On the first screen the ways to connect are behind a door; in the settings they are there at once.
    #[track_caller]
    pub(crate) fn ways_to_connect(&self) {
        let ways = self.word("keys:connect.elsewhere");
        let door = self.word("start:connect");
        wait("the ways to connect a model", || {
            if !self.all("button", &ways).is_empty() {
                return Some(());
            }
            if let Some(door) = self.all("button", &door).first() {
                door.click();
            }
            None
        });
    }

    /// Pastes a key into the field for keys.
    #[track_caller]
    pub(crate) fn paste_key(&self, label: &str, key: &str) {
        self.ways_to_connect();
        let _copied = Copied::text(key);
        let field = self.control("textbox", label);
        let paste = || {
            field.click();
            self.keys("Control+a");
            self.keys("Control+v");
            Instant::now()
        };
        let mut pasted = paste();
        wait("the key in its field", || {
            if pasted.elapsed() > PRESS_AGAIN {
                pasted = paste();
            }
            (field.value() == key).then_some(())
        });
    }

    /// The words for a provider of the OpenAI format.
    #[track_caller]
    pub(crate) fn compatible(&self) -> String {
        self.word("keys:compatible")
    }

    /// Says that the provider is at this address.
    #[track_caller]
    pub(crate) fn at_address(&self, format: &str, base_url: &str) {
        self.ways_to_connect();
        self.control("button", "keys:connect.elsewhere").click();
        self.choose_in(&self.control("combobox", "keys:connect.kind"), format);
        let field = self.control("textbox", "keys:connect.url");
        field.type_text(base_url);
        wait("the whole address", || (field.value() == base_url).then_some(()));
    }

    /// Connects a server that wants no key, and makes its first model the default.
    #[track_caller]
    pub(crate) fn connect(&self, format: &str, base_url: &str) {
        self.at_address(format, base_url);
        self.control("button", "keys:connect.test").click();
        self.use_tested();
    }

    /// Makes the model of a provider that was just tested the default.
    #[track_caller]
    pub(crate) fn use_tested(&self) {
        self.control("button", "keys:connect.use").click();
        self.control("button", "keys:connect.inUse");
    }

    /// Opens the settings at a part of a page: by its tab, or, where everything is so large that there is no room for
    /// tabs, from a list. There by keys: of what is magnified the driver's mouse misses the place.
    #[track_caller]
    pub(crate) fn settings(&self, part: &str) -> Found<'_> {
        if self.all("dialog", &self.word("settings:title")).is_empty() {
            self.keys("Control+,");
        }
        let (page, parts) =
            PAGES.iter().find(|(_, parts)| parts.contains(&part)).expect("a part of the settings");
        let page = self.word(&format!("settings:pages.{page}"));
        let list = self.word("settings:page");
        let (tab, list) = wait("the pages of the settings", || {
            let tab = self.all("tab", &page).pop();
            let list = self.all("combobox", &list).pop();
            (tab.is_some() || list.is_some()).then_some((tab, list))
        });
        if let Some(tab) = &tab {
            tab.click();
        } else if let Some(list) = &list {
            self.choose_by_keys(list, &page);
        }
        let panel = self.the(if tab.is_some() { "tabpanel" } else { "group" }, &page);
        if parts.len() == 1 {
            return panel;
        }
        let name = self.word(&format!("settings:tabs.{part}"));
        let way = panel.the("navigation", &self.word("settings:parts")).the("button", &name);
        if tab.is_some() {
            way.click();
        } else {
            way.focus();
            self.keys("Enter");
        }
        panel.the("region", &name)
    }

    /// Turns a switch, and waits until it is turned.
    #[track_caller]
    pub(crate) fn turn(&self, switch: &Found<'_>) {
        let now = || switch.tell("return arguments[0].ariaChecked");
        let before = now();
        switch.click();
        wait("the switch to be turned", || (now() != before).then_some(()));
    }

    /// What a reply failed with, once it has.
    #[track_caller]
    pub(crate) fn fails_with(&self, code: &str) {
        let title = self.word(&format!("errors:{code}.title"));
        wait(
            &format!("the failure “{title}”; before that the page read:\n{}", self.text()),
            || self.replies().pop()?.contains(&title).then_some(()),
        );
    }
}
