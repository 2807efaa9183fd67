//! Sealing checkpoints (behaviour.md, Checkpoints): switching it on and off, the key and its recovery passphrase.
//!
//! One key seals everything. It is kept where providers' keys are kept, and fetched when something sealed is needed; a
//! place that is closed keeps nobody from anything else. What exists is rewritten part by part, between which
//! checkpoints are taken as ever; what was cut off goes on by itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_contract::{
    CheckpointSealing, Code, Failure, RecoveryShown, SealCheckpoints, SealEvent, SetRecovery,
    Topic, UnlockCheckpoints,
};
use siltstone_engine::checkpoint::{SealKey, Sealed, Sealing};
use siltstone_engine::keys::{Account, KeyShown, Place};
use siltstone_engine::ports::StoreError;
use siltstone_engine::secret::Secret;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Sink;
use crate::checkpoints::CheckpointService;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::{blocking, locked};
use crate::models::keys::SEAL_KEY;

/// Shortest recovery passphrase of the person's own, in characters.
const PASSPHRASE: usize = 12;

/// How often, and after which pause, is tried again what another process is in the way of.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// What this process keeps of sealing.
#[derive(Default)]
pub(crate) struct Resealing {
    /// Stops it, while it runs.
    stop: Mutex<Option<CancellationToken>>,
    /// Whether the key was asked for already without anybody needing it.
    asked: AtomicBool,
}

impl CheckpointService {
    /// How far checkpoints are sealed.
    pub async fn checkpoint_sealing(&self, (): ()) -> Result<CheckpointSealing, Failure> {
        self.ask_for_seal_key_once().await;
        let sealing = self.core.stores()?.sealing;
        let read = move || Ok::<_, StoreError>((sealing.sealed()?, sealing.recovery()?.is_some()));
        let (sealed, recovery) = blocking(read).await?.or_failure()?;
        Ok(CheckpointSealing {
            on: sealed.on,
            locked: sealed.locked,
            working: locked(&self.taking.resealing.stop).is_some(),
            sealed_bytes: sealed.sealed_bytes,
            plain_bytes: sealed.plain_bytes,
            recovery,
            place: self.models.seal_key_kept()?.map(|(_, place)| place),
        })
    }

    /// Seals checkpoints from now on, and all that exist; goes on with what was cut off.
    pub async fn checkpoint_seal(
        &self,
        request: SealCheckpoints,
        sink: Sink<SealEvent>,
    ) -> Result<CheckpointSealing, Failure> {
        if request.place == Some(Place::Session) {
            return Err(bad_request("this key has to outlive the program"));
        }
        {
            let _alone = self.taking.alone.lock().await;
            let key = self.key_for_sealing(request.place).await?;
            self.patiently(move |sealing| {
                sealing.unlock(&key)?;
                sealing.seal(true)
            })
            .await?;
        }
        self.say_sealed(true)?;
        self.reseal(sink).await
    }

    /// Seals checkpoints no longer, and opens all that exist; goes on with what was cut off.
    pub async fn checkpoint_unseal(
        &self,
        (): (),
        sink: Sink<SealEvent>,
    ) -> Result<CheckpointSealing, Failure> {
        self.unlocked().await?;
        {
            let _alone = self.taking.alone.lock().await;
            self.patiently(|sealing| sealing.seal(false)).await?;
        }
        self.say_sealed(false)?;
        self.reseal(sink).await
    }

    /// Stops sealing what exists, or opening it; what is done stays, and it can go on later.
    pub async fn checkpoint_seal_cancel(&self, (): ()) -> Result<(), Failure> {
        if let Some(stop) = &*locked(&self.taking.resealing.stop) {
            stop.cancel();
        }
        Ok(())
    }

    /// Sets the recovery passphrase: without the key's place, it alone opens what is sealed.
    pub async fn checkpoint_recovery_set(
        &self,
        request: SetRecovery,
    ) -> Result<RecoveryShown, Failure> {
        self.unlocked().await?;
        let stores = self.core.stores()?;
        let key = self.seal_key().await?;
        let key = key.ok_or_else(|| conflict("checkpoints are not sealed"))?;
        let sealer = self.core.world.sealer.clone();
        let passphrase = match request.passphrase {
            Some(own) if own.expose().chars().count() < PASSPHRASE => {
                return Err(bad_request("a recovery passphrase has at least twelve characters"));
            }
            Some(own) => own,
            None => sealer.new_passphrase().or_failure()?,
        };
        let shown = RecoveryShown { passphrase: passphrase.expose().to_owned() };
        blocking(move || {
            let wrapped = sealer.wrap(&key, &passphrase).or_failure()?;
            stores.sealing.put_recovery(Some(&wrapped)).or_failure()
        })
        .await??;
        self.core.changed([Topic::Checkpoints]);
        Ok(shown)
    }

