//! `silt recall`: what each way of telling a conversation would put before a model, for others to score; and whether a project's
//! conversations may go along in each other.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::json;
use siltstone_contract::{AllowOthers, Code, Failure, RecallVault};
use siltstone_engine::meaning::{Compact, Purpose, asking, standings};
use siltstone_engine::provider::ProviderError;
use siltstone_engine::recall::Model;
use siltstone_engine::recall::trial::{Data, Strategy, Trial};

use super::{embedder, session};
use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Recall) -> Result<(), Stop> {
    match command {
        args::Recall::Eval(said) => evaluate(host, said).await,
        args::Recall::Others { answer } => others(host, answer).await,
        args::Recall::Sessions { answer } => sessions(host, answer).await,
        args::Recall::Embedder(command) => embedder::run(host, command).await,
    }
}

async fn sessions(host: &Host, answer: Option<args::Others>) -> Result<(), Stop> {
    let project_id = session::project(host).await?;
    if let Some(answer) = answer {
        let allow = answer == args::Others::Allow;
        host.app.vault_recall(RecallVault { project_id, allow }).await?;
    }
    let allowed = host.app.settings_get(()).await?.recall_sessions.contains(&project_id);
    if host.out.json {
        return host.out.value(&json!({ "allowed": allowed }));
    }
    host.out.line(match allowed {
        true => host.out.lang.pick(
            "What was said in agents' sessions in this project may go along.",
            "이 프로젝트에서 일한 에이전트 세션의 말도 함께 갈 수 있습니다.",
        ),
        false => host.out.lang.pick(
            "What was said in agents' sessions in this project does not go along.",
            "이 프로젝트에서 일한 에이전트 세션의 말은 함께 가지 않습니다.",
        ),
    })
}

async fn others(host: &Host, answer: Option<args::Others>) -> Result<(), Stop> {
    let project_id = session::project(host).await?;
    if let Some(answer) = answer {
        let allow = answer == args::Others::Allow;
        host.app.others_allow(AllowOthers { project_id, allow }).await?;
    }
    let allowed = host.app.settings_get(()).await?.recall_others.get(&project_id).copied();
    if host.out.json {
        return host.out.value(&json!({ "allowed": allowed }));
    }
    host.out.line(match allowed {
        Some(true) => host.out.lang.pick(
            "Other conversations of this project may go along.",
            "이 프로젝트의 다른 대화도 함께 갈 수 있습니다.",
        ),
        Some(false) => host.out.lang.pick(
            "Other conversations of this project do not go along.",
            "이 프로젝트의 다른 대화는 함께 가지 않습니다.",
        ),
        None => host.out.lang.pick(
            "Not answered yet: nothing of this project's other conversations goes along.",
            "아직 답하지 않았습니다. 이 프로젝트의 다른 대화는 함께 가지 않습니다.",
        ),
    })
}

async fn evaluate(host: &Host, said: args::Eval) -> Result<(), Stop> {
    let data: Data = read(&said.data)?;
    let chosen = chosen(&said)?;
    let strategy = Strategy::from(said.strategy);
    let mut file = match &said.out {
        Some(path) => {
            Some(BufWriter::new(File::create(path).map_err(|error| Stop::file(path, &error))?))
        }
        None => None,
    };
    let mut write = |line: &serde_json::Value| match &mut file {
        Some(file) => writeln!(file, "{line}").map_err(|error| Stop::io(&error)),
        None => host.out.value(line),
    };
    let embedder = match said.local {
        Some(name) => Some(host.app.local_embedder(&name).await?),
        None => None,
    };
    let conversations = data.conversations.iter();
    for conversation in
        conversations.filter(|it| chosen.as_ref().is_none_or(|of| of.contains(&it.id)))
    {
        let trial = Trial::of(conversation);
        let mut stretches = Vec::new();
        if let Some(embedder) = &embedder {
            let texts: Vec<String> = trial.stretches().map(|it| it.trim().to_owned()).collect();
            for lot in texts.chunks(embedder.at_once()) {
                let made = embedder.embed(lot.to_vec(), Purpose::Passage).await;
                let made = made.map_err(unread)?.vectors;
                let kept = |it: &Vec<f32>| Compact::of(it).map(|it| it.to_bytes());
                stretches.extend(made.iter().map(|it| kept(it).unwrap_or_default()));
            }
        }
        for question in data.questions.iter().filter(|it| it.conversation == conversation.id) {
            let mut meant = Vec::new();
            if let Some(embedder) = &embedder {
                let text = asking(&question.question).to_owned();
                let made = embedder.embed(vec![text], Purpose::Question).await;
                let made = made.map_err(unread)?.vectors;
                let asked = made.first().and_then(|it| Compact::of(it));
                meant = asked.map(|it| standings(&it, &stretches)).unwrap_or_default();
            }
            let asked = trial.asked(&question.question, &meant);
            for budget in &said.budget {
                let started = Instant::now();
                let context = trial.context(strategy, &asked, *budget, Model::for_asked(&asked));
                let latency = started.elapsed().as_secs_f64() * 1e3;
                let selected: Vec<&str> =
                    context.places.iter().map(|place| trial.id(*place)).collect();
                write(&json!({
                    "conversation": conversation.id,
                    "question_id": question.id,
                    "budget": budget,
                    "context_text": context.text,
                    "selected_turn_ids": selected,
                    "latency_ms": latency,
                    "system": strategy.name(),
                }))?;
            }
        }
    }
    file.map_or(Ok(()), |mut file| file.flush().map_err(|error| Stop::io(&error)))
}

fn unread(error: ProviderError) -> Stop {
    Stop::Failure(Failure::new(Code::BadRequest, error.to_string()))
}

/// The conversations of a split, where one is asked for.
fn chosen(said: &args::Eval) -> Result<Option<Vec<String>>, Stop> {
    let (Some(file), Some(name)) = (&said.splits, &said.split) else {
        return Ok(None);
    };
    let mut splits: HashMap<String, Vec<String>> = read(file)?;
    let missing = || Failure::new(Code::NotFound, format!("no split {name}"));
    Ok(Some(splits.remove(name).ok_or_else(missing)?))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Stop> {
    let file = File::open(path).map_err(|error| Stop::file(path, &error))?;
    serde_json::from_reader(io::BufReader::new(file)).map_err(|error| {
        let said = format!("{} is not what it should be: {error}", path.display());
        Stop::Failure(Failure::new(Code::BadRequest, said))
    })
}
