//! Finding a message again, in a small list and in a very long conversation.

use serde_json::json;

use crate::support::{Found, Page, Start, Window, folder, wait};

/// Most nodes a list of messages may have in the document, however long the conversation is; and the whole page, however
/// many conversations there are.
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

/// What a story of one language searches for, and where it stands.
struct Sought {
    language: &'static str,
    /// Two syllables inside of longer words.
    typed: &'static str,
    message: &'static str,
    decision: &'static str,
    memory: &'static str,
    file: &'static str,
    checkpoint: &'static str,
}

const SOUGHT: [Sought; 2] = [
    Sought {
        language: "ko",
        typed: "횟수",
        message: "재시도횟수제한은 어떻게 정했나요?",
        decision: "재시도횟수는 다섯 번으로 한다",
        memory: "재시도횟수를 코드에 박지 않는다",
        file: "최대횟수설정 = 5",
        checkpoint: "횟수제한-전",
    },
    Sought {
        language: "en",
        typed: "retry",
        message: "How did we settle the retry_limit of the client?",
        decision: "A retry happens five times at most",
        memory: "Never hard-code a retry",
        file: "max_retry = 5",
        checkpoint: "before-retry",
    },
];

impl Window {
    /// Searches, and gives the group of a kind once it is there.
    #[track_caller]
    fn found_of(&self, typed: &str, kind: &str) -> Found<'_> {
        if self.all("dialog", &self.word("search:title")).is_empty() {
            self.keys("Control+Shift+f");
            let dialog = self.control("dialog", "search:title");
            dialog.the("searchbox", &self.word("search:field")).type_text(typed);
        }
        self.like("region", &format!("^{} ", self.word(&format!("search:kind.{kind}"))))
    }

    /// Opens the first hit of a kind.
    #[track_caller]
    fn open_found(&self, typed: &str, kind: &str) {
        let group = self.found_of(typed, kind);
        // Until all of it is typed, less is marked.
        let hit = wait(&format!("a hit of {kind} with {typed} marked"), || {
            let hit = group.every("button").into_iter().next()?;
            let marked = hit.tell("return arguments[0].querySelector('mark')?.textContent ?? ''");
            marked.as_str()?.contains(typed).then_some(hit)
        });
        // The list may be longer than the dialog.
        hit.tell("arguments[0].scrollIntoView({ block: 'center' })");
        hit.click();
        self.gone("dialog", &self.word("search:title"));
    }
}

#[track_caller]
fn every_kind_opens_at_its_place(sought: &Sought) {
    let project = folder::project();
    folder::write(project.path(), "AGENTS.md", &format!("# Rules\n\n- {}\n", sought.memory));
    folder::write(project.path(), "config/limits.toml", &format!("# limits\n\n{}\n", sought.file));
    let start = Start::new(sought.language).argument(project.path());
    let silt = start.silt();
    silt.open_project(project.path());
    let place = project.path().display().to_string();
    let talk = silt.import_into(
        &place,
        "Limits",
        &[("user", sought.message.to_owned()), ("assistant", "…".to_owned())],
    );
    silt.ask(&["--project", &place, "decision", "add", sought.decision]);
    silt.ask(&[
        "--project",
        &place,
        "checkpoint",
        "create",
        "--tag",
        sought.checkpoint,
        "--conversation",
        &talk,
    ]);
    let window = start.window();
    // Something was decided in it: it opens with its Today page.
    window.control("main", "today:title");
    let typed = sought.typed;

    window.found_of(typed, "message");
    for kind in ["decision", "memory", "file", "checkpoint"] {
        window.found_of(typed, kind);
    }
    window.shoot(&format!("story-search-everywhere-{}", sought.language));
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on what was found");

    window.open_found(typed, "message");
    wait("the message", || {
        window.drawn().iter().any(|turn| turn.text.contains(sought.message)).then_some(())
    });
    window.open_found(typed, "file");
    let viewer = window.the("dialog", "config/limits.toml");
    wait("its line", || {
        let line = viewer.tell("return arguments[0].querySelector('[data-at]')?.innerText ?? ''");
        line.as_str().is_some_and(|line| line.contains(sought.file)).then_some(())
    });
    window.dismiss();
    window.open_found(typed, "decision");
    wait("the decision on the Today page", || {
        let line = "return document.querySelector('[data-sought]')?.innerText ?? ''";
        let line = window.browser().run(line, vec![]);
        line.as_str().is_some_and(|line| line.contains(sought.decision)).then_some(())
    });
    window.shoot(&format!("story-search-decision-{}", sought.language));
    window.open_found(typed, "memory");
    window.control("main", "memory:title");
    window.reads(sought.memory);
    window.open_found(typed, "checkpoint");
    window.control("listbox", "rail:checkpoints");
    window.reads(sought.checkpoint);
}

