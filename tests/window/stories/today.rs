//! The day after: a project opens with its Today page, on which stands what waits, what was changed and what is planned, each
//! with its act; it is read whole in the narrowest window, in both themes and languages.

use serde_json::json;

use crate::support::{Page, Start, Window, folder, scripted, wait};

/// What is said in one language.
struct Words {
    language: &'static str,
    change: &'static str,
    changed: &'static str,
    plan: &'static str,
    task: &'static str,
}

const EN: Words = Words {
    language: "en",
    change: "Let refresh tokens live for sixty days.",
    changed: "They live for sixty days now. We decided to keep the public API as it is.",
    plan: "Tokens for two months",
    task: "Say so in the guide",
};

const KO: Words = Words {
    language: "ko",
    change: "리프레시 토큰을 60일 동안 쓰게 해 주세요.",
    changed: "이제 60일 동안 써요. 공개 API는 그대로 두기로 했어요.",
    plan: "두 달짜리 토큰",
    task: "안내서에 적기",
};

impl Window {
    /// In both themes nothing is amiss on the page, nor cut off where the window is narrow.
    fn is_in_order(&self, screen: &str, language: &str) {
        for theme in ["light", "dark"] {
            self.choose("theme", theme);
            self.dismiss();
            // Focus comes back to a button, which then says its name over the page.
            self.browser().run("document.activeElement.blur()", vec![]);
            for width in [1280, 900] {
                self.resize(width, 820);
                self.still();
                assert_eq!(self.axe(), Vec::<String>::new(), "axe on {screen}, {theme}, {width}");
                self.fits(&format!("{screen}, {theme}, {width}"));
                self.shoot(&format!("story-today-{screen}-{language}-{theme}-{width}"));
            }
            self.resize(1280, 820);
        }
    }
}

fn story(words: &Words) {
    let Words { language, change, changed, plan, task } = *words;
    let project = folder::project();
    let project = project.path();
    let path = "src/auth.rs";
    let on_disk = || std::fs::read_to_string(project.join(path)).expect("the file");
    let before = on_disk();
    let edit = json!({ "path": path, "old": "THIRTY_DAYS", "new": "SIXTY_DAYS" });
    let call = json!({ "name": "edit_file", "arguments": edit.to_string() });
    let server = scripted(&[
        json!({ "match": { "userMessage": change, "hasToolResult": false }, "response": { "content": "…", "toolCalls": [call] } }),
        json!({ "match": { "userMessage": change, "hasToolResult": true }, "response": { "content": changed } }),
    ]);
    let start = Start::new(language).argument(project);
    let silt = start.silt();
    silt.open_project(project);
    silt.connect("scripted", &server.base_url(), "gpt-4o");
    let mut window = start.window();
    // Nothing happened in it yet: there is only to begin.
    window.composer();
    window.today().click();
    window.control("region", "today:changed.title");
    window.reads(&window.word("today:stopped.none"));
    window.is_in_order("empty", language);
    window.keys("Control+t");

    // What waits is said on the page, and answered where it stands.
    window.say(change);
    window.the("group", &window.phrase("tools:ask.edit", &[("path", path)]));
    window.keys("Control+t");
    let waits = window.control("region", "today:waits.title");
    waits.tell("return arguments[0].querySelector('button').click()");
    window.answers("once");
    window.finished();
    let after = on_disk();
    assert_ne!(before, after);

    // What the reply proposes is one line under it.
    window.control("group", "work:proposals.title");
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on what is proposed");
    window.shoot(&format!("story-today-proposed-{language}"));
    let accept = format!("^{}", window.word("work:proposals.do"));
    window.like("button", &accept).click();
    window.gone("group", &window.word("work:proposals.title"));

    // A plan is made on the page.
    window.keys("Control+t");
    for (field, text) in [("work:plans.add", plan), ("work:tasks.add", task)] {
        let field = window.control("textbox", field);
        field.type_text(text);
        field.enter();
        wait("it to be taken", || window.shows(text).then_some(()));
    }

    // The next day it opens with all of it.
    window.kill();
    window.reopen();
    let stopped = window.control("region", "today:stopped.title");
    wait("the last question", || stopped.text().contains(change).then_some(()));
    let planned = window.control("region", "today:plan");
    wait("the plan", || planned.text().contains(task).then_some(()));
    window.control("group", "changes:label");
    window.is_in_order("full", language);
    window.control("button", "changes:undoTurn").click();
    let dialog = window.the("dialog", &window.word("changes:undoTitle"));
    dialog.the("button", &window.word("changes:undoTurn")).click();
    wait("the file as it was", || (on_disk() == before).then_some(()));
    window.gone("dialog", &window.word("changes:undoTitle"));
    stopped.the("button", &window.word("today:stopped.continue")).click();
    wait("yesterday's conversation", || {
        window.questions().iter().any(|asked| asked.contains(change)).then_some(())
    });
}

#[test]
fn a_project_with_a_past_opens_with_its_today_page() {
    story(&EN);
}

#[test]
fn the_same_in_korean() {
    story(&KO);
}
