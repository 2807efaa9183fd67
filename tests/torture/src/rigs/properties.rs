//! Every property test of the tree, with cases that were never drawn before and many more of them than `make test` draws,
//! which draws the same ones in every run (`.cargo/config.toml`). What fails here names its seed, with which it fails again.
//!
//! It compiles, so it is part of `make torture` alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Options, Outcome, Trouble};

/// Each file with property tests, and how many cases each of them draws at scale 1: some twenty seconds' worth a file, and
/// ten thousand steps of the machine of checkpoints, of which a case has twenty.
const FILES: [(&str, u32); 54] = [
    ("src-tauri/crates/engine/src/checkpoint/pieces.rs", 20_000),
    ("src-tauri/crates/engine/src/checkpoint/tests.rs", 20_000),
    ("src-tauri/crates/engine/src/compaction/tests.rs", 1_000),
    ("src-tauri/crates/engine/src/context/tests/forgery.rs", 30_000),
    ("src-tauri/crates/engine/src/density/sentence.rs", 20_000),
    ("src-tauri/crates/engine/src/density/tests.rs", 4_000),
    ("src-tauri/crates/engine/src/difference.rs", 20_000),
    ("src-tauri/crates/engine/src/earlier/tests.rs", 6_000),
    ("src-tauri/crates/engine/src/earlier/tests/wishes.rs", 5_000),
    ("src-tauri/crates/engine/src/export/others/tests.rs", 5_000),
    ("src-tauri/crates/engine/src/ledger/tests/clauses.rs", 2_000),
    ("src-tauri/crates/engine/src/ledger/tests/mod.rs", 400),
    ("src-tauri/crates/engine/src/meaning/compact.rs", 10_000),
    ("src-tauri/crates/engine/src/meaning/pieces.rs", 1_000),
    ("src-tauri/crates/engine/src/meaning/standing.rs", 100_000),
    ("src-tauri/crates/engine/src/memory/clean.rs", 10_000),
    ("src-tauri/crates/engine/src/memory/passages.rs", 5_000),
    ("src-tauri/crates/engine/src/memory/share.rs", 10_000),
    ("src-tauri/crates/engine/src/memory/tests/effective.rs", 5_000),
    ("src-tauri/crates/engine/src/memory/tests/expand.rs", 200),
    ("src-tauri/crates/engine/src/memory/tests/request.rs", 1_000),
    ("src-tauri/crates/engine/src/privacy/tests.rs", 2_000),
    ("src-tauri/crates/engine/src/prose/tests.rs", 5_000),
    ("src-tauri/crates/engine/src/recall/cut.rs", 1_000),
    ("src-tauri/crates/engine/src/recall/postings.rs", 100_000),
    ("src-tauri/crates/engine/src/recall/tests.rs", 100),
    ("src-tauri/crates/engine/src/recall/standing/tests.rs", 20_000),
    ("src-tauri/crates/engine/src/replay.rs", 600),
    ("src-tauri/crates/engine/src/session/tests/hydrating.rs", 400),
    ("src-tauri/crates/engine/src/session/tests/merging.rs", 10_000),
    ("src-tauri/crates/engine/src/summary/quote.rs", 40_000),
    ("src-tauri/crates/engine/src/summary/receipt.rs", 40_000),
    ("src-tauri/crates/engine/src/summary/tests/guard.rs", 10_000),
    ("src-tauri/crates/engine/src/summary/tests/laws.rs", 1_000),
    ("src-tauri/crates/engine/src/tasks/tests.rs", 30_000),
    ("src-tauri/crates/engine/src/tokens/calibration.rs", 100_000),
    ("src-tauri/crates/engine/src/tokens/script.rs", 100_000),
    ("src-tauri/crates/engine/src/tool/tests/approvals.rs", 4_000),
    ("src-tauri/crates/engine/src/tool/tests/calls.rs", 60_000),
    ("src-tauri/crates/engine/src/tool/tests/outputs.rs", 10_000),
    ("src-tauri/crates/engine/src/tool/tests/paths.rs", 2_000),
    ("src-tauri/crates/engine/src/vault/tests.rs", 5_000),
    ("src-tauri/crates/providers/src/local/tests.rs", 2_000),
    ("src-tauri/crates/providers/src/tests/pairing.rs", 3_000),
    ("src-tauri/crates/providers/src/thoughts.rs", 20_000),
    ("src-tauri/crates/workspace/src/clients/tests.rs", 10_000),
    ("src-tauri/crates/workspace/src/memory/swap.rs", 100_000),
    ("src-tauri/crates/workspace/src/tools/written.rs", 20_000),
    ("src-tauri/crates/workspace/tests/it/memory/saving.rs", 1_000),
    ("src-tauri/crates/workspace/tests/it/snapshots/mod.rs", 500),
    ("src-tauri/crates/workspace/tests/it/snapshots/restored.rs", 300),
    ("src-tauri/crates/workspace/tests/it/snapshots/told.rs", 60),
    ("tests/journeys/checkpoint_machine.rs", 500),
    ("tests/journeys/recall.rs", 60),
];

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let root = root()?;
    let mut programs = BTreeMap::new();
    for (file, cases) in FILES {
        let target = target_of(file).ok_or_else(|| format!("no target holds {file}"))?;
        if !programs.contains_key(&target) {
            programs.insert(target.clone(), Program::built(&root, &target)?);
        }
        let Some(program) = programs.get(&target) else { continue };
        let seed = options.chance(file).number();
        let cases = u64::from(cases).saturating_mul(options.count(1, 1)).min(u64::from(u32::MAX));
        let names = names_in(&std::fs::read_to_string(root.join(file))?);
        program.try_all(file, &names, seed, cases, &mut outcome)?;
    }
    Ok(outcome)
}

