//! When evidence counts as kept, and how sure a mean is.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use siltstone_engine::recall::cut;

/// Resamplings of an interval.
const SAMPLES: usize = 2_000;

/// A text as its runs of four words.
pub struct Text {
    joined: String,
    runs: HashSet<[u64; 4]>,
}

impl Text {
    pub fn of(text: &str) -> Self {
        let words = words(text);
        let runs = words.windows(4).map(hashed).collect();
        Self { joined: format!(" {} ", words.join(" ")), runs }
    }
}

/// Characters from which on a message is long: of it the stretch must stand in the context that answers.
const LONG: usize = 1_000;

/// What of a message answers: the stretch that says most of the answer's words, or all of it where it is short or says none.
pub fn key<'t>(message: &'t str, question: &str, answer: &str) -> &'t str {
    answering(message, question, answer).first().map_or(message, |it| &message[it.clone()])
}

/// The stretches of a long message that say most of the answer's words, those first that say most of the question's too.
pub fn answering(message: &str, question: &str, answer: &str) -> Vec<Range<usize>> {
    if message.chars().count() <= LONG {
        return Vec::new();
    }
    let shared = |wanted: &str, said: &str| {
        let said = words(said).join(" ");
        words(wanted).iter().filter(|it| said.contains(it.as_str())).count()
    };
    let stretches = cut(message).into_iter();
    let mut scored: Vec<(usize, usize, Range<usize>)> = stretches
        .map(|it| {
            (shared(answer, &message[it.clone()]), shared(question, &message[it.clone()]), it)
        })
        .collect();
    scored.sort_by_key(|(of_answer, of_question, _)| Reverse((*of_answer, *of_question)));
    let most = scored.first().map_or(0, |it| it.0);
    if most == 0 {
        return Vec::new();
    }
    scored.into_iter().take_while(|it| it.0 == most).map(|it| it.2).collect()
}

/// Whether four fifths of a message's runs of four words stand in a text; a shorter one has to stand there whole.
pub fn kept(text: &Text, message: &str) -> bool {
    let words = words(message);
    if words.len() < 4 {
        return text.joined.contains(&format!(" {} ", words.join(" ")));
    }
    let there = words.windows(4).filter(|run| text.runs.contains(&hashed(run))).count();
    there as f64 >= 0.8 * (words.len() - 3) as f64
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

fn hashed(run: &[String]) -> [u64; 4] {
    std::array::from_fn(|at| {
        run[at].bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    })
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// A mean and where it lies with 95 % certainty.
pub struct Interval {
    mean: f64,
    low: f64,
    high: f64,
}

impl Interval {
    /// By a bootstrap with a fixed seed.
    pub fn of(values: &[f64]) -> Self {
        let mut state = 1_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let mut means: Vec<f64> = (0..SAMPLES)
            .map(|_| {
                let drawn = (0..values.len()).map(|_| values[draw() % values.len()]);
                drawn.sum::<f64>() / values.len().max(1) as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[(share * SAMPLES as f64) as usize];
        Self { mean: mean(values), low: at(0.025), high: at(0.975) }
    }

    pub fn signed(&self) -> String {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|it| it * 100.0);
        format!("{mean:+.1} [{low:+.1}, {high:+.1}]")
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|it| it * 100.0);
        write!(out, "{mean:.1} [{low:.0}–{high:.0}]")
    }
}
