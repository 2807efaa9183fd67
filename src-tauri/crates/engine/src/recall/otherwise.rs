//! What was said otherwise since: the later stretch that gives what an earlier one says another value, takes it back, or
//! denies it.
//!
//! A ranking finds "Postgres listens on 5433" for a question about Postgres, and not "5435 instead, the other one is taken":
//! whoever reads the first alone is told what holds no more. So the best stretches are held against what was said later, by
//! rules in the order of how sure they are: two sentences name the earlier value and give another of its kind instead; one
//! names it as the old one; it says that something changed, or nearly the same sentence, with another value of that kind for
//! what is asked; one of them says *never* of what the other says was. Requests and `silt recall eval` ask it alike. What is
//! not here: which of both is true, and values in words ("five", the name of a database).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::index::Index;
use super::words::{stemmed, terms};
use crate::density::{bare, sentences};
use crate::ledger::{Category, Voice, key, scan};
use crate::message::Role;
use crate::pattern::pattern;
use crate::search::{Phrase, question, telling_words};

/// Of so many of the best stretches it is asked what was said otherwise.
const ASKED: usize = 24;
/// Later stretches that each is held against, those that share most with it first.
const AGAINST: usize = 16;
/// A word that more stretches have, and more than one of so many, tells too little for two to be about the same.
const RARE: usize = 48;
const ONE_OF: usize = 16;
/// Changes of changes that are followed.
const CHAIN: usize = 8;
/// Bytes on either side of a value that say what it is of.
const NEAR: usize = 80;
/// Words that two sentences share at least.
const SHARED: usize = 2;
/// How much the words around two values and in the question must tell that all three share: about two words that each
/// stand in one stretch of twenty. Of a short conversation so many times what a word tells that stands once.
const EVIDENCE: f32 = 6.0;
const OF_ONCE: f32 = 1.2;
/// Letters of a value that is hardly ever another one: more than these.
const BY_ITSELF: usize = 2;
/// How much two sentences share that say the same with other values.
const SAME: f64 = 0.75;
/// How much of a denial the other sentence has to say, and how many words of it.
const DENIED: f64 = 0.5;
const OF_DENIAL: usize = 3;
/// How sure a denial is: it is a contradiction, and no change.
const DENIAL: u8 = 1;

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| Patterns::new().ok());

struct Patterns {
    /// Says that something changed.
    moved: Regex,
    /// The same of a day or a time, which stand beside changes of anything.
    put_off: Regex,
    /// Says that something does not do.
    gives_up: Regex,
    /// What stands behind a value that something becomes.
    becomes: Regex,
    /// What stands before, and what behind, a value that holds no more.
    before_old: Regex,
    after_old: Regex,
    /// Says that something never was, up to where the clause ends.
    never: Regex,
}

