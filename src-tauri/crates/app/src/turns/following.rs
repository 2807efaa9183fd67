//! Watching a conversation's reply: here from memory, and from the database when another process writes it.

use std::time::Duration;

use siltstone_contract::{ConversationRef, Failure, TurnEvent};
use siltstone_engine::message::Part;
use siltstone_engine::turn::{Turn, TurnStatus};
use tokio::sync::broadcast::error::RecvError;

use crate::Sink;
use crate::core::failure::Outcome;
use crate::turns::TurnService;

/// How often the partial text of another process's reply is read.
const POLL: Duration = Duration::from_millis(250);

impl TurnService {
    /// Follows the reply of a conversation until nothing is on its way any more, queued messages included.
    pub async fn turn_watch(
        &self,
        request: ConversationRef,
        sink: Sink<TurnEvent>,
    ) -> Result<(), Failure> {
        loop {
            if let Some((started, mut events)) = self.core.live.follow(request.id) {
                sink(started);
                loop {
                    match events.recv().await {
                        Ok(event) => {
                            let over = matches!(event, TurnEvent::Done { .. });
                            sink(event);
                            if over {
                                break;
                            }
                        }
                        // Too far behind: following again gives the whole text so far.
                        Err(RecvError::Lagged(_)) => break,
                        Err(RecvError::Closed) => break,
                    }
                }
                continue;
            }
            let open = self.core.stores()?.transcripts.open_turn_of(request.id).or_failure()?;
            match open {
                Some(_) if self.core.live.is_live(request.id) => {}
                Some(turn) => self.follow_elsewhere(&turn, &sink).await?,
                None => return Ok(()),
            }
        }
    }

    async fn follow_elsewhere(&self, turn: &Turn, sink: &Sink<TurnEvent>) -> Result<(), Failure> {
        let transcripts = self.core.stores()?.transcripts;
        let mut shown: Option<String> = None;
        let mut of = turn.reply_id;
        loop {
            let state = transcripts.turn(turn.id).or_failure()?;
            let reply = transcripts.message(state.reply_id).or_failure()?.message;
            let text = reply.text();
            if shown.is_some() && of != state.reply_id {
                sink(TurnEvent::Reply { reply_id: state.reply_id });
                shown = Some(String::new());
            }
            of = state.reply_id;
            match &shown {
                Some(before) if text == *before => {}
                Some(before) if text.starts_with(before.as_str()) => {
                    sink(TurnEvent::Text { text: text[before.len()..].to_owned() });
                }
                _ => sink(TurnEvent::Started {
                    turn_id: turn.id,
                    reply_id: state.reply_id,
                    text: text.clone(),
                    reasoning: reasoning_of(&reply.parts),
                    calls: Vec::new(),
                    waiting: None,
                }),
            }
            shown = Some(text);
            if state.status != TurnStatus::Open {
                sink(TurnEvent::Done {
                    reply_id: state.reply_id,
                    status: reply.status,
                    usage: state.usage,
                    fault: state.fault,
                });
                return Ok(());
            }
            // The writer may have died; its turn then is no longer open in a living process.
            if transcripts.open_turn_of(turn.conversation_id).or_failure()?.is_none() {
                transcripts.recover_turns(self.core.now()).or_failure()?;
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

fn reasoning_of(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Reasoning { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
