//! The port of commands over the system's shell, with real processes: how they end, what they say, what they are told
//! of the person, and what they can reach.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a process that cannot be started fails the test")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rstest::rstest;
use siltstone_engine::tool::{CommandRun, Commands, Ended, OnOutput, Ran, Sandbox, ToolError};
use siltstone_tools::Shell;
use tempfile::TempDir;

/// Long enough for what should end at once on a computer that has other things to do.
const PLENTY: u64 = 120;

fn project() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn line(root: &Path, line: &str) -> CommandRun {
    CommandRun { root: root.to_str().unwrap().into(), line: line.into(), seconds: PLENTY }
}

fn unheard() -> OnOutput {
    Box::new(|_| {})
}

/// What is said while it runs.
fn heard() -> (Arc<Mutex<String>>, OnOutput) {
    let text = Arc::new(Mutex::new(String::new()));
    let own = Arc::clone(&text);
    (text, Box::new(move |fresh| own.lock().unwrap().push_str(fresh)))
}

async fn run(root: &Path, text: &str) -> Ran {
    Shell.run(line(root, text), unheard()).await.unwrap()
}

/// Whether a process is there and has not ended.
fn is_alive(id: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    let state = status.rsplit(')').next().unwrap_or_default().trim().chars().next();
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Waits for a file that a process writes, however long it takes.
async fn read_when_there(path: &Path) -> String {
    loop {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn until_gone(id: &str) {
    while is_alive(id) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[rstest]
#[case("true", Ended::Exited(0), "")]
#[case("echo one; exit 3", Ended::Exited(3), "one\n")]
#[case("no-such-program-here 2>/dev/null", Ended::Exited(127), "")]
#[case("kill -9 $$", Ended::Signalled(9), "")]
#[case("cat; echo done", Ended::Exited(0), "done\n")]
#[case("echo a; echo b >&2; echo c; echo d >&2", Ended::Exited(0), "a\nb\nc\nd\n")]
#[case("-x 2>/dev/null; echo after", Ended::Exited(0), "after\n")]
#[case("echo \"it's\" '$HOME' 한글; :", Ended::Exited(0), "it's $HOME 한글\n")]
#[tokio::test]
async fn a_command_ends_and_says_what_it_says(
    #[case] text: &str,
    #[case] ended: Ended,
    #[case] output: &str,
) {
    let project = project();
    let ran = run(project.path(), text).await;
    assert_eq!(ran, Ran { ended, output: output.into(), dropped: 0 });
}

#[tokio::test]
async fn it_starts_in_the_project_without_a_terminal() {
    let project = project();
    let ran = run(project.path(), "pwd -P; (echo x > /dev/tty) 2>/dev/null || echo none").await;
    let root = project.path().canonicalize().unwrap();
    assert_eq!(ran.output, format!("{}\nnone\n", root.display()));
}

#[tokio::test]
async fn a_folder_that_is_gone_is_said() {
    let gone = project().keep();
    fs::remove_dir(&gone).unwrap();
    let ran = Shell.run(line(&gone, "echo x"), unheard()).await;
    assert!(matches!(ran, Err(ToolError::System { .. })), "{ran:?}");
    let project = project();
    let ran = Shell.run(line(project.path(), "echo \0"), unheard()).await;
    assert!(matches!(ran, Err(ToolError::System { .. })), "{ran:?}");
}

#[tokio::test]
async fn output_is_heard_while_it_runs() {
    let project = project();
    let (text, on_output) = heard();
    // It ends only when its first line was heard.
    let listening = async {
        while *text.lock().unwrap() != "첫 줄\n" {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        fs::write(project.path().join("go"), "").unwrap();
    };
    let text = "echo 첫 줄; while [ ! -e go ]; do sleep 0.01; done; echo 끝";
    let (ran, ()) = tokio::join!(Shell.run(line(project.path(), text), on_output), listening);
    assert_eq!(ran.unwrap().output, "첫 줄\n끝\n");
}

#[tokio::test]
async fn binary_output_is_marked_and_colours_are_gone() {
    let project = project();
    let ran = run(project.path(), r"printf '\033[31mred\033[0m \377\000 \352\260\200\n'").await;
    assert_eq!(ran.output, "red \u{FFFD}\u{FFFD} 가\n");
    let ran = run(project.path(), "head -c 300000 /dev/urandom").await;
    assert_eq!(ran.ended, Ended::Exited(0));
    assert!(ran.output.contains('\u{FFFD}') && !ran.output.contains('\u{1b}'));
}

/// 100 MB are read to the end, and neither held nor waited for.
#[tokio::test]
async fn a_flood_of_output_is_drained() {
    const BYTES: u64 = 100_000_000;
    const KEPT: u64 = 16 * 1024 * 1024;
    let project = project();
    let (text, on_output) = heard();
    let flood = line(project.path(), "yes 0123456789 | head -c 100000000; echo; echo the end");
    let ran = Shell.run(flood, on_output).await.unwrap();
    assert_eq!(ran.ended, Ended::Exited(0));
    assert!(ran.output.ends_with("\nthe end\n"));
    assert!(ran.output.len() as u64 <= KEPT + 100_000, "{}", ran.output.len());
    assert!(ran.dropped > BYTES - KEPT - 200_000 && ran.dropped < BYTES, "{}", ran.dropped);
    assert!(ran.output.starts_with(&*text.lock().unwrap()));
}

/// A child that will not hear, in a session of its own, with the outputs of the command.
const STUBBORN: &str = "trap '' TERM HUP INT; echo $$ > stubborn; while :; do sleep 0.05; done";

#[cfg(target_os = "linux")]
#[rstest]
#[case::in_its_group("sh stubborn.sh & sh stubborn.sh")]
#[case::in_its_own_session("setsid sh stubborn.sh & trap '' TERM; while :; do sleep 0.05; done")]
#[case::of_nobody("(setsid sh stubborn.sh &) ; sleep 1000")]
#[tokio::test]
async fn one_that_takes_too_long_is_ended_with_all_its_children(#[case] text: &str) {
    let project = project();
    fs::write(project.path().join("stubborn.sh"), STUBBORN).unwrap();
    let mut run = line(project.path(), text);
    run.seconds = 3;
    let ran = Shell.run(run, unheard()).await.unwrap();
    assert_eq!(ran.ended, Ended::TimedOut);
    let id = fs::read_to_string(project.path().join("stubborn")).unwrap();
    until_gone(&id).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_said_before_the_time_was_over_is_kept() {
    let project = project();
    let mut run =
        line(project.path(), "trap 'echo sorry; exit' TERM; echo begun; sleep 1000 & wait");
    run.seconds = 3;
    let ran = Shell.run(run, unheard()).await.unwrap();
    assert_eq!(ran, Ran { ended: Ended::TimedOut, output: "begun\nsorry\n".into(), dropped: 0 });
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn letting_go_ends_a_command_with_all_its_children() {
    let project = project();
    fs::write(project.path().join("stubborn.sh"), STUBBORN).unwrap();
    let text = "(setsid sh stubborn.sh &); echo $$ > shell; while :; do sleep 0.05; done";
    let (root, path) = (project.path().to_owned(), project.path());
    let running = tokio::spawn(async move { Shell.run(line(&root, text), unheard()).await });
    let (shell, stubborn) =
        (read_when_there(&path.join("shell")).await, read_when_there(&path.join("stubborn")).await);
    assert!(is_alive(&shell) && is_alive(&stubborn));
    running.abort();
    until_gone(&shell).await;
    until_gone(&stubborn).await;
}

/// The program that lets go is ending itself: nothing is left to be done in order.
#[cfg(target_os = "linux")]
#[test]
fn the_end_of_the_program_ends_a_command() {
    let project = project();
    fs::write(project.path().join("stubborn.sh"), STUBBORN).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let root = project.path().to_owned();
    runtime.spawn(async move { Shell.run(line(&root, "sh stubborn.sh"), unheard()).await });
    let id = runtime.block_on(read_when_there(&project.path().join("stubborn")));
    assert!(is_alive(&id));
    drop(runtime);
    waited(until_gone(&id));
}

#[cfg(target_os = "linux")]
fn waited(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_command() {
    let project = project();
    fs::write(project.path().join("stubborn.sh"), STUBBORN).unwrap();
    let text = "sh stubborn.sh & while [ ! -s stubborn ]; do sleep 0.01; done; echo begun";
    let ran = run(project.path(), text).await;
    assert_eq!((ran.ended, ran.output.as_str()), (Ended::Exited(0), "begun\n"));
    until_gone(&fs::read_to_string(project.path().join("stubborn")).unwrap()).await;
}

/// It left the session and forgot by what it would be known; it still holds the outputs.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nobody_is_waited_for_who_cannot_be_found() {
    let project = project();
    let text = "env -i setsid sh -c 'echo $$ > id; exec sleep 1000' & \
                while [ ! -s id ]; do sleep 0.01; done; echo done";
    let ran = run(project.path(), text).await;
    let id = fs::read_to_string(project.path().join("id")).unwrap();
    assert!(Command::new("kill").args(["-9", id.trim()]).status().unwrap().success());
    assert_eq!((ran.ended, ran.output.as_str()), (Ended::Exited(0), "done\n"));
}

/// Names of variables that hold secrets, or lead to what the person may do.
const SECRETS: [&str; 40] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITLAB_TOKEN",
    "NPM_TOKEN",
    "NODE_AUTH_TOKEN",
    "PYPI_PASSWORD",
    "TWINE_PASSWORD",
    "CARGO_REGISTRY_TOKEN",
    "DOCKER_AUTH_CONFIG",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "AZURE_STORAGE_KEY",
    "DATABASE_URL",
    "REDIS_URL",
    "PGPASSWORD",
    "MYSQL_PWD",
    "SLACK_BOT_TOKEN",
    "STRIPE_SECRET_KEY",
    "SENTRY_AUTH_TOKEN",
    "VAULT_TOKEN",
    "KUBECONFIG",
    "SSH_AUTH_SOCK",
    "SSH_ASKPASS",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "LD_PRELOAD_SECRET",
    "SILTSTONE_DATA_DIR",
    "LC_SECRET_KEY",
];

/// Run by the test below in a process that has them.
#[tokio::test]
#[ignore = "it is run by another test, in a process with secrets"]
async fn environment_of_a_command() {
    let project = project();
    println!("{}", run(project.path(), "env; echo TMP is $TMPDIR").await.output);
}

#[test]
fn no_secret_is_in_its_environment() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "environment_of_a_command", "--ignored", "--nocapture"])
        .envs(SECRETS.map(|name| (name, "canary")))
        .envs([
            ("HTTPS_PROXY", "http://me:canary@proxy"),
            ("LC_ALL", "C.UTF-8"),
            ("TZ", "Asia/Seoul"),
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !text.contains("canary"), "{text}");
    for line in ["LC_ALL=C.UTF-8\n", "TZ=Asia/Seoul\n", "TERM=dumb\n", "\nPATH=", "\nHOME="] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let own = std::env::temp_dir().join("siltstone-command-");
    assert!(text.contains(&format!("TMP is {}", own.display())), "{text}");
}

#[tokio::test]
async fn its_temporary_folder_goes_with_it() {
    let project = project();
    let ran =
        run(project.path(), "echo x > $TMPDIR/file && cat $TMPDIR/file && echo $TMPDIR").await;
    let (text, folder) = ran.output.trim_end().split_once('\n').unwrap();
    assert_eq!(text, "x");
    assert!(!Path::new(folder).exists(), "{folder}");
}

/// Said by tests that cannot be made where the system keeps nobody inside.
const SKIPPED: &str = "skipped: this system has no sandbox for commands";

fn is_kept_inside() -> bool {
    Shell.sandbox() == Sandbox::Writes
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_writes_nowhere_but_in_the_project() {
    if !is_kept_inside() {
        println!("{SKIPPED}");
        return;
    }
    let (project, beside) = (project(), project());
    let kept = beside.path().join("kept.md");
    fs::write(&kept, "the person's\n").unwrap();
    std::os::unix::fs::symlink(beside.path(), project.path().join("link")).unwrap();
    let out = beside.path().display();
    for tried in [
        format!("echo x > {out}/new"),
        format!("echo x > {out}/kept.md"),
        format!("echo x >> {out}/kept.md"),
        "echo x > link/new".to_owned(),
        format!("rm -f {out}/kept.md"),
        format!("mv {out}/kept.md moved.md"),
        format!("mv {out}/kept.md {out}/other.md"),
        format!("ln {out}/kept.md hard.md && echo x > hard.md"),
        format!("truncate -s 0 {out}/kept.md"),
        format!("mkdir {out}/folder"),
        format!("mkfifo {out}/pipe"),
        format!("ln -s x {out}/link"),
        format!("cp /bin/sh {out}/program"),
        "echo x > \"$HOME/.siltstone-test-file\"".to_owned(),
        "echo x > /tmp/siltstone-test-file".to_owned(),
        "echo x > /dev/shm/siltstone-test-file".to_owned(),
    ] {
        let ran = run(project.path(), &format!("( {tried} ) 2>/dev/null")).await;
        assert!(!matches!(ran.ended, Ended::Exited(0)), "{tried}: {ran:?}");
    }
    assert_eq!(fs::read_to_string(&kept).unwrap(), "the person's\n");
    assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1);
    // Reading is free, and so is the project.
    let ran = run(
        project.path(),
        &format!(
            "cat {out}/kept.md && ls {out} && mkdir -p a/b && echo in > a/b/c && mv a/b/c d && cat d \
             && ln d e && ln -s d f && rm -r a e f && echo x > /dev/null"
        ),
    )
    .await;
    assert_eq!(ran.output, "the person's\nkept.md\nin\n");
    assert_eq!(ran.ended, Ended::Exited(0));
}

/// Run by the test below in a process whose home has keys.
#[tokio::test]
#[ignore = "it is run by another test, in a process with another home"]
async fn reading_of_a_command() {
    let project = project();
    let text = "cat ~/.ssh/id_ed25519; cat ~/.config/gh/hosts.yml; cat ~/.netrc; cat ~/keys/id_ed25519; \
                cat ~/notes.md; cat ~/.config/app/settings; ls -A ~";
    println!("{}", run(project.path(), text).await.output);
}

#[cfg(target_os = "linux")]
#[test]
fn it_reads_no_keys_of_the_person() {
    if !is_kept_inside() {
        println!("{SKIPPED}");
        return;
    }
    let home = project();
    for (path, text) in [
        (".ssh/id_ed25519", "canary"),
        (".config/gh/hosts.yml", "canary"),
        (".netrc", "canary"),
        (".config/app/settings", "settings are read"),
        ("notes.md", "notes are read"),
    ] {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    std::os::unix::fs::symlink(".ssh", home.path().join("keys")).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reading_of_a_command", "--ignored", "--nocapture"])
        .env("HOME", home.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !text.contains("canary"), "{text}");
    assert!(text.contains("settings are read") && text.contains("notes are read"), "{text}");
    assert!(text.contains(".netrc\n"), "names are listed: {text}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_neither_looks_into_other_processes_nor_ends_them() {
    if !is_kept_inside() {
        println!("{SKIPPED}");
        return;
    }
    let project = project();
    let own = std::process::id();
    for tried in ["readlink /proc/{own}/exe", "head -c 1 /proc/{own}/mem"] {
        let tried = tried.replace("{own}", &own.to_string());
        let ran = run(project.path(), &format!("{tried} 2>/dev/null || echo refused")).await;
        assert_eq!(ran.output, "refused\n", "{tried}");
    }
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let ran = run(project.path(), &format!("kill -0 {}", other.id())).await;
    other.kill().unwrap();
    other.wait().unwrap();
    assert_ne!(ran.ended, Ended::Exited(0), "{ran:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn whoever_asked_is_not_kept_inside() {
    let (project, beside) = (project(), project());
    run(project.path(), "true").await;
    fs::write(beside.path().join("file"), "x").unwrap();
    tokio::task::spawn_blocking(move || fs::write(beside.path().join("file"), "y").unwrap())
        .await
        .unwrap();
}