impl Patterns {
    fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            moved: pattern(concat!(
                r"(?i)\b(?:now|new|newly|updated?|changed?|increas(?:ed?|ing)|rais(?:ed?|ing)|lower(?:ed|ing)?|reduced?|extended|rescheduled|postponed|moved?|bump(?:ed)?|grew|grown|reached|adjusted|revised|corrected|correction|switch(?:ed)?|actually|instead|no longer|latest|went (?:up|down)|(?:up|down) from|added|improved|shortened)\b",
                r"|이제|이젠|지금은|바뀌|바뀐|바꿨|바꿔|바꾸|바꿀|바꿈|바꿉|바꾼|바뀔|변경|수정|정정|늘렸|늘어|늘리|늘려|늘었|줄였|줄어|줄이|줄여|줄었|올렸|올라|올리|올려|올랐|오르|오른|내렸|내려|내리|옮겼|옮기|옮겨|미뤘|미루|미뤄|미룸|당겼|당겨|연기",
            ))?,
            put_off: pattern(
                r"(?i)\b(?:rescheduled?|postponed?|moved|extended|pushed|brought forward|delayed|put off|(?:new|updated|changed) (?:[a-z]+ ){0,2}(?:date|deadline|time|day|slot))\b|\bnow (?:on|at|by)\b|미뤄|미뤘|미루|미룸|미뤄|옮겼|옮기|옮겨|당겼|당겨|연기|늦춰|늦췄|바꾸|바꿔|바꿨|바꿉|바뀌|바뀐|변경",
            )?,
            gives_up: pattern(
                r"(?i)\btoo (?:high|low|long|short|many|few|much|small|large|big|slow|early|late|close)\b|\binstead\b|\bwrong\b|\bnot\b|n['’]t\b|\bkills?\b|너무|말고|대신|아니|겹치|겹친|겹쳐|충돌|안 ?(?:되|돼|된|됨)|못 ",
            )?,
            becomes: pattern(r"^[`'\x22*]*(?: ?[가-힣a-z%]{1,2})?(?:으로|로)(?:[ .,!)]|$)")?,
            before_old: pattern(
                r"(?i)\b(?:instead of|rather than|not|isn['’]t|no longer|used to be|previously|formerly|(?:up|down) from|replac(?:e|es|ed|ing)|drop(?:s|ped|ping)?)[ :]+(?:(?:the|on|at|with|old|port|version|about|exactly|a|an) )*[`'\x22*]*$",
            )?,
            after_old: pattern(concat!(
                r"(?i)^[`'\x22*]* ?(?:→|->|=>) ?[`'\x22*]*[$€₩]?[0-9.,]+ ?[a-z%°가-힣]{0,3}(?:[ .,;)`*]|$)",
                r"|^[`'\x22*]*(?: ?[가-힣a-z%]{1,3})? ?(?:대신|말고)|^[`'\x22*]*[가-힣]{0,3}(?:이|가)? ?아니(?:라|고)|^[`'\x22*]*[가-힣]{0,3}(?:은|는|을|를)? ?(?:취소|버리고|폐기)",
                r"|^[`'\x22*]*[가-힣a-z%]{0,3}에서 [^.!?]{1,24}로 |^[`'\x22*]* to [`'\x22*]*[$€₩]?[0-9]|^[`'\x22*]* any ?more\b",
            ))?,
            never: pattern(
                r"(?i)\b(?:i['’]ve|we['’]ve|have|has|had|i|we|you) never\b[^,;.!?]*|[^,;.!?]*[가-힣] 적(?:은|이|도)? ?(?:없|한 번도)[^,;.!?]*",
            )?,
        })
    }
}

/// A value in a sentence.
#[derive(Clone, Debug)]
struct Value {
    /// The noun or the unit that says of which kind it is, of a version what it is of; empty for a bare figure.
    kind: String,
    /// The same for all ways of writing it.
    key: String,
    /// Whether it is a day or a time.
    dated: bool,
    /// Words around it.
    near: BTreeSet<String>,
    /// Whether the sentence says of it that it changed.
    moved: bool,
    /// Whether it is named as what holds no more.
    old: bool,
    /// Whether something is to become it.
    becomes: bool,
}

impl Value {
    /// Whether it may be of the same kind: a bare figure does not say.
    fn may_be_as(&self, other: &Self) -> bool {
        self.kind == other.kind || self.kind.is_empty() || other.kind.is_empty()
    }

    /// Whether it is hardly ever another one.
    fn tells(&self) -> bool {
        self.key.len() > BY_ITSELF
    }
}

/// A sentence, or two, as they are held against others.
#[derive(Clone, Debug)]
struct Saying {
    words: BTreeSet<String>,
    values: Vec<Value>,
    /// Whether a model says it, which gives many examples.
    by_model: bool,
    /// Whether it says of something that it does not do.
    gives_up: bool,
    /// Words of what it says never was.
    denied: Option<BTreeSet<String>>,
}

impl Saying {
    fn of(patterns: &Patterns, said: &str, voice: Voice) -> Self {
        let marks = scan(said, voice);
        let values = marks.iter().filter_map(|mark| {
            let text = &said[mark.span.clone()];
            let (before, after) = around(said, mark.span.start, mark.span.end);
            let (kind, key) = match mark.category {
                Category::Number => measured(text),
                Category::Date => (mark.category.name().to_owned(), key(mark.category, text)),
                Category::Version => {
                    let of = before.split_whitespace().next_back().unwrap_or_default();
                    (format!("version {}", of.to_lowercase()), key(mark.category, text))
                }
                _ => return None,
            };
            let changed = match mark.category {
                Category::Date => &patterns.put_off,
                _ => &patterns.moved,
            };
            Some(Value {
                dated: mark.category == Category::Date,
                kind,
                key,
                near: [before, after].into_iter().flat_map(about).collect(),
                moved: [before, after].into_iter().any(|it| changed.is_match(it)),
                old: patterns.before_old.is_match(before) || patterns.after_old.is_match(after),
                becomes: patterns.becomes.is_match(after),
            })
        });
        let denied = patterns.never.find(said).map(|it| about(it.as_str()).collect());
        Self {
            words: about(said).collect(),
            values: values.collect(),
            by_model: voice == Voice::Model,
            gives_up: patterns.gives_up.is_match(said),
            denied,
        }
    }

