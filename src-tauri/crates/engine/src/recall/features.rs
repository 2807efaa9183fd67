//! What speaks for a message: one figure a feature, most of them between 0 and 1 and relative to the best message of the
//! same question, so that weights mean the same in a short conversation and in a long one.

use std::collections::{BTreeMap, HashSet};

use super::feature::{COUNT, Feature, Features};
use super::index::{Entry, Index, rarity};
use super::near::Nearness;
use super::question::{Asked, Reading};
use super::reads::{Term, bit, term_of};
use super::teller;
use super::words::asked;
use crate::ledger::Category;
use crate::message::Role;

/// Messages that are looked at closely; the rest of a longer conversation is passed over.
const CLOSELY: usize = 1_000;
/// Messages of which the words are read again.
const READ_AGAIN: usize = 120;
/// In a conversation of more messages, a word that more than this share of them has tells nothing apart.
const FREQUENT: f32 = 0.15;
const LONG: usize = 2_000;
/// Words between which others are near.
const NEAR: usize = 12;
/// BM25: how soon a repeated word stops to count, and how much length does.
const K1: f32 = 1.2;
const B: f32 = 0.5;

/// What the terms of a question come to, for every message.
struct Scores {
    words: Vec<f32>,
    shared: Vec<f32>,
    rarest: Vec<f32>,
    window: Vec<f32>,
    beginnings: Vec<f32>,
    sounds: Vec<f32>,
    alike: Vec<f32>,
}

impl Index {
    /// The messages that may answer, in order, with their features.
    pub fn candidates(&self, question: &Asked<'_>) -> Vec<(usize, Features)> {
        let own = asked(question.text);
        let reading = Reading::of(question);
        let mut scores = Scores::new(self.len());
        let weight = self.add_words(&own.plain, &mut scores);
        self.add_loosely(&own.beginnings, &mut scores.beginnings);
        self.add_loosely(&own.sounds, &mut scores.sounds);
        let met = self.met(question.text);
        scores.alike.clone_from(&met.alike);
        scores.shared.iter_mut().for_each(|shared| *shared /= weight.max(f32::MIN_POSITIVE));
        let most_rare = peak(&scores.rarest);
        scores.rarest.iter_mut().for_each(|rare| *rare /= most_rare);
        for list in [
            &mut scores.words,
            &mut scores.window,
            &mut scores.beginnings,
            &mut scores.sounds,
            &mut scores.alike,
        ] {
            let most = peak(list);
            list.iter_mut().for_each(|score| *score /= most);
        }
        let sessions = self.sessions(&scores.words);
        let named = self.named(question.text);
        let near = Nearness::of(question);
        let first = |place: usize| scores.first(place) + near.beside_best(place);
        let places = self.places(first);
        let read_again = best(&places, READ_AGAIN, first);
        let order: Vec<Term> = own.plain.iter().map(|term| term_of(term)).collect();
        places
            .into_iter()
            .map(|place| {
                let mut features = self.features(place, &scores, &reading, &sessions, &named);
                met.tell(self, place, &mut features);
                near.tell(self, place, &mut features);
                teller::tell(self.entries[place].role, &reading, &mut features);
                if read_again.contains(&place) && scores.words[place] > 0.0 {
                    let (close, phrase) = closeness(&order, &self.entries[place].read.plain);
                    features.set(Feature::Near, close);
                    features.set(Feature::Phrase, phrase);
                }
                (place, features)
            })
            .collect()
    }

    /// Plain BM25 of every whole message that shares a word, for comparison.
    pub fn bm25(&self, question: &str) -> Vec<(usize, f32)> {
        let mut lengths = vec![0.0_f32; self.messages()];
        self.entries.iter().for_each(|it| lengths[it.message as usize] += it.read.length());
        let average = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(1.0);
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for postings in asked(question).plain.iter().filter_map(|word| self.postings(word)) {
            let mut counts: BTreeMap<usize, f32> = BTreeMap::new();
            for (place, count) in postings.iter() {
                *counts.entry(self.entries[place].message as usize).or_default() += count;
            }
            let rarity = rarity(lengths.len(), counts.len());
            for (message, count) in counts {
                let saturated = saturated(count, lengths[message] / average);
                *scores.entry(message).or_default() += rarity * saturated;
            }
        }
        scores.into_iter().collect()
    }

    /// Adds the words of a question, rare ones first; what all of them tell.
    fn add_words(&self, words: &[String], scores: &mut Scores) -> f32 {
        let mut found: Vec<_> = words.iter().filter_map(|word| self.postings(word)).collect();
        found.sort_by_key(|postings| postings.messages);
        let most = (self.len() as f32 * FREQUENT) as u32;
        // A word that was never said counts in full, so that having all the others is not having everything.
        let mut weight = (words.len() - found.len()) as f32 * self.rarity(0);
        for (at, postings) in found.into_iter().enumerate() {
            if at > 0 && self.len() > LONG && postings.messages > most {
                break;
            }
            let rarity = self.rarity(postings.messages);
            weight += rarity;
            let said: Vec<(usize, f32)> = postings.iter().collect();
            for (place, count) in &said {
                let length = self.entries[*place].read.length() / self.average();
                scores.words[*place] += rarity * saturated(*count, length);
                scores.shared[*place] += rarity;
                scores.rarest[*place] = scores.rarest[*place].max(rarity);
            }
            self.add_window(&said, rarity, &mut scores.window);
        }
        weight
    }

