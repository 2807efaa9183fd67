//! The search over everything.
//!
//! Storage answers for what is indexed. Beside that: memory is brought up to date before it is searched, because it
//! changes outside of the window; a file that may not be read any more is taken out of the answer, however old the
//! index is; and the notes of checkpoints, which are few and may be sealed, are looked through where they are.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use siltstone_contract::{Failure, Find, ProjectRef};
use siltstone_engine::checkpoint::{Checkpoint, CheckpointReason};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::link;
use siltstone_engine::passage::Passage;
use siltstone_engine::ports::Stores;
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::search::{
    Filter, Found, FoundEverywhere, FoundGroup, FoundKind, Query, Searched, snippet,
};

use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::search::SearchService;

/// Most of a kind that are given.
const FOUND: u32 = 100;

/// Checkpoints of a project that are looked through, the newest ones.
const CHECKPOINTS: u32 = 5_000;

/// Projects whose memory is looked at again before a search that names none, those opened last.
const FRESH: usize = 4;

/// What a note is weighed beside: a few words.
const USUAL_NOTE: f64 = 40.0;

impl SearchService {
    /// Search over everything: conversations, summaries, decisions, memory, files, checkpoints.
    pub async fn find(&self, request: Find) -> Result<FoundEverywhere, Failure> {
        let (this, stores) = (self.clone(), self.core.stores()?);
        let of = request.filter.project_id;
        let files = request.filter.takes(FoundKind::File);
        let near = self.memory_near(&stores, &request).await?;
        let found = blocking(move || this.found(&stores, &request, &near)).await??;
        if let Some(id) = of.filter(|_| files) {
            self.follow_files(id);
        }
        Ok(found)
    }

    /// Makes the index over conversations anew, while everything goes on. `go_on` hears how many messages are left, and
    /// stops it with `false`; the next start then goes on with it.
    pub async fn rebuild_index(
        &self,
        go_on: Arc<dyn Fn(u64) -> bool + Send + Sync>,
    ) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        for project in stores.records.projects().or_failure()? {
            if project.trust == Trust::Trusted {
                self.index.refresh_index(&project).await;
            }
        }
        blocking(move || stores.finder.make_index(true, &mut |left| go_on(left)))
            .await?
            .or_failure()
    }

    /// Reads again what changed of a project's files, and is done when the next search knows it: for a program that
    /// ends with its search.
    pub async fn refresh_files(&self, request: ProjectRef) -> Result<(), Failure> {
        let project = self.core.stores()?.records.project(request.id).or_failure()?;
        if project.trust == Trust::Trusted {
            self.index.refresh_index(&project).await;
        }
        Ok(())
    }

    /// Reads again what changed of a project's files, for the next search.
    fn follow_files(&self, id: ProjectId) {
        let this = self.clone();
        tokio::spawn(async move {
            let project =
                this.core.stores().ok().and_then(|stores| stores.records.project(id).ok());
            if let Some(project) = project.filter(|project| project.trust == Trust::Trusted) {
                this.index.refresh_index(&project).await;
            }
        });
    }

    /// Lines of memory that mean what is asked, where vectors are made and days do not matter.
    async fn memory_near(
        &self,
        stores: &Stores,
        request: &Find,
    ) -> Result<Vec<(Option<ProjectId>, Passage)>, Failure> {
        let Find { query, filter, .. } = request;
        // A single word asks nothing, and its beginnings less.
        if !of_memory(filter) || Query::parse(query).terms.len() < 2 {
            return Ok(Vec::new());
        }
        let projects = stores.records.projects().or_failure()?.into_iter();
        let of = |project: &Project| filter.project_id.is_none_or(|id| id == project.id);
        let own = filter.project_id.is_none().then_some(None);
        let places = projects.filter(of).take(FRESH).map(Some).chain(own).collect();
        Ok(self.lines_about(query, places).await)
    }

    fn found(
        &self,
        stores: &Stores,
        request: &Find,
        near: &[(Option<ProjectId>, Passage)],
    ) -> Result<FoundEverywhere, Failure> {
        let Find { query, filter, limit } = request;
        let limit = (*limit).min(FOUND);
        let projects = stores.records.projects().or_failure()?;
        let of = |project: &&Project| filter.project_id.is_none_or(|id| id == project.id);
        // None of these is said by somebody in a conversation.
        let places = filter.role.is_none() && filter.conversation_id.is_none();
        if places && filter.takes(FoundKind::Memory) {
            self.memory.index_memory(None);
            projects
                .iter()
                .filter(of)
                .take(FRESH)
                .for_each(|it| self.memory.index_memory(Some(it)));
        }
        let mut found = stores.finder.find_everywhere(query, filter, limit).or_failure()?;
        let by_id: HashMap<ProjectId, &Project> = projects.iter().map(|it| (it.id, it)).collect();
        for group in &mut found.groups {
            let before = group.found.len();
            group.found.retain(|it| self.may_be_shown(it, &by_id));
            group.total = group.total.saturating_sub((before - group.found.len()) as u64);
        }
        if of_memory(filter) {
            let projects = projects.iter().filter(of).take(FRESH).map(Some);
            let global = filter.project_id.is_none().then_some(None);
            for project in projects.chain(global) {
                self.join_by_sense(&mut found, project, query, near, limit);
            }
        }
        found.groups.retain(|group| !group.found.is_empty());
        if filter.role.is_none() && filter.takes(FoundKind::Checkpoint) {
            let looked_through: Vec<&Project> = projects.iter().filter(of).collect();
            found.groups.extend(checkpoints(stores, &looked_through, query, filter, limit));
        }
        Ok(found)
    }

    /// Memory files that speak of what is asked in other words, by their topic (behaviour.md, Memory) or by a line that is
    /// `near` in meaning, join what was found, in one list, behind what has the words themselves.
    fn join_by_sense(
        &self,
        found: &mut FoundEverywhere,
        project: Option<&Project>,
        typed: &str,
        near: &[(Option<ProjectId>, Passage)],
        limit: u32,
    ) {
        let memory = |group: &&mut FoundGroup| group.kind == FoundKind::Memory;
        let project_id = project.map(|it| it.id);
        let query = Query::parse(typed);
        if query.terms.is_empty() {
            return;
        }
        let mut more = self.memory.memory_about(project, typed);
        more.extend(near.iter().filter(|(of, _)| *of == project_id).map(|(_, it)| it.clone()));
        let listed = found.groups.iter_mut().find(memory);
        let listed = listed.map(|group| std::mem::take(&mut group.found)).unwrap_or_default();
        let shown = listed.iter().filter(|had| had.project_id == project_id);
        let mut shown: HashSet<String> = shown.map(|had| had.title.clone()).collect();
        more.retain(|it| shown.insert(it.path.clone()));
        let by_sense = more.iter().map(|it| Found {
            kind: FoundKind::Memory,
            title: it.path.clone(),
            link: link::to_memory(&it.path, it.line),
            project_id,
            conversation_id: None,
            message_id: None,
            role: None,
            snippet: snippet(&it.text, &query),
            at: None,
        });
        let mut all: Vec<Found> = listed.into_iter().chain(by_sense).collect();
        all.truncate(limit as usize);
        match found.groups.iter_mut().find(memory) {
            Some(group) => {
                group.found = all;
                group.total += more.len() as u64;
            }
            None => {
                let total = more.len() as u64;
                let group =
                    FoundGroup { kind: FoundKind::Memory, found: all, total, capped: false };
                found.groups.push(group);
                found.groups.sort_by_key(|group| group.kind);
            }
        }
    }

    /// Whether what was found in a file of a project may still be read there.
    fn may_be_shown(&self, found: &Found, projects: &HashMap<ProjectId, &Project>) -> bool {
        let Some(project) = found.project_id.and_then(|id| projects.get(&id)) else { return true };
        match found.kind {
            FoundKind::File => self.privacy.text_to_send(project, &found.title).is_ok(),
            FoundKind::Memory => !self.privacy.is_excluded(project, &found.title),
            _ => true,
        }
    }
}