    fn has(&self, value: &Value) -> bool {
        self.values.iter().any(|it| it.key == value.key && it.may_be_as(value))
    }

    /// Whether this names a value of `before` and gives another of its kind instead.
    fn replaces(&self, before: &Self) -> bool {
        let gives = |old: &Value| {
            let others = self.values.iter().filter(|new| new.key != old.key && new.may_be_as(old));
            let mut others = others.filter(|new| !before.has(new));
            others.any(|new| match new.becomes {
                true if !self.by_model => self.gives_up || new.moved,
                _ => self.gives_up && new.moved,
            })
        };
        let named = self.values.iter().filter(|old| !old.becomes);
        named.into_iter().any(|old| {
            let mut said = before.values.iter().filter(|it| it.key == old.key && it.may_be_as(old));
            said.any(|said| {
                let near = !said.near.is_disjoint(&old.near);
                let kind = !old.kind.is_empty() && said.kind == old.kind;
                let same = old.key.len() > BY_ITSELF + 1 || near && (kind || old.tells());
                same && gives(old)
            })
        })
    }

    /// Whether this, said later, says otherwise than `before` of what is asked; the higher, the surer.
    fn contradicts(&self, before: &Self, about: &About<'_>) -> Option<u8> {
        let shared = || self.words.intersection(&before.words);
        let is_new = |it: &&Value| !it.old && !before.has(it);
        let is_old = |it: &Value| {
            let about_it = || shared().filter(|word| about.asked.contains(*word)).count();
            it.old && before.has(it) && (it.tells() || about_it() >= SHARED)
        };
        let met = || !about.asked.is_disjoint(&before.words);
        let given = |old: &Value| self.values.iter().filter(is_new).any(|new| new.may_be_as(old));
        if !self.by_model && self.values.iter().any(|old| is_old(old) && given(old)) && met() {
            return Some(3);
        }
        let same = || {
            let (shared, all) = (shared().count(), self.words.union(&before.words).count());
            shared > SHARED && shared as f64 >= SAME * all as f64
        };
        let another = |old: &Value| {
            let new = self.values.iter().filter(|new| new.kind == old.kind).filter(is_new);
            new.into_iter().any(|new| {
                let both: BTreeSet<&String> = new.near.intersection(&old.near).collect();
                let asked = both.iter().copied().chain([&old.kind]);
                let asked: BTreeSet<&String> =
                    asked.filter(|it| about.asked.contains(*it)).collect();
                let evidence: f32 = asked.iter().map(|word| about.rarity(word)).sum();
                let close =
                    both.len() >= SHARED && 2 * both.len() >= new.near.len().min(old.near.len());
                let certain = asked.len() >= SHARED && evidence >= about.enough;
                let close = close && !new.dated && 2.0 * evidence >= about.enough;
                let moved = new.moved && !new.kind.is_empty() && !self.by_model;
                !asked.is_empty() && (moved && (close || certain) || same())
            })
        };
        if before.values.iter().filter(|old| !self.has(old)).any(another) {
            return Some(2);
        }
        let denies = |one: &Self, other: &Self| {
            one.denied.as_ref().is_some_and(|denied| {
                let shared: Vec<&String> = denied.intersection(&other.words).collect();
                let asked = shared.iter().filter(|word| about.asked.contains(**word)).count();
                asked >= SHARED
                    && shared.len() >= OF_DENIAL
                    && shared.len() as f64 >= DENIED * denied.len() as f64
            })
        };
        let by_people = !self.by_model && !before.by_model;
        let one_denies = self.denied.is_some() != before.denied.is_some();
        (by_people && one_denies && (denies(self, before) || denies(before, self)))
            .then_some(DENIAL)
    }
}

/// What a stretch says: each sentence that is no question, and each with the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Says {
    each: Vec<Saying>,
    pairs: Vec<Saying>,
}

