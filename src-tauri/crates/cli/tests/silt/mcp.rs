//! MCP servers from the command line: added, shown, trusted, asked, removed.

use serde_json::{Value, json};
use siltstone_test_servers::until::until_now;
use siltstone_test_servers::{mcp_everything_command, mcp_hostile};

use crate::desk::{Desk, conversation_of, fed, said};

fn add<'a>(name: &'a str, options: &[&'a str], command: &'a (String, Vec<String>)) -> Vec<&'a str> {
    let words = [command.0.as_str()].into_iter().chain(command.1.iter().map(String::as_str));
    ["mcp", "add", name]
        .into_iter()
        .chain(options.iter().copied())
        .chain(["--"])
        .chain(words)
        .collect()
}

#[test]
fn a_server_is_added_tested_trusted_and_removed() {
    let desk = Desk::trusted();
    let command = mcp_everything_command().unwrap();
    let added = desk.json(&add("every", &["--env", "MODE=a=b"], &command));
    assert_eq!(added["trusted"], false);
    assert_eq!(added["server"]["transport"]["env"], json!({"MODE": "a=b"}));
    assert!(!added["server"]["project_id"].is_null());

    // What runs is said before it runs, whole.
    let tested = desk.silt(&["mcp", "test", "every"]);
    assert_eq!(tested.code, Some(0), "{}", tested.err);
    assert!(tested.err.contains("MODE=\"a=b\" \"node\" \"") && tested.err.contains("\"stdio\""));
    let first = tested.out.lines().next().unwrap();
    assert!(tested.out.lines().any(|line| line.starts_with("  echo  ")), "{}", tested.out);
    let tested = desk.json(&["mcp", "test", "every"]);
    assert!(first.ends_with(tested["fingerprint"].as_str().unwrap()), "{first}");
    assert_eq!(tested["instructions_hash"].as_str().unwrap().len(), 64);

    let wrong = desk.silt(&["mcp", "trust", "every", "--fingerprint", &"0".repeat(64)]);
    assert_eq!(wrong.code, Some(1));
    assert_eq!(desk.json(&["mcp", "list"])[0]["trusted"], false);
    let fingerprint = tested["fingerprint"].as_str().unwrap();
    let trusted = desk.json(&["mcp", "trust", "every", "--fingerprint", fingerprint]);
    assert_eq!(trusted["trusted"], true);
    let changed = desk.json(&add("every", &[], &command));
    assert_eq!(changed["trusted"], false, "it is another one now");

    // One of all projects has the same name, and is another one.
    desk.json(&add("every", &["--all", "--off"], &command));
    desk.json(&["mcp", "trust", "every", "--all"]);
    let all = desk.json(&["mcp", "list"]);
    let states: Vec<(bool, &Value)> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["server"]["project_id"].is_null(), &item["trusted"]))
        .collect();
    assert_eq!(states.len(), 2);
    assert!(states.contains(&(true, &json!(true))) && states.contains(&(false, &json!(false))));
    let listed = desk.silt(&["--lang", "ko", "mcp", "list"]).out;
    assert!(listed.contains("every  모든 프로젝트  꺼짐  "), "{listed}");
    assert!(listed.contains("every  이 프로젝트  아직 믿지 않음  "), "{listed}");

    desk.json(&["mcp", "remove", "every"]);
    let left = desk.json(&["mcp", "list"]);
    assert!(left.as_array().unwrap().len() == 1 && left[0]["server"]["project_id"].is_null());
    desk.json(&["mcp", "remove", "every", "--all"]);
    let gone = desk.silt(&["--json", "mcp", "test", "every"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.out.contains("not_found"), "{}", gone.out);
}

#[test]
fn a_server_that_fails_is_told_in_its_own_words() {
    let desk = Desk::new();
    let command = mcp_hostile("crash", desk.data.path()).unwrap();
    let missing = desk.silt(&add("bad", &[], &command));
    assert!(missing.code == Some(1) && missing.err.contains("--all"), "{}", missing.err);
    desk.json(&add("bad", &["--all"], &command));
    let failed = desk.silt(&["--json", "mcp", "test", "bad"]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.out.contains("mcp_unreachable"), "{}", failed.out);
    assert!(failed.out.contains("no module named nothing"), "{}", failed.out);
    let korean = desk.silt(&["--lang", "ko", "mcp", "test", "bad"]).err;
    assert!(korean.contains("도구 서버를 시작하거나 연결할 수 없습니다"), "{korean}");
}

