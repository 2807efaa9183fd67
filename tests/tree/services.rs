//! The services of the app, held in their order: each stands over those before it and knows no other.
#![expect(
    clippy::expect_used,
    reason = "this is a test of the sources: it reads them, and what it cannot read fails it"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::root;

/// The folders of the app, lowest first, as `docs/architecture.md` draws them.
const ORDER: [&str; 19] = [
    "core",
    "privacy",
    "vault",
    "models",
    "memory",
    "skills",
    "index",
    "folding",
    "search",
    "sessions",
    "conversations",
    "tools",
    "contexts",
    "checkpoints",
    "agents",
    "requests",
    "turns",
    "projects",
    "maintenance",
];

/// What of `text`, a file of the service `of`, names a service above it.
fn upward(of: &str, text: &str) -> Vec<String> {
    let place = |name: &str| ORDER.iter().position(|service| *service == name);
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let named = code.flat_map(|line| line.split("crate::").skip(1));
    let named = named.map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest[..end].to_owned()
    });
    named.filter(|name| place(name) > place(of)).collect()
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the app").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => sources(&path, into),
            false => into.push(path),
        }
    }
}

#[test]
fn a_service_knows_those_below_it_and_no_other() {
    let app = root().join("src-tauri/crates/app/src");
    let mut wrong = Vec::new();
    for service in ORDER {
        let mut files = Vec::new();
        sources(&app.join(service), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("a source");
            let names = upward(service, &text);
            wrong.extend(names.iter().map(|name| format!("{} → {name}", file.display())));
            if text.contains("impl App ") {
                wrong
                    .push(format!("{}: the app puts services together, in lib.rs", file.display()));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    let mut folders: Vec<String> = fs::read_dir(&app)
        .expect("the app")
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    folders.sort();
    let mut known = ORDER.map(str::to_owned).to_vec();
    known.sort();
    assert_eq!(folders, known, "every folder of the app is a service with its place in the order");
}

#[test]
fn a_look_upward_is_reported() {
    let planted = "use crate::core::locked;\nuse crate::turns::TurnService;\n// crate::tools\n";
    assert_eq!(upward("search", planted), ["turns"]);
    assert_eq!(upward("turns", planted), [""; 0]);
}
