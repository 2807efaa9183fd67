//! Checkpoints that go from one computer to another: as a locked file, and over a remote.

use serde_json::{Value, json};

use crate::desk::Desk;

const PASSPHRASE: &str = "correct horse battery\n";

/// Makes the files what they were at a checkpoint.
fn restore(desk: &Desk, id: &Value) {
    let plan = desk.json(&["checkpoint", "plan", id.as_str().unwrap(), "--parts", "files"]);
    let done = desk.json(&["checkpoint", "restore", plan["plan_id"].as_str().unwrap()]);
    assert_eq!(done["failed"], json!([]));
}

#[test]
fn a_checkpoint_goes_to_another_computer_in_a_file_and_over_a_remote() {
    let (here, there) = (Desk::trusted(), Desk::trusted());
    let path = |desk: &Desk, name: &str| desk.data.path().join(name).to_str().unwrap().to_owned();
    let (file, lock, wrong) = (path(&here, "one.sil"), path(&here, "lock"), path(&here, "wrong"));
    std::fs::write(&lock, PASSPHRASE).unwrap();
    std::fs::write(&wrong, "another horse\n").unwrap();
    let read = |desk: &Desk, name: &str| std::fs::read(desk.project.path().join(name)).unwrap();
    here.file("src/가.rs", "fn carried() {}\n");
    let made = here.json(&["checkpoint", "create", "--tag", "works"]);

    // As a file, which nobody reads without its passphrase and which never replaces another.
    here.json(&["checkpoint", "export", "works", &file, "--lock", &lock]);
    let bytes = std::fs::read(&file).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"carried"), "it is locked");
    assert_eq!(here.silt(&["checkpoint", "export", "works", &file]).code, Some(1));
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    for (unlock, code) in [(None, "passphrase_needed"), (Some(&wrong), "wrong_passphrase")] {
        let unlock = unlock.map(|wrong| ["--unlock", wrong]);
        let unlock = unlock.as_ref().map_or(&[][..], |words| words);
        let refused = there.silt(&[&["--json", "checkpoint", "import", &file], unlock].concat());
        let error: Value = serde_json::from_str(&refused.out).unwrap();
        assert_eq!((refused.code, &error["error"]["code"]), (Some(1), &json!(code)));
    }
    let imported = there.json(&["checkpoint", "import", &file, "--unlock", &lock])["item"].clone();
    assert_eq!((&imported["tag"], &imported["pinned"]), (&json!("works"), &json!(true)));
    restore(&there, &imported["id"]);
    assert_eq!(read(&there, "src/가.rs"), b"fn carried() {}\n");

    // Over a folder that both see.
    let place = tempfile::TempDir::new().unwrap();
    let place = place.path().to_str().unwrap();
    let on = |desk: &Desk, args: &[&str]| {
        desk.json(&[&["--passphrase-file", &lock, "checkpoint"], args].concat())
    };
    for desk in [&here, &there] {
        on(desk, &["remote", "add", "disk", "folder", place, "--open", &lock, "--keep", "vault"]);
    }
    let pushed = on(&here, &["push", "disk"]);
    assert_eq!((&pushed["done"], &pushed["known"]), (&json!([made["id"]]), &json!(0)));
    let listed = on(&there, &["remote", "show", "disk"]);
    assert_eq!((&listed[0]["item"]["tag"], &listed[0]["here"]), (&json!("works"), &json!(false)));
    assert_eq!(on(&there, &["pull", "disk"])["done"], pushed["done"]);
    let again = on(&there, &["pull", "disk"]);
    assert_eq!((&again["done"], &again["known"]), (&json!([]), &json!(1)));
    there.file("src/가.rs", "fn changed() {}\n");
    there.json(&["checkpoint", "create"]);
    let plan =
        there.json(&["checkpoint", "plan", made["id"].as_str().unwrap(), "--parts", "files"]);
    assert_eq!(plan["files"][0]["path"], "src/가.rs");
    assert_eq!(there.json(&["checkpoint", "show", "works (2)"])["item"]["id"], made["id"]);
    on(&there, &["remote", "remove", "disk"]);
    assert_eq!(there.json(&["checkpoint", "remote", "list"]), json!([]));
    assert_eq!(there.json(&["checkpoint", "verify"])["damaged"], json!([]));
}
