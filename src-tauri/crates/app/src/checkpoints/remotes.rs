//! Remotes: adding, testing and forgetting them, and what is on them. Sending and fetching is in
//! [`pushing`](super::pushing).
//!
//! A remote has a key of its own, which everything on it is sealed under. It is made with the first computer that
//! adds the remote, lies on it under the person's passphrase, and is kept here where other keys are kept.

use std::sync::Arc;

use siltstone_contract::{
    AddRemote, CancelCarrying, Code, Failure, RemoteCheckpoint, RemoteItem, RemoteRef,
    RemoteTested, SetSync, SyncedProject, Topic,
};
use siltstone_engine::checkpoint::remote::{
    CHECKPOINTS, KEY, OBJECTS, Remote, RemoteBlobs, RemoteError, RemotePlace,
};
use siltstone_engine::checkpoint::{Manifest, SealKey};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::ports::Access;
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Settings;

use super::item;
use crate::checkpoints::CheckpointService;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::{blocking, locked};

/// Shortest passphrase of a remote, in characters.
const PASSPHRASE: usize = 8;

/// Longest name of a remote, in characters.
const NAME: usize = 50;

/// A remote that is open.
pub(super) struct Reached {
    pub(super) blobs: Arc<dyn RemoteBlobs>,
    pub(super) key: SealKey,
}

impl CheckpointService {
    /// The remotes, by name.
    pub async fn remote_list(&self, (): ()) -> Result<Vec<RemoteItem>, Failure> {
        let settings = self.core.stores()?.records.settings().or_failure()?;
        let remotes = settings.checkpoints.remotes.iter();
        remotes.map(|remote| self.listed(remote, &settings)).collect()
    }

    /// Adds a remote: joins what is there with its passphrase, or begins with it.
    pub async fn remote_add(&self, request: AddRemote) -> Result<RemoteItem, Failure> {
        let AddRemote { name, at, credentials, passphrase, key_place } = request;
        let name = name.trim().to_owned();
        if name.is_empty() || name.chars().count() > NAME || name.contains(char::is_control) {
            return Err(bad_request("a name has 1 to 50 characters on one line"));
        }
        if passphrase.expose().chars().count() < PASSPHRASE {
            return Err(bad_request("a passphrase has at least eight characters"));
        }
        let known = self.core.stores()?.records.settings().or_failure()?.checkpoints.remotes;
        if known.iter().any(|known| known.name == name) {
            return Err(conflict("another remote has this name"));
        }
        let (sync, synced) = Default::default();
        let remote = Remote { name, at, key_place, sync, synced };
        let access = self.access_to(&remote, None)?;
        let blobs = self
            .core
            .world
            .remotes
            .connect(&remote.at, credentials.as_ref(), access)
            .or_failure()?;
        let key = self.key_of(blobs.as_ref(), passphrase).await?;
        let (account, secret) = (remote.account(), remote.credentials_account());
        self.models
            .with_secrets(move |secrets| {
                secrets.put(key_place, &account, key.secret())?;
                credentials.map_or(Ok(()), |given| secrets.put(key_place, &secret, &given))
            })
            .await?;
        let settings = self.core.change_settings(|it| {
            it.checkpoints.remotes.push(remote.clone());
            it.checkpoints.remotes.sort_by(|a, b| a.name.cmp(&b.name));
        })?;
        self.core.changed([Topic::Settings, Topic::Checkpoints]);
        self.listed(&remote, &settings)
    }

    /// When checkpoints go to a remote without being asked for.
    pub async fn remote_sync(&self, request: SetSync) -> Result<RemoteItem, Failure> {
        let settings = self.change_remote(&request.name, |it| it.sync = request.sync)?;
        self.listed(&self.remote(&request.name)?, &settings)
    }

