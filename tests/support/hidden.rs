//! Looks for a secret in bytes: as it is, and in every coat that programs give to text.

use memchr::memmem;

/// The secret as it is, in hexadecimal digits, percent-encoded, in UTF-16, and the part of its base64 that is the same
/// whatever stands around it.
fn coats(secret: &str) -> Vec<Vec<u8>> {
    let text = secret.as_bytes();
    let digits = |before: &str| text.iter().map(|byte| format!("{before}{byte:02x}")).collect();
    let (hex, url): (String, String) = (digits(""), digits("%"));
    let wide: Vec<u16> = secret.encode_utf16().collect();
    let mut coats = vec![text.to_vec()];
    for digits in [hex, url] {
        coats.extend([digits.to_uppercase().into_bytes(), digits.into_bytes()]);
    }
    coats.push(wide.iter().flat_map(|unit| unit.to_le_bytes()).collect());
    coats.push(wide.iter().flat_map(|unit| unit.to_be_bytes()).collect());
    coats.extend((0..3).map(|before| base64_within(text, before)));
    coats
}

/// The coat in which the secret is in these bytes.
pub fn found(secret: &str, bytes: &[u8]) -> Option<String> {
    let seen = |coat: &Vec<u8>| memmem::find(bytes, coat).is_some();
    coats(secret).into_iter().find(seen).map(|coat| String::from_utf8_lossy(&coat).into_owned())
}

/// When `before` bytes (mod 3) precede the text.
fn base64_within(text: &[u8], before: usize) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let whole = &text[(3 - before) % 3..];
    whole
        .chunks_exact(3)
        .flat_map(|three| {
            let bits = three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
            [18, 12, 6, 0].map(|shift| DIGITS[bits >> shift & 63])
        })
        .collect()
}
