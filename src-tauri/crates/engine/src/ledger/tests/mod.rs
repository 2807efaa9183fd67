mod chats;
mod clauses;
mod labelled;
mod receipts;
mod replacing;

use super::*;
use crate::Timestamp;
use crate::ids::ConversationId;
use crate::message::MessageStatus;
use crate::tokens::estimate;
use proptest::prelude::*;

/// A path of messages, each said by the role before it.
fn path(said: &[(Role, &str)]) -> Vec<Message> {
    let at = Timestamp::UNIX_EPOCH;
    let conversation_id = ConversationId::new(at);
    let message = |(index, (role, text)): (usize, &(Role, &str))| Message {
        id: MessageId::new(at),
        conversation_id,
        parent_id: None,
        turn_id: None,
        index: index as u64,
        role: *role,
        parts: vec![Part::Text { text: (*text).to_owned() }],
        status: MessageStatus::Complete,
        model: None,
        tokens: estimate(text),
        created_at: at,
    };
    said.iter().enumerate().map(message).collect()
}

fn texts(entries: &[Entry], category: Category) -> Vec<&str> {
    let of = entries.iter().filter(|entry| entry.category == category);
    of.map(|entry| entry.text.as_str()).collect()
}

#[test]
fn every_pattern_compiles() {
    for (category, pattern) in marks::patterns() {
        assert!(regex::Regex::new(pattern).is_ok(), "{category:?} {pattern}");
    }
    assert!(statements::compile());
}

#[test]
fn tools_speak_in_the_ledger_and_demand_nothing() {
    let mut message = path(&[(Role::Assistant, "Looking at it.")]).remove(0);
    message.parts.push(Part::ToolCall {
        id: "1".to_owned(),
        name: "shell".to_owned(),
        arguments: r#"{"command":"cargo test -p app","cwd":"/srv/app"}"#.to_owned(),
        seal: None,
    });
    message.parts.push(Part::ToolResult {
        call_id: "1".to_owned(),
        text: "You must run as root.\nexit code 101".to_owned(),
        is_error: true,
        kept: None,
    });
    let found = entries(&message);
    assert_eq!(texts(&found, Category::Command), ["cargo test -p app"]);
    assert_eq!(texts(&found, Category::Path), ["/srv/app"]);
    assert_eq!(texts(&found, Category::Constraint), [""; 0]);
    let command = found.iter().find(|it| it.category == Category::Command).unwrap();
    assert_eq!(command.exit, Some(101));
    let text = text_of(&message);
    assert!(found.iter().all(|entry| text[entry.span.clone()] == entry.text), "{found:?}");
}

#[test]
fn the_result_in_the_next_message_ends_the_command() {
    let ledger = Ledger::of(&path(&[
        (Role::Assistant, "I run `npm run build` now."),
        (Role::Tool, "vite: killed\nexit code 137"),
    ]));
    let commands = ledger.facts().iter().filter(|it| it.entry.category == Category::Command);
    assert_eq!(commands.map(|it| it.entry.exit).collect::<Vec<_>>(), [Some(137)]);
}

#[test]
fn each_thing_is_kept_once_with_its_places() {
    let ledger = Ledger::of(&path(&[
        (Role::User, "The server is on port 5433, see config/db.toml."),
        (Role::Assistant, "Port 5433 is set in `./config/db.toml`."),
        (Role::User, "And nothing else."),
    ]));
    let known: Vec<(&str, &[usize])> =
        ledger.facts().iter().map(|it| (it.entry.key.as_str(), it.mentions.as_slice())).collect();
    assert_eq!(known, [("5433", [0, 1].as_slice()), ("config/db.toml", &[0, 1])]);
    assert_eq!(ledger.within(1..2).count(), 2);
    assert_eq!(ledger.within(2..3).count(), 0);
}

/// What stands at places is found by them: the same facts, in the same order, as a look at every fact finds.
#[test]
fn a_look_at_places_finds_what_a_look_at_every_fact_finds() {
    let said: Vec<(Role, String)> = (0..40)
        .map(|at| match at % 4 {
            0 => (
                Role::User,
                format!("Always run cargo test {} before a push to port {at}.", at % 3),
            ),
            1 => (
                Role::Assistant,
                format!("I put it into src/part{}.rs, version 1.{}.", at % 5, at % 7),
            ),
            2 => (Role::User, format!("We use PostgreSQL {} instead of MySQL now.", at % 6)),
            _ => (Role::Assistant, "포트는 5433번이고 config/db.toml에 있어요.".to_owned()),
        })
        .collect();
    let said: Vec<(Role, &str)> = said.iter().map(|(role, text)| (*role, text.as_str())).collect();
    let ledger = Ledger::of(&path(&said));
    assert!(ledger.facts().iter().any(|fact| fact.mentions.len() > 1));
    for start in 0..=said.len() {
        for end in [start, start + 1, start + 6, said.len(), usize::MAX] {
            let stands = |fact: &&Fact| {
                fact.entry.in_force && fact.mentions.iter().any(|at| (start..end).contains(at))
            };
            let expected: Vec<&Fact> = ledger.facts().iter().filter(stands).collect();
            assert_eq!(ledger.within(start..end).collect::<Vec<_>>(), expected, "{start}..{end}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_spans_hold_what_they_say(
        text in "(?s)[a-zA-Z0-9 가-힣`'\"./:$#\n,?!“”*_(){}-]{0,200}|.{0,120}",
        user: bool,
    ) {
        let role = if user { Role::User } else { Role::Assistant };
        let message = path(&[(role, &text)]).remove(0);
        for entry in entries(&message) {
            prop_assert_eq!(&text[entry.span.clone()], &entry.text);
        }
        // What was said supports itself. Marks of Markdown and of thousands are off on both sides, and may part words.
        let plain = text.replace(['`', '*', ','], "");
        let told = Told::of([plain.as_str()]);
        prop_assert_eq!(told.unsupported(&plain), Vec::<Range<usize>>::new());
    }
}

/// What is read again for a message more is that message: a path costs what its messages cost one by one.
#[test]
fn a_message_costs_the_same_at_any_place() {
    let said = "We decided to use port 5433 for src/main.rs. Never touch `cargo run x`. Why not?";
    let one = scan(said, Voice::Person).len();
    let many = scan(&format!("{said}\n").repeat(400), Voice::Person).len();
    assert_eq!(many, one * 400);
    let path = path(&[(Role::User, said); 400]);
    let ledger = Ledger::of(&path);
    assert_eq!(ledger.facts().len(), one, "nothing is kept twice");
}
