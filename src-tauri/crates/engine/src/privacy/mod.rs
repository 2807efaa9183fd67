//! Privacy: what never goes into a request, and what of a text is a secret (behaviour.md, Privacy).
//!
//! A [`Redactor`] puts a mark in the place of every secret it knows: `[redacted: github-token]`. `rules` says what
//! secrets look like, `doubt` what only looks like one, `scan` finds them in one go through the text. Called on the
//! way into requests, summaries, logs and exports; what the person looks at stays as it was written. Which files are
//! excluded is decided where files are read. Deliberately absent: names, addresses and other personal data, which no
//! pattern tells from ordinary words.

mod clean;
mod doubt;
mod rules;
mod scan;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use clean::{Cleaner, Known};

/// The person's choices (behaviour.md, Privacy).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct PrivacySettings {
    /// Files that never enter a request, an index or a checkpoint, as in `.gitignore`; for every project.
    pub exclude_patterns: Vec<String>,
    /// Whether keys, tokens and passwords are redacted on the way into a request, a summary or an export. The log is
    /// always redacted.
    pub sanitize_secrets: bool,
    /// Whether checkpoints are sealed (`encryptCheckpoints`). Sealing and opening them set it, nobody else.
    pub encrypt_checkpoints: bool,
    /// *No cloud storage* (`localOnly`): checkpoints go to no remote.
    pub local_only: bool,
}

impl Default for PrivacySettings {
    fn default() -> Self {
        Self {
            exclude_patterns: Vec::new(),
            sanitize_secrets: true,
            encrypt_checkpoints: false,
            local_only: false,
        }
    }
}

/// How a mark begins and ends; between stands the rule's name.
const MARK: (&str, &str) = ("[redacted: ", "]");

/// Goes over a text again, because what surrounds a secret is different once another one is gone. Ordinary texts need
/// two; more than this only a text that was made for it.
const MOST_PASSES: usize = 8;

/// Takes secrets out of texts.
#[derive(Clone, Copy, Debug)]
pub struct Redactor {
    on: bool,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text, with marks. A mark keeps the line ends of what it stands for, so lines keep their numbers.
    pub text: Cow<'t, str>,
    /// What was found, in order.
    pub found: Vec<Found>,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rule that knew it.
    pub rule: &'static str,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

impl Redactor {
    /// Redacts, or does nothing where the person does not want it.
    pub fn new(settings: &PrivacySettings) -> Self {
        Self { on: settings.sanitize_secrets }
    }

    /// Redacts whatever the settings say.
    pub fn always() -> Self {
        Self { on: true }
    }

    /// Takes the secrets out of a text, in time that grows with its length alone.
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        let mut found = if self.on { scan::secrets(text) } else { Vec::new() };
        if found.is_empty() {
            return Redacted { text: Cow::Borrowed(text), found };
        }
        let mut shown = Shown::of(text, &found);
        for _ in 1..MOST_PASSES {
            let more = scan::secrets(&shown.text);
            if more.is_empty() {
                break;
            }
            found.extend(more.into_iter().map(|secret| shown.in_original(secret)));
            found.sort_unstable_by_key(|secret| secret.range.start);
            shown = Shown::of(text, &found);
        }
        Redacted { text: Cow::Owned(shown.text), found }
    }
}

/// The rules whose marks stand in a text, each once, in order.
pub fn marks(text: &str) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for (at, begin) in text.match_indices(MARK.0) {
        let rest = &text[at + begin.len()..];
        let name = rest.find(MARK.1).and_then(|end| scan::rule_called(&rest[..end]));
        rules.extend(
            name.filter(|name| !rules.iter().any(|known| known == name)).map(str::to_owned),
        );
    }
    rules
}

/// A text with marks.
struct Shown {
    text: String,
    /// Where each stretch that was left as it is begins, here and in the original.
    plain: Vec<(usize, usize)>,
}

impl Shown {
    fn of(original: &str, found: &[Found]) -> Self {
        let mut shown = Self { text: String::with_capacity(original.len()), plain: vec![(0, 0)] };
        let mut at = 0;
        for Found { rule, range } in found {
            shown.text.push_str(&original[at..range.start]);
            shown.text.extend([MARK.0, rule, MARK.1]);
            shown.text.extend(original[range.clone()].chars().filter(|c| *c == '\n'));
            at = range.end;
            shown.plain.push((shown.text.len(), at));
        }
        shown.text.push_str(&original[at..]);
        shown
    }

    /// A secret of this text, where it stands in the original. It overlaps no mark, so it is one stretch there too.
    fn in_original(&self, Found { rule, range }: Found) -> Found {
        let after = self.plain.partition_point(|(here, _)| *here <= range.start);
        let (here, original) = self.plain[after.saturating_sub(1)];
        let start = original + (range.start - here);
        Found { rule, range: start..start + range.len() }
    }
}
