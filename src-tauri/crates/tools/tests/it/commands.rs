//! The port of commands over the system's shell, with real processes: how they end, what they say, what they are told
//! of the person, and what they can reach.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use rstest::rstest;
use siltstone_engine::tool::{CommandRun, Commands, Ended, OnOutput, Ran, Sandbox, ToolError};
use siltstone_test_servers::until::until;
use siltstone_tools::Shell;
use tempfile::TempDir;

/// Long enough for what should end at once on a computer that has other things to do.
const PLENTY: u64 = 120;

fn project() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn line(root: &Path, line: &str) -> CommandRun {
    CommandRun {
        root: root.to_str().unwrap().into(),
        line: line.into(),
        seconds: PLENTY,
        reads: Vec::new(),
        closed: Vec::new(),
        network: false,
    }
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

/// Whether a process of a command is there and has not ended. It tells its number as it knows it, which is another one for
/// everybody else where it sees none but its own processes.
fn is_alive(root: &Path, id: &str) -> bool {
    outside(root, id).is_some()
}

/// The number by which others know a process that works in this project.
fn outside(root: &Path, id: &str) -> Option<String> {
    let root = root.canonicalize().unwrap();
    let is_it = |process: &Path| {
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        let says = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let ended = says("State:").is_none_or(|state| state.trim().starts_with(['Z', 'X']));
        let own = says("NSpid:").and_then(|ids| ids.split_whitespace().next_back());
        let works_there = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == root);
        !ended && own == Some(id.trim()) && works_there
    };
    let found = fs::read_dir("/proc").unwrap().flatten().find(|entry| is_it(&entry.path()));
    found.map(|entry| entry.file_name().into_string().unwrap())
}

/// Waits for a file that a process writes.
async fn read_when_there(path: &Path) -> String {
    let read = || fs::read_to_string(path).unwrap_or_default();
    until(&path.display().to_string(), async || read().ends_with('\n')).await;
    read()
}

