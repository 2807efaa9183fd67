//! What of memory a request takes (behaviour.md, Memory). Global memory and added lines go whatever the folder
//! is; of the folder's own files only what the person agreed to.

use siltstone_contract::Failure;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::memory::{
    Expanded, FileRecord, MemoryFile, MemoryLayer, MemoryLine, TaskAtHand, expand, inject, must,
    without,
};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::prompt::MemoryText;
use siltstone_engine::section::{LeftOut, LeftOutWhy, ManifestSection, id_of_memory, memory_of};

use super::{Found, Reach, is_of_project, place_of};
use crate::core::failure::Outcome;
use crate::memory::MemoryService;

/// Versions in which a text that was sent is looked for.
const VERSIONS: u32 = 50;

/// Memory for one request.
#[derive(Default)]
pub(crate) struct Taken {
    pub(crate) texts: Vec<MemoryText>,
    pub(crate) left_out: Vec<LeftOut>,
    /// What the project's own files say to every request, which the persistent context keeps.
    pub(crate) rules: Option<String>,
}

impl MemoryService {
    /// The memory that goes with a message. What cannot be read is listed, and is in nobody's way.
    pub(crate) fn taken_memory(
        &self,
        project: Option<&Project>,
        conversation: Option<ConversationId>,
        task: &TaskAtHand<'_>,
    ) -> Taken {
        let mut left_out = Vec::new();
        let found =
            self.found_for(project, task.touched, &mut left_out).unwrap_or_else(|failure| {
                tracing::warn!(%failure, "a request goes without its memory");
                Found::default()
            });
        let records = self.file_records(project).unwrap_or_default();
        let lines = self.lines_of(project, conversation).unwrap_or_default();
        let injected = inject(&found.files, &records, &lines, task);
        left_out.extend(injected.left_out);
        Taken { texts: injected.texts, left_out, rules: rules_of(&found, &records) }
    }

    fn lines_of(
        &self,
        project: Option<&Project>,
        conversation: Option<ConversationId>,
    ) -> Result<Vec<MemoryLine>, Failure> {
        let memory = self.core.stores()?.memory;
        memory.lines(project.map(|project| project.id), conversation).or_failure()
    }

    /// The files that may go, and those that may not.
    pub(super) fn found_for(
        &self,
        project: Option<&Project>,
        dirs: &[String],
        left: &mut Vec<LeftOut>,
    ) -> Result<Found, Failure> {
        let Some(project) = project else {
            return self.agreed_memory(None, Reach::All);
        };
        let reach = Reach::Along(dirs);
        let found = match project.trust {
            Trust::Trusted => self.agreed_memory(Some(project), reach),
            Trust::Untrusted => self.memory_on_disk(Some(project), reach),
        };
        let mut found = match found {
            Ok(found) => found,
            // The folder is gone or unreadable: the request still goes, and says what is missing.
            Err(_) => {
                left.push(left_out(&project.path, 0, LeftOutWhy::Unreadable));
                return self.agreed_memory(None, Reach::All);
            }
        };
        if project.trust == Trust::Untrusted {
            let (own, global): (Vec<_>, Vec<_>) =
                found.files.into_iter().partition(|it| is_of_project(&it.file));
            let untrusted =
                own.iter().map(|it| left_out(&it.file.path, it.tokens, LeftOutWhy::Untrusted));
            left.extend(untrusted);
            found.files = global;
        }
        left.extend(found.changed.iter().map(|path| {
            let id = Some(id_of_memory(path));
            let (source, why) = (path.clone(), LeftOutWhy::ChangedSinceAgreed);
            LeftOut { id, ..LeftOut::new(source, 0, why) }
        }));
        Ok(found)
    }

    /// The text of a section of memory that was sent, and whether it would go now: else it is of a version that is kept.
    pub(crate) fn sent_memory(
        &self,
        project: Option<&Project>,
        conversation: ConversationId,
        section: &ManifestSection,
        asked: &str,
        said: &[&dyn Fn(String) -> String],
    ) -> Option<(String, bool)> {
        let path = memory_of(&section.id)?;
        let touched = [path.to_owned()];
        let now = self.taken_memory(
            project,
            Some(conversation),
            &TaskAtHand { draft: asked, touched: &touched },
        );
        let of = now.texts.into_iter().filter(|text| text.path == path);
        let now = of.flat_map(|text| [Some(text.text), text.must]).flatten();
        // As it was said then: with its secrets, or without.
        let sent = |text: String| {
            let texts = said.iter().map(|said| said(text.clone()));
            texts.into_iter().find(|text| section.is_of(text))
        };
        let now = now.into_iter().find_map(sent).map(|text| (text, true));
        now.or_else(|| {
            let memory = self.core.stores().ok()?.memory;
            let versions = memory.versions(&place_of(project, path), VERSIONS).ok()?;
            let before = versions.iter().find_map(|version| {
                let text = memory.version_text(version.seq).ok()?;
                // As it would go now, and with what was left out since.
                let shown = self.without_left_out(project, path, &text);
                [shown, text].into_iter().find_map(|text| {
                    let whole = self.expanded(project, path, text).text();
                    let rules = must::rules(&whole);
                    [Some(whole), rules].into_iter().flatten().find_map(&sent)
                })
            })?;
            Some((before, false))
        })
    }

    fn without_left_out(&self, project: Option<&Project>, path: &str, text: &str) -> String {
        let records = self.file_records(project).unwrap_or_default();
        let record = records.into_iter().find(|record| record.path == path).unwrap_or_default();
        without(text, &|hash| record.choice.passages.get(hash) != Some(&false))
    }

    fn expanded(&self, project: Option<&Project>, path: &str, text: String) -> Expanded {
        let file = MemoryFile {
            path: path.to_owned(),
            layer: MemoryLayer::Project,
            dir: String::new(),
            hash: String::new(),
            bytes: text.len() as u64,
            text,
            same_as: None,
            refused: None,
        };
        let rules = self.memory_rules(project).unwrap_or_default();
        let place = rules.at(project);
        expand(&file, &mut |from, target| self.core.world.memory.import(&place, from, target))
    }
}

/// What the project's files say whatever the task is, each under its name.
fn rules_of(found: &Found, records: &[FileRecord]) -> Option<String> {
    let root = |it: &&Expanded| it.file.layer == MemoryLayer::Project;
    let files: Vec<Expanded> = found.files.iter().filter(root).cloned().collect();
    let injected = inject(&files, records, &[], &TaskAtHand::default());
    let told = injected.texts.iter().map(|it| format!("{}:\n{}", it.path, it.text.trim()));
    let texts: Vec<String> = told.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// What is left out, under no id.
pub(crate) fn left_out(source: &str, tokens: u64, why: LeftOutWhy) -> LeftOut {
    LeftOut::new(source, tokens, why)
}

/// A path relative to the root; `None` for one outside of it, and for the root itself.
pub(crate) fn beneath(root: &str, path: &str) -> Option<String> {
    let inside = match path.strip_prefix(root) {
        Some(inside) => inside.strip_prefix('/')?,
        None if std::path::Path::new(path).is_absolute() => return None,
        None => path,
    };
    let inside = inside.trim_start_matches("./").trim_end_matches('/');
    let climbs = inside.split('/').any(|part| part == "..");
    (!inside.is_empty() && inside != "." && !climbs).then(|| inside.to_owned())
}