    /// Changes one remote as it is kept now.
    pub(super) fn change_remote(
        &self,
        name: &str,
        mut change: impl FnMut(&mut Remote),
    ) -> Result<Settings, Failure> {
        self.remote(name)?;
        let settings = self.core.change_settings(|it| {
            it.checkpoints.remotes.iter_mut().filter(|it| it.name == name).for_each(&mut change);
        })?;
        self.core.changed([Topic::Settings, Topic::Checkpoints]);
        Ok(settings)
    }

    /// Forgets a remote and what opens it. What is on it stays.
    pub async fn remote_remove(&self, request: RemoteRef) -> Result<(), Failure> {
        let remote = self.remote(&request.name)?;
        let gone = |it: &mut Settings| it.checkpoints.remotes.retain(|it| it.name != remote.name);
        self.core.change_settings(gone)?;
        self.core.changed([Topic::Settings, Topic::Checkpoints]);
        self.models
            .with_secrets(move |secrets| {
                secrets.remove(remote.key_place, &remote.account())?;
                secrets.remove(remote.key_place, &remote.credentials_account())
            })
            .await
    }

    /// Asks a remote what it keeps, and whether the key here opens it.
    pub async fn remote_test(&self, request: RemoteRef) -> Result<RemoteTested, Failure> {
        let reached = self.reach(&request.name, None).await?;
        let checkpoints = reached.blobs.list(CHECKPOINTS).await.or_failure()?;
        if let Some(first) = checkpoints.first() {
            self.unsealed(&reached, first).await?;
        }
        let bundles = reached.blobs.list(OBJECTS).await.or_failure()?.len() as u64;
        Ok(RemoteTested { checkpoints: checkpoints.len() as u64, bundles })
    }

    /// The checkpoints of a remote, the newest first.
    pub async fn remote_checkpoints(
        &self,
        request: RemoteRef,
    ) -> Result<Vec<RemoteCheckpoint>, Failure> {
        let reached = self.reach(&request.name, None).await?;
        let rows = self.core.stores()?.checkpoints;
        let mut found = Vec::new();
        for name in reached.blobs.list(CHECKPOINTS).await.or_failure()? {
            let Manifest { checkpoint, project, .. } = self.manifest(&reached, &name).await?;
            found.push(RemoteCheckpoint {
                item: item(&checkpoint, 0),
                project,
                here: rows.checkpoint(checkpoint.id).is_ok(),
                project_path: checkpoint.metadata.project_path,
            });
        }
        found.sort_by_key(|found| std::cmp::Reverse(found.item.created_at));
        Ok(found)
    }

    /// Cancels a push or pull; one that is over already is fine.
    pub async fn remote_cancel(&self, request: CancelCarrying) -> Result<(), Failure> {
        if let Some(cancel) = locked(&self.core.probes).remove(&request.carry_id) {
            cancel.cancel();
        }
        Ok(())
    }

    fn listed(&self, remote: &Remote, settings: &Settings) -> Result<RemoteItem, Failure> {
        let projects = self.core.stores()?.records.projects().or_failure()?;
        let synced = projects.into_iter().filter_map(|project| {
            let synced = remote.synced.get(&project.id)?.clone();
            Some(SyncedProject { project_id: project.id, project: project.name, synced })
        });
        Ok(RemoteItem {
            name: remote.name.clone(),
            at: remote.at.clone(),
            key_place: remote.key_place,
            allowed: forbids(settings, settings.this_computer_only, &remote.at).is_none(),
            sync: remote.sync,
            synced: synced.collect(),
        })
    }

    pub(super) fn remote(&self, name: &str) -> Result<Remote, Failure> {
        let known = self.core.stores()?.records.settings().or_failure()?.checkpoints.remotes;
        let found = known.into_iter().find(|remote| remote.name == name);
        found.ok_or_else(|| Failure::new(Code::NotFound, format!("no remote {name}")))
    }

