//! A data folder, a project folder, and `silt` run in it.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// A computer of one's own: a data folder, a project folder, and `silt` in it.
pub struct Desk {
    pub data: TempDir,
    pub project: TempDir,
}

pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self { data: TempDir::new().unwrap(), project: TempDir::new().unwrap() };
        desk.file("AGENTS.md", "# Rules\nAlways answer in full sentences.\n");
        desk.file(
            "docs/server.md",
            "# Server\nThe preview server listens on port 4747.\n\n미리보기 서버는 4747번 포트를 씁니다.\n",
        );
        desk
    }

    /// The same with its project opened and trusted.
    pub fn trusted() -> Self {
        let desk = Self::new();
        assert_eq!(desk.silt(&["project", "open", ".", "--trust"]).code, Some(0));
        desk
    }

    pub fn file(&self, path: &str, text: &str) {
        let path = self.project.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Its files were written a minute ago.
    pub fn rests(&self) {
        let then = SystemTime::now() - Duration::from_secs(60);
        for path in ["AGENTS.md", "docs/server.md"] {
            let file = File::options().write(true).open(self.project.path().join(path));
            file.unwrap().set_modified(then).unwrap();
        }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_silt"));
        command
            .args(args)
            .current_dir(self.project.path())
            .env("SILTSTONE_DATA_DIR", self.data.path())
            // Global memory of its own, so that nobody's real one speaks.
            .env("HOME", self.data.path())
            .env("XDG_CONFIG_HOME", self.data.path().join("config"))
            .env("LC_ALL", "en_GB.UTF-8")
            .env_remove("SILTSTONE_LOG")
            .stdin(Stdio::null());
        command
    }

    pub fn silt(&self, args: &[&str]) -> Said {
        said(self.command(args).output().unwrap())
    }

    pub fn json(&self, args: &[&str]) -> Value {
        let said = self.silt(&[&["--json"], args].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
        serde_json::from_str(&said.out).unwrap()
    }

    /// Asks in the given conversation or a new one; gives the lines.
    pub fn chat(&self, args: &[&str]) -> Vec<Value> {
        let said = self.silt(&[&["--json", "chat"], args].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
        lines(&said.out)
    }

    pub fn feed(&self, args: &[&str], input: &[u8]) -> Said {
        fed(self.command(args), input)
    }
}

/// What a command says that reads `input`.
pub fn fed(mut command: Command, input: &[u8]) -> Said {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    said(child.wait_with_output().unwrap())
}

pub fn said(output: Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn text_of(lines: &[Value]) -> String {
    lines
        .iter()
        .filter(|line| line["event"] == "text")
        .map(|line| line["text"].as_str().unwrap())
        .collect()
}

pub fn conversation_of(lines: &[Value]) -> String {
    lines[0]["conversation_id"].as_str().unwrap().to_owned()
}

/// Roles and texts of the shown path.
pub fn path_of(desk: &Desk, id: &str) -> Vec<(String, String)> {
    let shown = desk.json(&["conversation", "show", id]);
    let messages = shown["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["active"] == true)
        .map(|message| {
            let field = |name: &str| message[name].as_str().unwrap().to_owned();
            (field("role"), field("content"))
        })
        .collect()
}
