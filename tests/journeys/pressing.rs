//! How often a checkpoint presses something onto the disk: what is promised to survive a power cut is pressed once, and
//! nothing else is. The system counts it.

use std::fs;
use std::process::Command;

use siltstone_contract::CreateCheckpoint;
use siltstone_engine::project::Trust;

use crate::world::{Journey, write};

/// Files whose opening tells in the trace where the capture begins and ends.
const FOLDER: &str = "data folder: ";
const BEGINS: &str = "the-capture-begins";
const ENDS: &str = "the-capture-ends";

/// A capture of three changed files that the system told of: their bytes in a pack once, and the rows that name them once.
#[test]
fn a_told_capture_of_three_files_presses_its_pack_and_its_rows_and_nothing_else() {
    let traces = Command::new("strace").args(["-f", "--seccomp-bpf", "true"]).output();
    if !traces.is_ok_and(|done| done.status.success()) {
        println!("skipped: strace is missing or may not trace");
        return;
    }
    let trace = tempfile::NamedTempFile::new().unwrap();
    let calls = "trace=fsync,fdatasync,sync_file_range,syncfs,sync,msync,openat";
    let done = Command::new("strace")
        .args(["-f", "-y", "--seccomp-bpf", "-e", calls, "-o"])
        .arg(trace.path())
        .arg(std::env::current_exe().unwrap())
        .args(["pressing::captures_what_was_told", "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let trace = fs::read_to_string(trace.path()).unwrap();
    let (_, rest) = trace.split_once(BEGINS).unwrap();
    let (during, _) = rest.split_once(ENDS).unwrap();
    // SQLite presses the folder of a database once, after its first log; whoever wrote that did so before the capture.
    let folder = said.lines().find_map(|line| line.split_once(FOLDER)).unwrap().1;
    let folder = format!("<{folder}>");
    let pressed: Vec<&str> = during
        .lines()
        .filter(|line| !line.contains(&folder))
        .filter(|line| line.contains("sync") && !line.contains("openat"))
        .filter(|line| !line.contains("resumed>"))
        .collect();
    println!("{}", pressed.join("\n"));
    let [pack, rows] = pressed[..] else { panic!("{pressed:#?}") };
    assert!(pack.contains("fdatasync") && pack.contains(".pack>"), "{pack}");
    assert!(rows.contains("checkpoints.db-wal>"), "{rows}");
}

#[tokio::test]
#[ignore = "a part of the one above, which runs it under strace"]
async fn captures_what_was_told() {
    let journey = Journey::offline();
    let project_id = journey.open(Trust::Trusted).await;
    tokio::spawn(journey.app.watch_other_processes());
    let create = || CreateCheckpoint { project_id, conversation_id: None, tag: None };
    let app = &journey.app;
    let change = |text: &str| {
        for name in ["a.txt", "b/c.txt", "b/d.txt"] {
            write(&journey.project, name, &format!("{text} {name}\n"));
        }
    };
    // One that looks at everything, and one that was told, after which the pack is there and the folder is known.
    for text in ["one", "two"] {
        change(text);
        app.checkpoint_create(create()).await.unwrap();
    }
    change("three");
    println!("{FOLDER}{}", journey.data.path().display());
    let _ = fs::File::open(journey.data.path().join(BEGINS));
    let made = app.checkpoint_create(create()).await.unwrap();
    let _ = fs::File::open(journey.data.path().join(ENDS));
    assert_eq!(made.changed, 3);
}
