//! Keeping a thread, and what it starts, inside a folder, by Landlock. Called before a command is started.
//!
//! Everything may be listed, and read but for places where keys lie; written may be only what is given. The kernel
//! also keeps such a process from looking into others and, where it can, from signalling them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// The first kernel that keeps a file from being emptied, too.
const LEAST: ABI = ABI::V3;

/// What may be written beside the folders: nothing stays in it.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Where keys lie, beneath the home: of people, of browsers and of this program.
const KEYS: [&str; 39] = [
    ".ssh",
    ".gnupg",
    ".password-store",
    ".age",
    ".aws",
    ".azure",
    ".oci",
    ".kube",
    ".docker/config.json",
    ".terraform.d",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".config/1Password",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/siltstone",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/siltstone",
    ".mozilla",
    ".thunderbird",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".vault-token",
];

/// Whether this kernel really keeps a process inside a folder. It is tried once.
pub(super) fn is_enforced() -> bool {
    static ENFORCED: OnceLock<bool> = OnceLock::new();
    *ENFORCED.get_or_init(|| try_it().unwrap_or(false))
}

fn try_it() -> io::Result<bool> {
    let (inside, outside) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let file = outside.path().join("file");
    fs::write(&file, "x")?;
    let is_refused = |tried: io::Result<()>| {
        tried.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    // What a thread is kept inside of it never leaves, so it is a thread of its own.
    thread::scope(|scope| {
        let tried =
            thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(scope, || {
                restrict(&[inside.path()], &[PathBuf::from("/")]).map_err(io::Error::other)?;
                let emptied =
                    fs::OpenOptions::new().write(true).truncate(true).open(&file).map(drop);
                let made = fs::write(outside.path().join("new"), "x");
                let kept = fs::write(inside.path().join("new"), "x");
                Ok(is_refused(emptied) && is_refused(made) && kept.is_ok())
            })?;
        tried.join().unwrap_or(Ok(false))
    })
}

/// Keeps this thread, and everything it starts, from writing anywhere but here.
pub(super) fn enter(root: &Path, temp: &Path) -> io::Result<()> {
    let readable = readable(&keys());
    let status = restrict(&[root, temp], &readable).map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(io::Error::other("the system does not keep commands inside the project"));
    }
    Ok(())
}

fn restrict(writable: &[&Path], readable: &[PathBuf]) -> Result<RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(LEAST);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(all)?
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(readable, AccessFs::ReadFile | AccessFs::Execute))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(LEAST)))?
        .add_rules(path_beneath_rules(writable, all))?
        .restrict_self()
}

/// Where keys lie on this computer, free of links.
fn keys() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let beneath = home.iter().flat_map(|home| KEYS.iter().map(|key| home.join(key)));
    let moved = std::env::var_os("XDG_DATA_HOME").map(|data| Path::new(&data).join("siltstone"));
    let ours = std::env::var_os("SILTSTONE_DATA_DIR").map(PathBuf::from);
    let named = beneath.chain(moved).chain(ours);
    named.filter_map(|path| path.canonicalize().ok()).collect()
}

/// What covers everything but these places.
fn readable(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut open = Vec::new();
    let mut looked_at = vec![PathBuf::from("/")];
    while let Some(path) = looked_at.pop() {
        if hidden.contains(&path) {
            continue;
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            open.push(path);
            continue;
        }
        // What a link leads to is met where it lies.
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        let real = entries.filter(|it| it.file_type().is_ok_and(|kind| !kind.is_symlink()));
        looked_at.extend(real.map(|entry| entry.path()));
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_covered_but_what_is_hidden() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for path in [".ssh", ".config/gh", ".config/app", "code"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::write(home.join("notes.md"), "x").unwrap();
        std::os::unix::fs::symlink(".ssh", home.join("keys")).unwrap();
        let open = readable(&[home.join(".ssh"), home.join(".config/gh")]);
        let inside: Vec<_> = open.iter().filter_map(|path| path.strip_prefix(&home).ok()).collect();
        let mut inside: Vec<_> = inside.iter().filter_map(|path| path.to_str()).collect();
        inside.sort_unstable();
        assert_eq!(inside, [".config/app", "code", "notes.md"]);
        assert!(open.contains(&PathBuf::from("/usr")), "{open:?}");
        assert!(!open.iter().any(|path| home.starts_with(path)), "{open:?}");
    }
}
