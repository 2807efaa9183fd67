//! Something that was said long ago comes back when it is asked about: the pane says why, the server is sent it, and what
//! the person rejects stays out, after a restart too.

use serde_json::{Value, json};
use siltstone_test_servers::Server;

use crate::support::{Page, Start, Window, scripted, wait};

/// A long conversation about nothing in particular, with one thing worth remembering near its beginning.
struct Talk {
    language: &'static str,
    title: &'static str,
    fact: &'static str,
    /// Words that stand in the fact alone.
    only: &'static str,
    question: &'static str,
    again: &'static str,
}

const TALKS: [Talk; 2] = [
    Talk {
        language: "en",
        title: "Workshop",
        fact: "By the way, the blue kettle in the workshop whistles whenever the kiln gets too hot.",
        only: "blue kettle",
        question: "What whistles in the workshop whenever the kiln gets too hot?",
        again: "Once more: what whistles whenever the kiln gets too hot?",
    },
    Talk {
        language: "ko",
        title: "작업실",
        fact: "그런데 작업실의 파란주전자는 가마가 너무 뜨거우면 휘파람소리를 내요.",
        only: "파란주전자",
        question: "작업실에서 가마가 너무 뜨거우면 무엇이 휘파람소리를 내나요?",
        again: "다시 물을게요. 가마가 너무 뜨거우면 무엇이 휘파람소리를 내죠?",
    },
];

const SUMMARY: &str = "They went over many drawings of shelves, one after the other.";

impl Talk {
    /// So many turns; the fact stands in the fifth.
    fn turns(&self, count: usize) -> Vec<(&'static str, String)> {
        let turn = |turn: usize| {
            let (asked, said) = match self.language {
                "ko" => (
                    format!("선반 도면 {turn}장째를 볼까요? 이번에는 모서리와 칸을 함께 봐요."),
                    format!(
                        "네, 도면 {turn}장째는 모서리가 둥글고 칸이 고르게 나뉘어 있어요. 바꿀 곳은 없어 보여요."
                    ),
                ),
                _ => (
                    format!(
                        "Shall we look at drawing {turn} of the shelves, its corners and its boards?"
                    ),
                    format!(
                        "Drawing {turn} has round corners and even boards. It looks as it should, nothing to change."
                    ),
                ),
            };
            let asked = if turn == 5 { self.fact.to_owned() } else { asked };
            [("user", asked), ("assistant", said)]
        };
        (1..=count).flat_map(turn).collect()
    }
}

fn server(talk: &Talk) -> Server {
    // Both questions have it, and the fact, which is in what is to be summarised, has not.
    let asked = match talk.language {
        "ko" => "무엇이 휘파람소리를",
        _ => "hat whistles",
    };
    scripted(&[
        json!({ "match": { "userMessage": asked }, "response": { "content": "I see." } }),
        json!({ "match": {}, "response": { "content": SUMMARY } }),
    ])
}

/// The last request that arrived with a question, as text.
#[track_caller]
fn arrived(server: &Server, question: &str) -> String {
    let bodies = server.questions().expect("aimock tells what arrived").into_iter();
    let bodies = bodies.map(|it| serde_json::from_slice::<Value>(&it.body).expect("JSON"));
    let texts: Vec<String> = bodies.map(|body| body.to_string()).collect();
    let found = texts.into_iter().rfind(|text| text.contains(question));
    found.expect("the question arrived")
}

impl Window {
    /// The rows of what is recalled in the request that is shown, as they read.
    #[track_caller]
    fn recalled(&self) -> Vec<String> {
        let rows = self.browser().run(
            "return [...document.querySelectorAll('[data-block^=\"recall:\"]')].map((row) => row.innerText)",
            vec![],
        );
        serde_json::from_value(rows).expect("rows")
    }

    /// Writes into the composer, and waits until the request that is shown is about all of it: its last block is what
    /// is written, and opens to its words.
    #[track_caller]
    fn write(&self, text: &str) {
        self.composer().type_text(text);
        let script = "const kind = document.querySelector('[data-block] [data-kind=draft]');
            const row = kind?.closest('button');
            if (row?.ariaExpanded === 'false') row.click();
            return kind?.closest('[data-block]').querySelector('pre')?.textContent ?? ''";
        wait("a request of what is written", || {
            (self.browser().run(script, vec![]) == text).then_some(())
        });
    }

