//! What vectors say for a stretch: how far it, its neighbours and its message stand out as near to the question in meaning.

use super::feature::{Feature, Features};
use super::index::Index;
use super::question::Asked;

/// Deviations that count as one: few stretches stand out further.
const FAR: f32 = 4.0;

/// Stretches before and after that say what one is about.
const REACH: usize = 5;

/// What the stretches right before and after count of it, and what each further one does of the one that is nearer.
const BESIDE: f32 = 0.5;
const FURTHER: f32 = 0.7;

/// How far stretches stand out, from 0 on.
pub(super) struct Nearness<'a> {
    meant: &'a [f32],
    most: f32,
}

impl<'a> Nearness<'a> {
    pub(super) fn of(asked: &Asked<'a>) -> Self {
        let most = asked.meant.iter().copied().fold(0.0, f32::max);
        Self { meant: asked.meant, most: if most > 0.0 { most } else { 1.0 } }
    }

    /// How far a stretch does, in deviations.
    fn deviations(&self, place: usize) -> f32 {
        self.meant.get(place).copied().unwrap_or(0.0).max(0.0)
    }

    /// The same, in parts of [`FAR`].
    fn at(&self, place: usize) -> f32 {
        self.deviations(place) / FAR
    }

    /// The same, beside the one that does most.
    pub(super) fn beside_best(&self, place: usize) -> f32 {
        self.deviations(place) / self.most
    }

    /// How far the stretches around one do: those right beside it by half, the others by the less the further off they are.
    fn topic(&self, place: usize) -> f32 {
        let of = |by: usize| {
            let before = place.checked_sub(by).map_or(0.0, |place| self.at(place));
            before + self.at(place + by)
        };
        (1..=REACH)
            .zip(std::iter::successors(Some(BESIDE), |share| Some(share * FURTHER)))
            .map(|(by, share)| share * of(by))
            .sum()
    }

    pub(super) fn tell(&self, index: &Index, place: usize, features: &mut Features) {
        if self.meant.is_empty() {
            return;
        }
        let best = self.beside_best(place);
        let before = place.checked_sub(1).map_or(0.0, |place| self.at(place));
        let whole = index.siblings(place).map(|place| self.at(place)).fold(0.0, f32::max);
        features.set(Feature::Meant, self.at(place));
        features.set(Feature::MeantBest, best);
        features.set(Feature::MeantFar, best * best);
        features.set(Feature::MeantMet, best * features.of(Feature::Met));
        features.set(Feature::MeantPrevious, before);
        features.set(Feature::MeantNext, self.at(place + 1));
        features.set(Feature::MeantTopic, self.topic(place));
        let asks = if index.is_answered_question(place) { best } else { 0.0 };
        features.set(Feature::MeantAsks, asks);
        let asked = index.question_of(place).map_or(0.0, |place| self.at(place));
        features.set(Feature::MeantBefore, asked);
        features.set(Feature::MeantWhole, whole);
    }
}
