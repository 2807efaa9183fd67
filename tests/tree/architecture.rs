//! The drawing in `docs/architecture.md`, held: who may depend on whom, and who owns which foreign crate.
#![expect(
    clippy::expect_used,
    reason = "this is a test of the sources: it reads them, and what it cannot read fails it"
)]

use std::process::Command;

use serde_json::Value;

use super::root;

/// The rooms, and the rooms each may know. A host wires everything together and may know all of them.
const ROOMS: [(&str, Doors); 13] = [
    ("siltstone-engine", Doors::To(&[])),
    ("siltstone-contract", Doors::To(&["siltstone-engine"])),
    ("siltstone-app", Doors::To(&["siltstone-engine", "siltstone-contract"])),
    ("siltstone-storage", Doors::To(&["siltstone-engine"])),
    ("siltstone-workspace", Doors::To(&["siltstone-engine"])),
    ("siltstone-providers", Doors::To(&["siltstone-engine"])),
    ("siltstone-secrets", Doors::To(&["siltstone-engine"])),
    ("siltstone-remotes", Doors::To(&["siltstone-engine"])),
    ("siltstone-tools", Doors::To(&["siltstone-engine"])),
    ("siltstone-updates", Doors::To(&["siltstone-engine"])),
    ("siltstone-vault", Doors::To(&["siltstone-engine"])),
    ("siltstone-cli", Doors::Host),
    ("siltstone", Doors::Host),
];

/// Packages that are no part of the product and drive or measure it from outside.
const DRIVERS: [&str; 5] = [
    "siltstone-window-tests",
    "siltstone-bench",
    "siltstone-torture",
    "siltstone-test-host",
    TEST_SERVERS,
];

/// Starts real model servers; any room's tests may use it.
const TEST_SERVERS: &str = "siltstone-test-servers";

/// The journeys test the app against real adapters, a store seals with the real sealer, and updates come through the real gate.
const FOR_TESTS: [(&str, &str); 10] = [
    ("siltstone-app", "siltstone-storage"),
    ("siltstone-app", "siltstone-workspace"),
    ("siltstone-app", "siltstone-providers"),
    ("siltstone-app", "siltstone-remotes"),
    ("siltstone-app", "siltstone-tools"),
    ("siltstone-app", "siltstone-secrets"),
    ("siltstone-app", "siltstone-updates"),
    ("siltstone-app", "siltstone-vault"),
    ("siltstone-storage", "siltstone-secrets"),
    ("siltstone-updates", "siltstone-providers"),
];

/// One foreign world a room; nobody else reaches into it.
const OWNERS: [(&str, &str); 14] = [
    ("tauri", "siltstone"),
    ("rusqlite_migration", "siltstone-storage"),
    ("reqwest", "siltstone-providers"),
    ("ignore", "siltstone-workspace"),
    ("clap", "siltstone-cli"),
    ("keyring", "siltstone-secrets"),
    ("zbus", "siltstone-secrets"),
    ("secret-service", "siltstone-secrets"),
    ("object_store", "siltstone-remotes"),
    ("minisign-verify", "siltstone-updates"),
    ("rmcp", "siltstone-tools"),
    ("age", "siltstone-secrets"),
    ("argon2", "siltstone-secrets"),
    ("chacha20poly1305", "siltstone-secrets"),
];

/// Two rooms with the same foreign world, and why. Opening files beneath a folder by handle: project files are the
/// workspace's, the packs of copies of checkpoints in a project's folder the storage's (decision 18). SQLite: our own
/// database is the storage's, those in which other agents keep sessions the vault's (decision 28).
const SHARED: [(&str, [&str; 2]); 2] = [
    ("cap-std", ["siltstone-workspace", "siltstone-storage"]),
    ("rusqlite", ["siltstone-storage", "siltstone-vault"]),
];

/// What would make the engine do I/O or wait.
const NOT_IN_ENGINE: [&str; 6] = ["tokio", "rusqlite", "reqwest", "tauri", "notify", "keyring"];

#[derive(Clone, Copy)]
enum Doors {
    To(&'static [&'static str]),
    Host,
}

struct Edge {
    from: String,
    to: String,
    for_tests: bool,
}

/// What is wrong with these edges, in words.
fn violations(edges: &[Edge]) -> Vec<String> {
    edges.iter().filter_map(violation).collect()
}

