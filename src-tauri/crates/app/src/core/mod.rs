//! What every service stands on: the adapters, the open stores, what goes on now, and who is told of what.
//!
//! A service is a handle over what it needs of those below it and what it keeps itself ([`service!`]). It calls those
//! below it and no other; what happens in it that those above must know of, they are told ([`News`]).

pub(crate) mod also;
mod background;
mod changes;
pub(crate) mod data;
pub(crate) mod failure;
pub(crate) mod live;
pub(crate) mod log;
mod news;
pub(crate) mod standing;

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use siltstone_engine::Timestamp;
use siltstone_engine::ids::TurnId;
use tokio_util::sync::CancellationToken;

use crate::{Options, World};

pub(crate) use background::{Begun, Stoppable, blocking, unbroken};
pub(crate) use news::News;

/// What all services share.
#[derive(Clone)]
pub(crate) struct Core(Arc<Parts>);

/// What it is made of.
pub(crate) struct Parts {
    pub(crate) world: World,
    pub(crate) options: Options,
    pub(crate) stores: RwLock<data::Opened>,
    /// Replies that are on their way.
    pub(crate) live: live::LiveTurns,
    /// Models that are asked the same behind them.
    pub(crate) also: also::Also,
    /// Turns that a process which died left open, and whose replies no session knows yet.
    pub(crate) left_open: Mutex<Vec<TurnId>>,
    /// What can be cancelled by the name that was given to it.
    pub(crate) probes: Mutex<HashMap<String, CancellationToken>>,
    changes: changes::Changes,
    news: OnceLock<Box<dyn News>>,
}

impl Core {
    pub(crate) fn new(world: World, options: Options) -> Self {
        let left_open = Mutex::default();
        let stores = RwLock::new(data::open(&world, &left_open));
        Self(Arc::new(Parts {
            world,
            options,
            stores,
            live: live::LiveTurns::default(),
            also: also::Also::default(),
            left_open,
            probes: Mutex::default(),
            changes: changes::Changes::default(),
            news: OnceLock::new(),
        }))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.world.clock.now()
    }
}

impl Deref for Core {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// The lock, whether or not a thread panicked while it held it: the maps inside are valid after every statement.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Declares a service: what it needs of those below it, by name, and what it keeps itself, empty at first.
macro_rules! service {
    (
        $(#[$doc:meta])*
        $service:ident {
            needs { $($need:ident: $from:ty),* }
            keeps { $($(#[$about:meta])* $kept:ident: $state:ty,)* }
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $service(std::sync::Arc<Parts>);

        /// What the service is made of.
        pub(crate) struct Parts {
            $(pub(crate) $need: $from,)*
            $($(#[$about])* pub(crate) $kept: $state,)*
        }

        impl $service {
            #[allow(clippy::too_many_arguments, reason = "as many as it needs, named once above")]
            pub(crate) fn new($($need: &$from),*) -> Self {
                Self(std::sync::Arc::new(Parts {
                    $($need: $need.clone(),)*
                    $($kept: Default::default(),)*
                }))
            }
        }

        impl std::ops::Deref for $service {
            type Target = Parts;

            fn deref(&self) -> &Parts {
                &self.0
            }
        }
    };
}

pub(crate) use service;
