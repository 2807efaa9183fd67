//! The ledger of a path: every entry once, with the places that mention it and whether it is in force.
//!
//! A decision is replaced by a later one that takes it back in words ("instead of", "아니라", "취소") and speaks of the
//! same, or that says the same with other figures or names; a constraint only by one that takes it back in words, since
//! a rule lost by mistake is worse than one told too long. A question holds until the other side's words speak of it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::statements::{takes_back, words};
use super::{Category, Entry, entries, marks};
use crate::message::{Message, Part, Role};

/// How many of the last statements a new one is held against.
const LOOKS_BACK: usize = 64;

/// How much two decisions have to share to be about the same, when the later one takes nothing back in words.
const SAME_SUBJECT: f64 = 0.75;

/// An entry and where it is mentioned.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// As it was said first.
    pub entry: Entry,
    /// Places on the path that say it, in order; never none.
    pub mentions: Vec<usize>,
    used_again: bool,
}

impl Fact {
    /// The last place that says it.
    pub fn last(&self) -> usize {
        self.mentions.last().copied().unwrap_or_default()
    }

    /// Whether a later turn says it again.
    pub fn is_used_again(&self) -> bool {
        self.used_again
    }
}

/// What a path said, each thing once.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    facts: Vec<Fact>,
    constraints: Vec<usize>,
    places: HashMap<(Category, String), usize>,
    statements: Vec<Statement>,
    /// For each place the facts that it says.
    said: Vec<Vec<usize>>,
    turn_start: usize,
    last_command: Option<usize>,
}

/// A statement as it is compared with others.
#[derive(Clone, Debug)]
struct Statement {
    fact: usize,
    voice: Role,
    words: BTreeSet<String>,
    marked: BTreeSet<String>,
}

impl Statement {
    fn shared(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
            + 2 * self.marked.intersection(&other.marked).count()
    }

    /// Whether it speaks of all that the other is about.
    fn covers(&self, other: &Self) -> bool {
        !other.words.is_empty() && other.words.is_subset(&self.words)
    }

    fn is_about_the_same(&self, other: &Self) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.union(&other.words).count();
        shared >= 2 && shared as f64 >= SAME_SUBJECT * all as f64
    }
}

impl Ledger {
    /// The ledger of a path from its root.
    pub fn of(path: &[Message]) -> Self {
        let mut ledger = Self::default();
        path.iter().for_each(|message| ledger.push(message));
        ledger
    }

    /// How many messages it has read.
    pub fn len(&self) -> usize {
        self.said.len()
    }

    /// Whether it has read nothing.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// All facts, in the order in which they were said first.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// What the person demanded, in force or not, each with its number among the facts.
    pub fn constraints(&self) -> impl Iterator<Item = (usize, &Fact)> {
        self.constraints.iter().filter_map(|at| Some((*at, self.facts.get(*at)?)))
    }

    /// Numbers of the facts that the message at a place says.
    pub fn said_at(&self, place: usize) -> &[usize] {
        self.said.get(place).map_or(&[], Vec::as_slice)
    }

    /// The facts in force that the messages at these places say, in the order in which they were said first. Looks at
    /// what these messages say and at nothing else, however long the path is.
    pub fn within(&self, places: Range<usize>) -> impl Iterator<Item = &Fact> {
        let end = places.end.min(self.said.len());
        let said = &self.said[places.start.min(end)..end];
        let mut facts: Vec<usize> = said.iter().flatten().copied().collect();
        facts.sort_unstable();
        facts.dedup();
        facts.into_iter().map(|at| &self.facts[at]).filter(|fact| fact.entry.in_force)
    }

