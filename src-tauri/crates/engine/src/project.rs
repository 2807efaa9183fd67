//! Project folders: what a probe finds, and whether the person trusts what the folder says.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{CheckpointId, ProjectId};

/// The person's answer to "may this folder's instruction files speak to the model?". Asked once, kept, revocable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Instruction files and project texts may enter a request.
    Trusted,
    /// The folder opens without its instructions.
    Untrusted,
}

/// A folder that was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// The real path of the folder.
    pub path: String,
    /// The folder's name.
    pub name: String,
    /// The person's answer.
    pub trust: Trust,
    /// Its conversations ask no address but this computer's own.
    pub this_computer_only: bool,
    /// Its files that never enter a request, an index or a checkpoint, as in `.gitignore`.
    pub exclude: Vec<String>,
    /// Which folder that is, as the system tells it from every other: the one that was answered about. `None` of one that
    /// was opened before this was kept.
    #[serde(skip)]
    pub identity: Option<String>,
    /// When it was last opened.
    pub opened_at: Timestamp,
    /// Of which project it is a copy, if it is one.
    pub copy: Option<CopyOf>,
}

/// What a copy of a project began with. It is a project of its own, in which somebody works beside the other one, until what
/// was changed in it is taken over there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CopyOf {
    /// The project that was copied. It may have been forgotten since.
    pub project: ProjectId,
    /// What it is for, as the person said.
    pub name: String,
    /// The copy's first checkpoint: the files that both began with.
    pub base: CheckpointId,
    /// The branch that was made for it, where it is a worktree of git; `None` for a folder without a repository.
    pub branch: Option<String>,
}

/// Something about a folder that the person should know before opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ProbeWarning {
    /// The folder is the person's home.
    Home,
    /// The folder is the root of a file system.
    Root,
    /// This program keeps its own data in the folder; that part is taken in by nothing.
    OwnData,
    /// The folder lies on a network file system.
    Network,
    /// More files than are looked at.
    TooManyFiles,
    /// Some folders could not be read.
    Unreadable,
    /// Files were still being written in it: what it brings may be another thing a moment later.
    StillWritten,
}

/// A file of the folder that holds instructions for models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct InstructionFile {
    /// Path relative to the folder, with `/`.
    pub path: String,
    /// Estimated tokens.
    pub tokens: u64,
    /// An earlier file of the list with the same text.
    pub same_as: Option<String>,
}

/// What a probe counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ProbeProgress {
    /// Files seen, after gitignore.
    pub files: u64,
    /// Folders seen.
    pub folders: u64,
    /// Bytes of those files.
    pub bytes: u64,
}

/// What a folder would bring, found without taking anything into a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Probe {
    /// The real path of the folder.
    pub path: String,
    /// The folder's name.
    pub name: String,
    /// Final counts.
    pub counts: ProbeProgress,
    /// The checked-out git branch, read from `.git/HEAD` and never by running git.
    pub git_branch: Option<String>,
    /// Whether the folder brings a session of its own in `.ai-brain`.
    pub brain: bool,
    /// Instruction files, root first.
    pub instructions: Vec<InstructionFile>,
    /// Names that are never sent (`.env`, keys and the like), as found.
    pub never_sent: Vec<String>,
    /// Things to know.
    pub warnings: Vec<ProbeWarning>,
}

/// Most files that a tool looks at, and most folders in which memory is looked for; who asks a tool is told of the rest.
pub const MAX_FILES: u64 = 1_000_000;

/// Whether a file of this name is never read into a request or an index: it is likely to hold a secret.
pub fn is_never_sent(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let secret_name = name == ".env"
        || name.starts_with(".env.")
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || name.starts_with("id_ecdsa")
        || matches!(
            name.as_str(),
            ".netrc" | ".npmrc" | ".pypirc" | "credentials" | "secrets.json" | ".git-credentials"
        );
    let secret_kind = [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".age"]
        .iter()
        .any(|suffix| name.ends_with(suffix));
    let example = name.ends_with(".example") || name.ends_with(".sample") || name.ends_with(".pub");
    (secret_name || secret_kind) && !example
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(".env", true)]
    #[case(".env.local", true)]
    #[case(".env.example", false)]
    #[case("server.PEM", true)]
    #[case("id_ed25519.pub", false)]
    #[case("keyboard.rs", false)]
    fn names_that_hold_secrets_are_known(#[case] name: &str, #[case] expected: bool) {
        assert_eq!(is_never_sent(name), expected, "{name}");
    }
}
