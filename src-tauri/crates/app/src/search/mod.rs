//! Finding: by words over everything a person has here, by meaning, and what requests recall of what was said.

pub(crate) mod finding;
pub(crate) mod meaning;
pub(crate) mod recalling;
mod sessions;

use crate::core::{Core, service};
use crate::index::IndexService;
use crate::memory::MemoryService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use meaning::Meaning;
use recalling::Recalling;

service! {
    /// Search over everything, by words and by meaning, and what is recalled.
    SearchService {
        needs {
            core: Core, privacy: PrivacyService, models: ModelService, memory: MemoryService, index:
            IndexService
        }
        keeps {
            meaning: Meaning,
            recalling: Recalling,
        }
    }
}
