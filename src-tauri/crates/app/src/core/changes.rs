//! The broadcast of what went stale. Writes name topics; observers read again.

use siltstone_contract::{Changed, Topic};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::settings::Language;
use tokio::sync::broadcast;

use crate::core::Core;

/// Broadcasts an observer may be behind before it is told to read everything again.
const BACKLOG: usize = 256;

pub(crate) struct Changes(broadcast::Sender<Changed>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }
}

impl Core {
    /// Follows the broadcast. An observer that lags should treat everything as stale ([`Topic::All`]).
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.changes.0.subscribe()
    }

    pub(crate) fn changed(&self, topics: impl Into<Vec<Topic>>) {
        let topics = topics.into();
        if let Some(news) = self.news() {
            news.changed(&topics);
        }
        // Nobody listening is fine: `silt` has no observers.
        let _ = self.changes.0.send(Changed { topics });
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
            Language::System => self.options.system_language.clone(),
        }
    }
}
