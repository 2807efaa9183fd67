//! What the shown path of a conversation said, read once and remembered: reading on costs what was said since. A long
//! path that was never read, an imported one for instance, is read beside everything else before requests are held
//! against it, so that composing does not wait for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_contract::Failure;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::ledger::Ledger;
use siltstone_engine::message::{Message, MessageStatus};
use siltstone_engine::ports::Stores;
use siltstone_engine::summary::PathRules;

use crate::core::failure::Outcome;
use crate::core::{blocking, locked};
use crate::folding::FoldingService;

/// Messages read at a time.
const BATCH: u64 = 256;

/// Messages that a request waits for.
const NEAR: u64 = 2_048;

/// Before a long path is read, so that what was asked for is shown first.
const PAUSE: Duration = Duration::from_secs(1);

/// Conversations whose ledgers are remembered.
const MOST: usize = 8;

/// What the shown paths of conversations said.
#[derive(Default)]
pub(crate) struct Ledgers(Mutex<HashMap<ConversationId, Arc<Kept>>>);

#[derive(Default)]
struct Kept {
    read: Mutex<Read>,
    catching_up: AtomicBool,
}

/// A ledger with the rules in it, and the last message that it has read.
#[derive(Default)]
struct Read {
    ledger: Ledger,
    rules: PathRules,
    last: Option<MessageId>,
}

impl Ledgers {
    /// What was read is not what is there any more.
    pub(crate) fn forget(&self) {
        locked(&self.0).clear();
    }

    fn of(&self, id: ConversationId) -> Arc<Kept> {
        let mut all = locked(&self.0);
        if all.len() >= MOST && !all.contains_key(&id) {
            all.clear();
        }
        all.entry(id).or_default().clone()
    }
}

impl FoldingService {
    /// Looks at what the shown path of a conversation said, all of it.
    pub(super) fn with_ledger<T>(
        &self,
        stores: &Stores,
        id: ConversationId,
        look: impl FnOnce(&Ledger) -> T,
    ) -> Result<T, Failure> {
        let kept = self.ledgers.of(id);
        let mut read = locked(&kept.read);
        read.stay_on_path(stores, id)?;
        read.go_on(stores, id)?;
        Ok(look(&read.ledger))
    }

    /// The same, and at its rules, where little is left to read of the path before `end`; `None` while much is, until the
    /// conversation has changed.
    pub(crate) fn with_ledger_at_hand<T>(
        &self,
        stores: &Stores,
        id: ConversationId,
        end: u64,
        look: impl FnOnce(&Ledger, &mut PathRules) -> T,
    ) -> Result<Option<T>, Failure> {
        let kept = self.ledgers.of(id);
        if kept.catching_up.load(Ordering::Acquire) {
            return Ok(None);
        }
        let mut read = locked(&kept.read);
        read.stay_on_path(stores, id)?;
        if end.saturating_sub(read.ledger.len() as u64) <= NEAR {
            read.go_on(stores, id)?;
            let Read { ledger, rules, .. } = &mut *read;
            return Ok(Some(look(ledger, rules)));
        }
        kept.catching_up.store(true, Ordering::Release);
        drop(read);
        let (this, stores) = (self.clone(), stores.clone());
        tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            let reading = this.clone();
            let read = blocking(move || reading.with_ledger(&stores, id, |_| ())).await;
            if let Err(error) = read.and_then(|read| read) {
                tracing::warn!(%error, "reading what a conversation said");
            }
            kept.catching_up.store(false, Ordering::Release);
            this.core.conversation_changed(id);
        });
        Ok(None)
    }
}

impl Read {
    /// Forgets what was read where another path is shown by now.
    fn stay_on_path(&mut self, stores: &Stores, id: ConversationId) -> Result<(), Failure> {
        let Some(last) = self.last else { return Ok(()) };
        let place = self.ledger.len() as u64 - 1;
        let there = stores.transcripts.ids_at(id, &[place]).or_failure()?;
        if there.first().copied().flatten() != Some(last) {
            *self = Self::default();
        }
        Ok(())
    }

    /// Reads what the shown path has beyond what was read.
    fn go_on(&mut self, stores: &Stores, id: ConversationId) -> Result<(), Failure> {
        loop {
            let start = self.ledger.len() as u64;
            let more = stores.transcripts.counted(id, start..start + BATCH, None).or_failure()?;
            let whole = |message: &Message| message.status != MessageStatus::Streaming;
            let whole: Vec<Message> =
                more.into_iter().map(|(message, _)| message).take_while(whole).collect();
            for message in &whole {
                self.ledger.push(message);
                self.last = Some(message.id);
            }
            if (whole.len() as u64) < BATCH {
                return Ok(());
            }
        }
    }
}
