//! What left this computer: the record for the gate, and the same record for the person.

use std::sync::Arc;

use siltstone_contract::{EgressRef, Failure, ListEgress, SentBody, Waiting};
use siltstone_engine::Timestamp;
use siltstone_engine::acp;
use siltstone_engine::egress::{self, EgressItem, OnPause, Outbox, Pause};
use siltstone_engine::ids::TurnId;

use crate::core::failure::Outcome;
use crate::models::ModelService;

/// Most records of one list.
const MOST: u32 = 500;

/// HTTP's "Too Many Requests".
const TOO_MANY: u16 = 429;

impl ModelService {
    /// Requests that left, the latest first.
    pub async fn egress_list(&self, request: ListEgress) -> Result<Vec<EgressItem>, Failure> {
        let ListEgress { before, limit, away_only } = request;
        self.core.stores()?.egress.departures(before, limit.min(MOST), away_only).or_failure()
    }

    /// Forgets what left.
    pub async fn egress_clear(&self, (): ()) -> Result<(), Failure> {
        self.core.stores()?.egress.clear().or_failure()
    }

    /// The exact bytes of a request, and a command that sends them again.
    pub async fn egress_body(&self, request: EgressRef) -> Result<SentBody, Failure> {
        let sent = self.core.stores()?.egress.sent(request.seq).or_failure()?;
        Ok(SentBody {
            curl: if sent.method == acp::METHOD { String::new() } else { egress::curl(&sent) },
            method: sent.method,
            url: sent.url,
            headers: sent.headers,
            // Every wire format sends JSON, which is UTF-8.
            body: String::from_utf8_lossy(&sent.body).into_owned(),
            hash: sent.hash,
        })
    }

    /// Where the gate writes down what leaves for this provider.
    pub(crate) fn outbox(
        &self,
        provider: &str,
        turn_id: Option<TurnId>,
    ) -> Result<Outbox, Failure> {
        let clock = self.core.world.clock.clone();
        Ok(Outbox {
            log: self.core.stores()?.egress,
            clock,
            provider: provider.to_owned(),
            turn_id,
            on_pause: turn_id.map(|turn| self.on_pause(turn)),
        })
    }

    /// Tells those who watch a turn that its request is asked again in a while.
    fn on_pause(&self, turn: TurnId) -> OnPause {
        let core = self.core.clone();
        Arc::new(move |Pause { status, wait }| {
            let until = core.now().checked_add(wait).unwrap_or(Timestamp::MAX);
            core.live.wait(turn, Waiting { limited: status == TOO_MANY, until });
        })
    }
}
