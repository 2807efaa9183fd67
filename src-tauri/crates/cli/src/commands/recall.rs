//! `silt recall eval`: what each way of telling a conversation would put before a model, for others to score.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::json;
use siltstone_contract::{Code, Failure};
use siltstone_engine::recall::Model;
use siltstone_engine::recall::trial::{Data, Strategy, Trial};

use super::embedder;
use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Recall) -> Result<(), Stop> {
    match command {
        args::Recall::Eval(said) => evaluate(host, said),
        args::Recall::Embedder(command) => embedder::run(host, command).await,
    }
}

fn evaluate(host: &Host, said: args::Eval) -> Result<(), Stop> {
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
    let conversations = data.conversations.iter();
    for conversation in
        conversations.filter(|it| chosen.as_ref().is_none_or(|of| of.contains(&it.id)))
    {
        let trial = Trial::of(conversation);
        for question in data.questions.iter().filter(|it| it.conversation == conversation.id) {
            for budget in &said.budget {
                let started = Instant::now();
                let context =
                    trial.context(strategy, &question.question, *budget, Model::shipped());
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
