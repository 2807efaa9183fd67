//! What a program is made of, as far as it can change unasked: its own file and the files it runs, where tools, commands or
//! other servers can write. Looked at whenever a server is asked for anything, and shown when it is agreed to.
//!
//! A *place* is a project, or a folder that a server may change. Of each file that lies in one, the file is bound, and what
//! lies beside it:
//!
//! - **which files**: the program where its name leads; each argument, each word of a variable it is given, or what follows
//!   its `=`, that names a file from where the program starts, but for what was named to be changed by it; for an
//!   interpreter also a folder or module; for what runs packages by name also what `node_modules` has under that name, and
//!   the file in which it is told what to do ([`TOLD`]);
//! - **beside**: everything beneath the package's folder, which is the nearest one above with a manifest ([`MANIFESTS`])
//!   that is not the place itself; where there is none, everything beneath the file's own folder. Of the place itself only
//!   what lies directly in it and is code by its name ([`CODE`]), with its manifests, because a project as a whole changes
//!   all the time;
//! - **how much**: [`FILES`] files and [`BYTES`] bytes, nearest first. That there was more is said.
//!
//! Not bound: `.git`, and `__pycache__`, which is neither read nor written by a server of ours; what a program reads later
//! by itself from elsewhere in the project; and what a program fetches. Outside of places, only commands that nothing keeps
//! inside can write: where there are such, each file counts, and what lies beside does not.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::env;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use siltstone_engine::tool::mcp::{McpNeeds, McpParts, McpPlace, program_name};

use crate::environment::found_in;

/// Most files that are bound of one server.
const FILES: usize = 10_000;

/// Most bytes of them.
const BYTES: u64 = 256 * 1024 * 1024;

/// What makes a folder a package.
const MANIFESTS: [&str; 10] = [
    "package.json",
    "pyproject.toml",
    "setup.py",
    "pyvenv.cfg",
    "Cargo.toml",
    "go.mod",
    "deno.json",
    "Gemfile",
    "composer.json",
    "build.gradle",
];

/// What code is called.
const CODE: [&str; 24] = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "pyc", "pth", "rb", "php", "pl",
    "lua", "sh", "bash", "ps1", "jar", "class", "wasm", "node", "so", "dll",
];

/// Programs that run what a folder or a module holds.
const INTERPRETERS: [&str; 9] =
    ["node", "nodejs", "deno", "bun", "python", "python3", "ruby", "php", "uv"];

/// Programs that run packages by name from a folder's `node_modules`.
const BY_NAME: [&str; 7] = ["npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun"];

