//! How far messages stand out. Cosines mean different things with different models: one puts everything between 0.7 and
//! 0.9, another between 0 and 0.5. How many deviations a message lies above the others of its scope means the same with
//! all of them.

use super::Compact;

/// Deviations from which on a message stands out at all. With multilingual-e5-small, of the messages that answer a
/// question about six of ten do, and of the others one of twenty-five.
const STANDS_OUT: f32 = 1.5;

/// Deviations above that with which it stands out in full; of a thousand that do not answer one may.
const IN_FULL: f32 = 2.0;

/// Messages below which nothing is said of deviations.
const FEW: usize = 8;

/// Of texts with their cosines those that are nearer than most, each with its deviations, in their order.
pub fn standing<T: Copy>(messages: &[(T, f32)]) -> Vec<(T, f32)> {
    if messages.len() < FEW {
        return Vec::new();
    }
    let count = messages.len() as f64;
    let mean = messages.iter().map(|(_, near)| f64::from(*near)).sum::<f64>() / count;
    let spread = messages.iter().map(|(_, near)| (f64::from(*near) - mean).powi(2)).sum::<f64>();
    let deviation = (spread / count).sqrt();
    if deviation <= f64::EPSILON {
        return Vec::new();
    }
    let deviations = |near: f32| ((f64::from(near) - mean) / deviation) as f32;
    let all = messages.iter().map(|(message, near)| (*message, deviations(*near)));
    all.filter(|(_, standing)| *standing > 0.0).collect()
}

/// How far each of these vectors stands out as near to a question's; one that cannot be compared does not.
pub fn standings(question: &Compact, kept: &[Vec<u8>]) -> Vec<f32> {
    let near = kept.iter().enumerate();
    let near: Vec<(usize, f32)> =
        near.filter_map(|(at, kept)| Some((at, question.nearness(kept)?))).collect();
    let mut standings = vec![0.0; kept.len()];
    standing(&near).into_iter().for_each(|(at, standing)| standings[at] = standing);
    standings
}

/// Whether so many deviations say that a text is about the question.
pub fn stands_out(standing: f32) -> bool {
    standing > STANDS_OUT
}

/// What a standing says for a message, 0 to 1.
pub fn nearness(standing: f32) -> f32 {
    ((standing - STANDS_OUT) / IN_FULL).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_messages_that_are_all_alike_none_stands_out() {
        assert_eq!(standing(&[(0, 0.8); 50]), []);
        assert_eq!(standing(&[(0, 0.1), (1, 0.9)]), []);
    }

    proptest! {
        #[test]
        fn what_stands_out_is_the_same_on_every_scale(
            cosines in proptest::collection::vec(0.0_f32..0.2, 40..80),
            low in 0.0_f32..0.6,
        ) {
            let with_one: Vec<(usize, f32)> = cosines.into_iter().chain([0.95]).enumerate().collect();
            let squeezed: Vec<(usize, f32)> =
                with_one.iter().map(|(at, it)| (*at, low + it * 0.3)).collect();
            let out = |of: &[(usize, f32)]| {
                let mut found = standing(of);
                found.retain(|(_, standing)| stands_out(*standing));
                found
            };
            let (wide, narrow) = (out(&with_one), out(&squeezed));
            let last = with_one.len() - 1;
            prop_assert_eq!(wide.iter().map(|it| it.0).collect::<Vec<_>>(), vec![last]);
            prop_assert_eq!(narrow.iter().map(|it| it.0).collect::<Vec<_>>(), vec![last]);
            prop_assert!((wide[0].1 - narrow[0].1).abs() < 0.01);
            prop_assert!(nearness(wide[0].1) > 0.9);
        }
    }
}
