//! The stories.

mod agents;
mod asking;
mod backups;
mod branching;
mod canaries;
mod checkpoints;
mod comparing;
mod copies;
mod dropping;
mod elsewhere;
mod first_minutes;
mod first_start;
mod fitting;
mod folding;
mod formats;
mod gemma;
mod hostile;
mod keys;
mod launching;
mod leaks;
mod looking;
mod memory;
mod notifying;
mod placing;
mod recall;
mod receipts;
mod reviving;
mod salvaging;
mod searching;
mod sessions;
mod surviving;
mod today;
mod tools;
mod typing;
mod working;

use crate::support::{Page, Window};

impl Window {
    /// Axe finds nothing, and nothing is cut off where it is narrow; with a picture of both widths.
    #[track_caller]
    fn is_sound(&self, screen: &str, mark: &str) {
        self.still();
        assert_eq!(self.axe(), Vec::<String>::new(), "axe on {screen}");
        self.shoot(&format!("story-{screen}-{mark}"));
        self.resize(900, 700);
        self.fits(screen);
        self.shoot(&format!("story-{screen}-{mark}-900"));
        self.resize(1280, 820);
    }
}
