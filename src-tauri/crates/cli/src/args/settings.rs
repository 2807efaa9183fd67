//! What may be typed about settings.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Settings {
    /// Every setting with its value and what it means
    List {
        /// Only those whose name holds this
        name: Option<String>,
    },
    /// One setting: its value, what it may be, its default and what it means
    Get {
        /// Its name, as `list` gives it
        name: String,
    },
    /// Change a setting
    Set {
        /// Its name, as `list` gives it
        name: String,
        /// The new value; of a list each of its texts
        #[arg(required = true, allow_hyphen_values = true)]
        value: Vec<String>,
    },
    /// Give a setting its default again
    Unset {
        /// Its name, as `list` gives it
        name: String,
    },
}
