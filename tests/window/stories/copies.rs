//! Two agents on one project, each in a worktree of its own: started together, seen beside each other, looked at, one merged
//! and taken back again, one removed; in both languages and themes, and in the narrowest window.

use std::fs;
use std::path::Path;
use std::process::Command;

use siltstone_test_servers::acp_agent;
use tempfile::{NamedTempFile, TempDir};

use crate::support::{Page, Silt, Start, folder, wait};

const FIRST: &str = "Claude Code";
const SECOND: &str = "Codex";

/// What is said in one language.
struct Words {
    language: &'static str,
    theme: &'static str,
    task: &'static str,
    first: &'static str,
    second: &'static str,
    /// The button that merges one file.
    merge: &'static str,
}

const EN: Words = Words {
    language: "en",
    theme: "light",
    task: "Let refresh tokens live for sixty days.",
    first: "The lifetime is sixty days now, and a note says so.",
    second: "I would like to change one line.",
    merge: "copies:merge.do_one",
};

const KO: Words = Words {
    language: "ko",
    theme: "dark",
    task: "리프레시 토큰을 60일 동안 쓰게 해 주세요.",
    first: "이제 60일 동안 쓰고, 메모에도 적어 두었어요.",
    second: "한 줄을 바꾸려고 해요.",
    merge: "copies:merge.do_other",
};

/// Adds an agent that does this, whatever it is asked; the file of its lines.
fn agent(silt: &Silt, name: &str, lines: &str) -> NamedTempFile {
    let script = NamedTempFile::new().expect("a file");
    fs::write(script.path(), lines).expect("a script");
    let command = acp_agent(&["--script", &script.path().display().to_string()]).expect("an agent");
    silt.ask(&["agent", "add", name, &command]);
    script
}

fn git(root: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let done = Command::new("git").args(who).args(arguments).current_dir(root).status();
    assert!(done.expect("git").success(), "git {arguments:?}");
}

fn story(words: &Words) {
    let Words { language, theme, task, first, second, merge: merges } = *words;
    let around = TempDir::new().expect("a folder");
    let project = around.path().canonicalize().expect("its path").join("aurora");
    folder::fill(&project);
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "--message", "First"]);
    let read = |name: &str, path: &str| {
        fs::read_to_string(project.with_file_name(name).join(path)).unwrap_or_default()
    };

    let start = Start::new(language).argument(&project);
    let silt = start.silt();
    silt.open_project(&project);
    let does = format!(
        "hidden src/lifetime.rs pub const DAYS: u64 = 60;\\n\nhidden notes.md Sixty days.\\n\nsay {first}\n"
    );
    let _first = agent(&silt, FIRST, &does);
    let _second = agent(&silt, SECOND, &format!("say {second}\nedit src/auth.rs // sixty\\n\n"));
    silt.ask(&["provider", "default", FIRST, "default"]);
    let window = start.window();
    window.composer();
    window.choose("theme", theme);
    window.dismiss();
    window.resize(1280, 820);
    let mark = format!("{language}-{theme}");

    // Nothing has been copied yet: the Today page offers it.
    window.today().click();
    window.control("button", "copies:begin").click();
    let dialog = window.the("dialog", &window.word("copies:start.title"));
    dialog.the("textbox", &window.word("copies:start.task")).type_text(task);
    window.is_sound("copies-start", &mark);
    dialog.the("button", &window.phrase("copies:start.do", &[("n", "2")])).click();
    let board = window.control("main", "copies:title");
    let done = window.the("region", "claude-code");
    for text in [window.word("copies:state.done").as_str(), first, "notes.md"] {
        wait(text, || done.text().contains(text).then_some(()));
    }
    let asks = window.the("region", "codex");
    asks.the("button", &window.word("copies:state.waits"));
    wait(second, || asks.text().contains(second).then_some(()));
    window.is_sound("copies-board", &mark);
    assert_eq!(read("aurora-claude-code", "notes.md"), "Sixty days.\n");
    assert_eq!(read("aurora", "notes.md"), "", "nothing of it is in the project");

    // One piece of it is not wanted.
    done.the("button", &window.word("copies:review")).click();
    let title = window.phrase("changes:copy.title", &[("name", "claude-code")]);
    let review = window.the("dialog", &title);
    window.is_sound("copies-review", &mark);
    review.the("checkbox", &format!("{}: notes.md", window.word("changes:takeBack"))).click();
    review.the("button", &window.of_one("changes:takeBackIn")).click();
    wait("it to be taken back", || read("aurora-claude-code", "notes.md").is_empty().then_some(()));
    window.gone("dialog", &title);

    // The rest is merged, and the merge taken back and made again.
    let merge = window.phrase("copies:merge.open", &[("project", "aurora")]);
    let merged = "pub const DAYS: u64 = 60;\n";
    for undone in [true, false] {
        done.the("button", &merge).click();
        let names = [("name", "claude-code"), ("project", "aurora")];
        let dialog = window.the("dialog", &window.phrase("copies:merge.title", &names));
        if undone {
            window.is_sound("copies-merge", &mark);
        }
        dialog.the("button", &window.phrase(merges, &[("n", "1")])).click();
        wait("it to be merged", || (read("aurora", "src/lifetime.rs") == merged).then_some(()));
        if undone {
            // What was taken back before may have its own way back beside this one.
            let said = window.of_one("checkpoints:said.merged").replace("{{name}}", "claude-code");
            window.the("dialog", &said).the("button", &window.word("common:undo")).click();
            wait("it to be undone", || read("aurora", "src/lifetime.rs").is_empty().then_some(()));
        }
    }

    // What waits is answered where it was asked; then that copy goes, with its folder and without a trace in the project.
    asks.the("button", &window.word("copies:state.waits")).click();
    window.answers("once");
    window.finished();
    assert_eq!(read("aurora-codex", "src/auth.rs"), "// sixty\n");
    window.like("button", &format!("^{}", window.word("rail:copies"))).click();
    let more = board.the("button", &window.phrase("copies:more", &[("name", "codex")]));
    window.choose_of_menu(&more, &window.word("copies:remove.open"));
    let title = window.phrase("copies:remove.title", &[("name", "codex")]);
    let dialog = window.the("dialog", &title);
    window.is_sound("copies-remove", &mark);
    dialog.the("button", &window.word("copies:remove.do")).click();
    let there = project.with_file_name("aurora-codex");
    wait("the folder to be gone", || (!there.exists()).then_some(()));
    window.gone("dialog", &title);
    window.gone("region", "codex");
    assert!(read("aurora", "src/auth.rs").contains("rotate_refresh_token"));
}

#[test]
fn two_agents_work_side_by_side_and_one_is_merged() {
    story(&EN);
}

#[test]
fn two_agents_work_side_by_side_and_one_is_merged_in_korean_and_in_the_dark() {
    story(&KO);
}
