//! Ways out of a folder, by the names that are asked for and by what lies there: nothing from outside is read, nothing
//! outside is written, and nothing is waited for.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use siltstone_engine::memory::expand::expand;
use siltstone_engine::memory::{MemoryFiles, Refusal};
use tempfile::TempDir;

use super::desk::Desk;

/// What every file outside says.
const CANARY: &str = "canary";

/// Ways to write "one folder up", as it is and in the codes that servers and archives were led out by.
const CLIMBS: [&str; 20] = [
    "../",
    "./../",
    "..//",
    "..\\",
    "..\\/",
    "../\\",
    "....//",
    "..;/",
    "%2e%2e/",
    "..%2f",
    "%2e%2e%2f",
    "..%5c",
    "%252e%252e%252f",
    "%c0%ae%c0%ae/",
    "..%c0%af",
    "..%u2215",
    "0x2e0x2e/",
    "．．/",
    ".\u{200B}./",
    "..\0/",
];

/// Strings that ask for a file outside: each way, each depth, before and behind something else.
fn strings(outer: &Path) -> Vec<String> {
    let mut strings = Vec::new();
    for climb in CLIMBS {
        for depth in [1, 2, 3, 4, 6, 40] {
            for before in ["", "/", "docs/", "file://"] {
                for name in ["AGENTS.md", "etc/passwd"] {
                    strings.push(format!("{before}{}{name}", climb.repeat(depth)));
                }
            }
        }
    }
    let outer = outer.display();
    for path in [format!("{outer}/AGENTS.md"), "/etc/passwd".into(), "/proc/self/environ".into()] {
        for before in ["", "/", "//", "/.", "/proc/self/root", "/dev/../", "file://", "C:"] {
            strings.push(format!("{before}{path}"));
        }
    }
    strings
}

