//! The program itself: settings, the data folder and its backups, deleting for ever, newer versions, and what a clock asks
//! for.

mod backups;
mod deleting;
mod reopening;
mod settings;
mod updates;
mod watching;

use std::sync::Mutex;

use crate::checkpoints::CheckpointService;
use crate::contexts::ContextService;
use crate::conversations::ConversationService;
use crate::core::{Core, service};
use crate::folding::FoldingService;
use crate::memory::MemoryService;
use crate::models::ModelService;
use crate::search::SearchService;
use crate::sessions::SessionService;
use crate::turns::TurnService;

service! {
    /// Settings, the data folder, and what is done now and then.
    MaintenanceService {
        needs {
            core: Core, models: ModelService, memory: MemoryService, search: SearchService, sessions: SessionService,
            conversations: ConversationService, contexts: ContextService, checkpoints:
            CheckpointService, folding: FoldingService, turns: TurnService
        }
        keeps {
            /// Held while something is put in the place of the database.
            mending: Mutex<()>,
        }
    }
}
