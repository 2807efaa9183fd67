//! Being told of changes, whatever writes them.

use std::fs;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use siltstone_engine::memory::{MemoryFiles, Watching};

use super::desk::{Desk, quick};

/// It only ends what hangs.
const LONG: Duration = Duration::from_secs(600);

fn watch(desk: &Desk) -> (Receiver<Vec<String>>, Watching) {
    let (tell, told) = mpsc::channel();
    let on_change = Box::new(move |paths| {
        let _ = tell.send(paths);
    });
    let watching = desk.folders.watch(&desk.place(), on_change).unwrap();
    (told, watching)
}

/// Waits until each of these paths was told.
fn expect(told: &Receiver<Vec<String>>, paths: &[&str]) {
    let mut missing: Vec<&str> = paths.to_vec();
    while !missing.is_empty() {
        let some = told.recv_timeout(LONG).unwrap_or_else(|_| panic!("not told of {missing:?}"));
        missing.retain(|path| !some.iter().any(|told| told == path));
    }
}

#[test]
fn each_way_of_writing_is_told() {
    let desk = Desk::new(&[("AGENTS.md", "one"), ("a/b/GEMINI.md", "deep"), ("c/x.txt", "")]);
    desk.put("docs/style.md", b"style");
    let global = desk.put_global(".gemini/GEMINI.md", "global");
    desk.folders.import(&desk.place(), "AGENTS.md", "docs/style.md").unwrap();
    let (told, watching) = watch(&desk);
    assert_eq!(watching, Watching::Notified);

    desk.put("AGENTS.md", b"in place");
    expect(&told, &["AGENTS.md"]);
    desk.put("a/b/.swp", b"by renaming");
    fs::rename(desk.at("a/b/.swp"), desk.at("a/b/GEMINI.md")).unwrap();
    expect(&told, &["a/b/GEMINI.md"]);
    desk.put("docs/style.md", b"imported");
    expect(&told, &["docs/style.md"]);
    fs::write(&global, "everywhere").unwrap();
    expect(&told, &[&global]);
    desk.put("c/.gemini/GEMINI.md", b"new");
    expect(&told, &["c/.gemini/GEMINI.md"]);
    desk.put("c/.gemini/GEMINI.md", b"new, changed");
    expect(&told, &["c/.gemini/GEMINI.md"]);
    fs::remove_dir_all(desk.at("a")).unwrap();
    expect(&told, &["a/b/GEMINI.md"]);
    desk.put("a/b/GEMINI.md", b"made again");
    expect(&told, &["a/b/GEMINI.md"]);
    desk.put("a/b/GEMINI.md", b"and changed");
    expect(&told, &["a/b/GEMINI.md"]);
    desk.put(".gitignore", b"a\n");
    expect(&told, &["a/b/GEMINI.md"]);

    desk.folders.unwatch(desk.place().root.unwrap());
    while told.try_recv().is_ok() {}
    desk.put("AGENTS.md", b"unheard");
    assert!(told.recv().is_err(), "nobody tells any more");
}

#[test]
fn a_checkout_of_many_files_is_told_in_full() {
    let desk = Desk::new(&[("AGENTS.md", "root")]);
    let paths: Vec<String> = (0..200).map(|n| format!("p{}/m{n}/AGENTS.md", n % 9)).collect();
    for path in &paths {
        desk.put(path, path.as_bytes());
        for file in 0..5 {
            desk.put(&format!("{path}.d/{file}.rs"), b"");
        }
    }
    let (told, _) = watch(&desk);
    let all: Vec<&str> = paths.iter().map(String::as_str).collect();
    for path in &all {
        desk.put(path, format!("{path}, of another branch").as_bytes());
        for file in 0..5 {
            fs::remove_file(desk.at(&format!("{path}.d/{file}.rs"))).unwrap();
        }
    }
    expect(&told, &all);
}

#[test]
fn the_project_itself_may_go_and_come_back() {
    let desk = Desk::new(&[("AGENTS.md", "one")]);
    let (told, _) = watch(&desk);
    let away = desk.home.path().join("away");
    fs::rename(desk.root.path(), &away).unwrap();
    expect(&told, &["AGENTS.md"]);
    fs::create_dir(desk.root.path()).unwrap();
    desk.put("AGENTS.md", b"another");
    expect(&told, &["AGENTS.md"]);
    desk.put("AGENTS.md", b"a third");
    expect(&told, &["AGENTS.md"]);
}

/// Names the test that the one below runs in a world without watches.
const POLLED: &str = "SILTSTONE_TEST_POLLED";

#[cfg(target_os = "linux")]
#[test]
fn without_watches_the_files_are_looked_at_and_it_is_said() {
    if std::env::var_os(POLLED).is_some() {
        let desk = Desk::new(&[("AGENTS.md", "one"), ("a/AGENTS.md", "two"), ("b/AGENTS.md", "")]);
        let (told, watching) = watch(&desk);
        assert!(matches!(watching, Watching::Polled { why } if !why.is_empty()));
        desk.put("a/AGENTS.md", b"seen all the same");
        expect(&told, &["a/AGENTS.md"]);
        return;
    }
    for (limit, most) in [("max_inotify_instances", 0), ("max_inotify_watches", 2)] {
        // In a name space of its own the limit is of this one process.
        let script = format!("echo {most} > /proc/sys/user/{limit} && exec \"$0\" \"$@\"");
        let run = std::process::Command::new("unshare")
            .args(["-Ur", "sh", "-c", &script])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "it::memory::watching::without_watches_the_files_are_looked_at_and_it_is_said",
            ])
            .env(POLLED, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("1 passed"), "{limit}: {run:?}");
    }
}

/// Names the test that the one below runs in a process of its own, whose watches are its own.
const COUNTED: &str = "SILTSTONE_TEST_COUNTED";

#[cfg(target_os = "linux")]
#[test]
fn a_tree_of_many_files_takes_few_watches() {
    if std::env::var_os(COUNTED).is_none() {
        let run = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "it::memory::watching::a_tree_of_many_files_takes_few_watches"])
            .env(COUNTED, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("1 passed"), "{run:?}");
        return;
    }
    let desk = Desk::beneath(&quick(), &[("AGENTS.md", "one"), ("z/9/z/GEMINI.md", "last")]);
    for folder in 0..2_000 {
        let folder = desk.at(&format!("{}/{folder}", folder % 10));
        fs::create_dir_all(&folder).unwrap();
        (0..10).for_each(|file| fs::write(folder.join(format!("{file}.ts")), "").unwrap());
    }
    assert_eq!(desk.all().len(), 2);
    let (told, watching) = watch(&desk);
    assert!(matches!(watching, Watching::Partly { folders: 500, of: 2_010.. }), "{watching:?}");
    let watches: usize = fs::read_dir("/proc/self/fdinfo")
        .unwrap()
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .map(|info| info.lines().filter(|line| line.starts_with("inotify ")).count())
        .sum();
    assert!((4..=500).contains(&watches), "{watches} watches");
    desk.put("z/9/z/GEMINI.md", b"changed");
    expect(&told, &["z/9/z/GEMINI.md"]);
}
