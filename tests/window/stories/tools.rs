//! Tools in the window: a change that is proposed, allowed and taken back; a command that is refused and one that is
//! stopped; a server that is looked at, trusted and asked; a plan that a model makes, and that waits where it is not met.

use std::path::Path;

use serde_json::{Value, json};
use siltstone_test_servers::{Server, mcp_everything_command};

use crate::support::{Found, Page, Start, Window, folder, scripted, wait};

/// What is said in one language.
struct Words {
    language: &'static str,
    change: &'static str,
    will: &'static str,
    changed: &'static str,
    refuse: &'static str,
    instead: &'static str,
    refused: &'static str,
    stop: &'static str,
    went_on: &'static str,
    echo: &'static str,
    echoed: &'static str,
    goal: &'static str,
    plan: &'static str,
    /// Its steps, each with what must be true, the words of its answer, and why it is met or not.
    steps: [[&'static str; 4]; 2],
}

const EN: Words = Words {
    language: "en",
    change: "Let refresh tokens live for sixty days.",
    will: "I will see to it.",
    changed: "They live for sixty days now.",
    refuse: "Clean the folder.",
    instead: "Leave the files alone.",
    refused: "I left the files alone.",
    stop: "Run the long check.",
    went_on: "The check was interrupted.",
    echo: "Ask the server to echo.",
    echoed: "The server echoed it.",
    goal: "Say how long refresh tokens live.",
    plan: "Lifetime",
    steps: [
        ["Find the constant", "the constant is named", "It is THIRTY_DAYS.", "the answer names it"],
        ["Write it down", "notes.md has it", "I wrote nothing.", "there is no notes.md"],
    ],
};

const KO: Words = Words {
    language: "ko",
    change: "리프레시 토큰을 60일 동안 쓰게 해 주세요.",
    will: "해 볼게요.",
    changed: "이제 60일 동안 써요.",
    refuse: "폴더를 정리해 주세요.",
    instead: "파일은 그대로 두세요.",
    refused: "파일을 그대로 두었어요.",
    stop: "긴 검사를 실행해 주세요.",
    went_on: "검사가 중간에 끊겼어요.",
    echo: "서버에 따라 말해 달라고 하세요.",
    echoed: "서버가 따라 말했어요.",
    goal: "리프레시 토큰의 수명을 적어 주세요.",
    plan: "수명",
    steps: [
        ["상수 찾기", "상수의 이름이 나와 있다", "THIRTY_DAYS예요.", "답에 이름이 있습니다"],
        ["적어 두기", "notes.md에 적혀 있다", "적지 않았어요.", "notes.md가 없습니다"],
    ],
};

/// So long that only a stop ends it, and no other process runs the same.
const LONG: &str = "echo begun > begun.txt; sleep 86397";

/// A question that is answered with a call, and then, once there is a result, with words.
fn calling(question: &str, says: &str, tool: &str, arguments: Value, then: &str) -> [Value; 2] {
    let call = json!({ "name": tool, "arguments": arguments.to_string() });
    [
        json!({
            "match": { "userMessage": question, "hasToolResult": false },
            "response": { "content": says, "toolCalls": [call] },
        }),
        json!({
            "match": { "userMessage": question, "hasToolResult": true },
            "response": { "content": then },
        }),
    ]
}

impl Window {
    /// What waits for an answer, once it does.
    #[track_caller]
    fn asks(&self, title: &str) -> Found<'_> {
        let card = self.the("group", title);
        // Until then its answers are dim.
        card.stands();
        self.still();
        assert_eq!(self.axe(), Vec::<String>::new(), "axe on what waits");
        card
    }

    /// The row of a finished call.
    #[track_caller]
    fn row(&self, tool: &str) -> Found<'_> {
        self.like("button", &format!("^{}", self.word(&format!("tools:names.{tool}"))))
    }

    /// The window of a project with a model that does as `fixtures` say.
    #[track_caller]
    fn with_model(language: &'static str, project: &Path, fixtures: &[Value]) -> (Server, Self) {
        let server = scripted(fixtures);
        let start = Start::new(language).argument(project);
        start.silt().open_project(project);
        start.silt().connect("scripted", &server.base_url(), "gpt-4o");
        let window = start.window();
        window.composer();
        (server, window)
    }
}

