//! A command's reach (G7): a hostile command runs as an ordinary user, and everything it tries outside of what was agreed is
//! refused. The same, tried without what keeps it inside, each in a home as it was, shows that there was something to refuse.

mod probes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};
use siltstone_engine::tool::{CommandRun, Commands, Sandbox};
use siltstone_tools::Shell;
use tempfile::TempDir;

use self::probes::{KINDS, Place, Probe, draw, places, quoted};
use crate::{Options, Outcome, Trouble};

/// Somebody who is not root and owns nothing.
const NOBODY: &str = "65534";

/// Tries of one command, and how many of them have to be seen to succeed outside.
const TRIES: usize = 300;
const LEAST: u64 = 200;

/// Inside, no process has a number above this one, so that none is taken for one outside.
const FLOOR: u32 = 5_000;

/// Tells the program that is started as somebody else what to run.
const TOLD: &str = "SILTSTONE_REACH";

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    if Shell.sandbox() != Sandbox::Whole {
        outcome.count("places where commands have no view of their own", 1);
        return Ok(outcome);
    }
    let mut chance = options.chance("reach");
    for _ in 0..options.count(1, 25) {
        let (places, reads) = places(&mut chance);
        let home = Home::new(&places)?;
        let probes = draw(&mut chance, &places, &home.path.display().to_string(), TRIES);
        tries(&home, &probes, reads, &mut outcome)?;
    }
    Ok(outcome)
}

/// Has one command try all of it, and shows what of it there was to refuse.
fn tries(
    home: &Home,
    probes: &[Probe],
    reads: Vec<String>,
    outcome: &mut Outcome,
) -> Result<(), Trouble> {
    let others = Others::new(home)?;
    let mut script = others.told(home);
    for (n, probe) in probes.iter().enumerate() {
        script.push_str(&said(n, probe));
    }
    let project = home.path.join("project");
    fs::write(project.join("probe.sh"), script)?;
    let (before, was) = (state(&home.path)?, others.state()?);
    let told = Told {
        root: project.display().to_string(),
        line: "sh probe.sh; echo the end".to_owned(),
        reads,
        closed: home.path.join(".local/share/siltstone"),
    };
    let output = again(home)?.env(TOLD, serde_json::to_string(&told)?).output()?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    if !output.contains("the end\n") {
        outcome.fail(format!("the command did not come to its end: {output}"));
    }
    let inside = reached(&output);
    let (after, is) = (state(&home.path)?, others.state()?);
    for path in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        if before.get(path) != after.get(path) {
            outcome.fail(format!("{} is another one afterwards", path.display()));
        }
    }
    if was != is {
        outcome.fail(format!("processes are other ones afterwards: {was:?}, {is:?}"));
    }
    let outside = control(home, probes, &others)?;
    let mut shown = BTreeMap::new();
    for (n, probe) in probes.iter().enumerate() {
        let is_reached = inside.contains(&n);
        let Some(kind) = probe.kind else {
            let wrong = is_reached.then(|| format!("reached: {}", probe.line));
            outcome.tried("probes beside that only root could do", wrong);
            continue;
        };
        if probe.is_agreed {
            // A way around what may be read may be closed all the same.
            let is_way = matches!(kind, "read" | "link");
            let wrong = is_way && !is_reached && outside.contains(&n);
            let wrong = wrong.then(|| format!("agreed, and not reached: {probe:?}"));
            outcome.tried("reads that were agreed", wrong);
        } else if is_reached {
            outcome.fail(format!("reached: {probe:?}"));
        } else if outside.contains(&n) {
            outcome.count("probes that succeed outside", 1);
            *shown.entry(kind).or_insert(0) += 1;
        } else {
            outcome.count("probes that this system refuses to everybody", 1);
        }
    }
    for kind in KINDS.iter().filter(|kind| !shown.contains_key(*kind)) {
        outcome.fail(format!("nothing of this kind could be shown to succeed outside: {kind}"));
    }
    if shown.values().sum::<u64>() < LEAST {
        outcome.fail(format!("too few probes succeed outside: {shown:?}"));
    }
    Ok(())
}

