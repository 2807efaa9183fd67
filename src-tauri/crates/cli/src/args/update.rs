//! What may be typed about newer versions of the program.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Update {
    /// The version that runs, as what it was installed, and what the last look found; nothing leaves
    Status,
    /// Ask once whether there is a newer version, and say what would be downloaded
    Look,
    /// Download what the last look found and verify its signature; Ctrl-C stops it and keeps nothing
    Get,
    /// Put what was downloaded in the program's place, or say the command that does
    Install,
}
