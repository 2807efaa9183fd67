//! A database with a page of noise in it: the window says so, shows what could be read, salvages it, and shows the
//! conversations with a line in the place of what is lost.

use std::fs;

use crate::support::{Page, Start, wait};

const PAGE: usize = 4096;

/// The beginning of what stands in the place of a message that is lost (engine, `salvage::LOST`).
const LOST: &str = "This message could not be read";

fn story(language: &'static str, question: &str) {
    let start = Start::new(language);
    let talk: Vec<(&str, String)> = (0..40)
        .map(|index| {
            let role = if index % 2 == 0 { "user" } else { "assistant" };
            (
                role,
                format!("{question} {index:02} {}", "갈대와 왜가리, reeds and herons. ".repeat(20)),
            )
        })
        .collect();
    start.silt().import("talk", &talk);
    let path = start.data().join("siltstone.db");
    // Whoever ends while an index is made leaves a journal; the next one brings it into the file.
    wait("a database without a journal", || {
        start.silt().ask(&["conversation", "list"]);
        (!path.with_extension("db-wal").exists()).then_some(())
    });
    let mut bytes = fs::read(&path).expect("the database");
    // One page of messages, from the middle of the conversation.
    let lost = format!("{question} 21");
    let holds =
        |page: &[u8]| page[0] == 13 && page.windows(lost.len()).any(|at| at == lost.as_bytes());
    let page = bytes.chunks_mut(PAGE).find(|page| holds(page)).expect("the page of a message");
    page.fill(0xa5);
    fs::write(&path, &bytes).expect("the database");

    let window = start.window();
    window.reads(&window.word("errors:damaged.title"));
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the page of a damaged database");
    window.shoot(&format!("story-damaged-{language}"));
    window.control("button", "backups:salvage.open").click();
    let asked = window.control("dialog", "backups:salvage.title");
    wait("what could be read", || {
        asked.text().contains(&window.word("backups:salvage.alone")).then_some(())
    });
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the plan");
    window.shoot(&format!("story-salvage-{language}"));
    assert_eq!(fs::read(&path).expect("the database"), bytes, "a plan changes nothing");
    asked.the("button", &window.word("backups:salvage.run")).click();
    window.control("navigation", "rail:label").the("button", "talk");
    let kept = window.data().join("damaged");
    let folder = fs::read_dir(kept).expect("what is kept").next().expect("one").expect("a folder");
    let kept = fs::read(folder.path().join("siltstone.db")).expect("the damaged database");
    assert_eq!(kept, bytes, "kept as it was");
    window.open_conversation("talk");
    window.reads(&format!("{question} 39"));
    wait("the line in the place of what is lost", || {
        window.browser().run("document.querySelector('[role=log]').scrollTop -= 300", vec![]);
        window.drawn().iter().any(|turn| turn.text.contains(LOST)).then_some(())
    });
    window.shoot(&format!("story-salvaged-{language}"));
}

#[test]
fn what_can_be_read_of_a_damaged_database_is_salvaged_on_its_first_page() {
    story("en", "Which bird is number");
}

#[test]
fn what_can_be_read_of_a_damaged_database_is_salvaged_in_korean() {
    story("ko", "새 번호는");
}
