//! What an agent offers beside its models: commands of its own, and modes in which it works. It says so when it is started,
//! which is never done to show a list; so what it said last is kept (`Records`), shown, and asked whether a message is a
//! command. What it says is data.

use serde::{Deserialize, Serialize};

use crate::ids::ProjectId;

/// What an agent offers beside its models, as it said when it was started last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Offers {
    /// Commands of its own.
    pub commands: Vec<AgentCommand>,
    /// Modes in which it works.
    pub modes: Vec<AgentMode>,
}

/// A command of an agent's own: a message that begins with `/` and its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AgentCommand {
    /// Without the slash.
    pub name: String,
    /// What it does, in the agent's words.
    pub about: String,
    /// What may be written behind it; empty where nothing is.
    pub hint: String,
}

/// A mode in which an agent works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AgentMode {
    /// What the agent knows it by.
    pub id: String,
    /// Its name, in the agent's words.
    pub name: String,
    /// What it is, in the agent's words.
    pub about: String,
    /// It is one in which the agent is known to ask before it changes anything.
    pub asks: bool,
}

/// What an agent told of it, as far as it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Its commands, which it tells when it likes.
    pub commands: Option<Vec<AgentCommand>>,
    /// Its modes.
    pub modes: Option<Vec<AgentMode>>,
}

/// What an agent offers where it works: what it reads in a project may hold commands of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OffersAt {
    /// The project; `None` for what it offers anywhere.
    pub project_id: Option<ProjectId>,
    /// What it offers there.
    pub offers: Offers,
}

/// What holds in a project, of all that is known: what was told there, or else what was told where there was none.
pub fn offered_at(known: &[OffersAt], project: Option<ProjectId>) -> Option<&Offers> {
    let at = |place: Option<ProjectId>| known.iter().find(|it| it.project_id == place);
    at(project).or_else(|| at(None)).map(|it| &it.offers)
}

impl Offers {
    /// The same with what was told since.
    pub fn with(self, told: Told) -> Self {
        Self {
            commands: told.commands.unwrap_or(self.commands),
            modes: told.modes.unwrap_or(self.modes),
        }
    }

    /// The command that a message is. An agent reads such a message alone: what stands before it would make it a message
    /// like any other.
    pub fn command_in(&self, message: &str) -> Option<&AgentCommand> {
        let name = message.strip_prefix('/')?.split_whitespace().next()?;
        // A slash and a blank is no command.
        let named = message[1..].starts_with(name);
        self.commands.iter().find(|it| named && it.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_message_that_begins_with_its_name() {
        let command = |name: &str| AgentCommand {
            name: name.to_owned(),
            about: String::new(),
            hint: String::new(),
        };
        let offers =
            Offers { commands: vec![command("review"), command("re")], ..Offers::default() };
        let of = |message: &str| offers.command_in(message).map(|it| it.name.as_str());
        assert_eq!(of("/review src/a.rs\nand b"), Some("review"));
        assert_eq!(of("/re"), Some("re"));
        for none in ["review", "/ review", " /review", "/reviewer", "/", "", "see /review"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