    /// As `write`; gives what the request recalls, once there is something of a conversation.
    #[track_caller]
    pub(super) fn write_to_recall(&self, text: &str, title: &str) -> Vec<String> {
        self.write(text);
        wait("a passage in the request", || {
            let rows = self.recalled();
            rows.iter().any(|row| row.contains(title)).then_some(rows)
        })
    }

    /// Opens the menu of the first passage, and chooses there.
    #[track_caller]
    fn choose_of_recalled(&self, title: &str, item: &str) {
        let name = self.phrase("context:wish.more", &[("name", &format!("{title}, .*"))]);
        let menu = self.like("button", &format!("^{name}$"));
        self.choose_of_menu(&menu, &self.word(item));
    }
}

#[track_caller]
fn comes_back_until_it_is_rejected(talk: &Talk) {
    let server = server(talk);
    let start = Start::new(talk.language);
    start.silt().connect("scripted", &server.base_url(), "gpt-4");
    let id = start.silt().import(talk.title, &talk.turns(160));
    let folded = start.silt().ask(&["summary", "run", &id, "--policy", "rolling"]);
    assert_eq!(folded["records"][0]["status"], "COMPLETED", "{folded}");
    let mut window = start.window();
    window.open_conversation(talk.title);

    // While it is written, the pane says what would go with it, and why.
    let rows = window.write_to_recall(talk.question, talk.title);
    let why = window.word("context:why.recalled");
    let (before, _) = why.split_once("{{rank}}").expect("its place in the ranking");
    let reason = before.trim();
    assert!(
        rows.iter().any(|row| row.contains(reason)),
        "a passage says why it is there: {rows:?}"
    );
    window.shoot(&format!("story-recall-{}", talk.language));
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on what is recalled");
    window.send();
    window.finished();
    let sent = arrived(&server, talk.question);
    assert!(sent.contains(talk.only), "what was said long ago was sent: {sent}");

    // Rejected, it stays out of this and every later request.
    let mut left = window.write_to_recall(talk.again, talk.title).len();
    let mut turned_away = 0;
    while left > 0 {
        window.choose_of_recalled(talk.title, "context:wish.reject");
        left = wait("one passage less", || {
            let now = window.recalled().len();
            (now < left).then_some(now)
        });
        turned_away += 1;
    }
    window.send();
    window.finished();
    let sent = arrived(&server, talk.again);
    assert!(!sent.contains(talk.only), "what was rejected was sent: {sent}");

    window.close();
    window.reopen();
    window.open_conversation(talk.title);
    window.write(talk.question);
    let pattern = window.word("context:leftOut_other").replace("{{count}}", "\\d+");
    window.like("button", &format!("^{pattern}$")).click();
    window.reads(&window.word("context:rejected"));
    assert_eq!(window.recalled(), Vec::<String>::new(), "after a restart");
    window.shoot(&format!("story-recall-rejected-{}", talk.language));

    // Taken back, it comes again, and leads to where it was said.
    let back =
        window.phrase("context:wish.takeBackName", &[("name", &format!("{}, .*", talk.title))]);
    let rejected = || window.all_like("button", &format!("^{back}$"));
    for left in (1..=turned_away).rev() {
        // Not what one costs: a fold that was made meanwhile tells some of them, and those cost nothing more.
        let button = wait("what is rejected", || {
            let rows = rejected();
            (rows.len() == left).then(|| rows.into_iter().next())?
        });
        button.click();
        wait("one row less", || (rejected().len() < left).then_some(()));
    }
    wait("the passage again", || {
        window.recalled().iter().any(|row| row.contains(reason)).then_some(())
    });
    window.choose_of_recalled(talk.title, "context:open");
    wait("the message it is of", || {
        window.drawn().iter().any(|turn| turn.text.contains(talk.only)).then_some(())
    });
}