    /// Reads the next message of the path.
    pub fn push(&mut self, message: &Message) {
        let place = self.said.len();
        self.said.push(Vec::new());
        if message.role == Role::User {
            self.turn_start = place;
        }
        self.answer(message);
        self.end_command(message);
        for entry in entries(message) {
            let key = (entry.category, entry.key.clone());
            // A bare figure says something only where one like it was said with its clause.
            let bare = entry.category == Category::Number && marks::is_bare(&entry.text);
            if entry.key.is_empty() || bare && !self.places.contains_key(&key) {
                continue;
            }
            let at = match self.places.get(&key) {
                Some(at) => {
                    let fact = &mut self.facts[*at];
                    if fact.last() != place {
                        fact.mentions.push(place);
                        self.said[place].push(*at);
                    }
                    fact.used_again |= fact.mentions.first() < Some(&self.turn_start);
                    fact.entry.in_force = true;
                    fact.entry.exit = entry.exit.or(fact.entry.exit);
                    *at
                }
                None => {
                    if entry.category == Category::Constraint {
                        self.constraints.push(self.facts.len());
                    }
                    self.places.insert(key, self.facts.len());
                    self.said[place].push(self.facts.len());
                    self.facts.push(Fact { entry, mentions: vec![place], used_again: false });
                    self.facts.len() - 1
                }
            };
            match self.facts[at].entry.category {
                Category::Command => self.last_command = Some(at),
                category if category.is_statement() => self.state(at, message.role),
                _ => {}
            }
        }
    }

    /// What a program ended with belongs to the command before it, which often stands in the message before.
    fn end_command(&mut self, message: &Message) {
        let results = message.parts.iter().filter_map(|part| match part {
            Part::ToolResult { text, .. } => marks::exits(text).first().copied(),
            _ => None,
        });
        let spoken = (message.role == Role::Tool).then(|| message.text());
        let spoken = spoken.and_then(|text| marks::exits(&text).first().copied());
        if let Some((_, exit)) = results.chain(spoken).next()
            && let Some(fact) = self.last_command.and_then(|at| self.facts.get_mut(at))
        {
            fact.entry.exit = Some(exit);
        }
    }

    /// A new statement, and what it replaces.
    fn state(&mut self, fact: usize, voice: Role) {
        let entry = &self.facts[fact].entry;
        let (category, back) = (entry.category, takes_back(&entry.text));
        let (words, marked) = words(&entry.text);
        let statement = Statement { fact, voice, words, marked };
        let replaced = |other: &&Statement| {
            let before = &self.facts[other.fact].entry;
            let shared = statement.shared(other);
            before.in_force
                && other.fact != fact
                && match (before.category, category) {
                    (_, Category::Question) => false,
                    (Category::Question, _) => shared >= 2,
                    (Category::Constraint, _) => back && shared >= 3,
                    _ => {
                        back && (shared >= 2 || statement.covers(other))
                            || statement.is_about_the_same(other)
                    }
                }
        };
        let recent = self.statements.iter().rev().take(LOOKS_BACK);
        let best =
            recent.filter(replaced).max_by_key(|other| (statement.shared(other), other.fact));
        if let Some(best) = best.map(|other| other.fact) {
            self.facts[best].entry.in_force = false;
        }
        self.statements.push(statement);
    }

    /// What the other side says about an open question answers it.
    fn answer(&mut self, message: &Message) {
        if !matches!(message.role, Role::User | Role::Assistant) {
            return;
        }
        let recent = self.statements.iter().rev().take(LOOKS_BACK);
        let asked: Vec<&Statement> = recent
            .filter(|it| it.voice != message.role && self.facts[it.fact].entry.in_force)
            .filter(|it| self.facts[it.fact].entry.text.ends_with(['?', '？']))
            .filter(|it| self.facts[it.fact].entry.category == Category::Question)
            .collect();
        if asked.is_empty() {
            return;
        }
        let (words, marked) = words(&message.text());
        let is_about =
            |it: &&Statement| !it.words.is_disjoint(&words) || !it.marked.is_disjoint(&marked);
        let answered: Vec<usize> = asked.into_iter().filter(is_about).map(|it| it.fact).collect();
        answered.into_iter().for_each(|at| self.facts[at].entry.in_force = false);
    }
}
