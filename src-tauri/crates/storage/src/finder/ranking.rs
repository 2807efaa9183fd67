//! From what an index names to what is shown: phrases are looked for in the texts, and the best few hundred are put in
//! order by them. What comes behind stays in the order of its age.

use std::collections::HashMap;

use siltstone_engine::search::{Query, Searched, Term};

use super::asking;
use crate::fault::Fault;

/// Matches whose text is weighed.
pub(crate) const SCORED: usize = 300;

/// Texts that are asked whether tokens stand together, and their bytes; what lies beyond is not counted.
const ASKED: usize = 2_500;
const READ: usize = 2 * 1024 * 1024;

/// What an index named.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    /// Newest first.
    pub(crate) newest: Vec<i64>,
    /// The newest of those that have the words whole, where more match than are weighed.
    pub(crate) whole: Vec<i64>,
    /// Whether there are more.
    pub(crate) capped: bool,
}

/// What an index names for an expression, at most so many.
pub(crate) type Find<'f> = dyn FnMut(&str, usize) -> Result<Vec<i64>, Fault> + 'f;

impl Matches {
    /// At most so many of those that have all tokens of a query, as `find` asks an index for an expression and most rows.
    ///
    /// Words are asked for whole first. Where enough have them so, what only begins like them is not asked for: for that
    /// an index puts together everything that does, however little of it is taken.
    pub(crate) fn of(query: &Query, most: usize, find: &mut Find<'_>) -> Result<Self, Fault> {
        let mut whole = match asking::whole_words(query).filter(|_| is_of_single_tokens(query)) {
            Some(expression) => find(&expression, most + 1)?,
            None => Vec::new(),
        };
        let mut newest = match whole.len() > most {
            true => std::mem::take(&mut whole),
            false => find(&asking::words(query), most + 1)?,
        };
        let capped = newest.len() > most;
        newest.truncate(most);
        // Of fewer than are weighed all are.
        whole.truncate(if newest.len() > SCORED { SCORED } else { 0 });
        Ok(Self { newest, whole, capped })
    }
}

/// Matches in order.
#[derive(Debug, Default)]
pub(crate) struct Ranked {
    pub(crate) best: Vec<i64>,
    pub(crate) total: u64,
    pub(crate) capped: bool,
}

/// Puts matches in order. `text` gives what is searched of a row.
pub(crate) fn rank(
    query: &Query,
    rarity: &[f64],
    matches: &mut Matches,
    text: &mut dyn FnMut(i64) -> Result<Option<String>, Fault>,
) -> Result<Ranked, Fault> {
    let mut capped = matches.capped;
    let mut read = 0;
    let mut texts: Vec<(i64, String)> = Vec::new();
    if is_of_single_tokens(query) {
        let mut chosen: Vec<i64> = matches.whole.clone();
        chosen.extend(matches.newest.iter().take(SCORED));
        chosen.sort_unstable_by(|a, b| b.cmp(a));
        chosen.dedup();
        for seq in chosen {
            if read > READ {
                break;
            }
            if let Some(text) = text(seq)? {
                read += text.len();
                texts.push((seq, text));
            }
        }
    } else {
        let unsure = of_several_tokens(query);
        let mut standing = Vec::new();
        for (number, seq) in matches.newest.drain(..).enumerate() {
            if read > READ || number == ASKED {
                capped = true;
                break;
            }
            let Some(text) = text(seq)? else { continue };
            read += text.len();
            if Searched::new(&text).meets(&unsure) {
                standing.push(seq);
                if texts.len() < SCORED {
                    texts.push((seq, text));
                }
            }
        }
        matches.newest = standing;
    }
    let total = matches.newest.len() as u64;
    let all: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let usual = all as f64 / texts.len().max(1) as f64;
    let mut weighed: Vec<(i64, f64)> = texts
        .into_iter()
        .map(|(seq, text)| (seq, Searched::new(&text).worth(query, rarity, usual)))
        .collect();
    // Among equals the newest comes first.
    weighed.sort_by(|(a, worth_a), (b, worth_b)| worth_b.total_cmp(worth_a).then(b.cmp(a)));
    let mut best: Vec<i64> = weighed.into_iter().map(|(seq, _)| seq).collect();
    let mut known = best.clone();
    known.sort_unstable();
    best.extend(matches.newest.iter().filter(|seq| known.binary_search(seq).is_err()));
    Ok(Ranked { best, total, capped })
}

/// Whether an index without positions answers a query whole.
pub(crate) fn is_of_single_tokens(query: &Query) -> bool {
    query.terms.iter().all(is_sure)
}

/// What of a query such an index only guesses.
fn of_several_tokens(query: &Query) -> Query {
    Query { terms: query.terms.iter().filter(|term| !is_sure(term)).cloned().collect() }
}

fn is_sure(term: &Term) -> bool {
    term.alternatives.iter().all(|phrase| phrase.tokens.len() == 1)
}

/// A phrase, as far as its rows are looked at.
#[derive(Debug)]
pub(crate) struct OfPhrase {
    /// The rows that are known to have it.
    pub(crate) rows: Vec<i64>,
    /// How many have it.
    pub(crate) having: u64,
}

impl OfPhrase {
    /// Of a phrase that no other row has.
    pub(crate) fn in_all(rows: Vec<i64>) -> Self {
        let having = rows.len() as u64;
        Self { rows, having }
    }
}

/// The rows with the rarest and the most phrases, out of `all`. Goes by the rows that are given, not by what lies
/// between them.
pub(crate) fn rarest(phrases: &[OfPhrase], all: u64, limit: usize) -> Vec<i64> {
    let mut worth: HashMap<i64, f32> = HashMap::new();
    for phrase in phrases {
        let rare = (1.0 + all as f32 / phrase.having.max(1) as f32).ln();
        for seq in &phrase.rows {
            *worth.entry(*seq).or_default() += rare;
        }
    }
    let mut best: Vec<(i64, f32)> = worth.into_iter().collect();
    let order = |(a, worth_a): &(i64, f32), (b, worth_b): &(i64, f32)| {
        worth_b.total_cmp(worth_a).then(b.cmp(a))
    };
    if best.len() > limit && limit > 0 {
        best.select_nth_unstable_by(limit - 1, order);
    }
    best.truncate(limit);
    best.sort_unstable_by(order);
    best.into_iter().map(|(seq, _)| seq).collect()
}
