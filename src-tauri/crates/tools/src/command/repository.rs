//! What of a project's folder others run or obey without being told to: git its hooks and configuration, editors and
//! shells their files of tasks. Called before and after a command.
//!
//! What git runs is kept as it is where the system can. The rest belongs to the project and may be changed, as by a
//! checkout; then it is said.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// In a folder of git: what is run, and what says what is run.
const RUN_BY_GIT: &[&str] = &["hooks", "config", "config.worktree", "info/attributes", "commondir"];

/// At the top of a project: what shells, editors and other agents run or obey.
const RUN_BY_OTHERS: &[&str] = &[
    ".autoenv",
    ".claude",
    ".codex",
    ".cursor",
    ".devcontainer",
    ".devcontainer.json",
    ".dir-locals.el",
    ".envrc",
    ".exrc",
    ".gemini",
    ".githooks",
    ".husky",
    ".idea",
    ".lvimrc",
    ".mcp.json",
    ".mise.toml",
    ".nvim.lua",
    ".nvimrc",
    ".pre-commit-config.yaml",
    ".vimrc",
    ".vscode",
    ".zed",
    "lefthook.yml",
    "mise.toml",
];

/// Most folders and files that are looked at for this: of submodules and work trees, and in one of the places above.
const MOST: usize = 2_000;

/// Most folders of a project, nearest its root first, in which a repository is looked for, and most names in them.
const LOOKED_AT: usize = 5_000;
const NAMES: usize = 200_000;

/// Of the repositories in a project: what cannot be changed, and the folders above it, which cannot be put aside for others.
#[cfg(target_os = "linux")]
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Files and folders that stay as they are.
    pub(super) fixed: BTreeSet<PathBuf>,
    /// Folders that stay where they are.
    pub(super) anchored: BTreeSet<PathBuf>,
}

/// What git runs in this project, as far as it is there.
#[cfg(target_os = "linux")]
pub(super) fn kept(root: &Path) -> Kept {
    let mut kept = Kept::default();
    for git in repositories(root) {
        if is_real(&git, Metadata::is_file) {
            // It says where the repository is.
            kept.fixed.insert(git.clone());
        }
        let Some(place) = place(root, &git) else { continue };
        for folder in folders(&place) {
            let there = RUN_BY_GIT.iter().map(|name| folder.join(name));
            let there = there.filter(|path| is_real(path, |it| it.is_file() || it.is_dir()));
            for path in there {
                let above = path.ancestors().skip(1).take_while(|it| it.starts_with(&place));
                kept.anchored.extend(above.map(Path::to_owned));
                kept.fixed.insert(path);
            }
        }
    }
    kept
}

/// Every `.git` in a project: its own, and those of what lies in it.
fn repositories(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.join(".git")];
    let mut looked_at = VecDeque::from([root.to_owned()]);
    let (mut folders, mut names) = (0, 0);
    while let Some(folder) = looked_at.pop_front().filter(|_| folders < LOOKED_AT && names < NAMES)
    {
        folders += 1;
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            names += 1;
            if entry.file_name() == ".git" {
                found.extend((folder != root).then(|| entry.path()));
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                looked_at.push_back(entry.path());
            }
        }
    }
    found
}

/// Where a repository of a project really lies, as long as that is in the project.
fn place(root: &Path, git: &Path) -> Option<PathBuf> {
    let found = git.symlink_metadata().ok()?;
    let place = match found.is_file() {
        true => told(git)?,
        false if found.is_symlink() => git.canonicalize().ok()?,
        false => return Some(git.to_owned()),
    };
    (place.starts_with(root) && place != root).then_some(place)
}

/// The folder that a file of git names, where there is one.
fn told(path: &Path) -> Option<PathBuf> {
    let said = fs::read_to_string(path).unwrap_or_default();
    let said = said.trim().trim_start_matches("gitdir:").trim().to_owned();
    path.parent().map(|folder| folder.join(said)).and_then(|it| it.canonicalize().ok())
}

/// Folders of git in a repository: its own, and those of submodules and work trees.
fn folders(git: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut looked_at = vec![git.to_owned(), git.join("modules"), git.join("worktrees")];
    let mut count = 0;
    while let Some(path) = looked_at.pop() {
        count += 1;
        if count > MOST || !is_real(&path, Metadata::is_dir) {
            continue;
        }
        let is_one = path.join("HEAD").exists();
        if !is_one {
            let beneath = fs::read_dir(&path).into_iter().flatten().flatten();
            looked_at.extend(beneath.map(|entry| entry.path()));
        } else if path != git {
            looked_at.push(path.join("modules"));
        }
        if is_one || path == git {
            found.push(path);
        }
    }
    found
}

fn is_real(path: &Path, is_such: impl Fn(&Metadata) -> bool) -> bool {
    path.symlink_metadata().is_ok_and(|it| !it.is_symlink() && is_such(&it))
}

/// The repository of a project that is one of its work trees. Only one that knows it is believed: anybody can write a
/// `.git` that names a place. What lies in the project says nothing of what lies around it.
#[cfg(target_os = "linux")]
pub(super) fn elsewhere(root: &Path) -> Vec<PathBuf> {
    let link = root.join(".git");
    let Some(own) = is_real(&link, Metadata::is_file).then(|| told(&link)).flatten() else {
        return Vec::new();
    };
    let worktrees = own.parent().filter(|it| it.ends_with("worktrees"));
    let common = worktrees.and_then(Path::parent);
    let is_known = told(&own.join("gitdir")).is_some_and(|it| it == link);
    match common {
        Some(common)
            if is_known
                && !own.starts_with(root)
                && common.join("objects").is_dir()
                && common.join("HEAD").is_file() =>
        {
            vec![common.to_owned()]
        }
        _ => Vec::new(),
    }
}

