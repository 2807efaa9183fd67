//! Which sentences of clean prose are told, and which heads with them.
//!
//! Sentences are chosen by their density alone. Then every text gets the heads that its sentences stand under: all of them
//! or, where they have no room, none, since a line under another one's head would say something else.

use std::collections::{BTreeSet, HashMap};

use super::Block;
use crate::density::{self, Excerpt, Piece, Sentence, Unit, joined};

/// What of the limit heads have in any case: one in so many.
const HEADS: u64 = 8;

/// A block, read.
#[derive(Debug)]
pub(crate) struct Said {
    /// What a head says; it is never chosen.
    head: Option<String>,
    under: Option<usize>,
    /// What everything else says, each sentence with its weight.
    sentences: Vec<(f64, Piece<String>)>,
}

impl Said {
    /// Reads a block; `weight` is what a sentence counts beside others.
    pub fn of(Block { text, head, under }: &Block, weight: impl Fn(&Sentence<'_>) -> f64) -> Self {
        let sentence = |Piece { text, code, reading }: Piece<&str>| {
            (weight(&Sentence { text, code }), Piece { text: text.to_owned(), code, reading })
        };
        let sentences = if *head { Vec::new() } else { density::pieces(text) };
        Self {
            head: head.then(|| text.clone()),
            under: *under,
            sentences: sentences.into_iter().map(sentence).collect(),
        }
    }
}

/// The densest sentences of these texts that fit in `limit`, in their order, line by line, with the heads that they stand
/// under. Each line comes with the place of its text. Everything is paid for as in [`density::choose`], and priced once.
pub(crate) fn choose<'a>(
    texts: impl Iterator<Item = &'a [Said]>,
    limit: u64,
    cost: &mut dyn FnMut(&str) -> u64,
) -> Vec<(usize, String)> {
    let texts = texts.enumerate();
    let blocks: Vec<(usize, usize, &Said)> = texts
        .flat_map(|(text, said)| said.iter().enumerate().map(move |(at, it)| (text, at, it)))
        .collect();
    let mut units = Vec::new();
    for (source, (_, _, said)) in blocks.iter().enumerate() {
        units.extend(said.sentences.iter().map(|(weight, piece)| Unit {
            excerpt: Excerpt { source, text: &piece.text, code: piece.code },
            reading: &piece.reading,
            weight: *weight,
        }));
    }
    let head = |source: usize| blocks[source].2.head.as_deref().unwrap_or_default();
    let heads = (0..blocks.len()).filter(|source| !head(*source).is_empty());
    let prices: HashMap<usize, u64> =
        heads.map(|source| (source, cost(head(source)).saturating_add(1))).collect();
    let kept = prices.values().sum::<u64>().min(limit / HEADS);
    let (chosen, left) = density::choose(&units, limit - kept, cost);

    let mut room = left.saturating_add(kept);
    let mut lines = Vec::new();
    for said in chosen.chunk_by(|a, b| blocks[a.source].0 == blocks[b.source].0) {
        let mut heads = BTreeSet::new();
        for excerpt in said {
            let (_, at, mut block) = blocks[excerpt.source];
            let first = excerpt.source - at;
            while let Some(source) = block.under.map(|at| first + at).filter(|at| heads.insert(*at))
            {
                block = blocks[source].2;
            }
        }
        let price: u64 = heads.iter().filter_map(|source| prices.get(source)).sum();
        let mut said = said.to_vec();
        if price <= room {
            room -= price;
            let head = |source| Excerpt { source, text: head(source), code: false };
            said.extend(heads.into_iter().map(head));
            said.sort_by_key(|excerpt| excerpt.source);
        }
        let text = |line: &[Excerpt<'_>]| line.first().map_or(0, |it| blocks[it.source].0);
        lines.extend(said.chunk_by(Excerpt::continues).map(|line| (text(line), joined(line))));
    }
    lines
}
