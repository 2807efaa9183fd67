//! Sending checkpoints to a remote and fetching them from it.
//!
//! A checkpoint's record goes over last, so whatever is cut off leaves no checkpoint there that is not whole, and the
//! next run goes on with what is missing. What is there is asked of the remote itself, so nothing about it is kept here.
//! Fetched checkpoints and messages keep their ids: the key vouches for them, and a second computer can go on where
//! the first was. Nothing here is overwritten; what both computers went on with are branches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use siltstone_contract::{
    Carried, CarryEvent, Code, Failure, NotCarried, PullCheckpoints, PushCheckpoints, Topic,
};
use siltstone_engine::checkpoint::remote::{BUNDLE_BYTES, CHECKPOINTS, INDEXES, OBJECTS};
use siltstone_engine::checkpoint::{
    Bundle, BundleWriter, Chat, Checkpoint, Leaf, Manifest, Node, ObjectId, Objects, Tree, needed,
};
use siltstone_engine::ids::{BranchId, CheckpointId, ProjectId};
use siltstone_engine::message::MessageStatus;
use siltstone_engine::ports::{NewMessage, StoreError, Stores};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::carrying::{chat_at, free_tag};
use super::comparing::trees;
use super::remotes::{Reached, id_in};
use crate::Sink;
use crate::checkpoints::CheckpointService;
use crate::core::failure::{Outcome, of_store};
use crate::core::{blocking, locked};

/// Checkpoints read at a time.
const PAGE: u32 = 200;

/// What is on its way to a remote and not named there yet.
#[derive(Default)]
struct Load {
    writer: BundleWriter,
    ids: Vec<ObjectId>,
    records: Vec<Manifest>,
}

impl CheckpointService {
    /// Sends the checkpoints of a project that a remote lacks, the oldest first.
    pub async fn checkpoint_push(
        &self,
        request: PushCheckpoints,
        sink: Sink<CarryEvent>,
    ) -> Result<Carried, Failure> {
        self.unlocked().await?;
        let PushCheckpoints { remote, project_id, carry_id } = request;
        self.until_cancelled(carry_id, self.push(&remote, project_id, sink)).await
    }

    /// Fetches checkpoints of a remote into a project, the oldest first.
    pub async fn checkpoint_pull(
        &self,
        request: PullCheckpoints,
        sink: Sink<CarryEvent>,
    ) -> Result<Carried, Failure> {
        self.unlocked().await?;
        let carry_id = request.carry_id.clone();
        let done = self.until_cancelled(carry_id, self.pull(request, sink)).await;
        self.core.changed([Topic::Checkpoints, Topic::Conversations]);
        done
    }