/// A try as the script has it.
fn said(n: usize, probe: &Probe) -> String {
    let Probe { told, line, .. } = probe;
    format!("( n={n}; {told}{line} ) </dev/null >/dev/null 2>&1 && echo 'reached {n}'\n")
}

fn reached(output: &str) -> BTreeSet<usize> {
    output.lines().filter_map(|line| line.strip_prefix("reached ")?.parse().ok()).collect()
}

/// What succeeds without what keeps a command inside, each in the home as it was and before a process that lives.
fn control(home: &Home, probes: &[Probe], others: &Others) -> Result<BTreeSet<usize>, Trouble> {
    let mut script = others.told(home);
    script
        .push_str(&format!("template={}\nvictim=\n", quoted(&home.template.display().to_string())));
    script.push_str(&format!("alive() {{\n{ALIVE}}}\nanew() {{\n{ANEW}}}\n"));
    script.push_str(&format!("perl={}\n", quoted(VICTIM)));
    script.push_str("mkfifo \"$home/../ready\"; anew\n");
    for (n, probe) in probes.iter().enumerate().filter(|(_, probe)| probe.kind.is_some()) {
        let anew = if probe.is_change { "; anew" } else { "" };
        script.push_str(&format!("alive; {}{}\n", said(n, probe).trim_end(), anew));
    }
    script.push_str("kill -9 \"$victim\"; echo the end\n");
    fs::write(home.place.path().join("control.sh"), script)?;
    let mut command = home.somebody("sh");
    command.arg("../../control.sh").current_dir(home.path.join("project"));
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !text.contains("the end") {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the control did not come to its end: {text} {said}").into());
    }
    Ok(reached(&text))
}

/// A process of the same person, in a group of its own, that lets itself be looked into and shares a segment of memory.
const VICTIM: &str = "syscall(157, 0x59616d61, -1, 0, 0, 0); shmget($ENV{segment}, 4096, 0666 | 01000); \
                      $| = 1; print \"ready\\n\"; sleep 1 while 1";

/// Starts such a process where there is none.
const ALIVE: &str = r#"
  if [ -z "$victim" ] || ! kill -CONT "$victim" 2>/dev/null; then
    ( cd "$home" && TOKEN=canary exec setsid perl -e "$perl" ) > "$home/../ready" 2>/dev/null &
    victim=$!
    read line < "$home/../ready"
  fi
"#;

