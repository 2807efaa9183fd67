//! The constraint guard: whether every rule in force is in a request, word for word.
//!
//! Asked of every request that is composed, under every policy, after secrets were taken out of it. Rules come from
//! memory, from what folded messages said and from messages that the request leaves out. A summary takes its rules
//! along, so one is missing only where a summary had no room or is not wanted, or where nothing stands for a message;
//! then the person hears of it before anything is sent.
//!
//! A request is composed at every key press, and a long path has said very many rules: [`PathRules`] puts together what
//! looks for them as they are said, and asking costs as much as the request is new.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::ledger::Ledger;
use crate::section::{Section, id_of_message};

/// A part is put together with the one before it as soon as that is at most so many times as large: few are looked
/// through then, and each rule is put together anew seldom.
const GROWTH: usize = 8;

/// Texts of which it is known what is in them: those of a large request, with some that were typed.
const MOST_KNOWN: usize = 8_192;

/// A rule that holds and is not in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MissingConstraint {
    /// What it says.
    pub text: String,
    /// The section it would be in: `summary:…`, `memory:…`, `message:…`.
    pub section: String,
}

/// Texts to be looked for in others. To put them together takes as long as they are; to look for them takes as long as
/// what is looked through, however many they are, and nothing where that was looked through before.
#[derive(Debug, Default)]
struct Finder {
    texts: Vec<String>,
    parts: Vec<Part>,
    /// Numbers of the texts in what was looked through.
    known: Mutex<HashMap<Fingerprint, Arc<[usize]>>>,
}

/// What looks for the texts from one on.
#[derive(Debug)]
struct Part {
    first: usize,
    finder: Option<AhoCorasick>,
}

impl Finder {
    fn add(&mut self, texts: impl Iterator<Item = String>) {
        let mut first = self.texts.len();
        self.texts.extend(texts);
        let all = self.texts.len();
        if first == all {
            return;
        }
        while let Some(before) = self.parts.pop_if(|it| first - it.first <= GROWTH * (all - first))
        {
            first = before.first;
        }
        let finder = AhoCorasick::new(&self.texts[first..]).ok();
        self.parts.push(Part { first, finder });
        self.known = Mutex::default();
    }

    /// Numbers of the texts that this one has.
    fn found_in(&self, text: &str) -> Arc<[usize]> {
        let print = Fingerprint::of(text);
        // Every statement leaves the map valid, so a thread that panicked did no harm.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&print) {
            return found.clone();
        }
        let of_part = |part: &Part| {
            let found = part.finder.iter().flat_map(|it| it.find_overlapping_iter(text));
            found.map(|found| part.first + found.pattern().as_usize()).collect::<BTreeSet<_>>()
        };
        let found: Arc<[usize]> = self.parts.iter().flat_map(of_part).collect();
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(print, found.clone());
        found
    }
}

/// Rules to be looked for in requests, each once.
#[derive(Debug)]
pub struct Rules {
    sections: Vec<String>,
    finder: Finder,
}

impl Rules {
    /// Of rules with the sections that they would be in; of one that is said twice the first counts.
    pub fn of<'a>(rules: impl Iterator<Item = (&'a str, Cow<'a, str>)>) -> Self {
        let mut named = HashSet::new();
        let (sections, texts): (Vec<String>, Vec<String>) = rules
            .map(|(section, text)| (section.to_owned(), text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty() && named.insert(text.clone()))
            .unzip();
        let mut finder = Finder::default();
        finder.add(texts.into_iter());
        Self { sections, finder }
    }

    /// What they say.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.finder.texts.iter().map(String::as_str)
    }

    /// Those that no section says.
    pub fn missing_in(&self, sections: &[Section]) -> Vec<MissingConstraint> {
        let mut missing = vec![true; self.sections.len()];
        for section in sections {
            self.finder.found_in(&section.text).iter().for_each(|rule| missing[*rule] = false);
        }
        let rules = self.finder.texts.iter().zip(&self.sections).zip(missing);
        let missing = rules.filter(|(_, missing)| *missing).map(|((text, section), _)| {
            MissingConstraint { text: text.clone(), section: section.clone() }
        });
        missing.collect()
    }
}

