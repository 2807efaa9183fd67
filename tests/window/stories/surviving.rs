//! Killed in the middle of a reply: the question and what had arrived are there at the next start.

use std::time::{Duration, Instant};

use crate::support::{Page, Start, scripted, slow_reply, wait, words_in};

/// A reply is kept this often: what was shown for longer must be there.
const KEPT_EVERY: Duration = Duration::from_millis(250);

#[test]
fn killed_while_answering_it_keeps_the_question_and_all_but_the_last_quarter_second() {
    let kills = std::env::var("SILTSTONE_KILLS").ok().and_then(|kills| kills.parse().ok());
    let server = scripted(&[slow_reply("count", 900)]);
    let start = Start::new("en");
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let mut window = start.window();
    for kill in 1..=kills.unwrap_or(3) {
        window.keys("Control+n");
        wait("an empty conversation", || window.turns().is_empty().then_some(()));
        let question = format!("Please count, number {kill}.");
        window.say(&question);
        // A later moment each time, so that the kills fall on different parts of the writing.
        let until = 15 + (kill * 7) % 40;
        let mut shown: Vec<(Instant, u32)> = Vec::new();
        wait("enough words", || {
            let words = words_in(&window.replies().pop()?);
            shown.push((Instant::now(), words));
            (words >= until).then_some(())
        });
        let moment = Instant::now();
        window.kill();
        let must =
            shown.iter().filter(|(at, _)| *at + KEPT_EVERY <= moment).map(|(_, words)| *words);
        let must = must.max().unwrap_or(0);
        assert!(must > 0, "something was shown long enough before the kill");

        window.reopen();
        let title = window.silt().ask(&["conversation", "list"]);
        let titles = title["conversations"].as_array().expect("a list").len();
        assert_eq!(titles as u32, kill, "no conversation was lost: {title}");
        let title = title["conversations"][0]["title"].as_str().expect("a title").to_owned();
        window.open_conversation(&title);
        assert!(window.questions()[0].starts_with(&question), "the question is there");
        let reply = window.finished();
        let kept = words_in(&reply.text());
        assert!(kept >= must, "kill {kill}: {must} words were shown in time, {kept} are left");
        assert!(reply.text().contains(&window.word("chat:status.interrupted")));
        reply.the("button", &window.word("chat:actions.continue"));
        eprintln!("kill {kill}: {must} words had to be there, {kept} are");
        if kill == 1 {
            window.shoot("story-interrupted");
        }
    }
}
