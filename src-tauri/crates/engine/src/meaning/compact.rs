//! A vector in one byte a dimension: its direction alone counts, so its length is left out and the largest figure fills
//! the byte. What that costs in accuracy is far below what tells one message from another.

/// Figures that are multiplied at once: a loop of a known length is unrolled, also where a program is made small.
const AT_ONCE: usize = 32;

/// A direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Compact {
    scale: f32,
    figures: Vec<i8>,
}

/// Bytes of the scale before the figures.
const SCALE: usize = size_of::<f32>();

impl Compact {
    /// The direction of a vector; `None` of one that has none, or figures that are no numbers.
    pub fn of(vector: &[f32]) -> Option<Self> {
        let length = vector.iter().map(|it| f64::from(*it).powi(2)).sum::<f64>().sqrt() as f32;
        let largest = vector.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        if !length.is_finite() || length <= 0.0 || largest <= 0.0 {
            return None;
        }
        let step = largest / 127.0;
        // Every figure is at most the largest, so that the byte holds it.
        let figures = vector.iter().map(|it| (it / step).round() as i8).collect();
        Some(Self { scale: step / length, figures })
    }

    /// How many dimensions it has.
    pub fn dimension(&self) -> usize {
        self.figures.len()
    }

    /// How it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let figures = self.figures.iter().map(|it| it.cast_unsigned());
        self.scale.to_le_bytes().into_iter().chain(figures).collect()
    }

    /// The cosine between it and a kept one, −1 to 1; `None` if that is not of the same model.
    pub fn nearness(&self, kept: &[u8]) -> Option<f32> {
        let (scale, figures) = kept.split_first_chunk::<SCALE>()?;
        if figures.len() != self.figures.len() {
            return None;
        }
        let (ours, our_rest) = self.figures.as_chunks::<AT_ONCE>();
        let (theirs, their_rest) = figures.as_chunks::<AT_ONCE>();
        let whole: i32 = ours.iter().zip(theirs).map(|(one, other)| product(one, other)).sum();
        let sum = whole + product(our_rest, their_rest);
        Some(sum as f32 * self.scale * f32::from_le_bytes(*scale))
    }
}

fn product(one: &[i8], other: &[u8]) -> i32 {
    let pairs = one.iter().zip(other);
    pairs.map(|(one, other)| i32::from(*one) * i32::from(other.cast_signed())).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(one: &[f32], other: &[f32]) -> f32 {
        let dot: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
        let length = |it: &[f32]| it.iter().map(|a| a * a).sum::<f32>().sqrt();
        dot / (length(one) * length(other))
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for vector in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(Compact::of(vector), None, "{vector:?}");
        }
    }

    #[test]
    fn vectors_of_another_model_are_not_compared() {
        let one = Compact::of(&[1.0, 0.0]).unwrap();
        assert_eq!(one.nearness(&Compact::of(&[1.0, 0.0, 0.0]).unwrap().to_bytes()), None);
        assert_eq!(one.nearness(&[]), None);
    }

    proptest! {
        #[test]
        fn a_byte_a_dimension_keeps_the_angle(
            one in proptest::collection::vec(-1.0_f32..1.0, 384),
            other in proptest::collection::vec(-1.0_f32..1.0, 384),
            times in 0.001_f32..1_000.0,
        ) {
            let longer: Vec<f32> = other.iter().map(|it| it * times).collect();
            let (a, b) = (Compact::of(&one).unwrap(), Compact::of(&longer).unwrap());
            let near = a.nearness(&b.to_bytes()).unwrap();
            prop_assert!((near - cosine(&one, &other)).abs() < 0.01, "{near}");
            prop_assert!((a.nearness(&a.to_bytes()).unwrap() - 1.0).abs() < 0.01);
        }
    }
}
