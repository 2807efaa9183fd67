//! What may be typed about backups.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Backup {
    /// Backups of conversations and settings, the last one first
    List,
    /// Make a backup now
    #[command(alias = "make")]
    Create,
    /// Go back to a backup; without --yes, only say what that would change
    Restore {
        /// Its name, as the list says it
        name: String,
        /// Do it: what is there now is backed up first
        #[arg(long)]
        yes: bool,
    },
    /// Read what can be read of a damaged database; without --yes, only say what that would be
    Salvage {
        /// A backup that adds what the damaged database does not have
        #[arg(long, value_name = "BACKUP")]
        with: Option<String>,
        /// Do it: the damaged database is moved aside and kept
        #[arg(long)]
        yes: bool,
    },
}
