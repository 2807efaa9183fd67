//! Newer versions of the program: whether there is one, what would be fetched, fetching it, and putting it in the program's
//! place. Each step is the person's; nothing here begins by itself.
//!
//! What is fetched is what was shown: a download and an installation name the version, and take the offer that the last look
//! kept. What may be asked, and by which way, is what holds for every request that leaves.

use siltstone_contract::{
    CancelUpdate, Code, Failure, GetUpdate, InstallUpdate, UpdateEvent, UpdateLooked, UpdateState,
};
use siltstone_engine::ports::Access;
use siltstone_engine::update::{self, Installed, InstalledAs, Kept, UpdateError};
use tokio_util::sync::CancellationToken;

use crate::Sink;
use crate::core::failure::{Outcome, conflict};
use crate::core::{blocking, locked};
use crate::maintenance::MaintenanceService;

/// By which name what leaves for an update is written down.
const NAME: &str = "updates";

/// Room that is left beside a download.
const BESIDE: u64 = 16 << 20;

impl MaintenanceService {
    /// How this copy stands to newer versions; asks nobody.
    pub async fn update_status(&self, (): ()) -> Result<UpdateState, Failure> {
        let this = self.clone();
        blocking(move || this.update_state()).await?
    }

    /// Asks once for the newest version.
    pub async fn update_look(&self, (): ()) -> Result<UpdateLooked, Failure> {
        let updates = self.core.world.updates.clone();
        let of = updates.clone();
        let here = move || Ok::<_, UpdateError>((of.signer()?, of.installed_as()));
        let (signer, installed) = blocking(here).await?.or_failure()?;
        if installed == InstalledAs::ByHand {
            // Whatever a feed said would be of no use, so nobody is asked.
            return Err(UpdateError::ByHand).or_failure();
        }
        let (version, computer) = (self.core.options.version.clone(), updates.computer());
        let feed = updates.feed(&signer, self.update_access()?).await.or_failure()?;
        let told = update::told(&feed, &version, &computer, installed).or_failure()?;
        let (this, newer) = (self.clone(), told.newer);
        let state = blocking(move || {
            updates.keep(newer.as_ref()).or_failure()?;
            this.update_state()
        });
        Ok(UpdateLooked { offered: told.version, state: state.await?? })
    }

    /// Fetches the package of the version that was shown.
    pub async fn update_get(
        &self,
        request: GetUpdate,
        sink: Sink<UpdateEvent>,
    ) -> Result<UpdateState, Failure> {
        let GetUpdate { version, work_id } = request;
        let updates = self.core.world.updates.clone();
        let this = self.clone();
        let (signer, kept) = blocking(move || {
            let signer = this.core.world.updates.signer().or_failure()?;
            let kept = this.shown(&version)?;
            this.room_for(&kept)?;
            Ok::<_, Failure>((signer, kept))
        })
        .await??;
        if kept.package.is_none() {
            let access = self.update_access()?;
            let told = move |bytes, of| sink(UpdateEvent { bytes, of });
            let cancel = CancellationToken::new();
            locked(&self.core.probes).insert(work_id.clone(), cancel.clone());
            let fetched = tokio::select! {
                fetched = updates.fetch(&signer, &kept.offer, access, &told) => fetched.or_failure(),
                () = cancel.cancelled() => Err(Failure::new(Code::Cancelled, "cancelled")),
            };
            locked(&self.core.probes).remove(&work_id);
            fetched?;
        }
        self.update_status(()).await
    }

    /// Cancels a download; what came of it goes.
    pub async fn update_cancel(&self, request: CancelUpdate) -> Result<(), Failure> {
        if let Some(cancel) = locked(&self.core.probes).remove(&request.work_id) {
            cancel.cancel();
        }
        Ok(())
    }

    /// Puts the package of the version that was shown in the program's place.
    pub async fn update_install(&self, request: InstallUpdate) -> Result<Installed, Failure> {
        let this = self.clone();
        let install = move || {
            let updates = &this.core.world.updates;
            let signer = updates.signer().or_failure()?;
            let kept = this.shown(&request.version)?;
            if kept.package.is_none() {
                return Err(conflict("the package of this version is not here yet"));
            }
            let done = updates.install(&signer, &kept, updates.installed_as()).or_failure()?;
            if done == Installed::Done
                && let Err(error) = updates.keep(None)
            {
                tracing::warn!(%error, "removing a package that is installed");
            }
            Ok(done)
        };
        blocking(install).await?
    }

    fn update_state(&self) -> Result<UpdateState, Failure> {
        let updates = &self.core.world.updates;
        let version = self.core.options.version.clone();
        let feed = match updates.signer() {
            Ok(signer) => Some(signer.feed),
            Err(UpdateError::Unnamed) => None,
            Err(error) => return Err(error).or_failure(),
        };
        let kept = updates.kept().or_failure()?;
        // One that was installed meanwhile is none any more.
        let kept = kept.filter(|kept| {
            feed.is_some() && update::is_newer(&kept.offer.update.version, &version)
        });
        Ok(UpdateState {
            version,
            installed_as: updates.installed_as(),
            feed,
            fetched: kept.as_ref().is_some_and(|kept| kept.package.is_some()),
            update: kept.map(|kept| kept.offer.update),
        })
    }

    /// The offer that was shown, if it is still the one that is kept.
    fn shown(&self, version: &str) -> Result<Kept, Failure> {
        let kept = self.core.world.updates.kept().or_failure()?;
        let shown = kept.filter(|kept| {
            kept.offer.update.version == version
                && update::is_newer(version, &self.core.options.version)
        });
        shown.ok_or_else(|| conflict("this version was not offered; look for a newer one first"))
    }

    /// Refuses a download whose size is known and for which there is no room.
    fn room_for(&self, kept: &Kept) -> Result<(), Failure> {
        let (Some(size), None) = (kept.offer.update.size, &kept.package) else { return Ok(()) };
        match self.core.world.data.space() {
            Ok(space) if space.free < size.saturating_add(BESIDE) => {
                Err(UpdateError::Full { needed: size }).or_failure()
            }
            _ => Ok(()),
        }
    }

    fn update_access(&self) -> Result<Access, Failure> {
        let settings = self.core.stores()?.records.settings().or_failure()?;
        Ok(Access {
            key: None,
            this_computer_only: settings.this_computer_only,
            network: settings.network(),
            outbox: self.models.outbox(NAME, None)?,
        })
    }
}
