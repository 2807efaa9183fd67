//! Keeping what agents write while they write it, for as long as a host stays.
//!
//! Only in folders that the person said yes to. What the system tells is a reason to look; all of it is looked at now and
//! then besides, for the system may be deaf, and tells nothing of what happened before. Who else keeps sessions just now
//! does it for this host, too.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use siltstone_contract::{Code, Topic, VaultScanned};
use siltstone_engine::vault::Place;
use tokio::sync::{Notify, broadcast};
use tokio::time::{sleep, sleep_until};

use super::VaultService;
use crate::core::failure::Outcome;
use crate::core::{blocking, locked};

/// Time between two looks at everything.
const LOOK: Duration = Duration::from_mins(10);

/// The same after one that failed, and where the system tells nothing.
const SOON: Duration = Duration::from_secs(30);

/// Time from the first thing that is heard to the look at it.
const SETTLING: Duration = Duration::from_secs(2);

/// How much longer than a look nothing is looked at after it: whoever writes without a pause is not read without one.
const REST: u32 = 10;

/// Places beyond which everything is looked at.
const MANY: usize = 200;

/// Whether what agents write is heard.
enum Listening {
    /// Nothing is kept now; whether that still holds is asked after so long.
    Off(Duration),
    /// Until this is dropped; it holds nothing where the system does not tell.
    On(Option<Box<dyn Send>>),
}

/// What was heard of since it was looked at.
struct Heard {
    /// Places at which something happened; `None` where everything has to be looked at.
    at: Mutex<Option<BTreeSet<Place>>>,
    any: Notify,
}

impl Heard {
    /// Of nothing yet.
    fn nothing() -> Self {
        Self { at: Mutex::new(Some(BTreeSet::new())), any: Notify::new() }
    }

    fn hear(&self, place: Option<Place>) {
        let mut at = locked(&self.at);
        match (&mut *at, place) {
            (Some(at), Some(place)) if at.len() < MANY => _ = at.insert(place),
            _ => *at = None,
        }
        self.any.notify_one();
    }

    /// What was heard of, as it is forgotten.
    fn take(&self) -> Option<BTreeSet<Place>> {
        locked(&self.at).replace(BTreeSet::new())
    }
}

/// What came of a look.
struct Looked {
    /// Whether everybody was told of it.
    told: bool,
    /// Whether nothing of it is left to be looked at, but what was heard since.
    is_whole: bool,
}

impl VaultService {
    /// Keeps what is new whenever there is something, until it is dropped.
    pub(crate) async fn follow(&self) {
        let mut changes = self.core.subscribe();
        'everything: loop {
            let heard = Arc::new(Heard::nothing());
            // Before the look: what is written during it is heard.
            let listening = self.listen(heard.clone()).await;
            self.is_on(matches!(listening, Listening::On(_)));
            let is_deaf = match &listening {
                Listening::On(ear) => ear.is_none(),
                Listening::Off(pause) => {
                    tokio::select! {
                        () = agreed_anew(&mut changes) => {}
                        () = sleep(*pause) => {}
                    }
                    continue;
                }
            };
            let mut until = tokio::time::Instant::now() + LOOK;
            let mut at = BTreeSet::new();
            // Everything first, then what is heard of, until that has to be all of it again.
            loop {
                let began = Instant::now();
                let looked = self.keep_quietly(at, &heard).await;
                let rest = SETTLING.max(began.elapsed() * REST);
                if is_deaf || !looked.is_whole {
                    until = until.min(tokio::time::Instant::now() + SOON.max(rest));
                }
                let mut others = 0;
                while let Ok(changed) = changes.try_recv() {
                    others += u32::from(changed.topics.contains(&Topic::Vault));
                }
                // What this look told others is no reason for the next one; what others told meanwhile is.
                if others > u32::from(looked.told) {
                    continue 'everything;
                }
                at = loop {
                    tokio::select! {
                        () = async { heard.any.notified().await; sleep(rest).await } => {}
                        () = agreed_anew(&mut changes) => continue 'everything,
                        () = sleep_until(until) => continue 'everything,
                    }
                    match heard.take() {
                        // What was heard while the last one settled was looked at with it.
                        Some(places) if places.is_empty() => {}
                        Some(places) => break places,
                        None => continue 'everything,
                    }
                };
            }
        }
    }

    /// Listens in every folder that was agreed to.
    async fn listen(&self, heard: Arc<Heard>) -> Listening {
        let this = self.clone();
        let listening = move || {
            if this.core.stores()?.read_only.is_some() {
                return Ok(Listening::Off(LOOK));
            }
            let homes = this.store()?.agreed().or_failure()?;
            if homes.is_empty() {
                return Ok(Listening::Off(LOOK));
            }
            let tell = Arc::new(move |place| heard.hear(place));
            Ok(Listening::On(this.agents().watch(&homes, tell)))
        };
        match blocking(listening).await {
            Ok(Ok(listening)) => listening,
            Ok(Err(failure)) | Err(failure) => {
                tracing::warn!(%failure, "listening to what agents write");
                Listening::Off(SOON)
            }
        }
    }

    /// Keeps what is new at these places, or everywhere, and tells everybody if there was any.
    async fn keep_quietly(&self, places: BTreeSet<Place>, heard: &Heard) -> Looked {
        let work_id = "following".to_owned();
        let looked = self.scanned(work_id, places.clone(), Arc::new(|_| {})).await;
        let failure = match &looked {
            // Somebody else keeps them just now, and may have been there before this was written.
            Err(failure) if matches!(failure.code, Code::Conflict | Code::Busy) => {
                let is_whole = !places.is_empty();
                places.into_iter().for_each(|place| heard.hear(Some(place)));
                return Looked { told: false, is_whole };
            }
            Err(failure) => {
                tracing::warn!(%failure, "keeping what agents write");
                Some(failure.clone())
            }
            Ok(_) => None,
        };
        let is_other = {
            let mut following = locked(&self.following);
            if looked.is_ok() {
                following.looked_at = Some(self.core.now());
            }
            std::mem::replace(&mut following.failure, failure.clone()) != failure
        };
        let told = is_other || looked.as_ref().is_ok_and(is_news);
        if told {
            self.core.changed([Topic::Vault]);
        }
        Looked { told, is_whole: looked.is_ok() }
    }

    fn is_on(&self, on: bool) {
        if std::mem::replace(&mut locked(&self.following).on, on) != on {
            self.core.changed([Topic::Vault]);
        }
    }
}

fn is_news(done: &VaultScanned) -> bool {
    done.new + done.grew + done.rewritten + done.cut + done.understood > 0
}

/// Waits until somebody in this program changed what is kept, or what was agreed to.
async fn agreed_anew(changes: &mut broadcast::Receiver<siltstone_contract::Changed>) {
    loop {
        match changes.recv().await {
            Ok(changed) if changed.topics.contains(&Topic::Vault) => return,
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}
