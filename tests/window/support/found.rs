//! Something that was found on the page: it is used as a person would, and found again where the page drew it anew
//! between the look and the hand. A page under load does that at any moment; no story has to think of it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::elements::{Element, ElementRef};
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use serde_json::{Value, json};

use super::browser::Browser;
use super::{PATIENCE, POLL, PRESS_AGAIN, wait};

/// Where WebDriver puts the id of an element (the standard's own constant).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Says whether something can be clicked: it stays where it is from one picture to the next, and is not switched off.
/// From then on it is noted whether the mouse meets it.
const READY: &str = "const [node, done] = arguments;
    const place = () => { const { x, y, width, height } = node.getBoundingClientRect(); return [x, y, width, height].join(); };
    node.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const before = place();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const off = node.closest('button:disabled, [aria-disabled=true]') !== null;
      const why = off ? 'it is switched off' : place() !== before ? 'it moves' : '';
      if (why) return done(why);
      window.struck?.over.abort();
      const struck = (window.struck = { node, down: false, clicked: false, over: new AbortController() });
      const note = (what) => (event) => { struck[what] ||= event.composedPath().includes(node); };
      const options = { capture: true, signal: struck.over.signal };
      addEventListener('mousedown', note('down'), options);
      addEventListener('click', note('clicked'), options);
      done('');
    }));";

/// Whether the mouse met it. What opens under the mouse, or goes as soon as the button is down, gets no whole click; and
/// a page that was loaded anew does not know.
const STRUCK: &str = "const { node, down, clicked } = window.struck ?? { clicked: true };
    return clicked || (down && (!node.isConnected || !node.checkVisibility({ visibilityProperty: true }) ||
      node.ariaHasPopup !== null || node.ariaExpanded !== null))";

/// How long a click may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(2);

/// Something that was found on the page.
pub(crate) struct Found<'a> {
    browser: &'a Browser,
    spot: Rc<Spot>,
}

/// What something is, and how it was found.
pub(super) struct Spot {
    within: Option<Rc<Spot>>,
    role: String,
    name: Option<String>,
    pattern: bool,
    /// The name that it had.
    called: String,
    /// Which of those with that name it was.
    namesake: usize,
    /// Which of all that were found it was, and how many there were.
    place: (usize, usize),
    raw: RefCell<Value>,
}

impl<'a> Found<'a> {
    /// Clicks it with the mouse, once it can be used and nothing moves over it any more.
    #[track_caller]
    pub(crate) fn click(&self) {
        let seen = seen(self.browser);
        self.until("clicked", &seen, |raw| {
            let ready = self.browser.client().execute_async(READY, vec![raw.clone()]);
            let why = self.browser.block(ready).map_err(Trouble::from)?;
            if why != "" {
                return Err(Trouble::of(&why.to_string()));
            }
            self.browser.block(self.element(raw).click()).map_err(Trouble::from)?;
            let clicked = Instant::now();
            // A script that fails has lost its page with the click.
            while self.browser.try_run(STRUCK, vec![]).is_ok_and(|met| met == false) {
                if clicked.elapsed() > ARRIVAL {
                    return Err(Trouble::of("the mouse met something else"));
                }
                std::thread::sleep(POLL);
            }
            Ok(())
        });
    }

    /// Moves the mouse over it.
    #[track_caller]
    pub(crate) fn hover(&self) {
        self.until("reached", "", |raw| {
            let element = self.element(raw);
            let over = PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 };
            let actions = MouseActions::new("mouse".to_owned()).then(over);
            let moved = self.browser.client().perform_actions(actions);
            self.browser.block(moved).map_err(Trouble::from)
        });
    }

    /// Gives it the focus.
    #[track_caller]
    pub(crate) fn focus(&self) {
        self.tell("arguments[0].focus()");
    }

    /// Types into it, and waits until all of it stands there.
    #[track_caller]
    pub(crate) fn type_text(&self, text: &str) {
        let before = self.holds();
        self.send(text);
        let Some(before) = before else { return };
        let mut sent = Instant::now();
        wait(&format!("“{text}” in the field; {}", seen(self.browser)), || {
            let now = self.holds()?;
            if now.contains(text) {
                return Some(());
            }
            if now == before && sent.elapsed() > PRESS_AGAIN {
                // Nothing at all arrived: something else had taken the focus for itself.
                self.send(text);
                sent = Instant::now();
            }
            None
        });
    }

    /// Presses Enter in it.
    #[track_caller]
    pub(crate) fn enter(&self) {
        self.send(&String::from(char::from(Key::Enter)));
    }

    #[track_caller]
    fn send(&self, keys: &str) {
        self.until("typed into", "", |raw| {
            self.browser.block(self.element(raw).send_keys(keys)).map_err(Trouble::from)
        });
    }

    /// What a field holds; nothing where it is no field.
    #[track_caller]
    fn holds(&self) -> Option<String> {
        let script = "return arguments[0].matches('input, textarea') ? arguments[0].value : null";
        self.tell(script).as_str().map(str::to_owned)
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
        self.until("asked", script, |raw| {
            let told = self.browser.client().execute(script, vec![raw.clone()]);
            match self.browser.block(told) {
                Err(error) if !error.is_stale_element_reference() => {
                    panic!("{error}\nin: {script}")
                }
                told => told.map_err(Trouble::from),
            }
        })
    }

    /// Everything inside it with this role and name.
    #[track_caller]
    pub(crate) fn all(&self, role: &str, name: &str) -> Vec<Found<'a>> {
        find(self.browser, role, Some(name), false, Some(&self.spot))
    }

    /// Everything inside it with this role.
    #[track_caller]
    pub(crate) fn every(&self, role: &str) -> Vec<Found<'a>> {
        find(self.browser, role, None, false, Some(&self.spot))
    }

    /// Waits for the first thing inside it with this role.
    #[track_caller]
    pub(crate) fn first(&self, role: &str) -> Found<'a> {
        wait(&format!("{role} inside; {}", seen(self.browser)), || {
            self.every(role).into_iter().next()
        })
    }

    /// Waits for the thing inside it with this role and name.
    #[track_caller]
    pub(crate) fn the(&self, role: &str, name: &str) -> Found<'a> {
        wait(&format!("{role} “{name}” inside; {}", seen(self.browser)), || {
            self.all(role, name).into_iter().next()
        })
    }

    /// Does something with it, again and again until that goes well.
    #[track_caller]
    fn until<T>(&self, done: &str, more: &str, step: impl Fn(&Value) -> Result<T, Trouble>) -> T {
        let started = Instant::now();
        loop {
            let raw = self.spot.raw.borrow().clone();
            let trouble = match step(&raw) {
                Ok(answer) => return answer,
                Err(trouble) => trouble,
            };
            let Spot { role, called, .. } = &*self.spot;
            assert!(
                started.elapsed() < PATIENCE,
                "{role} “{called}” cannot be {done}: {}; {more}",
                trouble.why
            );
            if trouble.is_gone {
                self.spot.renew(self.browser);
            }
            std::thread::sleep(POLL);
        }
    }

    fn element(&self, raw: &Value) -> Element {
        let id = raw.get(ELEMENT).and_then(Value::as_str).unwrap_or_default().to_owned();
        Element::from_element_id(self.browser.client().clone(), ElementRef::from(id))
    }
}

