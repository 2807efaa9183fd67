//! The lines of memory files that a search finds: what requests may carry, so of a trusted folder alone, as far as the
//! person agreed to it, and nothing that is excluded or switched off.

use std::path::Path;

use siltstone_contract::Failure;
use siltstone_engine::memory::without;
use siltstone_engine::passage::Passage;
use siltstone_engine::project::{Project, Trust};

use super::{Reach, is_of_project};
use crate::core::failure::Outcome;
use crate::memory::MemoryService;

impl MemoryService {
    /// Brings the index of a project's memory, or of the person's own, up to date. Failures are logged.
    pub(crate) fn index_memory(&self, project: Option<&Project>) {
        if self.core.is_read_only() {
            return;
        }
        let done = self.findable_memory(project).and_then(|lines| {
            let passages = self.core.stores()?.passages;
            passages.put_memory(project.map(|project| project.id), &lines).or_failure()
        });
        if let Err(failure) = done {
            tracing::warn!(%failure, "indexing memory");
        }
    }

    /// What a search may find in files that speak to models, by path and text: nothing that was flagged, unless the
    /// person let it in. The rest of a project's files is found as it is.
    pub(crate) fn memory_as_found(
        &self,
        project: &Project,
    ) -> impl Fn(&str, String) -> String + use<> {
        let records = self.file_records(Some(project)).unwrap_or_default();
        let names = self.memory_rules(Some(project)).unwrap_or_default().settings.names;
        move |path, text| {
            let record = records.iter().find(|record| record.path == path);
            let is_named = names.iter().any(|name| Path::new(path).ends_with(name));
            if record.is_none() && !is_named {
                return text;
            }
            let known = record.map(|record| &record.choice.passages);
            without(&text, &|hash| known.and_then(|known| known.get(hash)) == Some(&true))
        }
    }

    fn findable_memory(&self, project: Option<&Project>) -> Result<Vec<Passage>, Failure> {
        if project.is_some_and(|project| project.trust == Trust::Untrusted) {
            return Ok(Vec::new());
        }
        let found = self.agreed_memory(project, Reach::All)?;
        let records = self.file_records(project)?;
        let off = |path: &str| records.iter().any(|it| it.path == path && !it.choice.on);
        let own = found.files.iter().filter(|it| is_of_project(&it.file) == project.is_some());
        let taken = own.filter(|it| it.file.refused.is_none() && it.file.same_as.is_none());
        let mut lines: Vec<Passage> = Vec::new();
        for piece in taken.filter(|it| !off(&it.file.path)).flat_map(|it| &it.pieces) {
            for (number, text) in (piece.line..).zip(piece.text.lines()) {
                if !text.trim().is_empty() {
                    let (path, text) = (piece.path.clone(), text.to_owned());
                    lines.push(Passage { path, line: number, text });
                }
            }
        }
        // Storage keeps lines by file; what several files import is one.
        lines.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        lines.dedup_by(|a, b| a.path == b.path && a.line == b.line);
        Ok(lines)
    }
}
