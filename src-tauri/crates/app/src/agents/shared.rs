//! Memory in the files that agents read by themselves: a block that is shown before it is written, follows what memory says,
//! and is taken out whole. What somebody wrote into it by hand comes back as a proposal before it is written over.
//!
//! Followed are the files that the person chose, of projects that agents may have something of. One whose block is gone, or
//! of which something waits for the person's answer, is left as it is until they say so.

use std::sync::Mutex;

use siltstone_contract::{
    Code, Failure, LookShare, ProjectRef, ProposeLine, SharePlan, ShareState, ShareWish,
    SharedFile, Topic, WriteShare,
};
use siltstone_engine::TimeZone;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::share::{self, Block, Broken, Shared};
use siltstone_engine::memory::{self, Share, ShareFile};
use siltstone_engine::project::Project;

use super::AgentService;
use crate::core::failure::conflict;
use crate::core::{blocking, locked};
use crate::memory::Sharing;

/// Whether files are being followed, and whether something changed meanwhile.
#[derive(Default)]
pub(crate) struct Tending(Mutex<Option<Again>>);

/// Whether it is to be done once more.
type Again = bool;

impl AgentService {
    /// The files that agents read, and whether memory is kept in them.
    pub async fn share_list(&self, request: ProjectRef) -> Result<Vec<SharedFile>, Failure> {
        let (this, project) = (self.clone(), self.trusted(request.id)?);
        blocking(move || this.listed(&project)).await
    }

    /// What such files would say. Nothing is written.
    pub async fn share_look(&self, request: LookShare) -> Result<Vec<SharePlan>, Failure> {
        let (this, project) = (self.clone(), self.trusted(request.project_id)?);
        blocking(move || this.planned(&project, &request.files)).await?
    }

    /// Writes them as they were shown, and follows from now on what memory says.
    pub async fn share_write(&self, request: WriteShare) -> Result<Vec<SharedFile>, Failure> {
        let (this, project) = (self.clone(), self.trusted(request.project_id)?);
        let written = move || {
            let wishes: Vec<ShareWish> = request.plans.iter().map(|plan| plan.wish).collect();
            let plans = this.planned(&project, &wishes)?;
            if plans != request.plans {
                return Err(conflict("it is not as it was shown any more; look at it again"));
            }
            for plan in plans {
                this.carry_out(&project, &plan)?;
                this.memory.choose_share(&project, plan.wish.file, plan.wish.how)?;
            }
            this.core.changed([Topic::Memory]);
            Ok(this.listed(&project))
        };
        blocking(written).await?
    }

    /// Writes again what files of agents are to say. What cannot be written is in nobody's way: the list says so.
    pub(crate) fn follow_shares(&self) {
        // A file that is written is news as well.
        let mut tending = locked(&self.tending.0);
        if let Some(again) = tending.as_mut() {
            *again = true;
            return;
        }
        *tending = Some(false);
        drop(tending);
        loop {
            for id in self.memory.sharing().unwrap_or_default() {
                if let Err(failure) = self.follow(id) {
                    tracing::warn!(%failure, "memory in the files of agents");
                }
            }
            let mut tending = locked(&self.tending.0);
            match *tending {
                Some(true) => *tending = Some(false),
                _ => {
                    *tending = None;
                    return;
                }
            }
        }
    }

    fn follow(&self, id: ProjectId) -> Result<(), Failure> {
        // Of others, agents are to have nothing new.
        let Ok(project) = self.served(id) else { return Ok(()) };
        for file in ShareFile::ALL {
            // What cannot be read keeps no other file from being followed.
            let Ok(sharing) = self.memory.share_of(&project, file) else { continue };
            let Some(how) = sharing.how else { continue };
            let has_block = matches!(block_of(&sharing), Ok(Some(_)));
            if !sharing.waits && has_block {
                let wish = ShareWish { file, how: Some(how) };
                let plan = self.plan(&project, &sharing, wish, &[])?;
                self.carry_out(&project, &plan)?;
            }
        }
        Ok(())
    }

    fn listed(&self, project: &Project) -> Vec<SharedFile> {
        let of = |file: ShareFile| {
            let found = self.memory.share_of(project, file);
            let how = found.as_ref().ok().and_then(|sharing| sharing.how);
            let stands = found.and_then(|sharing| self.stands(project, file, &sharing));
            let (state, by_hand) = stands.unwrap_or_else(|failure| {
                (ShareState::Unreadable { detail: failure.message }, Vec::new())
            });
            let (path, readers) = (file.path().to_owned(), file.readers().to_owned());
            SharedFile { file, path, readers, how, state, by_hand }
        };
        ShareFile::ALL.into_iter().map(of).collect()
    }

