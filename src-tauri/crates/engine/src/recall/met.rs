//! How much of a question a message meets, word by word: a word that is met in one way counts once, whether it stands
//! there as it was asked, in another form, or as another word that means the same.

use super::index::Index;
use super::words::{Word, telling};

/// How far a word is met by the first of its terms, by how it begins or sounds, and by a word that means the same.
const FIRST: f32 = 0.8;
const LOOSE: f32 = 0.6;
const SAME: f32 = 0.6;
/// From how far on a message has a word, where it is counted how rare that is.
const HAS: f32 = 0.3;

/// The share of a question's words that each message meets, by what they tell.
pub(super) struct Met {
    /// By itself.
    pub here: Vec<f32>,
    /// Together with the messages right before and after it.
    pub around: Vec<f32>,
}

impl Index {
    pub(super) fn met(&self, question: &str) -> Met {
        let count = self.len();
        let mut met = Met { here: vec![0.0; count], around: vec![0.0; count] };
        let mut whole = 0.0_f32;
        for word in telling(question) {
            let degree = self.degree(&word);
            let having = degree.iter().filter(|degree| **degree > HAS).count();
            let rarity = self.rarity(u32::try_from(having).unwrap_or(u32::MAX));
            whole += rarity;
            for place in 0..count {
                let near = &degree[place.saturating_sub(1)..=(place + 1).min(count - 1)];
                met.here[place] += rarity * degree[place];
                met.around[place] += rarity * near.iter().copied().fold(0.0, f32::max);
            }
        }
        for list in [&mut met.here, &mut met.around] {
            list.iter_mut().for_each(|share| *share /= whole.max(f32::MIN_POSITIVE));
        }
        met
    }

    /// How far each message has a word.
    fn degree(&self, word: &Word) -> Vec<f32> {
        let mut degree = vec![0.0_f32; self.len()];
        let part = 1.0 / word.plain.len().max(1) as f32;
        for term in &word.plain {
            self.places_of(term).for_each(|place| degree[place] += part);
        }
        let most = |degree: &mut [f32], terms: &[String], worth: f32| {
            for place in terms.iter().flat_map(|term| self.places_of(term)) {
                degree[place] = degree[place].max(worth);
            }
        };
        most(&mut degree, word.plain.get(..1).unwrap_or_default(), FIRST);
        most(&mut degree, &word.loose, LOOSE);
        most(&mut degree, &word.same, SAME);
        degree
    }

    fn places_of(&self, term: &str) -> impl Iterator<Item = usize> {
        self.postings(term).into_iter().flat_map(|it| it.iter().map(|(place, _)| place))
    }
}
