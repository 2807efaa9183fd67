//! How much of a question a message meets, word by word: a word that is met in one way counts once, whether it stands
//! there as it was asked, in another form, as another word that means the same, or as something of the kind it names.

use super::alike::Form;
use super::counters;
use super::feature::{Feature, Features};
use super::index::{Entry, Index};
use super::reads::{Term, term_of};
use super::words::{Word, kinds, telling};

/// How far a word is met by the first of its terms, by how it begins or sounds, by a word that means the same, and by
/// something of its kind.
const FIRST: f32 = 0.8;
const LOOSE: f32 = 0.6;
const SAME: f32 = 0.6;
const KIN: f32 = 0.4;
/// From how far on a message has a word, where it is counted how rare that is.
const HAS: f32 = 0.3;
/// How much of a word is left with each message that lies between, and how many are looked at.
const FADES: f32 = 0.8;
const FAR: usize = 4;

/// What each message meets of a question.
pub(super) struct Met {
    /// The share of its words, by what they tell.
    pub here: Vec<f32>,
    /// The same, together with the messages right before and after it.
    pub around: Vec<f32>,
    /// The same, together with some messages before and after, the less the further off.
    pub topic: Vec<f32>,
    /// The same, together with the whole sitting.
    pub sitting: Vec<f32>,
    /// The same, together with the rest of its message.
    pub whole: Vec<f32>,
    /// The most that any message of the same sitting meets by itself.
    pub sitting_best: Vec<f32>,
    /// The most that any message meets: by itself, with its neighbours, with messages further off.
    best: [f32; 4],
    /// How much the words tell that mean the same as those it has.
    pub alike: Vec<f32>,
    /// How much it tells that it names something of a kind that is asked for.
    pub kind: Vec<f32>,
    /// How much it tells that it counts what is asked for.
    pub counter: Vec<f32>,
}

impl Index {
    pub(super) fn met(&self, question: &str) -> Met {
        let count = self.len();
        let mut met = Met::of_none(count);
        let mut whole = 0.0_f32;
        for word in telling(question) {
            let same = self.having_any(&word.same);
            let degree = self.degree(&word, &same);
            let having = degree.iter().filter(|degree| **degree > HAS).count();
            let rarity = self.rarity(u32::try_from(having).unwrap_or(u32::MAX));
            whole += rarity;
            let (back, ahead) = (faded(degree.iter()), faded(degree.iter().rev()));
            for place in 0..count {
                let near = &degree[place.saturating_sub(1)..=(place + 1).min(count - 1)];
                met.here[place] += rarity * degree[place];
                met.around[place] += rarity * near.iter().copied().fold(0.0, f32::max);
                met.topic[place] += rarity * back[place].max(ahead[count - 1 - place]);
            }
            let whole_of = |one: &Entry| one.message;
            add(rarity, &self.most_of(&degree, whole_of), &mut met.whole);
            add(rarity, &self.most_of(&degree, |one| one.session), &mut met.sitting);
            let rarity = self.rarity(u32::try_from(same.len()).unwrap_or(u32::MAX));
            same.iter().for_each(|place| met.alike[*place] += rarity);
        }
        for list in
            [&mut met.here, &mut met.around, &mut met.topic, &mut met.sitting, &mut met.whole]
        {
            list.iter_mut().for_each(|share| *share /= whole.max(f32::MIN_POSITIVE));
        }
        met.sitting_best = self.most_of(&met.here, |one| one.session);
        met.best = [&met.here, &met.around, &met.topic, &met.whole]
            .map(|list| list.iter().copied().fold(f32::MIN_POSITIVE, f32::max));
        for kind in kinds(question) {
            self.add_told(&self.having_any(&kind), &mut met.kind);
        }
        for counter in counters::asked(question) {
            self.add_told(&self.places_of(&counter).collect::<Vec<_>>(), &mut met.counter);
        }
        met
    }

    /// Marks places by how much it tells that a message is among them, as a share of the most that anything does.
    fn add_told(&self, having: &[usize], told: &mut [f32]) {
        let tells = self.rarity(u32::try_from(having.len()).unwrap_or(u32::MAX)) / self.rarity(1);
        having.iter().for_each(|place| told[*place] = told[*place].max(tells));
    }

    /// For each place the most that any has with which it shares a mark: a sitting, a message.
    fn most_of(&self, values: &[f32], mark: impl Fn(&Entry) -> u32) -> Vec<f32> {
        let mut all = Vec::with_capacity(values.len());
        for of_one in self.entries.chunk_by(|one, next| mark(one) == mark(next)) {
            let after = all.len() + of_one.len();
            let most = values[all.len()..after].iter().copied().fold(0.0, f32::max);
            all.resize(after, most);
        }
        all
    }

