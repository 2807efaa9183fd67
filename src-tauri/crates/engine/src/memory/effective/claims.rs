//! Who says something under which key and which heading, and who of them is heard.

use std::collections::HashMap;

use super::{Kind, Line, MemoryLayer, Origin, lines};

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Voice {
    pub layer: MemoryLayer,
    /// The directory it speaks for.
    pub dir: String,
    /// Its place among all voices.
    pub order: usize,
}

impl Voice {
    /// Whether it is heard where the other says something else.
    fn speaks_over(&self, other: &Self) -> bool {
        match self.layer {
            _ if self.layer != other.layer => self.layer > other.layer,
            MemoryLayer::Directory => {
                super::super::lies_in(&self.dir, &other.dir) && self.dir != other.dir
            }
            MemoryLayer::Session | MemoryLayer::Runtime => self.order > other.order,
            MemoryLayer::Global | MemoryLayer::Project => false,
        }
    }

    fn strength(&self) -> (MemoryLayer, usize, usize) {
        (self.layer, self.dir.len(), self.order)
    }
}

#[derive(Debug)]
struct Claim {
    voice: Voice,
    origin: Origin,
    /// The heading it stands under, unless that is the title.
    scope: Option<String>,
    value: String,
}

/// What all voices say.
#[derive(Debug, Default)]
pub(super) struct Claims {
    keys: HashMap<String, Vec<Claim>>,
    headings: HashMap<String, Vec<Claim>>,
    /// The first to say a line.
    said: HashMap<String, (usize, Origin)>,
}

impl Claims {
    /// Takes in what a voice says; `origin` is where a line of it is of.
    pub(super) fn hear(
        &mut self,
        voice: &Voice,
        lines: &[Line<'_>],
        origin: impl Fn(usize) -> Origin,
    ) {
        for (at, said) in said(lines).enumerate() {
            let make = |value: &str, scope: Option<&String>| Claim {
                voice: voice.clone(),
                origin: origin(at),
                scope: scope.cloned(),
                value: value.to_owned(),
            };
            if let Some(heading) = said.opens {
                let known = self.headings.entry(heading).or_default();
                if known.last().is_none_or(|claim| claim.voice != *voice) {
                    known.push(make("", None));
                }
            }
            if let Some((key, value)) = said.key {
                let known = self.keys.entry(key).or_default();
                let scope = said.under.last();
                // Of two in one file the later one holds.
                known.retain(|claim| claim.voice != *voice || claim.scope.as_ref() != scope);
                if known.len() < MOST {
                    known.push(make(&value, scope));
                }
            }
            if let Some(words) = said.words {
                self.said.entry(words).or_insert_with(|| (voice.order, origin(at)));
            }
        }
    }

    /// For each line of a voice: what speaks over it, and what said it before.
    pub(super) fn judge(
        &self,
        voice: &Voice,
        lines: &[Line<'_>],
        must: &[bool],
    ) -> Vec<(Option<Origin>, Option<Origin>)> {
        let judge = |(said, must): (Said, &bool)| {
            let before = said.words.as_ref().and_then(|words| self.said.get(words));
            let before = before.filter(|(by, _)| *by < voice.order).map(|(_, at)| at.clone());
            let by_heading = said.under.iter().filter_map(|heading| self.headings.get(heading));
            let key = said.key.as_ref();
            let by_key = key.and_then(|(key, _)| self.keys.get(key)).into_iter().flatten();
            let scope = said.under.last();
            let by_key = by_key.filter(|claim| {
                let same_place =
                    scope.is_none() || claim.scope.is_none() || claim.scope.as_ref() == scope;
                same_place && key.is_some_and(|(_, value)| *value != claim.value)
            });
            let winner =
                by_heading.flatten().chain(by_key).filter(|it| it.voice.speaks_over(voice));
            let winner = winner.max_by_key(|claim| claim.voice.strength());
            let over = winner.filter(|_| !must && !said.blank).map(|claim| claim.origin.clone());
            (over, before)
        };
        said(lines).zip(must).map(judge).collect()
    }
}

/// What a line says.
struct Said {
    /// The headings it stands under, its own included, the outermost first; the title of the file left out.
    under: Vec<String>,
    /// The heading it is.
    opens: Option<String>,
    key: Option<(String, String)>,
    /// Its words, where they are enough to be said twice.
    words: Option<String>,
    blank: bool,
}

fn said<'a>(lines: &'a [Line<'_>]) -> impl Iterator<Item = Said> + 'a {
    let mut under: Vec<(usize, String)> = Vec::new();
    let mut first = true;
    lines.iter().map(move |line| {
        let mut opens = None;
        if let Kind::Heading(level) = line.kind {
            under.retain(|(of, _)| *of < level);
            let is_title = std::mem::take(&mut first) && level == 1;
            if !is_title {
                let heading = plain(lines::heading(line.text));
                under.push((level, heading.clone()));
                opens = Some(heading);
            }
        }
        let text =
            matches!(line.kind, Kind::Item(_) | Kind::Text(_)).then(|| lines::item(line.text));
        Said {
            under: under.iter().map(|(_, heading)| heading.clone()).collect(),
            opens,
            key: text.and_then(key),
            words: text.map(plain).filter(|words| words.chars().count() >= SHORTEST),
            blank: line.kind == Kind::Blank,
        }
    })
}

/// Places in which a key is looked at; one that is said in more means nothing in particular.
const MOST: usize = 256;

/// Characters of the shortest line that is said twice rather than alike by chance.
const SHORTEST: usize = 6;

/// Words before a colon that are no key.
const NO_KEYS: [&str; 16] = [
    "note",
    "notes",
    "example",
    "examples",
    "e.g.",
    "important",
    "warning",
    "tip",
    "todo",
    "see",
    "참고",
    "예",
    "예시",
    "주의",
    "중요",
    "경고",
];

/// Longest key, in characters and in words.
const KEY: (usize, usize) = (40, 4);

/// The key and the value of `key: value` or `key = value`.
fn key(text: &str) -> Option<(String, String)> {
    let at = text.find([':', '=', '：'])?;
    let separator = text[at..].chars().next()?;
    let (name, value) = (&text[..at], &text[at + separator.len_utf8()..]);
    let parts = match separator {
        '=' => !name.ends_with(['!', '<', '>', '+']) && !value.starts_with(['=', '>']),
        ':' => value.starts_with([' ', '*', '_', '`']),
        _ => true,
    };
    let (name, value) = (plain(name), plain(value));
    let is_key = name.chars().any(char::is_alphanumeric)
        && name.chars().count() <= KEY.0
        && name.split(' ').count() <= KEY.1
        && !NO_KEYS.contains(&name.as_str());
    (parts && is_key && !value.is_empty()).then_some((name, value))
}

/// In lower case, without emphasis and with single blanks.
fn plain(text: &str) -> String {
    let bare = text.replace(['*', '_', '`'], "").to_lowercase();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}
