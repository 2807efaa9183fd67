//! Folders and files of checkpoints handed to the running window by a second start. Only an offer: the window asks before
//! it opens one.

use std::path::Path;

use siltstone_contract::PathOffered;
use tauri::{AppHandle, Emitter, Manager};

use crate::dropped::Dropped;
use crate::{MAIN, start};

pub(crate) fn by_second_start(handle: &AppHandle, arguments: &[String], working_dir: &str) {
    if let Some(window) = handle.get_webview_window(MAIN) {
        // A window manager may refuse to raise a window; the offer below is shown all the same.
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
    let working_dir = Some(Path::new(working_dir));
    let Some(path) = arguments.get(1).and_then(|path| start::place_at(path, working_dir)) else {
        return;
    };
    hand_over(handle, &path);
    if let Err(error) = handle.emit_to(MAIN, "path_offered", PathOffered { path }) {
        tracing::warn!(%error, "offering a folder to the window");
    }
}

/// Lets the window ask for the file of a checkpoint that a start named.
pub(crate) fn hand_over(handle: &AppHandle, path: &str) {
    if start::is_checkpoint(Path::new(path)) && Path::new(path).is_file() {
        handle.state::<Dropped>().remember(&[path.into()]);
    }
}
