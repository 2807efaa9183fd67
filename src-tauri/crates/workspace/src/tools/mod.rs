//! Files of a project, for tools: the engine's `FileTools` over the file system.
//!
//! `site` says where a path of a call leads and what does not exist for tools, `list` shows folders and finds names,
//! `search` goes through texts, `show` reads a file piece by piece, `change` plans changes and carries them out,
//! `written` keeps a file's bytes while its text is changed, `hint` says why a text was not found. Called by the app
//! for every call of a file tool.
//!
//! What a model asks for is data: a path is opened by handle from the root down, and no link is followed while it is,
//! so one that is swapped in meanwhile leads nowhere. Deliberately absent: whether the person agrees, and checkpoints.

mod change;
mod hint;
mod list;
mod search;
mod show;
mod site;
mod written;

use std::io::Read;

use cap_std::fs::Metadata;
use siltstone_engine::checkpoint::{Leaf, ObjectId};
use siltstone_engine::ports::{Folder, FolderError};
use siltstone_engine::tool::{Answer, FileCall, FileChange, FileTools, ToolError};

use crate::Folders;
use site::Site;

impl FileTools for Folders {
    fn look(
        &self,
        folder: Folder<'_>,
        call: &FileCall,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError> {
        let site = self.site(folder)?;
        match call {
            FileCall::List { path } => list::list(&site, path, go_on),
            FileCall::Find { pattern } => list::find(&site, pattern, self.max_files, go_on),
            FileCall::Search { pattern, path, files, ignore_case } => {
                let wanted = search::Wanted { pattern, path, files, ignore_case: *ignore_case };
                search::search(&site, &wanted, self.max_files, go_on)
            }
            FileCall::Read { path, offset, limit } => {
                show::show(&site, path, *offset, *limit, go_on)
            }
            FileCall::Edit { .. }
            | FileCall::Write { .. }
            | FileCall::Move { .. }
            | FileCall::Delete { .. } => {
                Err(refused("This changes files, and is planned before it is done."))
            }
        }
    }

    fn plan(&self, folder: Folder<'_>, call: &FileCall) -> Result<FileChange, ToolError> {
        change::plan(&self.site(folder)?, call)
    }

    fn change(
        &self,
        folder: Folder<'_>,
        call: &FileCall,
        planned: &FileChange,
    ) -> Result<Answer, ToolError> {
        change::carry_out(&self.site(folder)?, call, planned)
    }

    fn names(&self, folder: Folder<'_>, path: &str) -> Result<Vec<String>, ToolError> {
        self.site(folder)?.names(path)
    }

    fn leaf(&self, folder: Folder<'_>, path: &str) -> Result<Option<Leaf>, ToolError> {
        match self.site(folder)?.open_file(path) {
            Ok((file, metadata)) => {
                let mut bytes = Vec::new();
                file.take(metadata.len())
                    .read_to_end(&mut bytes)
                    .map_err(|error| system(path, &error))?;
                let size = bytes.len() as u64;
                Ok(Some(Leaf::File { id: ObjectId::of(&bytes), size, mode: mode_of(&metadata) }))
            }
            Err(ToolError::NotFound { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }
}

#[cfg(unix)]
fn mode_of(metadata: &Metadata) -> u32 {
    use cap_std::fs::MetadataExt;
    metadata.mode() & 0o7777
}

/// Only whether it may be written is known there.
#[cfg(not(unix))]
fn mode_of(metadata: &Metadata) -> u32 {
    if metadata.permissions().readonly() { 0o444 } else { 0o644 }
}

impl Folders {
    fn site(&self, folder: Folder<'_>) -> Result<Site, ToolError> {
        Site::open(self.root(folder).map_err(of_folder)?)
    }
}

fn refused(words: impl Into<String>) -> ToolError {
    ToolError::Refused(words.into())
}

fn of_folder(error: FolderError) -> ToolError {
    match error {
        FolderError::Cancelled => ToolError::Stopped,
        FolderError::Io { path, detail } => ToolError::System { path, detail },
        other => refused(other.to_string()),
    }
}

fn system(path: &str, error: &std::io::Error) -> ToolError {
    ToolError::System { path: path.to_owned(), detail: error.to_string() }
}

/// A name as a model is told of it: on one line, and reading in the direction in which it is written. One that would
/// not is quoted as in JSON, so that it can be given back as it stands.
fn shown(name: &str) -> String {
    if !name.chars().any(is_deceptive) {
        return name.to_owned();
    }
    let mut quoted = String::from('"');
    for c in name.chars() {
        if is_deceptive(c) || matches!(c, '"' | '\\') {
            quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            quoted.push(c);
        }
    }
    quoted + "\""
}

/// Characters that start a line, cannot be seen, or turn the direction of those around them.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("src/한글 이름.rs", "src/한글 이름.rs")]
    #[case("-rf", "-rf")]
    #[case("a\nREADME.md", "\"a\\u000aREADME.md\"")]
    #[case("gpj.\u{202E}exe", "\"gpj.\\u202eexe\"")]
    #[case("\u{1b}[31m\"", "\"\\u001b[31m\\u0022\"")]
    fn a_name_stays_on_its_line_and_in_its_direction(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(shown(name), expected);
    }
}
