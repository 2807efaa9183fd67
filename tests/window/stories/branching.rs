//! Stopping, going on, editing, answering again, and finding all of it after a restart.

use crate::support::{Page, Start, Window, scripted, slow_reply, wait, words_in};

#[test]
fn what_was_stopped_edited_and_asked_again_is_there_after_a_restart() {
    // The second reply is shorter than the first can be when it is stopped, so each is known by its words.
    let server = scripted(&[slow_reply("count slowly", 4000), slow_reply("count briefly", 3)]);
    let start = Start::new("en");
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let mut window = start.window();
    window.just_talk();

    window.say("Please count slowly.");
    wait("some words", || (words_in(&window.replies().pop()?) >= 5).then_some(()));
    window.shoot("story-streaming");
    window.control("button", "chat:composer.stop").click();
    let stopped = window.finished().text();
    let kept = words_in(&stopped);
    assert!((5..4000).contains(&kept), "stopped on the way: {stopped}");
    window.finished().the("button", &window.word("chat:actions.continue"));

    // Editing makes a sibling of the question; the first one stays.
    window.to_the_first();
    window.turns()[0].hover();
    window.turns()[0].the("button", &window.word("chat:actions.edit")).click();
    let field = window.control("textbox", "chat:actions.editLabel");
    window.keys("Control+a");
    field.type_text("Please count briefly.");
    window.control("button", "chat:actions.save").click();
    wait("the edited question", || window.questions().first()?.contains("briefly").then_some(()));
    assert_eq!(words_in(&window.finished().text()), 3);
    window.other_version("previous", "1/2");
    window.to_the_first();
    wait("the first question", || {
        let first = window.questions().into_iter().next()?;
        (first.lines().next() == Some("Please count slowly.")).then_some(())
    });
    assert_eq!(words_in(&window.finished().text()), kept);
    window.to_the_first();
    window.other_version("next", "2/2");

    // Asking again makes a sibling of the reply.
    window.finished().the("button", &window.word("chat:actions.regenerate")).click();
    let name = window.phrase("chat:siblings.label", &[("index", "2"), ("count", "2")]);
    wait("two siblings, twice", || (window.all("group", &name).len() == 2).then_some(()));
    assert_eq!(words_in(&window.finished().text()), 3);
    window.shoot("story-branches");

    let texts = |window: &Window| window.drawn().into_iter().map(|turn| turn.text);
    let before: Vec<String> = texts(&window).collect();
    window.close();
    window.reopen();
    wait("the conversation", || (window.turns().len() == 2).then_some(()));
    let after: Vec<String> = texts(&window).collect();
    assert_eq!(after, before, "the same branch with the same words is shown");
    window.turns()[0].the("button", &window.word("chat:siblings.previous")).click();
    wait("the stopped reply", || (words_in(&window.replies().pop()?) == kept).then_some(()));
    window.finished().the("button", &window.word("chat:actions.continue"));
}

#[test]
fn a_message_sent_while_answering_waits_its_turn() {
    // The first is still on its way when the second is sent, on a slow machine too.
    let server = scripted(&[slow_reply("첫째", 600), slow_reply("둘째", 6)]);
    let start = Start::new("ko");
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let window = start.window();
    window.just_talk();
    window.say("첫째 질문이에요.");
    wait("some words", || (words_in(&window.replies().pop()?) >= 2).then_some(()));
    let composer = window.composer();
    composer.type_text("둘째 질문이에요.");
    composer.enter();
    window.control("list", "talk:queue");
    wait("both answers", || {
        let counts: Vec<u32> = window.replies().iter().map(|reply| words_in(reply)).collect();
        (counts == [600, 6]).then_some(())
    });
    // The first reply is so long that its question need not be drawn any more.
    assert_eq!(window.drawn().last().map(|turn| turn.place), Some(4));
}
