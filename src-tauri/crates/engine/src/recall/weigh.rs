//! What candidates are worth to what is asked: the ranking puts them in order, and how much they really share with it
//! says whether any of them is worth sending at all.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;

use super::alike::Form;
use super::otherwise::{otherwise, told_by_values};
use super::reads::Term;
use super::words::{self, Word};
use super::{Asked, Candidate, Candidates, Index, Model, Reads, Said};
use crate::meaning::{Near, nearness};
use crate::message::Role;
use crate::search::{Phrase, question};

/// Silence after which a new sitting begins.
const SITTING: SignedDuration = SignedDuration::from_hours(6);
/// What a word is worth that is met by its beginning, its sound or its meaning, and not as it is written.
const LOOSELY: f32 = 0.6;
/// What a word is worth that stands in the message before or after.
const BESIDE: f32 = 0.5;
/// What a word that was never said takes off, beside one that was.
const NEVER_SAID: f32 = 0.4;
/// How much must be shared before its share counts in full: about a word that one message of twenty has.
const EVIDENCE: f32 = 3.0;
/// How much of the worth is what is shared; the rest is the place in the ranking.
const SHARED: f32 = 0.75;
/// How much of what words leave open it is worth to stand out as near in meaning. It says whether a stretch is worth sending;
/// in which order they go is learned.
const MEANT: f32 = 0.6;
/// Most ways of saying a word otherwise that the index over everything is asked for.
const OTHERS: usize = 24;
/// Most phrases that it is asked for. Of a longer text the beginning and the end are looked for: what is asked stands
/// before a paste or behind it.
const PHRASES: usize = 1_024;
/// Most stretches that are given back.
const MOST: usize = 96;
/// Texts of which more than this share of terms is in another say the same.
const SAME: f32 = 0.8;
/// Of so many of the best it is asked whether their values changed, and how many values that is at most.
const BEST: usize = 8;
const VALUES: usize = 16;

/// A stretch of a candidate, weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// Which one.
    pub of: Of,
    /// What it is worth, 0 to 100.
    pub worth: u32,
    /// Whether more of that is how near it is in meaning than what words it shares.
    pub by_meaning: bool,
    /// Its score in the ranking, in thousandths.
    pub score: i32,
    /// The question that it answers, or the answer to it: what goes with it.
    pub beside: Option<Of>,
    /// The newest that says otherwise: it goes first, and with it.
    pub otherwise: Option<Of>,
}

/// A stretch of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Of {
    /// The candidate.
    pub place: usize,
    /// Which of its stretches, in order.
    pub stretch: usize,
}

/// The phrases to ask the index for; none where the text only says that something is asked.
pub fn phrases(asked: &str) -> Vec<Phrase> {
    let words = words::telling(asked);
    if words.is_empty() {
        return Vec::new();
    }
    let mut phrases = question(asked);
    if phrases.len() > PHRASES {
        phrases.drain(PHRASES / 2..phrases.len() - PHRASES / 2);
    }
    let known = phrases.iter().filter(|phrase| !phrase.open).map(|phrase| phrase.tokens.clone());
    let mut known: HashSet<Vec<String>> = known.collect();
    for word in &words {
        // A word of one syllable stands in that index as the end of others too.
        let (verbs, nouns): (Vec<&Form>, Vec<&Form>) = word
            .same
            .iter()
            .copied()
            .filter(|form| form.text.chars().nth(1).is_some())
            .partition(|form| form.of_verb);
        for form in nouns.into_iter().chain(verbs).take(OTHERS) {
            if phrases.len() == PHRASES {
                return phrases;
            }
            if known.insert(form.terms.clone()) {
                phrases.push(Phrase { tokens: form.terms.clone(), open: false });
            }
        }
    }
    phrases
}

/// The stretches of candidates that share anything with what is asked, best first; what says the same as a better one is missing.
/// `phrases` are those that were asked for, `near` the stretches of messages that stand out in meaning; without any, words
/// alone decide. `reads` remembers how they read, `today` is the day of the question, and `day` says on which day something
/// was said.
pub fn weigh(
    asked: &str,
    today: Date,
    phrases: &[Phrase],
    from: &Candidates,
    near: &[Near],
    reads: &Reads,
    day: impl Fn(Timestamp) -> Date,
) -> Vec<Weighed> {
    let laid = Laid::of(from, reads, day);
    let words = words::telling(asked);
    let shared = laid.shared(&words, phrases, &from.having);
    let meant = laid.meant(near);
    let asked = Asked { text: asked, today: Some(today), meant: &meant };
    let ranked = laid.index.rank(&asked, Model::for_asked(&asked));
    let most = ranked.first().map_or(1.0, |best| best.score.max(f32::MIN_POSITIVE));
    let scores: HashMap<usize, f32> = ranked.iter().map(|it| (it.place, it.score)).collect();
    let newer = laid.newer(asked.text, ranked.iter().map(|it| it.place));
    let mut weighed: Vec<Weighed> = Vec::new();
    let mut terms: Vec<Vec<Term>> = Vec::new();
    for it in ranked {
        let Some(of) = laid.candidate(it.place) else { continue };
        let meant = MEANT * meant.get(it.place).map_or(0.0, |standing| nearness(*standing));
        let Shared { share, evidence } = shared[it.place];
        let order = (it.score / most).clamp(0.0, 1.0);
        let worth = (SHARED * share + (1.0 - SHARED) * order) * (evidence / EVIDENCE).min(1.0);
        let by_words = worth.clamp(0.0, 1.0);
        let more = (1.0 - by_words) * meant;
        // Between 0 and 100.
        let worth = ((by_words + more) * 100.0).round() as u32;
        if worth == 0 {
            continue;
        }
        let mut own = laid.index.entries[it.place].read.plain.clone();
        own.sort_unstable();
        own.dedup();
        if terms.iter().any(|other| says_the_same(&own, other)) {
            continue;
        }
        terms.push(own);
        if weighed.len() == MOST {
            break;
        }
        let score = (it.score * 1e3) as i32;
        let beside = laid.beside(it.place, &scores);
        let otherwise = newer.get(&it.place).and_then(|newer| laid.candidate(*newer));
        let by_meaning = more > by_words;
        weighed.push(Weighed { of, worth, by_meaning, score, beside, otherwise });
    }
    outrank(&mut weighed);
    // What is worth the same stays as it was ranked.
    weighed.sort_by_key(|it| std::cmp::Reverse(it.worth));
    weighed
}

