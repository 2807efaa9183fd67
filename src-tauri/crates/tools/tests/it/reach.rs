//! A hostile command as an ordinary user: everything it tries outside of what was agreed is refused. The same, tried
//! without what keeps it inside, shows that there was something to refuse.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use siltstone_engine::tool::{CommandRun, Commands, Sandbox};
use siltstone_tools::Shell;

/// Somebody who is not root and owns nothing.
const NOBODY: &str = "65534";

/// What lies outside, beneath the home; the folder `shared` may be read.
const OUTSIDE: [&str; 14] = [
    ".ssh/id_ed25519",
    ".ssh",
    ".bashrc",
    ".bash_history",
    ".gitconfig",
    ".config/gh/hosts.yml",
    ".local/share/siltstone/siltstone.db",
    ".local/share/siltstone",
    ".cargo/config.toml",
    ".cargo/credentials.toml",
    "docs/kept.md",
    "docs",
    "shared/kept.md",
    "shared",
];

/// What is tried with each of them. The last ones take it away.
const TRIED: [&str; 14] = [
    "cat $it >/dev/null",
    "ls $it/. >/dev/null",
    "echo x >> $it",
    "echo x > $it/new",
    "ln $it hard-$n",
    "chmod 777 $it",
    "chmod u-w,g+s $it",
    "touch $it && [ -e $it ]",
    "touch -d @0 $it",
    "chgrp $(id -g) $it",
    "mount --bind /usr $it",
    "cp -p /bin/true $it/program",
    ": > $it",
    "mv $it taken-$n",
];

/// What is agreed: programs, their settings and what the person named are read.
const AGREED: [&str; 4] =
    ["cat .gitconfig", "cat .cargo/config.toml", "cat shared/kept.md", "ls shared"];

#[test]
fn a_hostile_command_reaches_nothing_that_was_not_agreed() {
    if Shell.sandbox() != Sandbox::Whole {
        println!("skipped: commands have no view of their own here");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let home = place.path().join("home");
    fs::create_dir_all(home.join("project")).unwrap();
    for path in
        OUTSIDE.iter().filter(|path| !OUTSIDE.iter().any(|it| it.starts_with(&format!("{path}/"))))
    {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "canary\n").unwrap();
    }
    // Who runs the tests may be root, who may not: then it is somebody else.
    let program = place.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let is_root = fs::metadata(&home).unwrap().uid() == 0;
    let mut command = match is_root {
        true => {
            let owned = Command::new("chown").args(["-R", NOBODY]).arg(&home).status().unwrap();
            assert!(owned.success());
            let mut command = Command::new("setpriv");
            command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&program);
            command
        }
        false => Command::new(&program),
    };
    let output = command
        .args(["--exact", "it::reach::as_an_ordinary_user", "--ignored", "--nocapture"])
        .env("HOME", &home)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// What tells one state of a file from another: its mode, names, last change and bytes.
type State = (u32, u64, i64, i64, Option<Vec<u8>>);

