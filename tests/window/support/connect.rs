//! Connecting models in the window: what Start and the settings' page of models both show.

use super::desktop::Copied;
use super::page::{Found, Page};
use super::wait;
use super::window::Window;

impl Window {
    /// Pastes a key into the field for keys.
    #[track_caller]
    pub(crate) fn paste_key(&self, label: &str, key: &str) {
        let _copied = Copied::text(key);
        let field = self.control("textbox", label);
        field.click();
        self.keys("Control+a");
        self.keys("Control+v");
        wait("the key in its field", || (field.value() == key).then_some(()));
    }

    /// Says that the provider is at this address.
    #[track_caller]
    pub(crate) fn at_address(&self, format: &str, base_url: &str) {
        self.control("button", "keys:connect.elsewhere").click();
        self.control("combobox", "keys:connect.kind").click();
        self.the("option", format).click();
        wait("the list to close", || self.all_like("option", ".").is_empty().then_some(()));
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

    /// Opens a page of the settings.
    #[track_caller]
    pub(crate) fn settings(&self, page: &str) -> Found<'_> {
        if self.all("dialog", &self.word("settings:title")).is_empty() {
            self.keys("Control+,");
        }
        self.control("tab", &format!("settings:tabs.{page}")).click();
        self.the("tabpanel", &self.word(&format!("settings:tabs.{page}")))
    }

    /// What a reply failed with, once it has.
    #[track_caller]
    pub(crate) fn fails_with(&self, code: &str) {
        let title = self.word(&format!("errors:{code}.title"));
        wait(&format!("the failure “{title}”; the page reads:\n{}", self.text()), || {
            self.replies().pop()?.contains(&title).then_some(())
        });
    }
}
