//! Files of the project that messages name with `@`: what is offered while one is being written, and what goes with it.

use std::sync::Arc;
use std::time::Duration;

use siltstone_contract::{BroughtContext, ContextEntry, Failure, ListPaths, PathHit};
use siltstone_engine::Timestamp;
use siltstone_engine::context::key::{CURRENT_FILE, SELECTION};
use siltstone_engine::mention::{self, Mention, excerpt};
use siltstone_engine::passage::{FileStamp, Passage};
use siltstone_engine::ports::FolderError;
use siltstone_engine::project::{Project, Trust, is_never_sent};
use siltstone_engine::prompt::MemoryText;
use siltstone_engine::section::{LeftOut, LeftOutWhy};
use siltstone_engine::tokens::estimate;

use crate::core::failure::Outcome;
use crate::core::{blocking, locked};
use crate::index::IndexService;
use crate::memory::left_out;

/// Most paths that are offered at once.
const MOST_PATHS: u32 = 100;

/// How long a walk through a folder is good enough for typing.
const FRESH: Duration = Duration::from_secs(5);

/// The files of a project, as they were a moment ago.
pub(crate) struct Listed {
    at: Timestamp,
    files: Arc<Vec<FileStamp>>,
}

/// What the project contributes.
#[derive(Default)]
pub(crate) struct FromProject {
    pub(crate) memory: Vec<MemoryText>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Files that the message names.
    pub(crate) mentions: Vec<Mention<String>>,
    /// Files that an earlier message named, and that are pinned.
    pub(crate) pinned: Vec<Mention<String>>,
    pub(crate) passages: Vec<Passage>,
}

impl IndexService {
    /// Files of a trusted project that a message could name, the best first.
    pub async fn project_paths(&self, request: ListPaths) -> Result<Vec<PathHit>, Failure> {
        let project = self.core.stores()?.records.project(request.project_id).or_failure()?;
        if project.trust == Trust::Untrusted {
            return Ok(Vec::new());
        }
        let files = self.files_of(&project).await?;
        let mut ranked: Vec<_> = files
            .iter()
            .filter_map(|file| Some((mention::rank(&file.path, &request.query)?, file)))
            .collect();
        ranked.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.path.cmp(&y.path)));
        let hit = |(_, file): (_, &FileStamp)| PathHit { path: file.path.clone(), size: file.size };
        Ok(ranked.into_iter().take(request.limit.min(MOST_PATHS) as usize).map(hit).collect())
    }

    /// The text files of a project; walks through it at most every few seconds.
    async fn files_of(&self, project: &Project) -> Result<Arc<Vec<FileStamp>>, Failure> {
        let now = self.core.now();
        if let Some(known) = locked(&self.paths).get(&project.id)
            && Duration::try_from(now.duration_since(known.at)).is_ok_and(|age| age < FRESH)
        {
            return Ok(known.files.clone());
        }
        let (this, asked) = (self.clone(), project.clone());
        let walked = blocking(move || this.privacy.files_to_send(&asked, &mut |_| true)).await?;
        let files = Arc::new(walked.or_failure()?);
        let listed = Listed { at: now, files: files.clone() };
        locked(&self.paths).insert(project.id, listed);
        Ok(files)
    }

    /// The files that a message names, with what goes of them, and those that may not or cannot go, with why.
    pub(crate) fn mentioned(
        &self,
        project: &Project,
        message: &str,
    ) -> (Vec<Mention<String>>, Vec<LeftOut>) {
        let cleaner = self.privacy.cleaner();
        let named = mention::find(message, |path| {
            match self.privacy.text_to_send(project, path) {
                // Before lines are chosen: half a key is not recognised.
                Ok(text) => Some(Ok(cleaner.text(&text).into_owned())),
                Err(FolderError::Outside { .. }) => {
                    let name = path.rsplit('/').next().unwrap_or(path);
                    let secret = is_never_sent(name);
                    Some(Err(if secret { LeftOutWhy::NeverSent } else { LeftOutWhy::Outside }))
                }
                Err(FolderError::Excluded { .. }) => Some(Err(LeftOutWhy::Excluded)),
                Err(FolderError::NotText { .. } | FolderError::TooLarge { .. }) => {
                    Some(Err(LeftOutWhy::Unreadable))
                }
                // No file is called so.
                Err(_) => None,
            }
        });
        let (mut mentions, mut refused) = (Vec::new(), Vec::new());
        for Mention { path, lines, found } in named {
            let mention = Mention { path, lines, found: String::new() };
            match found.map(|text| excerpt(text, lines)) {
                Ok(text) if project.trust == Trust::Untrusted => {
                    refused.push(left_out(
                        &mention.place(),
                        estimate(&text),
                        LeftOutWhy::Untrusted,
                    ));
                }
                Ok(found) => mentions.push(Mention { found, ..mention }),
                Err(why) => refused.push(left_out(&mention.place(), 0, why)),
            }
        }
        (mentions, refused)
    }
}

/// The file that a message names last is the one the person works in, unless the request says which that is.
pub(crate) fn with_current_file(
    mut brought: BroughtContext,
    mentions: &[Mention<String>],
) -> BroughtContext {
    let known = |key: &str| brought.entries.iter().any(|entry| entry.key == key);
    if let Some(last) = mentions.last().filter(|_| !known(CURRENT_FILE)) {
        // Without lines it says so, or those of another file would stay known. Their text has a section of its own.
        let selection = last.lines.map(|_| last.place()).unwrap_or_default();
        let selection = (!known(SELECTION)).then_some((SELECTION, selection));
        let told = [(CURRENT_FILE, last.path.clone())].into_iter().chain(selection);
        let told: Vec<_> =
            told.map(|(key, value)| ContextEntry { key: key.to_owned(), value }).collect();
        brought.entries.extend(told);
    }
    brought
}
