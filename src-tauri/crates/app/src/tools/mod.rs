//! Tools: what is offered, what was remembered, what waits for the person, and servers.

mod approvals;
mod carrying;
mod found;
mod inbox;
mod keeping;
mod mcp;
mod offered;
mod panel;
mod resources;
mod server_secrets;
pub(crate) mod servers;

use std::collections::HashMap;
use std::sync::Mutex;

use siltstone_engine::ids::RuleId;
use siltstone_engine::tool::approval::Rule;

use crate::core::{Core, service};
use crate::memory::MemoryService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use crate::search::SearchService;
use crate::skills::SkillService;

pub(crate) use approvals::{Bound, Waiting, sealed};
pub(crate) use carrying::{Place, Task};
pub(crate) use offered::{Known, Offer, Offered};

service! {
    /// What models may call.
    ToolService {
        needs {
            core: Core, privacy: PrivacyService, models: ModelService, memory: MemoryService,
            skills: SkillService, search: SearchService
        }
        keeps {
            /// Sessions with MCP servers.
            mcp: servers::Sessions,
            /// Calls that wait for the person.
            waiting: Waiting,
            /// Answers that were forgotten, as long as they may be wanted back.
            forgotten: Mutex<HashMap<RuleId, Rule>>,
            /// What is known of what can be offered.
            offering: Known,
        }
    }
}