fn root() -> Result<PathBuf, Trouble> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("the root")?.to_owned())
}

/// A package, and its integration test; nothing for its library.
type Target = (String, Option<String>);

/// What a file is compiled into.
fn target_of(file: &str) -> Option<Target> {
    let parts: Vec<&str> = file.split('/').collect();
    match parts.as_slice() {
        // What tests a room from outside is built into its library's tests.
        ["src-tauri", "crates", room, ..] => Some((format!("siltstone-{room}"), None)),
        ["tests", "journeys", ..] => {
            Some(("siltstone-app".to_owned(), Some("journeys".to_owned())))
        }
        _ => None,
    }
}

/// What the property tests in a source file are called.
fn names_in(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut end: Option<String> = None;
    for line in source.lines() {
        match &end {
            None if line.trim_start() == concat!("proptest", "! {") => {
                let indent = line.len() - line.trim_start().len();
                end = Some(format!("{}}}", &line[..indent]));
            }
            None => {}
            Some(last) if line == last => end = None,
            // Those of the tests stand one step further in than the block.
            Some(last) if line.len() - line.trim_start().len() == last.len() + 3 => {
                let name =
                    line.trim_start().strip_prefix("fn ").and_then(|it| it.split('(').next());
                names.extend(name.map(str::to_owned));
            }
            Some(_) => {}
        }
    }
    names
}

/// A test program that was built.
struct Program {
    path: PathBuf,
    /// Where cargo would run it.
    folder: PathBuf,
    /// What it lists.
    tests: Vec<String>,
}

