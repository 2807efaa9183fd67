//! Siltstone in the settings of other programs: shown as it would be, and written when the person says so.

use siltstone_contract::Failure;
use siltstone_engine::client::{Client, ClientFile};
use siltstone_engine::ids::ProjectId;

use super::AgentService;
use crate::core::blocking;
use crate::core::failure::Outcome;

impl AgentService {
    pub(crate) async fn client(
        &self,
        client: Client,
        project: Option<ProjectId>,
        wanted: bool,
    ) -> Result<ClientFile, Failure> {
        let (clients, root) = (self.core.world.clients.clone(), self.root_of(project)?);
        blocking(move || clients.look(client, root.as_deref(), wanted)).await?.or_failure()
    }

    pub(crate) async fn change_client(
        &self,
        project: Option<ProjectId>,
        file: ClientFile,
    ) -> Result<(), Failure> {
        let (clients, root) = (self.core.world.clients.clone(), self.root_of(project)?);
        blocking(move || clients.change(root.as_deref(), &file)).await?.or_failure()
    }

    fn root_of(&self, project: Option<ProjectId>) -> Result<Option<String>, Failure> {
        let Some(id) = project else { return Ok(None) };
        Ok(Some(self.core.stores()?.records.project(id).or_failure()?.path))
    }
}
