//! Yesterday's thread: work is planned and talked about, the program is killed, and it goes on where it stopped; another
//! plan is taken up; a session that somebody else wrote waits to be looked at.

use std::path::Path;

use serde_json::{Value, json};
use siltstone_test_servers::Server;

use crate::support::{Found, Page, Start, Window, folder, scripted, wait};

/// What is said in one language.
struct Words {
    language: &'static str,
    plan: &'static str,
    next_plan: &'static str,
    task: &'static str,
    decision: &'static str,
    question: &'static str,
    /// The lines of a request that say the plan, the task and the decisions.
    labels: [&'static str; 3],
    elsewhere: &'static str,
}

const EN: Words = Words {
    language: "en",
    plan: "auth",
    next_plan: "handbook",
    task: "rotate tokens",
    decision: "refresh tokens live for thirty days",
    question: "How are refresh tokens rotated?",
    labels: ["ACTIVE PLAN", "ACTIVE TASK", "DECISIONS"],
    elsewhere: "The cache was moved on another machine.",
};

const KO: Words = Words {
    language: "ko",
    plan: "인증",
    next_plan: "안내서",
    task: "토큰 바꾸기",
    decision: "리프레시 토큰은 30일 동안 쓰기로 함",
    question: "리프레시 토큰은 어떻게 바뀌나요?",
    labels: ["진행 중인 계획", "진행 중인 작업", "결정"],
    elsewhere: "캐시는 다른 컴퓨터에서 옮겨 두었습니다.",
};

impl Window {
    /// Writes a command in the composer, and waits until it was carried out.
    #[track_caller]
    fn command(&self, text: &str) {
        let composer = self.composer();
        composer.type_text(text);
        wait("the command in the composer", || (composer.value() == text).then_some(()));
        composer.enter();
        wait("the command to be taken", || composer.value().is_empty().then_some(()));
    }

    /// What is worked on, as the rail says it.
    #[track_caller]
    fn work_line(&self, kind: &str, title: &str) -> Found<'_> {
        let line = self.phrase(&format!("work:line.{kind}"), &[("title", title)]);
        self.like("button", &format!("^{}.*{line}", self.word("rail:today")))
    }

    /// Writes a name in one of the page's fields, and waits until it was taken.
    #[track_caller]
    fn write_down(&self, field: &str, text: &str) {
        let field = self.control("textbox", field);
        field.type_text(text);
        field.enter();
        wait("the field to be empty again", || field.value().is_empty().then_some(()));
    }
}

/// The system's words of the last request that arrived.
#[track_caller]
fn told(server: &Server) -> String {
    let asked = server.questions().expect("what arrived").pop().expect("a question");
    let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
    let messages = body["messages"].as_array().expect("messages");
    let system = messages.iter().filter(|message| message["role"] == "system");
    system.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn context_of(project: &Path) -> Value {
    let path = project.join(".ai-brain/context.json");
    serde_json::from_slice(&std::fs::read(path).expect("the session")).expect("JSON")
}

fn story(words: &Words) {
    let Words { language, plan, next_plan, task, decision, question, labels, elsewhere } = *words;
    let project = folder::project();
    let project = project.path();
    let server =
        scripted(&[json!({ "match": {}, "response": { "content": "They are used once." } })]);
    let start = Start::new(language).argument(project);
    start.silt().open_project(project);
    start.silt().connect("scripted", &server.base_url(), "gpt-4o");
    let mut window = start.window();
    window.composer();

    // A day's work, and a kill no program can see.
    window.command(&format!("/plan add {plan}"));
    window.work_line("plan", plan).click();
    window.write_down("work:tasks.add", task);
    window.control("switch", "work:share.label").click();
    wait("the session in the folder", || {
        project.join(".ai-brain/context.json").is_file().then_some(())
    });
    window.keys("Control+t");
    window.command(&format!("/task start {task}"));
    window.command(&format!("/decide {decision}"));
    window.work_line("task", task);
    window.ask(question);
    window.kill();
    window.reopen();

    // The project opens with its page, which says where it stopped; going on, the model is told.
    let stopped = window.control("region", "today:stopped.title");
    wait("the question", || stopped.text().contains(question).then_some(()));
    let planned = window.control("region", "today:plan");
    for said in [task, decision] {
        wait(&format!("{said} in the plan"), || planned.text().contains(said).then_some(()));
    }
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the Today page");
    window.shoot(&format!("story-sessions-today-{language}"));
    stopped.the("button", &window.word("today:stopped.continue")).click();
    window.gone("main", &window.word("today:title"));
    wait("yesterday's conversation", || {
        window.questions().iter().any(|asked| asked.contains(question)).then_some(())
    });
    window.ask("1 + 1?");
    let system = told(&server);
    for (label, said) in labels.into_iter().zip([plan, task, decision]) {
        let line = system.find(&format!("{label}:")).map(|at| &system[at..]);
        let line = line.unwrap_or_else(|| panic!("the model is told of {label}: {system}"));
        assert!(line.contains(said), "{label} says {said}: {line}");
    }

    // Another plan, with a summary that begins anew.
    window.command(&format!("/plan add {next_plan}"));
    window.work_line("task", task).click();
    window.choose_in(&window.control("combobox", "work:plans.current"), next_plan);
    let question = window.control("group", "work:switch.title");
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the plans");
    window.shoot(&format!("story-sessions-switch-{language}"));
    question.the("button", &window.word("work:switch.reset")).click();
    window.work_line("plan", next_plan);
    window.keys("Control+t");
    window.ask("2 + 2?");
    let system = told(&server);
    assert!(system.contains(&format!("{}: {next_plan}", labels[0])), "{system}");
    assert!(!system.contains(task), "the task of the other plan is told no more: {system}");

    // Somebody else writes the session: it waits, and is taken in once it was looked at.
    let path = project.join(".ai-brain/context.json");
    let before = std::fs::read_to_string(&path).expect("the session");
    let summary = |text: &Value| format!("\"running_summary\": {text}");
    let was = &context_of(project)["conversation"]["running_summary"];
    let after = before.replace(&summary(was), &summary(&json!(elsewhere)));
    assert_ne!(before, after, "the summary is in the file");
    std::fs::write(&path, after).expect("the session can be written");
    window.ask("3 + 3?");
    assert!(!told(&server).contains(elsewhere), "nothing of it is sent unseen");
    window.control("button", "work:foreign.look").click();
    let dialog = window.control("dialog", "work:foreign.dialog");
    wait("what it changes", || dialog.text().contains(elsewhere).then_some(()));
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on what came from elsewhere");
    window.shoot(&format!("story-sessions-foreign-{language}"));
    dialog.the("button", &window.word("work:foreign.theirs")).click();
    window.reads(&window.word("work:foreign.taken"));
    let kept = context_of(project)["conversation"]["running_summary"].clone();
    assert_eq!(kept, elsewhere);
    assert_eq!(
        context_of(project)["stats"]["dialog_turns"],
        4,
        "what was said here since then is there too"
    );
}

#[test]
fn work_goes_on_where_a_killed_program_stopped() {
    story(&EN);
}

#[test]
fn the_same_in_korean() {
    story(&KO);
}
