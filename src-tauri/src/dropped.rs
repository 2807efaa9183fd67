//! The files that were handed over last: dropped on the window, or named by a start. The window may ask for these and no
//! others: a page that was tricked cannot name a file of its own choosing.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tauri::{DragDropEvent, Manager, Window, WindowEvent};

/// Paths that were handed over last and not taken yet.
#[derive(Default)]
pub(crate) struct Dropped(Mutex<Vec<PathBuf>>);

impl Dropped {
    /// Takes these paths out; `None` when one of them was not dropped.
    pub(crate) fn take(&self, wanted: &[String]) -> Option<Vec<PathBuf>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken: Vec<PathBuf> = wanted.iter().map(PathBuf::from).collect();
        if !taken.iter().all(|path| all.contains(path)) {
            return None;
        }
        all.retain(|path| !taken.contains(path));
        Some(taken)
    }

    /// Whether it is there; it stays, for a file may need a second try with another passphrase.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|known| known.as_path() == std::path::Path::new(path))
    }

    pub(crate) fn remember(&self, paths: &[PathBuf]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = paths.to_vec();
    }
}

/// Remembers what a drop brings, before the window hears of it.
pub(crate) fn on_window_event(window: &Window, event: &WindowEvent) {
    if let WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) = event {
        window.state::<Dropped>().remember(paths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_dropped_last_is_taken_and_only_once() {
        let dropped = Dropped::default();
        let named =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        dropped.remember(&["/earlier.png".into()]);
        dropped.remember(&["/a.png".into(), "/b.pdf".into()]);
        for refused in [&["/earlier.png"][..], &["/a.png", "/etc/passwd"]] {
            assert_eq!(dropped.take(&named(refused)), None);
        }
        assert_eq!(dropped.take(&named(&["/b.pdf"])), Some(vec!["/b.pdf".into()]));
        assert_eq!(dropped.take(&named(&["/b.pdf"])), None);
        assert_eq!(dropped.take(&named(&["/a.png"])), Some(vec!["/a.png".into()]));
    }
}
