//! `silt checkpoint`: the whole way of one, and a process that is killed at any instant.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;

/// Instants at which a process is killed.
const KILLS: u32 = 20;

/// Files of the project that is worked on meanwhile.
const FILES: usize = 40;

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
    desk.json(&["checkpoint", "delete", "worked"]);
    assert_eq!(desk.silt(&["checkpoint", "show", "worked"]).code, Some(1));
    assert_eq!(desk.json(&["checkpoint", "verify"]), json!({"damaged": [], "repaired": 0}));
}

#[test]
fn killed_at_any_instant_every_finished_checkpoint_is_whole_and_every_restore_can_be_finished() {
    let desk = Desk::trusted();
    let fill = |round: u32| {
        for index in 0..FILES {
            desk.file(&format!("src/file{index}.txt"), &format!("{round} of {index}\n").repeat(50));
        }
    };
    let holds = |round: u32| {
        (0..FILES).all(|index| {
            let path = desk.project.path().join(format!("src/file{index}.txt"));
            std::fs::read_to_string(path).unwrap() == format!("{round} of {index}\n").repeat(50)
        })
    };
    fill(0);
    desk.json(&["checkpoint", "create", "--tag", "round 0"]);
    let start = Instant::now();
    fill(1);
    desk.json(&["checkpoint", "create", "--tag", "round 1"]);
    let whole = start.elapsed();
    for kill in 0..KILLS {
        // Spread over the whole run, in an order that no pattern of the disk follows.
        let after = whole * ((kill * 7) % KILLS) / KILLS;
        let (of, now) = (kill % 2, (kill + 1) % 2);
        match kill % 4 {
            0 => {
                fill(100 + kill);
                killed(&desk, &["checkpoint", "create"], after);
                fill(1);
                desk.json(&["checkpoint", "create"]);
            }
            1 => killed(&desk, &["checkpoint", "clean", "--count", "3"], after),
            _ => {
                // Everything the plan writes over is kept in a checkpoint.
                fill(now);
                desk.json(&["checkpoint", "create"]);
                let plan =
                    desk.json(&["checkpoint", "plan", &format!("round {of}"), "--parts", "files"]);
                let plan = plan["plan_id"].as_str().unwrap();
                killed(&desk, &["checkpoint", "restore", plan], after);
                let cut_off = desk.json(&["checkpoint", "list"])["unfinished"].clone();
                if kill % 4 == 2 {
                    // One that was not begun, or is done, needs nothing.
                    for plan in cut_off.as_array().unwrap() {
                        desk.json(&["checkpoint", "restore", plan["plan_id"].as_str().unwrap()]);
                        assert!(holds(of), "finished after {after:?}");
                    }
                } else if cut_off != json!([]) {
                    desk.json(&["checkpoint", "undo"]);
                    assert!(holds(now), "undone after {after:?}");
                }
            }
        }
        let verified = desk.json(&["checkpoint", "verify"]);
        assert_eq!(verified["damaged"], json!([]), "killed after {after:?}");
    }
    let plan = desk.json(&["checkpoint", "plan", "round 1", "--parts", "files"]);
    let choices: Vec<String> = conflicts(&plan);
    let mut restore = vec!["checkpoint", "restore", plan["plan_id"].as_str().unwrap()];
    restore.extend(choices.iter().flat_map(|index| ["--overwrite", index.as_str()]));
    desk.json(&restore);
    assert!(holds(1));
    let names = std::fs::read_dir(desk.project.path().join("src")).unwrap();
    assert_eq!(names.count(), FILES, "nothing is left behind");
}

/// The numbers of the files that somebody changed.
fn conflicts(plan: &Value) -> Vec<String> {
    let files = plan["files"].as_array().unwrap();
    let conflicts = files.iter().filter(|file| file["action"] == "conflict");
    conflicts.map(|file| file["index"].to_string()).collect()
}

/// Starts a call and kills it after this time, unless it is over by then.
fn killed(desk: &Desk, args: &[&str], after: Duration) {
    let mut command = desk.command(args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let _ = child.kill();
    child.wait().unwrap();
}
