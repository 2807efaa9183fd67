//! One module a word of the command line; each calls the app and prints what it gives.

mod agent;
mod backup;
mod calls;
mod chat;
mod checkpoint;
mod context;
mod conversation;
mod copy;
mod egress;
mod embedder;
mod installing;
mod ledger;
mod mcp;
mod memory;
mod message;
mod named;
mod place;
mod price;
mod project;
mod provider;
mod recall;
mod remote;
mod replay;
mod restore;
mod sample;
mod sealing;
mod search;
mod serve;
mod session;
mod settings;
mod sharing;
mod skill;
mod spending;
mod summary;
mod tree;
mod update;
mod vault;
mod workflow;

use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

use siltstone_engine::difference::Difference;
use siltstone_storage::is_shared;

use crate::args::{self, Command};
use crate::host::Host;
use crate::out::Stop;

pub use session::say_unwritten;
pub use summary::say_choice;

pub async fn run(host: &Host, command: Command) -> Result<(), Stop> {
    match command {
        Command::Project(command) => project::run(host, command).await,
        Command::Copy(command) => copy::run(host, command).await,
        Command::Chat(chat) => chat::run(host, chat).await,
        Command::Message(command) => message::run(host, command).await,
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
        Command::Agent(command) => agent::run(host, command).await,
        Command::Mcp(command) => mcp::run(host, command).await,
        Command::Skill(command) => skill::run(host, command).await,
        Command::Ledger(command) => ledger::run(host, command).await,
        Command::Summary(command) => summary::run(host, command).await,
        Command::Settings(command) => settings::run(host, command).await,
        Command::Price(command) => price::run(host, command).await,
        Command::Spending(spending) => spending::run(host, spending).await,
        Command::Sample(args::Sample::Open) => sample::open(host).await,
        Command::Backup(command) => backup::run(host, command).await,
        Command::Egress(command) => egress::run(host, command).await,
        Command::Recall(command) => recall::run(host, command).await,
        Command::Search(request) => search::run(host, request).await,
        Command::Vault(command) => vault::run(host, command).await,
        Command::Update(command) => update::run(host, command).await,
    }
}

/// A file of the project as the app names it, however it was typed: `./a`, `b/../a`, or its whole path. What lies elsewhere
/// is left as it is.
fn file_of(root: &str, typed: &str) -> String {
    let mut whole = PathBuf::new();
    for part in Path::new(root).join(typed).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    match whole.strip_prefix(root) {
        Ok(inside) => inside.to_string_lossy().replace(MAIN_SEPARATOR, "/"),
        Err(_) => typed.to_owned(),
    }
}

/// What becomes of a file, where there is none before or after it says nothing.
fn changes(host: &Host, path: &str, before: Option<&str>, after: Option<&str>) -> Result<(), Stop> {
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    host.out.line(
        format!("--- {path}\n+++ {path}\n{}", Difference::of(before, after).unified()).trim_end(),
    )
}

/// A word beside what was written where others may put something else in its place.
fn note_shared(host: &Host, path: &Path) {
    if is_shared(path) {
        host.out.note(host.out.lang.pick(
            "Others can write in this folder; the file itself is yours alone.",
            "다른 사람도 쓸 수 있는 폴더입니다. 파일은 본인만 읽을 수 있습니다.",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_project_has_one_name() {
        for typed in ["docs/a.md", "./docs/a.md", "docs/b/../a.md", "/p/docs/a.md", "docs//a.md"] {
            assert_eq!(file_of("/p", typed), "docs/a.md", "{typed}");
        }
        for elsewhere in ["/home/me/AGENTS.md", "../a.md"] {
            assert_eq!(file_of("/p", elsewhere), elsewhere);
        }
    }
}
