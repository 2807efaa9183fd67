//! Choosing under a budget of tokens: `silt recall eval` and a request choose alike.

use std::ops::Range;

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
    /// What says otherwise and is newer.
    pub otherwise: Option<T>,
}

/// Stretches in the order in which they are taken: by what they are worth for their length, what says otherwise right
/// before the older, so that one may come twice. What `offers` has first goes first of equals. The order does not depend
/// on the room, so what is taken before anything had none is taken with more room as well.
pub fn in_order<T>(offers: Vec<Offer<T>>) -> impl Iterator<Item = T> {
    let worth = |it: &Offer<T>| it.score - LENGTH * (it.weight.max(1) as f32).ln();
    let mut order: Vec<(f32, Offer<T>)> = offers.into_iter().map(|it| (worth(&it), it)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    order.into_iter().flat_map(|(_, it)| it.otherwise.into_iter().chain([it.what]))
}

/// Takes a stretch in among those of the same message; `false` where it is there already. What overlaps becomes one.
pub fn join(stretches: &mut Vec<Range<usize>>, stretch: Range<usize>) -> bool {
    if stretches.iter().any(|it| it.start <= stretch.start && stretch.end <= it.end) {
        return false;
    }
    let mut all = stretch;
    stretches.retain(|it| {
        let apart = it.end <= all.start || all.end <= it.start;
        if !apart {
            all = all.start.min(it.start)..all.end.max(it.end);
        }
        apart
    });
    let at = stretches.partition_point(|it| it.start < all.start);
    stretches.insert(at, all);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_becomes_one_and_what_is_there_is_not_taken_twice() {
        let mut taken = vec![10..20, 40..50];
        assert!(!join(&mut taken, 12..20));
        assert!(join(&mut taken, 20..30));
        assert_eq!(taken, [10..20, 20..30, 40..50]);
        assert!(join(&mut taken, 15..45));
        assert_eq!(taken, [std::iter::once(10..50)].into_iter().flatten().collect::<Vec<_>>());
        assert!(join(&mut taken, 0..5));
        assert_eq!(taken, [0..5, 10..50]);
    }
}
