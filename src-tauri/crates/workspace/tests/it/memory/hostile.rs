//! Folders that mean harm: each refusal is named, nothing is waited for, nothing from outside is read.

use std::fs;

use siltstone_engine::memory::{MAX_FILE_BYTES, MemoryFiles, Refusal};
use siltstone_engine::ports::FolderError;

use super::desk::{Desk, paths};

fn refusal(desk: &Desk, path: &str) -> Option<Refusal> {
    let files = desk.all();
    let file = files.iter().find(|file| file.path == path);
    let file = file.unwrap_or_else(|| panic!("{path} is not named"));
    assert!(file.refused.is_none() || file.text.is_empty(), "{path}");
    file.refused.clone()
}

#[cfg(unix)]
#[test]
fn what_is_not_read_says_why() {
    use std::os::unix::fs::symlink;

    let desk = Desk::new(&[("AGENTS.md", "good")]);
    let mkfifo = |path: &str| {
        fs::create_dir_all(desk.at(path).parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(desk.at(path)).status().unwrap();
        assert!(made.success());
    };
    mkfifo("pipe/GEMINI.md");
    mkfifo("patterns/.gitignore");
    desk.put("patterns/AGENTS.md", b"beside odd patterns");
    fs::create_dir_all(desk.at("folder/GEMINI.md/deeper")).unwrap();
    desk.put("large/GEMINI.md", b"");
    fs::File::create(desk.at("large/GEMINI.md")).unwrap().set_len(50 * 1024 * 1024).unwrap();
    desk.put("binary/GEMINI.md", b"\x7FELF\0\x01\0");
    desk.put("broken/GEMINI.md", b"caf\xE9 \xFF\xFE\x80 na\xEFve");
    desk.put("mine/GEMINI.md", "# 규칙\n".as_bytes());
    for (link, to) in [
        ("out/GEMINI.md", "/etc/passwd"),
        ("out/AGENTS.md", "/dev/zero"),
        ("out/CLAUDE.md", "/proc/self/environ"),
        ("out/.cursor/rules", "/etc"),
        ("out/.gemini", "/etc"),
        ("ring/GEMINI.md", "GEMINI.md"),
        ("nothing/GEMINI.md", "nowhere"),
        ("env/GEMINI.md", "../.env"),
    ] {
        fs::create_dir_all(desk.at(link).parent().unwrap()).unwrap();
        symlink(to, desk.at(link)).unwrap();
    }
    desk.put(".env", b"SECRET=1");
    symlink("..", desk.at("mine/up")).unwrap();

    for (path, expected) in [
        ("AGENTS.md", None),
        ("mine/GEMINI.md", None),
        ("pipe/GEMINI.md", Some(Refusal::NotRegular)),
        ("patterns/AGENTS.md", None),
        ("folder/GEMINI.md", Some(Refusal::NotRegular)),
        (
            "large/GEMINI.md",
            Some(Refusal::TooLarge { bytes: 50 * 1024 * 1024, most: MAX_FILE_BYTES }),
        ),
        ("binary/GEMINI.md", Some(Refusal::NotText)),
        ("out/GEMINI.md", Some(Refusal::Outside)),
        ("out/AGENTS.md", Some(Refusal::Outside)),
        ("out/CLAUDE.md", Some(Refusal::Outside)),
        ("out/.cursor/rules", Some(Refusal::Outside)),
        ("nothing/GEMINI.md", Some(Refusal::Missing)),
        ("env/GEMINI.md", Some(Refusal::Excluded)),
    ] {
        assert_eq!(refusal(&desk, path), expected, "{path}");
    }
    assert!(matches!(refusal(&desk, "ring/GEMINI.md"), Some(Refusal::Unreadable { .. })));
    // An older encoding is read; what is shown is text, whichever it is.
    assert_eq!(refusal(&desk, "broken/GEMINI.md"), None);
    // A link of a folder is not entered, so `..` made no ring.
    assert!(paths(&desk.all()).iter().all(|path| !path.contains("up/")));
}

#[test]
fn a_thousand_levels_and_the_longest_names_are_bounded() {
    let desk = Desk::new(&[]);
    let mut path = desk.root.path().to_path_buf();
    for _ in 0..1_000 {
        path.push("d");
    }
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("AGENTS.md"), "deep down").unwrap();
    let longest = "가".repeat(85);
    desk.put(&format!("{longest}/AGENTS.md"), b"long");
    desk.put(&format!(".hidden/{longest}"), b"no memory");
    desk.put(".hidden/AGENTS.md", b"hidden");
    let files = desk.all();
    assert_eq!(files.len(), 3);
    assert!(files.iter().all(|file| file.refused.is_none()));
    assert_eq!(files.iter().filter(|file| file.text == "deep down").count(), 1);
    let dir = vec!["d"; 1_000].join("/");
    assert_eq!(desk.along(&[&dir]).len(), 1);
    assert!(desk.along(&[&vec!["d"; 100_000].join("/")]).len() <= 1);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_left_out() {
    use std::os::unix::ffi::OsStrExt;

    let desk = Desk::new(&[("a/AGENTS.md", "good")]);
    let odd = desk.root.path().join(std::ffi::OsStr::from_bytes(b"\xFF\xFE"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("AGENTS.md"), "odd").unwrap();
    assert_eq!(paths(&desk.all()), ["a/AGENTS.md"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_is_swapped_while_it_is_read_never_leads_out() {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    let desk = Desk::new(&[("real/AGENTS.md", "inside")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("AGENTS.md"), "outside").unwrap();
    let (spot, spare) = (desk.at("spot"), desk.at("spare"));
    let done = AtomicBool::new(false);
    let read: Vec<_> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for to in [outside.path(), &desk.at("real")] {
                    symlink(to, &spare).unwrap();
                    fs::rename(&spare, &spot).unwrap();
                }
            }
        });
        let import = |_| desk.folders.import(&desk.place(), "AGENTS.md", "spot/AGENTS.md");
        let read = (0..10_000).map(import).filter_map(Result::ok).collect();
        done.store(true, Ordering::Relaxed);
        read
    });
    assert!(read.iter().all(|read| read.text == "inside"));
}

#[test]
fn only_memory_and_what_it_imports_is_opened_and_written() {
    let desk = Desk::new(&[
        ("AGENTS.md", "see @docs/style.md"),
        ("docs/style.md", "see @more.md"),
        ("docs/more.md", "more"),
        ("docs/other.md", "other"),
        ("src/main.rs", "fn main() {}"),
        (".cursor/rules/a.mdc", "rule"),
        (".cursor/rules/run.sh", "no rule"),
        (".git/hooks/AGENTS.md", "never"),
    ]);
    let global = desk.put_global(".gemini/GEMINI.md", "@style.md");
    let style = desk.put_global(".gemini/style.md", "style");
    let key = desk.put_global(".ssh/id_ed25519", "key");
    for path in
        ["AGENTS.md", "docs/style.md", "docs/more.md", ".cursor/rules/a.mdc", &global, &style]
    {
        assert!(desk.open(path).is_ok_and(|document| document.hash.is_some()), "{path}");
    }
    for path in [
        "docs/other.md",
        "src/main.rs",
        ".cursor/rules/run.sh",
        ".git/hooks/AGENTS.md",
        "../AGENTS.md",
        "/etc/AGENTS.md",
        "/etc/passwd",
        "",
        &key,
    ] {
        let outside = FolderError::Outside { path: path.to_owned() };
        assert_eq!(desk.open(path), Err(outside.clone()), "{path}");
        assert_eq!(desk.save(path, "x", None), Err(outside.into()), "{path}");
    }
}