#[test]
fn two_syllables_inside_longer_words_are_found_in_every_kind_and_open_there() {
    every_kind_opens_at_its_place(&SOUGHT[0]);
}

#[test]
fn a_word_is_found_in_every_kind_and_opens_there() {
    every_kind_opens_at_its_place(&SOUGHT[1]);
}

#[test]
fn a_search_is_narrowed_and_remembered_in_a_narrow_dark_window() {
    let project = folder::project();
    let start = Start::new("en");
    start.silt().open_project(project.path());
    let place = project.path().display().to_string();
    // A search that ends with its program leaves the files indexed.
    start.silt().ask(&["--project", &place, "search", "token"]);
    start.silt().import("Elsewhere", &[("user", "The token is no refresh token.".to_owned())]);
    let window = start.window();
    window.reads(&window.word("start:drop"));
    window.choose("theme", "dark");
    window.dismiss();
    window.resize(900, 700);
    window.found_of("token", "file");
    window.found_of("token", "message");
    window.shoot("story-search-dark-900");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on a narrow dark search");

    // Only of the project: the conversation of none goes.
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    let place = window.control("combobox", "search:filter.where");
    window.choose_like(&place, &format!("^{name}"));
    let messages = format!("^{} ", window.word("search:kind.message"));
    wait("no messages", || window.all_like("region", &messages).is_empty().then_some(()));
    window.control("button", "search:filter.clear").click();
    window.like("region", &messages);

    // A kind by itself, by its button; then the hit, by keys alone.
    window.like("button", &format!("^{} \\d", window.word("search:kind.file"))).click();
    wait("one group", || (window.all_like("region", ".*\\d$").len() == 1).then_some(()));
    window.control("searchbox", "search:field").click();
    window.keys("Enter");
    window.like("dialog", "README|auth|운영");
    window.dismiss();
    window.keys("Control+Shift+f");
    window.the("button", "token").click();
    window.like("region", &messages);
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
    // The mouse wheel, held: each page that arrives goes on above, and may push the first message out of sight again.
    wait("the first message and its text", || {
        window.browser().run("document.querySelector('[role=log]').scrollTop = 0", vec![]);
        most = most.max(nodes(&window));
        let drawn = window.drawn();
        let first = drawn.first()?;
        (first.place == 1 && first.text.contains("let n = 0;")).then_some(())
    });
    assert!(most <= NODES, "{most} nodes in the list");
    window.control("button", "chat:newest").click();
    wait("the newest message", || (window.drawn().last()?.place == 4000).then_some(()));
    assert!(nodes(&window) <= NODES);
    let size = window.browser().run("return arguments[0]", vec![json!(most)]);
    eprintln!("at most {size} nodes in the list of 4,000 messages");
}

#[test]
fn two_thousand_conversations_stay_few_nodes_from_the_newest_to_the_oldest() {
    const MANY: usize = 2_000;
    let start = Start::new("ko");
    let talk = |number: usize| {
        let at = format!("2025-{:02}-{:02}T10:00:00Z", 1 + number % 12, 1 + number % 28);
        let said = json!({"uuid": "m", "sender": "human", "text": format!("질문 {number}"), "created_at": at});
        let name = format!("대화 {number}");
        json!({"name": name, "created_at": at, "updated_at": at, "chat_messages": [said]})
    };
    let file = start.config().with_file_name("conversations.json");
    let talks: serde_json::Value = (0..MANY).map(talk).collect();
    std::fs::write(&file, talks.to_string()).expect("an export");
    let imported = start.silt().ask(&["conversation", "import", &file.display().to_string()]);
    assert_eq!(imported["conversations"], MANY, "{imported}");

    let window = start.window();
    let count = || window.browser().run("return document.querySelectorAll('*').length", vec![]);
    let mut most = 0;
    // Rows are placed by what they measure: how far down the last one is comes out on the way.
    wait("the oldest conversation", || {
        most = most.max(count().as_u64()?);
        let last = window.browser().run(
            "const list = document.querySelector('nav [role=list]');
             list?.scrollTo(0, list.scrollHeight);
             const rows = [...document.querySelectorAll('nav [role=listitem]')];
             return rows.some((row) => row.ariaPosInSet === row.ariaSetSize && Number(row.ariaSetSize) > arguments[0])",
            vec![json!(MANY)],
        );
        (last == true).then_some(())
    });
    window.still();
    most = most.max(count().as_u64().expect("a number"));
    assert!(most <= NODES, "{most} nodes in the page");
    eprintln!("at most {most} nodes beside {MANY} conversations");
}
