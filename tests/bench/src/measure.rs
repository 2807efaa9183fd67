//! Medians and ratios of two acts, run in turns so that whatever else the machine does meets both alike.

use std::fmt;
use std::time::{Duration, Instant};

/// Runs of each act.
pub const RUNS: usize = 15;

/// A table of pairs: two acts, their medians, and how many times as long the second takes.
pub struct Table {
    title: String,
    columns: (String, String),
    rows: Vec<(String, Duration, Duration)>,
}

impl Table {
    pub fn new(
        title: impl Into<String>,
        first: impl Into<String>,
        second: impl Into<String>,
    ) -> Self {
        Self { title: title.into(), columns: (first.into(), second.into()), rows: Vec::new() }
    }

    /// Adds a row from the samples of both acts.
    pub fn row(&mut self, name: impl Into<String>, first: &[Duration], second: &[Duration]) {
        self.rows.push((name.into(), median(first), median(second)));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = &self.columns;
        writeln!(f, "### {}\n\n| | {first} | {second} | ratio |\n|---|---|---|---|", self.title)?;
        for (name, a, b) in &self.rows {
            writeln!(f, "| {name} | {} | {} | {} |", shown(*a), shown(*b), ratio(*a, *b))?;
        }
        writeln!(f)
    }
}

/// How long one act takes.
pub fn timed<T>(act: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = act();
    (start.elapsed(), result)
}

/// The middle one.
pub fn median(samples: &[Duration]) -> Duration {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// How many times as long `second` takes.
pub fn ratio(first: Duration, second: Duration) -> String {
    format!("{:.2}", second.as_secs_f64() / first.as_secs_f64().max(1e-9))
}

/// A time with a unit that suits it.
pub fn shown(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1_000.0;
    match ms {
        ..1.0 => format!("{:.0} µs", ms * 1_000.0),
        ..100.0 => format!("{ms:.1} ms"),
        ..10_000.0 => format!("{ms:.0} ms"),
        _ => format!("{:.1} s", ms / 1_000.0),
    }
}