/// Makes the home what it was. The project, in which the script stands, and the sockets stay.
const ANEW: &str = r#"
  for it in "$home"/* "$home"/.[!.]*; do
    case "$it" in
      "$home/project"|"$home/.sockets") ;;
      *) chmod -R u+rwX "$it" 2>/dev/null; rm -rf "$it" ;;
    esac
  done
  rm -rf ./*
  cp -a "$template/." "$home"
  ln -s "$home" way
  echo canary > "$shared"
"#;

/// Mounts within a namespace of one's own, and looks there: `inside` what is done first, `--`, what is done then.
const INSIDE: &str = r#"
inside() {
  first=; while [ "$1" != -- ]; do first="$first $(printf %s "$1" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/")"; shift; done
  shift
  unshare -Urm sh -c "$first; \"\$@\"" sh "$@"
}
"#;

/// Somebody's home with files in it, and the same beside it, to be taken from.
struct Home {
    place: TempDir,
    path: PathBuf,
    template: PathBuf,
    is_root: bool,
}

impl Home {
    fn new(places: &[Place]) -> Result<Self, Trouble> {
        let place = tempfile::tempdir()?;
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777))?;
        let place_of = place.path().canonicalize()?;
        let (path, template) = (place_of.join("home"), place_of.join("template"));
        for folder in [path.join("project"), path.join(".sockets"), template.clone()] {
            fs::create_dir_all(folder)?;
        }
        for place in places {
            let file = template.join(&place.path);
            fs::create_dir_all(file.parent().ok_or("a place without a folder")?)?;
            fs::write(&file, format!("{}\n", place.text))?;
            let mark =
                "my ($f, $n, $v) = (@ARGV, \"user.kept\", \"x\"); syscall(188, $f, $n, $v, 1, 0)";
            Command::new("perl").args(["-e", mark]).arg(&file).status()?;
        }
        done(Command::new("cp").arg("-a").arg(template.join(".")).arg(&path))?;
        symlink(&path, path.join("project/way"))?;
        // Who runs this may be root, who may not be refused anything: then it is somebody else.
        let is_root = fs::metadata(&path)?.uid() == 0;
        if is_root {
            done(Command::new("chown").args(["-R", NOBODY]).args([&path, &template]))?;
        }
        Ok(Self { place, path, template, is_root })
    }

    /// A program as an ordinary user with this home.
    fn somebody(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = match self.is_root {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
                command.arg(program);
                command
            }
            false => Command::new(program),
        };
        command.env("HOME", &self.path).env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME");
        for name in ["CARGO_HOME", "RUSTUP_HOME", "GOPATH", "SILTSTONE_DATA_DIR"] {
            command.env_remove(name);
        }
        command
    }
}

fn done(command: &mut Command) -> Result<(), Trouble> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}

/// Who is there beside the command: a process, and what listens.
struct Others {
    victim: Child,
    port: u16,
    port6: u16,
    datagrams: u16,
    named: PathBuf,
    unnamed: String,
    shared: PathBuf,
    segment: u32,
    _listening: (TcpListener, Option<TcpListener>, UnixListener, UnixListener),
}

impl Others {
    fn new(home: &Home) -> Result<Self, Trouble> {
        let id = std::process::id();
        let segment = 0x5117_0000 + id % 0x10000;
        let network = TcpListener::bind("127.0.0.1:0")?;
        // Not every computer has the newer one.
        let network6 = TcpListener::bind("[::1]:0").ok();
        let datagrams = UdpSocket::bind("127.0.0.1:0")?;
        let to = datagrams.local_addr()?.port();
        std::thread::spawn(move || {
            let mut bytes = [0; 16];
            while let Ok((many, from)) = datagrams.recv_from(&mut bytes) {
                // Who asked may be gone.
                let _ = datagrams.send_to(bytes.get(..many).unwrap_or_default(), from);
            }
        });
        let named = home.path.join(".sockets/named");
        let by_name = UnixListener::bind(&named)?;
        fs::set_permissions(&named, fs::Permissions::from_mode(0o777))?;
        let unnamed = format!("siltstone-reach-{id}");
        let without = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&unnamed)?)?;
        let shared = PathBuf::from(format!("/dev/shm/siltstone-reach-{id}"));
        fs::write(&shared, "canary\n")?;
        if home.is_root {
            done(Command::new("chown").arg(NOBODY).arg(&shared))?;
        }
        let victim = loop {
            let mut command = home.somebody("perl");
            command.args(["-e", VICTIM]).process_group(0).current_dir(&home.path);
            command.env("TOKEN", "canary").env("segment", segment.to_string());
            let mut victim = command.stdout(Stdio::piped()).spawn()?;
            if victim.id() > FLOOR {
                let out = victim.stdout.take().ok_or("it says nothing")?;
                BufReader::new(out).read_line(&mut String::new())?;
                break victim;
            }
            victim.kill()?;
            victim.wait()?;
        };
        Ok(Self {
            victim,
            port: network.local_addr()?.port(),
            port6: network6.as_ref().and_then(|it| it.local_addr().ok()).map_or(1, |it| it.port()),
            datagrams: to,
            named,
            unnamed,
            shared,
            segment,
            _listening: (network, network6, by_name, without),
        })
    }

    /// What a script is told of them, and of the home.
    fn told(&self, home: &Home) -> String {
        let Self { port, port6, datagrams, named, unnamed, shared, segment, .. } = self;
        let tcp = "socket(S, AF_INET, SOCK_STREAM, 0) && connect(S, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or exit 1";
        let mut told = String::from("set -a\n");
        for (name, value) in [
            ("home", home.path.display().to_string()),
            ("victim", self.victim.id().to_string()),
            // Who runs the script outside of the view is who started this.
            ("runner", std::process::id().to_string()),
            ("port", port.to_string()),
            ("port6", port6.to_string()),
            ("datagrams", datagrams.to_string()),
            ("named", named.display().to_string()),
            ("unnamed", unnamed.clone()),
            ("shared", shared.display().to_string()),
            ("segment", segment.to_string()),
            ("tcp", tcp.to_owned()),
        ] {
            told.push_str(&format!("{name}={}\n", quoted(&value)));
        }
        told.push_str(INSIDE);
        told
    }

    /// What tells one state of the process from another, and the memory that is shared.
    fn state(&self) -> Result<Vec<String>, Trouble> {
        let id = self.victim.id();
        let of = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}"));
        let status = of("status")?;
        let told = ["State:", "Tgid:", "TracerPid:", "Cpus_allowed:", "Uid:"];
        let mut lines: Vec<String> = status
            .lines()
            .filter(|line| told.iter().any(|it| line.starts_with(it)))
            // It wakes once a second.
            .map(|line| line.replace("R (running)", "S (sleeping)"))
            .collect();
        let stat = of("stat")?;
        let nice = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(16));
        lines.extend(nice.map(|nice| format!("nice {nice}")));
        lines.push(of("limits")?);
        lines.push(of("oom_score_adj")?);
        lines.push(fs::read_to_string(&self.shared)?);
        Ok(lines)
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        let _ = fs::remove_file(&self.shared);
    }
}

/// What tells one state of a file from another: its mode, owners, names, last change and bytes.
type State = (u32, u32, u32, u64, i64, i64, Option<Vec<u8>>);

/// Everything beneath a home but its project.
fn state(home: &Path) -> Result<BTreeMap<PathBuf, State>, Trouble> {
    let mut all = BTreeMap::new();
    let mut looked_at = vec![home.to_owned()];
    while let Some(path) = looked_at.pop() {
        if path == home.join("project") {
            continue;
        }
        let found = path.symlink_metadata()?;
        if found.is_dir() {
            for entry in fs::read_dir(&path)? {
                looked_at.push(entry?.path());
            }
        }
        let text = if found.is_file() { Some(fs::read(&path)?) } else { None };
        let (mode, user, group) = (found.mode(), found.uid(), found.gid());
        let changed = (found.ctime(), found.ctime_nsec());
        all.insert(path, (mode, user, group, found.nlink(), changed.0, changed.1, text));
    }
    Ok(all)
}

/// What the program that is started as somebody else is told.
#[derive(Serialize, Deserialize)]
struct Told {
    root: String,
    line: String,
    reads: Vec<String>,
    closed: PathBuf,
}

/// This program once more, as an ordinary user.
fn again(home: &Home) -> Result<Command, Trouble> {
    let program = home.place.path().join("program");
    if !program.exists() {
        fs::copy(std::env::current_exe()?, &program)?;
    }
    let mut command = home.somebody(&program);
    command.args(if cfg!(test) {
        &["--exact", "rigs::reach::as_an_ordinary_user", "--ignored", "--nocapture"][..]
    } else {
        &["as-an-ordinary-user"]
    });
    Ok(command)
}

/// Runs the command that its environment tells of, for this rig, and gives what the command says.
pub fn as_told() -> Result<String, Trouble> {
    let told: Told = serde_json::from_str(&std::env::var(TOLD)?)?;
    let run = CommandRun {
        root: told.root,
        line: told.line,
        seconds: 300,
        reads: told.reads,
        closed: vec![told.closed],
        network: false,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if Shell.sandbox() != Sandbox::Whole {
        return Err("an ordinary user gets no view of their own here".into());
    }
    let ran = runtime.block_on(Shell.run(run, Box::new(|_| {}))).map_err(|it| format!("{it:?}"))?;
    Ok(ran.output)
}

/// Run by the sample of this rig, as another user.
#[cfg(test)]
#[test]
#[ignore = "it is run by the sample of this rig, as another user"]
fn as_an_ordinary_user() {
    println!("\n{}", as_told().unwrap());
}
