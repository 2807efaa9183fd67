//! What a program may read and write, and what is closed to it: said once, for whatever keeps it inside. Called before a
//! command or a server of tools is started.
//!
//! It reads the project, the system's programs and libraries, where its toolchain lies and keeps what it fetched, what it
//! is made of, and what the person named. Of the home that is all. Where keys lie is closed even there: a project may lie around them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::inside::May;
use super::repository;

/// Programs and libraries, and what they are told of the system. Devices, processes and what lives for a day are not here.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/sys",
    "/run/current-system",
    "/run/opengl-driver",
    "/home/linuxbrew",
    "/var/lib/ca-certificates",
];

/// Toolchains, what they fetched, and how people set them up; beneath the home.
const TOOLCHAINS: &[&str] = &[
    ".asdf",
    ".bun",
    ".bundle",
    ".cabal",
    ".cache/bazelisk",
    ".cache/ccache",
    ".cache/composer",
    ".cache/coursier",
    ".cache/deno",
    ".cache/electron",
    ".cache/fontconfig",
    ".cache/go-build",
    ".cache/golangci-lint",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/node-gyp",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/pre-commit",
    ".cache/pypoetry",
    ".cache/sccache",
    ".cache/typescript",
    ".cache/uv",
    ".cache/yarn",
    ".cache/zig",
    ".cargo",
    ".ccache",
    ".composer",
    ".conda",
    ".config/composer",
    ".config/git",
    ".config/mise",
    ".config/nix",
    ".config/rustfmt",
    ".config/yarn",
    ".deno",
    ".dotnet",
    ".editorconfig",
    ".elan",
    ".flutter",
    ".fnm",
    ".fonts",
    ".gem",
    ".ghcup",
    ".gitattributes",
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".gradle",
    ".hex",
    ".ivy2",
    ".julia",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/fonts",
    ".local/share/gem",
    ".local/share/hatch",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/pypoetry",
    ".local/share/rtx",
    ".local/share/swiftly",
    ".local/share/uv",
    ".local/share/virtualenvs",
    ".local/state/nix",
    ".m2",
    ".mix",
    ".n",
    ".nix-defexpr",
    ".nix-profile",
    ".node-gyp",
    ".npm",
    ".npm-global",
    ".nuget",
    ".nvm",
    ".opam",
    ".phpenv",
    ".pixi",
    ".pnpm-store",
    ".pub-cache",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".rye",
    ".sbt",
    ".sdkman",
    ".stack",
    ".swiftly",
    ".terminfo",
    ".virtualenvs",
    ".volta",
    ".yarn",
    "Android/Sdk",
    "anaconda3",
    "flutter",
    "go",
    "miniconda3",
    "miniforge3",
];

/// Variables that say where a toolchain lies instead.
const MOVED: &[&str] = &[
    "ANDROID_HOME",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CONDA_PREFIX",
    "DENO_DIR",
    "GEM_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
];

/// Where keys lie, and what people said and typed, beneath the home. Most of it is closed because nothing opens it; all of
/// it is closed where a project, a toolchain or a folder that the person named lies around it.
const KEYS: &[&str] = &[
    ".1password",
    ".age",
    ".android/adbkey",
    ".authinfo",
    ".authinfo.gpg",
    ".aws",
    ".azure",
    ".bash_history",
    ".bitcoin",
    ".bundle/config",
    ".cache/huggingface/stored_tokens",
    ".cache/huggingface/token",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude",
    ".claude.json",
    ".codex",
    ".composer/auth.json",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/BraveSoftware",
    ".config/Code/User/globalStorage",
    ".config/Cursor/User/globalStorage",
    ".config/KeePassXC",
    ".config/Signal",
    ".config/Slack",
    ".config/anthropic",
    ".config/chromium",
    ".config/composer/auth.json",
    ".config/containers/auth.json",
    ".config/dart/pub-credentials.json",
    ".config/discord",
    ".config/doctl",
    ".config/evolution",
    ".config/fish/fish_history",
    ".config/fish/fish_variables",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/github-copilot",
    ".config/glab-cli",
    ".config/goa-1.0",
    ".config/google-chrome",
    ".config/heroku",
    ".config/hub",
    ".config/kwalletrc",
    ".config/microsoft-edge",
    ".config/op",
    ".config/opera",
    ".config/rclone",
    ".config/remmina",
    ".config/siltstone",
    ".config/sops",
    ".config/stripe",
    ".config/vivaldi",
    ".docker/config.json",
    ".docker/run",
    ".electrum",
    ".ethereum",
    ".gem/credentials",
    ".gemini",
    ".git-credentials",
    ".gnupg",
    ".gradle/gradle.properties",
    ".hex/hex.config",
    ".huggingface",
    ".ivy2/.credentials",
    ".kube",
    ".lesshst",
    ".local/share/TelegramDesktop",
    ".local/share/containers",
    ".local/share/evolution",
    ".local/share/fish/fish_history",
    ".local/share/gem/credentials",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/siltstone",
    ".local/share/uv/credentials",
    ".local/state/bash/history",
    ".local/state/zsh/history",
    ".m2/settings-security.xml",
    ".m2/settings.xml",
    ".minikube",
    ".mozilla",
    ".my.cnf",
    ".mylogin.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".nuget/NuGet/NuGet.Config",
    ".oci",
    ".password-store",
    ".pgpass",
    ".psql_history",
    ".pub-cache/credentials.json",
    ".pypirc",
    ".python_history",
    ".sbt/.credentials",
    ".sqlite_history",
    ".ssh",
    ".terraform.d",
    ".thunderbird",
    ".var/app",
    ".vault-token",
    ".viminfo",
    ".zsh_history",
    "snap",
];

