//! The lines of memory files that a search finds: what requests may carry, so of a trusted folder alone, as far as the
//! person agreed to it, and nothing that is excluded or switched off.

use std::path::Path;

use siltstone_contract::Failure;
use siltstone_engine::memory::{Expanded, spoken_of, without};
use siltstone_engine::passage::Passage;
use siltstone_engine::project::{Project, Trust};

use super::{Reach, is_of_project};
use crate::core::failure::Outcome;
use crate::memory::MemoryService;

/// Characters that a file is shown by which is found by its topic.
const BEGINS: usize = 400;

impl MemoryService {
    /// Brings the index of a project's memory, or of the person's own, up to date. Failures are logged.
    pub(crate) fn index_memory(&self, project: Option<&Project>) {
        if self.core.is_read_only() {
            return;
        }
        let done = self.lines_to_find(project).and_then(|lines| {
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

    /// The memory files whose topic a question speaks of, in whatever words, each as the passage it begins with.
    pub(crate) fn memory_about(&self, project: Option<&Project>, question: &str) -> Vec<Passage> {
        let files = self.findable_files(project).unwrap_or_else(|failure| {
            tracing::warn!(%failure, "looking through memory");
            Vec::new()
        });
        let about = files.into_iter().filter(|file| spoken_of(file, question).is_some());
        let begins = about.filter_map(|file| {
            let piece = file.pieces.into_iter().find(|it| !it.text.trim().is_empty())?;
            let above = piece.text.lines().take_while(|line| line.trim().is_empty()).count();
            let line = piece.line.saturating_add(u32::try_from(above).ok()?);
            let text = piece.text.trim_start().chars().take(BEGINS).collect();
            Some(Passage { path: file.file.path, line, text })
        });
        begins.collect()
    }

    fn findable_files(&self, project: Option<&Project>) -> Result<Vec<Expanded>, Failure> {
        if project.is_some_and(|project| project.trust == Trust::Untrusted) {
            return Ok(Vec::new());
        }
        let mut files = self.agreed_memory(project, Reach::All)?.files;
        let records = self.file_records(project)?;
        let off = |path: &str| records.iter().any(|it| it.path == path && !it.choice.on);
        files.retain(|Expanded { file, .. }| {
            is_of_project(file) == project.is_some()
                && file.refused.is_none()
                && file.same_as.is_none()
                && !off(&file.path)
        });
        Ok(files)
    }

    /// The lines of a project's memory, or of the person's own, that a search may find.
    pub(crate) fn lines_to_find(&self, project: Option<&Project>) -> Result<Vec<Passage>, Failure> {
        let mut lines: Vec<Passage> = Vec::new();
        for piece in self.findable_files(project)?.iter().flat_map(|it| &it.pieces) {
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
