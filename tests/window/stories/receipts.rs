//! Folds with receipts in the window: what a summary leaves behind is kept with one press and is in the bytes of the
//! next request, a false figure is marked, lines lead to their messages, a fold is seen before it is made and taken back.

use serde_json::{Value, json};
use siltstone_test_servers::Server;

use crate::support::{Found, Page, Start, Window, scripted, wait};

const HEIGHT: u32 = 820;

/// A conversation, what a model makes of it, and what is looked for.
struct Told {
    language: &'static str,
    /// What a prompt that asks for a summary says.
    task: &'static str,
    said: [&'static str; 6],
    summary: &'static str,
    /// In force: always told.
    rule: &'static str,
    /// Left behind by the summary.
    path: &'static str,
    /// In the summary, and in no message.
    figure: &'static str,
    question: &'static str,
}

const TOLD: [Told; 2] = [
    Told {
        language: "en",
        task: "Keep decisions",
        said: [
            "Where is the session handler? Never log the session token, not even in debug builds.",
            "It lives in src/api/session.rs. Its retry runs four times with a pause of 250 ms between the attempts, \
             and the gateway keeps the old token for ninety seconds, so whoever changes the refresh path looks at the \
             gateway first and only then at the handler itself.",
            "And which port does the store listen on?",
            "The store listens on port 5433, because 5432 is taken by the old server, which stays until the last \
             import of the winter ran. The build machine runs the tests of the gateway before anything is tagged, and \
             nobody has found a way around that so far.",
            "What runs after that?",
            "Only the nightly export, which reads from the replica and is not in the way of anything else that we do.",
        ],
        summary: "- They asked where the session handler is. [m1]\n- Its retry pauses for 900 ms. [m2]",
        rule: "Never log the session token, not even in debug builds.",
        path: "src/api/session.rs",
        figure: "900",
        question: "And what now?",
    },
    Told {
        language: "ko",
        task: "요약할 자료",
        said: [
            "세션 처리기는 어디에 있나요? 운영 서버에는 절대 직접 배포하지 마세요.",
            "src/api/session.rs 파일에 있어요. 재시도는 250 ms 간격으로 네 번 하고, 게이트웨이가 예전 토큰을 구십 초 동안 \
             지니고 있어요. 그래서 갱신하는 쪽을 고치는 사람은 게이트웨이를 먼저 보고 그다음에 처리기를 보면 돼요.",
            "저장소는 어느 포트를 쓰나요?",
            "저장소는 포트 5433에서 기다려요. 5432는 예전 서버가 쓰고 있고, 그 서버는 겨울의 마지막 가져오기가 끝날 때까지 \
             남아 있어요. 태그를 달기 전에는 빌드 서버가 게이트웨이의 시험을 모두 돌리고, 아직 그것을 피할 길은 없어요.",
            "그 뒤에는 무엇이 도나요?",
            "밤마다 도는 내보내기뿐이에요. 복제본에서 읽기 때문에 우리가 하는 다른 일을 방해하지 않아요.",
        ],
        summary: "- 세션 처리기가 어디 있는지 물었어요. [m1]\n- 재시도는 900 ms 간격이에요. [m2]",
        rule: "운영 서버에는 절대 직접 배포하지 마세요.",
        path: "src/api/session.rs",
        figure: "900",
        question: "이제는요?",
    },
];

impl Told {
    fn server(&self) -> Server {
        let summary = json!({
            "match": { "userMessage": self.task },
            "response": { "content": self.summary },
        });
        let reply = json!({
            "match": { "userMessage": self.question },
            "response": { "content": "OK." },
        });
        scripted(&[reply, summary])
    }

    /// Its conversation in a window whose facts have no room of their own, so that nothing is kept by itself.
    fn start(&self, server: &Server) -> (Window, String) {
        let start = Start::new(self.language);
        start.silt().connect("scripted", &server.base_url(), "gpt-4o");
        let roles = ["user", "assistant"].into_iter().cycle();
        let messages: Vec<_> = roles.zip(self.said.map(str::to_owned)).collect();
        let id = start.silt().import("Handler", &messages);
        let window = start.window();
        let page = window.settings("summaries");
        let share = page.the("textbox", &window.word("summaries:page.keptShare"));
        share.click();
        window.keys("Control+a");
        share.type_text("0");
        share.enter();
        window.dismiss();
        // So little waits that the newest alone stay whole.
        window.set_number("summaries:page.threshold", "100");
        window.dismiss();
        window.open_conversation("Handler");
        window.keys("Control+Shift+s");
        window.control("combobox", "summaries:policy");
        (window, id)
    }
}

impl Window {
    /// Pictures of what is shown, in both themes and two widths.
    fn shoot_all(&self, name: &str) {
        for theme in ["light", "dark"] {
            let set = format!("document.documentElement.dataset.theme = '{theme}'");
            self.browser().run(&set, vec![]);
            for width in [900, 1280] {
                self.resize(width, HEIGHT);
                // A narrow window puts the pane away, but no dialog.
                let policy = self.word("summaries:policy");
                if !self.is_covered() && self.all("combobox", &policy).is_empty() {
                    self.keys("Control+Shift+s");
                    self.the("combobox", &policy);
                }
                self.shoot(&format!("{name}-{theme}-{width}"));
            }
        }
    }

    /// The one card of the tab, opened.
    #[track_caller]
    fn opened_card(&self) -> Found<'_> {
        let list = self.word("summaries:list");
        let busy = self.word("summaries:busy");
        let card = wait("the card of the fold", || {
            let list = self.all("list", &list).into_iter().next()?;
            list.every("listitem").into_iter().next().filter(|_| !self.shows(&busy))
        });
        let row = card.first("button");
        if row.tell("return arguments[0].ariaExpanded") == "false" {
            row.click();
        }
        self.control("list", "summaries:receipt.shares");
        self.control("list", "summaries:list").first("listitem")
    }
}

