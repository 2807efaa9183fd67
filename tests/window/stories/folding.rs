//! Earlier messages told by summaries: what the pane shows of a reply is, block for block, what arrived at the server.

use serde_json::{Value, json};
use siltstone_test_servers::Server;

use crate::support::{Found, Page, Start, Window, scripted, wait};

const REPLY: &str = "The session module refreshes its token after thirty minutes. We agreed on Tuesday that the \
     database listens on port 5433, because 5432 is taken by the old server, which stays until the last import ran.";

const SUMMARY: &str = "Agreed: tokens last 30 minutes; 5433 is the port.";

const OTHER_SUMMARY: &str = "Agreed once more: 5433 is the port.";

/// What every prompt that asks for a summary says.
const ASKS_TO_SUMMARISE: &str = "Keep decisions";

/// The same in Korean.
const KOREAN_REPLY: &str = "세션 모듈은 토큰을 30분마다 새로 받아요. 5432번 포트는 옛 서버가 마지막 가져오기가 끝날 때까지 \
     쓰고 있어서, 데이터베이스는 5433번을 쓰기로 화요일에 정했어요.";

const KOREAN_SUMMARY: &str = "정한 것: 토큰은 30분, 포트는 5433.";

const OTHER_KOREAN_SUMMARY: &str = "다시 정한 것: 포트는 5433.";

const KOREAN_PROMPT: &str = "결정과";

/// What a format without half turns says in place of a question that is not sent.
const EARLIER: &str = "[…]";

/// Ways to tell what came before, with how often a reply is said in each, and how many summaries stand in the tenth
/// request.
const POLICIES: [(&str, usize, usize); 5] =
    [("rolling", 1, 1), ("segments", 1, 3), ("running", 1, 1), ("window", 24, 0), ("none", 1, 0)];

/// So many turns of a transcript.
fn turns(count: usize, repeated: usize) -> Vec<(&'static str, String)> {
    let turn = |turn| {
        [("user", format!("Question {turn}: what then?")), ("assistant", REPLY.repeat(repeated))]
    };
    (1..=count).flat_map(turn).collect()
}

fn server() -> Server {
    answering("uestion", REPLY, ASKS_TO_SUMMARISE, [SUMMARY, OTHER_SUMMARY])
}

/// Answers each question with the reply, and each prompt for a summary with the one, the other, and then the one again.
fn answering(question: &str, reply: &str, prompt: &str, summaries: [&str; 2]) -> Server {
    let said =
        |asked: Value, text: &str| json!({ "match": asked, "response": { "content": text } });
    let [first, second] = summaries;
    scripted(&[
        said(json!({ "userMessage": prompt, "sequenceIndex": 0 }), first),
        said(json!({ "userMessage": prompt, "sequenceIndex": 1 }), second),
        said(json!({ "userMessage": prompt }), first),
        said(json!({ "userMessage": question }), reply),
    ])
}

impl Window {
    /// Writes a number into a field of the settings' page of summaries.
    #[track_caller]
    pub(crate) fn set_number(&self, field: &str, number: &str) {
        let field = self.settings("summaries").the("textbox", &self.word(field));
        field.click();
        self.keys("Control+a");
        field.type_text(number);
        field.enter();
        wait("the number in its field", || (field.value() == number).then_some(()));
    }

    /// Shows the tab of summaries.
    #[track_caller]
    fn summaries(&self) {
        // By its tab, which is there with the conversation: what is on it is read first, and the same keys close it.
        let tab = self.all("tab", &self.word("context:summaries")).into_iter().next();
        if tab.is_none_or(|tab| tab.tell("return arguments[0].ariaSelected") != "true") {
            self.keys("Control+Shift+s");
        }
        self.control("combobox", "summaries:policy");
    }

    /// Folds the open conversation by a policy from now on.
    #[track_caller]
    pub(super) fn fold_by(&self, policy: &str) {
        self.summaries();
        let list = self.control("combobox", "summaries:policy");
        self.choose_in(&list, &self.word(&format!("summaries:policies.{policy}.name")));
        self.reads(&self.word(&format!("summaries:policies.{policy}.hint")));
    }

