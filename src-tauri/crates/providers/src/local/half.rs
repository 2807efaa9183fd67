//! Numbers of sixteen bits, as models keep them.

/// Such a number from its two bytes, the lower first.
pub(super) fn half(bytes: [u8; 2]) -> f32 {
    let bits = u16::from_le_bytes(bytes);
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1F), f32::from(bits & 0x3FF));
    sign * match exponent {
        0 => mantissa * 2.0_f32.powi(-24),
        31 if mantissa == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + mantissa / 1_024.0) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(0x3C00, 1.0)]
    #[case(0xC000, -2.0)]
    #[case(0x3555, 0.333_251_95)]
    #[case(0x7BFF, 65_504.0)]
    #[case(0x0001, 5.960_464_5e-8)]
    #[case(0x8000, -0.0)]
    #[case(0x7C00, f32::INFINITY)]
    fn sixteen_bits_are_a_number(#[case] bits: u16, #[case] expected: f32) {
        assert_eq!(half(bits.to_le_bytes()), expected);
    }
}