/// The rules that a path said, as they stand in requests, and what looks for them. It grows with the path's ledger.
#[derive(Debug, Default)]
pub struct PathRules {
    /// Secrets were taken out of them.
    is_cleaned: bool,
    /// Messages of the ledger that it knows.
    read: usize,
    finder: Finder,
    /// For each rule its fact, and whether it is in force.
    facts: Vec<(usize, bool)>,
    /// How many are.
    in_force: usize,
    /// For each fact its rule.
    rules: HashMap<usize, usize>,
}

/// What of a path a request does not say by itself.
pub struct Unsaid<'a> {
    /// Places of messages that go whole.
    pub whole: &'a HashSet<u64>,
    /// Messages from here on are none of it.
    pub end: u64,
}

impl PathRules {
    /// Of a path of which nothing is read yet.
    pub fn new(is_cleaned: bool) -> Self {
        Self { is_cleaned, ..Self::default() }
    }

    /// Whether secrets were taken out of them.
    pub fn is_cleaned(&self) -> bool {
        self.is_cleaned
    }

    /// Learns what the ledger of the same path has more by now; `clean` says how a rule stands in requests, which is how the
    /// others were put down.
    pub fn grow<'a>(&mut self, ledger: &'a Ledger, clean: impl Fn(&'a str) -> Cow<'a, str>) {
        if self.read == ledger.len() {
            return;
        }
        self.read = ledger.len();
        let first = self.facts.len();
        for (at, _) in ledger.constraints().skip(first) {
            self.rules.insert(at, self.facts.len());
            self.facts.push((at, true));
        }
        for (at, in_force) in &mut self.facts {
            *in_force = ledger.facts()[*at].entry.in_force;
        }
        self.in_force = self.facts.iter().filter(|(_, in_force)| *in_force).count();
        let more = ledger.constraints().skip(first);
        self.finder.add(more.map(|(_, fact)| clean(&fact.entry.text).trim().to_owned()));
    }

    /// The rules in force that neither a message says that goes whole, nor one of the texts of a request, and that are none
    /// of `others`: the first so many, each with the section of the message that said it first, and how many more there
    /// are.
    pub fn missing_in<'a, 's>(
        &self,
        ledger: &Ledger,
        unsaid: &Unsaid<'_>,
        request: impl Iterator<Item = &'s str>,
        others: impl Iterator<Item = Cow<'a, str>>,
        most: usize,
    ) -> (Vec<MissingConstraint>, usize) {
        // Few are, of a long path.
        let mut said: HashSet<usize> = HashSet::new();
        let after = (unsaid.end as usize).min(ledger.len())..ledger.len();
        let whole = unsaid.whole.iter().map(|place| *place as usize).chain(after);
        let facts = whole.flat_map(|place| ledger.said_at(place));
        said.extend(facts.filter_map(|fact| self.rules.get(fact)));
        for text in request {
            said.extend(self.finder.found_in(text).iter());
        }
        let texts = &self.finder.texts;
        for other in others {
            let (other, found) = (other.trim(), self.finder.found_in(other.trim()));
            said.extend(found.iter().filter(|rule| texts[**rule] == other));
        }
        let holds = |rule: &usize| self.facts[*rule].1;
        let all = self.in_force - said.iter().filter(|rule| holds(rule)).count();
        let missing = (0..self.facts.len()).filter(|rule| holds(rule) && !said.contains(rule));
        let told = missing.take(most).map(|rule| MissingConstraint {
            text: texts[rule].clone(),
            section: id_of_message(ledger.facts()[self.facts[rule].0].entry.message),
        });
        let told: Vec<MissingConstraint> = told.collect();
        let more = all - told.len();
        (told, more)
    }
}