    /// The cards of so many summaries, once nothing is being written.
    #[track_caller]
    fn cards(&self, count: usize) -> Vec<Found<'_>> {
        let list = self.word("summaries:list");
        let busy = self.word("summaries:busy");
        wait(&format!("{count} summaries"), || {
            let list = self.all("list", &list).into_iter().next();
            let cards = list.map(|list| list.every("listitem")).unwrap_or_default();
            (cards.len() == count && !self.shows(&busy)).then_some(cards)
        })
    }

    /// The last fold in the conversation: its line where it is closed, else the rule beside its first message.
    #[track_caller]
    pub(crate) fn last_fold(&self) -> Found<'_> {
        // An open fold may be higher than the window: the rule that has its name is then above what is drawn.
        let script = "const log = document.querySelector('[role=log]');
            const lines = [...log.querySelectorAll('button:not([aria-hidden])')];
            const there = lines.some((line) => (line.ariaLabel ?? line.innerText).includes(arguments[0]));
            if (!there) log.scrollTop -= 300;
            return there";
        let named =
            self.phrase("summaries:line.folded", &[("version", ""), ("span", "|"), ("size", "|")]);
        let name = named.split(" · ").nth(1).expect("what a fold is called");
        wait("a fold in the conversation", || {
            let there = self.browser().run(script, vec![json!(name)]) == true;
            there.then(|| self.all_like("button", name).pop()).flatten()
        })
    }

    /// The summary of the last fold, closed for a look at it, and what is drawn of the messages it stands for.
    #[track_caller]
    fn opened_fold(&self) -> (String, String) {
        let text = |of: &str, what: &str| {
            let script = "return [...document.querySelectorAll(arguments[0])]
                .map((one) => one.innerText).join('\\n')";
            wait(what, || {
                let told = self.browser().run(script, vec![json!(of)]);
                told.as_str().filter(|told| !told.is_empty()).map(str::to_owned)
            })
        };
        let fold = self.last_fold();
        if fold.tell("return arguments[0].ariaExpanded") == "true" {
            fold.click();
        }
        let summary = text("[role=log] [role=region]", "the summary of a fold");
        self.last_fold().click();
        (summary, text("[data-fold]", "the messages of a fold"))
    }

    /// What the last reply saw, as the pane shows it: the kind of each block and the texts in it.
    #[track_caller]
    fn seen_by_reply(&self, question: &str) -> Vec<(String, Vec<String>)> {
        self.finished().the("button", &self.word("chat:actions.saw")).click();
        self.control("button", "context:exactBytes.open");
        wait("the blocks of the request", || {
            let blocks = self.browser().run(
                "return [...document.querySelectorAll('[data-block]')].map((block) => {
                   const row = block.querySelector('button');
                   if (row.ariaExpanded === 'false') row.click();
                   const texts = [...block.querySelectorAll('pre')].map((text) => text.textContent);
                   return [block.querySelector('[data-kind]').dataset.kind, texts]; })",
                vec![],
            );
            let blocks: Vec<(String, Vec<String>)> =
                serde_json::from_value(blocks).expect("blocks");
            let open = blocks.iter().all(|(_, texts)| !texts.is_empty());
            let asked = blocks.last()?.1.last()?;
            (open && asked == question).then_some(blocks)
        })
    }
}

/// The messages that arrived with a question.
#[track_caller]
fn arrived(server: &Server, question: &str) -> Vec<(String, String)> {
    let bodies = server.questions().expect("aimock tells what arrived").into_iter();
    let messages = bodies.map(|it| serde_json::from_slice::<Value>(&it.body).expect("JSON"));
    let said = |message: &Value| {
        let text = |key: &str| message[key].as_str().expect("words").to_owned();
        (text("role"), text("content"))
    };
    let messages = messages.map(|body| body["messages"].as_array().expect("messages").clone());
    let mut talks = messages.map(|all| all.iter().map(said).collect::<Vec<_>>());
    talks
        .find(|talk| talk.last().is_some_and(|(_, text)| text.ends_with(question)))
        .expect("the question")
}