/// The last request that arrived, as text.
#[track_caller]
fn told(server: &Server) -> String {
    let asked = server.questions().expect("what arrived").pop().expect("a question");
    String::from_utf8(asked.body).expect("text")
}

fn changing(words: &Words) {
    let Words { language, change, will, changed, .. } = *words;
    let project = folder::project();
    let project = project.path();
    let path = "src/auth.rs";
    let before = std::fs::read_to_string(project.join(path)).expect("the file");
    let after = before.replace("THIRTY_DAYS", "SIXTY_DAYS");
    assert_ne!(before, after);
    let edit = json!({ "path": path, "old": "THIRTY_DAYS", "new": "SIXTY_DAYS" });
    let read = json!({ "path": path });
    let mut fixtures = calling(change, will, "edit_file", edit, changed);
    // It looks first; nobody is asked about that.
    let look = json!({ "name": "read_file", "arguments": read.to_string() });
    let calls = &mut fixtures[0]["response"]["toolCalls"];
    calls.as_array_mut().expect("calls").insert(0, look);
    let (server, window) = Window::with_model(language, project, &fixtures);
    let on_disk = || std::fs::read_to_string(project.join(path)).expect("the file");

    // What would change is shown before anything does.
    window.say(change);
    let card = window.asks(&window.phrase("tools:ask.edit", &[("path", path)]));
    let shown = card.text();
    for line in ["store.issue(session, THIRTY_DAYS)", "store.issue(session, SIXTY_DAYS)"] {
        assert!(shown.contains(line), "the difference has {line}: {shown}");
    }
    assert_eq!(on_disk(), before, "nothing happens without an answer");
    window.shoot(&format!("story-tools-change-{language}"));
    window.answers("once");
    let reply = window.finished().text();
    assert!(reply.contains(changed), "{reply}");
    assert_eq!(on_disk(), after);
    assert!(told(&server).contains(r#""role":"tool""#), "the result goes back to the model");
    window.shoot(&format!("story-tools-changed-{language}"));

    // Under the reply stands what it changed. It is looked at, taken back, and put again.
    window.control("group", "changes:label");
    window.shoot(&format!("story-tools-bar-{language}"));
    window.control("button", "changes:review").click();
    let dialog = window.the("dialog", &window.word("changes:title"));
    let take_back = format!("{}: {path}", window.word("changes:takeBack"));
    dialog.the("checkbox", &take_back).click();
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on what a reply changed");
    window.shoot(&format!("story-tools-review-{language}"));
    dialog.the("button", &window.word("changes:undoTurn")).click();
    wait("the file as it was", || (on_disk() == before).then_some(()));
    window.gone("dialog", &window.word("changes:title"));
    window.shoot(&format!("story-tools-taken-back-{language}"));
    window.control("button", "common:undo").click();
    wait("what the reply made of it", || (on_disk() == after).then_some(()));

    // The row leads to the checkpoint that was made before, and that takes it back.
    window.row("edit_file").click();
    window.control("button", "tools:checkpoint").click();
    window.control("button", "checkpoints:restore.open").click();
    window.still();
    window.shoot(&format!("story-tools-undo-{language}"));
    window.control("button", "checkpoints:restore.do").click();
    wait("the file as it was", || (on_disk() == before).then_some(()));
}

fn commanding(words: &Words) {
    let Words { language, will, refuse, instead, refused, stop, went_on, .. } = *words;
    let project = folder::project();
    let project = project.path();
    let clean = json!({ "command": "rm -rf docs", "purpose": refuse });
    let long = json!({ "command": LONG, "purpose": stop });
    let mut fixtures = [
        calling(refuse, will, "run_command", clean, refused),
        calling(stop, will, "run_command", long, went_on),
    ]
    .concat();
    // What goes on is asked with words of its own.
    fixtures.push(json!({ "match": {}, "response": { "content": went_on } }));
    let (server, window) = Window::with_model(language, project, &fixtures);

    // Commands run where the person allows them.
    let page = window.settings("tools");
    let switch = page.the("switch", &window.word("toolSettings:commands.allow"));
    switch.tell("arguments[0].scrollIntoView({ block: 'center' })");
    window.turn(&switch);
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the page of tools");
    window.shoot(&format!("story-tools-settings-{language}"));
    window.keys("Escape");

    // A command that is refused does not run, and the model is told why.
    window.say(refuse);
    let card = window.asks(&window.word("tools:ask.command"));
    assert!(card.text().contains("rm -rf docs"), "the whole command: {}", card.text());
    window.shoot(&format!("story-tools-command-{language}"));
    window.answers("no");
    let note = window.control("textbox", "tools:ask.note");
    note.type_text(instead);
    wait("the words in their field", || (note.value() == instead).then_some(()));
    note.enter();
    let reply = window.finished();
    assert!(reply.text().contains(refused), "{}", reply.text());
    // Why a call failed is read after that it did.
    let denied = window.word("tools:status.denied");
    wait("who refused it", || reply.text().contains(&denied).then_some(()));
    assert!(project.join("docs").is_dir(), "nothing ran");
    assert!(told(&server).contains(instead), "the model is told what to do instead");

    // One that is stopped ends with everything it started; what it did so far stays.
    window.say(stop);
    window.asks(&window.word("tools:ask.command"));
    window.answers("once");
    wait("the command to begin", || project.join("begun.txt").is_file().then_some(()));
    wait("what it started", || is_running(project, "86397").then_some(()));
    window.shoot(&format!("story-tools-running-{language}"));
    window.control("button", "chat:composer.stop").click();
    wait("the command to end", || (!is_running(project, "86397")).then_some(()));
    window.reads(&window.word("tools:status.stopped"));
    assert!(project.join("begun.txt").is_file());
    window.still();
    window.shoot(&format!("story-tools-stopped-{language}"));
    window.control("button", "chat:actions.continue").click();
    window.reads(went_on);
    assert!(told(&server).contains(LONG), "the model is told what was interrupted");
}

/// Whether a process with this among its arguments works in the project.
fn is_running(project: &Path, argument: &str) -> bool {
    let entries = std::fs::read_dir("/proc").expect("Linux has /proc").flatten();
    entries.map(|entry| entry.path()).any(|process| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|one| one == argument.as_bytes())
            && std::fs::read_link(process.join("cwd")).is_ok_and(|at| at == project)
    })
}

