//! What may be typed about backups.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Backup {
    /// Backups of conversations and settings, the last one first
    List,
    /// Make a backup now
    Create,
    /// Go back to a backup; without --yes, only say what that would change
    Restore {
        /// Its name, as the list says it
        name: String,
        /// Do it: what is there now is backed up first
        #[arg(long)]
        yes: bool,
    },
}
