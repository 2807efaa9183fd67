//! A key is entered, used, refused, and looked at from every side; then it is searched for wherever a program may leave
//! something behind: files, logs, exports, the webview's storage, other processes' eyes, and the remains of a crash.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use siltstone_test_servers::guarded::{ANSWER, Guarded};
use siltstone_test_servers::{files, hidden};

use crate::support::{Page, Start, Window, wait};

const KEY: &str = "sk-leak-Qm3Xz7Vd9Rt5Kw2H";
const PASSPHRASE: &str = "leaking 댐 of the passphrase";

/// What may be found nowhere. Of the key without its last four characters, which are shown.
const SECRETS: [&str; 2] = ["Qm3Xz7Vd9Rt5", PASSPHRASE];

#[track_caller]
fn nowhere_in(bytes: &[u8], place: &str) {
    for secret in SECRETS {
        assert_eq!(hidden::found(secret, bytes), None, "in {place}");
    }
}

/// Searches every file, and gives the names of all.
#[track_caller]
fn nowhere_beneath(folder: &Path) -> Vec<PathBuf> {
    let found = files::beneath(folder);
    for (path, bytes) in &found {
        nowhere_in(bytes, &path.display().to_string());
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// Searches what every process was started with, as any other may read it.
#[track_caller]
fn in_no_process() {
    let mut looked_at = 0;
    for entry in std::fs::read_dir("/proc").expect("Linux has /proc").flatten() {
        for name in ["cmdline", "environ"] {
            // A process may end while it is looked at.
            let Ok(bytes) = std::fs::read(entry.path().join(name)) else { continue };
            nowhere_in(&bytes, &format!("{} of {}", name, entry.path().display()));
            looked_at += 1;
        }
    }
    assert!(looked_at > 10, "processes were looked at");
}

/// Searches all that the page is made of.
#[track_caller]
fn nowhere_on(window: &Window) {
    let page = window.browser().run(
        "return document.documentElement.outerHTML + JSON.stringify([
           [...document.querySelectorAll('input, textarea')].map((field) => field.value),
           { ...localStorage }, { ...sessionStorage }, location.href])",
        vec![],
    );
    nowhere_in(page.as_str().expect("text").as_bytes(), "the page");
}

/// What the program answers to a page that asks for all it can name.
#[track_caller]
fn nowhere_in_answers(window: &Window) {
    let asked = [
        ("provider_list", Value::Null),
        ("key_state", Value::Null),
        ("settings_get", Value::Null),
        ("app_info", Value::Null),
        ("conversation_list", json!({ "project_id": null, "all": true, "trash": false })),
        ("egress_list", json!({ "before": null, "limit": 100, "away_only": false })),
        ("egress_body", json!({ "seq": 1 })),
        ("egress_body", json!({ "seq": 2 })),
        ("provider_models", json!({ "name": "nobody" })),
        ("key_set", json!({ "provider": 1, "key": KEY, "place": "nowhere" })),
    ];
    let answers = window.browser().run_async(
        "const [asked, done] = arguments;
         const invoke = window.__TAURI_INTERNALS__.invoke;
         const one = ([name, request]) => invoke(name, { request }).catch((failure) => failure);
         Promise.all(asked.map(one)).then(
           (answers) => done(answers.map((it) => JSON.stringify(it))), (e) => done(String(e)))",
        vec![json!(asked)],
    );
    let answers: Vec<String> = serde_json::from_value(answers).expect("answers");
    assert!(answers[0].contains("last_four"), "{answers:?}");
    assert!(answers.iter().any(|answer| answer.contains("$KEY")), "{answers:?}");
    nowhere_in(answers.concat().as_bytes(), "an answer");
}

/// The files in which a system keeps the memory of what crashed in this folder: everything is in there.
fn cores_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let is_core = |path: &PathBuf| {
        path.is_file()
            && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("core"))
    };
    entries.map(|entry| entry.path()).filter(is_core).collect()
}

