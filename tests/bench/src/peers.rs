//! Programs of others, run beside ours where they are installed: Node scripts of this folder over packages of theirs. A
//! peer that is not there, or fails, leaves a line in its table's place and takes nothing else with it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Outcome;

/// How long a peer may take in all.
const PATIENCE: Duration = Duration::from_secs(240);

/// Where `npm install --prefix tests/bench --no-save …` puts packages.
const INSTALLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/node_modules");

/// Something of others that may be installed.
pub struct Peer {
    /// Names the folder of the package, or of all packages.
    pub variable: &'static str,
    /// Its folder where nothing names one, beneath the packages of this crate.
    pub package: &'static str,
    /// How it is called in tables.
    pub name: &'static str,
}

/// Gemini CLI as it is now: its conversations and its checkpoints.
pub const GEMINI: Peer = Peer {
    variable: "SILTSTONE_BENCH_PEER",
    package: "@google/gemini-cli-core",
    name: "Gemini CLI",
};

/// Gemini CLI 0.40.0, the last one that loads all memory when it begins.
pub const LOADER: Peer = Peer {
    variable: "SILTSTONE_BENCH_LOADER",
    package: "@google/gemini-cli-core",
    name: "Gemini CLI 0.40.0",
};

/// The folder of gpt-tokenizer, tiktoken, js-tiktoken and @langchain/core.
pub const LIBRARIES: Peer =
    Peer { variable: "SILTSTONE_BENCH_LIBRARIES", package: "", name: "the libraries" };

impl Peer {
    /// Where it is installed.
    pub fn folder(&self) -> Option<PathBuf> {
        let named = std::env::var_os(self.variable).map(PathBuf::from);
        let folder = named.unwrap_or_else(|| Path::new(INSTALLED).join(self.package));
        folder.is_dir().then_some(folder)
    }

    /// Its version, as its package says.
    pub fn version(&self) -> String {
        let version = |folder: PathBuf| version_of(&folder);
        self.folder().and_then(version).unwrap_or_default()
    }

    /// Runs a script of this folder with the folder of the package and what else it asks for; what it prints is JSON.
    pub fn ask(&self, script: &str, arguments: &[String], home: &Path) -> Outcome<Value> {
        let folder = self.folder().ok_or_else(|| {
            format!("{} is not installed ({} names its folder)", self.name, self.variable)
        })?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
        let mut node = Command::new("node")
            .arg(script)
            .arg(folder.canonicalize()?)
            .args(arguments)
            .env("HOME", home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (out, err) = (node.stdout.take(), node.stderr.take());
        let [out, err] = [out.map(read), err.map(read)];
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = node.try_wait()? {
                break status;
            }
            if Instant::now() > until {
                node.kill()?;
                node.wait()?;
                return Err(format!("{} took longer than {PATIENCE:?}", self.name).into());
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let said = |read: Option<std::thread::JoinHandle<String>>| {
            read.and_then(|read| read.join().ok()).unwrap_or_default()
        };
        let (out, err) = (said(out), said(err));
        if !status.success() {
            let last = err.lines().find(|line| line.contains("Error:")).unwrap_or("it failed");
            return Err(format!("{}: {last}", self.name).into());
        }
        Ok(serde_json::from_str(&out)?)
    }
}

/// The version that a package's own description names.
pub fn version_of(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
    let package: Value = serde_json::from_str(&text).ok()?;
    package["version"].as_str().map(str::to_owned)
}

/// What a peer says is read while it runs, for a full pipe would stop it.
fn read(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        // What cannot be read was not said.
        let _ = from.read_to_string(&mut text);
        text
    })
}

/// Times in milliseconds, of what a peer printed.
pub fn times(said: &Value) -> Outcome<Vec<Duration>> {
    let all =
        said.as_array().filter(|all| !all.is_empty()).ok_or("the peer's times are missing")?;
    let time = |ms: &Value| {
        ms.as_f64().filter(|ms| ms.is_finite() && *ms >= 0.0).ok_or("a peer's time is no number")
    };
    let times = all.iter().map(|ms| time(ms).map(|ms| Duration::from_secs_f64(ms / 1_000.0)));
    Ok(times.collect::<Result<_, _>>()?)
}

/// The part of a table, or why it is missing.
pub fn or_why(measured: Outcome<String>) -> String {
    measured.unwrap_or_else(|why| format!("Not measured: {why}.\n\n"))
}