impl Program {
    fn built(root: &Path, (package, test): &Target) -> Result<Self, Trouble> {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--no-run", "--locked", "--message-format=json", "-p", package]);
        match test {
            Some(test) => cargo.args(["--test", test]),
            None => cargo.arg("--lib"),
        };
        let output = cargo.current_dir(root).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("{package} {test:?} does not compile: {said}").into());
        }
        let messages = String::from_utf8(output.stdout)?;
        let made = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message["profile"]["test"] == true)
            .find_map(|message| {
                let path = PathBuf::from(message["executable"].as_str()?);
                let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
                Some((path, folder))
            });
        let (path, folder) = made.ok_or_else(|| format!("{package} {test:?} made no program"))?;
        let listed = Command::new(&path).arg("--list").current_dir(&folder).output()?;
        let tests = String::from_utf8(listed.stdout)?
            .lines()
            .filter_map(|line| line.strip_suffix(": test").map(str::to_owned))
            .collect();
        Ok(Self { path, folder, tests })
    }

    fn try_all(
        &self,
        file: &str,
        names: &[String],
        seed: u64,
        cases: u64,
        outcome: &mut Outcome,
    ) -> Result<(), Trouble> {
        for name in names {
            let ends = format!("::{name}");
            let Some(test) = self.tests.iter().find(|it| *it == name || it.ends_with(&ends)) else {
                outcome.fail(format!("{file}: {name} is in no program"));
                continue;
            };
            let output = Command::new(&self.path)
                .args(["--exact", test])
                .current_dir(&self.folder)
                .env("PROPTEST_CASES", cases.to_string())
                .env("PROPTEST_RNG_SEED", seed.to_string())
                // As many cases that do not fit, for each that does, as proptest allows by itself.
                .env("PROPTEST_MAX_GLOBAL_REJECTS", cases.saturating_mul(4).to_string())
                // What was found once is written into the sources by a person, and not by this.
                .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
                .stdin(Stdio::null())
                .output()?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            outcome.count("properties", 1);
            outcome.count("cases", cases);
            if !output.status.success() || !said.contains("1 passed") {
                outcome.fail(format!(
                    "{test}, PROPTEST_RNG_SEED={seed} PROPTEST_CASES={cases}: {}",
                    smallest(&said)
                ));
            }
        }
        Ok(())
    }
}

/// The smallest input that failed, as it is said; all of what was said where it is not.
fn smallest(said: &str) -> &str {
    let begin = said.find("Test failed").or_else(|| said.find("panicked at")).unwrap_or(0);
    let rest = &said[begin..];
    rest.find("stack backtrace").map_or(rest, |end| &rest[..end])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_with_property_tests_is_in_the_list() {
        let root = root().unwrap();
        let mut found = BTreeSet::new();
        let mut folders = vec![root.join("src-tauri"), root.join("tests")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if path.is_dir() && name != "target" && name != "node_modules" {
                    folders.push(path);
                } else if name.ends_with(".rs") {
                    let source = std::fs::read_to_string(&path).unwrap();
                    let blocks = source.matches(concat!("proptest", "! {")).count();
                    let names = names_in(&source);
                    assert!(names.len() >= blocks, "{}: {names:?} of {blocks}", path.display());
                    if blocks > 0 {
                        let path = path.strip_prefix(&root).unwrap();
                        found.insert(path.to_string_lossy().replace('\\', "/"));
                    }
                }
            }
        }
        let listed: BTreeSet<String> = FILES.iter().map(|(file, _)| (*file).to_owned()).collect();
        assert_eq!(found, listed);
        assert!(listed.iter().all(|file| target_of(file).is_some()));
    }

    #[test]
    fn the_tests_of_a_block_are_found_and_no_others() {
        let source = format!(
            "fn not_one() {{}}\n    {}! {{\n        #[test]\n        fn one(a in 0..2) {{\n            fn not_one_either() {{}}\n        }}\n\n        fn two(\n            b in 0..2,\n        ) {{}}\n    }}\nfn nor_this() {{}}\n",
            "proptest"
        );
        assert_eq!(names_in(&source), ["one", "two"]);
    }

    /// What `make test` finds today it finds tomorrow.
    #[test]
    fn property_tests_are_run_with_a_seed_that_is_set() {
        assert!(std::env::var_os("PROPTEST_RNG_SEED").is_some(), ".cargo/config.toml sets it");
    }
}
