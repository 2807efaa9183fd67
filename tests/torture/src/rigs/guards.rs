//! The tests themselves, tried: five guards are taken out of a copy of the sources, one at a time, and each time the
//! sample test that watches over it has to fail. It compiles, so it is part of `make torture` alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Options, Outcome, Trouble};

/// A guard, and how it is taken out.
struct Guard {
    name: &'static str,
    file: &'static str,
    /// What stands in the file, and what takes its place.
    out: (&'static str, &'static str),
    test: Test,
}

enum Test {
    /// A package, its kind of test, and a filter.
    Cargo(&'static [&'static str]),
    /// A file of the window's tests.
    Window(&'static str),
}

const GUARDS: [Guard; 5] = [
    Guard {
        name: "the window's policy",
        file: "tauri.conf.json",
        out: ("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
        test: Test::Cargo(&["siltstone-contract", "--test", "tree", "policy"]),
    },
    Guard {
        name: "the lint against HTML sinks",
        file: "ui/eslint.config.js",
        out: ("\"no-restricted-syntax\": noSinks", "\"no-restricted-syntax\": \"off\""),
        test: Test::Window("src/test/sinks.test.ts"),
    },
    Guard {
        name: "synchronous=FULL",
        file: "src-tauri/crates/storage/src/connection.rs",
        out: ("Durability::Full => \"FULL\"", "Durability::Full => \"NORMAL\""),
        test: Test::Cargo(&["siltstone-storage", "--lib", "connection"]),
    },
    Guard {
        name: "a restore deletes only what is ours",
        file: "src-tauri/crates/engine/src/checkpoint/plan.rs",
        out: ("false => (Action::Skip, Why::NotOurs)", "false => (Action::Delete, Why::NotOurs)"),
        test: Test::Cargo(&["siltstone-engine", "--lib", "checkpoint"]),
    },
    Guard {
        name: "redaction",
        file: "src-tauri/crates/engine/src/privacy/mod.rs",
        out: (
            "if self.on { scan::secrets(text) }",
            "if self.on && text.is_empty() { scan::secrets(text) }",
        ),
        test: Test::Cargo(&["siltstone-engine", "--lib", "privacy"]),
    },
];

/// Runs it.
pub fn run(_: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("the root")?;
    let copy = copied(root)?;
    let built = built(&copy)?;
    // All of them with every guard in its place first, so that each package is compiled once for that.
    let mut before = Vec::new();
    for guard in &GUARDS {
        before.push(guard.test.passes(&copy, &built)?);
    }
    for (guard, before) in GUARDS.iter().zip(before) {
        let file = copy.join(guard.file);
        let whole = std::fs::read_to_string(&file)?;
        let (there, instead) = guard.out;
        if !whole.contains(there) {
            outcome.fail(format!("{}: {there:?} is not in {}", guard.name, guard.file));
            continue;
        }
        std::fs::write(&file, whole.replacen(there, instead, 1))?;
        let after = guard.test.passes(&copy, &built);
        std::fs::write(&file, &whole)?;
        outcome.count("guards taken out", 1);
        match (before, after?) {
            (Passed::Yes, Passed::No) => {}
            (Passed::Yes, Passed::Yes) => outcome.fail(format!("nobody missed {}", guard.name)),
            other => outcome.fail(format!("{}: the test did not run: {other:?}", guard.name)),
        }
    }
    Ok(outcome)
}

/// What came of a test.
#[derive(Debug)]
enum Passed {
    Yes,
    /// It ran, and it failed.
    No,
    /// It did not run: what it wrote.
    NotRun(#[expect(dead_code, reason = "written out as it is")] String),
}

impl Test {
    fn passes(&self, copy: &Path, built: &Path) -> Result<Passed, Trouble> {
        let mut command = match self {
            Self::Cargo(of) => {
                let mut command = Command::new("cargo");
                command.args(["test", "--locked", "--offline", "-p"]).args(*of);
                command.env("CARGO_TARGET_DIR", built).current_dir(copy);
                command
            }
            Self::Window(file) => {
                let mut command = Command::new("node");
                command.args(["node_modules/vitest/vitest.mjs", "run", file]);
                command.env("NO_COLOR", "1").current_dir(copy.join("ui"));
                command
            }
        };
        let output = command.stdin(Stdio::null()).output()?;
        let out = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let (passed, failed) = match self {
            Self::Cargo(_) => (!out.contains(" 0 passed;"), out.contains("test result: FAILED")),
            Self::Window(_) => (out.contains(" passed"), out.contains(" failed")),
        };
        Ok(match output.status.success() {
            true if passed => Passed::Yes,
            false if failed => Passed::No,
            _ => Passed::NotRun(out),
        })
    }
}

/// A folder to build in, with what tests were built of before, of other people's sources: a second name of each file, since
/// nobody writes to those again. What is ours is compiled anew, so that nothing of the copy gets into the original.
fn built(copy: &Path) -> Result<PathBuf, Trouble> {
    let target = copy.join("target");
    let own = std::env::current_exe()?;
    // This program may be one for release; tests are not.
    let from = own.parent().ok_or("a folder")?.with_file_name("debug");
    for part in ["deps", "build", ".fingerprint"] {
        if from.join(part).is_dir() {
            link(&from.join(part), &target.join("debug").join(part))?;
        }
    }
    Ok(target)
}

fn link(from: &Path, to: &Path) -> Result<(), Trouble> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().contains("siltstone") {
            continue;
        }
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            link(&entry.path(), &place)?;
        } else {
            // Another compiler may take it away meanwhile; cargo makes what is missing.
            let _ = std::fs::hard_link(entry.path(), place);
        }
    }
    Ok(())
}

/// A copy of everything that is ours, as it is now.
fn copied(root: &Path) -> Result<PathBuf, Trouble> {
    let copy = root.join("target/guards");
    let _ = std::fs::remove_dir_all(&copy);
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    for name in String::from_utf8(listed.stdout)?.split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (root.join(name), copy.join(name));
        // What was deleted and not yet forgotten is in the list, too.
        if from.is_file() {
            std::fs::create_dir_all(to.parent().ok_or("a folder")?)?;
            std::fs::copy(from, to)?;
        }
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("ui/node_modules"), copy.join("ui/node_modules"))?;
    Ok(copy)
}
