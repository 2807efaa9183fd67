//! Inputs made of good ones: bits and bytes changed, stretches cut, doubled, moved and put in from elsewhere.

use crate::chance::Chance;

/// What makes parsers stumble.
const PIECES: [&str; 40] = [
    "\0",
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{2028}",
    "\u{202e}",
    "\u{200b}",
    "\\u0000",
    "\\ud83d",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "null",
    "-1",
    "1e309",
    "18446744073709551616",
    "```",
    "~~~",
    "---",
    "@",
    "@../../etc/passwd",
    "@a.md",
    "<!--",
    "-->",
    "<<<<<<<",
    "=======",
    ">>>>>>>",
    "data: ",
    "event: ",
    "sk-ant-api03-",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "password=",
    "://",
    "한글",
    "🪨",
];

/// A new input out of two good ones.
pub fn mutated(good: &[u8], other: &[u8], most: usize, chance: &mut Chance) -> Vec<u8> {
    let mut made = good.to_vec();
    for _ in 0..1 + chance.below(6) {
        change(&mut made, other, chance);
        made.truncate(most);
    }
    made
}

fn change(made: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let at = chance.index(made.len() + 1);
    let end = at + chance.index((made.len() - at).min(64) + 1);
    match chance.below(10) {
        0 => {
            let bit = chance.below(8);
            if let Some(byte) = made.get_mut(at) {
                *byte ^= 1 << bit;
            }
        }
        1 => {
            let new = chance.bytes(1);
            if let (Some(byte), [new]) = (made.get_mut(at), new.as_slice()) {
                *byte = *new;
            }
        }
        2 | 3 => {
            let piece = chance.pick(&PIECES).copied().unwrap_or_default();
            made.splice(at..at, piece.bytes());
        }
        4 => drop(made.drain(at..end)),
        5 => made.truncate(at),
        6 => {
            // Doubled, or many times over.
            let stretch = made[at..end].to_vec();
            let times = [1, 2, 16, 300].get(chance.index(4)).copied().unwrap_or(1);
            made.splice(at..at, stretch.repeat(times));
        }
        7 => {
            let from = chance.index(other.len() + 1);
            let to = from + chance.index(other.len() - from + 1);
            made.splice(at..end, other[from..to].iter().copied());
        }
        8 => {
            let noise = chance.below(12);
            let noise = chance.bytes(usize::try_from(noise).unwrap_or(0));
            made.splice(at..at, noise);
        }
        _ => {
            let stretch: Vec<u8> = made.drain(at..end).collect();
            let place = chance.index(made.len() + 1);
            made.splice(place..place, stretch);
        }
    }
}
