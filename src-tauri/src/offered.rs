//! Folders handed to the running window by a second start. Only an offer: the window asks before it opens one.

use std::path::Path;

use siltstone_contract::FolderOffered;
use tauri::{AppHandle, Emitter, Manager};

use crate::{MAIN, start};

pub(crate) fn by_second_start(handle: &AppHandle, arguments: &[String], working_dir: &str) {
    if let Some(window) = handle.get_webview_window(MAIN) {
        // A window manager may refuse to raise a window; the offer below is shown all the same.
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
    let path =
        arguments.get(1).and_then(|path| start::folder_at(path, Some(Path::new(working_dir))));
    if let Some(path) = path
        && let Err(error) = handle.emit_to(MAIN, "folder_offered", FolderOffered { path })
    {
        tracing::warn!(%error, "offering a folder to the window");
    }
}
