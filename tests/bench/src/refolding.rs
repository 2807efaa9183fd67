//! One more fold after a longer and longer history that is folded already. Who summarises answers at once, so what is
//! measured is ours: reading what is due, asking, weighing the summary against its messages, storing it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream;
use siltstone_app::App;
use siltstone_contract::ConversationRef;
use siltstone_engine::egress::Outbox;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::{Access, Asked, ModelProvider, Providers, ReplyStream};
use siltstone_engine::provider::{
    Chunk, FinishReason, FoundServer, ModelInfo, ModelRequest, ProviderError, ProviderKind,
    ProviderRecord,
};
use siltstone_engine::settings::Network;
use siltstone_engine::summary::{Policy, Status};

use crate::Outcome;
use crate::history::{Folder, append};
use crate::measure::{median, ratio, shown};
use crate::sizes::thousands;

/// Messages that each fold stands for: three turns, as a segment has.
const NEW: usize = 6;

/// Folds that are measured.
const RUNS: usize = 9;

const SUMMARY: &str = "Agreed: the refresh token lives for thirty days; the database port is 5433. \
     데이터베이스 포트는 5433번으로 정했습니다.";

/// Says the same summary to whoever asks, at once.
#[derive(Clone, Copy, Debug)]
struct Prompt;

impl Providers for Prompt {
    fn connect(
        &self,
        _: &ProviderRecord,
        _: Access,
    ) -> Result<Arc<dyn ModelProvider>, ProviderError> {
        Ok(Arc::new(*self))
    }

    fn discover(&self, _: Outbox) -> Asked<'_, Vec<FoundServer>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn check_network(&self, _: &Network) -> Result<(), ProviderError> {
        Ok(())
    }
}

impl ModelProvider for Prompt {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        let model = ModelInfo { context_window: Some(32_768), ..ModelInfo::named("small") };
        Box::pin(async { Ok(vec![model]) })
    }

    fn stream(&self, _: ModelRequest) -> ReplyStream {
        let said = Chunk::Text(SUMMARY.to_owned());
        Box::pin(stream::iter([Ok(said), Ok(Chunk::Finished(FinishReason::Stop))]))
    }
}

/// The table.
pub async fn measure(histories: [usize; 3]) -> Outcome<String> {
    let mut out = format!(
        "### One more segment folded, of {NEW} new messages\n\n\
         | messages before it | folds before it | the fold | beside the first row |\n|---|---|---|---|\n"
    );
    let mut first = None;
    for messages in histories {
        let folder = Folder::with(messages)?;
        let app = folder.app_with(Arc::new(Prompt));
        settle(&app).await?;
        let id = folder.conversation;
        let before = fold(&app, id).await?.1;
        let mut known = before;
        let mut samples = Vec::new();
        for _ in 0..RUNS {
            for _ in 0..NEW {
                append(&folder)?;
            }
            let (time, made) = fold(&app, id).await?;
            if made <= known {
                return Err("no fold was made where one was due".into());
            }
            known = made;
            samples.push(time);
        }
        let time = median(&samples);
        let beside = ratio(*first.get_or_insert(time), time);
        let messages = thousands(messages);
        out.push_str(&format!("| {messages} | {before} | {} | {beside} |\n", shown(time)));
    }
    out.push('\n');
    Ok(out)
}

/// Who is asked for summaries.
async fn settle(app: &App) -> Outcome<()> {
    let record = ProviderRecord {
        name: "bench".into(),
        kind: ProviderKind::Openai,
        base_url: "http://127.0.0.1:9/v1".into(),
    };
    app.provider_add(record).await?;
    let mut settings = app.settings_get(()).await?;
    settings.default_provider = "bench".into();
    settings.default_model = "small".into();
    settings.summary.policy = Policy::Segments;
    app.settings_set(settings).await?;
    Ok(())
}

/// Folds all there is; how long that took, and how many folds there are then.
async fn fold(app: &App, id: ConversationId) -> Outcome<(Duration, usize)> {
    let begun = Instant::now();
    app.summary_run(ConversationRef { id }).await?;
    app.summaries_made(id).await?;
    let time = begun.elapsed();
    let panel = app.summary_list(ConversationRef { id }).await?;
    if let Some(failed) = panel.records.iter().find(|it| it.status != Status::Completed) {
        return Err(format!("a fold came to {:?}", failed.status).into());
    }
    Ok((time, panel.records.len()))
}
