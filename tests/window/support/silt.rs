//! The command line over the data folder of a story: to prepare what a window shows, and to ask what it kept.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::built;

/// `silt` over one data folder.
pub(crate) struct Silt {
    data: PathBuf,
}

impl Silt {
    pub(crate) fn over(data: PathBuf) -> Self {
        Self { data }
    }

    /// Runs it and gives what it answered: one value, or the last line of a stream.
    #[track_caller]
    pub(crate) fn ask(&self, arguments: &[&str]) -> Value {
        let output = Command::new(built("silt"))
            .arg("--json")
            .args(arguments)
            .env("SILTSTONE_DATA_DIR", &self.data)
            // Some folder that belongs to no project.
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::null())
            .output()
            .expect("silt starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "silt {arguments:?}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        serde_json::from_str(&said)
            .or_else(|_| serde_json::from_str(lines.last().copied().unwrap_or("null")))
            .unwrap_or_else(|error| panic!("silt {arguments:?}: {error}: {said}"))
    }

    /// Opens a folder as a project.
    #[track_caller]
    pub(crate) fn open_project(&self, folder: &Path) {
        self.ask(&["project", "open", &folder.display().to_string(), "--trust"]);
    }

    /// Connects a server of the OpenAI format and makes it the default.
    #[track_caller]
    pub(crate) fn connect(&self, name: &str, base_url: &str, model: &str) {
        let format = ["--kind", "openai", "--name", name, "--base-url", base_url];
        self.ask(&[&["provider", "add"], &format[..]].concat());
        self.ask(&["provider", "default", name, model]);
    }

    /// Imports a transcript, one message a line; gives the conversation's id.
    #[track_caller]
    pub(crate) fn import(&self, name: &str, messages: &[(&str, String)]) -> String {
        self.import_by(&[], name, messages)
    }

    /// Imports a transcript into a project.
    #[track_caller]
    pub(crate) fn import_into(
        &self,
        project: &str,
        name: &str,
        messages: &[(&str, String)],
    ) -> String {
        self.import_by(&["--project", project], name, messages)
    }

    #[track_caller]
    fn import_by(&self, place: &[&str], name: &str, messages: &[(&str, String)]) -> String {
        let folder = tempfile::tempdir().expect("a folder for the transcript");
        let path = folder.path().join(format!("{name}.jsonl"));
        let line = |(index, (role, content)): (usize, &(&str, String))| {
            let id = format!("m{index}");
            format!("{}\n", serde_json::json!({ "id": id, "role": role, "content": content }))
        };
        let text: String = messages.iter().enumerate().map(line).collect();
        std::fs::write(&path, text).expect("the transcript can be written");
        let path = path.display().to_string();
        let imported = self.ask(&[place, &["conversation", "import", &path]].concat());
        let id = imported["id"].as_str().or_else(|| imported["conversation"]["id"].as_str());
        id.unwrap_or_else(|| panic!("an import has an id: {imported}")).to_owned()
    }
}
