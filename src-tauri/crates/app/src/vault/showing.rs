//! Sessions as they are listed and shown, without secrets.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};

use siltstone_contract::{
    Failure, ListVault, VaultDropped, VaultDroppedFact, VaultEntry, VaultEntryKind, VaultFile,
    VaultItem, VaultRef, VaultSession,
};
use siltstone_engine::Timestamp;
use siltstone_engine::ports::StoreError;
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::vault::{
    Beside, Dropped, DroppedFact, Entry, EntryKind, FileRole, KeptFile, Place, Session,
    SessionFacts, dropped,
};

use super::{Known, VaultService};
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, of_store};

/// Most files from which one goes on, each from the one before it.
const BEFORE: usize = 256;

/// Fewest characters of an id that name a session.
const SHORTEST: usize = 4;

impl VaultService {
    /// Sessions, the one in which something was said last first. Several files under one id, as where an agent packs a file
    /// away, are one session: the one that says most.
    pub async fn vault_list(&self, request: ListVault) -> Result<Vec<VaultItem>, Failure> {
        let this = self.clone();
        blocking(move || {
            let known = this.known()?;
            let cleaner = this.privacy.cleaner();
            let wanted = |known: &&Known| {
                let facts = known.facts.as_ref();
                let folder = facts.and_then(|facts| facts.folder.as_deref());
                let agent = request.agent.is_none_or(|agent| agent == known.file.home.agent);
                let inside = request.folder.as_deref().is_none_or(|it| is_below(folder, it));
                known.is_session() && facts.is_some() && agent && inside
            };
            let families = families(&known);
            let items = known.iter().filter(wanted);
            let mut items: Vec<VaultItem> =
                items.filter_map(|it| item(it, &families, &cleaner)).collect();
            items.sort_by_key(|item| Reverse((item.facts.ended_at, item.bytes)));
            let mut listed = HashSet::new();
            items.retain(|item| listed.insert((item.facts.agent, item.facts.id.clone())));
            items.truncate(request.limit.map_or(usize::MAX, |most| most as usize));
            Ok(items)
        })
        .await?
    }

    /// One session, whole.
    pub async fn vault_session(&self, request: VaultRef) -> Result<VaultSession, Failure> {
        let this = self.clone();
        blocking(move || {
            let known = this.known()?;
            let found = named(&known, &request.id)?;
            let session = this.read(&found.file, request.version)?;
            let cleaner = this.privacy.cleaner();
            let facts = session.facts(found.file.home.agent);
            let families = families(&known);
            let item = shown(&facts, &found.file, &families, &cleaner);
            let of = family(&known, found);
            let mut counted = session.counted.clone();
            for child in of.iter().filter(|it| it.file.id != found.file.id && it.facts.is_some()) {
                for (what, usage) in this.read(&child.file, None)?.counted {
                    counted.entry(what).or_insert(usage);
                }
            }
            let all = Session { counted, ..Session::default() };
            let children = of.iter().filter(|it| it.file.id != found.file.id);
            let path = session.path();
            let mut active = vec![false; session.entries.len()];
            path.iter().for_each(|at| active[*at] = true);
            let (beside, shortened, is_cut) = (session.beside, session.shortened, session.is_cut);
            let entries = session.entries.into_iter().enumerate();
            Ok(VaultSession {
                item,
                children: children.filter_map(|it| self::item(it, &families, &cleaner)).collect(),
                usage: all.usage(),
                files: all_of(&known, found).into_iter().map(file_of).collect(),
                entries: entries.map(|(at, it)| entry(at, active[at], it, &cleaner)).collect(),
                beside,
                shortened,
                is_cut,
            })
        })
        .await?
    }

    /// The compactions of a session.
    pub async fn vault_dropped(&self, request: VaultRef) -> Result<Vec<VaultDropped>, Failure> {
        let this = self.clone();
        blocking(move || {
            let known = this.known()?;
            let session = this.read(&named(&known, &request.id)?.file, request.version)?;
            let cleaner = this.privacy.cleaner();
            let told = |found| of_fold(&session, found, &cleaner);
            Ok(dropped(&session).into_iter().map(told).collect())
        })
        .await?
    }

