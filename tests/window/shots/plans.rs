//! Pictures of a plan that a model makes and that waits where it is not met, and of the search through the settings.

use serde_json::{Value, json};

use super::{Shooter, for_each};
use crate::support::{Page, Start, Window, folder, scripted, wait};

const GOAL: &str = "Let refresh tokens live for a week. 리프레시 토큰을 한 주만 쓰게 해 주세요.";
const STEPS: [&str; 3] =
    ["Change the lifetime in src/auth.rs", "운영 안내의 수명을 고치기", "Say so in the README"];
const DONE: &str = "The file says seven days and names no other lifetime.";
const MET: &str = "It says seven days.";
const NOT_MET: &str = "docs/운영.md still says 30일, in its third line.";

#[test]
#[ignore = "pictures, by make shots"]
fn a_plan_in_both_themes_and_languages() {
    let asked = |said: &str, answer: &Value| {
        json!({
            "match": { "userMessage": said, "responseFormat": "json_schema" },
            "response": { "content": answer.to_string() },
        })
    };
    let step = |(place, title): (usize, &str)| {
        let after: Vec<usize> = (0..place).collect();
        let done = format!("{DONE} ({place})");
        json!({ "title": title, "notes": "", "acceptance": [done], "after": after })
    };
    let steps: Vec<Value> = STEPS.into_iter().enumerate().map(step).collect();
    let verdict = |place: usize, met: bool, why: &str| {
        let criterion = json!({ "number": 1, "met": met, "why": why });
        asked(&format!("{DONE} ({place})"), &json!({ "criteria": [criterion] }))
    };
    let answer = |title: &str| json!({ "match": { "userMessage": title }, "response": { "content": "Done; it is seven days now." } });
    let server = scripted(&[
        asked(GOAL, &json!({ "title": "Tokens for a week", "steps": steps })),
        verdict(0, true, MET),
        verdict(1, false, NOT_MET),
        answer(STEPS[0]),
        answer(STEPS[1]),
    ]);
    for_each(|language, theme| planned(&server.base_url(), language, theme));
}

fn planned(base_url: &str, language: &'static str, theme: &str) {
    let project = folder::project();
    let start = Start::new(language).argument(project.path());
    start.silt().open_project(project.path());
    start.silt().connect("scripted", base_url, "gpt-4o");
    let window = start.window();
    window.composer();
    let shooter = Shooter::of(&window, language, theme);
    window.today().click();
    window.control("button", "work:planWith").click();
    window.control("textbox", "toolSettings:tree.goal").type_text(GOAL);
    shooter.take_in_all_widths("plan-goal");
    window.control("button", "toolSettings:tree.make").click();
    let name = window.phrase("toolSettings:tree.stepTitle", &[("n", "3")]);
    let last = window.the("textbox", &name);
    wait("the last step", || (last.value() == STEPS[2]).then_some(()));
    shooter.take_in_all_widths("plan-steps");
    window.control("button", "toolSettings:tree.run").click();
    waits(&window, &shooter);
}

fn waits(window: &Window, shooter: &Shooter<'_>) {
    let line = window.like("button", &window.word("work:line.waits"));
    shooter.take_in_all_widths("plan-waits-line");
    line.click();
    let run = window.control("region", "toolSettings:run.title");
    wait("why it waits", || run.text().contains(NOT_MET).then_some(()));
    shooter.take_in_all_widths("plan-waits");
}

#[test]
#[ignore = "pictures, by make shots"]
fn the_search_through_the_settings_in_both_themes_and_languages() {
    for_each(|language, theme| {
        let window = Window::first(language);
        let shooter = Shooter::of(&window, language, theme);
        window.keys("Control+,");
        let field = window.control("searchbox", "settings:search");
        field.type_text("redact");
        let label = window.word("settings:privacy.redact");
        window.the("switch", &label);
        shooter.take_in_all_widths("settings-search");
        window.keys("Control+a");
        field.type_text("zebra");
        window.reads(&window.phrase("settings:nothing", &[("query", "zebra")]));
        shooter.take_in_all_widths("settings-search-nothing");
    });
}