/// Why something could not be done this time.
struct Trouble {
    /// The page holds it no more, or another in its place.
    is_gone: bool,
    why: String,
}

impl Trouble {
    fn of(why: &str) -> Self {
        Self { is_gone: false, why: why.to_owned() }
    }
}

impl From<CmdError> for Trouble {
    fn from(error: CmdError) -> Self {
        Self { is_gone: error.is_stale_element_reference(), why: error.to_string() }
    }
}

impl Spot {
    /// Finds it again where the page drew it anew: the one of the same name, or the one in the same place. Until there
    /// is one, it stays what it was.
    fn renew(&self, browser: &Browser) {
        let again =
            look(browser, &self.role, self.name.as_deref(), self.pattern, self.within.as_ref());
        let count = again.len();
        let same = again.iter().filter(|(_, called)| *called == self.called).nth(self.namesake);
        let (place, before) = self.place;
        let there = again.get(place).filter(|_| count == before);
        if let Some((raw, _)) = same.or(there) {
            *self.raw.borrow_mut() = raw.clone();
        }
    }
}

/// Everything that is found now, each with its name.
#[track_caller]
fn look(
    browser: &Browser,
    role: &str,
    name: Option<&str>,
    pattern: bool,
    within: Option<&Rc<Spot>>,
) -> Vec<(Value, String)> {
    let script = include_str!("page.js");
    let look = || {
        let within = within.map_or(Value::Null, |it| it.raw.borrow().clone());
        let arguments = vec![json!(role), json!(name), json!(pattern), within];
        browser.block(browser.client().execute(script, arguments))
    };
    let mut found = look();
    let is_stale = found.as_ref().is_err_and(CmdError::is_stale_element_reference);
    if let Some(within) = within.filter(|_| is_stale) {
        // What was looked in was just drawn anew.
        within.renew(browser);
        found = look();
    }
    // Whoever asks in vain asks again.
    serde_json::from_value(found.unwrap_or_default()).unwrap_or_default()
}

/// Everything with this role and name, in a part of the page or in all of it.
#[track_caller]
pub(super) fn find<'a>(
    browser: &'a Browser,
    role: &str,
    name: Option<&str>,
    pattern: bool,
    within: Option<&Rc<Spot>>,
) -> Vec<Found<'a>> {
    let found = look(browser, role, name, pattern, within);
    let names: Vec<String> = found.iter().map(|(_, called)| called.clone()).collect();
    let one = |(place, (raw, called)): (usize, (Value, String))| {
        let namesake = names[..place].iter().filter(|name| **name == called).count();
        let spot = Spot {
            within: within.cloned(),
            role: role.to_owned(),
            name: name.map(str::to_owned),
            pattern,
            called,
            namesake,
            place: (place, names.len()),
            raw: RefCell::new(raw),
        };
        Found { browser, spot: Rc::new(spot) }
    };
    found.into_iter().enumerate().map(one).collect()
}

/// What the page shows, for a story that fails.
pub(super) fn seen(browser: &Browser) -> String {
    let text = browser.try_run("return document.body?.innerText ?? ''", vec![]);
    let text = text.map_or_else(|error| error, |text| text.as_str().unwrap_or_default().to_owned());
    format!("before that the page read:\n{text}\n")
}