/// Whether memory is looked through for what is meant: no day, nobody who says it, no conversation.
fn of_memory(filter: &Filter) -> bool {
    let places = filter.role.is_none() && filter.conversation_id.is_none();
    places && filter.takes(FoundKind::Memory) && (filter.from, filter.before) == (None, None)
}

/// The checkpoints whose notes meet a query, the best first.
fn checkpoints(
    stores: &Stores,
    projects: &[&Project],
    typed: &str,
    filter: &Filter,
    limit: u32,
) -> Option<FoundGroup> {
    let query = Query::parse(typed);
    if query.terms.is_empty() {
        return None;
    }
    let mut found: Vec<(f64, Found)> = Vec::new();
    for project in projects {
        let known = match stores.checkpoints.checkpoints(project.id, None, CHECKPOINTS) {
            Ok(known) => known,
            Err(error) => {
                tracing::warn!(%error, "looking through checkpoints");
                continue;
            }
        };
        for (checkpoint, _) in known.iter().filter(|(it, _)| is_within(it, filter)) {
            let note = note_of(checkpoint);
            let searched = Searched::new(&note);
            if searched.meets(&query) {
                let worth = searched.worth(&query, &[], USUAL_NOTE);
                found.push((worth, shown(checkpoint, project, &note, &query)));
            }
        }
    }
    found.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(second.at.cmp(&first.at)));
    let total = found.len() as u64;
    let found: Vec<Found> = found.into_iter().map(|(_, it)| it).take(limit as usize).collect();
    let group = FoundGroup { kind: FoundKind::Checkpoint, found, total, capped: false };
    (total > 0).then_some(group)
}

fn is_within(checkpoint: &Checkpoint, filter: &Filter) -> bool {
    let conversation = checkpoint.conversation.as_ref().map(|it| it.id);
    filter.conversation_id.is_none_or(|id| conversation == Some(id))
        && filter.from.is_none_or(|from| checkpoint.created_at >= from)
        && filter.before.is_none_or(|before| checkpoint.created_at < before)
}

/// What a checkpoint says in words of the person's or of a tool's: its name, and what it was taken for.
fn note_of(checkpoint: &Checkpoint) -> String {
    let why = match &checkpoint.reason {
        CheckpointReason::BeforeTool { tool } => tool,
        CheckpointReason::BeforeMemory { path } => path,
        CheckpointReason::PlanChange { plan } => plan,
        CheckpointReason::Copy { name, .. } => name,
        CheckpointReason::Manual
        | CheckpointReason::Interval
        | CheckpointReason::AfterTurn
        | CheckpointReason::BeforeRestore { .. }
        | CheckpointReason::Imported => "",
    };
    let tag = checkpoint.tag.as_deref().unwrap_or_default();
    [tag, why].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n")
}

fn shown(checkpoint: &Checkpoint, project: &Project, note: &str, query: &Query) -> Found {
    Found {
        kind: FoundKind::Checkpoint,
        title: project.name.clone(),
        link: link::to_checkpoint(checkpoint.id),
        project_id: Some(project.id),
        conversation_id: checkpoint.conversation.as_ref().map(|it| it.id),
        message_id: checkpoint.conversation.as_ref().and_then(|it| it.message),
        role: None,
        snippet: snippet(note, query),
        at: Some(checkpoint.created_at),
    }
}