/// What keeps passwords of the system; an ordinary user reads none of it anyway.
const OF_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/NetworkManager/system-connections",
    "/etc/wireguard",
];

/// Names of keys in a toolchain's folder that lies elsewhere.
const IN_MOVED: &[&str] = &["credentials", "credentials.toml", "gradle.properties"];

/// Most links that are followed on the way to one place.
const LINKS: usize = 40;

/// What a program may reach.
#[derive(Debug)]
pub(super) struct Reach {
    /// Where it starts.
    pub(super) root: PathBuf,
    /// What it changes beside its temporary folder, free of links: the project, and what was named.
    pub(super) writable: BTreeSet<PathBuf>,
    /// Its temporary folder, free of links.
    pub(super) temp: PathBuf,
    /// What is read, free of links, each outside of the others.
    pub(super) readable: BTreeSet<PathBuf>,
    /// Links on the ways there, with what they say.
    pub(super) links: BTreeSet<(PathBuf, PathBuf)>,
    /// What is closed, wherever it lies; it is there, and free of links.
    pub(super) closed: BTreeSet<PathBuf>,
    /// The home, where it is known.
    pub(super) home: Option<PathBuf>,
    /// Whether the network may be used.
    pub(super) network: bool,
}

impl Reach {
    pub(super) fn of(may: &May, temp: &Path) -> std::io::Result<Self> {
        let home = env::home_dir().filter(|home| home.is_absolute() && home.parent().is_some());
        let mut reach = Self {
            root: may.root.clone(),
            writable: BTreeSet::new(),
            temp: temp.canonicalize()?,
            readable: BTreeSet::new(),
            links: BTreeSet::new(),
            closed: closed(home.as_deref(), &may.closed),
            home,
            network: may.network,
        };
        for path in SYSTEM {
            reach.open(Path::new(path));
        }
        let paths = env::var_os("PATH").map(|all| env::split_paths(&all).collect::<Vec<_>>());
        let moved = MOVED.iter().filter_map(env::var_os).map(PathBuf::from);
        let moved = moved.chain(paths.into_iter().flatten());
        let own = reach.home.iter().flat_map(|home| TOOLCHAINS.iter().map(|it| home.join(it)));
        for path in own.chain(moved).chain(may.parts.iter().cloned()).collect::<Vec<_>>() {
            // A toolchain, or what a program is made of, is never the home itself, or what is above it, whatever a variable says.
            if !reach.is_wide(&path) {
                reach.open(&path);
            }
        }
        for path in &may.reads {
            let path = reach.named(path);
            reach.open(&path);
        }
        for path in &may.writes {
            let path = reach.named(path);
            // Where it starts is a project that the person opened, wherever it lies.
            let is_start = path == reach.root;
            if let Some(real) = reach.walk(&path).filter(|it| is_start || !reach.is_closed(it)) {
                reach.writable.insert(real);
            }
        }
        for path in reach.writable.clone().iter().flat_map(|it| repository::elsewhere(it)) {
            reach.open(&path);
        }
        if may.network {
            // Who knows the names of other computers.
            reach.open(Path::new("/etc/resolv.conf"));
        }
        // The ways to where it works are walked too.
        reach.walk(&may.root);
        reach.walk(temp);
        let home = reach.home.clone();
        home.iter().for_each(|home| drop(reach.walk(home)));
        let all = std::mem::take(&mut reach.readable);
        reach.readable = all
            .iter()
            .filter(|it| it.ancestors().skip(1).all(|up| !all.contains(up)))
            .cloned()
            .collect();
        Ok(reach)
    }

