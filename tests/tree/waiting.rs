//! How tests wait: for a state that the program names, never for a time. Every other pause in a test stands here with its
//! reason; one more fails, and so does one that is gone. `until` in tests/support is how a state is looked for.
#![expect(clippy::expect_used, reason = "what cannot be read of the sources fails the test")]

use std::collections::BTreeMap;
use std::path::Path;

use super::root;

/// Files, pauses in each, and why.
const PAUSES: &[(&str, usize, &str)] = &[
    (
        "src-tauri/crates/cli/tests/silt/calls.rs",
        1,
        "a program is killed at a random instant of its work",
    ),
    (
        "src-tauri/crates/cli/tests/silt/killed.rs",
        1,
        "a program is killed at a random instant of its work",
    ),
    (
        "src-tauri/crates/secrets/tests/it/keyring/session.rs",
        1,
        "between two looks at a bus: the room has no tokio for `until`",
    ),
    (
        "src-tauri/crates/workspace/tests/it/brain/racing.rs",
        1,
        "a writer is killed at a random instant of its work",
    ),
    (
        "src-tauri/crates/workspace/tests/it/memory/saving.rs",
        2,
        "another program's own rhythm, and between two looks for its text",
    ),
    (
        "src-tauri/crates/workspace/tests/it/snapshots/mod.rs",
        3,
        "the product believes a file's stamp only when it is older than 50 ms",
    ),
    (
        "src-tauri/crates/workspace/tests/it/snapshots/told.rs",
        2,
        "the product believes a file's stamp only when it is older than 50 ms",
    ),
    ("tests/journeys/agents.rs", 1, "on a paused clock: what is heard is looked at, and in vain"),
    ("tests/journeys/backups.rs", 1, "on a paused clock: minutes of the program that pass at once"),
    (
        "tests/journeys/checkpoints.rs",
        1,
        "on a paused clock: minutes of the program that pass at once",
    ),
    (
        "tests/journeys/obeying.rs",
        1,
        "between two looks for calls to refuse, as long as the test goes on",
    ),
    ("tests/journeys/room.rs", 1, "on a paused clock: minutes of the program that pass at once"),
    (
        "tests/support/mcp_everything.mjs",
        1,
        "between two looks for the port of a server that is not ours",
    ),
    ("tests/support/mcp_hostile.py", 2, "a server that never answers is what it is there for"),
    (
        "tests/support/scripted.rs",
        2,
        "a model that waits, for a latch or at the pace a story gives it",
    ),
    ("tests/support/until.rs", 2, "between two looks: this is how everybody else waits"),
    (
        "tests/torture/src/model.rs",
        1,
        "a model at the pace at which parts of an answer reach the disk",
    ),
    (
        "tests/torture/src/rigs/endings.rs",
        2,
        "a program is ended, or put to sleep, at a random instant",
    ),
    (
        "tests/torture/src/rigs/keyring/scene.rs",
        1,
        "a slow machine, made by stopping and waking a process",
    ),
    (
        "tests/torture/src/rigs/keyring/session.rs",
        1,
        "between two looks at a bus that a rig started",
    ),
    ("tests/torture/src/rigs/streams/server.rs", 1, "a server that pauses is one of the faults"),
    (
        "tests/window/stories/reviving.rs",
        1,
        "what ends again within a second counts as ending always: a rule of the program",
    ),
    ("tests/window/support/found.rs", 2, "between two looks at the page from outside of it"),
    ("tests/window/support/mod.rs", 1, "between two looks at the page from outside of it"),
    (
        "ui/src/features/chat/Composer.test.tsx",
        3,
        "nothing may open: longer than the list of files waits before it asks",
    ),
    (
        "ui/src/features/chat/MessageList.test.tsx",
        1,
        "of no length: the end of the task in which measuring and scrolling are told",
    ),
    (
        "ui/src/test/layout.ts",
        1,
        "scroll events come after the script that scrolled, as in a browser",
    ),
];

/// What a pause looks like, by the ending of a file.
const MARKS: [(&str, &[&str]); 5] = [
    ("rs", &["sleep("]),
    ("py", &["sleep("]),
    ("ts", &["setTimeout("]),
    ("tsx", &["setTimeout("]),
    ("mjs", &["setTimeout("]),
];

/// Measuring takes its time, and an hour of work is an hour.
const NOT_TESTS: [&str; 2] = ["tests/bench/", "tests/window/soak.rs"];

#[test]
fn every_pause_in_a_test_is_listed_with_its_reason() {
    let mut found = BTreeMap::new();
    for folder in ["tests", "src-tauri", "ui/src"] {
        pauses(&root().join(folder), folder, &mut found);
    }
    let listed: BTreeMap<String, usize> =
        PAUSES.iter().map(|(file, many, _)| ((*file).to_owned(), *many)).collect();
    assert_eq!(found, listed);
    assert!(PAUSES.iter().all(|(_, _, why)| why.len() > 20), "a reason says something");
}

fn pauses(folder: &Path, name: &str, into: &mut BTreeMap<String, usize>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let entry = entry.expect("an entry");
        let file = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{name}/{file}");
        if entry.file_type().expect("its kind").is_dir() {
            if !["node_modules", "target"].contains(&file.as_str()) {
                pauses(&entry.path(), &path, into);
            }
            continue;
        }
        let of_tests = path.starts_with("tests/")
            || path.contains("/tests/")
            || path.contains("/test/")
            || file.contains(".test.");
        let ending = file.rsplit('.').next().unwrap_or_default();
        let marks = MARKS.iter().find(|(of, _)| *of == ending).map(|(_, marks)| *marks);
        let Some(marks) = marks.filter(|_| of_tests) else { continue };
        if path == "tests/tree/waiting.rs" || NOT_TESTS.iter().any(|it| path.starts_with(it)) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a source file");
        let many = marks.iter().map(|mark| text.matches(mark).count()).sum();
        if many > 0 {
            into.insert(path, many);
        }
    }
}