impl Says {
    fn of(patterns: &Patterns, text: &str, role: Option<Role>) -> Self {
        let voice = match role {
            Some(Role::Assistant) => Voice::Model,
            Some(Role::Tool) => return Self::default(),
            _ => Voice::Person,
        };
        let said = sentences(text).into_iter().filter(|it| !it.code).map(|it| bare(it.text));
        // Who tells first and asks then tells something.
        let said: Vec<&str> =
            said.filter(|it| !it.ends_with(['?', '？']) || it.contains(", ")).collect();
        let at = |it: &str| it.as_ptr() as usize - text.as_ptr() as usize;
        let with_next = said.windows(2).map(|two| &text[at(two[0])..at(two[1]) + two[1].len()]);
        let last = said.last().copied();
        let saying = |it: &str| Saying::of(patterns, it, voice);
        Self {
            each: said.iter().copied().map(saying).collect(),
            pairs: with_next.chain(last).map(saying).collect(),
        }
    }

    /// Whether anything could say otherwise: it has a value or denies, or what is asked could be denied of it.
    fn may_change(&self, about: &About<'_>) -> bool {
        let asked = |it: &Saying| it.words.intersection(&about.asked).count() >= SHARED;
        self.each.iter().any(|it| !it.values.is_empty() || it.denied.is_some() || asked(it))
    }

    /// How sure it is that this, said later, says otherwise than `before`.
    fn contradicts(&self, before: &Self, about: &About<'_>) -> Option<u8> {
        let replaces = |new: &Saying| before.each.iter().any(|old| new.replaces(old));
        if self.pairs.iter().any(replaces) {
            return Some(4);
        }
        let says =
            |new: &Saying| before.each.iter().filter_map(|old| new.contradicts(old, about)).max();
        self.each.iter().filter_map(says).max()
    }
}

/// What is asked, and how much its words tell.
struct About<'a> {
    index: &'a Index,
    asked: BTreeSet<String>,
    /// How much words have to tell.
    enough: f32,
}

impl About<'_> {
    fn rarity(&self, word: &str) -> f32 {
        let terms = terms(word).plain;
        let having = terms.iter().filter_map(|term| self.index.postings(term));
        having.map(|it| self.index.rarity(it.messages)).fold(0.0, f32::max)
    }
}

/// The kind and the key of a figure.
fn measured(text: &str) -> (String, String) {
    let key = key(Category::Number, text);
    let digits = key.trim_matches(|c: char| !c.is_ascii_digit()).to_owned();
    let kind: String =
        text.chars().filter(|c| !(c.is_ascii_digit() || ",.`* ".contains(*c))).collect();
    (stemmed(&kind.to_lowercase()), digits)
}

/// Words of a text that say what it is about.
fn about(text: &str) -> impl Iterator<Item = String> {
    telling_words(text)
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|word| word.chars().count() > 2 || !word.is_ascii())
        .map(|word| stemmed(&word))
}

/// What stands right before and right behind a stretch of a text.
fn around(text: &str, start: usize, end: usize) -> (&str, &str) {
    let (mut from, mut to) = (start.saturating_sub(NEAR), (end + NEAR).min(text.len()));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    (&text[from..start], &text[end..to])
}

/// What to ask the index over everything for, so that what names a value of this text as the old one is found though it
/// shares nothing else with what is asked: "5435 instead of 5433".
pub(super) fn told_by_values(text: &str) -> Vec<Phrase> {
    let marks = scan(text, Voice::Person);
    let values =
        marks.iter().filter(|it| matches!(it.category, Category::Number | Category::Version));
    let values: BTreeSet<String> = values
        .map(|it| match it.category {
            Category::Number => measured(&text[it.span.clone()]).1,
            category => key(category, &text[it.span.clone()]),
        })
        .filter(|key| key.len() > BY_ITSELF)
        .collect();
    values.iter().flat_map(|key| question(key)).filter(|phrase| !phrase.open).collect()
}

/// Whether a text says of anything that it changed, or does not do.
pub fn says_changed(text: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|it| it.moved.is_match(text) || it.gives_up.is_match(text))
}

