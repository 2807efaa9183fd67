//! Backups: listed, made by the clock and on demand, and gone back to. Salvage of a database that cannot be opened, or of
//! which something cannot be read.
//!
//! Going back happens while the program runs, but not while a reply, a summary or a plan is on its way: what they would
//! write next belongs to what is replaced.

use siltstone_contract::{Code, DeleteBackups, Failure, RestoreBackup, RunSalvage, Topic};
use siltstone_engine::backup::{Backup, BackupPlan};
use siltstone_engine::salvage::{Salvage, SalvagePlan};

use crate::core::blocking;
use crate::core::failure::{self, Outcome};
use crate::maintenance::MaintenanceService;

impl MaintenanceService {
    /// The backups, the newest first.
    pub async fn backup_list(&self, (): ()) -> Result<Vec<Backup>, Failure> {
        let this = self.clone();
        blocking(move || this.core.world.data.backups()).await?.or_failure()
    }

    /// Makes a backup now.
    pub async fn backup_create(&self, (): ()) -> Result<Backup, Failure> {
        // What cannot be opened says so, rather than being copied.
        self.core.stores()?;
        let (this, now) = (self.clone(), self.core.now());
        blocking(move || this.core.world.data.back_up(now)).await?.or_failure()
    }

    /// Deletes backups.
    pub async fn backup_delete(&self, request: DeleteBackups) -> Result<(), Failure> {
        let this = self.clone();
        let delete = move || {
            request.names.iter().try_for_each(|name| this.core.world.data.delete_backup(name))
        };
        blocking(delete).await?.or_failure()?;
        self.core.changed([Topic::All]);
        Ok(())
    }

    /// What going back to a backup would change.
    pub async fn backup_plan(&self, request: RestoreBackup) -> Result<BackupPlan, Failure> {
        let this = self.clone();
        blocking(move || this.core.world.data.backup_plan(&request.name)).await?.or_failure()
    }

    /// Goes back to a backup.
    pub async fn backup_restore(&self, request: RestoreBackup) -> Result<(), Failure> {
        let this = self.clone();
        blocking(move || this.go_back(&request.name)).await??;
        self.contexts.layers_changed().await;
        self.core.changed([Topic::All]);
        Ok(())
    }

    /// What could be read of a damaged database.
    pub async fn salvage_plan(&self, (): ()) -> Result<SalvagePlan, Failure> {
        let this = self.clone();
        let plan = blocking(move || {
            this.look_for_damage()?;
            this.core.world.data.salvage_plan().or_failure()
        });
        plan.await?
    }

    /// Refuses a database that is open and whole; all of one is read of which nothing is known.
    fn look_for_damage(&self) -> Result<(), Failure> {
        if self.core.stores().is_err() || self.core.world.data.look_whole().or_failure()?.is_some()
        {
            return Ok(());
        }
        Err(failure::conflict("the database is open and needs no repair"))
    }

    /// Puts what can be read of a damaged database in its place.
    pub async fn salvage_run(&self, request: RunSalvage) -> Result<Salvage, Failure> {
        let this = self.clone();
        let salvage = blocking(move || {
            this.look_for_damage()?;
            let mut made = None;
            this.replace(|data, now| {
                made = Some(data.salvage(request.backup.as_deref(), now)?);
                Ok(())
            })?;
            made.ok_or_else(|| failure::conflict("nothing was salvaged"))
        });
        let salvage = salvage.await??;
        self.contexts.layers_changed().await;
        self.core.changed([Topic::All]);
        Ok(salvage)
    }

    fn go_back(&self, name: &str) -> Result<(), Failure> {
        let damage = || self.core.world.data.damage();
        if self.core.stores().is_err() || damage().is_some() {
            return self.replace(|data, now| data.restore_backup(name, now));
        }
        if !self.core.live.is_idle() || !self.folding.jobs.is_idle() {
            return Err(failure::conflict("a reply or a summary is on its way"));
        }
        match self.core.world.data.restore_backup(name, self.core.now()) {
            // Met only now: no backup can be made of it, so it is moved aside.
            Err(_) if damage().is_some() => {
                return self.replace(|data, now| data.restore_backup(name, now));
            }
            done => done.or_failure()?,
        }
        self.forget_read();
        let (stores, now) = (self.core.stores()?, self.core.now());
        stores.summaries.recover_summaries(now).or_failure()?;
        stores.transcripts.recover_turns(now).or_failure()?;
        Ok(())
    }

    /// Makes the backup of the day, when one is due. Called now and then while a host stays.
    pub(crate) async fn tend_backups(&self) {
        let (this, now) = (self.clone(), self.core.now());
        let made = blocking(move || this.core.world.data.back_up_if_due(now).or_failure());
        match made.await.and_then(|made| made) {
            Ok(Some(backup)) => tracing::info!(name = backup.name, "made the backup of the day"),
            Ok(None) => {}
            // The window says that a disk is full where the person meets it; a copy can wait.
            Err(failure) if failure.code == Code::DiskFull => {
                tracing::warn!("no room for the backup of the day");
            }
            Err(failure) => {
                tracing::warn!(%failure, "making the backup of the day");
                if failure.code == Code::Damaged {
                    self.core.changed([Topic::All]);
                }
            }
        }
    }
}
