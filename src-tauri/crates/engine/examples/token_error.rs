//! How far the corrected estimate of a request's tokens is from the count of its provider.
//!
//! `cargo run -p siltstone-engine --example token_error -- FILE…` plays every file as a conversation of 20 replies with
//! a model of each public encoding, whose own count stands for the usage a provider reports. One line a file and
//! encoding: the median error of the bare estimate, and of the one that the replies before have corrected.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a tool for measuring reads files and prints"
)]

use siltstone_engine::tokens::{Calibration, Counter, Encoding, estimate};

const REPLIES: usize = 20;

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        for encoding in [Encoding::O200k, Encoding::Cl100k] {
            let (bare, corrected) = errors(&text, Counter::Exact(encoding));
            println!("{bare:6.1} % {corrected:6.1} %  {encoding:?}  {path}");
        }
    }
    Ok(())
}

/// The median errors in per cent, bare and corrected. Each request has all the text of those before it, as in a chat.
fn errors(text: &str, provider: Counter) -> (f64, f64) {
    let chars: Vec<char> = text.chars().collect();
    let mut calibration = Calibration::default();
    let (mut estimated, mut counted) = (0, 0);
    let (mut bare, mut corrected) = (Vec::new(), Vec::new());
    for reply in chars.chunks(chars.len().div_ceil(REPLIES).max(1)) {
        let reply: String = reply.iter().collect();
        estimated += estimate(&reply);
        counted += provider.count(&reply).tokens;
        let error = |tokens: u64| 100.0 * (tokens as f64 / counted as f64 - 1.0).abs();
        bare.push(error(estimated));
        corrected.push(error(calibration.correct(estimated)));
        calibration = calibration.observe(estimated, counted);
    }
    (median(bare), median(corrected))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
