//! A folder, and calls made in it.

use std::fs;
use std::path::Path;

use siltstone_engine::ports::Folder;
use siltstone_engine::tool::{Answer, FileCall, FileChange, FileTools, ToolError};
use siltstone_workspace::Folders;
use tempfile::TempDir;

/// A project in a temporary folder.
pub struct Project {
    temp: TempDir,
    exclude: Vec<String>,
}

impl Project {
    pub fn of(files: &[(&str, &str)]) -> Self {
        let project = Self { temp: tempfile::tempdir().unwrap(), exclude: Vec::new() };
        for (path, text) in files {
            project.put(path, text.as_bytes());
        }
        project
    }

    pub fn without(mut self, patterns: &[&str]) -> Self {
        self.exclude = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        self
    }

    pub fn root(&self) -> &Path {
        self.temp.path()
    }

    pub fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.root().join(path)).unwrap()
    }

    fn folder(&self) -> Folder<'_> {
        Folder { root: self.root().to_str().unwrap(), exclude: &self.exclude }
    }

    pub fn look(&self, call: &FileCall) -> Result<Answer, ToolError> {
        Folders::of(None, None).look(self.folder(), call, &|| true)
    }

    pub fn look_while(
        &self,
        call: &FileCall,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError> {
        Folders::of(None, None).look(self.folder(), call, go_on)
    }

    pub fn text(&self, call: &FileCall) -> String {
        self.look(call).unwrap().text
    }

    pub fn plan(&self, call: &FileCall) -> Result<FileChange, ToolError> {
        Folders::of(None, None).plan(self.folder(), call)
    }

    pub fn carry_out(&self, call: &FileCall, planned: &FileChange) -> Result<Answer, ToolError> {
        Folders::of(None, None).change(self.folder(), call, planned)
    }

    pub fn change(&self, call: &FileCall) -> Result<Answer, ToolError> {
        self.carry_out(call, &self.plan(call)?)
    }
}

pub fn list(path: &str) -> FileCall {
    FileCall::List { path: path.into() }
}

pub fn find(pattern: &str) -> FileCall {
    FileCall::Find { pattern: pattern.into() }
}

pub fn search(pattern: &str) -> FileCall {
    search_in(pattern, "", "")
}

pub fn search_in(pattern: &str, path: &str, files: &str) -> FileCall {
    FileCall::Search {
        pattern: pattern.into(),
        path: path.into(),
        files: files.into(),
        ignore_case: false,
    }
}

pub fn read(path: &str) -> FileCall {
    read_from(path, 1, None)
}

pub fn read_from(path: &str, offset: u64, limit: Option<u64>) -> FileCall {
    FileCall::Read { path: path.into(), offset, limit }
}

pub fn edit(path: &str, old: &str, new: &str) -> FileCall {
    FileCall::Edit { path: path.into(), old: old.into(), new: new.into(), all: false }
}

pub fn edit_all(path: &str, old: &str, new: &str) -> FileCall {
    FileCall::Edit { path: path.into(), old: old.into(), new: new.into(), all: true }
}

pub fn write(path: &str, text: &str) -> FileCall {
    FileCall::Write { path: path.into(), text: text.into() }
}

pub fn rename(from: &str, to: &str) -> FileCall {
    FileCall::Move { from: from.into(), to: to.into() }
}

pub fn delete(path: &str) -> FileCall {
    FileCall::Delete { path: path.into() }
}

pub fn missing<T>(path: &str) -> Result<T, ToolError> {
    Err(ToolError::NotFound { path: path.into() })
}

pub fn outside<T>(path: &str) -> Result<T, ToolError> {
    Err(ToolError::Outside { path: path.into() })
}

/// Whether a call was refused with these words.
pub fn is_refused<T>(result: &Result<T, ToolError>, words: &str) -> bool {
    matches!(result, Err(ToolError::Refused(said)) if said.contains(words))
}
