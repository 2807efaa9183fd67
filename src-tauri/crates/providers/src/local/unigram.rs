//! Cutting a text into the pieces of a vocabulary so that their scores together are highest (SentencePiece's unigram).

use std::collections::HashMap;

/// What an unknown character costs below the worst piece.
const UNKNOWN: f32 = 10.0;

/// A vocabulary with a score for each piece.
pub(super) struct Unigram {
    numbers: HashMap<Box<str>, u32>,
    scores: Vec<f32>,
    unknown: u32,
    unknown_score: f32,
    /// Bytes of the longest piece.
    longest: usize,
}

impl Unigram {
    /// The pieces with their scores, by number; one of them stands for what is not known.
    pub(super) fn new(pieces: Vec<(String, f32)>, unknown: u32) -> Self {
        let worst = pieces.iter().map(|(_, score)| *score).fold(f32::MAX, f32::min);
        let longest = pieces.iter().map(|(piece, _)| piece.len()).max().unwrap_or(0);
        let scores = pieces.iter().map(|(_, score)| *score).collect();
        let numbers =
            (0..).zip(pieces).map(|(number, (piece, _))| (piece.into_boxed_str(), number));
        let numbers = numbers.filter(|(_, number)| *number != unknown).collect();
        Self { numbers, scores, unknown, unknown_score: worst - UNKNOWN, longest }
    }

    /// Which piece stands for what is not known.
    pub(super) fn unknown(&self) -> u32 {
        self.unknown
    }

    /// The numbers of a text's pieces, in order.
    pub(super) fn cut(&self, text: &str) -> Vec<u32> {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let last = ends.len() - 1;
        // For each place between characters: the best score up to it, where its piece begins, and which that is.
        let mut best: Vec<(f32, usize, u32)> = vec![(f32::MIN, 0, self.unknown); ends.len()];
        best[0].0 = 0.0;
        for from in 0..last {
            let before = best[from].0;
            for to in from + 1..=last {
                if ends[to] - ends[from] > self.longest {
                    break;
                }
                if let Some(number) = self.numbers.get(&text[ends[from]..ends[to]]) {
                    let score = before + self.scores[*number as usize];
                    if score > best[to].0 {
                        best[to] = (score, from, *number);
                    }
                }
            }
            let score = before + self.unknown_score;
            if score > best[from + 1].0 {
                best[from + 1] = (score, from, self.unknown);
            }
        }
        let mut cut = Vec::new();
        let mut at = last;
        while at > 0 {
            let (_, from, number) = best[at];
            cut.push(number);
            at = from;
        }
        cut.reverse();
        cut
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", &[])]
    #[case("포트", &[4])]
    #[case("포트트", &[4, 2])]
    #[case("트포", &[2, 1])]
    #[case("포!트", &[1, 0, 2])]
    #[case("ab", &[3])]
    fn the_best_pieces_are_chosen(#[case] text: &str, #[case] expected: &[u32]) {
        let pieces = [("<unk>", 0.0), ("포", -2.0), ("트", -2.0), ("ab", -9.0), ("포트", -3.0)];
        let pieces = pieces.map(|(piece, score)| (piece.to_owned(), score)).to_vec();
        assert_eq!(Unigram::new(pieces, 0).cut(text), expected);
    }
}