    /// A place as it was named.
    fn named(&self, path: &str) -> PathBuf {
        let in_home = path.strip_prefix("~/").zip(self.home.as_deref());
        in_home.map_or_else(|| self.root.join(path), |(it, home)| home.join(it))
    }

    fn is_closed(&self, real: &Path) -> bool {
        real.ancestors().any(|it| self.closed.contains(it))
    }

    fn is_wide(&self, path: &Path) -> bool {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let home = self.home.as_deref().and_then(|home| home.canonicalize().ok());
        path.parent().is_none() || home.is_some_and(|home| home.starts_with(&path))
    }

    /// Opens a place that is there and not closed.
    fn open(&mut self, path: &Path) {
        if let Some(real) = self.walk(path)
            && !self.is_closed(&real)
        {
            self.readable.insert(real);
        }
    }

    /// Goes to a place, and remembers the links on the way; gives where it really lies.
    fn walk(&mut self, path: &Path) -> Option<PathBuf> {
        let real = path.is_absolute().then(|| path.canonicalize().ok())??;
        let mut at = path.to_owned();
        for _ in 0..LINKS {
            let link = ways(&at).find_map(|it| Some((it.clone(), fs::read_link(&it).ok()?)));
            let Some((link, to)) = link else { break };
            let rest = at.strip_prefix(&link).map(Path::to_owned).unwrap_or_default();
            at = plain(&link.parent().unwrap_or(Path::new("/")).join(&to)).join(rest);
            self.links.insert((link, to));
        }
        Some(real)
    }
}

/// A path and what is above it, the root first.
fn ways(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut all: Vec<PathBuf> = path.ancestors().map(Path::to_owned).collect();
    all.reverse();
    all.into_iter()
}

/// Without `..`; what is before it is free of links, as each was followed in its turn.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// What is closed on this computer, free of links.
fn closed(home: Option<&Path>, ours: &[PathBuf]) -> BTreeSet<PathBuf> {
    let beneath = home.into_iter().flat_map(|home| KEYS.iter().map(|key| home.join(key)));
    let moved = MOVED.iter().filter_map(env::var_os).map(PathBuf::from);
    let in_moved = moved.flat_map(|it| IN_MOVED.iter().map(move |name| it.join(name)));
    let data = ["XDG_DATA_HOME", "XDG_CONFIG_HOME"].into_iter().filter_map(env::var_os);
    let own = data.map(|data| Path::new(&data).join("siltstone"));
    let told = env::var_os("SILTSTONE_DATA_DIR").map(PathBuf::from);
    let system = OF_SYSTEM.iter().map(PathBuf::from);
    let all = beneath.chain(in_moved).chain(own).chain(told).chain(system);
    all.chain(ours.iter().cloned()).filter_map(|path| path.canonicalize().ok()).collect()
}

/// What covers a place but for what is closed in it, and nothing of which lies above one of those.
pub(super) fn around(place: &Path, closed: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut open = Vec::new();
    let mut looked_at = vec![place.to_owned()];
    while let Some(path) = looked_at.pop() {
        if closed.contains(&path) {
            continue;
        }
        if !closed.iter().any(|closed| closed.starts_with(&path)) {
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
    fn everything_is_covered_but_what_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for path in [".ssh", ".config/gh", ".config/app", "code"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::write(home.join("notes.md"), "x").unwrap();
        std::os::unix::fs::symlink(".ssh", home.join("keys")).unwrap();
        let closed = BTreeSet::from([home.join(".ssh"), home.join(".config/gh")]);
        let open = around(Path::new("/"), &closed);
        let inside: Vec<_> = open.iter().filter_map(|path| path.strip_prefix(&home).ok()).collect();
        let mut inside: Vec<_> = inside.iter().filter_map(|path| path.to_str()).collect();
        inside.sort_unstable();
        assert_eq!(inside, [".config/app", "code", "notes.md"]);
        assert!(open.contains(&PathBuf::from("/usr")), "{open:?}");
        assert!(!open.iter().any(|path| home.starts_with(path)), "{open:?}");
    }
}
