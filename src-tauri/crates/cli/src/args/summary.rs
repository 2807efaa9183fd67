//! What may be typed about summaries.

use clap::{Args as Fields, Subcommand, ValueEnum};
use siltstone_engine::summary::{self, Rate};

use crate::help;

#[derive(Debug, Subcommand)]
pub enum Summary {
    /// The summaries of a conversation
    List {
        /// The conversation
        #[arg(default_value = "last")]
        id: String,
    },
    /// One summary with its text
    Show {
        /// Its id
        #[arg(default_value = "last")]
        summary: String,
    },
    /// How earlier messages are told where a conversation says nothing else; changed where one is named
    Policy {
        /// One running summary, or one for every three turns
        #[arg(value_enum)]
        policy: Option<Policy>,
    },
    /// Make whatever summary can be made now, and wait for it
    #[command(aliases = ["create", "make"])]
    Run {
        /// The conversation
        id: String,
        #[command(flatten)]
        folding: Folding,
    },
    /// What two summaries say differently, word by word
    Diff {
        /// The older one
        a: String,
        /// The newer one
        b: String,
    },
    /// What a summary keeps of its messages, and what it claims that they do not say
    Check(super::Check),
    /// Make the next fold and show what it would keep, leave behind and cost; nothing changes
    Preview {
        /// The conversation
        #[arg(default_value = "last")]
        id: String,
    },
    /// Take a previewed, an older or an undone summary as the newest one
    Adopt {
        /// The summary
        summary: String,
    },
    /// Take the newest summary of the shown path back
    Undo {
        /// The summary
        summary: String,
    },
    /// Let something that its messages say go with a summary, as a new version
    Keep {
        /// The summary
        summary: String,
        /// As they say it, word for word
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Let something not go with a summary any more, as a new version
    Drop {
        /// The summary
        summary: String,
        /// As they say it, word for word
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Say it in your own words, as a new version
    Edit {
        /// The summary
        summary: String,
        /// The new text; `-` reads it from stdin
        #[arg(required = true)]
        text: Vec<String>,
    },
}

/// How the earlier part of a conversation is told to the model.
#[derive(Debug, Default, Fields)]
pub struct Folding {
    /// Tell earlier messages this way, now and later in this conversation
    #[arg(long, value_enum)]
    pub policy: Option<Policy>,
    /// Length of summaries from 0.1 to 0.5, now and later in this conversation
    #[arg(long, value_parser = rate)]
    pub rate: Option<Rate>,
    /// Exactly as the designs write it, with what they lose, now and later in this conversation
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub strict: Option<bool>,
}

/// A rate as typed. Another one than was meant is not taken in silence.
pub(super) fn rate(typed: &str) -> Result<Rate, String> {
    let lang = help::lang_of_call();
    let no_number = || lang.pick("a number from 0.1 to 0.5", "0.1에서 0.5까지의 수").to_owned();
    let meant: f64 = typed.parse().map_err(|_| no_number())?;
    let nearest = Rate::from(meant);
    let said = lang.pick(
        "0.1 to 0.5 in steps of 0.05; the nearest is {}",
        "0.1에서 0.5까지 0.05 간격. 가장 가까운 값은 {}",
    );
    match (f64::from(nearest) - meant).abs() < 1e-9 {
        true => Ok(nearest),
        false => Err(said.replace("{}", &f64::from(nearest).to_string())),
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Policy {
    Rolling,
    Segments,
    Running,
    Window,
    Importance,
    Summarise,
    None,
}

impl From<Policy> for summary::Policy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Rolling => Self::Rolling,
            Policy::Segments => Self::Segments,
            Policy::Running => Self::Running,
            Policy::Window => Self::Window,
            Policy::Importance => Self::Importance,
            Policy::Summarise => Self::Summarise,
            Policy::None => Self::None,
        }
    }
}