/// The messages that these blocks make in the OpenAI format.
fn in_openai(blocks: &[(String, Vec<String>)]) -> Vec<(String, String)> {
    let (mut system, mut said, mut last) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, texts) in blocks {
        match kind.as_str() {
            "instructions" | "persistent_context" => system.extend(texts.clone()),
            "summary" => system.extend(
                texts
                    .iter()
                    .map(|text| format!("Earlier conversation, summary:\n```\n{text}\n```")),
            ),
            // Sent beside the talk.
            "tools" => {}
            "turn" => said.extend(texts.clone()),
            "volatile_context" | "draft" => last.extend(texts.clone()),
            other => panic!("a block of {other} in a conversation without a project"),
        }
    }
    said.push(last.join("\n\n"));
    // Questions and replies take turns, and the last is a question.
    if said.len().is_multiple_of(2) {
        said.insert(0, EARLIER.to_owned());
    }
    let roles = ["user", "assistant"].into_iter().cycle();
    let said = roles.zip(said).map(|(role, text)| (role.to_owned(), text));
    std::iter::once(("system".to_owned(), system.join("\n\n"))).chain(said).collect()
}

#[test]
fn under_every_policy_the_tenth_reply_saw_what_the_pane_shows() {
    let server = server();
    let start = Start::new("en");
    start.silt().connect("scripted", &server.base_url(), "gpt-4");
    for (policy, repeated, _) in POLICIES {
        start.silt().import(&format!("By {policy}"), &turns(8, repeated));
    }
    let window = start.window();
    window.set_number("summaries:page.threshold", "600");
    window.set_number("summaries:page.windowKeep", "100");
    // What is recalled has a story of its own.
    let mode = window.settings("recall").the("combobox", &window.word("recall:mode.label"));
    window.choose_in(&mode, &window.word("recall:mode.off"));
    window.reads(&window.word("recall:modeHint.off"));
    window.dismiss();
    for (policy, repeated, count) in POLICIES {
        window.open_conversation(&format!("By {policy}"));
        window.fold_by(policy);
        if count > 0 {
            window.control("button", "summaries:foldNow").click();
            // The ninth turn closes the third stretch.
            window.cards(if policy == "segments" { 2 } else { 1 });
        }
        window.ask(&format!("Question 9 by {policy}?"));
        if policy == "running" {
            // The ninth reply has pushed the turn before it out of the window.
            window.like("button", "Turns .* v2");
        }
        let card = window.cards(count).into_iter().next();
        if let Some(card) = &card {
            card.first("button").click();
            wait("the card's words", || card.text().contains("Agreed").then_some(()));
            card.the("button", &window.word("summaries:show")).click();
            let (summary, originals) = window.opened_fold();
            assert!(summary.contains("Agreed"), "{policy}: {summary}");
            assert!(originals.contains("Question"), "{policy}: {originals}");
        }
        let question = format!("Question 10 by {policy}?");
        window.ask(&question);

        let blocks = window.seen_by_reply(&question);
        assert_eq!(in_openai(&blocks), arrived(&server, &question), "{policy}");
        let of = |wanted: &str| {
            let own = blocks.iter().filter(|(kind, _)| kind == wanted);
            own.flat_map(|(_, texts)| texts).cloned().collect::<Vec<_>>()
        };
        // One that is no shorter than the messages it would stand for is not told.
        let told = of("summary").len();
        assert!(told <= count && (told > 0) == (count > 0), "{policy}: {told} of {count}");
        assert!(of("summary").iter().all(|text| text.contains("Agreed")), "{policy}");
        // The newest messages, without a hole.
        let mut path: Vec<String> = turns(8, repeated).into_iter().map(|(_, text)| text).collect();
        path.extend([format!("Question 9 by {policy}?"), REPLY.to_owned()]);
        let whole = of("turn");
        assert_eq!(whole, path[path.len() - whole.len()..], "{policy}");
        match policy {
            // The last two exchanges, whatever was folded, and more of the newest.
            "rolling" | "segments" => assert!((4..18).contains(&whole.len()), "{}", whole.len()),
            "none" => assert_eq!(whole.len(), 18),
            _ => assert!((1..18).contains(&whole.len()), "{policy}: {}", whole.len()),
        }
        if policy == "window" {
            window.the("button", &window.of_one("context:leftOut")).click();
            window.reads(&window.word("context:leftOutWhy.no_room"));
        }
        window.shoot(&format!("story-folding-{policy}"));
    }
}