    async fn until_cancelled(
        &self,
        id: String,
        work: impl Future<Output = Result<Carried, Failure>>,
    ) -> Result<Carried, Failure> {
        let cancel = CancellationToken::new();
        locked(&self.core.probes).insert(id.clone(), cancel.clone());
        let done = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Failure::new(Code::Cancelled, "cancelled")),
            done = work => done,
        };
        locked(&self.core.probes).remove(&id);
        done
    }

    pub(super) async fn push(
        &self,
        remote: &str,
        project: ProjectId,
        sink: Sink<CarryEvent>,
    ) -> Result<Carried, Failure> {
        let to = self.reach(remote, Some(project)).await?;
        let there = to.blobs.list(CHECKPOINTS).await.or_failure()?;
        let there: BTreeSet<CheckpointId> = there.iter().filter_map(|name| id_in(name)).collect();
        let mut wanted = self.all_of(project)?;
        let all = wanted.len();
        wanted.retain(|checkpoint| !there.contains(&checkpoint.id));
        let mut carried = none_yet((all - wanted.len()) as u64);
        let mut have: BTreeSet<ObjectId> = self.indexes(&to).await?.into_keys().collect();
        let name = self.core.stores()?.records.project(project).or_failure()?.name;
        let total = wanted.len() as u64;
        let mut load = Load::default();
        for (done, checkpoint) in wanted.into_iter().enumerate() {
            sink(CarryEvent { done: done as u64, total, bytes: carried.bytes });
            let id = checkpoint.id;
            match self.load(&to, checkpoint, &name, &mut have, &mut load, &mut carried).await {
                Ok(()) => {}
                // One that is damaged or was deleted meanwhile does not keep the others here.
                Err(failure) if matches!(failure.code, Code::Damaged | Code::NotFound) => {
                    carried.left_out.push(NotCarried { id, detail: failure.message });
                }
                Err(failure) => return Err(failure),
            }
        }
        self.unload(&to, &mut load, &mut carried).await?;
        sink(CarryEvent { done: total, total, bytes: carried.bytes });
        Ok(carried)
    }

    /// Adds a checkpoint to the load, which goes over whenever it is large enough.
    async fn load(
        &self,
        to: &Reached,
        checkpoint: Checkpoint,
        project: &str,
        have: &mut BTreeSet<ObjectId>,
        load: &mut Load,
        carried: &mut Carried,
    ) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let mut found = Vec::new();
        let objects = stores.checkpoints.objects();
        let mut read = trees(objects.as_ref());
        let listed = needed(&checkpoint, have, &mut found, &mut read).or_failure();
        let mut rest = found.into_iter();
        let mut filled = listed;
        while filled.is_ok()
            && let Some(id) = rest.next()
        {
            filled = match objects.get(id) {
                Ok(bytes) => self.add(to, id, &bytes, load, carried).await,
                Err(error) => {
                    have.remove(&id);
                    Err(of_store(error))
                }
            };
        }
        // What did not get into the load is still missing there.
        rest.for_each(|id| _ = have.remove(&id));
        filled?;
        let mut chat = None;
        if let Some((objects, whole)) = chat_at(&stores, &checkpoint, None)? {
            for bytes in objects {
                let id = ObjectId::of(&bytes);
                if have.insert(id) {
                    self.add(to, id, &bytes, load, carried).await?;
                }
            }
            chat = Some(whole);
        }
        load.records.push(Manifest { checkpoint, project: project.to_owned(), chat });
        Ok(())
    }

    async fn add(
        &self,
        to: &Reached,
        id: ObjectId,
        bytes: &[u8],
        load: &mut Load,
        carried: &mut Carried,
    ) -> Result<(), Failure> {
        if load.writer.size() + bytes.len() > BUNDLE_BYTES && !load.ids.is_empty() {
            self.unload(to, load, carried).await?;
        }
        load.writer.object(bytes);
        load.ids.push(id);
        Ok(())
    }

    /// Sends the load: objects, then what they are, then the checkpoints that are whole with them.
    async fn unload(
        &self,
        to: &Reached,
        load: &mut Load,
        carried: &mut Carried,
    ) -> Result<(), Failure> {
        let Load { writer, ids, records } = std::mem::take(load);
        if !ids.is_empty() {
            let bundle = Uuid::now_v7();
            self.put(to, &format!("{OBJECTS}{bundle}"), &writer.finish(None), carried).await?;
            let index: Vec<u8> = ids.iter().flat_map(|id| *id.as_bytes()).collect();
            self.put(to, &format!("{INDEXES}{bundle}"), &index, carried).await?;
        }
        for record in records {
            let id = record.checkpoint.id;
            let bytes = serde_json::to_vec(&record)
                .map_err(|error| of_store(StoreError::Io { detail: error.to_string() }))?;
            self.put(to, &format!("{CHECKPOINTS}{id}"), &bytes, carried).await?;
            carried.done.push(id);
        }
        Ok(())
    }

    async fn put(
        &self,
        to: &Reached,
        name: &str,
        bytes: &[u8],
        carried: &mut Carried,
    ) -> Result<(), Failure> {
        let sealed = self.core.world.sealer.seal(&to.key, name.as_bytes(), bytes).or_failure()?;
        let size = sealed.len() as u64;
        if to.blobs.put_if_absent(name, sealed).await.or_failure()? {
            carried.bytes += size;
        }
        Ok(())
    }

    /// The bundle in which each object of a remote is.
    async fn indexes(&self, of: &Reached) -> Result<BTreeMap<ObjectId, String>, Failure> {
        let mut found = BTreeMap::new();
        for name in of.blobs.list(INDEXES).await.or_failure()? {
            let index = self.unsealed(of, &name).await?;
            let bundle = name.replacen(INDEXES, OBJECTS, 1);
            let (ids, _) = index.as_chunks::<32>();
            found.extend(ids.iter().map(|id| (ObjectId::from_bytes(*id), bundle.clone())));
        }
        Ok(found)
    }

    /// All checkpoints of a project, the oldest first.
    pub(super) fn all_of(&self, project: ProjectId) -> Result<Vec<Checkpoint>, Failure> {
        let rows = self.core.stores()?.checkpoints;
        let (mut all, mut before): (Vec<Checkpoint>, _) = (Vec::new(), None);
        loop {
            let page = rows.checkpoints(project, before, PAGE).or_failure()?;
            let Some((last, _)) = page.last() else { break };
            before = Some(last.created_at);
            all.extend(page.into_iter().map(|(checkpoint, _)| checkpoint));
        }
        all.reverse();
        Ok(all)
    }

    async fn pull(
        &self,
        request: PullCheckpoints,
        sink: Sink<CarryEvent>,
    ) -> Result<Carried, Failure> {
        let PullCheckpoints { remote, project_id, ids, .. } = request;
        let from = self.reach(&remote, Some(project_id)).await?;
        let rows = self.core.stores()?.checkpoints;
        let there = from.blobs.list(CHECKPOINTS).await.or_failure()?;
        // Ids sort by the moment they were made.
        let there: BTreeSet<CheckpointId> = there.iter().filter_map(|name| id_in(name)).collect();
        if let Some(missing) = ids.iter().find(|id| !there.contains(id)) {
            let message = format!("checkpoint {missing} is not on the remote");
            return Err(Failure::new(Code::NotFound, message));
        }
        let (wanted, known): (Vec<_>, Vec<_>) = there
            .into_iter()
            .filter(|id| ids.is_empty() || ids.contains(id))
            .partition(|id| rows.checkpoint(*id).is_err());
        let mut carried = none_yet(known.len() as u64);
        let index = self.indexes(&from).await?;
        let total = wanted.len() as u64;
        for (done, id) in wanted.into_iter().enumerate() {
            sink(CarryEvent { done: done as u64, total, bytes: carried.bytes });
            let manifest = self.manifest(&from, &format!("{CHECKPOINTS}{id}")).await?;
            if !manifest.checkpoint.is_known() {
                let detail = String::from("a newer version of the program wrote it");
                carried.left_out.push(NotCarried { id, detail });
                continue;
            }
            // Until its row names them, nobody may free the objects.
            let _alone = self.taking.alone.lock().await;
            let objects = self.core.stores()?.checkpoints.objects();
            let chat = self.fetch_all(&from, &index, &objects, &manifest, &mut carried).await?;
            let this = self.clone();
            blocking(move || this.keep_fetched(project_id, manifest.checkpoint, chat)).await??;
            carried.done.push(id);
        }
        self.copy_after(project_id).await;
        sink(CarryEvent { done: total, total, bytes: carried.bytes });
        Ok(carried)
    }

    /// Fetches every object a checkpoint needs; gives its conversation.
    async fn fetch_all(
        &self,
        from: &Reached,
        index: &BTreeMap<ObjectId, String>,
        objects: &Arc<dyn Objects>,
        manifest: &Manifest,
        carried: &mut Carried,
    ) -> Result<Option<Chat>, Failure> {
        let context = &manifest.checkpoint.context;
        let mut folders: Vec<ObjectId> =
            manifest.checkpoint.files.iter().filter_map(|files| files.tree).collect();
        let mut seen = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            if !seen.insert(folder) {
                continue;
            }
            self.fetch(from, index, objects, folder, carried).await?;
            let tree = Tree::decode(folder, &objects.get(folder).or_failure()?)
                .map_err(|error| of_store(error.into()))?;
            for (_, node) in tree.entries() {
                match node {
                    Node::Dir(inner) => folders.push(*inner),
                    Node::Leaf(Leaf::File { id, .. }) => {
                        self.fetch(from, index, objects, *id, carried).await?;
                    }
                    Node::Leaf(Leaf::Link { .. }) => {}
                }
            }
        }
        for id in [context.memory, context.stores, context.settings].into_iter().flatten() {
            self.fetch(from, index, objects, id, carried).await?;
        }
        let Some(chat) = manifest.chat else { return Ok(None) };
        self.fetch(from, index, objects, chat, carried).await?;
        let chat: Chat = serde_json::from_slice(&objects.get(chat).or_failure()?)
            .map_err(|error| Failure::new(Code::CheckpointUnreadable, error.to_string()))?;
        for id in chat.attached.values() {
            self.fetch(from, index, objects, *id, carried).await?;
        }
        Ok(Some(chat))
    }

    /// Fetches the bundle of an object that is not here, with everything in it.
    async fn fetch(
        &self,
        from: &Reached,
        index: &BTreeMap<ObjectId, String>,
        objects: &Arc<dyn Objects>,
        id: ObjectId,
        carried: &mut Carried,
    ) -> Result<(), Failure> {
        if objects.has(id).or_failure()? {
            return Ok(());
        }
        let missing = || of_store(StoreError::NotFound { what: "object", id: id.to_string() });
        let bytes = self.unsealed(from, index.get(&id).ok_or_else(missing)?).await?;
        carried.bytes += bytes.len() as u64;
        let objects = objects.clone();
        let kept = blocking(move || {
            let unreadable =
                |error| Failure::new(Code::CheckpointUnreadable, format!("a bundle: {error}"));
            for object in Bundle::read(&bytes).map_err(unreadable)?.objects() {
                objects.put(&object.map_err(unreadable)?).or_failure()?;
            }
            Ok(())
        });
        kept.await?
    }

    /// Makes a fetched checkpoint one of a project's.
    fn keep_fetched(
        &self,
        project: ProjectId,
        checkpoint: Checkpoint,
        chat: Option<Chat>,
    ) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        if let Some(chat) = chat {
            self.join(&stores, project, chat)?;
        }
        let tag = free_tag(&stores, project, checkpoint.tag)?;
        let checkpoint = Checkpoint { tag, project_id: Some(project), ..checkpoint };
        stores.checkpoints.add_checkpoint(&checkpoint).or_failure()
    }

    /// Adds the messages of a conversation that are not here; the path that is shown here stays.
    fn join(&self, stores: &Stores, project: ProjectId, chat: Chat) -> Result<(), Failure> {
        let Stores { transcripts, summaries, .. } = stores;
        let objects = stores.checkpoints.objects();
        let Chat { mut conversation, messages, summaries: folds, attached } = chat;
        let id = conversation.id;
        let mut shown = messages.last().map(|message| message.id);
        match transcripts.conversation(id) {
            Ok(_) => {
                let page = transcripts.page(id, None, 1).or_failure()?;
                shown = page.messages.last().map(|found| found.message.id).or(shown);
            }
            Err(StoreError::NotFound { .. }) => {
                conversation.project_id = Some(project);
                conversation.deleted_at = None;
                // In which mode an agent works here is for the person here to say.
                conversation.tuning.mode = None;
                transcripts.create_conversation(&conversation).or_failure()?;
            }
            Err(error) => return Err(of_store(error)),
        }
        let mut new = Vec::new();
        for mut message in messages {
            match transcripts.message(message.id) {
                Ok(_) => continue,
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(of_store(error)),
            }
            for part in &message.parts {
                if let Some(bytes) = part.attached_hash().and_then(|hash| attached.get(hash)) {
                    let bytes = objects.get(*bytes).or_failure()?;
                    transcripts.keep_blob(id, part, &bytes).or_failure()?;
                }
            }
            // Its turn was carried out elsewhere, and no longer is.
            message.turn_id = None;
            if message.status == MessageStatus::Streaming {
                message.status = MessageStatus::Interrupted;
            }
            new.push(NewMessage { message, branch_if_needed: BranchId::new(self.core.now()) });
        }
        transcripts.append_messages(&new).or_failure()?;
        let known = summaries.summaries(id).or_failure()?;
        for fold in folds.iter().filter(|fold| known.iter().all(|known| known.id != fold.id)) {
            summaries.put_summary(fold).or_failure()?;
        }
        match shown {
            Some(shown) => transcripts.activate(shown).or_failure(),
            None => Ok(()),
        }
    }
}

fn none_yet(known: u64) -> Carried {
    Carried { done: Vec::new(), known, left_out: Vec::new(), bytes: 0 }
}
