//! A damaged database through `silt` (safety.md, R12): looked at, salvaged with and without a backup, and kept.

use std::fs;
use std::path::Path;

use crate::desk::{Desk, conversation_of};

const PAGE: usize = 4096;

/// Fills with noise every page of the database that says `text`, of the kind that holds rows; how many there were.
fn spoil(path: &Path, text: &str) -> usize {
    let mut bytes = fs::read(path).unwrap();
    let mut spoiled = 0;
    for page in bytes.chunks_mut(PAGE) {
        if page[0] == 13 && page.windows(text.len()).any(|at| at == text.as_bytes()) {
            page.fill(0xa5);
            spoiled += 1;
        }
    }
    fs::write(path, bytes).unwrap();
    spoiled
}

/// A row that reads wrong in a database that opens: what is known of it is told, and it is salvaged.
#[test]
fn a_message_that_cannot_be_read_is_salvaged_out_of_a_database_that_opens() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["Which heron stands in the reeds?"]));
    let other = conversation_of(&desk.chat(&["Where does the kingfisher dive?"]));
    let path = desk.data.path().join("siltstone.db");
    assert_eq!(desk.silt(&["backup", "salvage"]).code, Some(1), "it needs no repair");
    let mut bytes = fs::read(&path).unwrap();
    let text = br#""text":"Which heron"#;
    let found = bytes.windows(text.len()).position(|at| at == text).unwrap();
    let parts = bytes[..found].iter().rposition(|byte| *byte == b'[').unwrap();
    bytes[parts] ^= 1;
    fs::write(&path, &bytes).unwrap();

    let refused = desk.silt(&["conversation", "show", &id]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("silt backup salvage"), "{}", refused.err);
    assert_eq!(desk.silt(&["conversation", "show", &other]).code, Some(0), "the rest is used");
    let plan = desk.json(&["backup", "salvage"]);
    assert_eq!(plan["alone"]["lost_messages"], 1, "{plan}");
    let done = desk.json(&["backup", "salvage", "--yes"]);
    let kept = Path::new(done["kept"].as_str().unwrap());
    assert!(kept.join("siltstone.db").is_file() && kept.join("rows.jsonl").is_file());
    let shown = desk.silt(&["conversation", "show", &id]);
    assert!(shown.out.contains("could not be read"), "{}{}", shown.out, shown.err);
    assert_eq!(desk.silt(&["backup", "salvage", "--yes"]).code, Some(1), "it needs no repair");
}

#[test]
fn a_damaged_database_is_salvaged_and_a_backup_adds_what_is_missing() {
    let desk = Desk::new();
    let id = conversation_of(&desk.chat(&["Which heron stands in the reeds?"]));
    let backup = desk.json(&["backup", "create"])["name"].as_str().unwrap().to_owned();
    // So much later that it stands on pages of its own.
    let long = format!("And this is what was said later: {}", "a kingfisher dives. ".repeat(900));
    let later = conversation_of(&desk.chat(&[&long]));
    let path = desk.data.path().join("siltstone.db");
    // Whoever ends while an index is made leaves a journal; the next one brings it into the file.
    let journal = path.with_extension("db-wal");
    let mut whole = (0..100).map(|_| desk.json(&["conversation", "list"]));
    assert!(whole.any(|_| !journal.exists()), "the database has a journal for ever");
    let sound = fs::read(&path).unwrap();
    assert!(spoil(&path, "Which heron stands") > 0);
    let damaged = fs::read(&path).unwrap();
    assert_eq!(desk.silt(&["conversation", "list"]).code, Some(1));

    let plan = desk.json(&["backup", "salvage"]);
    assert_eq!(plan["backup"]["name"], backup.as_str());
    assert!(plan["alone"]["unreadable_pages"].as_u64().unwrap() > 0);
    assert!(plan["alone"]["lost_messages"].as_u64().unwrap() > 0);
    assert_eq!(fs::read(&path).unwrap(), damaged, "a plan changes nothing");
    let told = desk.silt(&["--lang=ko", "backup", "salvage"]);
    assert!(told.out.contains("읽을 수 없는 페이지"), "{}", told.out);
    assert!(desk.silt(&["backup", "salvage", "--with", "absent", "--yes"]).code == Some(1));
    assert_eq!(fs::read(&path).unwrap(), damaged);

    // Alone: what is lost says so where it stood.
    let done = desk.json(&["backup", "salvage", "--yes"]);
    let kept = Path::new(done["kept"].as_str().unwrap());
    assert_eq!(fs::read(kept.join("siltstone.db")).unwrap(), damaged);
    let shown = desk.silt(&["conversation", "show", &id]);
    assert!(shown.out.contains("could not be read"), "{}{}", shown.out, shown.err);
    // What is open needs none.
    assert_eq!(desk.silt(&["backup", "salvage", "--yes"]).code, Some(1));

    // With the backup: as it was.
    for file in ["siltstone.db-wal", "siltstone.db-shm"] {
        let _ = fs::remove_file(desk.data.path().join(file));
    }
    fs::write(&path, &sound).unwrap();
    spoil(&path, "Which heron stands");
    let done = desk.json(&["backup", "salvage", "--with", &backup, "--yes"]);
    let added = |table: &str| {
        let tables = done["tables"].as_array().unwrap();
        let of = tables.iter().find(|it| it["name"] == table);
        of.map_or(0, |it| it["added"].as_u64().unwrap())
    };
    assert!(added("messages") > 0, "{done}");
    let shown = desk.silt(&["conversation", "show", &id]);
    assert!(shown.out.contains("Which heron stands in the reeds?"), "{}", shown.out);
    desk.chat(&["--conversation", &later, "It goes on"]);
    assert_eq!(fs::read_dir(desk.data.path().join("damaged")).unwrap().count(), 2);
}
