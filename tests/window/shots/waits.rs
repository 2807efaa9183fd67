//! Pictures of waiting and of what comes instead of an answer: no word for long, too many requests, no credit, a server that
//! breaks off, messages that wait behind another, one that is too long.

use serde_json::{Value, json};

use super::{HEIGHT, Shooter, for_two};
use crate::support::desktop::Copied;
use crate::support::{Page, Start, Window, scripted, slow_reply, wait, words_in};

const SLOW: &str = "Why is the sky blue? 하늘은 왜 파래요?";
const LIMITED: &str = "And at dusk? 해 질 녘에는요?";
const SPENT: &str = "What is a rainbow? 무지개는 무엇인가요?";
const CUT: &str = "Tell me about light. 빛을 이야기해 주세요.";
const FULL: &str = "And of the sea? 바다는요?";
const EMPTY: &str = "And of the moon? 달은요?";
const LONG: &str = "Count. 세어 보세요.";

fn said(question: &str, response: &Value) -> Value {
    json!({ "match": { "userMessage": question }, "response": response })
}

/// An answer that is no success.
fn fault(question: &str, code: &str, message: &str) -> Value {
    let error = json!({ "message": message, "type": code, "code": code });
    said(question, &json!({ "status": 429, "retryAfter": 25, "error": error }))
}

#[test]
#[ignore = "pictures, by make shots"]
fn waiting_and_refusals_in_two() {
    let light =
        "Light is what the eye takes in of a wave. 빛은 눈이 받아들이는 파동이에요. ".repeat(8);
    let mut slow = said(SLOW, &json!({ "content": "Because it scatters." }));
    // Longer than anybody waits for it here.
    slow["streamingProfile"] = json!({ "ttft": 600_000 });
    let mut cut = said(CUT, &json!({ "content": light }));
    cut["truncateAfterChunks"] = 40.into();
    let full = "The sea is blue as the sky is. 바다는 하늘처럼 파래요, 그리고";
    let server = scripted(&[
        slow,
        said(FULL, &json!({ "content": full, "finishReason": "length" })),
        said(EMPTY, &json!({ "content": "\n" })),
        fault(LIMITED, "rate_limit_exceeded", "Rate limit reached for requests per minute."),
        fault(SPENT, "insufficient_quota", "You exceeded your current quota."),
        cut,
        slow_reply(LONG, 4_000),
    ]);
    for_two(|language, theme| waiting(&server.base_url(), language, theme));
}

impl Window {
    /// Begins a conversation with a question whose answer is not waited for.
    fn begin(&self, question: &str) {
        self.new_conversation();
        self.say(question);
    }
}

fn waiting(base_url: &str, language: &'static str, theme: &str) {
    let start = Start::new(language);
    start.silt().connect("scripted", base_url, "gpt-4");
    let window = start.window();
    let shooter = Shooter::of(&window, language, theme);
    window.just_talk();

    window.say(SPENT);
    window.fails_with("no_credit");
    shooter.take_in_all_widths("refused-credit");
    window.begin(CUT);
    window.reads(&window.word("errors:reply_cut.title"));
    shooter.take_in_all_widths("reply-cut");
    window.begin(FULL);
    window.reads(&window.word("errors:reply_full.title"));
    shooter.take_in_all_widths("reply-full");
    window.begin(EMPTY);
    window.fails_with("reply_empty");
    shooter.take_in_all_widths("reply-empty");

    // What is offered while it waits is there once that has been long.
    window.begin(LIMITED);
    let other = window.control("button", "chat:actions.otherModel");
    shooter.take_in_all_widths("waits-limited");
    other.click();
    window.control("combobox", "palette:models");
    shooter.take("waits-other-model");
    window.dismiss();
    window.control("button", "chat:composer.stop").click();
    window.begin(SLOW);
    window.control("button", "chat:actions.otherModel");
    shooter.take_in_all_widths("waits-slow");
    window.control("button", "chat:composer.stop").click();

    window.begin(LONG);
    wait("some words", || (words_in(&window.replies().pop()?) >= 20).then_some(()));
    for text in ["And back again? 거꾸로도요?", "Only the even ones. 짝수만요."] {
        let composer = window.composer();
        composer.type_text(text);
        composer.enter();
        wait("it in the queue", || (composer.value().is_empty()).then_some(()));
    }
    window.control("list", "talk:queue");
    shooter.take_in_all_widths("chat-queued");
    too_long(&window, &shooter);
}

/// More is written than the model holds.
fn too_long(window: &Window, shooter: &Shooter<'_>) {
    window.new_conversation();
    let copied = Copied::text(&"2026-11-24 09:31:07 토큰을 바꿨습니다: session 4711\n".repeat(900));
    window.composer().click();
    window.keys("Control+v");
    window.like("button", &window.phrase("attach:pasted_other", &[("n", "900")]));
    drop(copied);
    window.composer().type_text("What went wrong? 무엇이 잘못됐나요?");
    let refusal = window.word("talk:tooLong");
    window.reads(refusal.split("{{").next().expect("words before the number"));
    shooter.take_in_all_widths("too-long");
    window.resize(1280, HEIGHT);
}