/// Every file beneath a folder but those of the project, with what it says.
fn outside(folder: &Path, project: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && path != project {
            outside(&path, project, found);
        } else if path.is_file() {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

#[test]
fn no_name_leads_out_whichever_way_it_is_written() {
    let outer = TempDir::new().unwrap();
    let mut folder = outer.path().canonicalize().unwrap();
    for name in ["a", "b", "c"] {
        folder.push(name);
        fs::create_dir_all(folder.join("etc")).unwrap();
        fs::write(folder.join("AGENTS.md"), CANARY).unwrap();
        fs::write(folder.join("etc/passwd"), CANARY).unwrap();
    }
    let desk = Desk::beneath(&folder, &[("docs/AGENTS.md", "inside"), ("AGENTS.md", "inside")]);
    let global = desk.put_global(".gemini/GEMINI.md", "global");
    let project = desk.root.path().canonicalize().unwrap();
    let strings = strings(&folder);
    assert!(strings.len() > 900, "{}", strings.len());
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    outside(outer.path(), &project, &mut before);
    assert_eq!(before.values().filter(|text| *text == CANARY.as_bytes()).count(), 6);

    let mut inside = 0;
    for name in &strings {
        for from in ["AGENTS.md", "docs/AGENTS.md", "docs/deep/AGENTS.md", &global] {
            if let Ok(imported) = desk.folders.import(&desk.place(), from, name) {
                assert_eq!(imported.text, "inside", "{name:?} in {from}");
                inside += 1;
            }
        }
        if let Ok(document) = desk.open(name) {
            assert!(["", "inside"].contains(&document.text.as_str()), "{name:?}");
        }
        assert!(desk.save(name, "written", None).is_err(), "{name:?}");
    }
    assert!(inside > 0, "`..` inside the project is no way out");
    for some in strings.chunks(100) {
        let text: String = some.iter().map(|name| format!("- @{name}\n")).collect();
        desk.put("AGENTS.md", text.as_bytes());
        for file in desk.along(&["docs"]) {
            let read = &mut |from: &str, to: &str| desk.folders.import(&desk.place(), from, to);
            assert!(!expand(&file, read).text().contains(CANARY), "{some:?}");
        }
    }
    outside(outer.path(), &project, &mut after);
    assert_eq!(after, before);
}

/// What may lie in the place of a file.
const THINGS: [&str; 17] = [
    "a link to a file outside",
    "a link that climbs",
    "a link to a link",
    "a link to a folder outside",
    "a link to all of the disk",
    "a hard link",
    "a pipe",
    "a socket",
    "a folder",
    "itself",
    "a ring",
    "nothing",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/proc/self/fd/0",
];

/// Where memory looks for a file: by a name, in folders of names, by an import, and beyond a folder.
const PLACES: [&str; 5] =
    ["GEMINI.md", ".gemini/GEMINI.md", ".cursor/rules/r.md", "imported.md", "folder"];

fn make(thing: &str, path: &Path, outside: &Path) {
    let link = |to: &Path| symlink(to, path).unwrap();
    let secret = outside.join("AGENTS.md");
    match thing {
        "a link to a file outside" => link(&secret),
        "a link that climbs" => {
            let up = "../".repeat(path.components().count());
            link(Path::new(&format!("{up}{}", secret.display())));
        }
        "a link to a link" => {
            symlink(&secret, path.with_extension("next")).unwrap();
            link(&path.with_extension("next"));
        }
        "a link to a folder outside" => link(outside),
        "a link to all of the disk" => link(Path::new("/")),
        "a hard link" => fs::hard_link(&secret, path).unwrap(),
        "a pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "a socket" => drop(UnixListener::bind(path).unwrap()),
        "a folder" => fs::create_dir(path).unwrap(),
        "itself" => link(path),
        "a ring" => {
            link(&path.with_extension("next"));
            symlink(path, path.with_extension("next")).unwrap();
        }
        "nothing" => link(Path::new("nowhere")),
        device => link(Path::new(device)),
    }
}

#[test]
fn nothing_that_lies_in_the_place_of_a_file_leads_out_or_holds_up() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("AGENTS.md"), CANARY).unwrap();
    let desk = Desk::new(&[("AGENTS.md", "inside")]);
    let mut asked = Vec::new();
    for (number, thing) in THINGS.iter().enumerate() {
        for (place, name) in PLACES.iter().enumerate() {
            let dir = format!("{number}/{place}");
            let path = desk.at(&format!("{dir}/{name}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(thing, &path, outside.path());
            let beyond = if *name == "folder" { "/AGENTS.md" } else { "" };
            asked.push((*thing, dir.clone(), format!("{dir}/{name}{beyond}")));
        }
    }
    assert_eq!(asked.len(), 85);
    let imports: String = asked.iter().map(|(.., path)| format!("@./{path}\n")).collect();
    desk.put("AGENTS.md", imports.as_bytes());
    for (thing, dir, path) in &asked {
        let found = desk.along(&[dir, &format!("{dir}/folder")]);
        let read: Vec<_> = found.iter().filter(|file| file.refused.is_none()).collect();
        assert!(
            matches!(read[..], [file] if file.path == "AGENTS.md"),
            "{thing}, {path}: {read:?}"
        );
        let imported = desk.folders.import(&desk.place(), "AGENTS.md", path);
        assert!(imported.is_err(), "{thing}, {path}: {imported:?}");
        match desk.open(path) {
            Ok(new) => assert_eq!((new.hash, new.text.as_str()), (None, ""), "{thing}, {path}"),
            Err(_) => assert!(desk.save(path, "written", None).is_err(), "{thing}, {path}"),
        }
    }
    let all = desk.all();
    let read = &mut |from: &str, to: &str| desk.folders.import(&desk.place(), from, to);
    assert!(all.iter().all(|file| !expand(file, read).text().contains(CANARY)));
    assert_eq!(fs::read_to_string(outside.path().join("AGENTS.md")).unwrap(), CANARY);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_secret_is_known_by_its_name_in_any_case() {
    let secrets = [".Env", ".ENV.local", ".GIT/config", "sub/.Git/hooks/x.md", "ID_RSA", "a.PEM"];
    let desk = Desk::new(&secrets.map(|path| (path, CANARY)));
    for path in secrets {
        let imported = desk.folders.import(&desk.place(), "AGENTS.md", path);
        assert_eq!(imported.unwrap_err(), Refusal::Excluded, "{path}");
    }
}
