//! A model that does what it is told: says these chunks at its own pace, then fails, hangs or finishes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use siltstone_engine::egress::{OnPause, Outbox, Pause};
use siltstone_engine::ports::{Access, Asked, ModelProvider, Providers, ReplyStream};
use siltstone_engine::provider::{
    Chunk, FinishReason, FoundServer, ModelInfo, ModelRequest, ProviderError, ProviderRecord,
};
use siltstone_engine::settings::Network;
use siltstone_engine::turn::Usage;

/// What a reply waits at, however long it takes until the test opens it.
#[derive(Clone, Debug, Default)]
pub struct Latch(Arc<AtomicBool>);

impl Latch {
    pub fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// One step of a reply.
#[derive(Clone, Debug)]
pub enum Step {
    Say(&'static str),
    Think(&'static str),
    /// Calls a tool.
    Call {
        id: &'static str,
        name: &'static str,
        /// JSON text.
        arguments: String,
    },
    Count(Usage),
    Wait(Duration),
    Until(Latch),
    /// Says as the gate does that the request is asked again in a while.
    Pause(Pause),
    Fail(ProviderError),
    /// Never says anything again.
    Hang,
    /// A defect.
    Panic,
    Finish,
    /// Finishes for another reason than that all is said.
    FinishBy(FinishReason),
}

/// What is answered to a request.
type Answers = Arc<dyn Fn(&ModelRequest) -> Vec<Step> + Send + Sync>;

/// Answers each request with the next script, or as its function says; remembers what it was asked.
#[derive(Clone, Default)]
pub struct Scripted {
    scripts: Arc<Mutex<VecDeque<Vec<Step>>>>,
    answers: Option<Answers>,
    pub asked: Arc<Mutex<Vec<ModelRequest>>>,
    /// The models it lists; none unless the test says so.
    pub offers: Arc<Mutex<Vec<ModelInfo>>>,
    on_pause: Option<OnPause>,
}

impl Scripted {
    pub fn new(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let scripts = Arc::new(Mutex::new(scripts.into_iter().collect()));
        Self { scripts, ..Self::default() }
    }

    pub fn answering(answers: impl Fn(&ModelRequest) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self { answers: Some(Arc::new(answers)), ..Self::default() }
    }
}

impl Providers for Scripted {
    fn connect(
        &self,
        _: &ProviderRecord,
        access: Access,
    ) -> Result<Arc<dyn ModelProvider>, ProviderError> {
        Ok(Arc::new(Self { on_pause: access.outbox.on_pause, ..self.clone() }))
    }

    fn discover(&self, _: Outbox) -> Asked<'_, Vec<FoundServer>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn check_network(&self, _: &Network) -> Result<(), ProviderError> {
        Ok(())
    }
}

impl ModelProvider for Scripted {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        let offers = self.offers.lock().unwrap().clone();
        Box::pin(async { Ok(offers) })
    }

    fn stream(&self, request: ModelRequest) -> ReplyStream {
        let steps = match &self.answers {
            Some(answers) => answers(&request),
            None => self.scripts.lock().unwrap().pop_front().expect("a script for every request"),
        };
        self.asked.lock().unwrap().push(request);
        Box::pin(Playing { steps: steps.into(), pause: None, on_pause: self.on_pause.clone() })
    }
}

struct Playing {
    steps: VecDeque<Step>,
    pause: Option<Pin<Box<tokio::time::Sleep>>>,
    on_pause: Option<OnPause>,
}

impl Stream for Playing {
    type Item = Result<Chunk, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(pause) = &mut self.pause {
            if pause.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        match self.steps.pop_front() {
            None => Poll::Ready(None),
            Some(Step::Say(text)) => Poll::Ready(Some(Ok(Chunk::Text(text.to_owned())))),
            Some(Step::Think(text)) => Poll::Ready(Some(Ok(Chunk::Reasoning(text.to_owned())))),
            Some(Step::Count(usage)) => Poll::Ready(Some(Ok(Chunk::Usage(usage)))),
            Some(Step::Call { id, name, arguments }) => {
                let (id, name) = (id.to_owned(), name.to_owned());
                Poll::Ready(Some(Ok(Chunk::ToolCall { id, name, arguments, seal: None })))
            }
            Some(Step::Fail(error)) => Poll::Ready(Some(Err(error))),
            Some(Step::Finish) => Poll::Ready(Some(Ok(Chunk::Finished(FinishReason::Stop)))),
            Some(Step::FinishBy(reason)) => Poll::Ready(Some(Ok(Chunk::Finished(reason)))),
            Some(Step::Panic) => panic!("planted"),
            Some(Step::Hang) => {
                self.steps.push_front(Step::Hang);
                Poll::Pending
            }
            Some(Step::Until(latch)) => {
                if !latch.0.load(Ordering::SeqCst) {
                    self.pause = Some(Box::pin(tokio::time::sleep(Duration::from_millis(5))));
                    self.steps.push_front(Step::Until(latch));
                }
                self.poll_next(cx)
            }
            Some(Step::Pause(pause)) => {
                if let Some(told) = &self.on_pause {
                    told(pause);
                }
                self.poll_next(cx)
            }
            Some(Step::Wait(time)) => {
                self.pause = Some(Box::pin(tokio::time::sleep(time)));
                self.poll_next(cx)
            }
        }
    }
}