    /// Writes the bytes of a file as they were seen.
    pub(crate) async fn bytes(
        &self,
        request: VaultRef,
        path: Option<String>,
        mut into: Box<dyn Write + Send>,
    ) -> Result<u64, Failure> {
        let this = self.clone();
        blocking(move || {
            let known = this.known()?;
            let found = named(&known, &request.id)?;
            let file = match path {
                None => &found.file,
                Some(path) => {
                    let of = all_of(&known, found);
                    let file = of.into_iter().find(|it| it.file.path == path);
                    let none = || StoreError::NotFound { what: "file", id: path.clone() };
                    &file.ok_or_else(|| of_store(none()))?.file
                }
            };
            let mut bytes = this.store()?.bytes(file.id, request.version).or_failure()?;
            std::io::copy(&mut bytes, &mut into).map_err(of_reading)
        })
        .await?
    }

    /// A session by its id with its pictures, secrets and all, for whoever goes on with it.
    pub(crate) fn understood(&self, id: &str, version: Option<u32>) -> Result<Understood, Failure> {
        let known = self.known()?;
        let found = named(&known, id)?;
        let file = &found.file;
        let beside = self.kept_beside(file)?;
        let mut opened = self.opened(file, version, &beside)?;
        let (bytes, mut beside) = opened.parts();
        let session = self.agents().read_whole(file.home.agent, &file.path, bytes, &mut beside);
        let session = session.map_err(of_reading)?;
        let facts = session.facts(file.home.agent);
        let of = family(&known, found);
        let has = |role: FileRole| of.iter().skip(1).filter(|it| it.role == role).count() as u64;
        Ok(Understood {
            item: shown(&facts, file, &families(&known), &self.privacy.cleaner()),
            kept_at: file.kept_at,
            subagents: has(FileRole::Child),
            outputs: has(FileRole::Output),
            session,
        })
    }

    /// Understands what is kept of a file.
    pub(super) fn read(&self, file: &KeptFile, version: Option<u32>) -> Result<Session, Failure> {
        let beside = self.kept_beside(file)?;
        self.read_with(file, version, &beside)
    }

    /// The same where the files beside it are known.
    pub(super) fn read_with(
        &self,
        file: &KeptFile,
        version: Option<u32>,
        beside: &[KeptFile],
    ) -> Result<Session, Failure> {
        let mut opened = self.opened(file, version, beside)?;
        let (bytes, mut beside) = opened.parts();
        self.agents().read(file.home.agent, &file.path, bytes, &mut beside).map_err(of_reading)
    }

    /// What is kept of the files that say more of a session than its own does.
    pub(super) fn kept_beside(&self, file: &KeptFile) -> Result<Vec<KeptFile>, Failure> {
        let mut found = Vec::new();
        for path in self.agents().beside(file.home.agent, &file.path) {
            let place = Place { home: file.home.clone(), path };
            let files = self.store()?.files_at(&place).or_failure()?;
            found.extend(files.into_iter().find(|it| it.path == place.path));
        }
        Ok(found)
    }

    /// What a file says, and the newest versions of those that are read with it.
    fn opened(
        &self,
        file: &KeptFile,
        version: Option<u32>,
        beside: &[KeptFile],
    ) -> Result<Opened, Failure> {
        let store = self.store()?;
        let own = store.bytes(file.id, version).or_failure()?;
        let with = match beside.is_empty() {
            false => beside.iter().map(|it| (it.clone(), u64::MAX)).collect(),
            true => self.before(file, version)?,
        };
        let open = |(file, until): (KeptFile, u64)| {
            Ok((file.path, store.bytes(file.id, None).or_failure()?, until))
        };
        let beside = with.into_iter().map(open).collect::<Result<_, Failure>>()?;
        Ok(Opened { own, beside })
    }

    /// Whether a session goes on from one of these files.
    pub(super) fn goes_on_from(&self, it: &Known, files: &HashSet<u64>) -> Result<bool, Failure> {
        if !matches!(it.role, FileRole::Session | FileRole::Child) {
            return Ok(false);
        }
        let before = self.before(&it.file, None)?;
        Ok(before.iter().any(|(file, _)| files.contains(&file.id)))
    }