    /// How far each message has a word; `same` are the places of words that mean the same.
    fn degree(&self, word: &Word, same: &[usize]) -> Vec<f32> {
        let mut degree = vec![0.0_f32; self.len()];
        let part = 1.0 / word.plain.len().max(1) as f32;
        for term in &word.plain {
            self.places_of(term).for_each(|place| degree[place] += part);
        }
        let mut most = |places: &mut dyn Iterator<Item = usize>, worth: f32| {
            places.for_each(|place| degree[place] = degree[place].max(worth));
        };
        most(&mut word.plain.first().into_iter().flat_map(|term| self.places_of(term)), FIRST);
        most(&mut word.loose.iter().flat_map(|term| self.places_of(term)), LOOSE);
        most(&mut same.iter().copied(), SAME);
        most(&mut self.having_any(&word.kin).into_iter(), KIN);
        degree
    }

    fn places_of(&self, term: &str) -> impl Iterator<Item = usize> {
        self.places_of_term(term_of(term))
    }

    fn places_of_term(&self, term: Term) -> impl Iterator<Item = usize> {
        self.of_term(term).into_iter().flat_map(|it| it.iter().map(|(place, _)| place))
    }

    /// The places that have a form, in order.
    pub(super) fn having(&self, form: &Form) -> Vec<usize> {
        let mut terms = form.numbers.iter();
        let Some(first) = terms.next() else { return Vec::new() };
        let mut places: Vec<usize> = self.places_of_term(*first).collect();
        for term in terms {
            if places.is_empty() {
                break;
            }
            let mut others = self.places_of_term(*term).peekable();
            places.retain(|place| {
                while others.next_if(|other| other < place).is_some() {}
                others.peek() == Some(place)
            });
        }
        places
    }

    /// The places that have any of some forms, in order.
    pub(super) fn having_any(&self, forms: &[&Form]) -> Vec<usize> {
        let mut places: Vec<usize> = forms.iter().flat_map(|form| self.having(form)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl Met {
    fn of_none(count: usize) -> Self {
        let none = || vec![0.0; count];
        Self {
            here: none(),
            around: none(),
            topic: none(),
            sitting: none(),
            whole: none(),
            sitting_best: none(),
            best: [1.0; 4],
            alike: none(),
            kind: none(),
            counter: none(),
        }
    }

    /// Sets what it says of a message, whose other features are set.
    pub(super) fn tell(&self, index: &Index, place: usize, features: &mut Features) {
        let near = |by: isize| {
            let at = place.checked_add_signed(by).and_then(|place| self.here.get(place));
            at.copied().unwrap_or(0.0)
        };
        let asked = index.question_of(place);
        let (kind, shape) = (self.kind[place], features.of(Feature::Shape));
        let (here, around, topic) = (self.here[place], self.around[place], self.topic[place]);
        let [most, most_around, most_topic, most_whole] = self.best;
        let best = [here / most, around / most_around, topic / most_topic];
        let after_asking = f32::from(u8::from(asked.is_some()));
        let told = [
            (Feature::Met, here),
            (Feature::MetAround, around),
            (Feature::MetBefore, asked.map_or(0.0, |at| self.here[at])),
            (Feature::Topic, topic),
            (Feature::Sitting, self.sitting[place]),
            (Feature::SittingBest, here / self.sitting_best[place].max(f32::MIN_POSITIVE)),
            (Feature::Stands, (here - near(-1).max(near(1))) / most),
            (Feature::HereBest, best[0]),
            (Feature::HereFar, best[0] * best[0]),
            (Feature::AroundBest, best[1]),
            (Feature::AroundFar, best[1] * best[1]),
            (Feature::TopicBest, best[2]),
            (Feature::TopicFar, best[2] * best[2]),
            (Feature::Whole, self.whole[place] / most_whole),
            (Feature::WholeMet, self.whole[place]),
            (Feature::MetEarlier, near(-1).max(near(-2))),
            (Feature::MetAfter, near(1)),
            (Feature::MetBeyond, near(2).max(near(-2))),
            (Feature::Replies, features.of(Feature::Model) * after_asking),
            (Feature::Returns, features.of(Feature::Person) * after_asking),
            (Feature::Counter, self.counter[place]),
            (Feature::CounterMet, self.counter[place] * topic),
            (Feature::Kind, kind),
            (Feature::KindMet, kind * topic),
            (Feature::UnitMet, features.of(Feature::Unit) * topic),
            (Feature::ShapeMet, shape * topic),
            (Feature::ShapeFar, shape * best[2] * best[2]),
        ];
        told.into_iter().for_each(|(feature, value)| features.set(feature, value));
    }
}

/// Adds a word to every message as well as it is met there.
fn add(rarity: f32, degree: &[f32], shares: &mut [f32]) {
    shares.iter_mut().zip(degree).for_each(|(share, degree)| *share += rarity * degree);
}

/// For each place the most of it and those just before it, the less the further off.
fn faded<'a>(degree: impl Iterator<Item = &'a f32>) -> Vec<f32> {
    let mut left = (0.0_f32, FAR);
    let fade = |value: &f32| {
        let (before, away) = (left.0 * FADES, left.1 + 1);
        left = if *value >= before || away > FAR { (*value, 0) } else { (before, away) };
        left.0
    };
    degree.map(fade).collect()
}