    /// Adds a word to every message that has it or stands beside one that has.
    fn add_window(&self, said: &[(usize, f32)], rarity: f32, window: &mut [f32]) {
        let mut next = 0;
        for (at, (place, _)) in said.iter().enumerate() {
            next = next.max(place.saturating_sub(1));
            while next <= (place + 1).min(self.len() - 1) {
                let centre = next;
                let around =
                    said[at.saturating_sub(2)..].iter().take_while(|it| it.0 <= centre + 1);
                let count: f32 =
                    around.filter(|it| it.0 + 1 >= centre).map(|(_, count)| count).sum();
                let first = centre.saturating_sub(1);
                let messages = &self.entries[first..=(centre + 1).min(self.len() - 1)];
                let length: f32 = messages.iter().map(|entry| entry.read.length()).sum();
                window[centre] += rarity * saturated(count, length / self.average() / 3.0);
                next += 1;
            }
        }
    }

    /// Adds terms that hint at a word; how often they occur and in how long a message does not matter.
    fn add_loosely(&self, terms: &[String], scores: &mut [f32]) {
        let most = (self.len() as f32 * FREQUENT) as u32;
        for postings in terms.iter().filter_map(|term| self.postings(term)) {
            if self.len() > LONG && postings.messages > most {
                continue;
            }
            let rarity = self.rarity(postings.messages);
            postings.iter().for_each(|(place, _)| scores[place] += rarity);
        }
    }

    /// For each sitting the mean of its three best messages.
    fn sessions(&self, words: &[f32]) -> Vec<(u32, f32)> {
        let mut sessions: Vec<(u32, [f32; 3])> = Vec::new();
        for (entry, score) in self.entries.iter().zip(words) {
            if sessions.last().is_none_or(|(session, _)| *session != entry.session) {
                sessions.push((entry.session, [0.0; 3]));
            }
            if let Some((_, best)) = sessions.last_mut() {
                let mut score = *score;
                for slot in best {
                    if score > *slot {
                        std::mem::swap(slot, &mut score);
                    }
                }
            }
        }
        let mean = |best: [f32; 3]| best.iter().sum::<f32>() / 3.0;
        sessions.into_iter().map(|(session, best)| (session, mean(best))).collect()
    }

    /// How far the model speaks at length: the share of its stretches that are not the first of an answer.
    pub fn said_at_length(&self) -> f32 {
        let said = self.entries.iter().enumerate();
        let (mut all, mut further) = (0.0_f32, 0.0);
        for (place, it) in said.filter(|(_, it)| it.role == Some(Role::Assistant)) {
            all += 1.0;
            further += f32::from(u8::from(it.first as usize != place));
        }
        further / all.max(1.0)
    }

    /// Which speakers a question names.
    fn named(&self, question: &str) -> HashSet<u16> {
        let lower = question.to_lowercase();
        let words: HashSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let called = |name: &String| {
            let name = name.to_lowercase();
            words.contains(name.as_str()) || (!name.is_ascii() && lower.contains(&name))
        };
        let speakers = self.speakers.iter().enumerate().filter(|(_, name)| called(name));
        speakers.filter_map(|(at, _)| u16::try_from(at).ok()).collect()
    }

    /// Places worth a close look, in order.
    fn places(&self, first: impl Fn(usize) -> f32) -> Vec<usize> {
        let all: Vec<usize> = (0..self.len()).collect();
        if all.len() <= CLOSELY {
            return all;
        }
        let mut chosen: Vec<usize> = best(&all, CLOSELY, first).into_iter().collect();
        chosen.sort_unstable();
        chosen
    }

