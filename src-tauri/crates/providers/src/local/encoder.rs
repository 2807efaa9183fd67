//! The arithmetic of a BERT encoder over weights of four bits. Rows of weights are unpacked one at a time and met with
//! every token of every text, so that a lot of texts costs little more than its tokens.

use super::half::half;

/// Weights that share a scale.
pub(super) const BLOCK: usize = 32;

/// Bytes of them: the scale, then two weights a byte.
pub(super) const BLOCK_BYTES: usize = 18;

/// Unpacks a row of weights.
pub(super) fn unpack(row: &[u8], into: &mut [f32]) {
    for (block, into) in row.chunks_exact(BLOCK_BYTES).zip(into.chunks_exact_mut(BLOCK)) {
        let scale = half([block[0], block[1]]);
        let (first, second) = into.split_at_mut(BLOCK / 2);
        for (byte, (low, high)) in block[2..].iter().zip(first.iter_mut().zip(second)) {
            *low = (f32::from(byte & 15) - 8.0) * scale;
            *high = (f32::from(byte >> 4) - 8.0) * scale;
        }
    }
}

/// The sum of products. In lanes, because sums of floating point may not be reordered by the compiler.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (one, other) in ones.zip(others) {
        for (sum, (a, b)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// `input` of so many columns a token times a matrix, with a bias for each row.
pub(super) fn multiply(matrix: &[u8], bias: &[f32], columns: usize, input: &[f32]) -> Vec<f32> {
    let rows = bias.len();
    let mut out = vec![0.0; input.len() / columns * rows];
    let mut row = vec![0.0; columns];
    let packed = matrix.chunks_exact(columns / BLOCK * BLOCK_BYTES);
    for (at, (bytes, bias)) in packed.zip(bias).enumerate() {
        unpack(bytes, &mut row);
        for (token, out) in input.chunks_exact(columns).zip(out.chunks_exact_mut(rows)) {
            out[at] = bias + dot(&row, token);
        }
    }
    out
}

/// Brings every token's figures to one size, by learned weights.
pub(super) fn level(tokens: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    for token in tokens.chunks_exact_mut(weight.len()) {
        let count = token.len() as f32;
        let mean = token.iter().sum::<f32>() / count;
        let spread = token.iter().map(|it| (it - mean).powi(2)).sum::<f32>() / count;
        let factor = 1.0 / (spread + epsilon).sqrt();
        for (it, (weight, bias)) in token.iter_mut().zip(weight.iter().zip(bias)) {
            *it = (*it - mean) * factor * weight + bias;
        }
    }
}

/// What each token of one text takes from the others, head by head; all have `width` figures a token.
pub(super) fn attend(
    queries: &[f32],
    keys: &[f32],
    values: &[f32],
    width: usize,
    heads: usize,
) -> Vec<f32> {
    let size = width / heads;
    let scale = 1.0 / (size as f32).sqrt();
    let mut out = vec![0.0; queries.len()];
    let mut shares: Vec<f32> = Vec::new();
    for (query, out) in queries.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        for head in (0..width).step_by(size) {
            let part = head..head + size;
            let query = &query[part.clone()];
            shares.clear();
            shares
                .extend(keys.chunks_exact(width).map(|key| dot(query, &key[part.clone()]) * scale));
            let most = shares.iter().copied().fold(f32::MIN, f32::max);
            shares.iter_mut().for_each(|share| *share = (*share - most).exp());
            let whole: f32 = shares.iter().sum();
            let out = &mut out[part.clone()];
            for (share, value) in shares.iter().zip(values.chunks_exact(width)) {
                let share = share / whole;
                out.iter_mut().zip(&value[part.clone()]).for_each(|(out, it)| *out += share * it);
            }
        }
    }
    out
}

/// The bend between the two halves of a layer (GELU).
pub(super) fn bend(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function to seven digits (Abramowitz and Stegun 7.1.26).
fn erf(x: f32) -> f32 {
    const FACTORS: [f64; 5] =
        [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let size = f64::from(x.abs());
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let sum = FACTORS.iter().fold(0.0, |sum, factor| sum * t + factor) * t;
    let value = 1.0 - sum * (-size * size).exp();
    (value.copysign(f64::from(x))) as f32
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(0.0, 0.0)]
    #[case(1.0, 0.841_344_8)]
    #[case(-1.0, -0.158_655_25)]
    #[case(3.0, 2.995_950_3)]
    fn the_bend_is_that_of_the_normal_distribution(#[case] x: f32, #[case] expected: f32) {
        assert!((bend(x) - expected).abs() < 1e-5, "{}", bend(x));
    }

    #[test]
    fn sums_in_lanes_leave_nothing_out() {
        let one: Vec<f32> = (1..=37_u8).map(f32::from).collect();
        assert_eq!(dot(&one, &one), 37.0 * 38.0 * 75.0 / 6.0);
    }

    #[test]
    fn a_byte_holds_two_weights() {
        let mut row = [0.0; BLOCK];
        let mut block = [0x80_u8; BLOCK_BYTES];
        (block[0], block[1], block[2]) = (0x00, 0x38, 0xF0);
        unpack(&block, &mut row);
        assert_eq!((row[0], row[16], row[1], row[17]), (-4.0, 3.5, -4.0, 0.0));
    }
}
