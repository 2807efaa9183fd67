//! The committed bindings and permissions are what the table says. `UPDATE=1` renews them (`make bindings`).

#![expect(clippy::unwrap_used, reason = "a test's helpers are outside of its #[test] functions")]

use super::root;
use siltstone_contract::bindings;

fn fresh(path: &str, expected: &str) {
    let file = root().join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, expected).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{path} is stale: run `make bindings`");
}

#[test]
fn typescript_bindings_are_fresh() {
    fresh("ui/src/ipc/bindings.ts", &bindings::typescript());
}

#[test]
fn the_main_window_may_call_every_command_and_no_other() {
    let mut expected = String::from(
        "# Written from the table of commands; `make bindings` renews it. Do not edit.\n\n[[permission]]\n\
         identifier = \"main-window\"\ndescription = \"Every command of the table, for the main window alone.\"\n\
         commands.allow = [\n",
    );
    for command in bindings::COMMANDS {
        expected.push_str(&format!("  \"{command}\",\n"));
    }
    expected.push_str("]\n");
    fresh("src-tauri/permissions/main-window.toml", &expected);
}
