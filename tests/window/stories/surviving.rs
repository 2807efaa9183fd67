//! Killed in the middle of a reply: the question and what had arrived are there at the next start.

use crate::support::{Start, Window, scripted, slow_reply, wait, words_in};

/// How much of the newest reply is on the disk: another program reads it there.
#[track_caller]
fn durable(window: &Window) -> u32 {
    let listed = window.silt().ask(&["conversation", "list"]);
    let id = listed["conversations"][0]["id"].as_str().expect("a conversation").to_owned();
    let shown = window.silt().ask(&["conversation", "show", &id]);
    let messages = shown["messages"].as_array().expect("messages");
    let last = messages.last().and_then(|message| message["content"].as_str());
    last.map_or(0, words_in)
}

#[test]
fn killed_while_answering_it_keeps_the_question_and_all_that_another_program_could_read() {
    let kills = std::env::var("SILTSTONE_KILLS").ok().and_then(|kills| kills.parse().ok());
    let server = scripted(&[slow_reply("count", 900)]);
    let start = Start::new("en");
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let mut window = start.window();
    for kill in 1..=kills.unwrap_or(3) {
        window.new_conversation();
        let question = format!("Please count, number {kill}.");
        window.say(&question);
        // A later moment each time, so that the kills fall on different parts of the writing.
        let until = 15 + (kill * 7) % 40;
        wait("enough words", || (words_in(&window.replies().pop()?) >= until).then_some(()));
        let must = wait("enough words on the disk", || {
            Some(durable(&window)).filter(|words| *words >= until)
        });
        assert!(must < 900, "it is still on its way");
        window.kill();

        window.reopen();
        let title = window.silt().ask(&["conversation", "list"]);
        let titles = title["conversations"].as_array().expect("a list").len();
        assert_eq!(titles as u32, kill, "no conversation was lost: {title}");
        let title = title["conversations"][0]["title"].as_str().expect("a title").to_owned();
        window.open_conversation(&title);
        assert!(window.questions()[0].starts_with(&question), "the question is there");
        let reply = window.finished();
        let kept = words_in(&reply.text());
        assert!(kept >= must, "kill {kill}: {must} words were on the disk, {kept} are left");
        assert!(reply.text().contains(&window.word("chat:status.interrupted")));
        reply.the("button", &window.word("chat:actions.continue"));
        eprintln!("kill {kill}: {must} words had to be there, {kept} are");
        if kill == 1 {
            window.shoot("story-interrupted");
        }
    }
}