/// For each of the best stretches of an index of which something was said otherwise later, the newest that does. `text` is
/// what a stretch says, `when` orders stretches by the time they were said.
pub(super) fn otherwise<'t, W: Ord>(
    index: &Index,
    asked: &str,
    best: impl Iterator<Item = usize>,
    text: impl Fn(usize) -> &'t str,
    when: impl Fn(usize) -> W,
) -> HashMap<usize, usize> {
    let Some(patterns) = PATTERNS.as_ref() else { return HashMap::new() };
    let enough = EVIDENCE.min(OF_ONCE * index.rarity(1));
    let about = About { index, asked: about(asked).collect(), enough };
    let says = |place: usize| {
        let entry = &index.entries[place];
        entry.read.says.get_or_init(|| Says::of(patterns, text(place), entry.role))
    };
    let mut found: HashMap<usize, (usize, bool)> = HashMap::new();
    let mut held: HashSet<usize> = HashSet::new();
    let mut open: Vec<usize> = best.take(ASKED).collect();
    for _ in 0..CHAIN {
        for place in std::mem::take(&mut open) {
            if !held.insert(place) {
                continue;
            }
            if !says(place).may_change(&about) {
                continue;
            }
            let mut against = alike(index, place);
            against.retain(|other| when(*other) > when(place));
            against.truncate(AGAINST);
            let sure = |other: usize| says(other).contradicts(says(place), &about);
            let later = against.into_iter().filter_map(|other| Some((sure(other)?, other)));
            let surest = later.max_by_key(|(sure, other)| (*sure, when(*other), *other));
            if let Some((sure, later)) = surest {
                found.insert(place, (later, sure > DENIAL));
                open.push(later);
            }
        }
    }
    // Of a change of a change the last is told; what denies is told itself.
    let last = |place: &usize| {
        let (mut later, mut changes) = found[place];
        while let Some((next, changed)) =
            found.get(&later).filter(|(_, changed)| changes && *changed)
        {
            (later, changes) = (*next, *changed);
        }
        later
    };
    found.keys().map(|place| (*place, last(place))).collect()
}

