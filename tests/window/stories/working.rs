//! An agent in a model's place: the request says what it cannot show, what the agent asks for waits, what it changed without
//! asking is shown and taken back; in both languages and themes, and in the narrowest window.

use std::fs;
use std::path::Path;

use siltstone_test_servers::acp_agent;

use crate::support::{Page, Start, folder, wait};

/// What the agent is called.
const AGENT: &str = "Claude Code";

/// What it does whatever it is asked, in the words of a language.
fn does(says: [&str; 3]) -> String {
    let [thought, said, done] = says;
    format!(
        "think {thought}\nsay {said}\nread src/auth.rs\nedit notes.md Refresh tokens live for sixty days.\\n\n\
         hidden docs/extra.md Unasked.\\n\nsay {done}\n"
    )
}

fn story(language: &'static str, theme: &str, question: &str, says: [&str; 3]) {
    let project = folder::project();
    let script = tempfile::NamedTempFile::new().expect("a file");
    fs::write(script.path(), does(says)).expect("a script");
    let start = Start::new(language).argument(project.path());
    let silt = start.silt();
    silt.open_project(project.path());
    let command = acp_agent(&["--script", &script.path().display().to_string()]).expect("an agent");
    silt.ask(&["agent", "add", AGENT, &command]);
    silt.ask(&["provider", "default", AGENT, "default"]);
    let folder = project.path().display().to_string();
    silt.ask(&["recall", "others", "allow", "--project", &folder]);
    let window = start.window();
    window.composer();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    let mark = format!("{language}-{theme}");
    let on_disk = |path: &str| fs::read_to_string(Path::new(project.path()).join(path)).ok();

    window.say(question);
    let card = window.the("group", &window.phrase("tools:ask.create", &[("path", "notes.md")]));
    card.stands();
    let shown = card.text();
    assert!(shown.contains("Refresh tokens live for sixty days."), "{shown}");
    assert_eq!(on_disk("notes.md"), None, "nothing happens without an answer");
    window.is_sound("working-asks", &mark);
    // The request says that the agent reads more than it shows.
    window.reads(&window.phrase("context:agent", &[("name", AGENT)]));
    window.answers("once");
    let reply = window.finished().text();
    assert!(reply.contains(says[2]), "{reply}");
    assert_eq!(on_disk("notes.md").as_deref(), Some("Refresh tokens live for sixty days.\n"));
    // It may look up more by itself, which the next request says.
    window.reads(&window.word("context:looksUp"));
    window.is_sound("working-done", &mark);

    // What it did without asking stands beside what it asked for, and goes.
    window.control("button", "changes:review").click();
    let dialog = window.the("dialog", &window.word("changes:title"));
    window.is_sound("working-review", &mark);
    let take_back = format!("{}: docs/extra.md", window.word("changes:takeBack"));
    dialog.the("checkbox", &take_back).click();
    dialog.the("button", &window.of_one("changes:takeBackIn")).click();
    wait("the file to be gone", || on_disk("docs/extra.md").is_none().then_some(()));
    assert!(on_disk("notes.md").is_some());
}

#[test]
fn an_agent_does_the_work_and_the_person_has_the_say() {
    let says = ["The lifetime is in one place.", "I will write it down.", "It is written down."];
    story("en", "light", "Write down how long refresh tokens live.", says);
}

#[test]
fn an_agent_does_the_work_and_the_person_has_the_say_in_korean_and_in_the_dark() {
    let says = ["수명은 한곳에만 있다.", "적어 둘게요.", "적어 두었어요."];
    story("ko", "dark", "리프레시 토큰의 수명을 적어 주세요.", says);
}

/// What an agent offers beside its models: a command of its own goes alone, and a mode of its own is chosen.
fn offers(language: &'static str, theme: &str) {
    let project = folder::project();
    let start = Start::new(language).argument(project.path());
    let silt = start.silt();
    silt.open_project(project.path());
    let options =
        ["--modes", "default,acceptEdits,plan", "--commands", "review,security-review,init"];
    silt.ask(&["agent", "add", AGENT, &acp_agent(&options).expect("an agent")]);
    silt.ask(&["provider", "default", AGENT, "default"]);
    silt.ask(&["agent", "test", AGENT]);
    let window = start.window();
    let composer = window.composer();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    let mark = format!("{language}-{theme}");

    composer.click();
    composer.type_text("/re");
    let list = window.control("listbox", "memory:slash.label");
    let shown = list.text();
    assert!(shown.contains("/review") && shown.contains(AGENT), "{shown}");
    window.is_sound("working-commands", &mark);
    window.keys("Tab");
    window.type_text("src/auth.rs");
    // The request is that line alone, which its line and the pane say.
    window.reads(&window.word("context:leftOutWhy.agent_command"));
    window.reads(&window.word("context:alone"));
    window.is_sound("working-alone", &mark);
    window.keys("Enter");
    let reply = window.finished().text();
    assert!(reply.contains("review of 1: src/auth.rs"), "{reply}");

    window.control("button", "tuning:label").click();
    let mode = window.control("combobox", "tuning:mode");
    window.choose_in(&mode, "acceptEdits");
    window.reads(&window.word("tuning:modeDecides"));
    window.is_sound("working-mode", &mark);
    window.keys("Escape");
    let reply = window.ask("mode");
    assert!(reply.contains("In acceptEdits."), "{reply}");
    window.reads(&window.phrase("context:mode", &[("mode", "acceptEdits")]));
}

#[test]
fn an_agents_own_commands_and_modes_are_offered() {
    offers("en", "dark");
}

#[test]
fn an_agents_own_commands_and_modes_are_offered_in_korean() {
    offers("ko", "light");
}