/// What to ask the index for besides, since what changed a value need not share anything else with what is asked: the values
/// of the best of what was weighed.
pub fn values_of(weighed: &[Weighed], from: &Candidates, reads: &Reads) -> Vec<Phrase> {
    let mut values: Vec<Phrase> = Vec::new();
    for Of { place, stretch } in weighed.iter().take(BEST).map(|it| it.of) {
        let Candidate { text, role, .. } = &from.messages[place];
        let read = &reads.read(text, Some(*role))[stretch];
        let told = read.values.get_or_init(|| told_by_values(&text[read.bytes.clone()]));
        for value in told {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    values.truncate(VALUES);
    values
}

/// What says otherwise is worth no less than the older one.
fn outrank(weighed: &mut Vec<Weighed>) {
    for older in weighed.clone() {
        let Some(of) = older.otherwise else { continue };
        match weighed.iter_mut().find(|it| it.of == of) {
            Some(it) => {
                if it.worth < older.worth {
                    (it.worth, it.by_meaning) = (older.worth, older.by_meaning);
                }
                it.score = it.score.max(older.score);
            }
            None => weighed.push(Weighed { of, beside: None, otherwise: None, ..older }),
        }
    }
}

/// What a candidate shares with what is asked.
#[derive(Clone, Copy, Debug, Default)]
struct Shared {
    /// How much of what the words tell, 0 to 1.
    share: f32,
    /// How much that is: the rarer the words, the more.
    evidence: f32,
}

/// Candidates as an index wants them: in the order of time, with a gap where something stood between them.
struct Laid<'a> {
    index: Index,
    /// For each message of the index the candidate that it is; `None` for a gap.
    places: Vec<Option<usize>>,
    messages: &'a [Candidate],
}

impl<'a> Laid<'a> {
    fn of(from: &'a Candidates, reads: &Reads, day: impl Fn(Timestamp) -> Date) -> Self {
        let messages = from.messages.as_slice();
        let mut newest: HashMap<_, i64> = HashMap::new();
        for message in messages {
            let newest = newest.entry(message.conversation_id).or_insert(message.seq);
            *newest = message.seq.max(*newest);
        }
        let mut order: Vec<usize> = (0..messages.len()).collect();
        order.sort_by_key(|at| {
            let it = &messages[*at];
            (newest[&it.conversation_id], it.conversation_id, it.index, it.seq)
        });
        let mut laid = Self { index: Index::among(from.all), places: Vec::new(), messages };
        let mut session = 0;
        let mut last: Option<&Candidate> = None;
        for at in order {
            let it = &messages[at];
            let speaker = speaker(it.role);
            if let Some(last) = last {
                let goes_on = it.parent_id == Some(last.message_id);
                session += u32::from(!goes_on || it.at.duration_since(last.at) > SITTING);
                if !goes_on {
                    laid.push(
                        None,
                        &Said { speaker, role: None, text: "", on: None, session },
                        reads,
                    );
                }
            }
            let (role, on) = (Some(it.role), Some(day(it.at)));
            laid.push(Some(at), &Said { speaker, role, text: &it.text, on, session }, reads);
            last = Some(it);
        }
        laid
    }

    fn push(&mut self, candidate: Option<usize>, said: &Said<'_>, reads: &Reads) {
        self.index.push(said, reads);
        self.places.push(candidate);
    }

    fn text(&self, message: usize) -> &'a str {
        self.places[message].map_or("", |at| &self.messages[at].text)
    }

    /// What is said at a place of the index.
    fn stretch(&self, place: usize) -> &'a str {
        let (message, bytes) = self.index.stretch(place);
        &self.text(message)[bytes]
    }

    /// The candidate at a place of the index.
    fn candidate(&self, place: usize) -> Option<Of> {
        let (message, _) = self.index.stretch(place);
        let stretch = place - self.index.siblings(place).start;
        self.places[message].map(|place| Of { place, stretch })
    }

    /// For the best places of which something was said otherwise since, where the newest stands that does.
    fn newer(&self, asked: &str, best: impl Iterator<Item = usize>) -> HashMap<usize, usize> {
        let when = |place: usize| {
            let (message, _) = self.index.stretch(place);
            self.places[message].map(|at| (self.messages[at].at, self.messages[at].seq))
        };
        otherwise(&self.index, asked, best, |place| self.stretch(place), when)
    }

    /// For each place how far it stands out in meaning; nothing at all where nothing does.
    fn meant(&self, near: &[Near]) -> Vec<f32> {
        if near.is_empty() {
            return Vec::new();
        }
        let near: HashMap<(i64, usize), f32> =
            near.iter().map(|it| ((it.seq, it.stretch as usize), it.standing)).collect();
        let at = |place: usize| {
            let of = self.candidate(place)?;
            near.get(&(self.messages[of.place].seq, of.stretch)).copied()
        };
        (0..self.index.len()).map(|place| at(place).unwrap_or(0.0)).collect()
    }

    /// For each place what it shares with the words.
    fn shared(&self, words: &[Word], phrases: &[Phrase], having: &[u64]) -> Vec<Shared> {
        let mut shared = vec![Shared::default(); self.index.len()];
        let whole = phrases.iter().zip(having).filter(|(phrase, _)| !phrase.open);
        let having: HashMap<&[String], u64> =
            whole.map(|(phrase, having)| (phrase.tokens.as_slice(), *having)).collect();
        let mut all = 0.0;
        for word in words {
            let met = self.met(word);
            let known = having.get(word.tokens.as_slice()).copied().unwrap_or(0);
            let often = u32::try_from(known).unwrap_or(u32::MAX).max(met.len() as u32);
            let rarity = self.index.rarity(often);
            if met.is_empty() {
                all += NEVER_SAID * rarity;
                continue;
            }
            all += rarity;
            for (place, shared) in shared.iter_mut().enumerate() {
                let at = |place: Option<usize>| {
                    place.and_then(|place| met.get(&place)).copied().unwrap_or(0.0)
                };
                let beside = at(place.checked_sub(1)).max(at(Some(place + 1)));
                shared.evidence += rarity * at(Some(place)).max(BESIDE * beside);
            }
        }
        for it in &mut shared {
            it.share = it.evidence / f32::max(all, f32::MIN_POSITIVE);
        }
        shared
    }

    /// Where a word is met, and how well.
    fn met(&self, word: &Word) -> FxHashMap<usize, f32> {
        let mut met: FxHashMap<usize, f32> = FxHashMap::default();
        let plain = word.plain.iter().filter_map(|term| self.index.postings(term));
        let part = 1.0 / word.plain.len().max(1) as f32;
        for postings in plain {
            postings.iter().for_each(|(place, _)| *met.entry(place).or_default() += part);
        }
        // A pair of syllables alone may be of any word.
        met.retain(|_, share| *share >= 0.5);
        let loose = word.loose.iter().filter_map(|term| self.index.postings(term));
        let loose = loose.flat_map(|postings| postings.iter().map(|(place, _)| place));
        for place in loose.chain(self.index.having_any(&word.same)) {
            let share = met.entry(place).or_default();
            *share = share.max(LOOSELY);
        }
        met
    }

    /// The question before an answer, or what of the answer to a question scores most, where it stands right beside.
    fn beside(&self, place: usize, scores: &HashMap<usize, f32>) -> Option<Of> {
        let role = |it: Of| self.messages[it.place].role;
        let siblings = self.index.siblings(place);
        match role(self.candidate(place)?) {
            Role::User if self.stretch(place).contains(['?', '？']) => {
                let after = siblings.end;
                let answer = (after < self.index.len()).then(|| self.index.siblings(after))?;
                let score = |at: &usize| scores.get(at).copied().unwrap_or(f32::MIN);
                // Of equals the first.
                let best = answer.rev().max_by(|a, b| score(a).total_cmp(&score(b)))?;
                self.candidate(best).filter(|it| role(*it) == Role::Assistant)
            }
            Role::Assistant => {
                let before = siblings.start.checked_sub(1)?;
                let asked = self.index.question_of(place).unwrap_or(before);
                self.candidate(asked).filter(|it| role(*it) == Role::User)
            }
            _ => None,
        }
    }
}

fn speaker(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
    }
}

/// Whether two texts have nearly all terms in common, of each of which they are given once and in order.
fn says_the_same(a: &[Term], b: &[Term]) -> bool {
    let enough = SAME * a.len().max(b.len()) as f32;
    if a.len().min(b.len()) as f32 <= enough {
        return false;
    }
    let mut rest = b.iter().peekable();
    let mut lacking = a.iter().filter(|term| {
        while rest.next_if(|it| it < term).is_some() {}
        rest.next_if_eq(term).is_none()
    });
    // Most texts are told apart by the first few.
    let too_many = (a.len() as f32 - enough).ceil() as usize;
    lacking.nth(too_many - 1).is_none()
}