/// What is run or obeyed by others, with what tells one state of it from another.
pub(super) type Seen = BTreeMap<PathBuf, (u64, u64, u32, i64, i64)>;

/// Looks at everything that others run or obey.
pub(super) fn look(root: &Path) -> Seen {
    let mut seen = Seen::new();
    let repositories = repositories(root);
    let of_git = repositories.iter().filter_map(|git| place(root, git));
    let of_git: BTreeSet<PathBuf> = of_git.flat_map(|place| folders(&place)).collect();
    let of_git = of_git.iter().flat_map(|git| RUN_BY_GIT.iter().map(|name| git.join(name)));
    let others = RUN_BY_OTHERS.iter().map(|name| root.join(name));
    for place in of_git.chain(others) {
        let mut looked_at = vec![place];
        let mut count = 0;
        while let Some(path) = looked_at.pop() {
            count += 1;
            let Ok(found) = path.symlink_metadata() else { continue };
            if !found.is_dir() {
                // The time of its last change is nobody's to set.
                let state =
                    (found.ino(), found.size(), found.mode(), found.ctime(), found.ctime_nsec());
                seen.insert(path, state);
            } else if count < MOST {
                let beneath = fs::read_dir(&path).into_iter().flatten().flatten();
                looked_at.extend(beneath.map(|entry| entry.path()));
            }
        }
    }
    for git in repositories {
        let Ok(found) = git.symlink_metadata() else { continue };
        // A folder is the one that it was; work in it goes on.
        let state = match found.is_dir() {
            true => (found.ino(), 0, 0, 0, 0),
            false => (found.ino(), found.size(), found.mode(), found.ctime(), found.ctime_nsec()),
        };
        seen.insert(git, state);
    }
    seen
}

/// What was made, changed or taken away between two looks, relative to the root. Of a repository that is another one, it
/// alone.
pub(super) fn changed(root: &Path, before: &Seen, after: &Seen) -> Vec<String> {
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let other = all.into_iter().filter(|path| before.get(*path) != after.get(*path));
    let other: BTreeSet<&Path> = other.map(PathBuf::as_path).collect();
    let is_within = |path: &Path| {
        path.ancestors().skip(1).any(|above| above.ends_with(".git") && other.contains(above))
    };
    let named = other.iter().filter(|path| !is_within(path));
    named.filter_map(|path| path.strip_prefix(root).ok()?.to_str().map(str::to_owned)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_a_repository_that_knows_a_work_tree_is_read_for_it() {
        let temp = tempfile::tempdir().unwrap();
        let temp = temp.path().canonicalize().unwrap();
        let (main, tree) = (temp.join("main/.git"), temp.join("tree"));
        let own = main.join("worktrees/tree");
        for folder in [&own, &main.join("objects"), &tree] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(main.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert!(elsewhere(&tree).is_empty(), "it does not know it");
        fs::write(own.join("gitdir"), format!("{}/.git\n", tree.display())).unwrap();
        assert_eq!(elsewhere(&tree), std::slice::from_ref(&main));
        fs::write(tree.join(".git"), format!("gitdir: {}\n", main.display())).unwrap();
        assert!(elsewhere(&tree).is_empty(), "no work tree of it");
    }

    #[test]
    fn a_project_that_says_it_is_a_work_tree_of_what_is_around_it_opens_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let around = temp.path().canonicalize().unwrap();
        // As a folder of work trees may lie: beside folders and files with the names that git uses.
        fs::create_dir_all(around.join("objects")).unwrap();
        fs::write(around.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let tree = around.join("worktrees/tree");
        for (root, told) in [(&tree, "."), (&around.join("worktrees"), "tree")] {
            fs::create_dir_all(root).unwrap();
            fs::create_dir_all(root.join("tree")).unwrap();
            let own = root.join(told);
            fs::write(root.join(".git"), format!("gitdir: {told}\n")).unwrap();
            fs::write(own.join("gitdir"), format!("{}/.git\n", root.display())).unwrap();
            assert!(elsewhere(root).is_empty(), "{}", root.display());
        }
    }

    #[test]
    fn what_others_run_is_seen_to_change() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        for folder in [".git/hooks", ".git/modules/a/b/hooks", ".vscode"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in [".git/HEAD", ".git/modules/a/b/HEAD", ".git/config", ".git/hooks/pre-commit"] {
            fs::write(root.join(file), "x").unwrap();
        }
        let before = look(root);
        fs::write(root.join(".git/index"), "x").unwrap();
        fs::write(root.join("main.rs"), "x").unwrap();
        assert!(changed(root, &before, &look(root)).is_empty());
        fs::write(root.join(".git/modules/a/b/hooks/post-checkout"), "x").unwrap();
        fs::write(root.join(".git/commondir"), "x").unwrap();
        fs::write(root.join(".vscode/tasks.json"), "x").unwrap();
        fs::write(root.join(".envrc"), "x").unwrap();
        fs::remove_file(root.join(".git/hooks/pre-commit")).unwrap();
        let made = changed(root, &before, &look(root));
        let expected = [
            ".envrc",
            ".git/commondir",
            ".git/hooks/pre-commit",
            ".git/modules/a/b/hooks/post-checkout",
            ".vscode/tasks.json",
        ];
        assert_eq!(made, expected);
    }
}
