//! The stretch of a long message that is sent for it: the one that shares most with what is asked.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::words;

/// Characters up to which a message goes whole.
const WHOLE: usize = 1_600;
/// Characters of a stretch of a longer one.
const LONG: usize = 1_000;
/// Characters of a piece at most; a longer line is cut at a blank.
const PIECE: usize = 240;

/// Characters of a text, from 0, the end not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Stretch {
    /// The first.
    pub from: u32,
    /// Behind the last.
    pub to: u32,
}

impl Stretch {
    /// These characters of a text, marked where something stands before or behind them.
    pub fn of(self, text: &str) -> String {
        let (from, to) = (self.from as usize, self.to as usize);
        let part: String = text.chars().skip(from).take(to.saturating_sub(from)).collect();
        let before = if from > 0 { "[…] " } else { "" };
        let behind = if text.chars().nth(to).is_some() { " […]" } else { "" };
        format!("{before}{}{behind}", part.trim())
    }
}

/// A piece of a text.
struct Piece {
    from: usize,
    to: usize,
    /// The words that are met in it, by number.
    met: HashSet<usize>,
}

/// The stretch of a text to send for what is asked; `None` for a text that goes whole.
pub fn stretch_for(asked: &str, text: &str) -> Option<Stretch> {
    text.chars().nth(WHOLE)?;
    let terms = words::asked(asked).plain;
    let pieces = pieces(text, &terms);
    let mut often = vec![0_usize; terms.len()];
    pieces.iter().flat_map(|piece| &piece.met).for_each(|word| often[*word] += 1);
    // What stands in every piece tells none of them apart.
    let tells = |word: &usize| ((pieces.len() + 1) as f32 / (often[*word] + 1) as f32).ln();
    let mut best: Option<(f32, usize, usize)> = None;
    for (first, piece) in pieces.iter().enumerate() {
        let mut met: HashSet<usize> = HashSet::new();
        let mut hits = 0.0;
        let fits = pieces[first..].iter().take_while(|it| it.to - piece.from <= LONG);
        let mut to = piece.to;
        for it in fits {
            met.extend(&it.met);
            hits += it.met.iter().map(tells).sum::<f32>();
            to = it.to;
        }
        // Each word once, and a little for its being said again; of equals the first.
        let score = met.iter().map(tells).sum::<f32>() + hits / 8.0;
        if best.is_none_or(|(most, ..)| score > most + f32::EPSILON) {
            best = Some((score, piece.from, to));
        }
    }
    let (_, from, to) = best?;
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Some(Stretch { from: place(from), to: place(to) })
}

/// Lines, and parts of very long ones.
fn pieces(text: &str, terms: &[String]) -> Vec<Piece> {
    let places: HashMap<&str, usize> = terms.iter().map(String::as_str).zip(0..).collect();
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut add = |part: &str| {
        let length = part.chars().count();
        let plain = words::terms(part).plain;
        let met = plain.iter().filter_map(|term| places.get(term.as_str()).copied()).collect();
        pieces.push(Piece { from, to: from + length, met });
        from += length;
    };
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((most, _)) = rest.char_indices().nth(PIECE) {
            let blank = rest[..most].rfind(char::is_whitespace);
            let end = blank
                .filter(|at| *at > most / 2)
                .map_or(most, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
            add(&rest[..end]);
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            add(rest);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_a_long_message_the_part_goes_that_is_asked_about() {
        let filler = "아무 상관 없는 줄입니다. Nothing to see on this line.\n".repeat(60);
        let text = format!("{filler}배포 비밀번호 규칙은 열두 글자입니다.\n{filler}");
        let stretch = stretch_for("배포 비밀번호 규칙이 뭐였지?", &text).unwrap();
        let shown = stretch.of(&text);
        assert!(
            shown.contains("열두 글자") && shown.starts_with("[…] ") && shown.ends_with(" […]")
        );
        assert!(shown.chars().count() <= LONG + 10, "{}", shown.chars().count());
        assert_eq!(stretch_for("배포 비밀번호 규칙이 뭐였지?", "열두 글자입니다."), None);
    }

    proptest! {
        #[test]
        fn a_stretch_lies_in_its_text(text in "([a-z가-힣 ]{1,300}\n?){8,16}", asked in "[a-z가-힣 ]{1,30}") {
            let length = text.chars().count();
            match stretch_for(&asked, &text) {
                None => prop_assert!(length <= WHOLE),
                Some(Stretch { from, to }) => {
                    prop_assert!(from < to && to as usize <= length && to - from <= LONG as u32);
                }
            }
        }
    }
}