    fn features(
        &self,
        place: usize,
        scores: &Scores,
        reading: &Reading,
        sessions: &[(u32, f32)],
        named: &HashSet<u16>,
    ) -> Features {
        let entry = &self.entries[place];
        let at = |list: &[f32], by: isize| {
            place.checked_add_signed(by).and_then(|place| list.get(place)).copied().unwrap_or(0.0)
        };
        let flag = |is: bool| f32::from(u8::from(is));
        let asked_before = self.question_of(place).is_some();
        let siblings = self.siblings(place);
        let session = sessions.binary_search_by_key(&entry.session, |it| it.0).ok();
        let position = place as f32 / (self.len() - 1).max(1) as f32;
        let wanted = entry.read.marks & reading.wants;
        let mut features = Features([0.0; COUNT]);
        let mut set = |feature, value| features.set(feature, value);
        set(Feature::Words, scores.words[place]);
        set(Feature::Coverage, scores.shared[place]);
        set(Feature::Rarest, scores.rarest[place]);
        set(Feature::Window, scores.window[place]);
        set(Feature::Before, at(&scores.words, -1));
        set(Feature::After, at(&scores.words, 1));
        set(Feature::Answers, flag(asked_before) * at(&scores.words, -1));
        set(Feature::Asks, flag(self.is_answered_question(place)) * scores.words[place]);
        set(Feature::Session, session.map_or(0.0, |at| sessions[at].1));
        set(Feature::Beginnings, scores.beginnings[place]);
        set(Feature::Sounds, scores.sounds[place]);
        set(Feature::Alike, scores.alike[place]);
        set(Feature::AlikeAround, at(&scores.alike, -1).max(at(&scores.alike, 1)));
        set(Feature::Named, flag(named.contains(&entry.speaker)));
        set(Feature::OtherNamed, flag(!named.is_empty() && !named.contains(&entry.speaker)));
        set(Feature::Mine, flag(reading.mine && entry.role == Some(Role::User)));
        set(Feature::Yours, flag(reading.yours && entry.role == Some(Role::Assistant)));
        set(Feature::Person, flag(entry.role == Some(Role::User)));
        set(Feature::Model, flag(entry.role == Some(Role::Assistant)));
        if let Some(away) = reading.distance(entry.on) {
            set(Feature::OnDay, flag(away == 0));
            let after = reading.days.iter().any(|days| entry.on > Some(*days.end()));
            set(Feature::NearDay, flag(after && (1..=14).contains(&away)));
            set(Feature::OffDay, flag(away > 14));
        }
        set(Feature::Recency, position);
        set(Feature::Newest, flag(reading.newest) * position);
        set(Feature::Oldest, flag(reading.oldest) * (1.0 - position));
        set(Feature::Length, entry.read.length().max(1.0).ln() / 5.0);
        set(Feature::Part, 1.0 - 1.0 / siblings.len() as f32);
        set(Feature::Opens, flag(siblings.len() > 1 && siblings.start == place));
        set(Feature::Closes, flag(siblings.len() > 1 && siblings.end == place + 1));
        set(Feature::Question, flag(entry.read.asks));
        set(Feature::Facts, entry.read.marks.count_ones() as f32 / 5.0);
        set(Feature::Wanted, flag(wanted != 0));
        set(Feature::WantedWords, flag(wanted != 0) * scores.words[place]);
        set(Feature::Unit, flag(entry.read.units & reading.units != 0));
        let shapes = (entry.read.shapes & reading.shapes).count_ones() as f32;
        set(Feature::Shape, shapes / reading.shapes.count_ones().max(1) as f32);
        set(Feature::Time, flag(reading.when && entry.read.tells_time));
        set(Feature::Reason, flag(reading.why && entry.read.tells_reason));
        set(Feature::Statement, flag(entry.is_statement()));
        features
    }
}

impl Entry {
    fn is_statement(&self) -> bool {
        self.read.marks & (bit(Category::Constraint) | bit(Category::Decision)) != 0
    }
}

impl Scores {
    fn new(messages: usize) -> Self {
        let none = || vec![0.0; messages];
        Self {
            words: none(),
            shared: none(),
            rarest: none(),
            window: none(),
            beginnings: none(),
            sounds: none(),
            alike: none(),
        }
    }

    /// A first guess, by which few are chosen from many.
    fn first(&self, place: usize) -> f32 {
        self.words[place]
            + self.window[place]
            + 0.3 * (self.beginnings[place] + self.sounds[place] + self.alike[place])
    }
}

fn saturated(count: f32, length: f32) -> f32 {
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
}

/// The highest of these, or one where there is nothing to divide.
fn peak(scores: &[f32]) -> f32 {
    let most = scores.iter().copied().fold(0.0, f32::max);
    if most > 0.0 { most } else { 1.0 }
}

/// The places with the highest scores; of equals the newer.
fn best(places: &[usize], count: usize, score: impl Fn(usize) -> f32) -> HashSet<usize> {
    let mut ranked: Vec<(f32, usize)> =
        places.iter().map(|place| (score(*place), *place)).collect();
    if ranked.len() > count {
        ranked.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        ranked.truncate(count);
    }
    ranked.into_iter().map(|(_, place)| place).collect()
}

/// How close words of a question stand in a text: the share of them within a few words, and the share of its pairs of
/// words that follow each other here as they do there.
fn closeness(question: &[Term], text: &[Term]) -> (f32, f32) {
    let asked: HashSet<Term> = question.iter().copied().collect();
    let all = text.iter().copied().enumerate();
    let hits: Vec<(usize, Term)> = all.filter(|(_, term)| asked.contains(term)).collect();
    let mut near = 0;
    for (first, (at, _)) in hits.iter().enumerate() {
        let within = hits[first..].iter().take_while(|it| it.0 < at + NEAR);
        near = near.max(within.map(|it| it.1).collect::<HashSet<_>>().len());
    }
    let follows: HashSet<(Term, Term)> = hits.windows(2).map(|two| (two[0].1, two[1].1)).collect();
    let pairs = question.windows(2).filter(|two| follows.contains(&(two[0], two[1]))).count();
    (near as f32 / question.len().max(1) as f32, pairs as f32 / (question.len().max(2) - 1) as f32)
}
