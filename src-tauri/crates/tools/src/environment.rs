//! The environment of programs that a model's work starts: commands, MCP servers and agents; and where programs are found.
//!
//! A child gets what is named here and nothing else, so that a secret with a name nobody thought of stays out too. What is
//! named and yet looks like a secret stays out as well. An agent, which needs the person's login, gets all of it. A program
//! with a window is often started without the person's shell, and its `PATH` then lacks where they keep their own programs:
//! those usual places that are there are added behind it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use siltstone_engine::tool::mcp::looks_secret;

/// What a child is told of the person, the system and where programs keep their things.
const KEPT: [&str; 51] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "EDITOR",
    "PAGER",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "ANDROID_HOME",
    "NVM_DIR",
    "VOLTA_HOME",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "RBENV_ROOT",
    "GEM_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "no_proxy",
    "SYSTEMROOT",
    "SystemRoot",
    "SYSTEMDRIVE",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMFILES",
    "PATHEXT",
    "COMSPEC",
];

/// Addresses of proxies; one with a password in it stays out.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// Where people keep programs of their own, beneath their home.
const OWN: [&str; 10] = [
    ".local/bin",
    "bin",
    ".cargo/bin",
    ".volta/bin",
    ".bun/bin",
    ".deno/bin",
    ".pyenv/shims",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".npm-global/bin",
];

/// And elsewhere.
const SHARED: [&str; 3] = ["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"];

/// The environment of a child, from this process's own.
pub(crate) fn scrubbed() -> BTreeMap<String, String> {
    let own = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut kept: BTreeMap<String, String> =
        own.filter(|(name, value)| is_kept(name, value)).collect();
    let path = kept.get("PATH").cloned().unwrap_or_default();
    kept.insert(
        "PATH".to_owned(),
        with_usual(&path, env::home_dir().as_deref(), &|it| it.is_dir()),
    );
    kept
}

/// The whole environment of this process, for a program of the person's own that is to find what their shell would give it.
pub(crate) fn whole() -> BTreeMap<OsString, OsString> {
    let mut all: BTreeMap<OsString, OsString> = env::vars_os().collect();
    all.insert("PATH".into(), scrubbed().remove("PATH").unwrap_or_default().into());
    all
}

/// The program that a name leads to, as it is started: from where it starts, or by the `PATH` that it is told.
pub(crate) fn found_in(command: &str, root: &Path) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
    let is_program = |path: &PathBuf| path.metadata().is_ok_and(|it| it.is_file() && runs(&it));
    let in_folder = |folder: &Path| {
        let mut paths = endings.iter().map(|it| folder.join(format!("{command}{it}")));
        paths.find(is_program)
    };
    if command.contains('/') || command.contains(std::path::MAIN_SEPARATOR) {
        return in_folder(root);
    }
    let paths = scrubbed().remove("PATH").unwrap_or_default();
    env::split_paths(&paths).find_map(|folder| in_folder(&root.join(folder)))
}

#[cfg(unix)]
fn runs(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn runs(_found: &Metadata) -> bool {
    true
}

fn is_kept(name: &str, value: &str) -> bool {
    let proxy = PROXIES.contains(&name) && !value.contains('@');
    (KEPT.contains(&name) || name.starts_with("LC_") || proxy) && !looks_secret(name)
}

/// The path with the usual places behind it that are there and not yet in it.
fn with_usual(path: &str, home: Option<&Path>, is_there: &dyn Fn(&Path) -> bool) -> String {
    let mut all: Vec<PathBuf> = env::split_paths(path).collect();
    let own = home.into_iter().flat_map(|home| OWN.iter().map(|folder| home.join(folder)));
    for folder in own.chain(SHARED.iter().map(PathBuf::from)) {
        if !all.contains(&folder) && is_there(&folder) {
            all.push(folder);
        }
    }
    env::join_paths(all)
        .ok()
        .and_then(|all| all.into_string().ok())
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_told_what_is_named_and_no_secret() {
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "CARGO_HOME", "HTTPS_PROXY"] {
            assert!(is_kept(name, "http://proxy.example:3128"), "{name}");
        }
        assert!(!is_kept("HTTPS_PROXY", "http://me:canary@proxy.example:3128"));
        for name in
            ["LC_API_KEY", "OPENAI_API_KEY", "SSH_AUTH_SOCK", "DISPLAY", "LD_PRELOAD", "FOO"]
        {
            assert!(!is_kept(name, "x"), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_usual_places_stand_behind_the_path_once() {
        let there = |folder: &Path| !folder.ends_with(".bun/bin") && folder.starts_with("/home/me");
        let path = with_usual("/usr/bin:/home/me/bin", Some(Path::new("/home/me")), &there);
        assert!(path.starts_with("/usr/bin:/home/me/bin:/home/me/.local/bin:"), "{path}");
        assert_eq!(path.matches("/home/me/bin").count(), 1, "{path}");
        assert!(!path.contains(".bun") && !path.contains("homebrew"), "{path}");
    }
}