    /// The files from which one goes on, as far as they are kept, the first first, each with how much of it stands before.
    fn before(
        &self,
        file: &KeptFile,
        version: Option<u32>,
    ) -> Result<Vec<(KeptFile, u64)>, Failure> {
        let (store, agents) = (self.store()?, self.agents());
        let mut found: Vec<(KeptFile, u64)> = Vec::new();
        let (mut now, mut version) = (file.clone(), version);
        while found.len() < BEFORE {
            let mut bytes = store.bytes(now.id, version.take()).or_failure()?;
            let on = agents.goes_on(file.home.agent, &now.path, &mut *bytes).map_err(of_reading)?;
            let Some(on) = on else { break };
            let Some(kept) = store.file_named(&file.home, &on.name).or_failure()? else { break };
            if kept.id == file.id || found.iter().any(|(known, _)| known.id == kept.id) {
                break;
            }
            found.push((kept.clone(), on.until));
            now = kept;
        }
        found.reverse();
        Ok(found)
    }
}

/// What is kept of a file and of those that are read with it, each from its first byte on.
struct Opened {
    own: Box<dyn Read + Send>,
    beside: Vec<(String, Box<dyn Read + Send>, u64)>,
}

impl Opened {
    fn parts(&mut self) -> (&mut dyn Read, Vec<Beside<'_>>) {
        let mut beside = Vec::new();
        for (path, bytes, until) in &mut self.beside {
            beside.push(Beside { path, bytes: &mut **bytes, until: *until });
        }
        (&mut *self.own, beside)
    }
}

/// A session that somebody goes on with.
pub(crate) struct Understood {
    /// What the list says of it, without secrets.
    pub(crate) item: VaultItem,
    pub(crate) session: Session,
    /// When something of it was kept last.
    pub(crate) kept_at: Timestamp,
    /// Sessions of its subagents.
    pub(crate) subagents: u64,
    /// Files with long results.
    pub(crate) outputs: u64,
}

/// Whether a session worked in a folder, or beneath it.
pub(super) fn is_below(folder: Option<&str>, wanted: &str) -> bool {
    folder.is_some_and(|folder| std::path::Path::new(folder).starts_with(wanted))
}

/// What is kept could not be read.
fn of_reading(error: std::io::Error) -> Failure {
    match error.downcast::<StoreError>() {
        Ok(error) => of_store(error),
        Err(error) => of_store(StoreError::Io { detail: error.to_string() }),
    }
}

/// The session that an id names, or the beginning of one. Of several files with one id it is the one that says most.
pub(super) fn named<'k>(known: &'k [Known], id: &str) -> Result<&'k Known, Failure> {
    let none = || of_store(StoreError::NotFound { what: "session", id: id.to_owned() });
    if id.chars().count() < SHORTEST {
        return Err(bad_request("at least four characters of an id name a session"));
    }
    let whole = |facts: &SessionFacts| facts.id == id;
    let begins = |facts: &SessionFacts| facts.id.starts_with(id);
    let found: Vec<(&Known, &SessionFacts)> =
        known.iter().filter_map(|it| Some((it, it.facts.as_ref()?))).collect();
    let exact: Vec<_> = found.iter().filter(|(_, facts)| whole(facts)).collect();
    let fits = match exact.is_empty() {
        true => found.iter().filter(|(_, facts)| begins(facts)).collect(),
        false => exact,
    };
    let first = fits.first().ok_or_else(none)?;
    if fits.iter().any(|(_, facts)| facts.id != first.1.id) {
        return Err(bad_request("several sessions begin like this; give more of the id"));
    }
    let best = fits.iter().max_by_key(|(it, facts)| (facts.ended_at, it.file.bytes));
    best.map(|(it, _)| *it).ok_or_else(none)
}

/// All that is kept of a session: every file under its id, as a thread of Codex may have, with what belongs to each.
pub(super) fn all_of<'k>(known: &'k [Known], of: &'k Known) -> Vec<&'k Known> {
    let id = |it: &Known| Some((it.file.home.clone(), it.facts.as_ref()?.id.clone()));
    let mut all = family(known, of);
    for same in known.iter().filter(|it| id(it).is_some() && id(it) == id(of)) {
        for it in family(known, same) {
            if all.iter().all(|known| known.file.id != it.file.id) {
                all.push(it);
            }
        }
    }
    all
}

