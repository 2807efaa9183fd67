//! What an agent offers beside its models: commands of its own, and modes in which it works. It says so when it is started,
//! which is never done to show a list; so what it said last is kept (`Records`), shown, and asked whether a message is a
//! command. What it says is data.

use serde::{Deserialize, Serialize};

use crate::ids::ProjectId;
use crate::project::{Project, Trust};

/// What an agent offers beside its models, as it said when it was started last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Told {
    /// Its commands, which it tells when it likes.
    pub commands: Option<Vec<AgentCommand>>,
    /// Its modes.
    pub modes: Option<Vec<AgentMode>>,
}

impl Told {
    /// The same with what was told since.
    pub fn with(self, since: Self) -> Self {
        Self { commands: since.commands.or(self.commands), modes: since.modes.or(self.modes) }
    }
}

/// What an agent told where it works: what it reads in a project may hold commands of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OffersAt {
    /// The project; `None` where it was started in none, which holds wherever nothing else was told.
    pub project_id: Option<ProjectId>,
    /// What it told there.
    pub told: Told,
}

impl Offers {
    /// What holds in a project, or outside of any, of all that is known: what was told there, or else in the project of which
    /// it is a copy, or else outside. An agent works in a project that is trusted, and nowhere otherwise.
    pub fn at(known: &[OffersAt], project: Option<&Project>) -> Self {
        let project = project.filter(|project| project.trust == Trust::Trusted);
        let original = project.and_then(|project| project.copy.as_ref());
        let places = [project.map(|it| it.id), original.map(|it| it.project), None];
        let mut holds = Told::default();
        for place in places {
            let told = known.iter().find(|it| it.project_id == place);
            holds = told.map_or_else(Told::default, |it| it.told.clone()).with(holds);
        }
        Self {
            commands: holds.commands.unwrap_or_default(),
            modes: holds.modes.unwrap_or_default(),
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
    use crate::ids::CheckpointId;
    use crate::project::CopyOf;

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

    #[test]
    fn what_was_told_nearest_holds_and_what_was_not_told_is_not_denied() {
        let named = |name: &str| AgentCommand {
            name: name.to_owned(),
            about: String::new(),
            hint: String::new(),
        };
        let mode = |id: &str| AgentMode {
            id: id.to_owned(),
            name: id.to_owned(),
            about: String::new(),
            asks: false,
        };
        let id = |second: i64| ProjectId::new(jiff::Timestamp::from_second(second).unwrap());
        let (original, copy) = (id(1), id(2));
        let told = |commands: Option<&str>, modes: Option<&str>| Told {
            commands: commands.map(|it| vec![named(it)]),
            modes: modes.map(|it| vec![mode(it)]),
        };
        let known = [
            OffersAt { project_id: None, told: told(Some("any"), Some("plan")) },
            OffersAt { project_id: Some(original), told: told(Some("deploy"), None) },
            OffersAt { project_id: Some(copy), told: told(None, Some("free")) },
        ];
        let at = |project: Option<&Project>| {
            let Offers { commands, modes } = Offers::at(&known, project);
            format!("{} {}", commands[0].name, modes[0].id)
        };
        let mut project = Project {
            id: original,
            path: "/p".to_owned(),
            name: "p".to_owned(),
            trust: Trust::Trusted,
            this_computer_only: false,
            exclude: Vec::new(),
            identity: None,
            opened_at: jiff::Timestamp::UNIX_EPOCH,
            copy: None,
        };
        assert_eq!(at(None), "any plan");
        assert_eq!(at(Some(&project)), "deploy plan");
        let base = CheckpointId::new(jiff::Timestamp::UNIX_EPOCH);
        let of = CopyOf { project: original, name: "c".to_owned(), base, branch: None };
        let beside = Project { id: copy, copy: Some(of), ..project.clone() };
        assert_eq!(at(Some(&beside)), "deploy free");
        project.trust = Trust::Untrusted;
        assert_eq!(at(Some(&project)), "any plan");
        assert_eq!(told(Some("a"), None).with(told(None, Some("b"))), told(Some("a"), Some("b")));
        assert_eq!(told(Some("a"), None).with(told(Some("c"), None)), told(Some("c"), None));
    }
}