    fn stands(
        &self,
        project: &Project,
        file: ShareFile,
        sharing: &Sharing,
    ) -> Result<(ShareState, Vec<String>), Failure> {
        let Some(how) = sharing.how else { return Ok((ShareState::Off, Vec::new())) };
        let block = match block_of(sharing) {
            Err(Broken) => return Ok((ShareState::Broken, Vec::new())),
            Ok(None) => return Ok((ShareState::Gone, Vec::new())),
            Ok(Some(block)) => block,
        };
        let plan = self.plan(project, sharing, ShareWish { file, how: Some(how) }, &[])?;
        let state = match () {
            () if sharing.waits => ShareState::Waits,
            () if block.edited => ShareState::Edited,
            () if plan.before != plan.after => ShareState::Behind,
            () => ShareState::Current,
        };
        Ok((state, plan.by_hand))
    }

    fn planned(&self, project: &Project, wishes: &[ShareWish]) -> Result<Vec<SharePlan>, Failure> {
        if wishes.iter().any(|wish| wish.how.is_some()) {
            self.served(project.id)?;
        }
        let of = |wish: &ShareWish| {
            let sharing = self.memory.share_of(project, wish.file)?;
            if sharing.waits {
                let path = wish.file.path();
                return Err(Failure::new(
                    Code::Conflict,
                    format!("{path} was changed, and waits for the user's answer first"),
                ));
            }
            self.plan(project, &sharing, *wish, wishes)
        };
        wishes.iter().map(of).collect()
    }

    /// What a file would say, beside others that are written with it.
    fn plan(
        &self,
        project: &Project,
        sharing: &Sharing,
        wish: ShareWish,
        beside: &[ShareWish],
    ) -> Result<SharePlan, Failure> {
        let ShareWish { file, how } = wish;
        let path = file.path().to_owned();
        let broken = |_: Broken| {
            Failure::new(
                Code::Conflict,
                format!("{path}: its marks are not one pair, each on a line of its own"),
            )
        };
        let before = sharing.text().map(str::to_owned);
        // Taken out, what was written by hand is told from what would be there.
        let body = self.body(project, file, how.or(sharing.how).unwrap_or_default(), beside)?;
        let by_hand = match block_of(sharing).map_err(broken)? {
            Some(block) if block.edited => {
                share::by_hand(&sharing.document.text[block.body], &body)
            }
            _ => Vec::new(),
        };
        let after = match how {
            Some(_) => Some(file.put(before.as_deref(), &body).map_err(broken)?),
            None => match &before {
                Some(text) => file.take_out(text).map_err(broken)?,
                None => None,
            },
        };
        let base = sharing.document.hash.clone();
        Ok(SharePlan { wish, path, before, after, base, by_hand })
    }

    fn body(
        &self,
        project: &Project,
        file: ShareFile,
        how: Share,
        beside: &[ShareWish],
    ) -> Result<String, Failure> {
        let agents = ShareFile::Agents;
        let with = beside.iter().find(|wish| wish.file == agents).map(|wish| wish.how);
        let there = self.memory.share_of(project, agents).ok();
        let there = there.as_ref().and_then(Sharing::text);
        let agents_is_there = match with {
            Some(Some(_)) => true,
            // Without its block it may go.
            Some(None) => there.is_some_and(|text| agents.take_out(text) != Ok(None)),
            None => there.is_some(),
        };
        let Shared { lines, files, .. } = self.memory.shared_texts(project, file, how)?;
        let decided = self.sessions.decided(project)?.into_iter();
        let day = |at| TimeZone::system().to_datetime(at).date();
        let cleaner = self.privacy.strict_cleaner();
        let clean = |text: String| cleaner.text(&memory::clean(&text)).into_owned();
        let shared = Shared {
            lines: lines.into_iter().map(clean).collect(),
            decided: decided.map(|it| (it.at.map(day), clean(it.text))).collect(),
            files: files.into_iter().map(|(path, text)| (path, clean(text))).collect(),
        };
        Ok(file.body(how, agents_is_there, &shared))
    }

    /// Lines that were written by hand are proposed first; nothing is written over before they wait.
    fn carry_out(&self, project: &Project, plan: &SharePlan) -> Result<(), Failure> {
        if plan.before == plan.after {
            return Ok(());
        }
        for line in &plan.by_hand {
            self.propose(ProposeLine {
                project_id: Some(project.id),
                from: plan.path.clone(),
                text: line.clone(),
                why: format!("written into {} by hand", plan.path),
                evidence: Vec::new(),
                for_all_projects: false,
            })?;
        }
        let (after, base) = (plan.after.as_deref(), plan.base.as_deref());
        self.memory.write_shared(project, plan.wish.file, after, base)
    }
}

fn block_of(sharing: &Sharing) -> Result<Option<Block>, Broken> {
    sharing.text().map_or(Ok(None), share::block)
}