/// What belongs to a session, itself first: its subagents' sessions, theirs, and what they put beside them.
pub(super) fn family<'k>(known: &'k [Known], of: &'k Known) -> Vec<&'k Known> {
    let mut family = vec![of];
    let mut ids: Vec<&str> = of.facts.iter().map(|facts| facts.id.as_str()).collect();
    let mut at = 0;
    while let Some(id) = ids.get(at).copied() {
        for it in known.iter().filter(|it| it.file.home == of.file.home) {
            let parent = it.facts.as_ref().and_then(|facts| facts.parent.as_deref());
            let belongs = parent == Some(id) || it.owner.as_deref() == Some(id);
            if belongs && family.iter().all(|known| known.file.id != it.file.id) {
                family.push(it);
                ids.extend(it.facts.as_ref().map(|facts| facts.id.as_str()));
            }
        }
        at += 1;
    }
    family
}

/// How many subagents' sessions each session has, by its id.
fn families(known: &[Known]) -> HashMap<&str, u64> {
    let mut children = HashMap::new();
    for parent in known.iter().filter_map(|it| it.facts.as_ref()?.parent.as_deref()) {
        *children.entry(parent).or_default() += 1;
    }
    children
}

fn item(known: &Known, families: &HashMap<&str, u64>, cleaner: &Cleaner<'_>) -> Option<VaultItem> {
    Some(shown(known.facts.as_ref()?, &known.file, families, cleaner))
}

fn shown(
    facts: &SessionFacts,
    file: &KeptFile,
    families: &HashMap<&str, u64>,
    cleaner: &Cleaner<'_>,
) -> VaultItem {
    let mut facts = facts.clone();
    cleaner.clean(&mut facts.title);
    VaultItem {
        children: families.get(facts.id.as_str()).copied().unwrap_or_default(),
        home: file.home.clone(),
        path: file.path.clone(),
        versions: file.versions,
        bytes: file.bytes,
        gone_at: file.gone_at,
        cut: file.cut,
        facts,
    }
}

pub(super) fn file_of(known: &Known) -> VaultFile {
    VaultFile {
        path: known.file.path.clone(),
        role: known.role,
        bytes: known.file.bytes,
        versions: known.file.versions,
        gone_at: known.file.gone_at,
    }
}

fn number(at: usize) -> u64 {
    at as u64 + 1
}

fn entry(at: usize, active: bool, entry: Entry, cleaner: &Cleaner<'_>) -> VaultEntry {
    let kind = match entry.kind {
        EntryKind::Said => VaultEntryKind::Said,
        EntryKind::Context => VaultEntryKind::Context,
        EntryKind::Fold(_) => VaultEntryKind::Fold,
    };
    let mut parts = entry.parts;
    cleaner.parts(&mut parts);
    VaultEntry {
        number: number(at),
        parent: entry.parent.map(number),
        active,
        role: entry.role,
        kind,
        parts,
        model: entry.model,
        at: entry.at,
    }
}

fn of_fold(session: &Session, found: Dropped, cleaner: &Cleaner<'_>) -> VaultDropped {
    let entry = &session.entries[found.fold];
    let fold = match &entry.kind {
        EntryKind::Fold(fold) => fold.clone(),
        EntryKind::Said | EntryKind::Context => Default::default(),
    };
    let fact = |fact: DroppedFact| VaultDroppedFact {
        category: fact.category,
        text: cleaner.text(&fact.text).into_owned(),
        entry: number(fact.entry),
        stays: fact.stays,
    };
    VaultDropped {
        number: number(found.fold),
        at: entry.at,
        automatic: fold.automatic,
        before: fold.before,
        after: fold.after,
        summary: cleaner.text(&entry.text()).into_owned(),
        summary_tokens: found.summary_tokens,
        entries: found.entries.into_iter().map(number).collect(),
        tokens: found.tokens,
        retention: found.retention,
        facts: found.facts.into_iter().map(fact).collect(),
    }
}