fn serving(words: &Words) {
    let Words { language, will, echo, echoed, .. } = *words;
    let project = folder::project();
    let project = project.path();
    let fixtures = calling(
        echo,
        will,
        "mcp__everything__echo",
        json!({ "message": "silt and stone" }),
        echoed,
    );
    let server = scripted(&fixtures);
    let start = Start::new(language).argument(project);
    start.silt().open_project(project);
    // A model that says how much it holds: the server's tools are many.
    let address = format!("{}/v1beta", server.address());
    let known = ["--kind", "gemini", "--name", "scripted", "--base-url", &address];
    start.silt().ask(&[&["provider", "add"], &known[..]].concat());
    start.silt().ask(&["provider", "default", "scripted", "gemini-2.0-flash"]);
    let window = start.window();
    window.composer();
    let (program, arguments) = mcp_everything_command().expect("the server is installed");

    // It is set up, shown as it would run, and asked what it offers; only then it can be trusted.
    let page = window.settings("servers");
    page.the("button", &window.word("toolSettings:mcp.add")).click();
    let write = |field: &str, lines: &[&str]| {
        let field = window.control("textbox", &format!("toolSettings:mcp.form.{field}"));
        for (place, line) in lines.iter().enumerate() {
            if place > 0 {
                field.enter();
            }
            field.type_text(line);
        }
        let text = lines.join("\n");
        wait("the text in its field", || (field.value() == text).then_some(()));
    };
    write("name", &["everything"]);
    write("command", &[&program]);
    write("args", &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the form");
    window.shoot(&format!("story-tools-server-form-{language}"));
    window.control("button", "toolSettings:mcp.form.add").click();
    let dialog = window
        .the("dialog", &window.phrase("toolSettings:mcp.check.title", &[("name", "everything")]));
    for argument in &arguments {
        wait("all that would run", || dialog.text().contains(argument).then_some(()));
    }
    assert!(dialog.all("button", &window.word("toolSettings:mcp.check.trust")).is_empty());
    window.still();
    window.shoot(&format!("story-tools-server-look-{language}"));
    dialog.the("button", &window.word("toolSettings:mcp.check.start")).click();
    let trust = dialog.the("button", &window.word("toolSettings:mcp.check.trust"));
    assert!(dialog.text().contains("echo"), "its tools are listed: {}", dialog.text());
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on what it offers");
    window.shoot(&format!("story-tools-server-offers-{language}"));
    trust.click();
    window.gone("button", &window.word("toolSettings:mcp.check.trust"));
    window.still();
    window.shoot(&format!("story-tools-servers-{language}"));
    window.keys("Escape");

    // Its tools are asked about like every other.
    window.say(echo);
    let title = window
        .phrase("tools:ask.server", &[("server", "everything"), ("tool", "everything › echo")]);
    let card = window.asks(&title);
    assert!(card.text().contains("silt and stone"), "what it is asked: {}", card.text());
    window.shoot(&format!("story-tools-server-asked-{language}"));
    window.answers("once");
    let reply = window.finished().text();
    assert!(reply.contains(echoed), "{reply}");
    assert!(told(&server).contains("Echo: silt and stone"), "what the server said came back");
    window.shoot(&format!("story-tools-server-answered-{language}"));
}

fn planning(words: &Words) {
    let Words { language, goal, plan, steps, .. } = *words;
    let project = folder::project();
    let project = project.path();
    let step = |(place, [title, done, _, _]): (usize, [&str; 4])| {
        let after: Vec<usize> = (0..place).collect();
        json!({ "title": title, "notes": "", "acceptance": [done], "after": after })
    };
    let tree: Vec<Value> = steps.into_iter().enumerate().map(step).collect();
    let tree = json!({ "title": plan, "steps": tree });
    let asked = |said: &str, answer: &Value| {
        json!({
            "match": { "userMessage": said, "responseFormat": "json_schema" },
            "response": { "content": answer.to_string() },
        })
    };
    let verdict = |place: usize| {
        let [_, done, _, why] = steps[place];
        let verdict = json!({ "number": 1, "met": place == 0, "why": why });
        asked(done, &json!({ "criteria": [verdict] }))
    };
    let answer = |[title, _, said, _]: [&str; 4]| json!({ "match": { "userMessage": title }, "response": { "content": said } });
    let fixtures = [asked(goal, &tree), verdict(0), verdict(1), answer(steps[0]), answer(steps[1])];
    let (_server, window) = Window::with_model(language, project, &fixtures);

    // The model plans; the person sees each step before anything is done.
    window.today().click();
    window.control("button", "work:planWith").click();
    let field = window.control("textbox", "toolSettings:tree.goal");
    field.type_text(goal);
    wait("the goal in its field", || (field.value() == goal).then_some(()));
    window.control("button", "toolSettings:tree.make").click();
    for (place, [title, ..]) in ["1", "2"].into_iter().zip(steps) {
        let name = window.phrase("toolSettings:tree.stepTitle", &[("n", place)]);
        let field = window.the("textbox", &name);
        wait("the title of the step", || (field.value() == title).then_some(()));
    }
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the plan");
    window.shoot(&format!("story-tools-plan-{language}"));
    window.control("button", "toolSettings:tree.run").click();

    // Its steps are asked for one after the other, until one is not met.
    window.reads(steps[0][2]);
    window.reads(steps[1][2]);
    window.like("button", &window.word("work:line.waits")).click();
    let run = window.control("region", "toolSettings:run.title");
    wait("why it waits", || run.text().contains(steps[1][3]).then_some(()));
    window.still();
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the plan that waits");
    window.shoot(&format!("story-tools-plan-waits-{language}"));
    run.the("button", &window.word("toolSettings:run.stop")).click();
    window.gone("region", &window.word("toolSettings:run.title"));
}

#[test]
fn a_plan_is_made_carried_out_and_waits() {
    planning(&EN);
}

#[test]
fn a_plan_is_made_carried_out_and_waits_in_korean() {
    planning(&KO);
}

#[test]
fn a_change_is_shown_allowed_and_taken_back() {
    changing(&EN);
}

#[test]
fn a_change_is_shown_allowed_and_taken_back_in_korean() {
    changing(&KO);
}

#[test]
fn a_command_is_refused_and_another_stopped() {
    commanding(&EN);
}

#[test]
fn a_command_is_refused_and_another_stopped_in_korean() {
    commanding(&KO);
}

#[test]
fn a_server_is_looked_at_trusted_and_asked() {
    serving(&EN);
}

#[test]
fn a_server_is_looked_at_trusted_and_asked_in_korean() {
    serving(&KO);
}
