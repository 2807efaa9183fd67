//! Choosing under a budget of tokens: `silt recall eval` and a request choose alike.

/// What the length of a stretch takes off its score: long ones have to be worth it.
const LENGTH: f32 = 0.7;

/// A stretch that may be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Offer<T> {
    /// Which one.
    pub what: T,
    /// Its score in the ranking.
    pub score: f32,
    /// What it [weighs](super::weight).
    pub weight: usize,
}

/// Stretches in the order in which they are taken: by what they are worth for their length. What `offers` has first goes
/// first of equals. The order does not depend on the room, so what is taken before anything had none is taken with more
/// room as well.
pub fn in_order<T>(offers: Vec<Offer<T>>) -> impl Iterator<Item = T> {
    let worth = |it: &Offer<T>| it.score - LENGTH * (it.weight.max(1) as f32).ln();
    let mut order: Vec<(f32, T)> = offers.into_iter().map(|it| (worth(&it), it.what)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    order.into_iter().map(|(_, what)| what)
}