/// Programs that are told what to do by files where they start.
const TOLD: [(&[&str], &[&str]); 5] = [
    (&BY_NAME, &[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml"]),
    (&["npm", "pnpm", "yarn", "bun", "deno"], &["package.json", "deno.json", "deno.jsonc"]),
    (&["uv", "uvx", "pipx", "poetry", "hatch"], &["uv.toml", "pyproject.toml", "uv.lock"]),
    (
        &["make", "just", "task"],
        &["Makefile", "makefile", "GNUmakefile", "justfile", "Taskfile.yml"],
    ),
    (&["cargo"], &["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "build.rs"]),
];

/// Folders that no program is made of.
const SKIPPED: [&str; 2] = [".git", "__pycache__"];

/// The folder of packages of a program that are found by name.
const PACKAGES: &str = "node_modules";

/// Hashes of files by what tells one state of a file from another.
#[derive(Clone, Default)]
pub(super) struct Hashes(Arc<Mutex<HashMap<PathBuf, (Stamp, String)>>>);

/// Its number, size, and the times of its last changes, of which one is nobody's to set.
type Stamp = (u64, u64, i64, i64, i64, i64);

impl Hashes {
    fn of(&self, path: &Path, found: &Metadata) -> Option<String> {
        let stamp = stamp(found);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some((_, hash)) = known.filter(|(of, _)| stamp.as_ref() == Some(of)) {
            return Some(hash);
        }
        let mut hasher = blake3::Hasher::new();
        let mut file = fs::File::open(path).ok()?;
        let mut piece = vec![0; 64 * 1024];
        while let read @ 1.. = file.read(&mut piece).ok()? {
            hasher.update(&piece[..read]);
        }
        let hash = hasher.finalize().to_hex().to_string();
        // One that was changed a moment ago may be changed again within the same moment of the system's clock.
        if let Some(stamp) = stamp.filter(is_settled) {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(path.to_owned(), (stamp, hash.clone()));
        }
        Some(hash)
    }
}

#[cfg(unix)]
fn stamp(found: &Metadata) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;
    let (changed, written) =
        ((found.ctime(), found.ctime_nsec()), (found.mtime(), found.mtime_nsec()));
    Some((found.ino(), found.size(), changed.0, changed.1, written.0, written.1))
}

#[cfg(not(unix))]
fn stamp(_found: &Metadata) -> Option<Stamp> {
    None
}

fn is_settled(stamp: &Stamp) -> bool {
    const SECONDS: u64 = 2;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.is_ok_and(|now| u64::try_from(stamp.2).is_ok_and(|at| at + SECONDS < now.as_secs()))
}

/// What may name files of a program: its arguments, and the words of variables, some of which say what is loaded.
pub(super) fn named(args: &[String], env: &BTreeMap<String, String>) -> Vec<String> {
    let of_env = env.values().flat_map(|value| value.split([' ', ':', ','])).map(str::to_owned);
    args.iter().cloned().chain(of_env).collect()
}

/// What a program that these words are named to is made of.
pub(super) fn parts(
    command: &str,
    args: &[String],
    needs: &McpNeeds,
    place: &McpPlace,
    hashes: &Hashes,
) -> McpParts {
    let root = Path::new(&place.root);
    let own = runs_these(command, args, needs, root);
    let places = place.writable.iter().filter_map(|it| home_of(it).canonicalize().ok());
    let mut looking = Looking {
        places: places.collect(),
        anywhere: place.anywhere,
        hashes,
        files: BTreeMap::new(),
        bytes: 0,
        more: false,
    };
    let program = own.first().filter(|it| it.is_program).and_then(|it| it.path.canonicalize().ok());
    let real = own.iter().filter_map(|it| it.path.canonicalize().ok());
    // What is named, and where that leads: either can be put in the other's place.
    let all: BTreeSet<PathBuf> = own.iter().map(|it| it.path.clone()).chain(real).collect();
    for path in &all {
        looking.bind(path);
    }
    for path in &all {
        looking.beside(path);
    }
    McpParts {
        program: program.map(|it| it.display().to_string()).unwrap_or_default(),
        files: looking.files,
        more: looking.more,
    }
}

/// What of a program it has to read to run: where its files, and what they are beside, lie.
pub(super) fn read_to_run(
    command: &str,
    args: &[String],
    needs: &McpNeeds,
    root: &Path,
) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for run in runs_these(command, args, needs, root) {
        let real = run.path.canonicalize().ok();
        for path in [Some(run.path.clone()), real].into_iter().flatten() {
            let packages = path.ancestors().filter(|it| it.ends_with(PACKAGES)).last();
            let manifest = path.ancestors().skip(1).find(|it| has_manifest(it));
            let folder = path.parent();
            // Programs of a prefix find the rest of it from their own place.
            let prefix = folder.filter(|it| it.ends_with("bin")).and_then(Path::parent);
            folders.extend([packages, manifest, prefix].into_iter().flatten().map(Path::to_owned));
            // A folder that is no package may hold anything: of it the code alone.
            folders.extend(folder.filter(|_| manifest.is_none()).into_iter().flat_map(code_in));
            folders.push(path.clone());
        }
    }
    folders
}

/// A file or folder that is run.
struct Run {
    path: PathBuf,
    is_program: bool,
}

fn runs_these(command: &str, args: &[String], needs: &McpNeeds, root: &Path) -> Vec<Run> {
    let name = program_name(command);
    let program = found_in(command, root).map(|path| Run { path, is_program: true });
    let mut all: Vec<Run> = program.into_iter().collect();
    let changed: Vec<PathBuf> = needs.writes.iter().map(|it| root.join(home_of(it))).collect();
    let mut names_script = false;
    for arg in args {
        let value = arg.split_once('=').map(|(_, value)| value);
        for word in [Some(arg.as_str()), value].into_iter().flatten().filter(|it| !it.is_empty()) {
            let path: PathBuf = root.join(home_of(word)).components().collect();
            let is_file = path.is_file();
            // What it changes itself is its data; its own code never is.
            let is_data = names_script && changed.iter().any(|it| path.starts_with(it));
            if is_file && !is_data {
                names_script = true;
                all.push(Run { path, is_program: false });
            } else if !is_file && !word.starts_with('-') {
                all.extend(by_name(&name, word, root).map(|path| Run { path, is_program: false }));
            }
        }
    }
    let told = TOLD.iter().filter(|(names, _)| names.contains(&name.as_str()));
    let told = told.flat_map(|(_, files)| files.iter().map(|it| root.join(it)));
    all.extend(told.filter(|it| it.is_file()).map(|path| Run { path, is_program: false }));
    all
}

/// What a word stands for that is no file: a folder or module that is run, a package of the folder.
fn by_name(program: &str, word: &str, root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut found = Vec::new();
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if INTERPRETERS.contains(&program) {
        const BEGINS: [&str; 6] =
            ["package.json", "index.js", "index.mjs", "index.cjs", "__main__.py", "__init__.py"];
        let module = word.replace('.', "/");
        let folders = [word, module.as_str()].map(|it| root.join(it));
        found.extend(folders.iter().flat_map(|it| BEGINS.iter().map(|name| it.join(name))));
        found.push(root.join(format!("{module}.py")));
    }
    if BY_NAME.contains(&program) {
        let named = word.rfind('@').filter(|at| *at > 0).map_or(word, |at| &word[..at]);
        for packages in root.ancestors().map(|it| it.join(PACKAGES)) {
            found.push(packages.join(".bin").join(named));
            found.push(packages.join(named).join("package.json"));
        }
    }
    found.into_iter().filter(|it| it.is_file())
}

fn home_of(path: &str) -> PathBuf {
    let home = path.strip_prefix("~/").zip(env::home_dir());
    home.map_or_else(|| PathBuf::from(path), |(rest, home)| home.join(rest))
}

fn has_manifest(folder: &Path) -> bool {
    MANIFESTS.iter().any(|it| folder.join(it).is_file())
}

/// Files directly in a folder that are code by their names, or say what is.
fn code_in(folder: &Path) -> BTreeSet<PathBuf> {
    let is_code = |path: &PathBuf| {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        (CODE.contains(&ending) || MANIFESTS.contains(&name)) && path.is_file()
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|it| it.path()).filter(is_code).collect()
}

struct Looking<'a> {
    places: Vec<PathBuf>,
    anywhere: bool,
    hashes: &'a Hashes,
    files: BTreeMap<String, String>,
    bytes: u64,
    more: bool,
}

impl Looking<'_> {
    /// The place that a path lies in; the innermost one.
    fn place(&self, path: &Path) -> Option<PathBuf> {
        // Its folder is what can be written in, wherever a link in its way leads.
        let real = path.parent().and_then(|it| it.canonicalize().ok())?;
        let around = self.places.iter().filter(|it| real.starts_with(it));
        around.max_by_key(|it| it.components().count()).cloned()
    }

    /// Binds a file that lies where something can be written.
    fn bind(&mut self, path: &Path) {
        if self.anywhere || self.place(path).is_some() {
            self.keep(path);
        }
    }

    /// Binds what lies beside a file.
    fn beside(&mut self, path: &Path) {
        let Some(place) = self.place(path) else { return };
        let Some(folder) = path.parent().and_then(|it| it.canonicalize().ok()) else { return };
        let above = folder.ancestors().take_while(|it| **it != place);
        let packages: Vec<&Path> = above.filter(|it| has_manifest(it)).collect();
        // One that another brought along is a part of that.
        let is_brought = |it: &Path| it.components().any(|part| part.as_os_str() == PACKAGES);
        let is_part = packages.first().is_some_and(|it| is_brought(it));
        match if is_part { packages.last() } else { packages.first() } {
            Some(package) => self.beneath(package),
            None if folder == place => code_in(&place).iter().for_each(|it| self.keep(it)),
            None => self.beneath(&folder),
        }
    }

    /// Everything beneath a folder, the nearest first.
    fn beneath(&mut self, folder: &Path) {
        let mut folders = VecDeque::from([folder.to_owned()]);
        while let Some(folder) = folders.pop_front() {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            for path in entries.map(|it| it.path()).collect::<BTreeSet<_>>() {
                let is_skipped =
                    path.file_name().is_some_and(|it| SKIPPED.iter().any(|no| it == *no));
                let kind = path.symlink_metadata().map(|it| it.file_type());
                if is_skipped {
                    continue;
                }
                match kind {
                    Ok(kind) if kind.is_dir() => folders.push_back(path),
                    Ok(_) => self.keep(&path),
                    Err(_) => {}
                }
                if self.more {
                    return;
                }
            }
        }
    }

    fn keep(&mut self, path: &Path) {
        let name = path.display().to_string();
        if self.files.contains_key(&name) {
            return;
        }
        let Ok(found) = path.metadata() else { return };
        if found.is_dir() {
            // A link: what it leads to is not looked at, and where it leads is bound.
            if let Ok(to) = fs::read_link(path) {
                let hash = blake3::hash(to.as_os_str().as_encoded_bytes()).to_hex().to_string();
                self.files.insert(name, hash);
            }
            return;
        }
        if !found.is_file() {
            return;
        }
        if self.files.len() >= FILES || self.bytes + found.len() > BYTES {
            self.more = true;
            return;
        }
        self.bytes += found.len();
        // What cannot be read is bound to that.
        let hash = self.hashes.of(path, &found).unwrap_or_default();
        self.files.insert(name, hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Names of what is bound, relative to a project with these files.
    fn bound(root: &Path, command: &str, args: &[&str], writes: &[&str]) -> Vec<String> {
        let args: Vec<String> = args.iter().map(|it| (*it).to_owned()).collect();
        let writes = writes.iter().map(|it| (*it).to_owned()).collect();
        let needs = McpNeeds { writes, ..McpNeeds::default() };
        let project = root.display().to_string();
        let place = McpPlace { root: project.clone(), writable: vec![project], anywhere: false };
        let parts = parts(command, &args, &needs, &place, &Hashes::default());
        let inside =
            |path: &String| Path::new(path).strip_prefix(root).unwrap().display().to_string();
        parts.files.keys().map(inside).collect()
    }

    #[test]
    fn what_runs_in_a_project_is_bound_with_what_lies_beside_it() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for path in [
            "package.json",
            "top.py",
            "README.md",
            "src/app.js",
            "server/package.json",
            "server/lib/a.js",
            "server/lib/data.json",
            "server/.git/config",
            "loose/run.py",
            "loose/more/b.py",
            "loose/__pycache__/b.pyc",
            "node_modules/tool/package.json",
            "node_modules/tool/bin.js",
            "notes.db",
        ] {
            write(&root.join(path), path);
        }
        fs::create_dir_all(root.join("node_modules/.bin")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../tool/bin.js", root.join("node_modules/.bin/tool")).unwrap();
        let server = ["server/lib/a.js", "server/lib/data.json", "server/package.json"];
        assert_eq!(bound(&root, "sh", &["server/lib/a.js"], &[]), server);
        assert_eq!(bound(&root, "sh", &["--main=./server/lib/a.js", "-v"], &[]).len(), 3);
        assert_eq!(bound(&root, "python3", &["-m", "loose.more.b"], &[]), ["loose/more/b.py"]);
        assert_eq!(bound(&root, "sh", &["loose/run.py"], &[]), ["loose/more/b.py", "loose/run.py"]);
        assert_eq!(bound(&root, "sh", &["top.py"], &[]), ["package.json", "top.py"]);
        // Data is what it may change; its own code is not.
        let with_data = ["package.json", "top.py"];
        assert_eq!(bound(&root, "sh", &["top.py", "notes.db"], &["notes.db"]), with_data);
        assert_eq!(bound(&root, "sh", &["top.py", "notes.db"], &[]).len(), 3);
        assert_eq!(bound(&root, "sh", &["top.py"], &["."]), with_data);
        assert_eq!(bound(&root, "sh", &["-c", "true", "."], &[]), Vec::<String>::new());
        #[cfg(unix)]
        for name in ["tool", "tool@1.2.3"] {
            let all = bound(&root, "npx", &["-y", name], &[]);
            assert!(all.contains(&"node_modules/tool/bin.js".to_owned()), "{all:?}");
            assert!(all.contains(&"node_modules/.bin/tool".to_owned()), "{all:?}");
        }
    }

    #[test]
    fn a_variable_names_files_too() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        write(&root.join("lib/first.js"), "1");
        let env = [("NODE_OPTIONS".to_owned(), "--trace --require=./lib/first.js".to_owned())];
        let words = named(&["main.js".to_owned()], &env.into());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(bound(&root, "sh", &words, &[]), ["lib/first.js"]);
    }

    #[test]
    fn a_known_hash_is_that_of_the_file_as_it_is() {
        let temp = tempfile::tempdir().unwrap();
        let (path, hashes) = (temp.path().join("a"), Hashes::default());
        for text in ["one", "two"] {
            write(&path, text);
            let hash = hashes.of(&path, &path.metadata().unwrap()).unwrap();
            assert_eq!(hash, blake3::hash(text.as_bytes()).to_hex().to_string());
        }
    }
}
