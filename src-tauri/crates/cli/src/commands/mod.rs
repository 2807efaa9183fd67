//! One module a word of the command line; each calls the app and prints what it gives.

mod backup;
mod calls;
mod chat;
mod checkpoint;
mod context;
mod conversation;
mod egress;
mod embedder;
mod ledger;
mod mcp;
mod memory;
mod place;
mod price;
mod project;
mod provider;
mod recall;
mod remote;
mod replay;
mod sample;
mod sealing;
mod search;
mod session;
mod spending;
mod summary;
mod tree;
mod workflow;

use std::str::FromStr;

use siltstone_contract::{Code, Failure};

use crate::args::{self, Command};
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: Command) -> Result<(), Stop> {
    match command {
        Command::Project(command) => project::run(host, command).await,
        Command::Chat(chat) => chat::run(host, chat).await,
        Command::Conversation(command) => conversation::run(host, command).await,
        Command::Context(command) => context::run(host, command).await,
        Command::Memory(command) => memory::run(host, command).await,
        Command::Session(command) => session::run(host, command).await,
        Command::Plan(command) => workflow::plan(host, command).await,
        Command::Task(command) => workflow::task(host, command).await,
        Command::Tree(command) => tree::run(host, command).await,
        Command::Evaluate(command) => tree::evaluate(host, command).await,
        Command::Decision(command) => workflow::decision(host, command).await,
        Command::Checkpoint(command) => checkpoint::run(host, command).await,
        Command::Provider(command) => provider::run(host, command).await,
        Command::Mcp(command) => mcp::run(host, command).await,
        Command::Ledger(command) => ledger::run(host, command).await,
        Command::Summary(command) => summary::run(host, command).await,
        Command::Price(command) => price::run(host, command).await,
        Command::Spending(spending) => spending::run(host, spending).await,
        Command::Sample(args::Sample::Open) => sample::open(host).await,
        Command::Backup(command) => backup::run(host, command).await,
        Command::Egress(command) => egress::run(host, command).await,
        Command::Recall(command) => recall::run(host, command).await,
        Command::Search(request) => search::run(host, request).await,
    }
}

/// An id as typed. What is no id names nothing.
fn id<T: FromStr>(what: &str, typed: &str) -> Result<T, Stop> {
    typed
        .parse()
        .map_err(|_| Stop::Failure(Failure::new(Code::NotFound, format!("no {what} {typed}"))))
}

/// All of stdin as text.
fn stdin_text() -> Result<String, Stop> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Stop::io(&error))?;
    text_of(bytes)
}

fn text_of(bytes: Vec<u8>) -> Result<String, Stop> {
    String::from_utf8(bytes)
        .map_err(|_| Stop::Failure(Failure::new(Code::NotText, "the input is not UTF-8 text")))
}
