//! The real window on a virtual screen: when its first frame is there, when nothing changes any more, and what all of its
//! processes hold in memory. Beside it, in the same run, the browser that the same web engine comes with, over a page of
//! one line: what no program on this engine can be below.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use siltstone_test_servers::processes::{pss, tree};
use tempfile::TempDir;

use crate::Outcome;
use crate::history::{Folder, opened};
use crate::measure::{median, shown};
use crate::sizes::{Sizes, thousands};

/// Windows of each kind.
const RUNS: usize = 5;

/// A screen that was the same for so long has settled.
const STILL: Duration = Duration::from_millis(1_500);

/// How long a window may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the engine's own browser lies.
const BROWSERS: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
];

const PAGE: &str = "data:text/html,<p>Hello";

/// What was seen of one window.
#[derive(Default)]
struct Seen {
    first: Vec<Duration>,
    settled: Vec<Duration>,
    /// Kilobytes of all processes, each shared page divided among those that share it.
    memory: Vec<u64>,
}

/// The table.
pub fn measure(sizes: &Sizes) -> Outcome<String> {
    let program = program().ok_or(
        "the window's program is not beside this one (SILTSTONE_BENCH_WINDOW names another)",
    )?;
    let long = Folder::with(sizes.short)?;
    let (data, empty) = (long.dir.path().to_owned(), TempDir::new()?);
    // Opened once before, so that no window measures the making of a database.
    drop(opened(empty.path())?);
    let browser = BROWSERS.map(PathBuf::from).into_iter().find(|path| path.is_file());
    let mut rows: Vec<(String, Seen)> = vec![
        (format!("Siltstone, {} messages", thousands(sizes.short)), Seen::default()),
        (String::from("Siltstone, nothing in it"), Seen::default()),
        (String::from("MiniBrowser of the same WebKitGTK, one line of text"), Seen::default()),
    ];
    for _ in 0..RUNS {
        see(&mut rows[0].1, Command::new(&program).env("SILTSTONE_DATA_DIR", &data))?;
        see(&mut rows[1].1, Command::new(&program).env("SILTSTONE_DATA_DIR", empty.path()))?;
        if let Some(browser) = &browser {
            see(&mut rows[2].1, Command::new(browser).arg(PAGE))?;
        }
    }
    let mut out = String::from(
        "### A window on a virtual screen\n\n\
         | | first frame | settled | memory of all processes (PSS) |\n|---|---|---|---|\n",
    );
    for (name, mut seen) in rows {
        if seen.first.is_empty() {
            out.push_str(&format!("| {name}: not installed | | | |\n"));
            continue;
        }
        seen.memory.sort_unstable();
        let memory = seen.memory[seen.memory.len() / 2] / 1_000;
        let times = [&seen.first, &seen.settled].map(|times| shown(median(times)));
        out.push_str(&format!("| {name} | {} | {memory} MB |\n", times.join(" | ")));
    }
    out.push('\n');
    Ok(out)
}

/// The program that opens the window, beside this one where none is named.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("SILTSTONE_BENCH_WINDOW").map(PathBuf::from);
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("siltstone"));
    named.or_else(beside).filter(|path| path.is_file())
}

/// A screen in a file, with nothing on it; ends with this.
struct Screen {
    server: Child,
    number: String,
    pixels: PathBuf,
    _dir: TempDir,
}

impl Screen {
    fn new() -> Outcome<Self> {
        let dir = TempDir::new()?;
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-fbdir"])
            .arg(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        // It writes the number that it took, and a line's end.
        let mut number = String::new();
        let mut said = server.stdout.take().ok_or("the screen says nothing")?;
        let mut byte = [0_u8];
        while said.read(&mut byte)? == 1 && byte != *b"\n" {
            number.push(char::from(byte[0]));
        }
        let pixels = dir.path().join("Xvfb_screen0");
        Ok(Self { server, number: format!(":{number}"), pixels, _dir: dir })
    }

    /// What is on it, in few bytes.
    fn look(&self) -> Outcome<blake3::Hash> {
        let mut bytes = Vec::new();
        File::open(&self.pixels)?.read_to_end(&mut bytes)?;
        Ok(blake3::hash(&bytes))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Opens a window on a screen of its own, waits until it is still, and closes it.
fn see(seen: &mut Seen, command: &mut Command) -> Outcome<()> {
    let screen = Screen::new()?;
    let home = TempDir::new()?;
    for name in ["CONFIG", "DATA", "CACHE", "STATE", "RUNTIME"] {
        let folder =
            if name == "RUNTIME" { "XDG_RUNTIME_DIR".into() } else { format!("XDG_{name}_HOME") };
        command.env(folder, home.path().join(name.to_lowercase()));
    }
    std::fs::create_dir(home.path().join("runtime"))?;
    let before = screen.look()?;
    let begun = Instant::now();
    let mut child = command
        .env("HOME", home.path())
        .env("DISPLAY", &screen.number)
        .env("GDK_BACKEND", "x11")
        .env("LIBGL_ALWAYS_SOFTWARE", "1")
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
        .env("LANGUAGE", "en")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let watched = watch(&screen, before, begun, &mut child);
    let memory: u64 = tree(child.id()).into_iter().map(pss).sum();
    for pid in tree(child.id()) {
        // Those that ended with another are gone already.
        let _ =
            Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
    }
    child.wait()?;
    let (first, settled) = watched?;
    seen.first.push(first);
    seen.settled.push(settled);
    seen.memory.push(memory);
    Ok(())
}

/// When the screen changed first, and when last before it stayed.
fn watch(
    screen: &Screen,
    before: blake3::Hash,
    begun: Instant,
    child: &mut Child,
) -> Outcome<(Duration, Duration)> {
    let (mut first, mut last) = (None, (before, begun));
    loop {
        let now = screen.look()?;
        if now != last.0 {
            last = (now, Instant::now());
            first.get_or_insert(last.1 - begun);
        }
        if let Some(first) = first
            && last.1.elapsed() > STILL
        {
            return Ok((first, last.1 - begun));
        }
        if child.try_wait()?.is_some() {
            return Err("the window closed by itself".into());
        }
        if begun.elapsed() > PATIENCE {
            return Err("the window did not come to rest".into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
