//! The arithmetic of a BERT encoder over weights of four bits. Some rows of weights are unpacked at a time and met with
//! every token of every text, so that a lot of texts costs little more than its tokens. Products of matrices are ndarray's.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Slice};

use super::half::half;

/// Weights that share a scale.
pub(super) const BLOCK: usize = 32;

/// Rows of a matrix that are unpacked at a time.
const UNPACKED: usize = 64;

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

/// `input`, a token a row, times a matrix, with a bias for each of its rows. So many rows are unpacked at a time that they
/// stay near the processor.
pub(super) fn multiply(matrix: &[u8], bias: &[f32], input: ArrayView2<'_, f32>) -> Array2<f32> {
    let columns = input.ncols();
    let mut out = Array2::zeros((input.nrows(), bias.len()));
    let mut rows = Array2::zeros((UNPACKED, columns));
    let row_bytes = columns / BLOCK * BLOCK_BYTES;
    let lots = matrix.chunks(row_bytes * UNPACKED).zip(bias.chunks(UNPACKED));
    for ((bytes, bias), mut out) in lots.zip(out.axis_chunks_iter_mut(Axis(1), UNPACKED)) {
        let mut rows = rows.slice_axis_mut(Axis(0), Slice::from(..bias.len()));
        for (bytes, mut row) in bytes.chunks_exact(row_bytes).zip(rows.rows_mut()) {
            unpack(bytes, row.as_slice_mut().unwrap_or_default());
        }
        out += &ArrayView1::from(bias);
        general_mat_mul(1.0, &input, &rows.t(), 1.0, &mut out);
    }
    out
}

/// Brings every token's figures to one size, by learned weights.
pub(super) fn level(tokens: &mut Array2<f32>, weight: &[f32], bias: &[f32], epsilon: f32) {
    for mut token in tokens.rows_mut() {
        let count = token.len() as f32;
        let mean = token.sum() / count;
        token -= mean;
        let factor = 1.0 / (token.dot(&token) / count + epsilon).sqrt();
        for (it, (weight, bias)) in token.iter_mut().zip(weight.iter().zip(bias)) {
            *it = *it * factor * weight + bias;
        }
    }
}

/// What each token of one text takes from the others, head by head.
pub(super) fn attend(
    queries: ArrayView2<'_, f32>,
    keys: ArrayView2<'_, f32>,
    values: ArrayView2<'_, f32>,
    heads: usize,
) -> Array2<f32> {
    let width = queries.ncols();
    let size = width / heads;
    let scale = 1.0 / (size as f32).sqrt();
    let mut out = Array2::zeros(queries.dim());
    for head in (0..width).step_by(size) {
        let part = Slice::from(head..head + size);
        let [queries, keys, values] =
            [queries, keys, values].map(|it| it.slice_axis_move(Axis(1), part));
        let mut shares = queries.dot(&keys.t()) * scale;
        for mut shares in shares.rows_mut() {
            let most = shares.iter().copied().fold(f32::MIN, f32::max);
            shares.mapv_inplace(|share| (share - most).exp());
            let whole = shares.sum();
            shares /= whole;
        }
        let mut out = out.slice_axis_mut(Axis(1), part);
        general_mat_mul(1.0, &shares, &values, 0.0, &mut out);
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
    fn a_matrix_is_met_row_by_row_with_its_bias() {
        // The scale is a half, and every weight one step above nothing.
        let row = [[0x00, 0x38].as_slice(), &[0x99; BLOCK_BYTES - 2]].concat();
        let rows = UNPACKED + 3;
        let bias: Vec<f32> = (0..rows as u8).map(f32::from).collect();
        let input = Array2::from_shape_fn((2, BLOCK), |(token, _)| 1.0 + token as f32);
        let out = multiply(&row.repeat(rows), &bias, input.view());
        assert_eq!(out.dim(), (2, rows));
        for (at, bias) in bias.iter().enumerate() {
            assert_eq!((out[[0, at]], out[[1, at]]), (16.0 + bias, 32.0 + bias));
        }
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