/// What was said to hold from then on, and a question that shares no word with it.
const STANDING: [Talk; 2] = [
    Talk {
        language: "en",
        title: "Workshop",
        fact: "Thanks. Always give sizes in centimetres when I ask about a cupboard.",
        only: "centimetres",
        question: "Which glue holds, and what whistles?",
        again: "",
    },
    Talk {
        language: "ko",
        title: "작업실",
        fact: "고마워요. 앞으로 치수 얘기할 땐 센티미터로 통일해 주세요.",
        only: "센티미터",
        question: "풀은 어떤 것이 좋아요? 무엇이 휘파람소리를 내요?",
        again: "",
    },
];

#[track_caller]
fn holds_from_then_on(talk: &Talk, theme: &str) {
    let server = server(talk);
    let start = Start::new(talk.language);
    start.silt().connect("scripted", &server.base_url(), "gpt-4");
    start.silt().import(talk.title, &talk.turns(160));
    // A summary would have it word for word.
    start.silt().ask(&["settings", "set", "summary.policy", "window"]);
    let window = start.window();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    window.open_conversation(talk.title);
    window.write(talk.question);
    let reason = window.word("context:why.standing");
    wait("what holds from then on", || {
        window.recalled().iter().any(|row| row.contains(&reason)).then_some(())
    });
    window.is_sound("recall-standing", &format!("{}-{theme}", talk.language));
    window.send();
    window.finished();
    assert!(arrived(&server, talk.question).contains(talk.only));
}

/// What was said, and what was said otherwise later in words that the question has none of.
const OTHERWISE: [(Talk, &str); 2] = [
    (
        Talk {
            language: "en",
            title: "Workshop",
            fact: "The archive of the workshop listens on port 5433.",
            only: "listens on port 5433",
            question: "Which port did we give the archive of the workshop? What whistles?",
            again: "",
        },
        "5433 is taken by the old cluster. Use 5435 instead.",
    ),
    (
        Talk {
            language: "ko",
            title: "작업실",
            fact: "보관 서버 포트는 8085로 잡았어요.",
            only: "8085로 잡았어요",
            question: "보관 서버 포트는 몇 번이었죠? 무엇이 휘파람소리를 내요?",
            again: "",
        },
        "8085가 사이드카랑 겹친대요. 8092로 바꿉시다.",
    ),
];

#[track_caller]
fn goes_with_what_was_said_otherwise((talk, newer): &(Talk, &str), theme: &str) {
    let server = server(talk);
    let start = Start::new(talk.language);
    start.silt().connect("scripted", &server.base_url(), "gpt-4");
    let mut turns = talk.turns(160);
    turns[120] = ("user", (*newer).to_owned());
    start.silt().import(talk.title, &turns);
    start.silt().ask(&["settings", "set", "summary.policy", "window"]);
    let window = start.window();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    window.open_conversation(talk.title);
    window.write(talk.question);
    let told =
        window.phrase("context:recalledOtherwiseName", &[("name", &format!("{}, .*", talk.title))]);
    window.like("button", &format!("^{told}")).click();
    window.reads(talk.only);
    window.is_sound("recall-otherwise", &format!("{}-{theme}", talk.language));
    window.send();
    window.finished();
    let sent = arrived(&server, talk.question);
    assert!(sent.contains(talk.only) && sent.contains(newer), "both went: {sent}");
}

#[test]
fn what_was_said_otherwise_later_goes_with_what_is_recalled() {
    goes_with_what_was_said_otherwise(&OTHERWISE[0], "light");
}

#[test]
fn what_was_said_otherwise_later_goes_in_korean_and_in_the_dark() {
    goes_with_what_was_said_otherwise(&OTHERWISE[1], "dark");
}

#[test]
fn what_holds_from_then_on_goes_with_a_question_about_something_else() {
    holds_from_then_on(&STANDING[0], "light");
}

#[test]
fn what_holds_from_then_on_goes_in_korean_and_in_the_dark() {
    holds_from_then_on(&STANDING[1], "dark");
}

#[test]
fn what_was_said_long_ago_comes_back_until_it_is_rejected() {
    comes_back_until_it_is_rejected(&TALKS[0]);
}

#[test]
fn what_was_said_long_ago_comes_back_in_korean_too() {
    comes_back_until_it_is_rejected(&TALKS[1]);
}
