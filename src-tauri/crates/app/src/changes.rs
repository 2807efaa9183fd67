//! The broadcast of what went stale. Writes name topics; observers read again.

use siltstone_contract::{Changed, Topic};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::settings::Language;
use tokio::sync::broadcast;

use crate::App;

/// Broadcasts an observer may be behind before it is told to read everything again.
const BACKLOG: usize = 256;

pub(crate) struct Changes(broadcast::Sender<Changed>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }
}

impl App {
    /// Follows the broadcast. An observer that lags should treat everything as stale ([`Topic::All`]).
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.0.changes.0.subscribe()
    }

    pub(crate) fn changed(&self, topics: impl Into<Vec<Topic>>) {
        let topics = topics.into();
        if topics.iter().any(|it| matches!(it, Topic::All | Topic::Conversation { .. })) {
            self.tend_meaning();
        }
        // Nobody listening is fine: `silt` has no observers.
        let _ = self.0.changes.0.send(Changed { topics });
    }

    pub(crate) fn conversation_changed(&self, id: ConversationId) {
        self.changed([Topic::Conversation { id }, Topic::Conversations]);
    }

    /// The language of our own words, `ko` or `en`.
    pub(crate) fn language(&self) -> String {
        let chosen = self.stores().ok().and_then(|stores| stores.records.settings().ok());
        match chosen.map(|settings| settings.language).unwrap_or_default() {
            Language::Ko => String::from("ko"),
            Language::En => String::from("en"),
            Language::System => self.0.options.system_language.clone(),
        }
    }
}
