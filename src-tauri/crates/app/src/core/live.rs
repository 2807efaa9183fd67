//! Replies that are on their way in this process: who watches them, and how to stop them.

use std::collections::HashMap;
use std::sync::Mutex;

use siltstone_contract::{ToolProgress, TurnEvent, Waiting};
use siltstone_engine::ids::{ConversationId, MessageId, TurnId};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::core::locked;

/// Events a watcher may be behind before it is given a fresh start.
const BACKLOG: usize = 128;

/// The replies on their way, at most one a conversation.
#[derive(Default)]
pub(crate) struct LiveTurns(Mutex<HashMap<ConversationId, LiveTurn>>);

struct LiveTurn {
    turn_id: TurnId,
    reply_id: MessageId,
    text: String,
    reasoning: String,
    calls: Vec<ToolProgress>,
    waiting: Option<Waiting>,
    stop: CancellationToken,
    events: broadcast::Sender<TurnEvent>,
}

impl LiveTurns {
    /// A reply begins; the token stops it.
    pub(crate) fn begin(
        &self,
        id: ConversationId,
        turn_id: TurnId,
        reply_id: MessageId,
    ) -> CancellationToken {
        let stop = CancellationToken::new();
        let live = LiveTurn {
            turn_id,
            reply_id,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            waiting: None,
            stop: stop.clone(),
            events: broadcast::channel(BACKLOG).0,
        };
        locked(&self.0).insert(id, live);
        stop
    }

    /// More of a reply.
    pub(crate) fn add(&self, id: ConversationId, text: &str, reasoning: &str) {
        let mut all = locked(&self.0);
        let Some(live) = all.get_mut(&id) else { return };
        live.waiting = None;
        // A send fails only when nobody watches.
        if !reasoning.is_empty() {
            live.reasoning.push_str(reasoning);
            let _ = live.events.send(TurnEvent::Reasoning { text: reasoning.to_owned() });
        }
        if !text.is_empty() {
            live.text.push_str(text);
            let _ = live.events.send(TurnEvent::Text { text: text.to_owned() });
        }
    }

    /// The turn goes on in another reply.
    pub(crate) fn step(&self, id: ConversationId, reply_id: MessageId) {
        let mut all = locked(&self.0);
        let Some(live) = all.get_mut(&id) else { return };
        live.reply_id = reply_id;
        live.text.clear();
        live.reasoning.clear();
        live.calls.clear();
        live.waiting = None;
        // A send fails only when nobody watches.
        let _ = live.events.send(TurnEvent::Reply { reply_id });
    }

    /// A call of the reply stands somewhere else.
    pub(crate) fn call(&self, id: ConversationId, call: ToolProgress) {
        let mut all = locked(&self.0);
        let Some(live) = all.get_mut(&id) else { return };
        match live.calls.iter_mut().find(|known| known.call_id == call.call_id) {
            Some(known) => *known = call.clone(),
            None => live.calls.push(call.clone()),
        }
        let _ = live.events.send(TurnEvent::Tool { call });
    }

    /// What a turn asked is asked again in a while.
    pub(crate) fn wait(&self, turn: TurnId, waiting: Waiting) {
        let mut all = locked(&self.0);
        let Some(live) = all.values_mut().find(|live| live.turn_id == turn) else { return };
        live.waiting = Some(waiting);
        let _ = live.events.send(TurnEvent::Waiting { waiting });
    }

    /// More output of a call that runs.
    pub(crate) fn output(&self, id: ConversationId, call_id: &str, text: String) {
        let all = locked(&self.0);
        let Some(live) = all.get(&id) else { return };
        let _ = live.events.send(TurnEvent::Output { call_id: call_id.to_owned(), text });
    }

    /// Those who watch a reply. They are told how it ended once what follows it began, and [`end`](Self::end) was called.
    pub(crate) fn watchers(&self, id: ConversationId) -> Watchers {
        Watchers(locked(&self.0).get(&id).map(|live| live.events.clone()))
    }

    /// A reply ended, is durable, and what waited behind it was sent: unless that is on its way now, nothing is. Until
    /// then the conversation stays live, or who begins to watch between two replies would take it for settled.
    pub(crate) fn end(&self, id: ConversationId, turn_id: TurnId) {
        let mut all = locked(&self.0);
        if all.get(&id).is_some_and(|live| live.turn_id == turn_id) {
            all.remove(&id);
        }
    }

    /// What came so far, and what will come.
    pub(crate) fn follow(
        &self,
        id: ConversationId,
    ) -> Option<(TurnEvent, broadcast::Receiver<TurnEvent>)> {
        let all = locked(&self.0);
        let live = all.get(&id)?;
        let started = TurnEvent::Started {
            turn_id: live.turn_id,
            reply_id: live.reply_id,
            text: live.text.clone(),
            reasoning: live.reasoning.clone(),
            calls: live.calls.clone(),
            waiting: live.waiting,
        };
        Some((started, live.events.subscribe()))
    }

    /// Asks a reply to stop; `false` if none is on its way here.
    pub(crate) fn stop(&self, id: ConversationId) -> bool {
        locked(&self.0).get(&id).inspect(|live| live.stop.cancel()).is_some()
    }

    /// Whether no reply is on its way here.
    pub(crate) fn is_idle(&self) -> bool {
        locked(&self.0).is_empty()
    }

    /// Whether a reply is on its way here.
    pub(crate) fn is_live(&self, id: ConversationId) -> bool {
        locked(&self.0).contains_key(&id)
    }
}

/// Those who watch a reply.
pub(crate) struct Watchers(Option<broadcast::Sender<TurnEvent>>);

impl Watchers {
    /// Tells them how it ended.
    pub(crate) fn tell(self, done: TurnEvent) {
        if let Some(events) = self.0 {
            // A send fails only when nobody watches.
            let _ = events.send(done);
        }
    }
}
