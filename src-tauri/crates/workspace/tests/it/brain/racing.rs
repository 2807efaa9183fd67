//! Processes that race for one folder, and processes that die in the middle. The writers are this test program itself,
//! started again.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use siltstone_engine::session::{BrainFile, SessionError, SessionFiles};

use super::{at, files, project};

/// What a writer is told: the project, what it calls itself, and how many writes it makes.
const TOLD: &str = "SILTSTONE_TEST_WRITER";

/// Writes of each of four processes that race; more with `SILTSTONE_TEST_RACES`.
const RACES: u32 = 250;

/// How often a writer is killed.
const KILLS: u32 = 40;

fn writer(test: &str, root: &Path, name: &str, writes: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .env(TOLD, format!("{}\n{name}\n{writes}", at(root)))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn told() -> Option<(String, String, u32)> {
    let told = std::env::var(TOLD).ok()?;
    let mut lines = told.lines().map(str::to_owned);
    Some((lines.next()?, lines.next()?, lines.next()?.parse().ok()?))
}

/// A text that says of itself whether it is whole.
fn document(number: u32) -> Vec<u8> {
    format!("{number}\n{}", format!("{number} ").repeat(9_000)).into_bytes()
}

fn number_of(bytes: &[u8]) -> u32 {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let number = text.lines().next().unwrap().parse().unwrap();
    assert_eq!(bytes, document(number), "write {number} is not whole");
    number
}

#[test]
#[ignore = "is started by the test that kills it"]
fn write_one_after_the_other() {
    let Some((root, _, writes)) = told() else { return };
    let files = files();
    let mut stored = files.read(&root).unwrap().context;
    let mut number = stored.as_ref().map_or(0, |stored| number_of(&stored.bytes));
    while number < writes {
        number += 1;
        let before = stored.as_ref().map(|stored| stored.hash.as_str());
        files.write(&root, BrainFile::Context, &document(number), before).unwrap();
        stored = files.read(&root).unwrap().context;
    }
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_file_or_the_new_one_whole() {
    let temp = project();
    let (mut last, mut start, mut kill) = (0, 20_000, 0);
    while kill < KILLS || last == 0 {
        let mut child =
            writer("it::brain::racing::write_one_after_the_other", temp.path(), "", u32::MAX);
        // At another place of a write each time.
        sleep(Duration::from_micros(start + u64::from(kill) * 7_919 % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let stored = files().read(at(temp.path())).unwrap().context;
        let number = stored.map_or(0, |stored| number_of(&stored.bytes));
        assert!(number >= last, "write {last} was durable, {number} is there");
        if number == last {
            // A busy machine is slow to start a program.
            start += 20_000;
        }
        (last, kill) = (number, kill + 1);
    }
    // What the dead left behind goes with the next write.
    let files = files();
    let hash = files.read(at(temp.path())).unwrap().context.unwrap().hash;
    files.write(at(temp.path()), BrainFile::Context, b"end", Some(&hash)).unwrap();
    let names = std::fs::read_dir(temp.path().join(".ai-brain")).unwrap();
    assert_eq!(names.count(), 1);
}

#[test]
#[ignore = "is started by the test that lets it race"]
fn add_lines() {
    let Some((root, name, writes)) = told() else { return };
    let files = files();
    for number in 0..writes {
        loop {
            let stored = files.read(&root).unwrap().workflow;
            let mut bytes = stored.as_ref().map(|it| it.bytes.clone()).unwrap_or_default();
            bytes.extend(format!("{name} {number}\n").bytes());
            let before = stored.as_ref().map(|stored| stored.hash.as_str());
            match files.write(&root, BrainFile::Workflow, &bytes, before) {
                Ok(_) => break,
                Err(SessionError::Conflict { .. } | SessionError::Busy) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn four_processes_lose_nothing_of_each_other() {
    let writes = std::env::var("SILTSTONE_TEST_RACES").ok().and_then(|it| it.parse().ok());
    let writes = writes.unwrap_or(RACES);
    let temp = project();
    let names = ["a", "b", "c", "d"];
    let mut children =
        names.map(|name| writer("it::brain::racing::add_lines", temp.path(), name, writes));
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let stored = files().read(at(temp.path())).unwrap().workflow.unwrap();
    let text = String::from_utf8(stored.bytes).unwrap();
    for name in names {
        let own: Vec<&str> = text.lines().filter(|line| line.starts_with(name)).collect();
        let expected: Vec<String> = (0..writes).map(|number| format!("{name} {number}")).collect();
        assert_eq!(own, expected);
    }
}