/// Whether this system keeps the memory of a program that lets it.
fn keeps_cores() -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "ulimit -c \"$(ulimit -H -c)\"; kill -ABRT $$";
    drop(Command::new("sh").args(["-c", script]).current_dir(folder.path()).status());
    !cores_in(folder.path()).is_empty()
}

/// Asks, opens the file of keys with its passphrase, and is answered.
#[track_caller]
fn ask_with_passphrase(window: &Window) {
    window.say("Are you open?");
    window.fails_with("vault_locked");
    window.control("button", "keys:vault.open").click();
    let passphrase = window.control("textbox", "keys:vault.passphrase");
    passphrase.type_text(PASSPHRASE);
    passphrase.enter();
    wait("the answer", || window.replies().pop()?.contains(ANSWER).then_some(()));
    window.finished();
}

#[test]
fn a_key_that_was_used_in_every_way_is_found_nowhere() {
    let server = Guarded::by(KEY).expect("a port to listen at");
    let mut window = Start::new("en").without_keyring().set("SILTSTONE_LOG", "trace").window();
    window.paste_key("keys:connect.key", KEY);
    window.at_address("OpenAI-compatible", server.base_url());
    window.control("button", "keys:connect.test").click();
    window.control("button", "keys:place.vault").click();
    for field in ["keys:vault.new", "keys:vault.again"] {
        window.control("textbox", field).type_text(PASSPHRASE);
    }
    window.control("button", "keys:vault.make").click();
    window.use_tested();
    nowhere_on(&window);
    window.just_talk();
    window.say("Are you open?");
    wait("the answer", || window.replies().pop()?.contains(ANSWER).then_some(()));
    window.finished();

    // A server that repeats the key in its complaint.
    server.change_key("another");
    window.say("And now?");
    window.fails_with("key_refused");
    assert!(server.received().iter().all(|it| it.header("authorization").is_some()));
    window.finished();
    nowhere_on(&window);
    window.settings("left").the("switch", &window.word("egress:home")).click();
    window.control("table", "egress:title").first("button").click();
    let request = window.control("dialog", "egress:request");
    wait("what was sent", || request.text().contains("authorization: Bearer $KEY").then_some(()));
    nowhere_on(&window);
    window.keys("Escape");
    window.gone("dialog", &window.word("egress:request"));
    for page in ["general", "models", "network", "spending", "data", "about"] {
        window.settings(page);
        nowhere_on(&window);
    }
    window.dismiss();
    nowhere_in_answers(&window);
    in_no_process();

    let listed = window.silt().ask(&["conversation", "list"]);
    let id = listed["conversations"][0]["id"].as_str().expect("an id").to_owned();
    for form in ["markdown", "json", "jsonl"] {
        let file = window.home().join(format!("export.{form}"));
        let file = file.display().to_string();
        window.silt().ask(&["conversation", "export", &id, "--format", form, "--output", &file]);
    }
    window.close();
    let files = nowhere_beneath(window.home());
    let named = |part: &str| files.iter().any(|file| file.display().to_string().contains(part));
    for part in ["siltstone.db", "vault", "export.jsonl", "logs/", "WebKit"] {
        assert!(named(part), "{part} was looked at: {files:#?}");
    }

    let told = |file: &&PathBuf| {
        let name = file.display().to_string();
        name.contains("logs/") && std::fs::read_to_string(file).is_ok_and(|it| it.contains("TRACE"))
    };
    assert!(files.iter().any(|file| told(&file)), "the log told everything it ever tells");

    server.change_key(KEY);
    window.reopen();
    ask_with_passphrase(&window);
    window.crash();
    assert_eq!(cores_in(window.home()), Vec::<PathBuf>::new(), "memory is kept nowhere");
    let files = nowhere_beneath(window.home());
    assert!(files.iter().any(|file| file.ends_with("siltstone.db-wal")), "{files:#?}");
    if !keeps_cores() {
        eprintln!("not shown: this system keeps the memory of no crashed program where it ran");
    }
    window.reopen();
    wait("the history", || window.replies().pop()?.contains(ANSWER).then_some(()));
}
