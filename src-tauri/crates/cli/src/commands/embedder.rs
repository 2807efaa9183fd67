//! `silt recall embedder`: who makes vectors of messages.

use serde_json::json;
use siltstone_contract::{ChooseMeaning, MeaningBy, MeaningHalt, MeaningState, ProviderRef, Topic};
use siltstone_engine::meaning::EmbedderChoice;
use tokio::sync::broadcast::error::RecvError;

use crate::args::{Embedder, EmbedderArgs};
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: Embedder) -> Result<(), Stop> {
    let app = &host.app;
    match command {
        Embedder::Status => told(host, &app.meaning_state(()).await?),
        Embedder::Models { provider } => {
            let models = app.meaning_models(ProviderRef { name: provider }).await?;
            match host.out.json {
                true => host.out.value(&models),
                false => models.iter().try_for_each(|model| host.out.line(model)),
            }
        }
        Embedder::Plan(which) => {
            let plan = app.meaning_plan(MeaningBy { embedder: choice(which) }).await?;
            if host.out.json {
                return host.out.value(&plan);
            }
            let lang = host.out.lang;
            let place = match plan.home {
                true => lang.pick("stays on this computer", "이 컴퓨터에 머무릅니다"),
                false => lang.pick("leaves this computer", "이 컴퓨터를 떠납니다"),
            };
            let cost = match plan.cost {
                Some(cost) => format!("${:.4}", cost as f64 / 1e9),
                None => lang.pick("price not known", "가격을 모릅니다").to_owned(),
            };
            let messages = lang.count("{} message(s)", "메시지 {}개", plan.messages);
            let tokens = lang.count("about {} tokens", "토큰 약 {}개", plan.tokens);
            host.out.line(&format!("{messages} · {tokens} · {cost} · {place}"))
        }
        Embedder::Use { which, most } => {
            let embedder = Some(choice(which));
            let mut changes = app.subscribe();
            app.meaning_choose(ChooseMeaning { embedder, most_tokens: most }).await?;
            made(host, &mut changes).await
        }
        Embedder::Off => {
            let none = ChooseMeaning { embedder: None, most_tokens: None };
            told(host, &app.meaning_choose(none).await?)
        }
        Embedder::Build => {
            let mut changes = app.subscribe();
            app.meaning_resume(()).await?;
            made(host, &mut changes).await
        }
        Embedder::Rebuild => {
            let mut changes = app.subscribe();
            app.meaning_rebuild(()).await?;
            made(host, &mut changes).await
        }
        Embedder::Stop => told(host, &app.meaning_stop(()).await?),
    }
}

fn choice(which: EmbedderArgs) -> EmbedderChoice {
    match (which.local, which.provider, which.model) {
        (None, Some(provider), Some(model)) => EmbedderChoice::Provider { provider, model },
        (name, ..) => EmbedderChoice::Local { name: name.unwrap_or_default() },
    }
}

type Changes = tokio::sync::broadcast::Receiver<siltstone_contract::Changed>;

/// Waits until the vectors are made; Ctrl+C leaves the rest for the next time.
async fn made(host: &Host, changes: &mut Changes) -> Result<(), Stop> {
    let mut told_of = None;
    loop {
        let state = host.app.meaning_state(()).await?;
        if !state.running {
            told(host, &state)?;
            return match state.halted {
                Some(_) => Err(Stop::Interrupted),
                None => Ok(()),
            };
        }
        if told_of.replace(state.done) != Some(state.done) {
            let said = host.out.lang.pick("{} of {} messages read", "메시지 {}/{}개 읽음");
            let said = said.replacen("{}", &state.done.to_string(), 1);
            host.out.note(&said.replacen("{}", &state.all.to_string(), 1));
        }
        loop {
            match changes.recv().await {
                Ok(changed) if changed.topics.contains(&Topic::Meaning) => break,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }
}

fn told(host: &Host, state: &MeaningState) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!(state));
    }
    let lang = host.out.lang;
    let by = match &state.embedder {
        None => lang.pick("none: recall goes by words", "없음: 낱말로만 찾습니다").to_owned(),
        Some(EmbedderChoice::Local { name }) => name.clone(),
        Some(EmbedderChoice::Provider { provider, model }) => format!("{provider} {model}"),
    };
    host.out.line(&by)?;
    for model in &state.local {
        let megabytes = model.bytes.div_ceil(1_000_000);
        let came = match model.shipped {
            true => lang.pick(", comes with Siltstone", ", Siltstone에 들어 있음"),
            false => "",
        };
        host.out.line(&format!("  {} ({megabytes} MB{came})", model.name))?;
    }
    host.out.line(&format!("  {}", state.folder))?;
    if state.embedder.is_none() {
        return Ok(());
    }
    let read = lang.count("{} message(s) read", "읽은 메시지 {}개", state.done);
    let of = lang.count("of {}", "전체 {}개", state.all);
    host.out.line(&format!("{read} · {of}"))?;
    match &state.halted {
        None => Ok(()),
        Some(MeaningHalt::Stopped) => {
            host.out.line(lang.pick("stopped; `build` goes on", "멈췄어요. `build`로 이어 가요"))
        }
        Some(MeaningHalt::Limit) => host.out.line(lang.pick(
            "as many tokens were sent as were agreed to; choose again with a higher --most",
            "허락한 만큼 토큰을 보냈어요. 더 큰 --most로 다시 고르세요",
        )),
        Some(MeaningHalt::Fault { fault }) => {
            host.out.line(&format!("{}: {}", fault.code, fault.message))
        }
    }
}
