//! What of a project's folder others run or obey without being told to: git its hooks and configuration, editors and
//! shells their files of tasks. Called before and after a command.
//!
//! What git runs is kept as it is where the system can. The rest belongs to the project and may be changed, as by a
//! checkout; then it is said.

use std::collections::{BTreeMap, BTreeSet};
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

/// Of a repository in a project: what cannot be changed, and the folders above it, which cannot be put aside for others.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Files and folders that stay as they are.
    pub(super) fixed: BTreeSet<PathBuf>,
    /// Folders that stay where they are.
    pub(super) anchored: BTreeSet<PathBuf>,
}

/// What git runs in this project, as far as it is there.
pub(super) fn kept(root: &Path) -> Kept {
    let mut kept = Kept::default();
    let git = root.join(".git");
    if is_real(&git, Metadata::is_file) {
        // It says where the repository is.
        kept.fixed.insert(git);
        return kept;
    }
    for folder in folders(root) {
        let there = RUN_BY_GIT.iter().map(|name| folder.join(name));
        let there = there.filter(|path| is_real(path, |it| it.is_file() || it.is_dir()));
        for path in there {
            let above = path.ancestors().skip(1).take_while(|it| it.starts_with(&git));
            kept.anchored.extend(above.map(Path::to_owned));
            kept.fixed.insert(path);
        }
    }
    kept
}

/// Folders of git in a project: its own, and those of submodules and work trees.
fn folders(root: &Path) -> Vec<PathBuf> {
    let git = root.join(".git");
    let mut found = Vec::new();
    let mut looked_at = vec![git.clone(), git.join("modules"), git.join("worktrees")];
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
/// `.git` that names a place.
pub(super) fn elsewhere(root: &Path) -> Vec<PathBuf> {
    let told = |path: &Path| {
        let said = fs::read_to_string(path).unwrap_or_default();
        let said = said.trim().trim_start_matches("gitdir:").trim().to_owned();
        path.parent().map(|folder| folder.join(said)).and_then(|it| it.canonicalize().ok())
    };
    let link = root.join(".git");
    let Some(own) = is_real(&link, Metadata::is_file).then(|| told(&link)).flatten() else {
        return Vec::new();
    };
    let worktrees = own.parent().filter(|it| it.ends_with("worktrees"));
    let common = worktrees.and_then(Path::parent);
    let is_known = told(&own.join("gitdir")).is_some_and(|it| it == link);
    match common {
        Some(common) if is_known && common.join("objects").is_dir() => vec![common.to_owned()],
        _ => Vec::new(),
    }
}

/// What is run or obeyed by others, with what tells one state of it from another.
pub(super) type Seen = BTreeMap<PathBuf, (u64, u64, u32, i64, i64)>;

/// Looks at everything that others run or obey.
pub(super) fn look(root: &Path) -> Seen {
    let mut seen = Seen::new();
    let of_git = folders(root);
    let of_git = of_git.iter().flat_map(|git| RUN_BY_GIT.iter().map(|name| git.join(name)));
    let others = RUN_BY_OTHERS.iter().chain(&[".git"]).map(|name| root.join(name));
    for place in of_git.chain(others) {
        let is_git = place == root.join(".git");
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
            } else if count < MOST && !is_git {
                let beneath = fs::read_dir(&path).into_iter().flatten().flatten();
                looked_at.extend(beneath.map(|entry| entry.path()));
            }
        }
    }
    seen
}

/// What was made, changed or taken away between two looks, relative to the root.
pub(super) fn changed(root: &Path, before: &Seen, after: &Seen) -> Vec<String> {
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let other = all.into_iter().filter(|path| before.get(*path) != after.get(*path));
    other.filter_map(|path| path.strip_prefix(root).ok()?.to_str().map(str::to_owned)).collect()
}

#[cfg(test)]
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
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert!(elsewhere(&tree).is_empty(), "it does not know it");
        fs::write(own.join("gitdir"), format!("{}/.git\n", tree.display())).unwrap();
        assert_eq!(elsewhere(&tree), std::slice::from_ref(&main));
        fs::write(tree.join(".git"), format!("gitdir: {}\n", main.display())).unwrap();
        assert!(elsewhere(&tree).is_empty(), "no work tree of it");
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
