//! The files at a folder's root that speak to models. Called by the probe and again when a request is composed.
//! They are found and measured here, not taken in: whether they may speak is the person's answer.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::ports::FolderError;
use siltstone_engine::project::{INSTRUCTION_FILES, INSTRUCTION_FOLDER, InstructionFile};
use siltstone_engine::tokens;

use crate::{Root, io, read, text};

/// Most files of the instruction folder that are listed.
const MAX_RULES: usize = 200;

/// Folders in folders of it that are looked at.
const MAX_DEPTH: usize = 5;

/// The instruction files in the order in which they are listed. One that is missing, leads out of the folder, is
/// not text or is too large is left out.
pub fn find(root: &Root) -> Result<Vec<InstructionFile>, FolderError> {
    let dir = Dir::open_ambient_dir(&root.real, ambient_authority())
        .map_err(|error| io(&root.path, &error))?;
    let mut rules = Vec::new();
    if let Ok(folder) = dir.open_dir(INSTRUCTION_FOLDER) {
        collect(&folder, INSTRUCTION_FOLDER, MAX_DEPTH, &mut rules);
    }
    rules.sort();
    rules.truncate(MAX_RULES);

    let names = INSTRUCTION_FILES.map(str::to_owned);
    let mut seen: Vec<(blake3::Hash, String)> = Vec::new();
    let mut found = Vec::new();
    for path in names.into_iter().chain(rules) {
        let Some(text) = read::beneath(root, &path).ok().and_then(text::decode) else {
            continue;
        };
        // A link to another file of the list has the same text, so this finds links too.
        let hash = blake3::hash(text.trim().as_bytes());
        let same_as =
            seen.iter().find(|(earlier, _)| *earlier == hash).map(|(_, path)| path.clone());
        if same_as.is_none() {
            seen.push((hash, path.clone()));
        }
        found.push(InstructionFile { path, tokens: tokens::estimate(&text), same_as });
    }
    Ok(found)
}

/// Collects rule files; links are not followed, so there is no cycle.
fn collect(folder: &Dir, path: &str, depth: usize, rules: &mut Vec<String>) {
    let Ok(entries) = folder.entries() else {
        return;
    };
    for entry in entries.flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        let path = format!("{path}/{name}");
        if kind.is_dir() && depth > 0 {
            if let Ok(inner) = entry.open_dir() {
                collect(&inner, &path, depth - 1, rules);
            }
        } else if kind.is_file() && (name.ends_with(".md") || name.ends_with(".mdc")) {
            rules.push(path);
        }
    }
}