#[test]
fn a_secret_is_read_from_stdin_and_kept_with_the_keys() {
    const CANARY: &str = "canary-Zq7Lw2Vx9Tn4";
    let desk = Desk::trusted();
    desk.file("passphrase", "a long passphrase");
    let vault = ["--passphrase-file", "passphrase", "--json"];
    let command = mcp_hostile("secret", desk.data.path()).unwrap();
    let added = desk.json(&add("keyed", &["--secret", "SERVER_KEY"], &command));
    assert_eq!(added["missing_secrets"], json!(["SERVER_KEY"]));
    // For one call alone it would be lost.
    let mut nowhere = desk.command(&["--json", "mcp", "secret", "keyed", "SERVER_KEY"]);
    nowhere.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    let refused = fed(nowhere, CANARY.as_bytes());
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.out.contains("keyring_absent"), "{}", refused.out);
    assert!(refused.err.contains("--passphrase-file"), "{}", refused.err);
    assert_eq!(desk.json(&["mcp", "list"])[0]["missing_secrets"], json!(["SERVER_KEY"]));
    let secret = [&vault[..], &["mcp", "secret", "keyed", "SERVER_KEY"]].concat();
    let kept = desk.feed(&secret, format!("{CANARY}\n").as_bytes());
    assert_eq!(kept.code, Some(0), "{}", kept.err);
    assert_eq!(desk.json(&["mcp", "list"])[0]["missing_secrets"], json!([]));
    let asked = [&vault[..], &["mcp", "test", "keyed"]].concat();
    // Not even where everything is traced.
    let tested = desk.command(&asked).env("SILTSTONE_LOG", "trace").output().unwrap();
    let tested = said(tested);
    assert!(tested.err.contains("TRACE") || tested.err.contains("DEBUG"), "{}", tested.err);
    assert!(tested.out.contains("The key is [secret]"), "{}{}", tested.out, tested.err);
    assert!(!format!("{}{}", tested.out, tested.err).contains(CANARY));
}

#[test]
fn a_resource_is_listed_shown_kept_by_its_hash_and_shown_as_changed() {
    let desk = Desk::trusted();
    // Beside the project: a file of it that is named would be a part of the server.
    let beside = tempfile::tempdir().unwrap();
    let tables = beside.path().join("tables.txt");
    std::fs::write(&tables, "orders(id)\n").unwrap();
    let command = mcp_hostile("resources", &tables).unwrap();
    desk.json(&add("notes", &["--read", beside.path().to_str().unwrap()], &command));
    let id = conversation_of(&desk.chat(&["hello"]));
    let at = |words: &[&str]| desk.silt(&[words, &["--conversation", &id]].concat());
    let resources = at(&["memory", "resources"]);
    assert_eq!((resources.code, resources.out.as_str()), (Some(0), ""));
    assert!(resources.err.contains("No trusted server"), "{}", resources.err);
    desk.json(&["mcp", "trust", "notes"]);

    let listed = at(&["memory", "resources"]).out;
    assert_eq!(listed, "notes  notes://tables  Tables\nnotes  notes://picture  Picture\n");
    let shown = at(&["memory", "resource", "notes", "notes://tables"]);
    assert_eq!(shown.out, "orders(id)\n");
    let hash = shown.err.split_whitespace().last().unwrap().to_owned();
    let keep = |hash: &str| at(&["memory", "resource", "notes", "notes://tables", "--keep", hash]);
    assert_eq!(keep(&"0".repeat(64)).code, Some(1));
    let kept = keep(&hash);
    assert_eq!(kept.out, "session  mcp  mcp:notes/notes://tables  orders(id)\n", "{}", kept.err);

    std::fs::write(&tables, "orders(id, total)\n").unwrap();
    let korean = at(&["--lang", "ko", "memory", "resources"]).out;
    assert!(korean.contains("notes://tables  Tables  바뀜"), "{korean}");
    let now = at(&["memory", "resource", "notes", "notes://tables"]);
    assert!(now.err.contains("Changed since it was kept"), "{}", now.err);
    assert!(now.out.contains("-orders(id)\n+orders(id, total)"), "{}", now.out);
    assert_eq!(keep(&hash).code, Some(1), "the old yes is none to the new text");
    let listed = at(&["memory", "list"]).out;
    assert!(listed.contains("mcp:notes/notes://tables  orders(id)\n"), "{listed}");
    let gone = at(&["memory", "resource", "nobody", "notes://tables"]);
    assert_eq!(gone.code, Some(1), "{}", gone.out);
}

#[test]
fn wrong_calls_are_named() {
    let desk = Desk::trusted();
    for wrong in [
        &["mcp", "add", "x"][..],
        &["mcp", "add", "x", "--url", "https://a.example", "--", "npx"],
        &["mcp", "add", "x", "--env", "NOVALUE", "--", "npx"],
        &["mcp", "add", "x", "--url", "https://a.example", "--secret", "A", "--secret", "B"],
    ] {
        assert_eq!(desk.silt(wrong).code, Some(2), "{wrong:?}");
    }
    let plain = desk.silt(&["--json", "mcp", "add", "x", "--url", "http://a.example"]);
    assert!(plain.code == Some(1) && plain.out.contains("provider_insecure"), "{}", plain.out);
    desk.file(".mcp.json", r#"{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-git"]}}}"#);
    let found = desk.silt(&["mcp", "found"]);
    assert_eq!(found.out, ".mcp.json  git  \"uvx\" \"mcp-git\"\n");
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_of_a_server_outlives_the_call() {
    let desk = Desk::trusted();
    let beside = desk.project.path().join("beside");
    let command = mcp_hostile("family", &beside).unwrap();
    desk.json(&add("family", &[], &command));
    for trusted in [false, true] {
        if trusted {
            desk.json(&["mcp", "trust", "family"]);
        }
        assert_eq!(desk.silt(&["mcp", "test", "family"]).code, Some(0));
        // Its child holds the file as long as it lives; it was told to end, and the system takes a moment.
        let file = std::fs::File::open(&beside).unwrap();
        until_now(&format!("it to end, trusted: {trusted}"), || file.try_lock().is_ok());
    }
}