/// Stretches that share rare words with one, those that share most first.
fn alike(index: &Index, place: usize) -> Vec<usize> {
    let mut shared: HashMap<usize, f32> = HashMap::new();
    let rare = RARE.max(index.len() / ONE_OF);
    for (term, _) in &index.entries[place].read.counts {
        let having = index.of_term(*term).filter(|it| it.messages as usize <= rare);
        let Some(postings) = having else { continue };
        let rarity = index.rarity(postings.messages);
        postings.iter().for_each(|(other, _)| *shared.entry(other).or_default() += rarity);
    }
    shared.remove(&place);
    let mut shared: Vec<(usize, f32)> = shared.into_iter().collect();
    shared.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    shared.into_iter().map(|(other, _)| other).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::{Index, Reads, Said};
    use super::*;

    const FILLER: [&str; 6] = [
        "The rain kept on all afternoon.",
        "점심은 국수로 했어요.",
        "Let me look at the log of the importer.",
        "로그는 아래에 붙였어요.",
        "Thanks, that reads well.",
        "고마워요, 잘 돼요.",
    ];

    /// What is said later of the first message, where that is otherwise; the question is about the first.
    fn later<'a>(asked: &str, said: &[(Role, &'a str)]) -> Option<&'a str> {
        let (mut index, reads) = (Index::default(), Reads::default());
        let filler = FILLER.map(|text| (Role::User, text));
        let all: Vec<(Role, &str)> = said.iter().copied().chain(filler).collect();
        for (role, text) in &all {
            let said = Said { speaker: "somebody", role: Some(*role), text, on: None, session: 0 };
            index.push(&said, &reads);
        }
        let message = |place: usize| index.stretch(place).0;
        let text = |place: usize| &all[message(place)].1[index.stretch(place).1];
        let found = otherwise(&index, asked, 0..index.len(), text, message);
        found.get(&0).map(|place| all[message(*place)].1)
    }

    #[rstest]
    #[case::names_both(
        "Which port has Postgres?",
        "Postgres listens on port 5433.",
        "5433 is taken. Use 5435 instead."
    )]
    #[case::in_one_sentence(
        "Which port has Postgres?",
        "Postgres listens on 5433.",
        "It is 5435 now instead of 5433."
    )]
    #[case::by_an_arrow(
        "How long may a peer be silent?",
        "A silent peer has 5000 ms.",
        "The time for a silent peer: 5000 ms -> 8000 ms."
    )]
    #[case::with_another_value(
        "How many cards has the gallery?",
        "The gallery has 8 cards in rows.",
        "The gallery has 10 cards now."
    )]
    #[case::a_day_put_off(
        "When is the deadline of the first sprint?",
        "The first sprint has its deadline on April 1, 2026.",
        "The deadline of the first sprint moved to April 5, 2026."
    )]
    #[case::the_same_sentence(
        "What is the batch size of the importer?",
        "The batch size of the importer is 500 rows.",
        "The batch size of the importer is 200 rows."
    )]
    #[case::too_long(
        "결제 타임아웃은 몇 초야?",
        "결제 타임아웃은 8초로 둡시다.",
        "타임아웃 8초는 너무 길대. 고객이 나간대서 5초로."
    )]
    #[case::in_the_way(
        "액추에이터 포트가 뭐야?",
        "액추에이터 포트는 8085로 잡았어요.",
        "포트 8085가 사이드카랑 겹친다고 8092로 바꾸래요"
    )]
    #[case::in_place_of(
        "배치 크기는 얼마야?",
        "배치 크기는 500건으로 했어요.",
        "배치 크기는 500건 말고 200건으로 갑시다."
    )]
    #[case::of_a_fee(
        "기본 수수료가 얼마야?",
        "기본 수수료는 3.2%예요.",
        "4월부터 기본 수수료가 3.5%로 오른대요."
    )]
    #[case::denied(
        "Have I met Kelly at the book club?",
        "I met Kelly at the book club of the library.",
        "I have never met Kelly at any book club."
    )]
    fn the_newer_is_told(#[case] asked: &str, #[case] before: &str, #[case] after: &str) {
        let said = [(Role::User, before), (Role::User, after)];
        assert_eq!(later(asked, &said), Some(after));
    }

    #[rstest]
    #[case::of_something_else(
        "Which port has Postgres?",
        "Postgres listens on port 5433.",
        "Redis listens on port 6380 now."
    )]
    #[case::a_question(
        "Which port has Postgres?",
        "Postgres listens on port 5433.",
        "Should I take 5435 instead of 5433?"
    )]
    #[case::said_again(
        "Which port has Postgres?",
        "Postgres listens on port 5433.",
        "As I said, Postgres listens on 5433 now."
    )]
    #[case::another_kind(
        "How long is the timeout of payments?",
        "The timeout of payments is 8 seconds.",
        "The timeout of payments now logs 20 lines."
    )]
    #[case::another_day(
        "When is the deadline of the sprint?",
        "The sprint has its deadline on April 1, 2026.",
        "I met the team of the sprint on April 9, 2026, and it went well."
    )]
    #[case::of_something_else_in_korean(
        "액추에이터 포트가 뭐야?",
        "액추에이터 포트는 8085로 잡았어요.",
        "관리자 화면 포트는 9090으로 바꿨어요."
    )]
    #[case::met_again(
        "Have I met Kelly?",
        "I met Kelly at the book club of the library.",
        "I have never met anyone who bakes like Kelly."
    )]
    fn others_are_not(#[case] asked: &str, #[case] before: &str, #[case] after: &str) {
        assert_eq!(later(asked, &[(Role::User, before), (Role::User, after)]), None);
    }

    #[test]
    fn of_changes_of_a_change_the_last_is_told() {
        let said = [
            (Role::User, "Postgres listens on port 5433."),
            (Role::User, "5433 is taken. Use 5435 instead."),
            (Role::User, "5435 is not allowed by the firewall. Use 5440 instead."),
        ];
        assert_eq!(later("Which port has Postgres?", &said), Some(said[2].1));
    }

    #[test]
    fn what_was_said_before_changes_nothing() {
        let said = [
            (Role::User, "5433 is taken. Use 5435 instead."),
            (Role::User, "Postgres listens on port 5433."),
        ];
        assert_eq!(later("Which port has Postgres?", &said), None);
    }

    #[test]
    fn what_a_model_gives_as_an_example_changes_nothing() {
        let said = [
            (Role::User, "The pilot is to be cut by September 1, 2026."),
            (Role::Assistant, "Leave room: aim for August 28, 2026 instead of September 1, 2026."),
        ];
        assert_eq!(later("When is the pilot to be cut?", &said), None);
    }

    #[test]
    fn values_are_looked_for_by_what_tells_them() {
        let phrases = told_by_values("Postgres 5433, version 3.11.2, 8 workers");
        let tokens: Vec<String> = phrases.iter().map(|it| it.tokens.join(" ")).collect();
        assert!(tokens.contains(&"5433".to_owned()), "{tokens:?}");
        assert!(!tokens.contains(&"8".to_owned()), "{tokens:?}");
        assert!(says_changed("5435로 바꿨어요") && !says_changed("잘 돼요"));
    }

    #[test]
    fn patterns_compile() {
        assert!(PATTERNS.is_some());
    }
}
