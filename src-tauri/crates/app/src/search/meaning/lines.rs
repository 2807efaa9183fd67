//! Lines of memory by their meaning, in the search over everything (`finding`): of what it may find of memory files vectors
//! are made without secrets, and kept by what a line says, so that a line that moves keeps its own. Only a model in the
//! data folder is asked, which a search can wait for and from which nothing leaves; a provider makes vectors of what was
//! said, and never of memory.

use std::collections::{HashMap, HashSet};

use siltstone_contract::Failure;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::meaning::{
    Compact, EmbeddedLine, EmbedderChoice, Purpose, standing, stands_out,
};
use siltstone_engine::memory::hash_of;
use siltstone_engine::passage::Passage;
use siltstone_engine::project::Project;
use siltstone_engine::recall::Scope;
use tokio_util::sync::CancellationToken;

use super::PATIENCE;
use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::search::SearchService;

/// Projects whose memory has vectors, those opened last.
const PROJECTS: usize = 4;
/// Lines of a project's memory that have vectors; rules that are read with every request are never so many.
const LINES: usize = 2_000;
/// Lines that are made at a time, so that what was made stays when it is cut off.
const LOT: usize = 32;
/// Lines that a search gives.
const FOUND: usize = 12;

/// A line of memory as vectors know it.
struct Known {
    hash: String,
    clean: String,
    passage: Passage,
}

/// Lines that are near to a question.
struct Near {
    found: Vec<(Option<ProjectId>, Passage)>,
    /// Some line has no vector yet.
    is_missing: bool,
}

impl SearchService {
    /// Makes the vectors that lines of memory lack, and forgets those of lines that are gone.
    pub(super) async fn read_memory(
        &self,
        choice: &EmbedderChoice,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        if !matches!(choice, EmbedderChoice::Local { .. }) || self.core.is_read_only() {
            return Ok(());
        }
        let (id, embedder) = (choice.id(), self.embedder(choice, None).await?);
        let vectors = self.core.stores()?.vectors;
        let projects = self.core.stores()?.records.projects().or_failure()?.into_iter();
        for project in projects.take(PROJECTS).map(Some).chain([None]) {
            let of = project.as_ref().map(|it| it.id);
            let this = self.clone();
            let lines = blocking(move || this.known_lines(project.as_ref())).await??;
            let all = lines.iter().map(|it| it.hash.clone()).collect();
            vectors.forget_lines_but(of, &all).or_failure()?;
            let kept = vectors.lines_kept(&id, of).or_failure()?;
            let missing: Vec<&Known> = lines.iter().filter(|it| !kept.contains(&it.hash)).collect();
            for lot in missing.chunks(embedder.at_once().min(LOT)) {
                let texts = lot.iter().map(|it| it.clean.clone()).collect();
                let made = tokio::select! {
                    biased;
                    () = stop.cancelled() => return Ok(()),
                    made = embedder.embed(texts, Purpose::Passage) => made.or_failure()?.vectors,
                };
                let made = lot.iter().zip(made).filter_map(|(known, vector)| {
                    Some(EmbeddedLine { line: known.hash.clone(), vector: Compact::of(&vector)? })
                });
                vectors.keep_lines(&id, of, &made.collect::<Vec<_>>()).or_failure()?;
            }
        }
        Ok(())
    }

    /// Lines of these projects' memory, and of the person's own for `None`, that stand out as near to a question in
    /// meaning, the nearest first; none where no model in the data folder makes vectors.
    pub(crate) async fn lines_about(
        &self,
        asked: &str,
        projects: Vec<Option<Project>>,
    ) -> Vec<(Option<ProjectId>, Passage)> {
        self.nearest_lines(asked, projects).await.unwrap_or_else(|failure| {
            tracing::debug!(%failure, "looking for lines of memory that are near in meaning");
            Vec::new()
        })
    }

    async fn nearest_lines(
        &self,
        asked: &str,
        projects: Vec<Option<Project>>,
    ) -> Result<Vec<(Option<ProjectId>, Passage)>, Failure> {
        let choice = self.meaning_settings()?.embedder;
        let Some(choice @ EmbedderChoice::Local { .. }) = choice else { return Ok(Vec::new()) };
        let scope = Scope { conversation_id: None, project_id: None };
        let Some(question) = self.question(&choice, asked, scope, false).await? else {
            return Ok(Vec::new());
        };
        // Files of memory change outside: what is new in them is read first where nobody does it in the background.
        let stays = self.meaning.stays();
        if !stays {
            let stop = CancellationToken::new();
            let read = tokio::time::timeout(PATIENCE, self.read_memory(&choice, &stop)).await;
            read.unwrap_or(Ok(()))?;
        }
        let (this, id) = (self.clone(), choice.id());
        let near = blocking(move || this.lines_by_nearness(&id, &question, &projects)).await??;
        if stays && near.is_missing {
            self.begin_vectors(0);
        }
        Ok(near.found)
    }

    fn lines_by_nearness(
        &self,
        embedder: &str,
        question: &Compact,
        projects: &[Option<Project>],
    ) -> Result<Near, Failure> {
        let vectors = self.core.stores()?.vectors;
        let (mut lines, mut near, mut is_missing) = (Vec::new(), Vec::new(), false);
        for project in projects {
            let of = project.as_ref().map(|it| it.id);
            let nearness: HashMap<String, f32> =
                vectors.lines_near(embedder, question, of).or_failure()?;
            for line in self.known_lines(project.as_ref())? {
                match nearness.get(&line.hash) {
                    Some(nearness) => {
                        near.push((lines.len(), *nearness));
                        lines.push(Some((of, line.passage)));
                    }
                    None => is_missing = true,
                }
            }
        }
        let mut found = standing(&near);
        found.retain(|(_, standing)| stands_out(*standing));
        found.sort_by(|(_, near), (_, nearer)| nearer.total_cmp(near));
        found.truncate(FOUND);
        let found = found.into_iter().filter_map(|(at, _)| lines[at].take()).collect();
        Ok(Near { found, is_missing })
    }

    /// What a search may find of a project's memory, or of the person's own, without secrets.
    fn known_lines(&self, project: Option<&Project>) -> Result<Vec<Known>, Failure> {
        let cleaner = self.privacy.strict_cleaner();
        let lines = self.memory.lines_to_find(project)?;
        let mut seen = HashSet::new();
        let known = lines.into_iter().map(|passage| {
            let clean = cleaner.text(passage.text.trim()).into_owned();
            Known { hash: hash_of(clean.as_bytes()), clean, passage }
        });
        Ok(known.filter(|it| seen.insert(it.hash.clone())).take(LINES).collect())
    }
}
