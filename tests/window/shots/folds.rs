//! Pictures of the tab of summaries: its closed cards, and what the next summary would keep and lose at another rate.

use super::{Shooter, for_each, staging, talk};
use crate::support::{Page, Start, wait};

#[test]
#[ignore = "pictures, by make shots"]
fn summaries_and_what_the_next_would_lose_in_both_themes_and_languages() {
    for_each(summaries);
}

fn summaries(language: &'static str, theme: &str) {
    let start = Start::new(language);
    let silt = start.silt();
    let said: Vec<_> = staging().into_iter().chain((0..4).flat_map(|_| talk())).collect();
    let id = silt.import("Rates", &said);
    silt.ask(&["summary", "run", &id, "--policy", "segments"]);
    let window = start.window();
    let shooter = Shooter::of(&window, language, theme);
    window.open_conversation("Rates");
    // A turn that waits to be told.
    window.ask("Which port does the database of staging listen on, and since when?");
    window.keys("Control+Shift+s");
    let list = window.word("summaries:list");
    wait("the cards", || window.all("list", &list).into_iter().next().map(|_| ()));
    shooter.take("summaries");
    window.control("button", "summaries:points.short.name").click();
    window.control("button", "summaries:points.detailed.name").click();
    let name = window.word("summaries:sketch.text");
    let script =
        "return [...document.querySelectorAll('pre')].some((it) => it.ariaLabel === arguments[0])";
    wait("the sketch", || {
        (window.browser().run(script, vec![name.clone().into()]) == true).then_some(())
    });
    shooter.take("summaries-sketch");
}