fn violation(Edge { from, to, for_tests }: &Edge) -> Option<String> {
    if DRIVERS.contains(&from.as_str()) {
        return None;
    }
    if to == "siltstone" || to.starts_with("siltstone-") {
        let Some(doors) = doors_of(from) else {
            return Some(format!("{from} is not in the drawing"));
        };
        if *for_tests && to == TEST_SERVERS {
            return None;
        }
        let real = *for_tests && FOR_TESTS.contains(&(from.as_str(), to.as_str()));
        let open = match doors {
            Doors::Host => true,
            Doors::To(rooms) => rooms.contains(&to.as_str()) || real,
        };
        return (!open).then(|| format!("{from} may not know {to}"));
    }
    if from == "siltstone-engine" && NOT_IN_ENGINE.iter().any(|name| is_of(to, name)) {
        return Some(format!("{from} is pure and may not use {to}"));
    }
    if let Some((_, owner)) = OWNERS.iter().find(|(name, _)| is_of(to, name)) {
        return (from != owner).then(|| format!("{from} may not use {to}: it belongs to {owner}"));
    }
    let (_, owners) = SHARED.iter().find(|(name, _)| is_of(to, name))?;
    let may = owners.contains(&from.as_str());
    (!may).then(|| format!("{from} may not use {to}: it belongs to {}", owners.join(" and ")))
}

fn doors_of(package: &str) -> Option<Doors> {
    ROOMS.iter().find(|(name, _)| *name == package).map(|(_, doors)| *doors)
}

/// Whether a crate is this one or an extension of it, as `tauri-plugin-dialog` is of `tauri`.
fn is_of(package: &str, family: &str) -> bool {
    package.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[test]
fn every_edge_is_in_the_drawing() {
    let (packages, edges) = workspace();
    for (room, _) in ROOMS {
        assert!(packages.iter().any(|name| name == room), "{room} is gone");
    }
    let strangers: Vec<_> = packages
        .iter()
        .filter(|name| doors_of(name).is_none() && !DRIVERS.contains(&name.as_str()))
        .collect();
    assert!(strangers.is_empty(), "not in the drawing: {strangers:?}");
    assert!(edges.len() > packages.len(), "the workspace has edges");
    assert_eq!(violations(&edges), Vec::<String>::new());
}

#[test]
fn a_forbidden_edge_is_reported() {
    for (from, to, for_tests) in [
        ("siltstone-storage", "siltstone-app", false),
        ("siltstone-storage", "siltstone-contract", true),
        ("siltstone-storage", "siltstone-workspace", true),
        ("siltstone-storage", "siltstone-secrets", false),
        ("siltstone-engine", "siltstone-contract", false),
        ("siltstone-contract", "siltstone-app", false),
        ("siltstone-app", "siltstone-storage", false),
        ("siltstone-app", "siltstone", false),
        ("siltstone-attic", "siltstone-engine", false),
        ("siltstone-app", "rusqlite", false),
        ("siltstone-vault", "rusqlite_migration", false),
        ("siltstone-vault", "cap-std", false),
        ("siltstone-app", "tauri-plugin-dialog", false),
        ("siltstone-cli", "tauri", false),
        ("siltstone-storage", "reqwest", false),
        ("siltstone-engine", "tokio-util", true),
        ("siltstone-engine", "notify", false),
    ] {
        let found = violations(&[edge(from, to, for_tests)]);
        assert_eq!(found.len(), 1, "{from} -> {to}");
        assert!(found[0].contains(from), "{found:?}");
    }
    for (from, to, for_tests) in [
        ("siltstone", "siltstone-storage", false),
        ("siltstone", "tauri-build", false),
        ("siltstone-cli", "siltstone-providers", false),
        ("siltstone-app", "siltstone-storage", true),
        ("siltstone-app", "tokio", false),
        ("siltstone-storage", "rusqlite_migration", false),
        ("siltstone-vault", "rusqlite", false),
        ("siltstone-engine", "serde", false),
    ] {
        assert_eq!(violations(&[edge(from, to, for_tests)]), Vec::<String>::new());
    }
}

fn edge(from: &str, to: &str, for_tests: bool) -> Edge {
    Edge { from: from.to_owned(), to: to.to_owned(), for_tests }
}

/// The packages of this workspace, and everything each declares that it depends on.
fn workspace() -> (Vec<String>, Vec<Edge>) {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let mut names = Vec::new();
    let mut edges = Vec::new();
    for package in list(&metadata["packages"]) {
        let from = text(&package["name"]);
        for dependency in list(&package["dependencies"]) {
            let for_tests = dependency["kind"] == "dev";
            edges.push(edge(from, text(&dependency["name"]), for_tests));
        }
        names.push(from.to_owned());
    }
    (names, edges)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