/// Everything beneath a folder.
fn state(folder: &Path) -> BTreeMap<PathBuf, State> {
    let mut all = BTreeMap::new();
    let mut looked_at = vec![folder.to_owned()];
    while let Some(path) = looked_at.pop() {
        let found = path.symlink_metadata().unwrap();
        if path.ends_with("project") {
            continue;
        }
        if found.is_dir() {
            looked_at.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let text = found.is_file().then(|| fs::read(&path).unwrap());
        let state = (found.mode(), found.nlink(), found.ctime(), found.ctime_nsec(), text);
        all.insert(path, state);
    }
    all
}

/// Run by the test above, as an ordinary user with a home of its own.
#[tokio::test]
#[ignore = "it is run by another test, as another user"]
async fn as_an_ordinary_user() {
    assert_eq!(Shell.sandbox(), Sandbox::Whole);
    let home = std::env::home_dir().unwrap();
    let root = home.join("project");
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let (other_id, own_id) = (other.id(), std::process::id());
    let network = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = network.local_addr().unwrap().port();
    let _named = UnixListener::bind(home.join("shared/socket")).unwrap();
    let name = format!("siltstone-{own_id}");
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _without_place = UnixListener::bind_addr(&address).unwrap();

    let mut probes: Vec<(String, String)> = Vec::new();
    for tried in TRIED {
        for path in OUTSIDE {
            let it = home.join(path).display().to_string();
            let line = tried.replace("$it", &it).replace("$n", &probes.len().to_string());
            let about = tried.split(' ').next().unwrap();
            probes.push((format!("{about} {path}"), line));
        }
    }
    let unix = |to: &str| {
        format!(
            "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un({to})) or exit 1'"
        )
    };
    let others = [
        ("signal", format!("kill -0 {other_id}")),
        ("stop", format!("kill -STOP {other_id}")),
        ("end", format!("kill -9 {own_id}")),
        ("look into", format!("cat /proc/{other_id}/environ")),
        ("memory", format!("head -c 1 /proc/{own_id}/mem")),
        ("command line", format!("cat /proc/{other_id}/cmdline")),
        ("folder", format!("ls /proc/{other_id}/cwd/")),
        ("root", format!("ls /proc/{other_id}/root/")),
        ("trace", format!("perl -e 'exit(syscall(101, 16, {other_id}, 0, 0) == 0 ? 0 : 1)'")),
        ("network", format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'")),
        ("socket", unix(&format!("\"{}\"", home.join("none/socket").display()))),
        ("socket without a place", unix(&format!("\"\\0{name}\""))),
        ("keys of the session", "perl -e 'exit(syscall(250, 0, -3, 0) >= 0 ? 0 : 1)'".to_owned()),
        ("machines", "perl -MSocket -e 'socket(S, 40, SOCK_STREAM, 0) or exit 1'".to_owned()),
        ("temporary", "echo x > /tmp/siltstone-probe".to_owned()),
        ("memory of all", "echo x > /dev/shm/siltstone-probe".to_owned()),
        ("top", "echo x > /siltstone-probe".to_owned()),
        ("home", format!("echo x > {}/probe", home.display())),
        ("unmount", "umount /usr || umount -l /proc".to_owned()),
        ("write again", "mount -o remount,rw,bind /usr".to_owned()),
        ("name", "hostname probe".to_owned()),
        (
            "nest",
            "unshare -Urm sh -c 'mount -o remount,rw,bind /usr && touch /usr/probe'".to_owned(),
        ),
        ("services", "ls /run/user/* /run/dbus/system_bus_socket".to_owned()),
        ("passwords", "cat /etc/shadow".to_owned()),
        ("settings of the kernel", "echo 1 > /proc/sys/kernel/core_uses_pid".to_owned()),
        ("system", "touch /usr/bin/env".to_owned()),
    ];
    probes.extend(others.map(|(about, line)| (about.to_owned(), line)));
    assert!(probes.len() > 200, "{}", probes.len());
    let mut script = String::new();
    for (number, (_, line)) in probes.iter().enumerate() {
        writeln!(script, "( {line} ) >/dev/null 2>&1 && echo 'reached {number}'").unwrap();
    }
    fs::write(root.join("probe.sh"), script).unwrap();

    let before = state(&home);
    let run = CommandRun {
        root: root.to_str().unwrap().to_owned(),
        line: "sh probe.sh; echo the end".to_owned(),
        seconds: 120,
        reads: vec!["~/shared".to_owned()],
        closed: Vec::new(),
        network: false,
    };
    let ran = Shell.run(run, Box::new(|_| {})).await.unwrap();
    assert!(ran.output.ends_with("the end\n"), "{ran:?}");
    let reached = |said: &str| {
        let numbers = said.lines().filter_map(|line| line.strip_prefix("reached "));
        let numbers = numbers.map(|number| number.parse::<usize>().unwrap());
        numbers.map(|number| probes[number].0.clone()).collect::<Vec<_>>()
    };
    let mut inside = reached(&ran.output);
    inside.retain(|about| !AGREED.contains(&about.as_str()));
    assert_eq!(inside, Vec::<String>::new());
    assert!(other.try_wait().unwrap().is_none());
    assert_eq!(state(&home), before);

    // Without what keeps it inside, most of it succeeds.
    let free = probes.iter().filter(|(about, _)| about != "end");
    let free: String =
        free.map(|(_, line)| format!("( {line} ) >/dev/null 2>&1 && echo reached\n")).collect();
    fs::write(root.join("probe.sh"), free).unwrap();
    let output = Command::new("sh").arg("probe.sh").current_dir(&root).output().unwrap();
    let count = String::from_utf8_lossy(&output.stdout).lines().count();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(count > 100, "{count} of {}", probes.len());
    println!("{} probes, 0 reached; {count} without a view", probes.len());
}