    /// Opens sealed checkpoints with the kept key or with the recovery passphrase.
    pub async fn checkpoint_unlock(
        &self,
        request: UnlockCheckpoints,
    ) -> Result<CheckpointSealing, Failure> {
        match request.passphrase {
            None => self.unlocked().await?,
            Some(passphrase) => self.recover(passphrase).await?,
        }
        self.core.changed([Topic::Checkpoints]);
        self.checkpoint_sealing(()).await
    }

    /// Makes sure that what is sealed can be read and written: fetches the key if it is needed and not at hand. Fails
    /// with `CheckpointsLocked` while its place is closed.
    pub(crate) async fn unlocked(&self) -> Result<(), Failure> {
        let sealing = self.core.stores()?.sealing;
        if !sealing.is_locked().or_failure()? {
            return Ok(());
        }
        let closed = |message: String| Failure::new(Code::CheckpointsLocked, message);
        let key = self.seal_key().await.map_err(|failure| closed(failure.message))?;
        let key = key.ok_or_else(|| closed(String::from("their key is not where it was kept")))?;
        blocking(move || sealing.unlock(&key)).await?.or_failure()
    }

    /// The same for what can do without.
    pub(crate) async fn ask_for_seal_key(&self) {
        self.taking.resealing.asked.store(true, Ordering::Relaxed);
        if let Err(failure) = self.unlocked().await {
            tracing::info!(%failure, "sealed checkpoints stay closed for now");
        }
    }

    /// The same, unless it was done: a keyring that does not answer takes its time.
    pub(super) async fn ask_for_seal_key_once(&self) {
        if !self.taking.resealing.asked.load(Ordering::Relaxed) {
            self.ask_for_seal_key().await;
        }
    }

    /// The key that seals checkpoints, from where it is kept.
    pub(crate) async fn seal_key(&self) -> Result<Option<SealKey>, Failure> {
        let kept = self.models.seal_key_kept()?;
        self.models
            .with_secrets(move |secrets| {
                let held = secrets.get(Place::Session, &in_memory())?;
                let found = match (held, kept) {
                    (Some(held), _) => Some(held),
                    (None, Some((account, place))) => secrets.get(place, &account)?,
                    (None, None) => None,
                };
                Ok(found.map(SealKey::new))
            })
            .await
    }

    /// Goes on with what was cut off, if the key is at hand; called now and then while a host watches.
    pub(crate) async fn go_on_sealing(&self) {
        let Ok(sealing) = self.core.stores().map(|stores| stores.sealing) else { return };
        let at_it = locked(&self.taking.resealing.stop).is_some();
        let of = sealing.clone();
        let sealed = blocking(move || of.sealed()).await;
        if at_it || !matches!(sealed, Ok(Ok(sealed)) if sealed.left() > 0) {
            return;
        }
        self.ask_for_seal_key_once().await;
        if sealing.is_locked() == Ok(false)
            && let Err(failure) = self.reseal(Arc::new(|_| {})).await
        {
            tracing::warn!(%failure, "going on with sealing");
        }
    }

    /// The kept key, or a new one that is kept from now on.
    async fn key_for_sealing(&self, place: Option<Place>) -> Result<SealKey, Failure> {
        let is_locked = self.core.stores()?.sealing.is_locked().or_failure()?;
        match self.seal_key().await? {
            Some(kept) => return Ok(kept),
            // What is sealed already opens with that key alone.
            None if is_locked => return self.unlocked().await.and(Err(conflict("no key"))),
            None => {}
        }
        let place = place.or(self.models.key_state(()).await?.place).unwrap_or(Place::Keyring);
        let key = self.core.world.sealer.new_key().or_failure()?;
        self.keep(&key, place).await?;
        Ok(key)
    }

    async fn keep(&self, key: &SealKey, place: Place) -> Result<(), Failure> {
        let (secret, earlier) = (key.secret().clone(), self.models.seal_key_kept()?);
        let own = || Account::from_text(format!("{SEAL_KEY} {}", Uuid::now_v7()));
        let account = earlier.map_or_else(own, |(account, _)| account);
        let under = account.clone();
        let kept = self
            .models
            .with_secrets(move |secrets| {
                secrets.put(place, &under, &secret)?;
                let kept = secrets.get(place, &under)?;
                Ok(kept.is_some_and(|kept| kept.expose() == secret.expose()))
            })
            .await?;
        if !kept {
            return Err(Failure::new(Code::Io, "the key did not stay where it was put"));
        }
        let shown = KeyShown { place, last_four: String::new() };
        self.core.stores()?.records.put_key_shown(&account, &shown).or_failure()
    }

