//! Models: who answers, with which key, at what price; what left for them, and what is asked of them beside turns.

pub(crate) mod asides;
pub(crate) mod counting;
mod egress;
pub(crate) mod keys;
pub(crate) mod providers;
mod spending;

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use siltstone_engine::provider::ModelInfo;

use crate::core::{Core, service};
use crate::privacy::PrivacyService;
use counting::Counting;

service! {
    /// Providers, their keys, what they cost, and what is asked of them beside turns.
    ModelService {
        needs { core: Core, privacy: PrivacyService }
        keeps {
            /// What servers told of their models, by provider and model.
            told: Mutex<HashMap<(String, String), ModelInfo>>,
            /// Those that thought until nothing was left for the answer, by the same, while this process lasts.
            thinkers: Mutex<HashSet<(String, String)>>,
            /// How texts are counted, and what was counted.
            counting: Counting,
        }
    }
}
