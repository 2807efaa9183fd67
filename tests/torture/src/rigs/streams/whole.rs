//! The same faults in front of the whole program: `silt chat` with a tool that is allowed to write.

use serde_json::Value;
use siltstone_engine::provider::ProviderKind;

use super::at_once;
use super::faults::{FINISHED, Fault, Faults};
use super::said::{self, CANARY, TOOL};
use super::server::Faulty;
use crate::desk::{Desk, Said};
use crate::{Options, Outcome, Trouble};

/// What is asked.
const QUESTION: &str = "Which port was it?";

/// A computer on which the faulty server is the model of all four formats.
struct Program {
    desk: Desk,
    server: Faulty,
}

/// Meets the faults that need no shortened clock; each format on a computer of its own, all of them at once.
pub fn run(options: &Options, outcome: &mut Outcome) -> Result<(), Trouble> {
    let mut chance = options.chance("whole program");
    let most = usize::try_from(options.count(2, 30))?;
    let mut drawn = Vec::new();
    for kind in said::KINDS {
        let mut faults = Faults::of(kind);
        faults.retain(|fault| !fault.stalls());
        while faults.len() > most {
            faults.swap_remove(chance.index(faults.len()));
        }
        drawn.push((kind, faults));
    }
    at_once(&drawn, outcome, |(kind, faults), _, outcome| {
        let program = Program::new()?;
        for fault in faults {
            program.server.answers(fault.answer.clone());
            let wrong = program.meets(*kind, fault)?;
            let name = said::name(*kind);
            outcome.tried("chats", wrong.map(|why| format!("{name}: chat: {}: {why}", fault.name)));
        }
        Ok(())
    })
}

impl Program {
    fn new() -> Result<Self, Trouble> {
        let program = Self { desk: Desk::trusted()?, server: Faulty::start()? };
        for kind in said::KINDS {
            let name = said::name(kind);
            let base_url = format!("{}{}", program.server.address(), said::version(kind));
            let add = ["provider", "add", "--kind", name, "--name", name, "--base-url", &base_url];
            program.desk.json(&add)?;
        }
        Ok(program)
    }

    fn silt(&self, args: &[&str]) -> Result<Said, Trouble> {
        let mut command = self.desk.command(args);
        Ok(command.arg("--json").env("SILTSTONE_LOG", "debug").output()?.into())
    }

    /// What is wrong with how the program took it.
    fn meets(&self, kind: ProviderKind, fault: &Fault) -> Result<Option<String>, Trouble> {
        let name = said::name(kind);
        let chat = ["chat", "--provider", name, "--model", "m", "--allow", TOOL, QUESTION];
        let said = self.silt(&chat)?;
        let lines: Vec<Value> =
            said.out.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let id = lines.iter().find_map(|line| line["conversation_id"].as_str());
        let Some(id) = id else {
            return Ok(Some(format!("no conversation: {} {}", said.out, said.err)));
        };
        let texts = lines.iter().filter(|line| line["event"] == "text");
        let told: String = texts.filter_map(|line| line["text"].as_str()).collect();
        let error = lines.iter().find_map(|line| line.get("error"));
        let shown = self.silt(&["conversation", "show", id])?;
        let shown: Value = serde_json::from_str(&shown.out)?;
        let none = Vec::new();
        let messages = shown["messages"].as_array().unwrap_or(&none);
        let of = |role: &str| -> Vec<&Value> {
            messages.iter().filter(|it| it["role"] == role && it["active"] == true).collect()
        };
        let kept: String = of("assistant").iter().filter_map(|it| it["content"].as_str()).collect();
        let hinted = error.is_some_and(|error| {
            let words = |name: &str| error[name].as_str().is_some_and(|it| !it.trim().is_empty());
            words("code") && words("message") && words("hint")
        });
        let code = error.and_then(|error| error["code"].as_str());
        let may_finish = fault.ends.contains(&FINISHED);
        let wrong = match () {
            () if self.desk.project.join(CANARY).exists() => {
                "a tool ran that was not called to its end"
            }
            () if of("user").len() != 1 => "the question does not stand there once",
            () if of("user")[0]["content"] != QUESTION => "the question is another one",
            () if !fault.shows(&kept) => "what was said is not kept",
            () if kept != told => "what is kept is not what was told",
            () if said.code == Some(0) && error.is_none() && may_finish => return Ok(None),
            () if said.code != Some(1) => "it ends in another way",
            () if !hinted => "the failure has no words or no hint",
            () if code.is_some_and(|code| !fault.ends.contains(&code)) => {
                "it fails for another reason"
            }
            () => return Ok(None),
        };
        Ok(Some(format!("{wrong}: {:?} {kept:?} {error:?} {}", said.code, said.err)))
    }
}