/// All that arrived with the last question.
#[track_caller]
fn arrived(server: &Server, question: &str) -> String {
    let bodies = server.questions().expect("aimock tells what arrived").into_iter();
    let bodies = bodies.map(|it| serde_json::from_slice::<Value>(&it.body).expect("JSON"));
    let said = |body: Value| {
        let messages = body["messages"].as_array().expect("messages").clone();
        let texts: Vec<String> =
            messages.iter().filter_map(|it| it["content"].as_str().map(str::to_owned)).collect();
        texts
    };
    let talks = bodies.map(said);
    let mut asked = talks.filter(|texts| texts.last().is_some_and(|last| last.ends_with(question)));
    asked.next_back().expect("the question").join("\n")
}

#[test]
fn what_a_fold_leaves_behind_is_kept_with_one_press_and_a_false_figure_is_marked() {
    for told in TOLD {
        let server = told.server();
        let (window, id) = told.start(&server);
        window.control("button", "summaries:foldNow").click();
        let card = window.opened_card();
        // The rule goes with it in any case.
        for said in [told.figure, &window.of_one("summaries:receipt.kept")] {
            wait(&format!("{said} on the card"), || card.text().contains(said).then_some(()));
        }
        let marked =
            "return [...document.querySelectorAll('aside mark')].map((it) => [it.innerText,
            getComputedStyle(it).textDecorationStyle,
            getComputedStyle(it.closest('p') ?? it, '::after').content])";
        let marked = window.browser().run(marked, vec![]);
        let first = marked[0].as_array().expect("a mark").clone();
        assert!(first[0].as_str().is_some_and(|it| it.contains(told.figure)), "{marked}");
        assert_eq!(first[1], "wavy", "{marked}");
        let flag = window.word("summaries:receipt.notSaid");
        assert!(first[2].as_str().is_some_and(|it| it.contains(&flag)), "{marked}");
        window.reads(&window.of_one("summaries:receipt.unsupported"));
        window.still();
        assert_eq!(window.axe(), Vec::<String>::new());
        window.shoot_all(&format!("story-receipts-{}", told.language));

        // A line leads to its message, which the fold hides.
        window.like("button", "900").click();
        wait("the message of the line", || {
            let script = "return document.activeElement.closest('[data-row]')?.innerText";
            window.browser().run(script, vec![]).as_str()?.contains("250 ms").then_some(())
        });
        // And a fact to its words.
        window.the("button", told.path).click();
        wait("the words of the fact", || {
            let script = "return [...(CSS.highlights.get('found') ?? [])].join()";
            (window.browser().run(script, vec![]) == told.path).then_some(())
        });
        window.shoot(&format!("story-receipts-{}-source", told.language));

        // Not told yet, but for the rule.
        window.ask(told.question);
        let before = arrived(&server, told.question);
        assert!(before.contains(told.rule) && !before.contains(told.path), "{before}");
        let keep = window.phrase("summaries:receipt.keep", &[("text", told.path)]);
        window.the("button", &keep).click();
        window.gone("button", &keep);
        window.reads(&window.phrase("summaries:receipt.said.kept", &[("text", told.path)]));
        window.shoot(&format!("story-receipts-{}-kept", told.language));
        window.ask(told.question);
        let after = arrived(&server, told.question);
        assert!(after.contains(told.rule) && after.contains(told.path), "{after}");
        let listed = window.silt().ask(&["summary", "list", &id]);
        let records = listed["records"].as_array().expect("records");
        let kept = &records.last().expect("a record")["kept"];
        let by_person = |it: &Value| it["by"] == "person" && it["text"] == told.path;
        assert!(kept.as_array().is_some_and(|kept| kept.iter().any(by_person)), "{listed}");
    }
}

#[test]
fn a_fold_is_seen_before_it_is_made_and_taken_back_afterwards() {
    for told in TOLD {
        let server = told.server();
        let (window, id) = told.start(&server);
        window.control("button", "summaries:preview.open").click();
        let adopt = window.control("button", "summaries:try.adopt");
        let candidate = window.control("textbox", "summaries:text");
        wait("the candidate", || candidate.value().contains(told.figure).then_some(()));
        window.still();
        assert_eq!(window.axe(), Vec::<String>::new());
        window.shoot_all(&format!("story-preview-{}", told.language));
        let add = window.phrase("summaries:preview.add", &[("text", told.path)]);
        window.the("button", &add).click();
        window.gone("button", &add);
        adopt.click();
        window.control("button", "common:undo");
        window.ask(told.question);
        let folded = arrived(&server, told.question);
        assert!(folded.contains(told.path) && folded.contains(told.figure), "{folded}");
        assert!(!folded.contains(told.said[1]), "{folded}");

        window.opened_card();
        window.control("button", "summaries:receipt.undo").click();
        window.reads(&window.word("summaries:fault.undone"));
        window.ask(told.question);
        let whole = arrived(&server, told.question);
        assert!(whole.contains(told.said[1]) && !whole.contains(told.figure), "{whole}");
        window.shoot(&format!("story-receipts-{}-undone", told.language));
        let listed = window.silt().ask(&["summary", "list", &id]);
        let faults: Vec<&Value> = listed["records"]
            .as_array()
            .expect("records")
            .iter()
            .map(|it| &it["fault"]["code"])
            .collect();
        assert_eq!(faults, ["undone"], "{listed}");
    }
}
