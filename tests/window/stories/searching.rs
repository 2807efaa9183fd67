//! Finding a message again, in a small list and in a very long conversation.

use serde_json::json;

use crate::support::{Page, Start, Window, wait};

/// Most nodes a list of messages may have in the document, however long the conversation is.
const NODES: u64 = 1500;

fn nodes(window: &Window) -> u64 {
    let count = window
        .browser()
        .run("return document.querySelector('[role=log]').querySelectorAll('*').length", vec![]);
    count.as_u64().expect("a number")
}

#[test]
fn a_korean_substring_and_a_code_name_are_found_and_open_at_their_message() {
    let start = Start::new("en");
    let mut messages = Vec::new();
    for turn in 0..60 {
        messages.push(("user", format!("Question number {turn} about nothing in particular.")));
        messages
            .push(("assistant", format!("Answer number {turn}. {}", "More words. ".repeat(20))));
    }
    messages[20].1 = "세션스키마정리는 언제 하나요?".to_owned();
    messages[41].1 = "Look at rotate_refresh_token in src/auth.rs.".to_owned();
    start.silt().import("Long talk", &messages);
    start.silt().import("Other talk", &[("user", "Something else".to_owned())]);
    let window = start.window();
    for (query, hit) in [("스키마", "세션스키마정리는"), ("rotate_refresh", "rotate_refresh_token")]
    {
        window.keys("Control+Shift+f");
        let dialog = window.control("dialog", "search:title");
        dialog.the("searchbox", &window.word("search:field")).type_text(query);
        let found = wait("one hit", || {
            let hits = window.all_like("button", "^Long talk");
            let hit = hits.into_iter().find(|found| found.text().contains(hit));
            hit.filter(|_| window.all_like("button", "^Other talk").len() < 2)
        });
        if query == "스키마" {
            window.shoot("story-search");
            assert_eq!(window.axe(), Vec::<String>::new(), "axe on the search");
        }
        found.click();
        wait(&format!("the message with {hit} in sight"), || {
            let rows = window.browser().run(
                "const list = document.querySelector('[role=log]')?.getBoundingClientRect();
                 return [...document.querySelectorAll('[role=log] [role=article]')].filter((row) => {
                   const at = row.getBoundingClientRect();
                   return at.bottom > list.top && at.top < list.bottom;
                 }).map((row) => row.innerText)",
                vec![],
            );
            rows.as_array()?
                .iter()
                .any(|row| row.as_str().is_some_and(|row| row.contains(hit)))
                .then_some(())
        });
    }
}

#[test]
fn four_thousand_messages_stay_few_nodes_and_scroll_to_the_first() {
    let start = Start::new("en");
    let say = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        (role, format!("Message **{number}**.\n\n- one\n- two\n\n```rust\nlet n = {number};\n```"))
    };
    start.silt().import("Endless", &(0..4000).map(say).collect::<Vec<_>>());
    let window = start.window();
    window.open_conversation("Endless");
    wait("the newest message", || (window.drawn().last()?.place == 4000).then_some(()));
    let mut most = nodes(&window);
    // The mouse wheel, held: each page that arrives goes on above.
    wait("the first message", || {
        window.browser().run("document.querySelector('[role=log]').scrollTop = 0", vec![]);
        most = most.max(nodes(&window));
        (window.drawn().first()?.place == 1).then_some(())
    });
    wait("its text", || window.drawn()[0].text.contains("let n = 0;").then_some(()));
    assert!(most <= NODES, "{most} nodes in the list");
    window.control("button", "chat:newest").click();
    wait("the newest message", || (window.drawn().last()?.place == 4000).then_some(()));
    assert!(nodes(&window) <= NODES);
    let size = window.browser().run("return arguments[0]", vec![json!(most)]);
    eprintln!("at most {size} nodes in the list of 4,000 messages");
}
