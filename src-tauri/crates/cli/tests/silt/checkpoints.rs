//! `silt checkpoint`: the whole way of one.

use serde_json::json;

use crate::desk::Desk;

/// behaviour.md, Checkpoints: save, load, list and delete; "프로그래매틱 API": made and restored by its tag.
#[test]
fn a_checkpoint_is_made_compared_planned_restored_and_undone() {
    let desk = Desk::trusted();
    desk.file("a.txt", "one\n");
    let made = desk.json(&["checkpoint", "create", "--tag", "works"]);
    assert_eq!((&made["tag"], &made["reason"]["code"]), (&json!("works"), &json!("manual")));
    desk.file("a.txt", "two\n");
    let diff = desk.json(&["checkpoint", "diff", "works"]);
    assert_eq!(
        diff["files"],
        json!([{"path": "a.txt", "kind": "modified", "before": 4, "after": 4}])
    );
    let lines = desk.silt(&["checkpoint", "diff", "works", "--file", "a.txt"]).out;
    assert!(lines.contains("-one\n") && lines.contains("+two\n"), "{lines}");

    let plan = desk.json(&["checkpoint", "plan", "works", "--parts", "files"]);
    assert_eq!(plan["files"][0]["action"], "conflict");
    let plan = plan["plan_id"].as_str().unwrap();
    let done = desk.json(&["checkpoint", "restore", plan, "--overwrite", "0"]);
    assert_eq!((&done["done"], &done["failed"]), (&json!(1), &json!([])));
    let read = || std::fs::read_to_string(desk.project.path().join("a.txt")).unwrap();
    assert_eq!(read(), "one\n");
    desk.json(&["checkpoint", "undo"]);
    assert_eq!(read(), "two\n");

    desk.json(&["checkpoint", "tag", "works", "worked"]);
    desk.json(&["checkpoint", "pin", "worked"]);
    let shown = desk.json(&["checkpoint", "show", "worked"]);
    assert_eq!(shown["item"]["pinned"], true);
    let list = desk.json(&["checkpoint", "list"]);
    let reasons: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["reason"]["code"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["before_restore", "before_restore", "manual"]);
    let dry = desk.json(&["checkpoint", "clean", "--count", "1", "--dry-run"]);
    assert_eq!(dry["gone"].as_array().unwrap().len(), 1, "the pinned and the newest one stay");
    desk.json(&["checkpoint", "delete", "worked", "--yes"]);
    assert_eq!(desk.silt(&["checkpoint", "show", "worked"]).code, Some(1));
    assert_eq!(desk.json(&["checkpoint", "verify"]), json!({"damaged": [], "repaired": 0}));
}

/// In one step nothing that somebody changed since is replaced, however often; what stayed is named.
#[test]
fn a_checkpoint_is_restored_in_one_step_by_its_name_and_what_stayed_is_named() {
    let desk = Desk::trusted();
    let read = |name: &str| std::fs::read_to_string(desk.project.path().join(name)).unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        desk.file(name, "one\ntwo\nthree\n");
    }
    desk.json(&["checkpoint", "create", "--tag", "then"]);
    desk.file("a.txt", "one\ntwo\nthree\nmine\n");
    desk.file("b.txt", "other\n");
    desk.file("new.txt", "new\n");
    std::fs::remove_file(desk.project.path().join("c.txt")).unwrap();
    for done in [1, 0] {
        let said = desk.json(&["checkpoint", "restore", "then", "--parts", "files"]);
        assert_eq!((&said["done"], &said["kept"]), (&json!(done), &json!(3)));
        let kept = json!([
            {"path": "a.txt", "why": "changed_outside"},
            {"path": "b.txt", "why": "changed_outside"},
            {"path": "new.txt", "why": "not_ours"},
        ]);
        assert_eq!(said["kept_files"], kept);
        assert_eq!(read("b.txt"), "other\n");
    }
    let said = desk.silt(&["checkpoint", "restore", "then"]).out;
    assert!(said.contains("=  a.txt  changed since\n"), "{said}");
    assert!(said.contains("=  new.txt  was not there then\n"), "{said}");

    // One by its path, and the rest together.
    let said = desk.json(&["checkpoint", "restore", "then", "--overwrite", "b.txt"]);
    assert_eq!(said["done"], 1);
    assert_eq!(
        (read("a.txt").as_str(), read("b.txt").as_str()),
        ("one\ntwo\nthree\nmine\n", "one\ntwo\nthree\n")
    );
    assert_eq!(desk.silt(&["checkpoint", "restore", "then", "--keep", "0"]).code, Some(1));
    desk.json(&["checkpoint", "restore", "then", "--all", "merge"]);
    assert_eq!(read("a.txt"), "one\ntwo\nthree\nmine\n", "both fit together");
    desk.json(&["checkpoint", "restore", "then", "--all", "as-it-was"]);
    assert_eq!(read("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(read("new.txt"), "new\n");
    let plan = desk.json(&["checkpoint", "plan", "then"]);
    let both = ["checkpoint", "restore", plan["plan_id"].as_str().unwrap(), "--all", "merge"];
    assert_eq!(desk.silt(&both).code, Some(2));
}