    async fn recover(&self, passphrase: Secret) -> Result<(), Failure> {
        let (stores, sealer) = (self.core.stores()?, self.core.world.sealer.clone());
        let sealing = stores.sealing.clone();
        let key = blocking(move || {
            let none = || Failure::new(Code::NotFound, "no recovery passphrase was ever set");
            let wrapped = sealing.recovery().or_failure()?.ok_or_else(none)?;
            let key = sealer.unwrap(&wrapped, &passphrase).or_failure()?;
            sealing.unlock(&key).or_failure()?;
            Ok::<_, Failure>(key)
        })
        .await??;
        let earlier = self.models.seal_key_kept()?.map(|(_, place)| place);
        let place = earlier.or(self.models.key_state(()).await?.place).unwrap_or(Place::Keyring);
        if let Err(failure) = self.keep(&key, place).await {
            tracing::info!(%failure, "the recovered key is held for this session alone");
            let secret = key.secret().clone();
            self.models
                .with_secrets(move |it| it.put(Place::Session, &in_memory(), &secret))
                .await?;
        }
        Ok(())
    }

    /// Brings what exists into the form in which it should be, part by part.
    async fn reseal(&self, sink: Sink<SealEvent>) -> Result<CheckpointSealing, Failure> {
        let stop = CancellationToken::new();
        {
            let mut running = locked(&self.taking.resealing.stop);
            if running.is_some() {
                return Err(conflict("this is being done already"));
            }
            *running = Some(stop.clone());
        }
        let done = self.reseal_until(&stop, sink).await;
        *locked(&self.taking.resealing.stop) = None;
        self.core.changed([Topic::Checkpoints]);
        let sealed = done?;
        if !sealed.on && sealed.left() == 0 {
            self.forget_seal_key().await?;
        }
        self.checkpoint_sealing(()).await
    }

    async fn reseal_until(
        &self,
        stop: &CancellationToken,
        sink: Sink<SealEvent>,
    ) -> Result<Sealed, Failure> {
        loop {
            if stop.is_cancelled() {
                return Err(Failure::new(Code::Cancelled, "cancelled"));
            }
            let alone = self.taking.alone.lock().await;
            let sealed = self.patiently(|sealing| sealing.reseal()).await?;
            drop(alone);
            let total = sealed.sealed_bytes + sealed.plain_bytes;
            sink(SealEvent { done: total - sealed.left(), total });
            if sealed.left() == 0 {
                return Ok(sealed);
            }
        }
    }

    /// Nothing is sealed any more, so nothing needs the key.
    async fn forget_seal_key(&self) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        stores.sealing.put_recovery(None).or_failure()?;
        let Some((account, place)) = self.models.seal_key_kept()? else { return Ok(()) };
        let under = account.clone();
        self.models
            .with_secrets(move |secrets| {
                secrets.remove(Place::Session, &in_memory())?;
                secrets.remove(place, &under)
            })
            .await?;
        stores.records.remove_key_shown(&account).or_failure()?;
        Ok(())
    }

    /// Tries again while another process makes a checkpoint.
    async fn patiently<T: Send + 'static>(
        &self,
        work: impl Fn(&dyn Sealing) -> Result<T, StoreError> + Clone + Send + 'static,
    ) -> Result<T, Failure> {
        let sealing = self.core.stores()?.sealing;
        for _ in 1..TRIES {
            let (sealing, work) = (sealing.clone(), work.clone());
            match blocking(move || work(sealing.as_ref())).await? {
                Err(StoreError::Conflict { what: "a checkpoint is being made" }) => {
                    tokio::time::sleep(PAUSE).await;
                }
                done => return done.or_failure(),
            }
        }
        blocking(move || work(sealing.as_ref())).await?.or_failure()
    }

    /// The setting says what was done.
    fn say_sealed(&self, on: bool) -> Result<(), Failure> {
        self.core.change_settings(|it| it.privacy.encrypt_checkpoints = on)?;
        self.core.changed([Topic::Checkpoints, Topic::Settings]);
        Ok(())
    }
}

/// What the key is kept under for this session.
fn in_memory() -> Account {
    Account::from_text(SEAL_KEY.to_owned())
}
