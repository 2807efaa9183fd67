//! Talking in the window: the composer, the turns, and what stands in them.

use super::desktop::DragSource;
use super::found::Found;
use super::page::Page;
use super::wait;
use super::window::{TITLE, Window};
use std::path::Path;

impl Found<'_> {
    /// Waits until the card that this is, or belongs to, is answered: once it stood still in sight.
    #[track_caller]
    pub(crate) fn stands(&self) {
        let armed = "return arguments[0].closest('[data-approval]').dataset.armed";
        wait("a card that stands still", || (self.tell(armed) == "true").then_some(()));
    }
}

impl Window {
    /// The field a message is written in.
    #[track_caller]
    pub(crate) fn composer(&self) -> Found<'_> {
        self.control("textbox", "chat:composer.label")
    }

    /// Opens a conversation without a project from the start screen.
    #[track_caller]
    pub(crate) fn just_talk(&self) {
        self.control("button", "start:talk").click();
        self.composer();
    }

    /// Answers what a tool asks by its button, once the card is answered; the key that does the same is part of its name.
    #[track_caller]
    pub(crate) fn answers(&self, key: &str) {
        let name = self.word(&format!("tools:ask.{key}"));
        let button = self.like("button", &format!("^{name}\\s*[YN]$"));
        button.stands();
        button.click();
    }

    /// Begins an empty conversation.
    #[track_caller]
    pub(crate) fn new_conversation(&self) {
        self.keys("Control+n");
        self.begins_empty();
        self.still();
    }

    /// The way to the Today page of the project, in the rail.
    #[track_caller]
    pub(crate) fn today(&self) -> Found<'_> {
        self.like("button", &format!("^{}", self.word("rail:today")))
    }

    /// Waits for an empty conversation where another was open.
    #[track_caller]
    pub(crate) fn begins_empty(&self) {
        wait("an empty conversation", || {
            // In this order: the composer of the one before may be there still, with its turns.
            let empty = self.turns().is_empty();
            let there = !self.all("textbox", &self.word("chat:composer.label")).is_empty();
            (empty && there).then_some(())
        });
    }

    /// Sets how the model of this conversation is asked: a field of the conversation's settings.
    #[track_caller]
    pub(crate) fn tune(&self, field: &str, value: &str) {
        self.control("button", "tuning:label").click();
        self.control("textbox", field).type_text(value);
        self.keys("Escape");
        self.like("button", &format!("{}: .*{value}", self.word("tuning:label")));
    }

    /// Opens a conversation by its title in the list.
    #[track_caller]
    pub(crate) fn open_conversation(&self, title: &str) {
        self.control("navigation", "rail:label").the("button", title).click();
        wait(&format!("the conversation “{title}”"), || {
            let header = self.all("heading", title).into_iter().next();
            header.filter(|_| !self.turns().is_empty()).map(|_| ())
        });
    }

    /// Writes a message, sends it with Enter, and waits until it stands in the conversation.
    #[track_caller]
    pub(crate) fn say(&self, text: &str) {
        let composer = self.composer();
        composer.type_text(text);
        wait("the message in the composer", || (composer.value() == text).then_some(()));
        self.send();
    }

    /// Sends what is written with Enter, and waits until it stands in the conversation.
    #[track_caller]
    pub(crate) fn send(&self) {
        // By place, not by count: of a long conversation only a part is drawn.
        let last = || self.drawn().iter().map(|turn| turn.place).max().unwrap_or(0);
        let before = last();
        self.composer().enter();
        wait("the message in the conversation", || (last() > before).then_some(()));
    }

    /// Writes a message, sends it, and waits for the whole reply.
    #[track_caller]
    pub(crate) fn ask(&self, text: &str) -> String {
        self.say(text);
        self.finished().text()
    }

    /// The last reply, once nothing is on its way.
    #[track_caller]
    pub(crate) fn finished(&self) -> Found<'_> {
        let stop = self.word("chat:composer.stop");
        let again = self.word("chat:actions.regenerate");
        wait("the end of the reply", || {
            let last = self.drawn().pop()?;
            let over = self.all("button", &stop).is_empty();
            let done = last.label.starts_with(&self.word("chat:assistant"));
            (over && done && last.controls.contains(&again)).then_some(())
        });
        wait("the last reply", || self.turns().pop())
    }

    /// The turns that are drawn, in order: to be used.
    #[track_caller]
    pub(crate) fn turns(&self) -> Vec<Found<'_>> {
        let list = self.all("log", &self.word("chat:conversation"));
        list.first().map(|list| list.every("article")).unwrap_or_default()
    }

    /// The turns that are drawn, in order: to be read. All in one look, for they change while a reply comes.
    #[track_caller]
    pub(crate) fn drawn(&self) -> Vec<Drawn> {
        let found = self.browser().run(
            // The receipt under a reply comes when it has been in sight for a while: it is none of what was said, and
            // neither is the line that it leaves.
            "const without = (text, receipt) =>
               receipt ? text.split(receipt).map((part) => part.trim()).join('\\n') : text;
             return [...document.querySelectorAll('[role=log] [role=article]')].map((row) => [
               row.getAttribute('aria-label'),
               without(row.innerText, row.querySelector('[data-tours=receipt]')?.innerText)
                 .replace(/\\n{2,}/g, '\\n\\n').trim(),
               Number(row.getAttribute('aria-posinset')),
               [...row.querySelectorAll('button')].map((one) => one.getAttribute('aria-label') ?? one.innerText)])",
            vec![],
        );
        let rows: Vec<(String, String, u64, Vec<String>)> =
            serde_json::from_value(found).expect("rows");
        rows.into_iter()
            .map(|(label, text, place, controls)| Drawn { label, text, place, controls })
            .collect()
    }

    /// Scrolls up until the first message is drawn: a long reply pushes it out of what is.
    #[track_caller]
    pub(crate) fn to_the_first(&self) {
        wait("the first message", || {
            self.browser().run("document.querySelector('[role=log]').scrollTop = 0", vec![]);
            (self.drawn().first()?.place == 1).then_some(())
        });
    }

    /// What the person said, of the turns that are drawn.
    #[track_caller]
    pub(crate) fn questions(&self) -> Vec<String> {
        self.said_by(&self.word("chat:you"))
    }

    /// What was answered, of the turns that are drawn.
    #[track_caller]
    pub(crate) fn replies(&self) -> Vec<String> {
        self.said_by(&self.word("chat:assistant"))
    }

    #[track_caller]
    fn said_by(&self, whose: &str) -> Vec<String> {
        let own = self.drawn().into_iter().filter(|turn| turn.label.starts_with(whose));
        own.map(|turn| turn.text).collect()
    }

    /// Shows another version of a turn: `siblings.next` or `siblings.previous`.
    #[track_caller]
    pub(crate) fn other_version(&self, which: &str, expected: &str) {
        self.control("button", &format!("chat:siblings.{which}")).click();
        wait(&format!("version {expected}"), || {
            let (index, count) = expected.split_once('/')?;
            let name = self.phrase("chat:siblings.label", &[("index", index), ("count", count)]);
            (!self.all("group", &name).is_empty()).then_some(())
        });
    }
}

/// Drops a file on a conversation, as from a file manager.
#[track_caller]
pub(crate) fn drop_on(window: &Window, file: &Path) {
    let mut files = DragSource::offering(file);
    files.take();
    files.move_over(TITLE);
    window.reads(&window.of_one("drop:attach"));
    files.drop_it();
}

/// A turn as it was drawn at one moment.
pub(crate) struct Drawn {
    label: String,
    pub(crate) text: String,
    /// Its place in the whole conversation, from 1.
    pub(crate) place: u64,
    controls: Vec<String>,
}

/// The number of the last whole word of a scripted reply: how far a text has come.
pub(crate) fn words_in(text: &str) -> u32 {
    let numbers = text.split_whitespace().filter_map(|word| {
        let digits = word.strip_prefix("word")?;
        (digits.len() == 4).then(|| digits.parse().ok()).flatten()
    });
    numbers.max().unwrap_or(0)
}