    /// Opens a remote for a project, or for none.
    pub(super) async fn reach(
        &self,
        name: &str,
        project: Option<ProjectId>,
    ) -> Result<Reached, Failure> {
        let remote = self.remote(name)?;
        // What is not allowed is refused before anybody is asked for a key.
        let access = self.access_to(&remote, project)?;
        let (account, secret, place) =
            (remote.account(), remote.credentials_account(), remote.key_place);
        let (key, credentials) = self
            .models
            .with_secrets(move |secrets| {
                Ok((secrets.get(place, &account)?, secrets.get(place, &secret)?))
            })
            .await?;
        let missing = || Failure::new(Code::RemoteKeyMissing, format!("no key of {name} here"));
        let key = SealKey::new(key.ok_or_else(missing)?);
        let remotes = &self.core.world.remotes;
        let blobs = remotes.connect(&remote.at, credentials.as_ref(), access).or_failure()?;
        Ok(Reached { blobs, key })
    }

    /// How a remote may be asked, if the settings let anything go there.
    fn access_to(&self, remote: &Remote, project: Option<ProjectId>) -> Result<Access, Failure> {
        let stores = self.core.stores()?;
        let settings = stores.records.settings().or_failure()?;
        let project = project.map(|id| stores.records.project(id)).transpose().or_failure()?;
        let this_computer_only =
            settings.this_computer_only || project.is_some_and(|it| it.this_computer_only);
        if let Some(why) = forbids(&settings, this_computer_only, &remote.at) {
            return Err(Failure::new(Code::NoCloud, why));
        }
        Ok(Access {
            key: None,
            this_computer_only,
            network: settings.network(),
            outbox: self.models.outbox(&remote.name, None)?,
        })
    }

    /// The key that is on a remote, or a new one that is put there.
    async fn key_of(
        &self,
        blobs: &dyn RemoteBlobs,
        passphrase: Secret,
    ) -> Result<SealKey, Failure> {
        let sealer = self.core.world.sealer.clone();
        let wrapped = match blobs.get(KEY).await {
            Err(RemoteError::NotFound { .. }) => {
                let (sealer, words) = (sealer.clone(), passphrase.clone());
                let made = blocking(move || {
                    let key = sealer.new_key()?;
                    sealer.wrap(&key, &words).map(|wrapped| (key, wrapped))
                });
                let (key, wrapped) = made.await?.or_failure()?;
                if blobs.put_if_absent(KEY, wrapped).await.or_failure()? {
                    return Ok(key);
                }
                // Another computer was faster.
                blobs.get(KEY).await.or_failure()?
            }
            found => found.or_failure()?,
        };
        blocking(move || sealer.unwrap(&wrapped, &passphrase)).await?.or_failure()
    }

    /// A blob of a remote, opened.
    pub(super) async fn unsealed(&self, from: &Reached, name: &str) -> Result<Vec<u8>, Failure> {
        let sealed = from.blobs.get(name).await.or_failure()?;
        self.core.world.sealer.open(&from.key, name.as_bytes(), &sealed).or_failure()
    }

    /// A checkpoint of a remote.
    pub(super) async fn manifest(&self, from: &Reached, name: &str) -> Result<Manifest, Failure> {
        let bytes = self.unsealed(from, name).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Failure::new(Code::CheckpointUnreadable, error.to_string()))
    }
}

/// The checkpoint that a blob's name tells.
pub(super) fn id_in(name: &str) -> Option<CheckpointId> {
    name.strip_prefix(CHECKPOINTS)?.parse().ok()
}

/// Why the settings let nothing go to a place. A folder, and a service on this computer, stay on it; the gate sees to
/// the addresses.
fn forbids(settings: &Settings, here_only: bool, at: &RemotePlace) -> Option<&'static str> {
    match at {
        _ if settings.privacy.local_only => Some("checkpoints stay on this computer"),
        RemotePlace::Gcs { .. } if here_only => Some("only this computer may be asked"),
        RemotePlace::S3 { endpoint, .. } | RemotePlace::Azure { endpoint, .. }
            if here_only && endpoint.is_empty() =>
        {
            Some("only this computer may be asked")
        }
        _ => None,
    }
}
