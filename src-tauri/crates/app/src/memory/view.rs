//! The layers as a person sees them: every file with its cost and what to look at in it, and the merged result.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use siltstone_contract::{
    AgreedFile, DefaultModel, Failure, MemoryAt, MemoryFileView, MemoryView, ProbeView, Topic,
};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::{
    Effective, Expanded, FileRecord, Finding, LayerTokens, MemoryFile, MemoryLayer, MemoryLine,
    Refusal, effective,
};
use siltstone_engine::price::Tariff;
use siltstone_engine::project::{Probe, Project, Trust};
use siltstone_engine::turn::Usage;
use tokio_util::sync::CancellationToken;

use super::agreed::{found_in, seen_in};
use super::{Found, Reach, effects, is_of_project};
use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::memory::MemoryService;

/// "A day" is the last one.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How memory is used.
struct Use {
    tariff: Option<Tariff>,
    /// Replies of the last day.
    turns: u64,
}

impl Use {
    fn cost(&self, tokens: u64) -> Option<u64> {
        let usage = Usage { input_tokens: tokens, ..Usage::default() };
        Some(self.tariff?.price.cost(&usage).saturating_mul(self.turns))
    }
}

/// Memory of a place, with what is said beside it.
struct Place {
    project: Option<Project>,
    found: Found,
    lines: Vec<MemoryLine>,
}

impl MemoryService {
    /// The layers of a place.
    pub async fn memory_layers(&self, request: MemoryAt) -> Result<MemoryView, Failure> {
        let stores = self.core.stores()?;
        let conversation = request.conversation_id.map(|id| stores.transcripts.conversation(id));
        let choice = match conversation.transpose().or_failure()? {
            Some(conversation) => self.models.choice_for(&conversation)?,
            None => {
                let settings = stores.records.settings().or_failure()?;
                DefaultModel { provider: settings.default_provider, model: settings.default_model }
            }
        };
        let since = self.core.now().checked_sub(DAY).unwrap_or(Timestamp::MIN);
        let spent = stores.spending.spent(since, Timestamp::MAX).or_failure()?;
        let turns = spent.iter().map(|spent| spent.turns).sum();
        let used = Use { tariff: self.models.tariff(&stores, &choice)?, turns };
        if let Some(id) = request.project_id {
            self.watch_memory(&stores.records.project(id).or_failure()?);
        }
        let this = self.clone();
        blocking(move || this.layers_of(&request, &used)).await?
    }

    /// What memory says when all of a place is put together.
    pub async fn memory_effective(&self, request: MemoryAt) -> Result<Effective, Failure> {
        let this = self.clone();
        blocking(move || {
            let Place { project, mut found, lines } = this.place(&request)?;
            let records = this.file_records(project.as_ref())?;
            found.files.retain(|it| choice_of(&records, &it.file.path).choice.on);
            Ok(effective(&found.files, &lines))
        })
        .await?
    }

    /// The same as far as the person agreed to it, on the way to a path of the project: what requests carry there.
    pub(crate) async fn effective_agreed(
        &self,
        project: Option<Project>,
        path: Option<String>,
    ) -> Result<Effective, Failure> {
        let this = self.clone();
        blocking(move || {
            let along: Vec<String> = path.into_iter().collect();
            let mut found = this.found_for(project.as_ref(), &along, &mut Vec::new())?;
            let records = this.file_records(project.as_ref())?;
            found.files.retain(|it| choice_of(&records, &it.file.path).choice.on);
            let of = project.map(|project| project.id);
            let lines = this.core.stores()?.memory.lines(of, None).or_failure()?;
            Ok(effective(&found.files, &lines))
        })
        .await?
    }

    /// Reads all of it again, for the persistent context too.
    pub async fn memory_refresh(&self, request: MemoryAt) -> Result<MemoryView, Failure> {
        if let Some(project) = self.project_of(request.project_id)? {
            self.core.rules_changed(&project).await;
        }
        self.core.changed([Topic::Memory]);
        self.memory_layers(request).await
    }

