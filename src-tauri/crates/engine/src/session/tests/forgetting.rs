//! What a deleted conversation said is in no part of a session.

use super::*;
use crate::message::{Message, MessageStatus, Part};

fn message(conversation_id: ConversationId, text: &str) -> Message {
    Message {
        id: MessageId::new(now()),
        conversation_id,
        parent_id: None,
        turn_id: None,
        index: 0,
        role: Role::User,
        parts: vec![Part::Text { text: text.to_owned() }],
        status: MessageStatus::Complete,
        model: None,
        tokens: 0,
        created_at: now(),
    }
}

fn heard(file: &ContextFile, message: &Message, keep: u64) -> ContextFile {
    let with = Registering {
        language: "en",
        window_keep: keep,
        count: &|text| text.split_whitespace().count() as u64,
        summarise: &extractive,
    };
    let text = message.text();
    let said = Registered {
        id: message.id,
        conversation_id: message.conversation_id,
        role: message.role,
        content: &text,
        interrupted: false,
    };
    register_message(file, said, now(), &with)
}

#[test]
fn messages_go_by_their_conversation_and_one_that_says_the_same_elsewhere_stays() {
    let [gone, stays] = [ConversationId::new(now()), ConversationId::new(now())];
    let all = [message(gone, "ok"), message(stays, "ok"), message(gone, "The canary is yellow.")];
    let mut file = ContextFile::new(now());
    for message in &all {
        file = heard(&file, message, WINDOW_KEEP);
    }
    let words = Words::of(gone, &[all[0].clone(), all[2].clone()]);
    let left = forget(&file, Forgotten { words: &words, stays: &[] }).unwrap();
    let ids: Vec<_> =
        left.conversation.recent_window.iter().map(|it| it.message_id.clone().unwrap()).collect();
    assert_eq!(ids, [all[1].id.to_string()]);
    assert_eq!(forget(&left, Forgotten { words: &words, stays: &[] }), None, "nothing more goes");
}

#[test]
fn messages_without_ids_go_where_they_say_the_same() {
    let gone = ConversationId::new(now());
    let mut file = example();
    file.conversation.recent_window[0].content = "The canary is yellow.".to_owned();
    file.conversation.recent_window[1].content = "The canary is a bird of whi…".to_owned();
    let said = ["The canary is yellow.", "The canary is a bird of which I know little."];
    let words = Words::of(gone, &said.map(|text| message(gone, text)));
    let left = forget(&file, Forgotten { words: &words, stays: &[] }).unwrap();
    assert_eq!(left.conversation.recent_window, []);
    assert_eq!(left.conversation.running_summary, file.conversation.running_summary);
    assert_eq!(left.conversation.vector_cache, None, "vectors may be of what went");
}

#[test]
fn a_summary_with_words_of_it_is_made_anew_of_what_stays() {
    let [gone, stays] = [ConversationId::new(now()), ConversationId::new(now())];
    let secret = message(gone, "The canary port of the vault is 7712 and it never closes.");
    let other = message(stays, "The indexer listens on port 5433 and reads every file.");
    let mut file = ContextFile::new(now());
    for message in [&secret, &other, &message(stays, "go on now please")] {
        file = heard(&file, message, 4);
    }
    assert!(file.conversation.running_summary.contains("7712"));
    assert!(file.conversation.running_summary.contains("5433"));
    let words = Words::of(gone, std::slice::from_ref(&secret));
    let stays = [WindowMessage::of(&other)];
    let left = forget(&file, Forgotten { words: &words, stays: &stays }).unwrap();
    assert_eq!(left.conversation.running_summary, other.text());
    assert!(words.are_in("I know the canary port of it"), "three words in a row are enough");
    assert!(!words.are_in("The canary sings"), "two are not");
}

#[test]
fn a_summary_of_clean_prose_is_known_by_what_it_was_made_of() {
    let gone = ConversationId::new(now());
    let said = "See [the canary](silt:file/docs/canary.md?line=3) now\n\n| bird | colour |\n|---|---|\n| canary | yellow |";
    let words = Words::of(gone, &[message(gone, said)]);
    for line in ["See the canary now", "- canary: colour yellow"] {
        assert!(words.are_in(line), "{line}");
    }
    assert!(!words.are_in("- crow: colour black"));
}
