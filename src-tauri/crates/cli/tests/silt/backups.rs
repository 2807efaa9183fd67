//! Backups as a script uses them: made, listed, looked at, gone back to, and still there when nothing else opens.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::desk::{Desk, conversation_of};

fn list(desk: &Desk) -> Vec<Value> {
    desk.json(&["backup", "list"])["backups"].as_array().unwrap().clone()
}

fn titles(desk: &Desk) -> Vec<String> {
    let all = desk.json(&["conversation", "list", "--all"]);
    let all = all["conversations"].as_array().unwrap().iter();
    all.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_backup_is_gone_back_to_and_that_is_undone_by_the_one_made_before() {
    let desk = Desk::new();
    let first = conversation_of(&desk.chat(&["What is the first question?"]));
    let made = desk.json(&["backup", "create"]);
    let name = made["name"].as_str().unwrap().to_owned();
    assert_eq!(made["holds"]["messages"], 2);
    desk.chat(&["--conversation", &first, "And the second?"]);
    desk.chat(&["A conversation of its own?"]);
    let before = titles(&desk);
    assert_eq!(before.len(), 2);

    let plan = desk.json(&["backup", "restore", &name]);
    assert_eq!(plan["present"]["messages"], 6);
    assert_eq!(plan["going_count"], 2);
    assert_eq!(titles(&desk), before, "a plan changes nothing");

    desk.json(&["backup", "restore", &name, "--yes"]);
    assert_eq!(titles(&desk).len(), 1);
    let kept = list(&desk).into_iter().find(|it| it["kind"]["why"] == "restore").unwrap();
    assert_eq!(kept["holds"]["messages"], 6, "what was there is kept");
    desk.json(&["backup", "restore", kept["name"].as_str().unwrap(), "--yes"]);
    assert_eq!(titles(&desk), before);
    assert_eq!(desk.silt(&["backup", "restore", "../siltstone.db", "--yes"]).code, Some(1));
    assert_eq!(titles(&desk), before);

    // The list needs no database that opens, and neither does the way back.
    fs::write(desk.data.path().join("siltstone.db"), "ruined").unwrap();
    assert_eq!(desk.silt(&["conversation", "list"]).code, Some(1));
    assert!(list(&desk).len() >= 3);
    desk.json(&["backup", "restore", &name, "--yes"]);
    assert_eq!(titles(&desk).len(), 1);
    assert!(desk.silt(&["--lang=ko", "backup", "list"]).out.contains("대화"));
}

#[test]
fn a_purge_says_what_it_does_not_reach_and_takes_backups_along() {
    let desk = Desk::new();
    let [first, second] = ["What is the first question?", "And the second one?"]
        .map(|asked| conversation_of(&desk.chat(&[asked])));
    let made = desk.json(&["backup", "create"]);
    let refused = desk.silt(&["conversation", "purge", &first]);
    assert_eq!(refused.code, Some(1), "it is not in the trash");
    for id in [&first, &second] {
        desk.json(&["conversation", "delete", id]);
    }
    let purged = desk.json(&["conversation", "purge", &first]);
    assert_eq!(purged["purged"], first.as_str());
    let names = |value: &Value| -> Vec<String> {
        let backups = value["left"]["backups"].as_array().unwrap().iter();
        backups.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&purged).contains(&made["name"].as_str().unwrap().to_owned()));
    let purged = desk.json(&["conversation", "purge", &second, "--backups"]);
    assert_eq!(names(&purged), [""; 0]);
    assert!(list(&desk).iter().all(|it| it["name"] != made["name"]));
    assert_eq!(desk.silt(&["conversation", "purge", &second]).code, Some(1), "it is gone");
}

/// One short call after the other: each would begin the backup of the day, and none would make it.
#[test]
fn a_short_call_makes_the_backup_of_the_day_and_leaves_the_database_closed() {
    let desk = Desk::new();
    desk.chat(&[&"Which heron stands in the reeds? ".repeat(3_000)]);
    let names = |folder: &Path| -> Vec<String> {
        let all = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
        all.map(|name| name.into_string().unwrap()).collect()
    };
    let backups = desk.data.path().join("backups");
    for round in 0..10 {
        fs::remove_dir_all(&backups).unwrap();
        desk.json(&["conversation", "list"]);
        let made = names(&backups);
        assert!(matches!(&made[..], [one] if one.ends_with(".db")), "{round}: {made:?}");
        let left = names(desk.data.path()).into_iter().find(|name| name.ends_with("-wal"));
        assert_eq!(left, None, "{round}");
    }
}
