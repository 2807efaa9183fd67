//! What leaves, noted in memory: the record of tests that are about the gate and not about a database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use siltstone_engine::Timestamp;
use siltstone_engine::egress::{Departure, EgressItem, EgressLog, Outbox, SentRequest};
use siltstone_engine::ids::{ConversationId, TurnId};
use siltstone_engine::ports::{Clock, StoreError};

/// A request, and how it was answered.
pub type Left = (SentRequest, Option<String>);

/// The gate only writes.
const WRITES_ONLY: StoreError = StoreError::Conflict { what: "this record is not read back" };

/// Every request in order.
#[derive(Default)]
pub struct Noted {
    left: Mutex<Vec<Left>>,
    full: AtomicBool,
}

struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl Noted {
    /// An outbox that notes here.
    pub fn outbox(self: &Arc<Self>) -> Outbox {
        let provider = "tested".to_owned();
        Outbox { log: self.clone(), clock: Arc::new(Now), provider, turn_id: None, on_pause: None }
    }

    /// What left so far.
    pub fn left(&self) -> Vec<Left> {
        self.notes().clone()
    }

    fn notes(&self) -> MutexGuard<'_, Vec<Left>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on nothing can be noted.
    pub fn fill(&self) {
        self.full.store(true, Ordering::SeqCst);
    }
}

impl EgressLog for Noted {
    fn leaving(&self, request: &Departure<'_>) -> Result<u64, StoreError> {
        if self.full.load(Ordering::SeqCst) {
            return Err(StoreError::Full);
        }
        let sent = SentRequest {
            method: request.method.to_owned(),
            url: request.url.to_owned(),
            headers: request.headers.to_vec(),
            body: request.body.to_vec(),
            hash: request.hash(),
        };
        let mut left = self.notes();
        left.push((sent, None));
        Ok(left.len() as u64)
    }

    fn answered(&self, seq: u64, answer: &str) -> Result<(), StoreError> {
        let place = usize::try_from(seq - 1).ok();
        let mut left = self.notes();
        if let Some(left) = place.and_then(|place| left.get_mut(place)) {
            left.1 = Some(answer.to_owned());
        }
        Ok(())
    }

    fn departures(&self, _: Option<u64>, _: u32, _: bool) -> Result<Vec<EgressItem>, StoreError> {
        Err(WRITES_ONLY)
    }

    fn sent(&self, _: u64) -> Result<SentRequest, StoreError> {
        Err(WRITES_ONLY)
    }

    fn last_of(
        &self,
        _: TurnId,
        _: Option<Timestamp>,
        _: Option<Timestamp>,
    ) -> Result<Option<u64>, StoreError> {
        Err(WRITES_ONLY)
    }

    fn clear(&self) -> Result<(), StoreError> {
        Err(WRITES_ONLY)
    }

    fn receivers(&self, _: ConversationId) -> Result<Vec<String>, StoreError> {
        Err(WRITES_ONLY)
    }
}