async fn until_gone(root: &Path, id: &str) {
    until(&format!("process {id} to end"), async || !is_alive(root, id)).await;
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
    let run_by_others = Vec::new();
    assert_eq!(ran, Ran { ended, output: output.into(), dropped: 0, run_by_others });
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
        until("its first line", async || *text.lock().unwrap() == "첫 줄\n").await;
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
    until_gone(project.path(), &id).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_said_before_the_time_was_over_is_kept() {
    let project = project();
    let mut run =
        line(project.path(), "trap 'echo sorry; exit' TERM; echo begun; sleep 1000 & wait");
    run.seconds = 3;
    let ran = Shell.run(run, unheard()).await.unwrap();
    assert_eq!((ran.ended, ran.output.as_str()), (Ended::TimedOut, "begun\nsorry\n"));
    assert_eq!(ran.dropped, 0);
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
    assert!(is_alive(path, &shell) && is_alive(path, &stubborn));
    running.abort();
    until_gone(path, &shell).await;
    until_gone(path, &stubborn).await;
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
    assert!(is_alive(project.path(), &id));
    drop(runtime);
    waited(until_gone(project.path(), &id));
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
    let id = fs::read_to_string(project.path().join("stubborn")).unwrap();
    until_gone(project.path(), &id).await;
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
    match outside(project.path(), &id) {
        // All of a view ends with it, whether or not it can be found.
        None => assert_eq!(Shell.sandbox(), Sandbox::Whole),
        Some(id) => {
            assert_ne!(Shell.sandbox(), Sandbox::Whole);
            assert!(Command::new("kill").args(["-9", &id]).status().unwrap().success());
        }
    }
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
        .args(["--exact", "it::commands::environment_of_a_command", "--ignored", "--nocapture"])
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
    Shell.sandbox() != Sandbox::None
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
        format!("cat {out}/kept.md"),
        format!("ls {out}"),
        format!("echo x > {out}/new"),
        format!("echo x > {out}/kept.md"),
        format!("echo x >> {out}/kept.md"),
        "echo x > link/new".to_owned(),
        format!("rm {out}/kept.md"),
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
    // What the person named is read, and the project is free.
    let free = format!(
        "cat {out}/kept.md && ls {out} && mkdir -p a/b && echo in > a/b/c && mv a/b/c d && cat d \
         && ln d e && ln -s d f && rm -r a e f && echo x > /dev/null"
    );
    let free = CommandRun { reads: vec![out.to_string()], ..line(project.path(), &free) };
    let ran = Shell.run(free, unheard()).await.unwrap();
    assert_eq!(ran.output, "the person's\nkept.md\nin\n");
    assert_eq!(ran.ended, Ended::Exited(0));
}

/// Of a home: what a command may never read, and what it may.
const KEPT_BACK: &[&str] = &[
    ".ssh/id_ed25519",
    ".config/gh/hosts.yml",
    ".config/app/settings",
    ".netrc",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".cache/huggingface/token",
    ".m2/settings.xml",
    ".config/containers/auth.json",
    ".cargo/credentials.toml",
    ".gradle/gradle.properties",
    "snap/firefox/common/.mozilla/firefox/x/logins.json",
    ".var/app/org.mozilla.firefox/.mozilla/firefox/x/key4.db",
    ".bash_history",
    ".local/share/siltstone/siltstone.db",
    "data/siltstone.db",
    "notes.md",
];
const GIVEN: &[&str] =
    &[".gitconfig", ".config/git/ignore", ".cargo/config.toml", ".m2/repository/a.pom", "shared/a"];

/// Run by the tests below in a process whose home has keys.
#[tokio::test]
#[ignore = "it is run by another test, in a process with another home"]
async fn reading_of_a_command() {
    let home = std::env::home_dir().unwrap();
    let project = project();
    let named = std::env::var("PROJECT").ok();
    let root = named.map_or_else(|| project.path().to_owned(), |name| home.join(name));
    let all = KEPT_BACK.iter().chain(GIVEN).chain(&["keys/id_ed25519"]);
    let cats: Vec<String> = all.map(|path| format!("cat ~/{path}")).collect();
    let run = CommandRun {
        reads: vec!["~/shared".to_owned()],
        closed: vec![home.join("data")],
        ..line(&root, &format!("{}; ls -A ~; cd ~; find .", cats.join("; ")))
    };
    println!("{}", Shell.run(run, unheard()).await.unwrap().output);
}

/// What a command says that reads whatever it can in such a home.
#[cfg(target_os = "linux")]
fn read_in_a_home(project: Option<&str>) -> String {
    let home = self::project();
    let all = KEPT_BACK.iter().map(|path| (path, "canary"));
    let given = GIVEN.iter().map(|path| (path, "given"));
    for (path, text) in all.chain(given) {
        let said = home.path().join(path);
        fs::create_dir_all(said.parent().unwrap()).unwrap();
        fs::write(said, format!("{text} {path}\n")).unwrap();
    }
    std::os::unix::fs::symlink(".ssh", home.path().join("keys")).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "it::commands::reading_of_a_command", "--ignored", "--nocapture"])
        .env("HOME", home.path())
        .envs(project.map(|name| ("PROJECT", name)))
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn it_reads_nothing_of_the_home_but_its_toolchain() {
    if !is_kept_inside() {
        println!("{SKIPPED}");
        return;
    }
    let text = read_in_a_home(None);
    assert!(!text.contains("canary"), "{text}");
    for path in GIVEN {
        assert!(text.contains(&format!("given {path}\n")), "{path}: {text}");
    }
    assert!(!text.contains(".netrc\n"), "names are not listed either: {text}");
}

#[cfg(target_os = "linux")]
#[rstest]
#[case::settings(".config", &[".config/app/settings"])]
#[case::of_others(".", &[".config/app/settings", "notes.md"])]
#[case::ours(".local/share", &[])]
#[test]
fn it_reads_no_keys_in_a_project_around_them(#[case] project: &str, #[case] its_own: &[&str]) {
    if !is_kept_inside() {
        println!("{SKIPPED}");
        return;
    }
    let text = read_in_a_home(Some(project));
    for path in KEPT_BACK {
        let is_read = text.contains(&format!("canary {path}\n"));
        assert_eq!(is_read, its_own.contains(path), "{path}: {text}");
    }
}

/// A project with a repository in which git can work.
#[cfg(target_os = "linux")]
fn repository() -> TempDir {
    let project = project();
    fs::write(project.path().join("a.txt"), "one\n").unwrap();
    let set_up = "git init -q -b main . && git config user.name A && git config user.email a@b.c \
                  && git add . && git commit -qm one && mkdir -p .git/hooks";
    let made = Command::new("sh").args(["-c", set_up]).current_dir(project.path()).status();
    assert!(made.unwrap().success());
    project
}

