//! Real model servers for tests: started by the test that needs them, stopped when it drops them.
//!
//! Each is a script beside this file that prints its address and serves until its standard input closes, so that none
//! outlives a test that was killed. Nothing is skipped when they are not installed: starting fails and says what to do.

#![deny(missing_docs)]

pub mod files;
pub mod guarded;
pub mod held;
pub mod hidden;
pub mod noted;
pub mod packages;
pub mod processes;
pub mod request;
pub mod until;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use crate::request::Received;

/// A picture to attach: one red pixel, as PNG.
pub const PICTURE: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0c\
    IDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// A server that runs as long as this value lives.
pub struct Server {
    process: Child,
    address: String,
}

/// Gemma 3 270M behind llama.cpp's own server, with a window of `window` tokens: real, small and not very clever. A
/// reply has at most 40 tokens. Tools it reads over.
pub fn gemma(window: u32) -> io::Result<Server> {
    start(python()?, "gemma.py", &[&window.to_string()])
}

/// The same, shown the tools of a request with examples of calls of the first, which takes a `path`.
pub fn gemma_that_calls(window: u32) -> io::Result<Server> {
    start(python()?, "gemma.py", &[&window.to_string(), "calls"])
}

/// The same behind a server that was started without what tools need, and refuses them.
pub fn gemma_without_tools(window: u32) -> io::Result<Server> {
    start(python()?, "gemma.py", &[&window.to_string(), "refuses"])
}

/// The same, making vectors: the average of what it thinks at each token.
pub fn gemma_that_embeds(window: u32) -> io::Result<Server> {
    start(python()?, "gemma.py", &[&window.to_string(), "embeds"])
}

/// aimock: answers from fixtures (`POST /__aimock/fixtures`), keeps a journal (`GET /__aimock/journal`) and every request
/// as it arrived (`GET /received`), and counts the answers whose client hung up (`GET /dropped`).
pub fn aimock() -> io::Result<Server> {
    installed(&root()?.join("tests/support/node_modules"))?;
    start(PathBuf::from("node"), "aimock.mjs", &[])
}

/// llmock: breaks answers (`POST /_llmock/scenario`) and judges its client (`GET /_llmock/verdict`).
pub fn llmock() -> io::Result<Server> {
    start(python()?, "llmock.py", &[])
}

/// moto: an S3 service in memory that checks signatures' form and keeps what it is given, with a bucket `checkpoints`.
pub fn s3() -> io::Result<Server> {
    start(python()?, "s3.py", &[])
}

/// The reference server of the Model Context Protocol over HTTP: its endpoint is `/mcp`.
pub fn mcp_everything() -> io::Result<Server> {
    installed(&root()?.join("tests/support/node_modules/@modelcontextprotocol"))?;
    start(PathBuf::from("node"), "mcp_everything.mjs", &[])
}

/// The command line of the same over input and output.
pub fn mcp_everything_command() -> io::Result<(String, Vec<String>)> {
    let program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let program = root()?.join("tests/support").join(program);
    installed(&program)?;
    Ok(("node".to_owned(), vec![program.display().to_string(), "stdio".to_owned()]))
}

/// The command line of an MCP server that misbehaves in this way (`mcp_hostile.py` says in which).
pub fn mcp_hostile(how: &str, beside: &Path) -> io::Result<(String, Vec<String>)> {
    let script = root()?.join("tests/support/mcp_hostile.py");
    let arguments = [script.as_path(), Path::new(how), beside];
    let arguments = arguments.map(|it| it.display().to_string()).into();
    Ok((python()?.display().to_string(), arguments))
}

/// The command that starts the scripted agent (`acp_agent.py` says what it does) with these options.
pub fn acp_agent(options: &[&str]) -> io::Result<String> {
    line_of("acp_agent.py", options)
}

/// The command that starts an agent behind one that cuts what is said between it and Siltstone (`acp_between.py` says how).
pub fn acp_between(options: &[&str]) -> io::Result<String> {
    line_of("acp_between.py", options)
}

fn line_of(script: &str, options: &[&str]) -> io::Result<String> {
    let script = root()?.join("tests/support").join(script);
    let words = [python()?, script].map(|it| format!("'{}'", it.display()));
    let options = options.iter().map(|it| format!("'{it}'"));
    Ok(words.into_iter().chain(options).collect::<Vec<_>>().join(" "))
}

impl Server {
    /// Where it listens, without a path: `http://127.0.0.1:40123`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What a provider of the OpenAI format is added with.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// The port it listens at.
    pub fn port(&self) -> u16 {
        let port = self.address.rsplit(':').next();
        port.and_then(|port| port.parse().ok()).unwrap_or_default()
    }

    /// The body of `path`.
    pub fn get(&self, path: &str) -> io::Result<String> {
        self.ask("GET", path, "")
    }

    /// The questions that aimock received, as they arrived.
    pub fn questions(&self) -> io::Result<Vec<Received>> {
        let told: Vec<Told> = serde_json::from_str(&self.get("/received")?)?;
        // Our own requests carry no body, or fixtures.
        let asked = |told: &Told| !told.body.is_empty() && !told.path.starts_with("/__aimock");
        Ok(told.into_iter().filter(asked).map(Received::from).collect())
    }

    /// Posts JSON to `path`.
    pub fn post(&self, path: &str, json: &str) -> io::Result<String> {
        self.ask("POST", path, json)
    }

    /// Plain HTTP/1.0, so that a test needs no client of its own: the answer ends where the connection does.
    fn ask(&self, method: &str, path: &str, body: &str) -> io::Result<String> {
        let host = self.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host)?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split_whitespace().nth(1).unwrap_or_default();
        if status.starts_with('2') {
            Ok(body.to_owned())
        } else {
            Err(io::Error::other(format!("{method} {path}: {answer}")))
        }
    }
}

/// A request as aimock tells it.
#[derive(Deserialize)]
struct Told {
    method: String,
    path: String,
    headers: Vec<String>,
    body: String,
}

impl From<Told> for Received {
    fn from(told: Told) -> Self {
        let first = format!("{} {} HTTP/1.1", told.method, told.path);
        let lines = told.headers.chunks(2).filter_map(|pair| match pair {
            [name, value] => Some(format!("{}: {value}", name.to_lowercase())),
            _ => None,
        });
        let head = std::iter::once(first).chain(lines).collect();
        Self { head, body: told.body.into_bytes() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn start(program: PathBuf, script: &str, arguments: &[&str]) -> io::Result<Server> {
    let mut process = Command::new(program)
        .arg(root()?.join("tests/support").join(script))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut address = String::new();
    if let Some(stdout) = process.stdout.take() {
        BufReader::new(stdout).read_line(&mut address)?;
    }
    let server = Server { process, address: address.trim().to_owned() };
    if server.address.is_empty() {
        return Err(io::Error::other(format!(
            "{script} ended before it listened; run tests/support/{script} by hand to see why"
        )));
    }
    Ok(server)
}

fn python() -> io::Result<PathBuf> {
    let python = root()?.join("target/test-servers/venv/bin/python");
    installed(&python)?;
    Ok(python)
}

fn installed(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let what = path.display();
    Err(io::Error::other(format!(
        "{what} is missing: `make test` installs the model servers (or tests/support/setup.sh alone)"
    )))
}

/// The project's folder.
fn root() -> io::Result<&'static Path> {
    let support = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = support.ancestors().nth(2);
    root.ok_or_else(|| io::Error::other("tests/support is not where it was built"))
}
