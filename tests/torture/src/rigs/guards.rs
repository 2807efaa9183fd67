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
    /// The lint over one file of the window.
    Lint(&'static str),
}

const GUARDS: [Guard; 5] = [
    Guard {
        name: "the window's policy",
        file: "tauri.conf.json",
        out: ("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
        test: Test::Cargo(&["siltstone-engine", "--test", "supply", "policy"]),
    },
    Guard {
        name: "the lint against HTML sinks",
        file: "ui/src/main.tsx",
        out: ("import ", "document.body.innerHTML = location.hash;\nimport "),
        test: Test::Lint("src/main.tsx"),
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
    // All of them with every guard in its place first, so that each package is compiled once for that.
    let mut before = Vec::new();
    for guard in &GUARDS {
        before.push(guard.test.passes(root, &copy)?);
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
        let after = guard.test.passes(root, &copy);
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
    fn passes(&self, root: &Path, copy: &Path) -> Result<Passed, Trouble> {
        let output = match self {
            Self::Cargo(of) => Command::new("cargo")
                .args(["test", "--locked", "--offline", "-p"])
                .args(*of)
                .env("CARGO_TARGET_DIR", root.join("target"))
                .current_dir(copy)
                .stdin(Stdio::null())
                .output()?,
            Self::Lint(file) => Command::new("node")
                .args(["node_modules/eslint/bin/eslint.js", "--max-warnings", "0", file])
                .current_dir(copy.join("ui"))
                .stdin(Stdio::null())
                .output()?,
        };
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let ran = match self {
            Self::Cargo(_) if output.status.success() => !out.contains(" 0 passed;"),
            Self::Cargo(_) => out.contains("test result: FAILED"),
            Self::Lint(_) => output.status.success() || out.contains("error"),
        };
        Ok(match (ran, output.status.success()) {
            (true, true) => Passed::Yes,
            (true, false) => Passed::No,
            _ => Passed::NotRun(out + &String::from_utf8_lossy(&output.stderr)),
        })
    }
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