#[test]
fn a_question_edited_inside_a_fold_has_summaries_of_its_own() {
    const SECOND: &str = "다른 둘째 질문";
    let summaries = [KOREAN_SUMMARY, OTHER_KOREAN_SUMMARY];
    let server = answering("질문", KOREAN_REPLY, KOREAN_PROMPT, summaries);
    let turns = (1..=3).flat_map(|turn| {
        [("user", format!("질문 {turn}: 그다음은요?")), ("assistant", KOREAN_REPLY.to_owned())]
    });
    let turns: Vec<_> = turns.collect();
    let start = Start::new("ko");
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    start.silt().import("가지", &turns);
    let window = start.window();
    // A changed number is gone by.
    window.set_number("summaries:page.threshold", "600");
    window.dismiss();
    window.open_conversation("가지");
    window.fold_by("segments");
    window.control("button", "summaries:foldNow").click();
    window.cards(1);
    let (summary, originals) = window.opened_fold();
    assert!(summary.contains(KOREAN_SUMMARY) && originals.contains("질문 2: 그다음은요?"));

    window.turns()[2].the("button", &window.word("chat:actions.edit")).click();
    let field = window.control("textbox", "chat:actions.editLabel");
    window.keys("Control+a");
    field.type_text(SECOND);
    window.control("button", "chat:actions.save").click();
    wait("the edited question", || {
        window.questions().iter().any(|it| it.contains(SECOND)).then_some(())
    });
    window.finished();
    window.reads(&window.word("summaries:empty.title"));
    window.ask("다른 셋째 질문");
    window.cards(1);
    let (summary, originals) = window.opened_fold();
    assert!(summary.contains(OTHER_KOREAN_SUMMARY), "{summary}");
    assert!(originals.contains(SECOND), "{originals}");

    for (way, version, said, asked) in [
        ("previous", "1/2", KOREAN_SUMMARY, "질문 2: 그다음은요?"),
        ("next", "2/2", OTHER_KOREAN_SUMMARY, SECOND),
    ] {
        window.other_version(way, version);
        let card = window.cards(1).remove(0);
        // On both branches it is the card of the same place: once opened, it stays so.
        let row = card.first("button");
        if row.tell("return arguments[0].ariaExpanded") == "false" {
            row.click();
        }
        wait("the card's words", || card.text().contains(said).then_some(()));
        let (summary, originals) = window.opened_fold();
        assert!(summary.contains(said) && originals.contains(asked), "{summary}; {originals}");
    }
}

#[test]
fn gemma_writes_the_summary_of_what_has_gathered() {
    let server = siltstone_test_servers::gemma(8192).expect("gemma starts (scripts/setup.sh test)");
    let start = Start::new("en");
    start.silt().connect("gemma", &server.base_url(), "gemma");
    // More than the longest answer that is asked for, so that whatever it writes is shorter.
    let id = start.silt().import("With Gemma", &turns(8, 4));
    let window = start.window();
    window.set_number("summaries:page.threshold", "300");
    // A machine that tests may be slow.
    window.set_number("summaries:page.timeout", "600");
    window.dismiss();
    window.open_conversation("With Gemma");
    window.fold_by("rolling");
    window.tune("tuning:maxOutput", "8");
    window.ask("Water boils at");
    window.cards(1);
    let listed = window.silt().ask(&["summary", "list", &id]);
    let record = &listed["records"][0];
    assert_eq!(record["status"], "COMPLETED", "{listed}");
    assert_eq!(record["covered_message_count"], 18, "{listed}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(record["summary"].as_str().expect("a text"));
    assert!(!said.is_empty() && record["model"] == "gemma", "{listed}");
    let (summary, originals) = window.opened_fold();
    assert!(words(&summary).contains(&said), "{summary}");
    assert!(originals.contains("Question 1: what then?"), "{originals}");
    window.shoot("story-folding-gemma");
    // The newest turn is told too, and stays in sight at the end.
    let script = "const log = document.querySelector('[role=log]');
        log.scrollTop = log.scrollHeight;
        return log.innerText";
    wait("the newest turn", || {
        window.browser().run(script, vec![]).as_str()?.contains("Water boils at").then_some(())
    });
}
