//! A paste of letters without a blank in the composer: what a person waits for at the next request, by how long it is.
//! Most of it is what recall looks for; each run has letters of its own, so that nothing is remembered.

use crate::Outcome;
use crate::history::{Folder, previewed};
use crate::measure::{RUNS, Table};
use crate::sizes::thousands;

/// Scripts: the first letter of a stretch, and how many letters it has.
const SCRIPTS: [(&str, char, u32); 4] =
    [("Hangul", '가', 11_172), ("Kana", 'ぁ', 80), ("Han", '一', 20_000), ("Latin", 'a', 26)];

/// The table for two lengths.
pub async fn measure(folder: &Folder, lengths: [usize; 2]) -> Outcome<String> {
    let [short, long] = lengths.map(|length| format!("{} letters", thousands(length)));
    let said = thousands(folder.texts.len());
    let title = format!("The request for a paste without a blank, after {said} messages");
    let mut table = Table::new(title, short, long);
    let app = folder.app();
    for (name, first, many) in SCRIPTS {
        let mut samples = (Vec::new(), Vec::new());
        for number in 0..RUNS {
            let short = run(first, many, lengths[0], 2 * number);
            let long = run(first, many, lengths[1], 2 * number + 1);
            samples.0.push(previewed(&app, folder.conversation, short).await?);
            samples.1.push(previewed(&app, folder.conversation, long).await?);
        }
        table.row(name, &samples.0, &samples.1);
    }
    Ok(table.to_string())
}

/// So many letters of a script, in an order that repeats late.
fn run(first: char, many: u32, length: usize, number: usize) -> String {
    let place = |at: usize| (at * at + at / 7 + number * 31) % many as usize;
    let letter = |at| char::from_u32(u32::from(first) + u32::try_from(place(at)).unwrap_or(0));
    (0..length).filter_map(letter).collect()
}
