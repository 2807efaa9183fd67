//! Privacy: what never goes into a request, and what of a text is a secret (seed 004, "데이터 프라이버시").

use serde::{Deserialize, Serialize};

/// The person's choices (seed 004, `PrivacySettings`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct PrivacySettings {
    /// Files that never enter a request, an index or a checkpoint, as in `.gitignore`; for every project.
    pub exclude_patterns: Vec<String>,
    /// Whether keys, tokens and passwords are redacted on the way into a request, a summary, a log or an export.
    pub sanitize_secrets: bool,
}

impl Default for PrivacySettings {
    fn default() -> Self {
        Self { exclude_patterns: Vec::new(), sanitize_secrets: true }
    }
}
