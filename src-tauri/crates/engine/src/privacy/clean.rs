//! Taking secrets out of what is made of texts: messages and requests. What became of a text is remembered by its
//! content, so composing a request again costs the texts that changed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{PrivacySettings, Redactor, marks};
use crate::message::{Message, Part};
use crate::section::Request;

/// Texts that are remembered before the older half is forgotten.
const MOST: usize = 4_096;

/// What became of texts; of most that is nothing.
#[derive(Debug, Default)]
pub struct Known(Mutex<Generations>);

type Results = HashMap<blake3::Hash, Option<Arc<str>>>;

#[derive(Debug, Default)]
struct Generations {
    young: Results,
    old: Results,
}

/// Takes secrets out, as the person wants it.
#[derive(Clone, Copy, Debug)]
pub struct Cleaner<'k> {
    redactor: Redactor,
    known: &'k Known,
}

impl Known {
    /// Cleans as these settings say.
    pub fn cleaner(&self, settings: &PrivacySettings) -> Cleaner<'_> {
        Cleaner { redactor: Redactor::new(settings), known: self }
    }

    /// Cleans whatever the settings say.
    pub fn always(&self) -> Cleaner<'_> {
        Cleaner { redactor: Redactor::always(), known: self }
    }

    /// Every statement leaves the maps valid, so a thread that panicked did no harm.
    fn with<T>(&self, how: impl FnOnce(&mut Generations) -> T) -> T {
        how(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Cleaner<'_> {
    /// The same, but as it is where that is wanted.
    pub fn unless(self, as_is: bool) -> Self {
        Self { redactor: Redactor { on: self.redactor.on && !as_is }, ..self }
    }

    /// Whether it takes out anything at all.
    pub fn is_on(&self) -> bool {
        self.redactor.on
    }

    /// The text without its secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.changed(text).map_or(Cow::Borrowed(text), |clean| Cow::Owned(clean.to_string()))
    }

    /// Takes the secrets out of a text; whether there were any.
    pub fn clean(&self, text: &mut String) -> bool {
        let clean = self.changed(text);
        clean.map(|clean| clean.as_ref().clone_into(text)).is_some()
    }

    /// Takes the secrets out of a message; whether there were any.
    pub fn message(&self, message: &mut Message) -> bool {
        self.parts(&mut message.parts)
    }

    /// Takes the secrets out of everything that is sent, and says of each section by which rules.
    pub fn request(&self, request: &mut Request) {
        for section in &mut request.sections {
            self.clean(&mut section.text);
            self.parts(&mut section.parts);
            section.redacted = marks(&section.text);
        }
    }

    /// Takes the secrets out of what was said, called and answered; whether there were any.
    pub fn parts(&self, parts: &mut Vec<Part>) -> bool {
        let mut any = false;
        parts.retain_mut(|part| match part {
            Part::Text { text } | Part::Pasted { text, .. } | Part::ToolResult { text, .. } => {
                any |= self.clean(text);
                true
            }
            Part::ToolCall { arguments, .. } => {
                any |= self.clean(arguments);
                true
            }
            Part::Reasoning { text, .. } => {
                // A seal holds for the thought as it was, so one that changed is of no use to anybody.
                let has_secret = self.changed(text).is_some();
                any |= has_secret;
                !has_secret
            }
            Part::Image { .. } | Part::File { .. } => true,
        });
        any
    }

    fn changed(&self, text: &str) -> Option<Arc<str>> {
        if !self.redactor.on {
            return None;
        }
        let hash = blake3::hash(text.as_bytes());
        if let Some(known) = self.known.with(|all| all.get(&hash)) {
            return known;
        }
        let redacted = self.redactor.redact(text);
        let made = (!redacted.found.is_empty()).then(|| Arc::from(redacted.text));
        self.known.with(|all| all.put(hash, made.clone()));
        made
    }
}

impl Generations {
    fn get(&mut self, hash: &blake3::Hash) -> Option<Option<Arc<str>>> {
        if let Some(known) = self.young.get(hash) {
            return Some(known.clone());
        }
        let (hash, known) = self.old.remove_entry(hash)?;
        self.put(hash, known.clone());
        Some(known)
    }

    fn put(&mut self, hash: blake3::Hash, made: Option<Arc<str>>) {
        if self.young.len() >= MOST / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, made);
    }
}