/// A project with repositories in it: one by itself, one that a link leads to, and a submodule whose own lies in `.git`.
#[cfg(target_os = "linux")]
fn repositories() -> TempDir {
    let project = project();
    let set_up = "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always; \
                  git init -q . && git init -q --bare bare && mkdir -p deep/linked && \
                  for it in vendor/lib store/real; do git init -q $it && (cd $it && \
                  git -c user.name=A -c user.email=a@b.c commit -qm one --allow-empty); done && \
                  mv store/real/.git store/kept && ln -s ../../store/kept deep/linked/.git && \
                  git submodule --quiet add ./vendor/lib sub";
    let made = Command::new("sh").args(["-c", set_up]).current_dir(project.path()).output();
    let made = made.unwrap();
    assert!(made.status.success(), "{made:?}");
    project
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_git_runs_stays_in_every_repository_of_a_project() {
    let project = repositories();
    let path = project.path();
    let tries = [
        ("vendor/lib/.git/hooks/post-checkout", "echo evil >"),
        ("vendor/lib/.git/config", "echo evil >>"),
        ("store/kept/hooks/post-checkout", "echo evil >"),
        ("store/kept/config", "echo evil >>"),
        (".git/modules/sub/config", "echo evil >>"),
        (".git/modules/sub/hooks/post-checkout", "echo evil >"),
        ("sub/.git", "echo 'gitdir: evil' >"),
    ];
    for (file, how) in tries {
        let ran = run(path, &format!("{how} {file}")).await;
        match Shell.sandbox() {
            Sandbox::Whole => {
                let text = fs::read_to_string(path.join(file)).unwrap_or_default();
                assert!(!text.contains("evil"), "{file}: {ran:?}");
            }
            _ => assert_eq!(ran.run_by_others, [file], "{ran:?}"),
        }
    }
    // What is a repository only since is said, and so is one in the place of another.
    let text = "git init -q new; mv sub aside; mkdir sub; echo 'gitdir: ../evil' > sub/.git";
    let ran = run(path, text).await;
    assert_eq!(ran.run_by_others, ["aside/.git", "new/.git", "sub/.git"]);
    let ran = run(path, "rm deep/linked/.git; ln -s ../../evil deep/linked/.git").await;
    assert!(ran.run_by_others.contains(&"deep/linked/.git".to_owned()), "{ran:?}");
    // Work in them goes on.
    let text = "cd vendor/lib && echo x > a && git add a && \
                git -c user.name=A -c user.email=a@b.c commit -qm two && git log --format=%s";
    let ran = run(path, text).await;
    assert_eq!((ran.output.as_str(), ran.run_by_others), ("two\none\n", Vec::new()));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn git_works_and_what_it_runs_stays() {
    let project = repository();
    let path = project.path();
    let hook = path.join(".git/hooks/pre-push");
    fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
    let config = fs::read(path.join(".git/config")).unwrap();
    let work = "set -e; echo two > b.txt; git add b.txt; git commit -qm two; git checkout -q -b side; \
                echo three > a.txt; git stash -q; git stash pop -q; git commit -qam three; \
                git checkout -q main; git merge -q side; git tag v1; git gc -q; \
                git rm -q b.txt; git reset -q --hard; git log --oneline | wc -l; git status -s";
    let ran = run(path, work).await;
    assert_eq!((ran.ended, ran.output.trim()), (Ended::Exited(0), "3"), "{ran:?}");
    assert_eq!(ran.run_by_others, Vec::<String>::new());
    for tried in [
        "echo evil > .git/hooks/pre-push",
        "echo evil > .git/hooks/post-checkout",
        "chmod +x .git/hooks/pre-push",
        "rm -f .git/hooks/pre-push",
        "mv .git/hooks .git/other",
        "git config core.fsmonitor evil",
        "git config core.hooksPath evil",
        "echo evil >> .git/config",
        "rm .git/config",
        "mv .git aside && mkdir .git",
    ] {
        let ran = run(path, &format!("( {tried} ) 2>/dev/null")).await;
        if Shell.sandbox() == Sandbox::Whole {
            assert_ne!(ran.ended, Ended::Exited(0), "{tried}");
            assert_eq!(ran.run_by_others, Vec::<String>::new(), "{tried}");
        } else {
            assert_ne!(ran.run_by_others, Vec::<String>::new(), "{tried} is told");
            let _ = fs::rename(path.join("aside"), path.join(".git"));
            let _ = fs::rename(path.join(".git/other"), path.join(".git/hooks"));
            fs::write(path.join(".git/config"), &config).unwrap();
            fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
        }
    }
    assert_eq!(fs::read_to_string(&hook).unwrap(), "#!/bin/sh\nexit 0\n");
    assert_eq!(fs::read(path.join(".git/config")).unwrap(), config);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_others_run_is_told_when_it_changes() {
    let project = repository();
    let text = "echo evil > .envrc; mkdir .vscode; echo '{}' > .vscode/tasks.json; echo evil > .git/commondir; \
                echo x > a.txt";
    let ran = run(project.path(), text).await;
    assert_eq!(ran.run_by_others, [".envrc", ".git/commondir", ".vscode/tasks.json"]);
}

/// A repository elsewhere is read for a work tree that it knows, and not changed.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_work_tree_is_looked_at() {
    let (main, beside) = (repository(), project());
    let tree = beside.path().join("tree");
    let made = Command::new("git")
        .args(["worktree", "add", "-q", tree.to_str().unwrap()])
        .current_dir(main.path())
        .status();
    assert!(made.unwrap().success());
    let ran = run(&tree, "git log --format=%s && git status -s && cat ../../x 2>/dev/null").await;
    assert_eq!(ran.output, "one\n", "{ran:?}");
    let ran = run(&tree, "(echo 'gitdir: evil' > .git) 2>/dev/null").await;
    let is_kept = ran.ended != Ended::Exited(0);
    assert_eq!(is_kept, Shell.sandbox() == Sandbox::Whole, "{ran:?}");
    assert_eq!(ran.run_by_others.is_empty(), is_kept, "{ran:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_changes_no_mode_time_or_attribute_elsewhere() {
    use std::os::unix::fs::MetadataExt;
    if Shell.sandbox() != Sandbox::Whole {
        println!("{SKIPPED}");
        return;
    }
    let (project, beside) = (project(), project());
    let file = beside.path().join("kept.md");
    fs::write(&file, "the person's\n").unwrap();
    let state = || {
        let found = fs::metadata(&file).unwrap();
        (found.mode(), found.ctime(), found.ctime_nsec(), found.nlink())
    };
    let (before, out) = (state(), beside.path().display().to_string());
    for tried in [
        format!("chmod 000 {out}/kept.md"),
        format!("chmod 777 {out}"),
        format!("touch {out}/kept.md"),
        format!("touch -d @0 {out}/kept.md"),
        format!("chown $(id -u) {out}/kept.md"),
        format!("ln {out}/kept.md hard"),
        format!("setfattr -n user.a -v b {out}/kept.md"),
        format!("ln -s {out}/kept.md link; chmod 000 link"),
    ] {
        for reads in [Vec::new(), vec![out.clone()]] {
            let run = CommandRun { reads, ..line(project.path(), &format!("( {tried} ) 2>&1")) };
            let ran = Shell.run(run, unheard()).await.unwrap();
            assert!(!matches!(ran.ended, Ended::Exited(0)), "{tried}: {ran:?}");
            let _ = fs::remove_file(project.path().join("link"));
        }
    }
    assert_eq!(state(), before);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_has_no_network_but_its_own_unless_it_may() {
    if !is_kept_inside() {
        println!("{SKIPPED}");
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let project = project();
    let ask =
        format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached || echo refused");
    let ask = format!("bash -c '{ask}'");
    for (network, said) in [(false, "refused\n"), (true, "reached\n")] {
        let run = CommandRun { network, ..line(project.path(), &ask) };
        let ran = Shell.run(run, unheard()).await.unwrap();
        assert_eq!(ran.output, said);
    }
    // It may talk to itself, as servers under development do.
    let own = "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1:0\") \
               or die; IO::Socket::INET->new(PeerAddr => $s->sockhost, PeerPort => $s->sockport) or die; \
               print \"reached\\n\"'";
    if Shell.sandbox() == Sandbox::Whole {
        assert_eq!(run(project.path(), own).await.output, "reached\n");
    }
}

/// Where bubblewrap is missing, the rest still holds: these tests once more, without it.
#[cfg(target_os = "linux")]
#[test]
fn all_of_this_without_bubblewrap() {
    if std::env::var_os("WITHOUT_BUBBLEWRAP").is_some() {
        assert_ne!(Shell.sandbox(), Sandbox::Whole);
        return;
    }
    let programs = project();
    let known = std::env::var_os("PATH").unwrap();
    for folder in std::env::split_paths(&known) {
        for program in fs::read_dir(folder).into_iter().flatten().flatten() {
            if program.file_name() != "bwrap" {
                let link = programs.path().join(program.file_name());
                // The first of a name is the one that is found.
                let _ = std::os::unix::fs::symlink(program.path(), link);
            }
        }
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .arg("it::commands::")
        .env("PATH", programs.path())
        .env("WITHOUT_BUBBLEWRAP", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("all_of_this_without_bubblewrap"), "{said}");
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
