//! What models read, word for word, in both languages.

use rstest::rstest;

use super::*;

const TALK: [(&str, &str); 4] = [
    ("Where is the port set? 포트는 어디서 정해요?", "In `config.toml`, line 12: 5433."),
    ("And the host? 호스트는요?", "It must stay 127.0.0.1."),
    ("Never change it. 절대 바꾸지 마세요.", "Understood."),
    ("What is left? 뭐가 남았죠?", "The test."),
];

fn talk(policy: Policy, language: &'static str) -> Chat {
    let mut chat = Chat::new(policy);
    chat.language = language;
    chat.settings.threshold = 40;
    chat.settings.window_keep = 30;
    chat
}

#[rstest]
fn what_is_asked_and_sent(#[values("en", "ko")] language: &'static str) {
    let mut pages = Vec::new();
    let mut chat = talk(Policy::Rolling, language);
    // behaviour.md, Rolling.
    for case in ["A", "B"] {
        pages.push(format!("# Case {case} sends\n{}", single_message(&chat.shape(), "(draft)")));
        chat.say(Role::User, "raw");
        chat.say(Role::Assistant, "raw too");
    }
    for policy in [Policy::Rolling, Policy::Segments, Policy::Running] {
        let mut chat = talk(policy, language);
        for (question, reply) in TALK {
            chat.say(Role::User, question);
            chat.use_tool(&format!("call {}", chat.messages.len()));
            chat.say(Role::Assistant, reply);
            if let Some(draft) = chat.due(Moment::TurnClosed) {
                pages.push(format!("# {policy:?} asks\n{}", draft.ask().prompt));
                chat.records.push(draft.finish("(summary)", Written::default(), at(999)));
            }
        }
        chat.say(Role::User, "raw");
        chat.say(Role::Assistant, "raw too");
        let shape = chat.shape();
        pages.push(match policy {
            Policy::Rolling => format!("# Rolling sends\n{}", single_message(&shape, "(draft)")),
            Policy::Segments => format!("# Segments sends\n{}", system_prompt(&shape, language)),
            _ => {
                let lines = hydrate(&[("PROJECT", "(project)")], &shape, 4_096);
                format!("# Running sends\n{}", lines.join("\n"))
            }
        });
    }

    let mut chat = talk(Policy::Segments, language);
    chat.budget = 40;
    chat.answer = |_| Some("(a summary that is long enough for its share)".to_owned());
    for (question, reply) in TALK.iter().cycle().take(9) {
        chat.say(Role::User, question);
        chat.say(Role::Assistant, reply);
        if let Some(draft) = chat.due(Moment::TurnClosed) {
            let text = (chat.answer)(&draft).unwrap();
            chat.records.push(draft.finish(&text, Written::default(), at(999)));
        }
    }
    pages.push(format!("# Merging asks\n{}", chat.due(Moment::TurnClosed).unwrap().ask().prompt));

    let mut chat = talk(Policy::Running, language);
    chat.room = 1;
    chat.say(Role::User, &"(long) ".repeat(2_000));
    chat.say(Role::Assistant, "(read)");
    let prompt = chat.due(Moment::TurnClosed).unwrap().ask().prompt;
    let asked = prompt.split("(long)").next().unwrap();
    pages.push(format!("# A part asks\n{asked}"));
    insta::assert_snapshot!(format!("summaries_{language}"), pages.join("\n\n"));
}