    /// A folder that may not be opened yet, with the memory it would bring and what it asks programs to run.
    pub(crate) fn with_memory(
        &self,
        path: &str,
        known: Option<Project>,
        end: &CancellationToken,
        probe: impl FnOnce() -> Result<Probe, Failure>,
    ) -> Result<ProbeView, Failure> {
        let folder = self.as_asked_about(path, known);
        let (probe, found) = thread::scope(|scope| {
            let memory = scope.spawn(|| self.memory_on_disk(Some(&folder), Reach::Until(end)));
            // Without a probe nobody waits for the memory.
            let probe = probe().inspect_err(|_| end.cancel());
            (probe, memory.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (probe, found) = (probe?, found?);
        let own = found.files.iter().filter(|it| is_of_project(&it.file));
        // Whatever was said before: the question is asked anew.
        let none = |_: &str, _: &str| false;
        let memory = own
            .map(|it| {
                let findings = findings(it, &found.imported, &none);
                MemoryFileView { findings, ..view(it, &FileRecord::default(), None) }
            })
            .collect();
        let effects = effects::effects(&|path| self.privacy.text_to_send(&folder, path).ok());
        let seen = seen_in(&found);
        Ok(ProbeView { probe, memory, seen, effects })
    }

    /// What an answer that trusts this folder names, as it is now: for who made all of it.
    pub async fn memory_seen(&self, path: &str) -> Result<Vec<AgreedFile>, Failure> {
        let path = self.core.world.files.real_path(path).or_failure()?;
        let known = self.core.stores()?.records.project_at(&path).or_failure()?;
        let (this, folder) = (self.clone(), self.as_asked_about(&path, known));
        blocking(move || Ok(seen_in(&this.memory_on_disk(Some(&folder), Reach::All)?))).await?
    }

    /// A folder before the person says whether they trust it.
    fn as_asked_about(&self, path: &str, known: Option<Project>) -> Project {
        Project {
            id: known.as_ref().map_or_else(|| ProjectId::new(self.core.now()), |known| known.id),
            path: path.to_owned(),
            name: String::new(),
            trust: Trust::Untrusted,
            this_computer_only: false,
            exclude: known.map(|known| known.exclude).unwrap_or_default(),
            identity: None,
            opened_at: self.core.now(),
            copy: None,
        }
    }

    fn place(&self, at: &MemoryAt) -> Result<Place, Failure> {
        let project = self.project_of(at.project_id)?;
        let dirs = at.dir.clone().map(|dir| [dir]);
        let reach = dirs.as_ref().map_or(Reach::All, |dirs| Reach::Along(dirs));
        let found = self.memory_on_disk(project.as_ref(), reach)?;
        let lines =
            self.core.stores()?.memory.lines(at.project_id, at.conversation_id).or_failure()?;
        Ok(Place { project, found, lines })
    }

    fn layers_of(&self, at: &MemoryAt, used: &Use) -> Result<MemoryView, Failure> {
        let Place { project, found, lines } = self.place(at)?;
        let records = self.file_records(project.as_ref())?;
        let changed = match &project {
            Some(project) if project.trust == Trust::Trusted => self.changed_paths(project)?,
            _ => Vec::new(),
        };
        let shown = |it: &Expanded| {
            let record = choice_of(&records, &it.file.path);
            let mut view = view(it, &record, used.cost(it.tokens));
            view.findings = findings(it, &found.imported, &|path, hash| {
                let known = records.iter().find(|record| record.path == path);
                known.and_then(|known| known.choice.passages.get(hash)) != Some(&false)
            });
            view.changed = view
                .imports
                .iter()
                .filter_map(|note| note.to.as_ref())
                .chain([&view.path])
                .any(|path| changed.contains(path));
            view
        };
        let mut files: Vec<MemoryFileView> = found.files.iter().map(shown).collect();
        if let Ok(own) = self.own_global_file()
            && files.iter().all(|file| file.path != own)
        {
            files.insert(0, missing(own));
        }
        let excluded =
            files.iter().filter(|file| file.refused == Some(Refusal::Excluded)).count() as u64;
        let tokens = tokens_of(&files, &effective(&[], &lines).tokens);
        Ok(MemoryView {
            files,
            lines,
            tokens,
            watching: project.as_ref().and_then(|project| self.watching(project.id)),
            trust: project.map(|project| project.trust),
            excluded,
        })
    }
}

fn choice_of(records: &[FileRecord], path: &str) -> FileRecord {
    records.iter().find(|record| record.path == path).cloned().unwrap_or_default()
}

/// What each layer costs of what takes part.
fn tokens_of(files: &[MemoryFileView], lines: &[LayerTokens]) -> Vec<LayerTokens> {
    let mut sums: Vec<LayerTokens> = Vec::new();
    let of_files = files.iter().filter(|file| file.on && file.same_as.is_none());
    let of_files = of_files.map(|file| LayerTokens { layer: file.layer, tokens: file.tokens });
    for of in of_files.chain(lines.iter().copied()).filter(|of| of.tokens > 0) {
        match sums.iter_mut().find(|sum| sum.layer == of.layer) {
            Some(sum) => sum.tokens += of.tokens,
            None => sums.push(of),
        }
    }
    sums
}

/// What to look at in a file and in what it imports, with what of it is left out.
fn findings(
    it: &Expanded,
    imported: &HashMap<String, String>,
    goes: &dyn Fn(&str, &str) -> bool,
) -> Vec<Finding> {
    let path = &it.file.path;
    let mut all = found_in(&it.file.text, &|hash| goes(path, hash));
    if !is_of_project(&it.file) {
        // Nobody else's question: the person's own.
        all.iter_mut().for_each(|finding| finding.passage = None);
    }
    let taken = it.imports.iter().filter(|note| note.refused.is_none() && !note.again);
    for path in taken.filter_map(|note| note.to.as_ref()) {
        let Some(text) = imported.get(path) else { continue };
        let of = found_in(text, &|hash| goes(path, hash)).into_iter();
        all.extend(of.map(|finding| Finding { in_file: Some(path.clone()), ..finding }));
    }
    all
}

fn view(it: &Expanded, record: &FileRecord, cost_a_day: Option<u64>) -> MemoryFileView {
    let MemoryFile { path, layer, dir, text: _, hash, bytes, same_as, refused } = it.file.clone();
    MemoryFileView {
        path,
        layer,
        dir,
        tokens: it.tokens,
        bytes,
        hash,
        on: record.choice.on,
        injection: record.choice.injection.or(it.front.injection).unwrap_or_default(),
        choice_injection: record.choice.injection,
        same_as,
        refused,
        imports: it.imports.clone(),
        findings: Vec::new(),
        missing: false,
        changed: false,
        cost_a_day,
    }
}

/// A file that could be made.
fn missing(path: String) -> MemoryFileView {
    let file = MemoryFile {
        path,
        layer: MemoryLayer::Global,
        dir: String::new(),
        text: String::new(),
        hash: String::new(),
        bytes: 0,
        same_as: None,
        refused: None,
    };
    let none = siltstone_engine::memory::expand(&file, &mut |_, _| Err(Refusal::Missing));
    MemoryFileView { missing: true, ..view(&none, &FileRecord::default(), None) }
}
