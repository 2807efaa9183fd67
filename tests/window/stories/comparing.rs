//! One question asked of two models: a line of the request for each, both answers side by side, and one that is kept. And a
//! skill that goes with a conversation because the person chose it.

use std::fs;

use serde_json::json;

use crate::support::{Page, Start, Window, folder, scripted, wait};

const SKILL: &str = "---\nname: release\ndescription: How releases are made here, step by step.\n---\n\n\
     # Releases\n\nTag with a leading v, and never on a Friday.\n";

impl Window {
    /// Chooses the skill of the project and sees what it does to the request.
    fn choose_skill(&self, mark: &str) {
        self.composer();
        self.keys("Control+k");
        self.control("combobox", "palette:title").type_text(&self.word("skills:title"));
        self.like("option", &format!("^{}", self.word("actions:skills")));
        self.keys("Enter");
        let dialog = self.control("dialog", "skills:title");
        let one = |key: &str| self.phrase(key, &[("name", "release")]);
        dialog.the("button", &one("skills:useOne"));
        dialog.the("switch", &one("skills:offer"));
        self.is_sound("skills", mark);
        self.the("button", &one("skills:useOne")).click();
        self.the("button", &one("skills:removeOne"));
        self.dismiss();
    }
}

fn story(language: &'static str, theme: &str) {
    let project = folder::project();
    let skill = project.path().join(".claude/skills/release");
    fs::create_dir_all(&skill).expect("a folder");
    fs::write(skill.join("SKILL.md"), SKILL).expect("a skill");
    let said = |model: &str, text: &str| json!({ "match": { "model": model }, "response": { "content": text } });
    let server = scripted(&[
        said("plover", "It listens on **5433**, because the old server has 5432."),
        said("heron", "Port 5433.\n\n- `docs/setup.md` says so\n- nothing else does"),
    ]);
    let start = Start::new(language).argument(project.path());
    start.silt().open_project(project.path());
    start.silt().connect("mock", &server.base_url(), "heron");
    let window = start.window();
    window.composer();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    let mark = format!("{language}-{theme}");

    window.choose_skill(&mark);
    window.control("button", "chat:also.ask").click();
    window.control("dialog", "chat:also.ask").the("button", "plover").click();
    let line = |model: &str| window.phrase("context:line.labelTo", &[("model", model)]);
    window.the("group", &line("heron"));
    window.the("group", &line("plover"));
    window.is_sound("sides-asked", &mark);
    window.say("Which port?");
    let keep = window.word("chat:sides.keep");
    wait("both answers", || {
        let kept = window.all("button", &keep);
        (kept.len() == 2 && window.shows("docs/setup.md") && window.shows("5432")).then_some(())
    });
    window.is_sound("sides-answered", &mark);
    window.the("article", "heron").the("button", &keep).click();
    window.gone("group", &window.word("chat:sides.label"));
    window.reads("docs/setup.md");
    assert!(!window.shows("5432"), "one answer is shown");
}

#[test]
fn two_models_answer_side_by_side_in_english() {
    story("en", "light");
}

#[test]
fn two_models_answer_side_by_side_in_korean_and_dark() {
    story("ko", "dark");
}
